//! The verdicts that a project expects.

use std::path::Path;

use pmc_runtime::json::Json;

use crate::commands::verify::table::{details, place};
use crate::commands::verify::task::Outcome;

/// What should come of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// Of the model as a whole.
    pub whole: Expected,
    /// Of single properties, by name. The model as a whole is not judged then.
    pub properties: Vec<(String, Expected)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    pub verdict: &'static str,
    /// Where a violation is: `FILE:LINE`, or some words of its message.
    pub at: Option<String>,
}

/// The verdicts that can be expected.
pub const VERDICTS: [&str; 4] = ["verified", "violated", "incomplete", "wrong"];

impl Default for Expected {
    fn default() -> Self {
        Self { verdict: VERDICTS[0], at: None }
    }
}

impl Expectation {
    /// Whether that came, or how what came differs.
    pub fn judge(&self, outcome: &Outcome) -> Result<(), String> {
        if self.properties.is_empty() || outcome.report.is_none() {
            let violations: Vec<&Json> = outcome.properties().iter().filter_map(violation).collect();
            return self.whole.judge(outcome.verdict(), &violations, outcome);
        }
        for (name, expected) in &self.properties {
            let named = |property: &&Json| property.get("name").and_then(Json::as_text) == Some(name);
            let Some(property) = outcome.properties().iter().find(named) else {
                return Err(format!("{name} was not checked"));
            };
            let verdict = property.get("verdict").and_then(Json::as_text).unwrap_or_default();
            let violations: Vec<&Json> = violation(property).into_iter().collect();
            expected.judge(verdict, &violations, outcome).map_err(|complaint| format!("{name}: {complaint}"))?;
        }
        Ok(())
    }
}

fn violation(property: &Json) -> Option<&Json> {
    property.get("violation").filter(|violation| **violation != Json::Null)
}

impl Expected {
    fn judge(&self, verdict: &str, violations: &[&Json], outcome: &Outcome) -> Result<(), String> {
        if verdict != self.verdict {
            return Err(format!("{verdict}, where {} is expected", self.verdict));
        }
        match &self.at {
            Some(at) if !violations.iter().any(|violation| is_at(violation, at)) && !says(outcome, at) => {
                Err(format!("{verdict}, but not at `{at}`"))
            }
            _ => Ok(()),
        }
    }
}

/// What is wrong with a model has no report, only text.
fn says(outcome: &Outcome, at: &str) -> bool {
    outcome.report.is_none() && (outcome.messages.contains(at) || details(outcome).iter().any(|line| line.contains(at)))
}

/// `FILE:LINE` is a place, anything else part of the message.
fn is_at(violation: &Json, at: &str) -> bool {
    let message = violation.get("message").and_then(Json::as_text).unwrap_or_default();
    let named = at.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u64>().ok()?)));
    match (named, place(violation)) {
        (Some((file, line)), Some((its_file, its_line))) => {
            // A report may name the file with or without its folder.
            let is_file = Path::new(its_file).ends_with(file) || Path::new(file).ends_with(its_file);
            line == its_line && is_file
        }
        _ => message.contains(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::ExitStatus;

    const REPORT: &str = r#"{"properties": [
        {"name": "safety", "verdict": "violated", "violation":
            {"message": "assertion violated: assert(x == 1)", "location": {"file": "models/m.pml", "line": 7}}},
        {"name": "served", "verdict": "verified", "violation": null}]}"#;

    fn judge(expectation: &Expectation) -> Result<(), String> {
        let report = Json::parse(REPORT).ok();
        let messages = String::new();
        expectation.judge(&Outcome {
            status: ExitStatus::Violated,
            report,
            formatted: None,
            messages,
            is_left_out: false,
        })
    }

    fn whole(verdict: &'static str, at: Option<&str>) -> Result<(), String> {
        let whole = Expected { verdict, at: at.map(str::to_owned) };
        judge(&Expectation { whole, properties: Vec::new() })
    }

    #[test]
    fn a_violation_is_expected_at_a_place_or_with_words() {
        assert_eq!(whole("violated", None), Ok(()));
        for at in ["m.pml:7", "models/m.pml:7", "assert(x == 1)", "assertion violated"] {
            assert_eq!(whole("violated", Some(at)), Ok(()), "{at}");
        }
        for at in ["m.pml:8", "other.pml:7", "odels/m.pml:7", "assert(x == 2)"] {
            assert_eq!(whole("violated", Some(at)), Err(format!("violated, but not at `{at}`")));
        }
        assert_eq!(whole("verified", None), Err("violated, where verified is expected".to_owned()));
    }

    #[test]
    fn each_property_has_a_verdict_of_its_own() {
        let of = |list: &[(&str, &'static str)]| {
            let expected = |&(name, verdict): &(&str, &'static str)| (name.to_owned(), Expected { verdict, at: None });
            judge(&Expectation { whole: Expected::default(), properties: list.iter().map(expected).collect() })
        };
        assert_eq!(of(&[("safety", "violated"), ("served", "verified")]), Ok(()));
        assert_eq!(of(&[("served", "violated")]), Err("served: verified, where violated is expected".to_owned()));
        assert_eq!(of(&[("other", "verified")]), Err("other was not checked".to_owned()));
    }
}
