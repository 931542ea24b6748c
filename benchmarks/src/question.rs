//! The questions, with their flags, and the rival of pmc in each: Spin's pan, or pmc itself with other flags.

/// One question, with the flags of each side.
#[derive(Debug)]
pub struct Question {
    pub name: &'static str,
    pub description: &'static str,
    /// Whether both must store the same states.
    pub same_states: bool,
    /// Whether pmc gets as much memory as its rival used.
    pub same_memory: bool,
    /// Whether the question is about the model's formula; models without one are left out.
    pub about_formula: bool,
    /// For `pmc verify`, before and behind the `--`.
    pub compile_flags: &'static [&'static str],
    pub verifier_flags: &'static [&'static str],
    pub rival: Rival,
    /// The measure of speed.
    pub clock: Clock,
    pub target: Option<Target>,
}

/// What pmc should reach beside its rival; the report names the models that miss it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// How many times as fast, in the geometric mean and at least.
    Speed { mean: f64, least: f64 },
    /// How many times as long an answer may take, at most.
    Time { most: f64 },
}

/// The rival of pmc.
#[derive(Debug)]
pub enum Rival {
    Pan {
        spin_flags: &'static [&'static str],
        cc_flags: &'static [&'static str],
        pan_flags: &'static [&'static str],
    },
    /// The same verifier with other flags, and its name in the table.
    Pmc {
        name: &'static str,
        verifier_flags: &'static [&'static str],
    },
}

impl Rival {
    pub fn name(&self) -> &'static str {
        match self {
            Rival::Pan { .. } => "pan",
            Rival::Pmc { name, .. } => name,
        }
    }
}

/// Processor time does not depend on the load of the machine, but adds up over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    Processor,
    Wall,
}

const WHOLE: &[&str] = &["-o1", "-o2", "-o3"];
const NOTHING: &[&str] = &[];

/// The whole state space, with further flags for pan's C compiler.
const fn pan(cc_flags: &'static [&'static str]) -> Rival {
    Rival::Pan { spin_flags: WHOLE, cc_flags, pan_flags: NOTHING }
}

/// Both visit every state for safety.
const EXACT: Question = Question {
    name: "exact",
    description: "every state, without reductions (pmc breadth-first, pan depth-first: the best of each)",
    same_states: true,
    same_memory: false,
    about_formula: false,
    compile_flags: &["-O0"],
    verifier_flags: &["--safety", "--no-reduction", "--threads", "1"],
    rival: pan(&["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"]),
    clock: Clock::Processor,
    target: Some(Target::Speed { mean: 4.0, least: 2.0 }),
};

/// Two threads beside one, by the clock on the wall.
const THREADS: Question = Question {
    name: "threads",
    description: "every state: pmc on two threads beside pmc on one, by the clock on the wall",
    verifier_flags: &["--safety", "--no-reduction", "--threads", "2"],
    rival: Rival::Pmc { name: "one thread", verifier_flags: EXACT.verifier_flags },
    clock: Clock::Wall,
    target: Some(Target::Speed { mean: 1.8, least: 1.5 }),
    ..EXACT
};

