//! Where names are used: for tools that show or change them. Nothing that is verified depends on it.

use crate::source::Span;

/// A use of a name, or its declaration.
///
/// What came out of a macro has the span of the macro's use, as everywhere; the text of an inline is seen once for each of
/// its calls, and may mean something else each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    pub span: Span,
    /// The name in its declaration: that is what tells things of one name apart.
    pub declared: Span,
}
