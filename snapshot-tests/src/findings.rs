//! All violations that a verifier finds in a model, against all that the interpreter finds: the same kinds of
//! violations at the same lines.

use serde_json::Value;

use crate::batch::Batch;
use crate::interpret::{Graph, Options, read_trail, replay, trail};
use crate::load::Loaded;

/// The violations that a verifier finds, and how many states it stored.
pub struct Findings {
    /// The word for the kind, and the line of the statement, if the violation is in one.
    violations: Vec<(String, Option<u64>)>,
    pub states: u64,
    /// Nothing ended the search early.
    pub is_complete: bool,
}

impl Findings {
    pub fn of(batch: &Batch, name: &str, flags: &[&str]) -> Result<Self, String> {
        let trail = format!("{name}.findings.json");
        let report = batch.report_and_trail(name, flags, &trail)?;
        let search = &report["properties"][0]["search"];
        let sarif: Vec<&str> = flags.iter().copied().chain(["--format", "sarif", "--trail", &trail]).collect();
        let (_, text) = batch.run(name, &sarif)?;
        let sarif: Value = serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
        let results = sarif["runs"][0]["results"].as_array().ok_or_else(|| format!("no results in {sarif}"))?;
        let violation = |result: &Value| {
            let line = result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64();
            (result["ruleId"].as_str().unwrap_or_default().to_owned(), line)
        };
        Ok(Self {
            violations: results.iter().map(violation).collect(),
            states: search["states_stored"].as_u64().ok_or_else(|| format!("no states in {report}"))?,
            is_complete: search["complete"] == true,
        })
    }

    /// Whether the verifier finds what the interpreter finds: every kind at every line, and nothing else.
    pub fn compare(&self, loaded: &Loaded, graph: &Graph) -> Result<(), String> {
        let line = |violation: &crate::interpret::explore::Violation| {
            u64::from(loaded.sources.position(violation.fault.span).line)
        };
        let is_same = |(word, at): &(String, Option<u64>), violation: &crate::interpret::explore::Violation| {
            trail::kinds(word).contains(&violation.kind) && (violation.kind.is_of_end() || *at == Some(line(violation)))
        };
        for found in &self.violations {
            if !graph.violations.iter().any(|violation| is_same(found, violation)) {
                return Err(format!("it finds {found:?}, which the interpreter does not"));
            }
        }
        for violation in &graph.violations {
            if !self.violations.iter().any(|found| is_same(found, violation)) {
                let what = (violation.kind, line(violation));
                return Err(format!("it does not find {what:?} but {:?}", self.violations));
            }
        }
        Ok(())
    }
}

/// Checks that the verifier's first counterexample is a run that ends in its violation: both the verifier and the
/// interpreter can replay it.
pub fn check_trail(
    batch: &Batch,
    name: &str,
    loaded: &Loaded,
    flags: &[&str],
    options: &Options,
) -> Result<(), String> {
    let file = format!("{name}.replayed.json");
    let flags: Vec<&str> = flags.iter().copied().chain(["--trail", &file]).collect();
    let (code, said) = batch.run(name, &flags)?;
    if code != 1 {
        return Err(format!("exit code {code}: {said}"));
    }
    let (code, said) = batch.run(name, &["replay", &file])?;
    if code != 1 {
        return Err(format!("replay says {said}"));
    }
    let trail = std::fs::read_to_string(batch.work().join(&file)).map_err(|error| error.to_string())?;
    let (instructions, claimed) = read_trail(&trail)?;
    replay(&loaded.model, &loaded.sources, &instructions, &claimed, options)
        .map_err(|error| format!("the trail is no counterexample ({error:?}): {trail}"))
}
