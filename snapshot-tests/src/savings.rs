//! How many states each reduction stores, beside Spin's with its own.
//!
//! All searches are depth-first ones that go on behind errors, as pan's with `-c0`.

use pmc::driver::{EscapeOrder, Options};

use crate::batch::{Batch, Member};
use crate::expected::{self, Row};
use crate::spin::Figures;

/// The reductions, as `--reduction` names them.
pub const REDUCTIONS: [&str; 4] = ["ample", "cluster", "stubborn", "auto"];

/// The result of one search.
#[derive(Clone, Debug)]
pub struct Stored {
    pub states: u64,
    pub is_violated: bool,
    pub is_complete: bool,
    /// The violation is a broken promise (`xr`, `xs`), which only a reduced search checks.
    pub breaks_promise: bool,
}

impl Stored {
    pub fn by(batch: &Batch, module: &str, reduction: &str, flags: &[&str]) -> Result<Stored, String> {
        let own = ["--safety", "--reduction", reduction, "--search", "dfs", "--all-errors"];
        let report = batch.report(module, &[&own[..], flags].concat())?;
        let property = &report["properties"][0];
        Ok(Stored {
            states: property["search"]["states_stored"].as_u64().ok_or_else(|| format!("no states in {report}"))?,
            is_violated: property["verdict"] == "violated",
            is_complete: property["search"]["complete"] == true,
            breaks_promise: property["violation"]["kind"] == "xr-xs",
        })
    }
}

/// A model without reduction, with each of ours, and with Spin's.
#[derive(Clone, Debug)]
pub struct Savings {
    pub model: String,
    pub full: Stored,
    pub spin: Figures,
    /// In the order of [`REDUCTIONS`].
    pub reduced: Vec<Stored>,
}

impl Savings {
    /// `full` is given, since it decides whether a model is small enough.
    pub fn of(
        batch: &Batch,
        model: &str,
        module: &str,
        full: Stored,
        spin: Figures,
        flags: &[&str],
    ) -> Result<Savings, String> {
        let reduced = REDUCTIONS.iter().map(|reduction| Stored::by(batch, module, reduction, flags));
        Ok(Savings { model: model.to_owned(), full, spin, reduced: reduced.collect::<Result<_, _>>()? })
    }

    /// Whether Spin's verdict with its reduction is right.
    pub fn spin_is_right(&self) -> bool {
        let is_told = self.reduced.iter().any(|stored| stored.breaks_promise);
        (self.spin.errors > 0) == (self.full.is_violated || is_told)
    }

    /// The bound that Spin's reduction sets for ours: if its verdict is right, ours should store no more. Nothing if
    /// Spin itself calls its result invalid, since a promise is broken.
    fn limit(&self) -> Option<u64> {
        let is_told = self.reduced.iter().any(|stored| stored.breaks_promise);
        (self.spin_is_right() && !is_told).then_some(self.spin.states)
    }

    /// The failed expectations: each verdict is that of the whole graph, and where Spin's is too, no search stores more
    /// states than Spin, unless there is a known reason.
    pub fn complaints(&self, exception: Option<&Exception>) -> Vec<String> {
        let limit = match exception {
            Some(Exception::Unsound) => None,
            Some(Exception::Merges(states)) => Some(*states),
            None => self.limit(),
        };
        let mut complaints = Vec::new();
        for (reduction, stored) in REDUCTIONS.iter().zip(&self.reduced) {
            if stored.is_violated != (self.full.is_violated || stored.breaks_promise) {
                complaints.push(format!("{}: {reduction} changes the verdict: {self:?}", self.model));
            }
            if self.full.is_complete && stored.is_complete && stored.states > self.full.states {
                complaints.push(format!("{}: {reduction} stores more than no reduction: {self:?}", self.model));
            }
            if let Some(limit) = limit
                && stored.is_complete
                && stored.states > limit
            {
                complaints.push(format!("{}: {reduction} stores {} states, Spin {limit}", self.model, stored.states));
            }
        }
        if exception.is_some() && self.reduced.iter().all(|stored| Some(stored.states) <= self.limit()) {
            complaints.push(format!("{}: no more states than Spin, there is nothing to except", self.model));
        }
        complaints
    }

    pub const HEADING: &str = "| model | full | Spin | ample | cluster | stubborn | auto |\n\
                               | --- | ---: | ---: | ---: | ---: | ---: | ---: |";

    /// A row below [`Self::HEADING`]. Where Spin's verdict is wrong its figure is in parentheses.
    pub fn row(&self) -> String {
        let spin = if self.spin_is_right() { self.spin.states.to_string() } else { format!("({})", self.spin.states) };
        let reduced: String = self.reduced.iter().map(|stored| format!(" {} |", stored.states)).collect();
        format!("| {} | {} | {spin} |{reduced}", self.model, self.full.states)
    }
}

/// Why Spin stores less, although its verdict is right.
#[derive(Clone, Copy, Debug)]
pub enum Exception {
    /// It merges an assertion or a `printf` over locals with the step before, and also merges steps beside priorities and
    /// never claims, which may count them. That is no reduction: without merging (`-o3`) it stores so many states.
    Merges(u64),
    /// Its ample sets contain dependent steps, as a model of `unsound` shows.
    Unsound,
}

