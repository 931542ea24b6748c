//! Every flag of a verifier, once, with its help.

/// A flag as it is written, what follows it, and what it does. One that takes several kinds of values has several rows.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// With its two dashes.
    pub name: &'static str,
    /// How the value is called in the help, if it takes one. In brackets, `[NAME]`, if it can be left out.
    pub value: Option<&'static str>,
    /// What it does, as part of a sentence.
    pub help: &'static str,
}

impl Flag {
    /// Whether the value can be left out.
    pub fn is_value_optional(&self) -> bool {
        self.value.is_some_and(|value| value.starts_with('['))
    }
}

/// Flags about one subject.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// The heading of the list.
    pub title: &'static str,
    /// The rows of the list.
    pub flags: &'static [Flag],
}

const fn flag(name: &'static str, help: &'static str) -> Flag {
    Flag { name, value: None, help }
}

const fn valued(name: &'static str, value: &'static str, help: &'static str) -> Flag {
    Flag { name, value: Some(value), help }
}

const SOURCE_FOLDER: Flag =
    valued("--source-folder", "DIR", "the folder of the model as seen from here, which locations begin with");

/// The flags of a check.
pub const CHECK: &[Section] = &[
    Section {
        title: "What to check (by default safety and every claim of the model; these can be combined)",
        flags: &[
            flag("--everything", "safety and every claim, beside what else is asked for"),
            flag("--safety", "assertions, end states and faults"),
            valued("--ltl", "NAME", "the formula of this name"),
            valued("--never", "[NAME]", "the never claim of this name, or every one"),
            flag("--trace", "the trace or notrace assertion"),
            flag("--acceptance", "that no run passes accept labels again and again"),
            flag("--non-progress", "that no run goes on forever without passing progress labels"),
            flag("--zeno", "that no run of a model with timers goes on forever while time stands still"),
            valued("--towards", "LABEL|FILE:LINE", "that no process arrives there; a run that leads there is shown"),
            valued("--goal", "LABEL|FILE:LINE", "the same as --towards"),
        ],
    },
    Section {
        title: "What counts",
        flags: &[
            flag("--fair", "weak fairness: ignore infinite runs in which a process that stays enabled never moves"),
            flag("--time-passes", "ignore infinite runs of a model with timers in which time stands still in the end"),
            flag("--no-deadlock", "do not report invalid end states"),
            flag("--no-assert", "do not report violated assertions"),
            flag("--leftover-messages", "report end states in which a channel still holds a message"),
        ],
    },
    Section {
        title: "How to search",
        flags: &[
            valued(
                "--search",
                "auto|bfs|dfs",
                "for safety: auto (the default) is bfs with a depth-first probe beside it",
            ),
            valued(
                "--search",
                "guided|a-star",
                "for safety: near to an assertion, or to --towards, first; a-star: a shortest run",
            ),
            valued("--search", "nested|scc", "for cycles: nested depth-first search, or strongly connected components"),
            valued("--seed", "N", "the seed of the random walks of the probe (default: 1)"),
            flag("--shortest", "make sure that counterexamples are as short as possible"),
            flag("--all-errors", "go on after a violation and count all of them"),
            valued(
                "--reduction",
                "HOW",
                "leave out interleavings: auto (the default), ample, cluster, stubborn or none",
            ),
            flag("--no-reduction", "the same as --reduction none: explore every interleaving"),
            valued(
                "--proviso",
                "visited|prompt|static",
                "the cycle proviso, which keeps a step from being ignored forever; prompt is Spin's",
            ),
            flag("--assume-stutter-closed", "treat all never claims as stutter-closed, and reduce for them"),
            valued(
                "--symmetry",
                "off|exact",
                "explore one state of all that differ by an exchange of interchangeable processes (default: off)",
            ),
            valued(
                "--symmetry",
                "sort|full",
                "the same by sorting alone, which leaves more states, or by trying all permutations",
            ),
            valued("--threads", "N", "threads of the search (default: the number of cores)"),
        ],
    },
    Section {
        title: "How to keep the states that were visited",
        flags: &[
            valued("--store", "HOW", "auto (the default) chooses among the next three, which miss nothing:"),
            valued("--store", "exact", "every state as it is: the fastest"),
            valued("--store", "tree", "as trees that share their parts: about 12 bytes a state"),
            valued("--store", "compact", "the same in about half of that, somewhat slower"),
            valued("--store", "hash-compact[=BITS]", "a signature of each state, of 4 to 64 bits: may miss states"),
            valued("--store", "bitstate[=K]", "K bits set in a large array, which is never full: may miss states"),
            valued("--expect-states", "N", "how many states there are, as far as you know: stores choose their sizes"),
        ],
    },
    Section {
        title: "Limits (a search that meets one exits with 3 and never claims a proof)",
        flags: &[
            valued("--memory", "SIZE", "for states and stacks together, such as 500M or 4G (default: what is free)"),
            valued("--max-states", "N", "stop after N states"),
            valued("--max-depth", "N", "do not follow runs beyond N steps"),
            valued("--max-time", "TIME", "such as 30s, 10m or 2h"),
        ],
    },
    Section {
        title: "Output",
        flags: &[
            valued("--format", "FORMAT", "human (the default), json, junit, sarif, or pan for scripts made for Spin"),
            valued("--also", "FORMAT=FILE", "write a second report, in this format, to this file"),
            valued("--trail", "FILE", "where to write the counterexample (default: the model's name, .trail.json)"),
            valued("--replay-command", "TEXT", "the command that replays a trail, which reports of long runs name"),
            valued("--parameters", "TEXT", "the numbers in the model that advice may name, such as `N=3`"),
            SOURCE_FOLDER,
            valued(
                "--color",
                "auto|always|never",
                "colours in the report (default: auto, on a terminal; see NO_COLOR)",
            ),
            flag("--unreached", "list the statements that no run took"),
            flag("--quiet", "print the verdict only in the exit code, and violations"),
            flag("--no-progress", "no live line while searching"),
        ],
    },
];

