//! Which object is which: numbers for the library's objects, from 1 within
//! their kind in the order the process made them.
//!
//! A fixed table with atomic slots: looking up never waits, so that threads
//! posting and polling do not queue behind the tracer, and a forked child
//! cannot inherit a held lock.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::record::Handle;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    Device = 1,
    List,
    Context,
    Pd,
    Mr,
    Mw,
    Channel,
    Cq,
    Srq,
    Qp,
    Ah,
    Id,
    EventChannel,
    Port,
    /// Finds a QP by its context's number and its QP number.
    QpNumber,
}

const KINDS: usize = Kind::QpNumber as usize + 1;

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Device => "device",
            Kind::List => "list",
            Kind::Context => "context",
            Kind::Pd => "pd",
            Kind::Mr => "mr",
            Kind::Mw => "mw",
            Kind::Channel => "channel",
            Kind::Cq => "cq",
            Kind::Srq => "srq",
            Kind::Qp | Kind::QpNumber => "qp",
            Kind::Ah => "ah",
            Kind::Id => "id",
            Kind::EventChannel => "event_channel",
            Kind::Port => "port",
        }
    }
}

/// The number of an object the tracer never saw made.
pub const UNKNOWN: u32 = u32::MAX;

struct Slot {
    /// Kind in the top byte, address below; [`FREE`], [`GONE`] or [`TAKEN`]
    /// otherwise.
    key: AtomicU64,
    number: AtomicU32,
    /// For a CQ: polls that found nothing since the last completion.
    count: AtomicU64,
}

/// Never used: a search ends here.
const FREE: u64 = 0;
/// Used once: a search goes on, a new object may move in.
const GONE: u64 = 1;
/// Being filled in.
const TAKEN: u64 = 2;

const SLOTS: usize = 1 << 16;
/// How far from its own place an object may live. One that finds no room
/// stays unknown.
const PROBES: usize = 128;

static TABLE: [Slot; SLOTS] = [const {
    Slot {
        key: AtomicU64::new(FREE),
        number: AtomicU32::new(0),
        count: AtomicU64::new(0),
    }
}; SLOTS];
static MADE: [AtomicU32; KINDS] = [const { AtomicU32::new(0) }; KINDS];

fn key(kind: Kind, address: u64) -> u64 {
    (kind as u64) << 56 | address & ((1 << 56) - 1)
}

fn places(key: u64) -> impl Iterator<Item = &'static Slot> {
    // Multiplication by a large odd constant spreads neighbouring addresses.
    let first = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as usize;
    (0..PROBES).map(move |i| &TABLE[(first + i) % SLOTS])
}

fn find(key: u64) -> Option<&'static Slot> {
    for slot in places(key) {
        match slot.key.load(Ordering::Acquire) {
            found if found == key => return Some(slot),
            FREE => return None,
            _ => {}
        }
    }
    None
}

