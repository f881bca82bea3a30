//! Which attributes each change of a QP's state requires and allows, for the
//! types RC, UC and UD. The facts are those of the InfiniBand specification's
//! volume 1, 11.2.5.2 "Modify Queue Pair", as Linux checks them in
//! `drivers/infiniband/core/verbs.c` (6.1).

pub const STATE: u32 = 1 << 0;
pub const CUR_STATE: u32 = 1 << 1;
const EN_SQD_ASYNC_NOTIFY: u32 = 1 << 2;
pub const ACCESS_FLAGS: u32 = 1 << 3;
pub const PKEY_INDEX: u32 = 1 << 4;
pub const PORT: u32 = 1 << 5;
pub const QKEY: u32 = 1 << 6;
pub const AV: u32 = 1 << 7;
pub const PATH_MTU: u32 = 1 << 8;
pub const TIMEOUT: u32 = 1 << 9;
pub const RETRY_CNT: u32 = 1 << 10;
pub const RNR_RETRY: u32 = 1 << 11;
pub const RQ_PSN: u32 = 1 << 12;
pub const MAX_RD_ATOMIC: u32 = 1 << 13;
const ALT_PATH: u32 = 1 << 14;
pub const MIN_RNR_TIMER: u32 = 1 << 15;
pub const SQ_PSN: u32 = 1 << 16;
pub const MAX_DEST_RD_ATOMIC: u32 = 1 << 17;
const PATH_MIG_STATE: u32 = 1 << 18;
pub const DEST_QPN: u32 = 1 << 20;

// `ibv_qp_state`
const RESET: i64 = 0;
const INIT: i64 = 1;
const RTR: i64 = 2;
const RTS: i64 = 3;
const SQD: i64 = 4;
const SQE: i64 = 5;
const ERR: i64 = 6;

/// Types of QP that the table holds; values of `ibv_qp_type`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Rc = 2,
    Uc = 3,
    Ud = 4,
}

/// What is to be said of a mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// There is no such transition.
    Forbidden,
    /// Some bits have to be added or taken away.
    Attributes {
        missing: u32,
        superfluous: u32,
    },
    Right,
}

/// Judges `mask` for a QP of type `kind` (`ibv_qp_type`) going from one
/// `ibv_qp_state` to another; nothing for a type that is not in the table.
pub fn judge(kind: i64, from: i64, to: i64, mask: u32) -> Option<Verdict> {
    let kind = [Type::Rc, Type::Uc, Type::Ud]
        .into_iter()
        .find(|known| *known as i64 == kind)?;
    let Some((required, optional)) = transition(kind, from, to) else {
        return Some(Verdict::Forbidden);
    };
    let missing = required & !mask;
    let superfluous = mask & !(required | optional | STATE);
    Some(if missing == 0 && superfluous == 0 {
        Verdict::Right
    } else {
        Verdict::Attributes {
            missing,
            superfluous,
        }
    })
}

/// Required and optional attributes, `STATE` apart; nothing where there is no
/// such transition.
pub fn transition(kind: Type, from: i64, to: i64) -> Option<(u32, u32)> {
    match (from, to) {
        (RESET..=ERR, RESET | ERR) => (from != RESET || to != ERR).then_some((0, 0)),
        (RESET, INIT) => Some((identity(kind), 0)),
        (INIT, INIT) => Some((0, identity(kind))),
        (INIT, RTR) => Some(ready_to_receive(kind)),
        (RTR, RTS) => Some(ready_to_send(kind)),
        (RTS | SQD, RTS) => Some((0, while_sending(kind))),
        (SQE, RTS) if kind == Type::Ud => Some((0, CUR_STATE | QKEY)),
        (SQE, RTS) if kind == Type::Uc => Some((0, CUR_STATE | ACCESS_FLAGS)),
        (RTS, SQD) => Some((0, EN_SQD_ASYNC_NOTIFY)),
        (SQD, SQD) => Some((0, while_drained(kind))),
        _ => None,
    }
}

/// Where the QP belongs and what it lets in.
fn identity(kind: Type) -> u32 {
    PKEY_INDEX | PORT | if kind == Type::Ud { QKEY } else { ACCESS_FLAGS }
}

