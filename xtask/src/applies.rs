//! Whether an expectation's condition holds on a testbed.

use protocol::report::Provenance;

use crate::snippet::{Bound, Condition};

/// `(on DRIVER …)` holds where the driver is the named one and the kernel
/// within the bound; `(except on DRIVER)` where that is not so.
pub fn applies(condition: Option<&Condition>, provenance: &Provenance) -> bool {
    let Some(condition) = condition else {
        return true;
    };
    let within = condition.kernel.is_none_or(|(bound, version)| {
        kernel_version(&provenance.kernel).is_some_and(|kernel| match bound {
            Bound::AtLeast => kernel >= version,
            Bound::Below => kernel < version,
        })
    });
    let here = condition.driver == provenance.driver && within;
    here != condition.except
}

/// Major and minor number of a release such as `6.1.0-44-amd64`.
fn kernel_version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(kernel: &str, condition: Condition) -> bool {
        let provenance = Provenance {
            kernel: kernel.into(),
            driver: "rdma_rxe".into(),
            ..Default::default()
        };
        applies(Some(&condition), &provenance)
    }

    fn rxe(kernel: Option<(Bound, (u32, u32))>) -> Condition {
        Condition {
            except: false,
            driver: "rdma_rxe".into(),
            kernel,
        }
    }

    #[test]
    fn a_bound_compares_numbers_not_text() {
        let from_6_9 = || rxe(Some((Bound::AtLeast, (6, 9))));
        assert!(on("6.12.43+deb13-amd64", from_6_9()));
        assert!(!on("6.1.0-44-amd64", from_6_9()));
        assert!(on("6.1.0-44-amd64", rxe(Some((Bound::Below, (6, 9))))));
    }

    #[test]
    fn a_condition_names_a_driver_or_excepts_one() {
        let mlx5 = |except| Condition {
            except,
            driver: "mlx5_ib".into(),
            kernel: None,
        };
        assert!(on("6.1.0", rxe(None)));
        assert!(!on("6.1.0", mlx5(false)));
        assert!(on("6.1.0", mlx5(true)));
    }

    #[test]
    fn an_unknown_kernel_is_within_no_bound() {
        assert!(!on("", rxe(Some((Bound::AtLeast, (6, 1))))));
        assert!(!on("", rxe(Some((Bound::Below, (6, 1))))));
    }
}
