//! One report about several models, for tools: JSON, JUnit or SARIF.

use pmc_runtime::json::{Json, object};
use pmc_runtime::report::junit::escaped;

use super::table::{Judgement, details};
use super::task::{Outcome, Task};
use crate::cli::ReportFormat;
use crate::commands::ExitStatus;

/// What came of one task.
#[derive(Debug)]
pub struct Entry {
    pub task: Task,
    pub outcome: Outcome,
    pub judgement: Judgement,
}

impl Entry {
    /// Its part in the exit status: where a verdict is expected, whether it came.
    pub fn status(&self) -> ExitStatus {
        match &self.judgement {
            Some(Ok(())) => ExitStatus::Fine,
            Some(Err(_)) if self.outcome.status == ExitStatus::Fine => ExitStatus::Violated,
            Some(Err(_)) | None => self.outcome.status,
        }
    }

    fn complaint(&self) -> Option<&str> {
        self.judgement.as_ref().and_then(|judgement| judgement.as_ref().err()).map(String::as_str)
    }

    fn is_as_expected(&self) -> bool {
        matches!(&self.judgement, Some(Ok(())))
    }
}

/// The text of the report.
pub fn document(format: ReportFormat, entries: &[Entry], status: ExitStatus) -> String {
    match format {
        ReportFormat::Junit => junit(entries),
        ReportFormat::Sarif => format!("{}\n", sarif(entries)),
        ReportFormat::Json | ReportFormat::Human | ReportFormat::Pan => format!("{}\n", json(entries, status)),
    }
}

/// The schema `pmc-reports/1`.
fn json(entries: &[Entry], status: ExitStatus) -> Json {
    let verdict = match status {
        ExitStatus::Fine => "verified",
        ExitStatus::Violated => "violated",
        ExitStatus::Wrong => "wrong",
        ExitStatus::Incomplete => "incomplete",
        ExitStatus::Internal => "failed",
    };
    let entry = |entry: &Entry| {
        let values = entry.task.values.iter().map(|(name, value)| (name.clone(), Json::Integer(i64::from(*value))));
        object([
            ("title", entry.task.title.as_str().into()),
            ("model", entry.task.model.display().to_string().into()),
            ("values", Json::Object(values.collect())),
            ("verdict", entry.outcome.verdict().into()),
            ("expected", entry.judgement.as_ref().map(Result::is_ok).into()),
            ("complaint", entry.complaint().into()),
            ("report", entry.outcome.report.clone().unwrap_or(Json::Null)),
            ("messages", entry.outcome.messages.as_str().into()),
        ])
    };
    object([
        ("schema", "pmc-reports/1".into()),
        ("pmc", env!("CARGO_PKG_VERSION").into()),
        ("verdict", verdict.into()),
        ("models", Json::List(entries.iter().map(entry).collect())),
    ])
}

/// A test suite for each model. Those of models with a verdict are the ones that a verifier writes.
fn junit(entries: &[Entry]) -> String {
    let suite = |entry: &Entry| {
        let written = entry.outcome.formatted.as_deref().filter(|_| entry.judgement.is_none());
        written.and_then(suites).map_or_else(|| own_suite(entry), str::to_owned)
    };
    let suites: String = entries.iter().map(suite).collect();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{suites}</testsuites>\n")
}

/// What stands inside of the outermost element.
fn suites(text: &str) -> Option<&str> {
    let start = text.find("<testsuites")?;
    let start = start + text[start..].find('>')? + 1;
    let end = text.rfind("</testsuites>")?;
    let inside = text.get(start..end)?.trim_start_matches('\n');
    inside.contains("<testsuite").then_some(inside)
}

/// The suite of a model that is wrong, was not run, or has a verdict that is expected.
fn own_suite(entry: &Entry) -> String {
    let (title, seconds) = (escaped(&entry.task.title), entry.outcome.seconds());
    let text = [details(&entry.outcome), vec![entry.outcome.messages.clone()]].concat().join("\n");
    let verdict = entry.outcome.verdict();
    let (failures, errors, result) = match (entry.complaint(), entry.status()) {
        (_, ExitStatus::Fine) => (0, 0, String::new()),
        (Some(complaint), ExitStatus::Violated) => (1, 0, element("failure", "expectation", complaint, &text)),
        (None, ExitStatus::Violated) => (1, 0, element("failure", "violated", verdict, &text)),
        (complaint, _) => (0, 1, element("error", verdict, complaint.unwrap_or(verdict), &text)),
    };
    format!(
        "  <testsuite name=\"{title}\" tests=\"1\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\">\n    \
         <testcase classname=\"{title}\" name=\"verdict\" time=\"{seconds:.3}\">\n{result}    </testcase>\n  </testsuite>\n"
    )
}

fn element(name: &str, kind: &str, message: &str, text: &str) -> String {
    let (kind, message) = (escaped(kind), escaped(message));
    format!("      <{name} type=\"{kind}\" message=\"{message}\">{}</{name}>\n", escaped(text.trim()))
}

