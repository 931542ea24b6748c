//! What `pmc.toml` says, checked.

use std::path::{Path, PathBuf};

use clap::Parser;
use toml_edit::{Document, Item, Table, TableLike};

use super::expected::{Expectation, Expected, VERDICTS};
use super::reader::{Place, Reader};
use crate::cli::{Cli, Command};
use crate::commands::verify::files;

/// A project.
#[derive(Debug)]
pub struct Manifest {
    pub entries: Vec<Entry>,
}

/// A model of it.
#[derive(Debug)]
pub struct Entry {
    pub title: String,
    /// From the folder of the project.
    pub model: PathBuf,
    /// As words of a command line.
    pub words: Vec<String>,
    pub expectation: Expectation,
}

/// Keys that are flags with a value.
const LIMITS: [&str; 5] = ["max-time", "memory", "max-states", "max-depth", "store"];
/// Keys whose values are each a flag with a value, and the flag.
const LISTS: [(&str, &str); 4] =
    [("define", "-D"), ("include", "-I"), ("claims", "--claims"), ("formula", "--formula")];
const SETTINGS: [&str; 11] = [
    "define",
    "include",
    "claims",
    "formula",
    "allow-c",
    "flags",
    "max-time",
    "memory",
    "max-states",
    "max-depth",
    "store",
];
const OF_MODEL: [&str; 5] = ["path", "name", "properties", "expect", "at"];

/// Reads the text of a project file in a folder. Every mistake is reported, not the first alone.
pub fn read(name: &str, text: &str, folder: &Path) -> Result<Manifest, Box<Reader>> {
    let mut reader = Reader::new(name, text);
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            reader.error(error.span(), error.message().trim().replace('\n', ", "), "this is not TOML: https://toml.io");
            return Err(Box::new(reader));
        }
    };
    let table = document.as_table();
    reader.keys(table, &["defaults", "model"]);
    let defaults = match table.get("defaults").map(|item| (item.as_table_like(), item.span())) {
        Some((Some(defaults), _)) => {
            reader.keys(defaults, &SETTINGS);
            settings(&mut reader, defaults)
        }
        Some((None, place)) => {
            reader.error(place, "`defaults` is a table", "write [defaults]");
            Vec::new()
        }
        None => Vec::new(),
    };
    let mut entries = Vec::new();
    match table.get("model") {
        Some(Item::ArrayOfTables(models)) => {
            for model in models {
                entries.extend(entry(&mut reader, model, &defaults, folder));
            }
        }
        Some(other) => reader.error(other.span(), "`model` is a list of tables", "write [[model]] with two brackets"),
        None => reader.error(None, "there is no model", "write [[model]] and below it path = \"model.pml\""),
    }
    if reader.diagnostics.has_errors() { Err(Box::new(reader)) } else { Ok(Manifest { entries }) }
}

/// The entries of one `[[model]]`: several if it is a folder.
fn entry(reader: &mut Reader, model: &Table, defaults: &[Setting], folder: &Path) -> Vec<Entry> {
    reader.keys(model, &[&OF_MODEL[..], &SETTINGS[..]].concat());
    let own = settings(reader, model);
    let mut words = merged(defaults, &own);
    let expectation = expectation(reader, model, &mut words);
    let name = reader.text(model, "name").map(|(name, _)| name);
    let Some((path, place)) = reader.text(model, "path") else {
        if !model.contains_key("path") {
            reader.error(model.span(), "a model has a path", "write path = \"model.pml\" below it");
        }
        return Vec::new();
    };
    let whole = folder.join(&path);
    let models = if whole.is_dir() {
        let found = files::models_below(&whole).unwrap_or_default();
        found.iter().map(|model| model.strip_prefix(folder).unwrap_or(model).to_owned()).collect()
    } else if whole.is_file() {
        vec![PathBuf::from(&path)]
    } else {
        reader.error(place, format!("there is no file `{path}`"), "the path is meant from the folder of this file");
        return Vec::new();
    };
    if models.is_empty() {
        reader.error(place, format!("there is no model (*.pml) in `{path}`"), "");
    }
    let of_one = |model: PathBuf| {
        let path = model.display().to_string();
        let title =
            name.clone().map_or(path.clone(), |name| if models.len() > 1 { format!("{name}: {path}") } else { name });
        Entry { title, model, words: words.clone(), expectation: expectation.clone() }
    };
    models.iter().cloned().map(of_one).collect()
}

/// A key, and the words that it stands for.
struct Setting {
    key: String,
    words: Vec<String>,
}

