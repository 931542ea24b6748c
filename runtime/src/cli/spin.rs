//! The flags of Spin and of its verifiers, `pan`, for people whose fingers know them.
//!
//! One whose meaning is clear is taken for ours, with a note. Any other that we know is answered by what there is instead.

use super::flags::CHECK;

/// What a flag of Spin is here.
#[derive(Clone, Copy, Debug)]
enum Here {
    /// These flags. `#` stands for the number, or the name, that follows Spin's.
    Is(&'static [&'static str]),
    /// Nothing need be said, for this reason.
    Default(&'static str),
    /// It does not exist, but this does.
    Instead(&'static str),
}

use Here::{Default, Instead, Is};

const STEPS: Here = Instead("`pmc replay MODEL` shows a counterexample step by step");
const PICTURES: Here = Instead("`--svg FILE` and `--html FILE` draw the messages of a run");
const LISTINGS: Here = Instead("`pmc simulate MODEL` prints what `-p`, `-g`, `-l`, `-s` and `-r` ask for");
const ORDERS: Here = Instead("the order of a search is fixed; `--seed N` chooses the random walks beside it");

/// A name that ends with `#` is followed by a number, one that ends with `@` by a name, with or without a space.
const FLAGS: &[(&str, Here)] = &[
    ("-a", Is(&["--everything", "--acceptance"])),
    ("-f", Is(&["--fair"])),
    ("-l", Is(&["--safety", "--non-progress"])),
    ("-m#", Is(&["--max-depth", "#"])),
    ("-w#", Default("tables grow as they fill; `--expect-states N` says how large they will be")),
    ("-e", Is(&["--all-errors"])),
    ("-c0", Is(&["--all-errors"])),
    ("-c1", Default("a search stops at its first violation")),
    ("-c#", Instead("a search stops at its first violation, or with `--all-errors` goes on to its end")),
    ("-E", Is(&["--no-deadlock"])),
    ("-A", Is(&["--no-assert"])),
    ("-q", Is(&["--leftover-messages"])),
    ("-i", Is(&["--shortest"])),
    ("-I", Is(&["--shortest"])),
    ("-n", Default("statements that no run took are listed only with `--unreached`")),
    ("-b", Default("a search that meets `--max-depth` is incomplete, and exits with 3")),
    ("-h#", Default("there is one hash function")),
    ("-s", Is(&["--store", "bitstate=1"])),
    ("-k#", Is(&["--store", "bitstate=#"])),
    ("-M#", Is(&["--memory", "#M"])),
    ("-G#", Is(&["--memory", "#G"])),
    ("-Q#", Is(&["--max-time", "#m"])),
    ("-N@", Is(&["--ltl", "#"])),
    ("-ltl@", Is(&["--ltl", "#"])),
    ("-RS#", Is(&["--seed", "#"])),
    ("-t", STEPS),
    ("-t#", STEPS),
    ("-replay", STEPS),
    ("-p", STEPS),
    ("-r", STEPS),
    ("-C", STEPS),
    ("-P", STEPS),
    ("-g", STEPS),
    ("-S", STEPS),
    ("-d", Instead("`pmc explain --exec MODEL` and `pmc graph MODEL` show the transitions")),
    ("-j#", Instead("`pmc replay MODEL` shows both ends of a long run, and with `--all` every step")),
    ("-c", PICTURES),
    ("-M", PICTURES),
    ("-n#", Instead("`pmc simulate --seed N MODEL` chooses a run")),
    ("-u#", Instead("`pmc simulate --steps N MODEL` ends a run after so many steps")),
    ("-B", LISTINGS),
    ("-T", LISTINGS),
    ("-x", Instead("`--trail FILE` says where a counterexample goes")),
    ("-pp", Instead("`pmc expand MODEL` prints a model in one style")),
    ("-F@", Instead("`--claims FILE` reads formulas from a file")),
    ("-v", Instead("`pmc --version` prints the version")),
    ("-V", Instead("`pmc --version` prints the version")),
    ("-J", Instead("it is decided when a verifier is made: `pmc verify -J MODEL`")),
    ("-o#", Instead("it is decided when a verifier is made: `pmc verify -O0 MODEL` switches simplifications off")),
    ("-O#", Default("verifiers are always optimised")),
    ("-run", Default("a verification runs anyway")),
    ("-search", Default("a verification searches anyway")),
    ("-safety", Default("each property gets the search that it needs; `--safety` leaves claims aside")),
    ("-noclaim", Is(&["--safety"])),
    ("-noreduce", Is(&["--no-reduction"])),
    ("-bfs", Is(&["--search", "bfs"])),
    ("-bfspar", Is(&["--search", "bfs"])),
    ("-dfspar", Instead("`--search bfs --threads N` has several threads")),
    ("-bitstate", Is(&["--store", "bitstate"])),
    ("-biterate", Instead("`--store bitstate --memory SIZE` is one search, with all the memory at once")),
    ("-swarm", Instead("`--store bitstate --memory SIZE` is one search, with all the memory at once")),
    ("-collapse", Is(&["--store", "tree"])),
    ("-hc", Is(&["--store", "hash-compact"])),
    ("-bcs", Instead("there is no bound on context switches; `--max-depth N` bounds the length of runs")),
    ("-link", Instead("a model with C code cannot be verified")),
    ("-p_permute", ORDERS),
    ("-p_reverse", ORDERS),
    ("-p_rotate#", ORDERS),
    ("-rhash", ORDERS),
];

/// Macros that choose what `pan` is compiled for.
const MACROS: &[(&str, Here)] = &[
    ("NOREDUCE", Is(&["--no-reduction"])),
    ("BFS", Is(&["--search", "bfs"])),
    ("BFS_PAR", Is(&["--search", "bfs"])),
    ("BITSTATE", Is(&["--store", "bitstate"])),
    ("COLLAPSE", Is(&["--store", "tree"])),
    ("MA=#", Is(&["--store", "compact"])),
    ("SPACE", Is(&["--store", "compact"])),
    ("HC", Is(&["--store", "hash-compact"])),
    ("HC#", Is(&["--store", "hash-compact"])),
    ("SAFETY", Default("each property gets the search that it needs; `--safety` leaves claims aside")),
    ("NOCLAIM", Is(&["--safety"])),
    ("NP", Is(&["--safety", "--non-progress"])),
    ("NOFAIR", Default("fairness is looked at only with `--fair`")),
    ("MEMLIM=#", Is(&["--memory", "#M"])),
    ("MEMCNT=#", Instead("`--memory SIZE` limits the memory, such as `--memory 4G`")),
    ("VECTORSZ=#", Default("a state may have any size")),
    ("REACH", Default("a search that meets `--max-depth` is incomplete, and exits with 3")),
    ("NXT", Default("formulas may have `X`")),
    ("NOBOUNDCHECK", Default("indices are always checked")),
    ("NCORE=#", Is(&["--threads", "#"])),
    ("BCS", Instead("there is no bound on context switches; `--max-depth N` bounds the length of runs")),
    ("P_RAND", ORDERS),
    ("T_RAND", ORDERS),
    ("P_REVERSE", ORDERS),
    ("T_REVERSE", ORDERS),
    ("RANDSTORE", ORDERS),
];

/// A flag of Spin in our words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Our flags; none if nothing need be said.
    pub flags: Vec<String>,
    /// The sentence that tells the user.
    pub note: String,
    /// Whether the next word belongs to it.
    pub uses_next: bool,
}

