//! pmc's side: a verifier in Rust, built in a cache of this run's own.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::catalogue::{self, Instance};
use crate::pan::{Counts, bitstate_bytes};
use crate::question::Question;
use crate::usage::{Finished, Usage, run};

/// The compiler, at its release build.
#[derive(Debug)]
pub struct Pmc {
    program: PathBuf,
    folder: PathBuf,
    /// The verifiers that were built, by model and macros.
    known: RefCell<BTreeMap<String, PathBuf>>,
}

/// A verifier that pmc made.
#[derive(Clone, Debug)]
pub struct Verifier {
    program: PathBuf,
    flags: Vec<String>,
    folder: PathBuf,
    pub build: Usage,
}

impl Pmc {
    /// Has cargo build pmc.
    pub fn prepare(folder: &Path) -> Result<Pmc, String> {
        let workspace = catalogue::folder().parent().ok_or("no workspace")?;
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args(["build", "--release", "--package", "pmc", "--message-format", "json-render-diagnostics"]);
        let built = succeed(build.current_dir(workspace))?;
        let program = executable(&built.stdout).ok_or("cargo did not say where pmc is")?;
        Pmc::at(&program, folder)
    }

    /// A pmc that is there. Verifiers that an earlier run has left in the folder are removed, so that they are built in
    /// this one; the runtime stays.
    pub fn at(program: &Path, folder: &Path) -> Result<Pmc, String> {
        let program = program.canonicalize().map_err(|error| format!("{}: {error}", program.display()))?;
        let caches = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        for verifier in caches.flat_map(|cache| verifiers(&cache)) {
            std::fs::remove_file(&verifier).map_err(|error| format!("{}: {error}", verifier.display()))?;
        }
        Ok(Pmc { program, folder: folder.to_owned(), known: RefCell::default() })
    }

    pub fn version(&self) -> String {
        let said = run(Command::new(&self.program).arg("--version"));
        said.map_or_else(|error| error.to_string(), |said| said.stdout.trim().to_owned())
    }

    /// The program itself.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Builds the verifier of a model with these macros (`-DN=3`), once.
    pub fn verifier(&self, model: &Path, defines: &[String]) -> Result<PathBuf, String> {
        let cache = self.folder.join("cache-bugs");
        let before = verifiers(&cache);
        succeed(self.verify(&cache).args(defines).arg(model).args(["--", "info"]))?;
        let new = verifiers(&cache).difference(&before).next().cloned();
        // A model that was built before is found by its name.
        let name = model.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut known = self.known.borrow_mut();
        let key = format!("{name} {}", defines.join(" "));
        if let Some(new) = new {
            known.insert(key.clone(), new);
        }
        known.get(&key).cloned().ok_or_else(|| "the cache holds no new verifier".to_owned())
    }

    /// `pmc verify` with an engine and a cache of verifiers.
    fn verify_with(&self, engine: &str, cache: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.env("PMC_CACHE", cache).args(["verify", "--engine", engine]);
        command
    }

    fn verify(&self, cache: &Path) -> Command {
        self.verify_with("compiled", cache)
    }

    /// Interprets a model: the program is pmc itself, and nothing is built.
    pub fn interpreter(&self, instance: &Instance, question: &Question, folder: &Path) -> Result<Verifier, String> {
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        let mut all: Vec<String> = ["verify", "--engine", "interpret"].map(str::to_owned).to_vec();
        all.extend(question.compile_flags.iter().map(|&flag| flag.to_owned()).chain(instance.flags()));
        all.extend([instance.path().display().to_string(), "--".to_owned()]);
        all.extend(flags(question.verifier_flags, instance));
        Ok(Verifier { program: self.program.clone(), flags: all, folder: folder.to_owned(), build: Usage::default() })
    }

    /// Runs `pmc verify` from the command to the verdict, with the verifiers that are in the cache.
    pub fn verdict(
        &self,
        engine: &str,
        instance: &Instance,
        question: &Question,
        cache: &Path,
    ) -> Result<(Counts, Usage), String> {
        let mut verify = self.verify_with(engine, cache);
        verify.args(question.compile_flags).args(instance.flags()).arg(instance.path()).arg("--");
        verify.args(flags(question.verifier_flags, instance)).args(["--format", "json", "--no-progress"]);
        let finished = succeed(verify.current_dir(&self.folder))?;
        Ok((parse(&finished.stdout)?, finished.usage))
    }