pub(super) const SHOW: &[Flag] = &[
    flag("-p", "show every step (the default unless -s or -r is given)"),
    flag("-g", "show the global variables that change"),
    flag("-l", "show the local variables that change"),
    flag("-s", "show steps that send"),
    flag("-r", "show steps that receive"),
    SOURCE_FOLDER,
];

pub(super) const REPLAY: &[Flag] =
    &[flag("--all", "show every step of a long run, not only the first and the last ones")];

pub(super) const SIMULATE: &[Flag] = &[
    valued("--seed", "N", "the same seed gives the same run (default: 1)"),
    valued("--steps", "N", "stop after N steps (default: 10000)"),
    flag("--interactive", "choose each step from a list"),
    valued("--trail", "FILE", "write the run as a trail"),
];

/// The help of a verifier.
pub(crate) fn help(model: &str) -> String {
    let mut text = format!(
        "Verifies {model}, the one model that this program was made from.

usage: [FLAGS]                  check the model
       simulate [FLAGS]         run it once, at random or step by step
       replay [TRAIL] [FLAGS]   show a counterexample step by step
       info                     what this program knows about its model
"
    );
    for section in CHECK {
        text += &format!("\n{}:\n", section.title);
        list(&mut text, section.flags);
    }
    text += "\nsimulate:\n";
    list(&mut text, SIMULATE);
    text += "\nreplay:\n";
    list(&mut text, REPLAY);
    text += "\nsimulate and replay:\n";
    list(&mut text, SHOW);
    text += "
Exit code: 0 every property holds; 1 a violation was found (also by replay and simulate);
2 the command line, the trail or the model is wrong; 3 the search is incomplete and found nothing wrong.
";
    text
}

fn list(text: &mut String, flags: &[Flag]) {
    for flag in flags {
        let name = flag.value.map_or_else(|| flag.name.to_owned(), |value| format!("{} {value}", flag.name));
        *text += &format!("  {name:22} {}\n", flag.help);
    }
}
