//! By which rules it is decided who disturbs whom.

/// Whose rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// All that the analyses find out.
    #[default]
    Own,
    /// No more than Spin finds out: a global concerns everybody, and one side of a channel is used by one process alone
    /// only where `xr` or `xs` says so. For tests, which compare counts with Spin's: with `--reduction ample --proviso
    /// prompt` a search leaves out the same steps. It errs further towards less reduction than [`Rules::Own`].
    Spin,
}