/// The runs of all models. A violation that is expected is no result.
fn sarif(entries: &[Entry]) -> Json {
    let runs = entries.iter().flat_map(|entry| {
        let written = entry.outcome.formatted.as_deref().and_then(|text| Json::parse(text).ok());
        let runs = written.as_ref().and_then(|document| document.get("runs")?.as_list()).map(<[Json]>::to_vec);
        let runs = runs.filter(|_| entry.complaint().is_none()).unwrap_or_else(|| vec![own_run(entry)]);
        let is_expected = entry.is_as_expected();
        runs.into_iter().map(move |run| if is_expected { without_results(run) } else { run })
    });
    object([
        ("$schema", "https://json.schemastore.org/sarif-2.1.0.json".into()),
        ("version", "2.1.0".into()),
        ("runs", Json::List(runs.collect())),
    ])
}

fn without_results(run: Json) -> Json {
    match run {
        Json::Object(members) => Json::Object(
            members
                .into_iter()
                .map(|(name, value)| if name == "results" { (name, Json::List(Vec::new())) } else { (name, value) })
                .collect(),
        ),
        other => other,
    }
}

/// The run of a model that is wrong or was not run, or whose verdict is another than expected.
fn own_run(entry: &Entry) -> Json {
    let message = |text: &str| object([("text", text.into())]);
    let location = || {
        let artifact = object([("uri", entry.task.model.display().to_string().replace('\\', "/").into())]);
        object([("physicalLocation", object([("artifactLocation", artifact)]))])
    };
    let result = |complaint: &str| {
        object([
            ("ruleId", "expectation".into()),
            ("level", "error".into()),
            ("message", message(&format!("{}: {complaint}", entry.task.title))),
            ("locations", Json::List(vec![location()])),
        ])
    };
    let notes = details(&entry.outcome).into_iter().chain([entry.outcome.messages.trim().to_owned()]);
    let notes = notes.filter(|note| !note.is_empty());
    let notes = notes.map(|note| object([("level", "error".into()), ("message", message(&note))]));
    let is_successful = entry.outcome.report.is_some();
    let driver = object([("name", "pmc".into()), ("version", env!("CARGO_PKG_VERSION").into())]);
    object([
        ("tool", object([("driver", driver)])),
        (
            "invocations",
            Json::List(vec![object([
                ("executionSuccessful", is_successful.into()),
                ("toolExecutionNotifications", Json::List(notes.collect())),
            ])]),
        ),
        ("results", Json::List(entry.complaint().into_iter().map(result).collect())),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(status: ExitStatus, formatted: Option<&str>, judgement: Judgement) -> Entry {
        let task = Task {
            title: "a<b>.pml".to_owned(),
            model: "a<b>.pml".into(),
            reading: Vec::new(),
            flags: Vec::new(),
            trail: "t".into(),
            values: vec![("N".to_owned(), 3)],
        };
        let messages = "error: x & y\n".to_owned();
        let formatted = formatted.map(str::to_owned);
        Entry { task, outcome: Outcome { status, report: None, formatted, messages, is_left_out: false }, judgement }
    }

    #[test]
    fn suites_of_verifiers_are_taken_as_they_are() {
        let written = "<?xml version=\"1.0\"?>\n<testsuites tests=\"1\">\n  <testsuite name=\"m\">\n  </testsuite>\n</testsuites>\n";
        let entries = [entry(ExitStatus::Violated, Some(written), None), entry(ExitStatus::Wrong, None, None)];
        let text = junit(&entries);
        assert!(
            text.contains("<testsuites>\n  <testsuite name=\"m\">\n  </testsuite>\n  <testsuite name=\"a&lt;b"),
            "{text}"
        );
        assert!(text.contains("failures=\"0\" errors=\"1\"") && text.contains(">error: x &amp; y</error>"), "{text}");
    }

    #[test]
    fn what_is_expected_fails_no_test() {
        let met = junit(&[entry(ExitStatus::Violated, Some("<testsuites><testsuite/></testsuites>"), Some(Ok(())))]);
        assert!(met.contains("failures=\"0\" errors=\"0\""), "{met}");
        let unmet = junit(&[entry(ExitStatus::Fine, None, Some(Err("expected violated".to_owned())))]);
        assert!(unmet.contains("failures=\"1\"") && unmet.contains("message=\"expected violated\""), "{unmet}");
    }

    #[test]
    fn runs_are_put_side_by_side() {
        let written = r#"{"runs": [{"tool": 1, "results": [1]}]}"#;
        let entries = [
            entry(ExitStatus::Violated, Some(written), None),
            entry(ExitStatus::Violated, Some(written), Some(Ok(()))),
            entry(ExitStatus::Fine, Some(written), Some(Err("expected violated".to_owned()))),
        ];
        let document = sarif(&entries);
        let results: Vec<usize> = document
            .get("runs")
            .and_then(Json::as_list)
            .expect("runs")
            .iter()
            .map(|run| run.get("results").and_then(Json::as_list).expect("results").len())
            .collect();
        assert_eq!(results, [1, 0, 1]);
    }

    #[test]
    fn json_says_what_was_asked_and_what_came() {
        let document = json(&[entry(ExitStatus::Wrong, None, None)], ExitStatus::Wrong);
        assert_eq!(document.get("verdict").and_then(Json::as_text), Some("wrong"));
        let model = &document.get("models").and_then(Json::as_list).expect("models")[0];
        assert_eq!(model.get("values").and_then(|values| values.get("N")), Some(&Json::Integer(3)));
        assert_eq!(model.get("report"), Some(&Json::Null));
    }
}
