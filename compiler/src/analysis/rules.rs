//! The rules that decide which steps are dependent.

/// The origin of the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// All facts of the analyses.
    #[default]
    Own,
    /// Only Spin's facts: a global is shared by all processes, and a side of a channel belongs to one process only if
    /// `xr` or `xs` says so. For tests, which compare counts with Spin's: with `--reduction ample --proviso prompt` a
    /// search removes the same steps. Errs further towards less reduction than [`Rules::Own`].
    Spin,
}