pub const EXCEPTIONS: &[(&str, Exception)] = &[
    ("Examples/leader_trace.pml", Exception::Unsound),
    ("chan_field_width", Exception::Merges(7)),
    ("chan_rendezvous_chain", Exception::Merges(18)),
    ("expr_associativity", Exception::Merges(15)),
    ("expr_nr_pr", Exception::Unsound),
    ("expr_pid", Exception::Merges(27)),
    ("expr_precedence", Exception::Merges(22)),
    ("expr_priority_var", Exception::Merges(9)),
    ("expr_run_value", Exception::Unsound),
    ("flow_for_label_array", Exception::Unsound),
    ("flow_for_label_nested", Exception::Unsound),
    ("flow_repeated_skips", Exception::Merges(65)),
    ("lax_record_init", Exception::Merges(6)),
    ("lex_numbers", Exception::Merges(7)),
    ("lex_strings", Exception::Merges(6)),
    ("misc_print_steps", Exception::Merges(7)),
    ("proc_pid_reuse", Exception::Merges(12)),
    ("proc_priority_atomic", Exception::Merges(12)),
    ("proc_record_parameter", Exception::Merges(44)),
    ("proc_run_order", Exception::Unsound),
    ("proc_wide", Exception::Merges(263)),
    ("proc_zombie", Exception::Merges(16)),
    ("red_late", Exception::Merges(10)),
    ("type_local_global", Exception::Merges(25)),
    ("type_mtype_sub", Exception::Merges(9)),
    ("type_mtype_two_lists", Exception::Merges(4)),
    ("type_scope_late_global", Exception::Merges(7)),
];

pub fn exception(model: &str) -> Option<&'static Exception> {
    EXCEPTIONS.iter().find(|(name, _)| *name == model).map(|(_, why)| why)
}

/// For each model that is excepted as [`Exception::Unsound`] a similar one, in which an ample set of Spin hides an
/// error: a `run`, whose pid depends on processes that have ended, the end of a process, which changes `_nr_pr`, a
/// send, whose order is visible to a trace, or a local step from a label that another process observes.
pub const UNSOUND: &[(&str, &str)] = &[
    (
        "for_label",
        "active proctype P() { byte i; i = 1; L: for (i : 1 .. 2) { skip } }
active proctype Q() { end: P@L; assert(false) }",
    ),
    (
        "leader_trace",
        "chan a = [1] of { byte };
chan b = [1] of { byte };
active proctype A() { xs a; a!1 }
active proctype B() { xs b; b!1 }
trace { do :: b!1; a!1 od }",
    ),
    (
        "expr_nr_pr",
        "bool done;
proctype C(byte left)
{
	if
	:: left == 2 -> run C(left - 1); assert(!done || _nr_pr != 4)
	:: left == 1 -> run C(left - 1)
	:: else -> done = true
	fi
}
init { run C(2); _nr_pr == 1 }",
    ),
    (
        "expr_run_value",
        "byte p, q;
proctype C() { true }
init { p = run C(); q = run C(); assert(p == 1); assert(q == 1) }",
    ),
    (
        "proc_run_order",
        "byte order;
proctype P(byte k) { order = order * 4 + k }
init { run P(1); run P(2); run P(3); assert(_nr_pr != 2 || order != 6) }",
    ),
];

/// The models of the language with a recorded figure for Spin's reduction.
pub fn recorded() -> Vec<(Row, Figures)> {
    let figures = |row: &Row| {
        let [states, transitions, errors] = row.figures?.map(|figure| figure as u64);
        Some(Figures { states, transitions, errors, depth: None })
    };
    expected::rows("por").into_iter().filter_map(|row| figures(&row).map(|figures| (row, figures))).collect()
}

/// The verifier of a row, simplified as Spin simplifies it.
pub fn member(row: &Row) -> Member {
    let has = |flags: &str, flag: &str| flags.split_whitespace().any(|word| word == flag);
    let escapes = if has(&row.pan_flags, "-J") { EscapeOrder::InnerFirst } else { EscapeOrder::OuterFirst };
    Member {
        name: row.model.clone(),
        path: expected::folder().join(format!("{}.pml", row.model)),
        options: Options { loses_messages: has(&row.spin_flags, "-m"), escapes, ..Options::default() },
    }
}

/// The flags of the verifier for a row.
pub fn flags(row: &Row) -> Vec<&'static str> {
    let flag = |flag: &str| match flag {
        "-q" => Some("--leftover-messages"),
        "-E" => Some("--no-deadlock"),
        "-A" => Some("--no-assert"),
        _ => None,
    };
    row.pan_flags.split_whitespace().filter_map(flag).collect()
}

/// A row, with the verifier of [`member`].
pub fn of_recorded(batch: &Batch, row: &Row, spin: Figures) -> Result<Savings, String> {
    let full = Stored::by(batch, &row.model, "none", &flags(row))?;
    Savings::of(batch, &row.model, &row.model, full, spin, &flags(row))
}
