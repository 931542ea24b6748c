//! Spin's verdicts on infinite runs, and where they are wrong.

use crate::expected::{self, Row};

/// A row in which differing from Spin is right.
pub struct Exception {
    pub model: &'static str,
    pub modes: &'static [&'static str],
    pub claim: &'static str,
    /// The right verdict.
    pub violated: bool,
    /// Why Spin's verdict is another one.
    pub why: &'static str,
}

const BOTH: &[&str] = &["acc", "accfair"];

const EXCEPTIONS: &[Exception] = &[
    Exception {
        model: "expr_np_no_accept",
        modes: BOTH,
        claim: "",
        violated: true,
        why: "Without accept labels pan ignores -a, and then does not keep track of progress labels for np_.",
    },
    Exception {
        model: "live_ltl_accept_in_model",
        modes: BOTH,
        claim: "",
        violated: false,
        why: "pan reports the accept label of a process as if the formula were violated. The formula holds on every \
              run; that there is an acceptance cycle is the answer to another question.",
    },
    Exception {
        model: "live_never_timeout",
        modes: BOTH,
        claim: "",
        violated: true,
        why: "Nobody can move, so timeout is true; pan computes it only if a process asks for it.",
    },
    Exception {
        model: "proc_nr_pr_claim",
        modes: BOTH,
        claim: "",
        violated: false,
        why: "pan counts the claim as a process, and so an assertion of the model fails; the claim itself never ends.",
    },
    Exception {
        model: "live_fair_last_writer",
        modes: &["accfair"],
        claim: "",
        violated: true,
        why: "P, then Q, then both end: every process has taken all its steps and is owed no more, so the run is fair, \
              and n stays 2 for ever. pan's copies for fairness do not follow a run of which nobody is left.",
    },
    Exception {
        model: "live_fair_order",
        modes: &["npfair"],
        claim: "",
        violated: true,
        why: "P waits for ever and Q goes round by its second option, which is fair and makes no progress; pan finds \
              the cycle when the options stand the other way round (live_fair_order_back).",
    },
    Exception {
        model: "live_ltl_fair_termination",
        modes: &["accfair"],
        claim: "",
        violated: true,
        why: "The only run ends with x == 0, which then stays: the same loss of finite runs under fairness.",
    },
    Exception {
        model: "live_ltl_define",
        modes: &["accfair"],
        claim: "f3",
        violated: true,
        why: "The only run ends with an empty channel: the same loss of finite runs under fairness.",
    },
];

/// Rows that Spin cannot run, and the right verdicts.
pub const UNKNOWN_TO_SPIN: &[(&str, bool)] = &[("live_ltl_next", false)];

pub fn has_flag(row: &Row, flag: &str) -> bool {
    row.pan_flags.split_whitespace().any(|word| word == flag)
}

/// The claim that a row names, or the only one; nothing if the model has none.
pub fn claim_of(row: &Row) -> Option<String> {
    let mut words = row.pan_flags.split_whitespace().skip_while(|word| *word != "-N");
    words.nth(1).map(str::to_owned)
}

pub fn exception(row: &Row) -> Option<&'static Exception> {
    let claim = claim_of(row).unwrap_or_default();
    EXCEPTIONS.iter().find(|it| it.model == row.model && it.modes.contains(&&*row.mode) && it.claim == claim)
}

/// Spin's verdict, or why it is not known.
pub fn spin_says(row: &Row) -> Option<bool> {
    row.figures.map(|[_, _, errors]| errors > 0)
}

pub fn liveness_rows() -> Vec<Row> {
    ["acc", "accfair", "np", "npfair"].into_iter().flat_map(expected::rows).collect()
}

/// Whether the property of a row is violated; nothing if that is not known.
pub fn right_answer(row: &Row) -> Option<bool> {
    let unknown = UNKNOWN_TO_SPIN.iter().find(|(model, _)| *model == row.model).map(|(_, violated)| *violated);
    exception(row).map(|exception| exception.violated).or(unknown).or(spin_says(row))
}