    /// What the README shows first: `pmc compile`, then `cargo run --release`, with this folder for the crate. In a fresh
    /// folder cargo builds everything.
    pub fn compile_and_run(
        &self,
        model: &Path,
        instance: &Instance,
        question: &Question,
        folder: &Path,
    ) -> Result<(Counts, Usage), String> {
        let mut compile = Command::new(&self.program);
        compile
            .arg("compile")
            .args(question.compile_flags)
            .args(instance.flags())
            .arg("--output")
            .arg(folder)
            .arg(model);
        let compiled = succeed(&mut compile)?.usage;
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.env_remove("CARGO_TARGET_DIR").args(["run", "--release", "--quiet", "--"]).current_dir(folder);
        cargo.args(flags(question.verifier_flags, instance)).args(["--format", "json", "--no-progress"]);
        let finished = succeed(&mut cargo)?;
        Ok((parse(&finished.stdout)?, compiled.then(finished.usage)))
    }

    /// The same model with another text.
    pub fn twin(&self, instance: &Instance) -> Result<PathBuf, String> {
        let text = std::fs::read_to_string(instance.path()).map_err(|error| error.to_string())?;
        let twin = self.folder.join("twin.pml");
        std::fs::write(&twin, text + "\n/* a twin */\n").map_err(|error| error.to_string())?;
        Ok(twin)
    }

    /// A cache with the runtime in it, for states of this model's size too, and without its verifier: one for each
    /// question, since two questions can share a verifier, which would then be built once only. The same model with
    /// another text fills it.
    pub fn cache(&self, instance: &Instance, question: &Question) -> Result<PathBuf, String> {
        let cache = self.folder.join(format!("cache-{}", question.name));
        let mut verify = self.verify(&cache);
        verify.args(question.compile_flags).args(instance.flags()).arg(self.twin(instance)?).args(["--", "info"]);
        succeed(&mut verify)?;
        Ok(cache)
    }

    /// Builds with the runtime that is in the cache. The verifier is the program that was not there before.
    pub fn build(&self, instance: &Instance, question: &Question, folder: &Path) -> Result<Verifier, String> {
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        let cache = self.cache(instance, question)?;
        let before = verifiers(&cache);
        let mut verify = self.verify(&cache);
        verify.args(question.compile_flags).args(instance.flags()).arg(instance.path()).args(["--", "info"]);
        let build = succeed(&mut verify)?.usage;
        let program = verifiers(&cache).difference(&before).next().cloned();
        Ok(Verifier {
            program: program.ok_or("the cache holds no new verifier")?,
            flags: flags(question.verifier_flags, instance),
            folder: folder.to_owned(),
            build,
        })
    }
}

/// The flags with the parts that depend on the model filled in.
fn flags(flags: &[&str], instance: &Instance) -> Vec<String> {
    let fill_in = |&flag: &&str| match flag {
        "FORMULA" => instance.formula().unwrap_or_default(),
        "BITSTATE_BYTES" => bitstate_bytes(instance.states).to_string(),
        _ => flag.to_owned(),
    };
    flags.iter().map(fill_in).collect()
}

/// The programs in a cache: `runtime-*/verifier-*/verifier`.
fn verifiers(cache: &Path) -> BTreeSet<PathBuf> {
    let name = format!("verifier{}", std::env::consts::EXE_SUFFIX);
    let inside = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let programs = inside(cache.to_owned()).flat_map(inside).map(|folder| folder.join(&name));
    programs.filter(|program| program.is_file()).collect()
}

impl Verifier {
    /// The same program with other flags.
    #[must_use]
    pub fn with_flags(&self, verifier_flags: &[&str], instance: &Instance) -> Verifier {
        Verifier { flags: flags(verifier_flags, instance), ..self.clone() }
    }

