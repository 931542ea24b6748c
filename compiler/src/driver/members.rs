//! Tells what a model does with the members of a scalarset and must not do.

use crate::analysis::symmetry::{Misuse, Wrong};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Model, codes};
use crate::source::{SourceMap, Span};

pub fn report(model: &Model, misuses: &[Misuse], sources: &SourceMap, diagnostics: &mut Diagnostics) {
    for misuse in misuses {
        diagnostics.add(told(model, misuse, sources));
    }
}

fn told(model: &Model, misuse: &Misuse, sources: &SourceMap) -> Diagnostic {
    let name = |set| model.mtypes[set].author_text(sources);
    let (set, text) = (name(misuse.set), sources.text(misuse.span));
    let is_loop = matches!(misuse.wrong, Wrong::LoopOutside | Wrong::LoopPart { .. });
    let span = if is_loop { whole_loop(misuse.span, sources) } else { misuse.span };
    let (message, help) = match misuse.wrong {
        Wrong::Number => (format!("a member of `{set}` is used as a number: `{text}`"), ONLY),
        Wrong::Narrow => (format!("a member of `{set}` is used as a number: `{text}` is too narrow for it"), ONLY),
        Wrong::Named => (
            format!("a member of `{set}` is named by a number"),
            "to choose one of all members write `select`, or an `if` with one option for each; no member is `none`",
        ),
        Wrong::Mixes(other) => (
            format!("mixes members of `{set}` and `{}`: `{text}`", name(other)),
            "sets of different size or name have no member in common",
        ),
        Wrong::MixesOthers => (
            format!(
                "mixes members of `{set}` with processes that are others, or of which there are not as many: `{text}`"
            ),
            "a set is that of the processes of one proctype if sizes and numbers are the same",
        ),
        Wrong::Short { variable, length } => {
            let size = model.mtypes[misuse.set].members.map_or(0, |members| members.size);
            let array = &model.variables[variable].name;
            (
                format!("`{array}` has {length} elements, `{set}` has {size} members"),
                "give the array an element for each",
            )
        }
        Wrong::LoopOutside => (
            format!("a loop over `{set}` that is not inside a d_step or an atomic, or waits there"),
            "between two rounds a state would show how far it is; put the loop in a `d_step`",
        ),
        Wrong::LoopRounds => (
            format!("a loop over `{set}` whose rounds depend on their order"),
            "a round may write elements of its own member, add to a variable, or store one constant",
        ),
        Wrong::LoopPart { first, last } => (
            format!("a loop over part of `{set}` ({first} .. {last})"),
            "go over all members and leave out some with a condition that names none",
        ),
        Wrong::Start => (
            format!("the members of `{set}` do not all start alike"),
            "give all elements of an array, and all processes, the same initial values",
        ),
    };
    Diagnostic::error(codes::SCALARSET, span, message).help(help)
}

const ONLY: &str = "members can be copied, compared with `==` and `!=`, and used as an index; nothing else";

/// The text of a loop from its word on: the statements that it stands for begin at its counter.
fn whole_loop(span: Span, sources: &SourceMap) -> Span {
    let file = sources.file(span);
    let before = file.text.get(..(span.start - file.base) as usize).unwrap_or_default();
    let head = before.trim_end().strip_suffix('(').and_then(|head| head.trim_end().strip_suffix("for"));
    match head.and_then(|head| u32::try_from(head.len()).ok()) {
        Some(length) => Span { start: file.base + length, ..span },
        None => span,
    }
}
