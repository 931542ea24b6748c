//! The flags of a verifier as flags of `pmc verify`. The table in the runtime is the only place that says what they are.

use std::ffi::{OsStr, OsString};

use clap::builder::{PossibleValue, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use pmc_runtime::cli::{CHECK, Flag, choices};

/// Flags that `pmc verify` defines itself, with types of its own.
const OWN: [&str; 3] = ["--format", "--ltl", "--color"];

/// What was given of them, as words for a verifier, in the order of the command line.
#[derive(Clone, Debug, Default)]
pub struct VerifierFlags {
    pub words: Vec<OsString>,
}

impl Args for VerifierFlags {
    fn augment_args(command: Command) -> Command {
        let flags = CHECK.iter().flat_map(|section| section.flags.iter().map(|flag| (section.title, flag)));
        let mut known: Vec<&str> = OWN.to_vec();
        flags.fold(command, |command, (title, flag)| {
            if known.contains(&flag.name) {
                return command;
            }
            known.push(flag.name);
            command.arg(argument(flag.name, title))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for VerifierFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given: Vec<(usize, OsString)> = Vec::new();
        let mut names: Vec<&str> = CHECK.iter().flat_map(|section| section.flags).map(|flag| flag.name).collect();
        names.dedup();
        names.retain(|name| !OWN.contains(name) && matches.value_source(name) == Some(ValueSource::CommandLine));
        for name in names {
            let places = matches.indices_of(name).into_iter().flatten();
            if takes_value(name) {
                let values = matches.get_many::<OsString>(name).into_iter().flatten();
                given.extend(places.zip(values).map(|(place, value)| (place, word(name, value))));
            } else {
                given.extend(places.take(1).map(|place| (place, name.into())));
            }
        }
        given.sort();
        Ok(Self { words: given.into_iter().map(|(_, word)| word).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn word(name: &str, value: &OsStr) -> OsString {
    let mut word = OsString::from(name);
    if !value.is_empty() {
        word.push("=");
        word.push(value);
    }
    word
}

fn rows(name: &'static str) -> impl Iterator<Item = &'static Flag> {
    CHECK.iter().flat_map(|section| section.flags).filter(move |flag| flag.name == name)
}

fn takes_value(name: &'static str) -> bool {
    rows(name).any(|flag| flag.value.is_some())
}

/// The flag of all rows with a name.
fn argument(name: &'static str, title: &'static str) -> Arg {
    let long = name.trim_start_matches("--");
    let argument = Arg::new(name).long(long).help_heading(title);
    let rows: Vec<&Flag> = rows(name).collect();
    let argument = match &rows[..] {
        [one] => argument.help(sentence(one.help)),
        several => {
            let lines = several.iter().map(|row| format!("{}: {}", row.value.unwrap_or_default(), row.help));
            let mut lines = lines.collect::<Vec<_>>();
            // A row about the default stands for the flag as a whole.
            if let Some(first) = several.first().filter(|row| row.value == Some("HOW")) {
                lines[0] = sentence(first.help);
            }
            argument.help(lines.join("\n"))
        }
    };
    let Some(value) = rows.first().and_then(|row| row.value) else {
        // Once or twice is the same.
        return argument.action(ArgAction::SetTrue).overrides_with(name);
    };
    let value_name = if rows.len() > 1 { "HOW" } else { value.trim_matches(['[', ']']) };
    let argument = argument.value_name(value_name).action(ArgAction::Append).value_parser(Word(choices(name)));
    // Else it would take the model for its value.
    match rows[0].is_value_optional() {
        true => argument.num_args(0..=1).require_equals(true).default_missing_value(""),
        false => argument.hide_possible_values(true).allow_hyphen_values(true),
    }
}

/// With a capital letter, as the other flags of pmc have it.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

/// A value that the runtime checks. Shells complete the usual ones.
#[derive(Clone, Debug)]
struct Word(Vec<&'static str>);

impl TypedValueParser for Word {
    type Value = OsString;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<OsString, clap::Error> {
        Ok(value.to_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        if self.0.is_empty() { None } else { Some(Box::new(self.0.iter().map(PossibleValue::new))) }
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::cli::{Cli, Command as PmcCommand};

    fn words(line: &str) -> Result<String, String> {
        let cli = Cli::try_parse_from(line.split(' ')).map_err(|error| error.to_string())?;
        let PmcCommand::Verify(verify) = cli.command else { panic!("not verify: {line}") };
        let words: Vec<String> = verify.verifier.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        Ok(words.join(" "))
    }

    #[test]
    fn flags_of_verifiers_keep_their_order() {
        let line = "pmc verify --search dfs --fair m.pml --search=nested --never --never=n --max-time 1s --search bfs";
        assert_eq!(
            words(line).as_deref(),
            Ok("--search=dfs --fair --search=nested --never --never=n --max-time=1s --search=bfs")
        );
        assert_eq!(words("pmc verify --quiet --quiet m.pml").as_deref(), Ok("--quiet"));
        assert_eq!(words("pmc verify m.pml -- --fair").as_deref(), Ok(""));
    }

    #[test]
    fn every_flag_of_the_table_is_one_of_verify_and_in_its_help() {
        let mut command = Cli::command();
        let verify = command.find_subcommand_mut("verify").expect("it exists");
        let help = verify.render_long_help().to_string();
        for section in CHECK {
            let is_shown = section.flags.iter().all(|flag| OWN.contains(&flag.name)) || help.contains(section.title);
            assert!(is_shown, "no heading `{}` in {help}", section.title);
            for flag in section.flags {
                assert!(help.contains(flag.name), "{}", flag.name);
            }
        }
    }

    #[test]
    fn a_misspelt_flag_is_answered_with_the_nearest() {
        let message = words("pmc verify --all-eror m.pml").unwrap_err();
        assert!(message.contains("'--all-errors'"), "{message}");
        let message = words("pmc verify m.pml --max-time").unwrap_err();
        assert!(message.contains("--max-time <TIME>"), "{message}");
    }
}