fn settings(reader: &mut Reader, table: &dyn TableLike) -> Vec<Setting> {
    let mut all = Vec::new();
    for (key, flag) in LISTS {
        for (text, place) in reader.texts(table, key) {
            // Of a macro the last value counts, so the name is part of the key.
            let key =
                if flag == "-D" { format!("-D {}", text.split('=').next().unwrap_or(&text)) } else { key.to_owned() };
            add(reader, &mut all, key, vec![flag.to_owned(), text], place);
        }
    }
    for key in LIMITS {
        if let Some((text, place)) = reader.value(table, key) {
            add(reader, &mut all, key.to_owned(), vec![format!("--{key}={text}")], place);
        }
    }
    if reader.truth(table, "allow-c") {
        let place = table.get("allow-c").and_then(Item::span);
        add(reader, &mut all, "allow-c".to_owned(), vec!["--allow-c".to_owned()], place);
    }
    let flags = reader.texts(table, "flags");
    let place = table.get("flags").and_then(Item::span);
    add(reader, &mut all, "flags".to_owned(), flags.into_iter().map(|(text, _)| text).collect(), place);
    all
}

fn add(reader: &mut Reader, all: &mut Vec<Setting>, key: String, words: Vec<String>, place: Place) {
    match mistake(&words) {
        Some(message) => reader.error(place, message, ""),
        None => all.push(Setting { key, words }),
    }
}

/// What is wrong with words of a command line, in one line.
fn mistake(words: &[String]) -> Option<String> {
    let line = ["pmc", "verify"].into_iter().map(str::to_owned).chain(words.iter().cloned());
    match Cli::try_parse_from(line) {
        Err(error) => {
            let text = error.to_string();
            let text = text.split("\n\nUsage:").next().unwrap_or(&text).trim_start_matches("error: ");
            let line = text.split("\n\nFor more").next().unwrap_or(text);
            Some(line.split_whitespace().collect::<Vec<_>>().join(" "))
        }
        Ok(Cli { command: Command::Verify(arguments) }) => match &arguments.models[..] {
            [model, ..] => Some(format!("`{}` is no flag", model.display())),
            [] => {
                let words = super::super::flags(&arguments);
                pmc_runtime::cli::mistake(
                    &words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>(),
                )
            }
        },
        Ok(_) => None,
    }
}

/// The settings of all models and those of one, which count more.
fn merged(defaults: &[Setting], own: &[Setting]) -> Vec<String> {
    let is_single = |key: &str| key.starts_with("-D ") || LIMITS.contains(&key);
    let is_replaced = |setting: &&Setting| is_single(&setting.key) && own.iter().any(|own| own.key == setting.key);
    let defaults = defaults.iter().filter(|setting| !is_replaced(setting));
    defaults.chain(own).flat_map(|setting| setting.words.iter().cloned()).collect()
}

/// What is expected. Properties that are named are the ones that are checked.
fn expectation(reader: &mut Reader, model: &Table, words: &mut Vec<String>) -> Expectation {
    let verdict = model.get("expect").and_then(|item| reader.word(item, "expect", &VERDICTS));
    let at = reader.text(model, "at");
    let whole = Expected { verdict: verdict.unwrap_or(VERDICTS[0]), at: at.as_ref().map(|(at, _)| at.clone()) };
    if let Some((_, place)) = at
        && !["violated", "wrong"].contains(&whole.verdict)
    {
        reader.error(place, "`at` says where a violation is, but none is expected", "add expect = \"violated\"");
    }
    let mut properties = Vec::new();
    match model.get("properties") {
        None => {}
        Some(item) if item.as_table_like().is_some() => {
            let table = item.as_table_like().into_iter().flat_map(|table| table.iter());
            for (name, item) in table {
                words.push(flag_of(name));
                properties.extend(property(reader, name, item).map(|expected| (name.to_owned(), expected)));
            }
            if let Some(item) = model.get("expect").or_else(|| model.get("at")) {
                reader.error(
                    item.span(),
                    "each property has its own verdict here",
                    "remove this, or list the properties without verdicts",
                );
            }
        }
        Some(_) => {
            for (name, _) in reader.texts(model, "properties") {
                words.push(flag_of(&name));
            }
        }
    }
    Expectation { whole, properties }
}

/// `"violated"`, or `{ verdict = "violated", at = "model.pml:7" }`.
fn property(reader: &mut Reader, name: &str, item: &Item) -> Option<Expected> {
    let Some(table) = item.as_table_like() else {
        return reader.word(item, name, &VERDICTS[..3]).map(|verdict| Expected { verdict, at: None });
    };
    reader.keys(table, &["verdict", "at"]);
    let verdict = match table.get("verdict") {
        Some(verdict) => reader.word(verdict, "verdict", &VERDICTS[..3])?,
        None => "violated",
    };
    Some(Expected { verdict, at: reader.text(table, "at").map(|(at, _)| at) })
}

