//! A command line of `pmc verify` with flags of Spin in it: those that are clear become ours before clap reads them.

use std::ffi::{OsStr, OsString};

use clap::CommandFactory;
use pmc_runtime::cli::spin::{Taken, flag, names_claim, translated};

use super::Cli;
use crate::diagnostic::Lint;

/// Commands of a verifier, behind `--`, have flags of their own.
const OTHER_COMMANDS: [&str; 3] = ["simulate", "replay", "info"];

/// The arguments of the process in our words, and what to tell the user. The error is for a flag that there is not.
pub fn in_our_words(arguments: Vec<OsString>) -> Result<(Vec<OsString>, Vec<String>), String> {
    if let Some(model) = arguments.get(1).and_then(|word| word.to_str()).filter(|word| word.ends_with(".pml")) {
        return Err(format!("`{model}` is a model and no command; `pmc verify {model}` verifies it"));
    }
    if arguments.get(1).is_none_or(|command| command != "verify") {
        return Ok((arguments, Vec::new()));
    }
    let (own, behind) = match arguments.iter().position(|word| word == "--") {
        Some(dashes) => (&arguments[..dashes], &arguments[dashes + 1..]),
        None => (&arguments[..], &[][..]),
    };
    let has_values = Values::new();
    // What is no text is a file.
    let texts: Vec<&str> = own.iter().map(|word| word.to_str().unwrap_or("")).collect();
    let names_claim = names_claim(&texts);
    let (mut all, mut notes) = (own[..2].to_vec(), Vec::new());
    let mut at = 2;
    while at < own.len() {
        let next = texts.get(at + 1).copied();
        let taken = match is_ours(texts[at], next) {
            true => None,
            false => of_compile(texts[at]).or_else(|| flag(texts[at], next, names_claim)),
        };
        match taken.or_else(|| depth_apart(texts[at], next)).transpose()? {
            Some(taken) => {
                all.extend(taken.flags.iter().map(OsString::from));
                notes.push(taken.note);
                at += usize::from(taken.uses_next);
            }
            None => {
                all.push(own[at].clone());
                if has_values.follows(texts[at]) && at + 1 < own.len() {
                    at += 1;
                    all.push(own[at].clone());
                }
            }
        }
        at += 1;
    }
    if behind.len() < arguments.len() - own.len() {
        all.push("--".into());
        let texts: Option<Vec<String>> = behind.iter().map(|word| word.to_str().map(str::to_owned)).collect();
        match texts.filter(|texts| !texts.first().is_some_and(|first| OTHER_COMMANDS.contains(&first.as_str()))) {
            Some(texts) => {
                let (words, further) = translated(&texts)?;
                all.extend(words.into_iter().map(OsString::from));
                notes.extend(further);
            }
            None => all.extend_from_slice(behind),
        }
    }
    Ok((all, notes))
}

/// Flags of Spin that look like flags of ours, but where ours are meant.
fn is_ours(word: &str, next: Option<&str>) -> bool {
    match word {
        // `-A LINT`; pan's stands alone.
        "-A" => next.is_some_and(|next| Lint::from_name(next).is_some() || is_near_a_lint(next)),
        "-O0" | "-O1" | "-J" | "-I" | "-h" => true,
        _ => false,
    }
}

/// A misspelt lint is answered by the nearest, so it must not be taken for a model.
fn is_near_a_lint(word: &str) -> bool {
    let is_file = word.starts_with('-') || word.contains(['.', '/', '\\']);
    !is_file
}

/// `-m 10000` for `-m10000`: pan has no other, and our `-m` is followed by a model.
fn depth_apart(word: &str, next: Option<&str>) -> Option<Result<Taken, String>> {
    let is_number = |text: &&str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let depth = next.filter(is_number).filter(|_| word == "-m")?;
    let taken = flag(&format!("-m{depth}"), None, false)?;
    Some(taken.map(|taken| Taken { uses_next: true, ..taken }))
}