    /// The same with so much memory, if the flags say how much there is.
    pub fn set_memory(&mut self, bytes: u64) {
        if let Some(at) = self.flags.iter().position(|flag| flag == "--memory") {
            self.flags[at + 1] = bytes.to_string();
        }
    }

    /// Runs once, to a proof.
    pub fn run(&self) -> Result<(Counts, Usage), String> {
        let mut command = Command::new(&self.program);
        command.args(&self.flags).args(["--format", "json", "--no-progress"]).current_dir(&self.folder);
        let finished = succeed(&mut command)?;
        Ok((parse(&finished.stdout)?, finished.usage))
    }
}

fn succeed(command: &mut Command) -> Result<Finished, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let finished = run(command).map_err(|error| format!("{program}: {error}"))?;
    match finished.code {
        Some(0) => Ok(finished),
        Some(code) => Err(format!("exit code {code}: {}", beginning(&finished.stderr))),
        None => Err("was killed".to_owned()),
    }
}

fn beginning(said: &str) -> String {
    said.lines().filter(|line| !line.trim().is_empty()).take(2).collect::<Vec<_>>().join("; ")
}

/// The program that cargo's messages name.
fn executable(messages: &str) -> Option<PathBuf> {
    let values = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    values.filter_map(|value| value["executable"].as_str().map(PathBuf::from)).next_back()
}

/// The counts of a report, which must be a proof.
fn parse(report: &str) -> Result<Counts, String> {
    let report: serde_json::Value = serde_json::from_str(report).map_err(|error| error.to_string())?;
    let verdict = report["verdict"].as_str().unwrap_or("no verdict");
    if verdict != "verified" {
        return Err(format!("the verdict is: {verdict}"));
    }
    let search = &report["properties"][0]["search"];
    let number = |name: &str| search[name].as_u64().ok_or_else(|| format!("the report has no {name}"));
    Ok(Counts { states: number("states_stored")?, transitions: number("transitions")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_a_report() {
        let report = r#"{"verdict": "verified", "properties": [{"search": {"states_stored": 5, "transitions": 7}}]}"#;
        assert_eq!(parse(report), Ok(Counts { states: 5, transitions: 7 }));
        let incomplete = report.replace("verified", "incomplete");
        assert_eq!(parse(&incomplete), Err("the verdict is: incomplete".to_owned()));
        assert!(parse("{}").is_err() && parse("").is_err());
    }

    #[test]
    fn verifiers_are_found_in_a_cache() {
        let cache = tempfile::tempdir().unwrap();
        let runtime = cache.path().join("runtime-1");
        for folder in ["runtime/src", "target/release", "verifier-a", "verifier-b/src"] {
            std::fs::create_dir_all(runtime.join(folder)).unwrap();
        }
        assert!(verifiers(cache.path()).is_empty() && verifiers(Path::new("/nowhere")).is_empty());
        let program = runtime.join("verifier-b").join(format!("verifier{}", std::env::consts::EXE_SUFFIX));
        std::fs::write(&program, "").unwrap();
        assert_eq!(verifiers(cache.path()), BTreeSet::from([program]));
    }

    #[test]
    fn a_folder_that_is_kept_has_no_verifiers_of_earlier_runs() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = folder.path().join("cache-dfs/runtime-1");
        for place in ["target/release", "verifier-a"] {
            std::fs::create_dir_all(runtime.join(place)).unwrap();
        }
        let left = runtime.join("verifier-a").join(format!("verifier{}", std::env::consts::EXE_SUFFIX));
        std::fs::write(&left, "").unwrap();
        let pmc = Pmc::at(&left, folder.path()).unwrap();
        assert!(pmc.program().is_absolute() && !left.exists() && runtime.join("target/release").exists());
        assert!(Pmc::at(&left, folder.path()).is_err());
    }

    #[test]
    fn cargo_says_where_the_program_is() {
        let messages = "{\"executable\":null}\n{\"executable\":\"/x/pmc\"}\n{\"reason\":\"build-finished\"}\n";
        assert_eq!(executable(messages), Some(PathBuf::from("/x/pmc")));
        assert_eq!(executable(""), None);
    }
}
