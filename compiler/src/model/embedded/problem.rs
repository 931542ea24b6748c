//! Why a text of C is refused, in words.

use super::MOST_SCALARS;
use crate::source::Name;

/// Why a text of C is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    BareDirective,
    Include(String),
    Directive(String),
    Variable(String),
    /// `static` or `extern` in a function or a block.
    Static,
    /// A function whose text is not in the model, and that is none of those that are known.
    Call(String),
    /// A name of the C library that has an effect beyond the step.
    Library(String),
    /// `now`, or `PName`, not followed by the name of a variable.
    Whole(String),
    /// A part of Spin's verifier.
    OfSpin(String),
    Channel(String),
    Timer(String),
    NoGlobal(String),
    NoLocal {
        name: String,
        proctype: Name,
    },
    SeveralLocals(String),
    /// A local, once with its scope and once without.
    TwoNames(String),
    OtherProcess {
        text: String,
        proctype: Name,
    },
    NoProcess(String),
    ReadOnly(String),
    /// A `c_expr` changes something.
    Change(String),
    Assert,
    Large,
}

impl Problem {
    /// Whether the text is wrong, rather than something that is not supported.
    pub fn is_mistake(&self) -> bool {
        matches!(
            self,
            Self::NoGlobal(_)
                | Self::NoLocal { .. }
                | Self::SeveralLocals(_)
                | Self::TwoNames(_)
                | Self::OtherProcess { .. }
                | Self::NoProcess(_)
                | Self::ReadOnly(_)
                | Self::Change(_)
                | Self::Assert
                | Self::BareDirective
        )
    }

    /// `word` is the word that the text stands behind.
    pub fn message(&self, word: &str) -> String {
        match self {
            Self::BareDirective => format!("a line of this `{word}` begins with `#`"),
            Self::Include(file) => format!("this `{word}` includes {file}"),
            Self::Directive(word) => format!("the directive `{word}` in embedded C is not supported"),
            Self::Variable(name) => {
                format!("`{name}` is a C variable: memory of C that is not part of the state is not supported yet")
            }
            Self::Static => format!("this `{word}` uses a variable that outlives the step"),
            Self::Call(name) => format!("this `{word}` calls `{name}`, whose text is not in the model"),
            Self::Library(name) => format!("this `{word}` uses `{name}`, which has an effect beyond the step"),
            Self::Whole(name) => format!("this `{word}` uses `{name}` as a whole"),
            Self::OfSpin(name) => format!("this `{word}` uses `{name}`, a part of Spin's verifiers"),
            Self::Channel(name) => format!("this `{word}` mentions `{name}`, which holds a channel"),
            Self::Timer(name) => format!("this `{word}` mentions `{name}`, which holds a timer"),
            Self::NoGlobal(name) => {
                format!("this `{word}` mentions `now.{name}`, and no global variable is called `{name}`")
            }
            Self::NoLocal { name, proctype } => {
                format!("this `{word}` mentions `{name}`, and `{proctype}` has no such variable")
            }
            Self::SeveralLocals(name) => format!("this `{word}` mentions `{name}`, and there are several of that name"),
            Self::TwoNames(name) => format!("this `{word}` mentions `{name}` under another name, too"),
            Self::OtherProcess { text, proctype } => {
                format!("this `{word}` mentions `{text}`, but is executed by `{proctype}`")
            }
            Self::NoProcess(text) => format!("this `{word}` mentions `{text}`, and no process executes it"),
            Self::ReadOnly(name) => format!("this `{word}` changes `{name}`, which can only be read"),
            Self::Change(name) => format!("this `c_expr` changes {name}"),
            Self::Assert => format!("this `{word}` uses `assert`, which C does not have here"),
            Self::Large => format!("this `{word}` mentions more than {MOST_SCALARS} values"),
        }
    }

    pub fn help(&self) -> &'static str {
        match self {
            Self::BareDirective => "write `\\#` to leave the line to the C compiler, or move it out of the braces",
            Self::Include(_) => {
                "only headers of the C standard library can be included yet, as in `\\#include <string.h>`"
            }
            Self::Directive(_) => "there are define, undef, include, and the conditions",
            Self::Variable(_) | Self::Static => "make it a variable of the model, and use it by `now.`",
            Self::Call(_) => {
                "write the function in a `c_code` outside of the processes; of the C library, those that only compute are known"
            }
            Self::Library(_) => "a run could not be repeated: do this in Promela, or leave it out",
            Self::Whole(_) => "name the variables one by one, so that what the block depends on is known",
            Self::OfSpin(_) => "channels and other processes are used in Promela, around the block",
            Self::Channel(_) | Self::Timer(_) => "use it in Promela, around the block",
            Self::NoGlobal(_) | Self::NoLocal { .. } => "the name has to be as in its declaration",
            Self::SeveralLocals(_) => "give them different names",
            Self::TwoNames(_) => "use one of the names",
            Self::OtherProcess { .. } => "a block sees the variables of its own process only",
            Self::NoProcess(_) => "claims and formulas see global variables only",
            Self::ReadOnly(_) => "",
            Self::Change(_) => "a condition must not change anything: do it in a `c_code`",
            Self::Assert => "write `assert(c_expr { .. })` as a statement of the model",
            Self::Large => "mention the parts that it needs",
        }
    }
}