pub static QUESTIONS: &[Question] = &[
    EXACT,
    Question {
        name: "dfs",
        description: "the same, both depth-first",
        verifier_flags: &["--safety", "--no-reduction", "--search", "dfs"],
        target: None,
        ..EXACT
    },
    Question {
        name: "bfs",
        description: "the same, both breadth-first",
        // Inside atomic sequences and rendezvous pan's breadth-first search counts intermediate states.
        same_states: false,
        rival: pan(&["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DBFS"]),
        target: None,
        ..EXACT
    },
    Question {
        name: "default",
        description: "safety with all reductions that each tool has on by default, on one thread",
        same_states: false,
        compile_flags: NOTHING,
        verifier_flags: &["--safety", "--threads", "1"],
        rival: Rival::Pan { spin_flags: NOTHING, cc_flags: &["-DSAFETY", "-DNOCLAIM"], pan_flags: NOTHING },
        target: None,
        ..EXACT
    },
    Question {
        name: "ltl",
        description: "the formula of the model, without reductions",
        same_states: false,
        about_formula: true,
        verifier_flags: &["--no-reduction", "--threads", "1", "--ltl", "FORMULA"],
        rival: Rival::Pan { spin_flags: WHOLE, cc_flags: &["-DNOREDUCE"], pan_flags: &["-a"] },
        target: Some(Target::Speed { mean: 3.0, least: 1.0 }),
        ..EXACT
    },
    Question {
        name: "tree",
        description: "every state, in a lossless compressed store (pan: -DCOLLAPSE)",
        verifier_flags: &["--safety", "--no-reduction", "--threads", "1", "--store", "tree"],
        rival: pan(&["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DCOLLAPSE"]),
        target: None,
        ..EXACT
    },
    Question {
        name: "compact",
        description: "every state, in the smallest lossless store (pan: -DCOLLAPSE)",
        verifier_flags: &["--safety", "--no-reduction", "--threads", "1", "--store", "compact"],
        rival: pan(&["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DCOLLAPSE"]),
        target: Some(Target::Speed { mean: 3.0, least: 1.0 }),
        ..EXACT
    },
    Question {
        name: "hash-compact",
        description: "every state as a hash (pan: -DHC4)",
        same_states: false,
        verifier_flags: &["--safety", "--no-reduction", "--threads", "1", "--store", "hash-compact"],
        rival: pan(&["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DHC4"]),
        target: None,
        ..EXACT
    },
    Question {
        name: "bitstate",
        description: "three bits for each state, in the memory that pan takes in all (pan: -DBITSTATE)",
        same_states: false,
        same_memory: true,
        verifier_flags: &[
            "--safety",
            "--no-reduction",
            "--threads",
            "1",
            "--store",
            "bitstate=3",
            "--memory",
            "BITSTATE_BYTES",
        ],
        rival: pan(&["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DBITSTATE"]),
        target: None,
        ..EXACT
    },
    THREADS,
    Question {
        name: "threads-tree",
        description: "the same in a lossless compressed store",
        verifier_flags: &["--safety", "--no-reduction", "--store", "tree", "--threads", "2"],
        rival: Rival::Pmc {
            name: "one thread",
            verifier_flags: &["--safety", "--no-reduction", "--store", "tree", "--threads", "1"],
        },
        ..THREADS
    },
    Question {
        name: "threads-compact",
        description: "the same in the smallest lossless store",
        verifier_flags: &["--safety", "--no-reduction", "--store", "compact", "--threads", "2"],
        rival: Rival::Pmc {
            name: "one thread",
            verifier_flags: &["--safety", "--no-reduction", "--store", "compact", "--threads", "1"],
        },
        ..THREADS
    },
    Question {
        name: "threads-ltl",
        description: "the formula of the model, without reductions: two threads beside one, by the clock on the wall",
        same_states: false,
        about_formula: true,
        verifier_flags: &["--no-reduction", "--threads", "2", "--ltl", "FORMULA"],
        rival: Rival::Pmc {
            name: "one thread",
            verifier_flags: &["--no-reduction", "--threads", "1", "--ltl", "FORMULA"],
        },
        target: Some(Target::Speed { mean: 1.5, least: 1.0 }),
        ..THREADS
    },
    Question {
        name: "reduction",
        description: "safety: pmc with its reductions beside pmc without, on one thread",
        same_states: false,
        compile_flags: NOTHING,
        verifier_flags: &["--safety", "--threads", "1", "--reduction", "auto"],
        rival: Rival::Pmc { name: "unreduced", verifier_flags: EXACT.verifier_flags },
        target: Some(Target::Time { most: 1.05 }),
        ..EXACT
    },
    Question {
        name: "reduction-threads",
        description: "the same on two threads",
        same_states: false,
        compile_flags: NOTHING,
        verifier_flags: &["--safety", "--threads", "2", "--reduction", "auto"],
        rival: Rival::Pmc { name: "unreduced", verifier_flags: THREADS.verifier_flags },
        target: Some(Target::Time { most: 1.05 }),
        ..EXACT
    },
];
