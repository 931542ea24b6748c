//! The selection of what is shown of a run.

use crate::model::ModelInfo;
use crate::record::Offer;
use crate::step::{Pid, TransitionId};

/// The line before the part of a run that repeats forever.
pub const CYCLE_STARTS: &str = "<<<<< start of cycle >>>>>";

/// A step in which the system stutters.
pub const STUTTER: &str = "no process can move: the state stays as it is";

/// Which parts of a run to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Show {
    /// Every step (`-p`). Also if neither sends nor receives are selected.
    pub steps: bool,
    /// Globals that a step changed (`-g`).
    pub globals: bool,
    /// Locals that a step changed (`-l`).
    pub locals: bool,
    /// Steps that send (`-s`), that receive (`-r`).
    pub sends: bool,
    /// Receive statements.
    pub receives: bool,
    /// Every step of a long run (`--all`), not only the first and the last ones.
    pub all: bool,
}

impl Show {
    /// Steps with their changes, unless the user has chosen.
    #[must_use]
    pub(crate) fn or_everything(self) -> Show {
        let all = Show { steps: true, globals: true, locals: true, ..self };
        if self == Show::default() { all } else { self }
    }
}

/// A step that can be chosen, on one line, with its statements as they will be told, if that is known.
pub(crate) fn choice_line(
    info: &ModelInfo<'_>,
    label: impl Fn(Pid) -> String,
    offer: &Offer<'_>,
    told: &[String],
) -> String {
    let name = |pid: Pid, id: TransitionId, told: Option<&String>| {
        let transition = info.transition(id);
        let transition = transition.map_or_else(String::new, |transition| {
            format!("  {}  {}", info.line(transition.place), told.map_or(transition.text, String::as_str))
        });
        format!("{}{transition}", label(pid))
    };
    let mut line = name(offer.step.pid, offer.step.transition, told.first());
    if let Some((receiver, receive)) = offer.step.receiver {
        line += &format!("  ->  {}", name(receiver, receive, told.last()));
    }
    if offer.next.is_none() {
        line += " (fails)";
    }
    line
}