/// The flag that asks for a property.
fn flag_of(name: &str) -> String {
    match name {
        "safety" | "acceptance" | "non-progress" | "zeno" => format!("--{name}"),
        claim => format!("--ltl={claim}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::render::{Style, render};

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["m.pml", "more/a.pml", "more/b.pml"] {
            assert!(files::write_new(&folder.path().join(name), "").expect("written"));
        }
        folder
    }

    #[track_caller]
    fn entries(text: &str) -> Vec<Entry> {
        let folder = folder();
        let read = read("pmc.toml", text, folder.path());
        read.unwrap_or_else(|reader| panic!("{}", shown(&reader))).entries
    }

    fn shown(reader: &Reader) -> String {
        render(&reader.sources, &reader.diagnostics, Style { color: false, unicode: false })
    }

    /// The text is refused with this message at this line and column.
    #[track_caller]
    fn wrong(text: &str, place: &str, message: &str) {
        let folder = folder();
        let reader = read("pmc.toml", text, folder.path()).expect_err(text);
        let shown = shown(&reader);
        assert!(shown.contains(&format!("pmc.toml:{place}")) && shown.contains(message), "{shown}");
    }

    #[test]
    fn a_model_has_what_it_says_and_what_all_have() {
        let text = "\
[defaults]
define = [\"N=3\", \"FAST\"]
max-time = \"10m\"
flags = [\"--fair\"]

[[model]]
path = \"m.pml\"
define = \"N=4\"
max-time = 30
properties = [\"safety\", \"served\"]
expect = \"violated\"
at = \"m.pml:7\"

[[model]]
path = \"more\"
name = \"others\"
";
        let entries = entries(text);
        assert_eq!(
            entries[0].words,
            ["-D", "FAST", "--fair", "-D", "N=4", "--max-time=30", "--safety", "--ltl=served"]
        );
        let whole = Expected { verdict: "violated", at: Some("m.pml:7".to_owned()) };
        assert_eq!(entries[0].expectation, Expectation { whole, properties: Vec::new() });
        let titles: Vec<&str> = entries.iter().map(|entry| entry.title.as_str()).collect();
        assert_eq!(titles, ["m.pml", "others: more/a.pml", "others: more/b.pml"]);
    }

    #[test]
    fn each_property_may_have_a_verdict() {
        let text =
            "[[model]]\npath = \"m.pml\"\n[model.properties]\nsafety = \"verified\"\nserved = { at = \"m.pml:3\" }\n";
        let entries = entries(text);
        let expected = |verdict, at: Option<&str>| Expected { verdict, at: at.map(str::to_owned) };
        let properties = vec![
            ("safety".to_owned(), expected("verified", None)),
            ("served".to_owned(), expected("violated", Some("m.pml:3"))),
        ];
        assert_eq!(entries[0].expectation.properties, properties);
        assert_eq!(entries[0].words, ["--safety", "--ltl=served"]);
    }

    #[test]
    fn mistakes_have_a_place_and_a_way_out() {
        wrong("[[modle]]\npath = \"m.pml\"\n", "1:3", "did you mean `model`?");
        wrong("[[model]]\npth = \"m.pml\"\n", "2:1", "did you mean `path`?");
        wrong("[[model]]\npath = 3\n", "2:8", "`path` is a text");
        wrong("[[model]]\nname = \"x\"\n", "1:1", "a model has a path");
        wrong("[[model]]\npath = \"no.pml\"\n", "2:8", "there is no file `no.pml`");
        wrong("[[model]]\npath = \"m.pml\"\nexpect = \"violate\"\n", "3:10", "did you mean \"violated\"?");
        wrong("[[model]]\npath = \"m.pml\"\nat = \"m.pml:3\"\n", "3:6", "none is expected");
        wrong("[[model]]\npath = \"m.pml\"\nmax-time = \"soon\"\n", "3:12", "takes a time such as 30s");
        wrong("[[model]]\npath = \"m.pml\"\nflags = [\"--fiar\"]\n", "3:9", "'--fair'");
        wrong("[[model]]\npath = \"m.pml\"\nflags = [\"m.pml\"]\n", "3:9", "`m.pml` is no flag");
        wrong("[[model]]\npath = \"m.pml\"\ndefine = [\"3x\"]\n", "3:11", "not the name of a macro");
        wrong("[[model]\npath = \"m.pml\"\n", "1:", "this is not TOML");
        wrong("[model]\npath = \"m.pml\"\n", "1:1", "[[model]] with two brackets");
        wrong("", "1:1", "there is no model");
    }

    #[test]
    fn every_mistake_is_reported() {
        let folder = folder();
        let text = "[[model]]\npath = \"no.pml\"\nexpct = 1\nmemory = \"lots\"\n[defalts]\n";
        let reader = read("pmc.toml", text, folder.path()).expect_err("wrong");
        assert_eq!(reader.diagnostics.n_errors(), 4, "{}", shown(&reader));
    }
}