/// Flags of `spin -a` that switch simplifications off.
fn of_compile(word: &str) -> Option<Result<Taken, String>> {
    let parts: &[&str] = match word {
        "-o1" => &["no-dead", "no-constants"],
        "-o2" => &["no-unread"],
        "-o3" => &["no-merge"],
        _ => return None,
    };
    let flags: Vec<String> = parts.iter().flat_map(|part| ["-O".to_owned(), (*part).to_owned()]).collect();
    let note = format!("`{word}` is taken for `{}`", flags.join(" "));
    Some(Ok(Taken { flags, note, uses_next: false }))
}

/// Which flags of `pmc verify` have a value that may be the next word.
struct Values(Vec<String>);

impl Values {
    fn new() -> Self {
        let command = Cli::command();
        let verify = command.find_subcommand("verify");
        let arguments = verify.into_iter().flat_map(clap::Command::get_arguments);
        let takes = |argument: &&clap::Arg| argument.get_action().takes_values() && !argument.is_require_equals_set();
        let names = arguments.filter(takes).flat_map(|argument| {
            let short = argument.get_short().map(|short| format!("-{short}"));
            short.into_iter().chain(argument.get_long().map(|long| format!("--{long}")))
        });
        Self(names.collect())
    }

    fn follows(&self, word: impl AsRef<OsStr>) -> bool {
        word.as_ref().to_str().is_some_and(|word| self.0.iter().any(|name| name == word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<String, String> {
        let (words, _) = in_our_words(line.split(' ').map(OsString::from).collect())?;
        let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        Ok(words.join(" "))
    }

    #[test]
    fn flags_of_spin_become_ours_before_and_behind_the_dashes() {
        for (line, expected) in [
            ("pmc verify -a m.pml", "pmc verify --everything --acceptance m.pml"),
            ("pmc verify -m10000 -w24 m.pml", "pmc verify --max-depth 10000 m.pml"),
            ("pmc verify -m 10000 m.pml", "pmc verify --max-depth 10000 m.pml"),
            ("pmc verify -o1 -o3 m.pml", "pmc verify -O no-dead -O no-constants -O no-merge m.pml"),
            ("pmc verify -A -E m.pml", "pmc verify --no-assert --no-deadlock m.pml"),
            ("pmc verify m.pml -- -E -DNOREDUCE", "pmc verify m.pml -- --no-deadlock --no-reduction"),
            ("pmc verify -run -search -ltl p -a m.pml", "pmc verify --ltl p m.pml"),
            ("pmc verify -O2 m.pml", "pmc verify m.pml"),
        ] {
            assert_eq!(words(line).as_deref(), Ok(expected), "{line}");
        }
    }

    #[test]
    fn what_is_ours_stays() {
        for line in [
            "pmc verify -m m.pml",
            "pmc verify -A unused-variable m.pml",
            "pmc verify -A unused-varible m.pml",
            "pmc verify -DNOREDUCE -D BITSTATE m.pml",
            "pmc verify -I -a m.pml",
            "pmc verify --trail -a m.pml",
            "pmc verify -O0 -J m.pml",
            "pmc verify m.pml -- replay -g -s",
            "pmc simulate -i -s m.pml",
            "pmc verify m.pml --",
        ] {
            assert_eq!(words(line).as_deref(), Ok(line));
        }
    }

    #[test]
    fn what_is_not_there_is_answered() {
        assert!(words("pmc verify -c3 m.pml").unwrap_err().contains("`--all-errors`"));
        assert!(words("pmc verify -r m.pml").unwrap_err().contains("pmc replay"));
        assert!(words("pmc verify m.pml -- -d").unwrap_err().contains("pmc explain"));
        for (flag, what) in [
            ("-t", "pmc replay"),
            ("-t3", "pmc replay"),
            ("-p", "pmc replay"),
            ("-j100", "--all"),
            ("-M", "--svg"),
            ("-u100", "--steps"),
            ("-n7", "--seed"),
            ("-x", "--trail"),
            ("-pp", "pmc expand"),
            ("-F f.ltl", "--claims"),
            ("-V", "--version"),
        ] {
            let said = words(&format!("pmc verify {flag} m.pml")).expect_err(flag);
            assert!(said.contains(what), "{flag}: {said}");
        }
    }
}
