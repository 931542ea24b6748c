//! What executes models with the flags of a verifier: verifiers that were built ([`Batch`](crate::batch::Batch)), or
//! pmc itself ([`Interpreted`](crate::interpreted::Interpreted)).

use std::path::PathBuf;

use serde_json::Value;

/// The counts of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    pub states: u64,
    pub transitions: u64,
    pub errors: u64,
}

pub trait Engine {
    /// Runs one model and returns the exit code and the output.
    fn run(&self, name: &str, flags: &[&str]) -> Result<(i32, String), String>;

    /// The folder where models run, and write their trails.
    fn work(&self) -> PathBuf;

    /// Runs one model and returns its JSON report.
    fn report(&self, name: &str, flags: &[&str]) -> Result<Value, String> {
        self.report_and_trail(name, flags, &format!("{name}.trail.json"))
    }

    /// The same with its own trail, which no other test writes at the same time.
    fn report_and_trail(&self, name: &str, flags: &[&str], trail: &str) -> Result<Value, String> {
        let flags: Vec<&str> = flags.iter().copied().chain(["--format", "json", "--trail", trail]).collect();
        let (_, text) = self.run(name, &flags)?;
        serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))
    }

    /// Runs one model and returns the figures of its report.
    fn figures(&self, name: &str, flags: &[&str]) -> Result<Figures, String> {
        let report = self.report(name, flags)?;
        let property = &report["properties"][0];
        let number = |value: &Value| value.as_u64().ok_or_else(|| format!("no number in {report}"));
        Ok(Figures {
            states: number(&property["search"]["states_stored"])?,
            transitions: number(&property["search"]["transitions"])?,
            errors: number(&property["errors"])?,
        })
    }

    /// The text of a trail that a run wrote.
    fn trail(&self, file: &str) -> Result<String, String> {
        std::fs::read_to_string(self.work().join(file)).map_err(|error| format!("{file}: {error}"))
    }
}

/// Two engines give the same report of a model but for what was measured, and the same trail to the byte.
pub fn give_the_same(one: &dyn Engine, other: &dyn Engine, name: &str, flags: &[&str]) -> Result<(), String> {
    let file = format!("{name}.same.json");
    let ask = |engine: &dyn Engine| {
        // What an earlier run left there is no trail of this one.
        let _ = std::fs::remove_file(engine.work().join(&file));
        let mut report = engine.report_and_trail(name, flags, &file)?;
        report.as_object_mut().ok_or("a report is an object")?.remove("engine");
        for property in report["properties"].as_array_mut().into_iter().flatten() {
            let search = property["search"].as_object_mut().ok_or("no search in a property")?;
            MEASURED.iter().for_each(|name| drop(search.remove(*name)));
        }
        Ok::<_, String>((report, engine.trail(&file).ok()))
    };
    let (one, other) = (ask(one)?, ask(other)?);
    if one == other { Ok(()) } else { Err(format!("{flags:?}:\n{one:?}\n{other:?}")) }
}

/// The fields of a report that belong to the run or to the engine, not to the model.
const MEASURED: &[&str] = &["seconds", "found_seconds", "memory_bytes", "state_bytes"];
