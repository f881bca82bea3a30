//! The accelerator guests run under.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Accel {
    /// Emulation: works everywhere.
    Tcg,
    /// The host's virtualization.
    Kvm,
}

impl Accel {
    /// For `-accel`. The kinds of a saved state must not be mixed.
    pub fn qemu_value(self) -> &'static str {
        match self {
            Accel::Tcg => "tcg,thread=multi",
            Accel::Kvm => "kvm",
        }
    }

    /// For `-cpu`. rxe checks every packet with CRC-32, and TCG emulates the
    /// carry-less multiply slowly: without it large messages are 2.5 to 4
    /// times faster.
    pub fn cpu_model(self) -> &'static str {
        match self {
            Accel::Tcg => "max,pclmulqdq=off",
            Accel::Kvm => "host",
        }
    }
}

impl fmt::Display for Accel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Accel::Tcg => "tcg",
            Accel::Kvm => "kvm",
        })
    }
}