fn insert(key: u64, number: u32) -> bool {
    for slot in places(key) {
        let found = slot.key.load(Ordering::Relaxed);
        let usable = found == FREE || found == GONE;
        if usable
            && slot
                .key
                .compare_exchange(found, TAKEN, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
        {
            slot.number.store(number, Ordering::Relaxed);
            slot.count.store(0, Ordering::Relaxed);
            slot.key.store(key, Ordering::Release);
            return true;
        }
    }
    false
}

/// The handle of an object that a call gave: 0 when `object` is null, the
/// number it has when it is known, a new one otherwise.
///
/// A call that makes an object may be made of others that do: the object is
/// known already when the outer one ends.
pub fn made<T>(kind: Kind, object: *const T) -> Handle {
    let known = of(kind, object);
    if known.number != UNKNOWN {
        return known;
    }
    let number = MADE[kind as usize].fetch_add(1, Ordering::Relaxed) + 1;
    let inserted = insert(key(kind, object as u64), number);
    Handle {
        kind: kind.name(),
        number: if inserted { number } else { UNKNOWN },
    }
}

/// The handle of an object.
pub fn of<T>(kind: Kind, object: *const T) -> Handle {
    let number = if object.is_null() {
        0
    } else {
        find(key(kind, object as u64)).map_or(UNKNOWN, |s| s.number.load(Ordering::Relaxed))
    };
    Handle {
        kind: kind.name(),
        number,
    }
}

/// Forgets an object about to be destroyed: its address may be used for the
/// next one before the call returns.
pub fn forget<T>(kind: Kind, object: *const T) -> Handle {
    let handle = of(kind, object);
    if let Some(slot) = find(key(kind, object as u64)) {
        slot.key.store(GONE, Ordering::Release);
    }
    handle
}

/// Takes [`forget`] back: the object could not be destroyed.
pub fn restore<T>(kind: Kind, object: *const T, handle: Handle) {
    if handle.number != 0 && handle.number != UNKNOWN {
        insert(key(kind, object as u64), handle.number);
    }
}

fn qp_key(context: u32, qp_num: u32) -> u64 {
    key(
        Kind::QpNumber,
        u64::from(context & 0xff_ffff) << 32 | u64::from(qp_num),
    )
}

/// Lets [`qp_by_number`] find a QP.
pub fn name_qp(context: u32, qp_num: u32, qp: Handle) {
    insert(qp_key(context, qp_num), qp.number);
}

/// Ends what [`name_qp`] began.
pub fn unname_qp(context: u32, qp_num: u32) {
    if let Some(slot) = find(qp_key(context, qp_num)) {
        slot.key.store(GONE, Ordering::Release);
    }
}

/// The number of the QP that a completion names.
pub fn qp_by_number(context: u32, qp_num: u32) -> u32 {
    find(qp_key(context, qp_num)).map_or(UNKNOWN, |s| s.number.load(Ordering::Relaxed))
}

/// Counts a poll that found nothing.
pub fn count_empty_poll<T>(cq: *const T) {
    if let Some(slot) = find(key(Kind::Cq, cq as u64)) {
        slot.count.fetch_add(1, Ordering::Relaxed);
    }
}

/// The polls counted since this was last asked.
pub fn take_empty_polls<T>(cq: *const T) -> u64 {
    find(key(Kind::Cq, cq as u64)).map_or(0, |s| s.count.swap(0, Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    // The table is one for the process; each test uses a kind of its own.

    #[test]
    fn objects_are_numbered_within_their_kind_in_the_order_they_are_made() {
        let [a, b, c] = [8, 16, 24].map(|address| address as *const u64);
        assert_eq!(made(Kind::Ah, a).number, 1);
        assert_eq!(made(Kind::Ah, b).number, 2);
        assert_eq!(made(Kind::Srq, a).number, 1);
        assert_eq!(of(Kind::Ah, b).number, 2);
        assert_eq!(of(Kind::Ah, c).number, UNKNOWN);
        assert_eq!(of::<u64>(Kind::Ah, std::ptr::null()).number, 0);
    }

    #[test]
    fn an_object_told_of_twice_is_one_object() {
        let a = 64 as *const u64;
        assert_eq!(made(Kind::Mr, a).number, 1);
        assert_eq!(made(Kind::Mr, a).number, 1);
    }

    #[test]
    fn an_address_used_again_is_a_new_object() {
        let a = 64 as *const u64;
        let first = made(Kind::Mw, a);
        assert_eq!(forget(Kind::Mw, a).number, first.number);
        assert_eq!(of(Kind::Mw, a).number, UNKNOWN);
        assert_eq!(made(Kind::Mw, a).number, first.number + 1);
    }

    #[test]
    fn an_object_that_could_not_be_destroyed_keeps_its_number() {
        let a = 64 as *const u64;
        let handle = made(Kind::Pd, a);
        let forgotten = forget(Kind::Pd, a);
        restore(Kind::Pd, a, forgotten);
        assert_eq!(of(Kind::Pd, a).number, handle.number);
    }

    #[test]
    fn making_and_destroying_for_ever_does_not_fill_the_table() {
        for round in 1..=(3 * SLOTS as u64) {
            let object = (round * 64) as *const u64;
            assert_ne!(made(Kind::Channel, object).number, UNKNOWN);
            forget(Kind::Channel, object);
        }
    }

    #[test]
    fn a_qp_is_found_by_the_number_in_a_completion() {
        let qp = made(Kind::Qp, 64 as *const u64);
        name_qp(1, 0x11, qp);
        assert_eq!(qp_by_number(1, 0x11), qp.number);
        assert_eq!(qp_by_number(2, 0x11), UNKNOWN);
        unname_qp(1, 0x11);
        assert_eq!(qp_by_number(1, 0x11), UNKNOWN);
    }
}
