//! What both tools are asked, and with which flags.

/// One question, as each tool wants to hear it.
#[derive(Debug)]
pub struct Question {
    pub name: &'static str,
    pub description: &'static str,
    /// Whether both must store the same states.
    pub same_states: bool,
    /// Whether the question is about the model's formula; models without one are left out.
    pub about_formula: bool,
    /// For `pmc verify`, before and behind the `--`.
    pub compile_flags: &'static [&'static str],
    pub verifier_flags: &'static [&'static str],
    pub spin_flags: &'static [&'static str],
    pub cc_flags: &'static [&'static str],
    pub pan_flags: &'static [&'static str],
}

const WHOLE: &[&str] = &["-o1", "-o2", "-o3"];

pub static QUESTIONS: &[Question] = &[
    Question {
        name: "exact",
        description: "every state, without reductions (pmc breadth-first, pan depth-first: the best of each)",
        same_states: true,
        about_formula: false,
        compile_flags: &["-O0"],
        verifier_flags: &["--safety", "--no-reduction", "--search", "bfs"],
        spin_flags: WHOLE,
        cc_flags: &["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"],
        pan_flags: &[],
    },
    Question {
        name: "dfs",
        description: "the same, both depth-first",
        same_states: true,
        about_formula: false,
        compile_flags: &["-O0"],
        verifier_flags: &["--safety", "--no-reduction", "--search", "dfs"],
        spin_flags: WHOLE,
        cc_flags: &["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"],
        pan_flags: &[],
    },
    Question {
        name: "bfs",
        description: "the same, both breadth-first",
        same_states: true,
        about_formula: false,
        compile_flags: &["-O0"],
        verifier_flags: &["--safety", "--no-reduction", "--search", "bfs"],
        spin_flags: WHOLE,
        cc_flags: &["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DBFS"],
        pan_flags: &[],
    },
    Question {
        name: "default",
        description: "safety with all reductions that each tool has on by default",
        same_states: false,
        about_formula: false,
        compile_flags: &[],
        verifier_flags: &["--safety"],
        spin_flags: &[],
        cc_flags: &["-DSAFETY", "-DNOCLAIM"],
        pan_flags: &[],
    },
    Question {
        name: "ltl",
        description: "the formula of the model, without reductions",
        same_states: false,
        about_formula: true,
        compile_flags: &["-O0"],
        verifier_flags: &["--no-reduction", "--ltl", "FORMULA"],
        spin_flags: WHOLE,
        cc_flags: &["-DNOREDUCE"],
        pan_flags: &["-a"],
    },
    Question {
        name: "collapse",
        description: "every state, in a lossless compressed store",
        same_states: true,
        about_formula: false,
        compile_flags: &["-O0"],
        verifier_flags: &["--safety", "--no-reduction", "--store", "tree"],
        spin_flags: WHOLE,
        cc_flags: &["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DCOLLAPSE"],
        pan_flags: &[],
    },
    Question {
        name: "hash-compact",
        description: "every state as a hash",
        same_states: false,
        about_formula: false,
        compile_flags: &["-O0"],
        verifier_flags: &["--safety", "--no-reduction", "--store", "hash-compact"],
        spin_flags: WHOLE,
        cc_flags: &["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DHC4"],
        pan_flags: &[],
    },
    Question {
        name: "bitstate",
        description: "a few bits for each state",
        same_states: false,
        about_formula: false,
        compile_flags: &["-O0"],
        verifier_flags: &["--safety", "--no-reduction", "--store", "bitstate"],
        spin_flags: WHOLE,
        cc_flags: &["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DBITSTATE"],
        pan_flags: &[],
    },
];
