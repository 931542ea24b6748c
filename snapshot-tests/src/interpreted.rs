//! Models that pmc executes itself, in this process, with the flags of a verifier: nothing is built.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use pmc::diagnostic::render::render;
use pmc::driver::{Error, Options, Session, on_large_stack};
use pmc::interpret::{Interpretable, Visitor};
use pmc_runtime::reduction::Independence;
use pmc_runtime::search::Searches;
use pmc_runtime::verdict::ExitCode;
use tempfile::TempDir;

use crate::batch::Member;
use crate::directives::with_lints;
use crate::engine::Engine;

/// One model that can be executed any number of times.
pub struct Interpreted<'i, 'm> {
    name: &'i str,
    interpretable: &'i Interpretable<'m>,
    work: TempDir,
}

impl Interpreted<'_, '_> {
    /// Prepares a model, and executes what `act` asks of it. A model that pmc refuses is an error, and so is a panic.
    pub fn with<T: Send>(
        member: &Member,
        act: impl FnOnce(&Interpreted<'_, '_>) -> Result<T, String> + Send,
    ) -> Result<T, String> {
        let bytes = std::fs::read(&member.path).map_err(|error| error.to_string())?;
        let options = with_lints(&member.options, &String::from_utf8_lossy(&bytes));
        Self::open(&member.name, || Session::open(&member.path, &options), act)
    }

    /// The same for a model in memory.
    pub fn with_text<T: Send>(
        name: &str,
        text: &str,
        options: &Options,
        act: impl FnOnce(&Interpreted<'_, '_>) -> Result<T, String> + Send,
    ) -> Result<T, String> {
        let options = with_lints(options, text);
        Self::open(name, || Session::from_text(&format!("{name}.pml"), text.to_owned(), &options), act)
    }

    fn open<T: Send>(
        name: &str,
        session: impl FnOnce() -> Result<Session, Error> + Send,
        act: impl FnOnce(&Interpreted<'_, '_>) -> Result<T, String> + Send,
    ) -> Result<T, String> {
        let work = tempfile::tempdir().map_err(|error| error.to_string())?;
        let done = on_large_stack(|| {
            let mut session = session().map_err(|error| error.to_string())?;
            session.interpret(|session, interpretable| match interpretable {
                Ok(interpretable) => act(&Interpreted { name, interpretable, work }),
                Err(_) => Err(render(&session.sources, &session.diagnostics, Default::default())),
            })
        });
        done.map_err(|error| error.to_string())?
    }

    /// A path as an argument: relative ones are meant in the folder of the trails.
    fn absolute(&self, path: &str) -> String {
        self.work.path().join(path).display().to_string()
    }

    /// The arguments with absolute paths, and with a trail in the folder of the trails.
    fn arguments(&self, flags: &[&str]) -> Vec<String> {
        let mut arguments: Vec<String> = Vec::new();
        for flag in flags {
            let is_path = arguments.last().is_some_and(|last| last == "--trail" || last == "replay");
            arguments.push(if is_path { self.absolute(flag) } else { (*flag).to_owned() });
        }
        let is_search = flags.first().is_none_or(|first| first.starts_with('-'));
        if is_search && !flags.contains(&"--trail") {
            arguments.extend(["--trail".to_owned(), self.absolute(&format!("{}.trail.json", self.name))]);
        }
        arguments
    }
}

impl Engine for Interpreted<'_, '_> {
    fn run(&self, name: &str, flags: &[&str]) -> Result<(i32, String), String> {
        if name != self.name {
            return Err(format!("{name} is not {}", self.name));
        }
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let run = Run { arguments: self.arguments(flags), out: &mut out, err: &mut err };
        let code = self.interpretable.visit(run) as i32;
        if out.is_empty() && !err.is_empty() {
            return Err(String::from_utf8_lossy(&err).into_owned());
        }
        // Reports name the trail as a verifier does that runs in the folder of the trails.
        let folder = format!("{}/", self.work.path().display());
        Ok((code, String::from_utf8_lossy(&out).replace(&folder, "")))
    }

    fn work(&self) -> PathBuf {
        self.work.path().to_owned()
    }
}

/// Does what a verifier does with its arguments.
struct Run<'r> {
    arguments: Vec<String>,
    out: &'r mut Vec<u8>,
    err: &'r mut Vec<u8>,
}

impl Visitor for Run<'_> {
    type Output = ExitCode;

    fn visit<M: Independence>(self, model: &M, searches: Searches<M::Packed>) -> ExitCode {
        pmc_runtime::run(model, searches, &self.arguments, self.out, self.err)
    }
}

const STACK: usize = 256 << 20;

/// Does the same with each item, on all cores; the results are in the order of the items.
pub fn on_all_cores<I: Sync, T: Send>(items: &[I], act: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len().max(1));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(number)
        {
            done.push((number, act(item)));
        }
        done
    };
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        // Models may be deep, and what the tests do with them is recursive.
        let spawn = |_| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let threads: Vec<_> = (0..n_threads).map(|number| spawn(number).expect("a thread starts")).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a panic of a test ends the test")).collect()
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}