fn ready_to_receive(kind: Type) -> (u32, u32) {
    let path = AV | PATH_MTU | DEST_QPN | RQ_PSN;
    let connected = ALT_PATH | ACCESS_FLAGS | PKEY_INDEX;
    match kind {
        Type::Rc => (path | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER, connected),
        Type::Uc => (path, connected),
        Type::Ud => (0, PKEY_INDEX | QKEY),
    }
}

fn ready_to_send(kind: Type) -> (u32, u32) {
    let reliable = TIMEOUT | RETRY_CNT | RNR_RETRY | MAX_RD_ATOMIC;
    let required = match kind {
        Type::Rc => SQ_PSN | reliable,
        Type::Uc | Type::Ud => SQ_PSN,
    };
    (required, while_sending(kind))
}

fn while_sending(kind: Type) -> u32 {
    let connected = CUR_STATE | ACCESS_FLAGS | ALT_PATH | PATH_MIG_STATE;
    match kind {
        Type::Rc => connected | MIN_RNR_TIMER,
        Type::Uc => connected,
        Type::Ud => CUR_STATE | QKEY,
    }
}

fn while_drained(kind: Type) -> u32 {
    let connected = AV | ALT_PATH | ACCESS_FLAGS | PKEY_INDEX | PATH_MIG_STATE;
    let reliable = TIMEOUT | RETRY_CNT | RNR_RETRY | MAX_RD_ATOMIC | MAX_DEST_RD_ATOMIC;
    match kind {
        Type::Rc => connected | reliable | PORT | MIN_RNR_TIMER,
        Type::Uc => connected,
        Type::Ud => PKEY_INDEX | QKEY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RC: i64 = Type::Rc as i64;
    const RTR_MASK: u32 =
        STATE | AV | PATH_MTU | DEST_QPN | RQ_PSN | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER;

    #[test]
    fn each_attribute_left_out_of_init_to_rtr_is_named() {
        for bit in [
            AV,
            PATH_MTU,
            DEST_QPN,
            RQ_PSN,
            MAX_DEST_RD_ATOMIC,
            MIN_RNR_TIMER,
        ] {
            let verdict = judge(RC, INIT, RTR, RTR_MASK & !bit);
            let expected = Verdict::Attributes {
                missing: bit,
                superfluous: 0,
            };
            assert_eq!(verdict, Some(expected));
        }
        assert_eq!(judge(RC, INIT, RTR, RTR_MASK), Some(Verdict::Right));
    }

    #[test]
    fn an_attribute_of_a_later_step_is_superfluous() {
        let verdict = judge(RC, INIT, RTR, RTR_MASK | TIMEOUT);
        let expected = Verdict::Attributes {
            missing: 0,
            superfluous: TIMEOUT,
        };
        assert_eq!(verdict, Some(expected));
    }

    #[test]
    fn a_step_left_out_is_forbidden_whatever_the_mask() {
        assert_eq!(judge(RC, RESET, RTR, RTR_MASK), Some(Verdict::Forbidden));
        assert_eq!(judge(RC, INIT, RTS, STATE), Some(Verdict::Forbidden));
        assert_eq!(judge(RC, ERR, RTS, STATE), Some(Verdict::Forbidden));
    }

    #[test]
    fn reset_and_error_need_nothing() {
        for from in [INIT, RTR, RTS, SQD, SQE, ERR] {
            assert_eq!(judge(RC, from, RESET, STATE), Some(Verdict::Right));
            assert_eq!(judge(RC, from, ERR, STATE), Some(Verdict::Right));
        }
    }

    #[test]
    fn datagrams_have_a_key_where_connections_have_access_flags() {
        let ud = Type::Ud as i64;
        let mask = STATE | PKEY_INDEX | PORT;
        let verdict = judge(ud, RESET, INIT, mask | ACCESS_FLAGS);
        let expected = Verdict::Attributes {
            missing: QKEY,
            superfluous: ACCESS_FLAGS,
        };
        assert_eq!(verdict, Some(expected));
        assert_eq!(judge(ud, RESET, INIT, mask | QKEY), Some(Verdict::Right));
    }

    #[test]
    fn types_that_are_not_in_the_table_are_left_alone() {
        assert_eq!(judge(8, RESET, INIT, STATE), None);
    }
}
