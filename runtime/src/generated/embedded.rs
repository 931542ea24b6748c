//! How a block of C ended.

use crate::fault::Fault;

/// What the C function of a block returned. A number above this is that of a signal.
const SIGNAL: i32 = 256;

/// The fault of a block that did not end as it should. `block` is its name, as in `c_code line 4`, and its precondition.
#[inline]
pub fn block_end(end: i32, block: &'static [&'static str; 2]) -> Result<(), Fault> {
    match end {
        0 => Ok(()),
        1 => Err(Fault::Precondition { block }),
        2 => Err(Fault::SideEffect { block }),
        3 => Err(Fault::EndlessBlock { block }),
        end => Err(Fault::Crash { block, signal: end - SIGNAL }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(end: i32) -> String {
        let fault = block_end(end, &["c_code line 4", "now.x < 2"]).expect_err("a fault");
        format!("{}: {fault}", fault.kind())
    }

    #[test]
    fn each_end_has_a_text() {
        assert_eq!(block_end(0, &["", ""]), Ok(()));
        assert_eq!(text(1), "precondition: c_code line 4 precondition false: now.x < 2");
        assert_eq!(text(2), "side-effect: c_code line 4 has changed a variable of the model");
        assert_eq!(
            text(3),
            "endless-block: c_code line 4 has used ten seconds of processor time, and is taken to be endless"
        );
        assert_eq!(text(SIGNAL + 8), "crash: c_code line 4 crashed: SIGFPE, as by a division by zero");
        assert_eq!(text(SIGNAL + 99), "crash: c_code line 4 crashed: signal 99");
    }
}