/// What a word of a command line means if it is a flag of Spin. The error says what there is in its place. Flags that we
/// have too are ours.
///
/// `pan -a` is about all claims and accept labels, unless another word names a claim.
pub fn flag(word: &str, next: Option<&str>, names_claim: bool) -> Option<Result<Taken, String>> {
    if word == "-a" && names_claim {
        return Some(Default("infinite runs are part of every claim").taken(word, ""));
    }
    let (here, value, uses_next) = FLAGS.iter().find_map(|(name, here)| {
        if let Some(name) = name.strip_suffix('@') {
            let rest = word.strip_prefix(name)?;
            return match next.filter(|next| rest.is_empty() && !next.starts_with('-')) {
                Some(next) => Some((*here, next, true)),
                // `-Nserved`, but not `-ltlserved`.
                None => {
                    (name.len() == 2 && rest.starts_with(|c: char| c.is_alphabetic())).then_some((*here, rest, false))
                }
            };
        }
        Some((*here, numbered(name, word)?, false))
    })?;
    let shown = if uses_next { format!("{word} {value}") } else { word.to_owned() };
    Some(here.taken(&shown, value).map(|taken| Taken { uses_next, ..taken }))
}

/// The same for the text behind `-D`.
pub fn macro_of_pan(definition: &str) -> Option<Result<Taken, String>> {
    let mut known = MACROS.iter();
    let (here, value) = known.find_map(|(name, here)| Some((*here, numbered(name, definition)?)))?;
    Some(here.taken(&format!("-D{definition}"), value))
}

/// What follows a name, if the word has that name: a number where the name asks for one.
fn numbered<'w>(name: &str, word: &'w str) -> Option<&'w str> {
    match name.strip_suffix('#') {
        Some(name) => word.strip_prefix(name).filter(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit())),
        None => (word == name).then_some(""),
    }
}

impl Here {
    fn taken(self, shown: &str, value: &str) -> Result<Taken, String> {
        let (flags, note) = match self {
            Is(flags) => {
                let flags: Vec<String> = flags.iter().map(|flag| flag.replace('#', value)).collect();
                let note = format!("`{shown}` is taken for `{}`", flags.join(" "));
                (flags, note)
            }
            Default(reason) => (Vec::new(), format!("`{shown}` is not needed: {reason}")),
            Instead(advice) => return Err(format!("`{shown}` is a flag of Spin that is not known here: {advice}")),
        };
        Ok(Taken { flags, note, uses_next: false })
    }
}

/// The words of a verifier's command line with those of Spin in ours, and the notes about them.
pub fn translated(words: &[String]) -> Result<(Vec<String>, Vec<String>), String> {
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    let names_claim = names_claim(words);
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        let next = rest.peek().map(|next| next.as_str());
        let taken = match word.strip_prefix("-D") {
            Some(definition) => macro_of_pan(definition),
            None => flag(word, next, names_claim),
        };
        match taken.transpose()? {
            Some(taken) => {
                all.extend(taken.flags);
                notes.push(taken.note);
                if taken.uses_next {
                    rest.next();
                }
            }
            None => {
                all.push(word.clone());
                // The value of a flag is no flag.
                if takes_next(word) {
                    all.extend(rest.next().cloned());
                }
            }
        }
    }
    Ok((all, notes))
}

/// Whether a word is a flag of ours whose value follows as a word of its own.
fn takes_next(word: &str) -> bool {
    let mut flags = CHECK.iter().flat_map(|section| section.flags);
    flags.any(|flag| flag.name == word && flag.value.is_some() && !flag.is_value_optional())
}

/// Whether one of these words says which claim is meant.
pub fn names_claim<S: AsRef<str>>(words: &[S]) -> bool {
    let is_one = |word: &str| {
        let is_ours = ["--ltl", "--never"].contains(&word.split('=').next().unwrap_or(word));
        is_ours || word.starts_with("-N") || word == "-ltl"
    };
    words.iter().any(|word| is_one(word.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<(String, usize), String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        translated(&words).map(|(words, notes)| (words.join(" "), notes.len()))
    }

    #[test]
    fn a_clear_flag_of_spin_is_taken_for_ours() {
        let is =
            |line: &str, expected: &str, notes| assert_eq!(words(line), Ok((expected.to_owned(), notes)), "{line}");
        is("-a -f -m10000 -w24 -n", "--everything --acceptance --fair --max-depth 10000", 5);
        is("-a -N served", "--ltl served", 2);
        is("-Nserved -E -A -e", "--ltl served --no-deadlock --no-assert --all-errors", 4);
        is("-ltl served -c0", "--ltl served --all-errors", 2);
        is("-DNOREDUCE -DMEMLIM=512 -DSAFETY -DCOLLAPSE", "--no-reduction --memory 512M --store tree", 4);
        is("-k3 -Q5 -run -bfs", "--store bitstate=3 --max-time 5m --search bfs", 4);
        // A value is no flag, whatever it looks like.
        is("--trail -a --search dfs", "--trail -a --search dfs", 0);
        is("--safety -a", "--safety --everything --acceptance", 1);
    }

    #[test]
    fn what_there_is_not_is_answered_by_what_there_is() {
        for line in ["-d", "-r", "-c3", "-o2", "-DMEMCNT=30", "-bcs", "-p_rotate4"] {
            let error = words(line).unwrap_err();
            assert!(error.starts_with(&format!("`{line}` is a flag of Spin")) && error.contains(": "), "{error}");
        }
        // Neither Spin's nor ours: the parser complains.
        for line in ["-m", "-mx", "-zz", "-DOTHER", "-N", "-ltl"] {
            assert_eq!(words(line), Ok((line.to_owned(), 0)));
        }
    }

    /// What Spin's flags become is known to the parser, whatever the number.
    #[test]
    fn our_side_of_the_table_exists() {
        for (name, here) in FLAGS.iter().chain(MACROS) {
            if let Is(flags) = here {
                let flags: Vec<String> = flags.iter().map(|flag| flag.replace('#', "2")).collect();
                assert_eq!(super::super::mistake(&flags), None, "{name}");
            }
        }
    }
}
