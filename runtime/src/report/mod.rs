//! Reports: a verdict as text, or for a CI system or a script.
//!
//! A new format is one file here that implements [`Reporter`], and its row in [`Format`].

mod advice;
pub mod human;
pub mod json;
pub mod junit;
pub mod pan;
pub mod sarif;

use crate::model::{ModelInfo, TransitionInfo, TransitionKind};
use crate::story::Run;
use crate::verdict::{PropertyReport, Report};
use std::io::{self, Write};

/// The input of a reporter. A format that needs more than this should be given a better [`Report`].
pub struct Subject<'a> {
    /// The tables of the model.
    pub info: &'a ModelInfo<'a>,
    /// The result of the check.
    pub report: &'a Report,
    /// For each property and each of its violations the file that the trail was written to.
    pub trails: &'a [Vec<Option<String>>],
    /// For each property and each of its violations the run, as [`tell_violations`](crate::story::tell_violations) tells
    /// it.
    pub runs: &'a [Vec<Option<Run>>],
    /// The command that replays a trail, which is appended to it: `pmc replay model.pml`.
    pub replay: Option<&'a str>,
    /// The numbers in the model that advice may name: `N=3`.
    pub parameters: Option<&'a str>,
    /// List statements that were never executed.
    pub list_unreached: bool,
    /// Use colours of a terminal.
    pub use_colors: bool,
}

/// Writes reports in one format.
pub trait Reporter {
    /// Writes the report.
    fn report(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()>;
}

/// The formats of reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Text.
    #[default]
    Human,
    /// As one JSON document.
    Json,
    /// As JUnit XML, for CI.
    Junit,
    /// As SARIF, for code scanning.
    Sarif,
    /// As Spin's pan writes it.
    Pan,
}

impl Format {
    /// All, with the names in flags.
    pub const ALL: [(&'static str, Format); 5] = [
        ("human", Format::Human),
        ("json", Format::Json),
        ("junit", Format::Junit),
        ("sarif", Format::Sarif),
        ("pan", Format::Pan),
    ];

    /// The reporter of this format.
    pub fn reporter(self) -> &'static dyn Reporter {
        match self {
            Format::Human => &human::Human,
            Format::Json => &json::Json,
            Format::Junit => &junit::Junit,
            Format::Sarif => &sarif::Sarif,
            Format::Pan => &pan::Pan,
        }
    }
}

impl<'a> Subject<'a> {
    /// The statements of one proctype, and those of them that were never executed. Jumps inserted by the compiler count
    /// for neither.
    fn unreached(&self, proctype: usize) -> (usize, Vec<&'a TransitionInfo<'a>>) {
        let of_proctype = |transition: &TransitionInfo<'_>| {
            usize::from(transition.proctype) == proctype && transition.kind != TransitionKind::Internal
        };
        let is_reached = |index: usize| {
            let mut properties = self.report.properties.iter();
            properties.any(|property| property.reached.get(index) == Some(&true))
        };
        let transitions = self.info.transitions.iter().enumerate();
        let all = transitions.filter(|(_, transition)| of_proctype(transition)).collect::<Vec<_>>();
        let unreached = all.iter().filter(|(index, _)| !is_reached(*index)).map(|(_, transition)| *transition);
        (all.len(), unreached.collect())
    }

    /// The warnings that belong to every verdict if states may have been missed, each with its property if there are
    /// several.
    fn odds(&self) -> Vec<String> {
        let properties = &self.report.properties;
        let of = |property: &PropertyReport| {
            let name = if properties.len() > 1 { format!("{}: ", human::title(property)) } else { String::new() };
            let lines = property.odds().unwrap_or_default();
            lines.into_iter().map(move |line| format!("{name}{line}")).collect::<Vec<_>>()
        };
        properties.iter().flat_map(of).collect()
    }

    /// The command that shows the steps of a trail.
    fn replay(&self, trail: Option<&str>) -> Option<String> {
        Some(format!("{} {}", self.replay?, quoted(trail?)))
    }

    /// The run into a violation of a property, if it is told.
    fn run(&self, property: usize, violation: usize) -> Option<&Run> {
        self.runs.get(property)?.get(violation)?.as_ref()
    }

    /// What stands behind the number of steps that are left out.
    fn more(&self, trail: Option<&str>) -> String {
        match self.replay(trail) {
            Some(command) => format!("; this shows them all: {command} --all"),
            None => " (replay --all shows them)".to_owned(),
        }
    }

    /// Why a search that was cut short may never come to its end.
    fn growth(&self) -> Vec<String> {
        if self.report.is_cut_short() { self.info.growth().collect() } else { Vec::new() }
    }

    fn trail(&self, property: usize, violation: usize) -> Option<&str> {
        self.trails.get(property)?.get(violation)?.as_deref()
    }
}

/// What is known about the length of the first counterexample, if it may not be a shortest one.
fn shortening(property: &PropertyReport) -> Option<String> {
    let (before, after) = (property.shortened_from()?, property.violations.first()?.trail.n_steps() as u64);
    let may_be_longer = "may not be the shortest (--shortest goes on)";
    Some(match after < before {
        true => {
            format!("shortened from {} to {} steps; {may_be_longer}", human::grouped(before), human::grouped(after))
        }
        false => format!("this run {may_be_longer}"),
    })
}

/// A word of a command line, in quotes if a shell would change it.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./=+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::options::{Algorithm, Options, Store};
    use crate::toy::{Edge, Graph, check};
    use std::time::Duration;

    /// The report of a run into a violated assertion, or of one without a violation.
    fn text(format: Format, edges: &[(u32, u32, Edge)]) -> String {
        text_with(format, edges, Options::default())
    }

    /// The same if the store keeps three bits for each state.
    fn approximate(format: Format, edges: &[(u32, u32, Edge)]) -> String {
        let limits = Limits { memory: Some(4 << 20), ..Limits::default() };
        text_with(format, edges, Options { store: Store::Bitstate(None), limits, ..Options::default() })
    }

    fn text_with(format: Format, edges: &[(u32, u32, Edge)], options: Options) -> String {
        use crate::model::Model;
        let model = Graph::new(edges, &[2]);
        let options = Options { algorithm: Algorithm::DepthFirst, ..options };
        let mut report = check(&model, &options);
        report.properties[0].statistics.elapsed = Duration::from_millis(1500);
        report.properties[0].statistics.memory_bytes = 3 << 20;
        let trails = [vec![Some("graph.trail.json".to_owned()); report.violations().count()]];
        let info = model.info();
        let replay = Some("pmc replay graph.pml");
        let subject = Subject {
            info,
            report: &report,
            trails: &trails,
            runs: &crate::story::tell_violations(&model, &report),
            replay,
            parameters: Some("N=3"),
            list_unreached: true,
            use_colors: false,
        };
        let mut out = Vec::new();
        format.reporter().report(&subject, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    const GOOD: &[(u32, u32, Edge)] = &[(0, 1, Edge::Plain), (1, 2, Edge::Plain)];
    const BAD: &[(u32, u32, Edge)] = &[(0, 1, Edge::Plain), (1, 2, Edge::Bad)];

    #[test]
    fn human_verified() {
        let expected = "\
graph.pml: verified
  complete search, no violation
  3 states, 3 transitions, depth 2, 8 bytes a state
  dfs, exact storage, no reduction; 1.50 s, 2 states/s, 3 MB
  never taken in walker:
    graph.pml:3  assert(good)
    graph.pml:4  a[i] = 1
";
        assert_eq!(text(Format::Human, GOOD), expected);
    }

    /// Every format qualifies "verified" if states may have been missed.
    #[test]
    fn odds_stand_where_the_verdict_is_read() {
        let expected = "\
graph.pml: verified, unless states were missed (probability less than 0.000001 %)
  the search came to its end, no violation
  states may have been missed, with a probability of less than 0.000001 %
  3 states, 3 transitions, depth 2, 8 bytes a state
  dfs, bitstate storage, no reduction; 1.50 s, 2 states/s, 3 MB
  bitstate storage: 3 bits for each state, in 3 MB
  never taken in walker:
    graph.pml:3  assert(good)
    graph.pml:4  a[i] = 1
";
        assert_eq!(approximate(Format::Human, GOOD), expected);
        let odds = "states may have been missed, with a probability of ";
        let json = crate::json::Json::parse(&approximate(Format::Json, GOOD)).unwrap();
        let search = json.get("properties").unwrap().as_list().unwrap()[0].get("search").unwrap();
        assert_eq!(search.get("complete"), Some(&crate::json::Json::Bool(false)));
        assert!(matches!(search.get("omission_probability"), Some(crate::json::Json::Number(odds)) if *odds < 1e-6));
        assert!(approximate(Format::Pan, GOOD).contains("Bit statespace search for:"));
        for format in [Format::Json, Format::Junit, Format::Sarif, Format::Pan] {
            assert!(approximate(format, GOOD).contains(odds), "{format:?}");
            assert!(!approximate(format, BAD).contains(odds), "{format:?}");
            assert!(!text(format, GOOD).contains(odds), "{format:?}");
        }
    }

    #[test]
    fn human_violated() {
        let expected = "\
graph.pml: violated
  assertion violated: assert(good)
    at graph.pml:3:1, after 2 steps:
      1  walker  graph.pml:2  go            at: 0 -> 1
      2  walker  graph.pml:3  assert(good)  at: 1 -> 2  <- here
    trail: graph.trail.json
    step by step: pmc replay graph.pml graph.trail.json
  the search stopped at the violation (--all-errors goes on)
  2 states, 2 transitions, depth 1, 8 bytes a state
  dfs, exact storage, no reduction; 1.50 s, 1 states/s, 3 MB
  never taken in walker:
    graph.pml:4  a[i] = 1
";
        assert_eq!(text(Format::Human, BAD), expected);
    }

    /// An assertion fails, and another run ends where it should not: both are told.
    #[test]
    fn every_violation_that_is_asked_for_is_told() {
        let edges = &[(0, 1, Edge::Bad), (0, 3, Edge::Plain), (1, 2, Edge::Plain)];
        let options = Options { all_errors: true, ..Options::default() };
        let human = text_with(Format::Human, edges, options.clone());
        assert_eq!(human.matches("\n      1  walker").count(), 2, "{human}");
        assert_eq!(text_with(Format::Junit, edges, options.clone()).matches("\n  1  walker").count(), 2);
        let json = crate::json::Json::parse(&text_with(Format::Json, edges, options)).unwrap();
        let property = &json.get("properties").unwrap().as_list().unwrap()[0];
        let all = property.get("violations").unwrap().as_list().unwrap();
        assert_eq!((all.len(), property.get("violation")), (2, all.first()));
        assert!(all[1].get("steps").unwrap().as_u64() > Some(0));
    }

    #[test]
    fn json_follows_the_schema() {
        let json = crate::json::Json::parse(&text(Format::Json, BAD)).unwrap();
        let text = |value: &crate::json::Json, name: &str| value.get(name).unwrap().as_text().unwrap().to_owned();
        assert_eq!(text(&json, "schema"), "pmc-report/1");
        assert_eq!(text(&json, "verdict"), "violated");
        let property = &json.get("properties").unwrap().as_list().unwrap()[0];
        assert_eq!((text(property, "name"), property.get("errors").unwrap().as_u64()), ("safety".to_owned(), Some(1)));
        let violation = property.get("violation").unwrap();
        assert_eq!(
            (text(violation, "kind"), text(violation, "trail")),
            ("assertion".into(), "graph.trail.json".into())
        );
        assert_eq!(violation.get("location").unwrap().get("line").unwrap().as_u64(), Some(3));
        let search = property.get("search").unwrap();
        assert_eq!(search.get("states_stored").unwrap().as_u64(), Some(2));
        assert_eq!(search.get("complete"), Some(&crate::json::Json::Bool(false)));
    }

    #[test]
    fn junit_has_a_failure_with_the_steps() {
        let expected = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites>
  <testsuite name=\"graph.pml\" tests=\"1\" failures=\"1\" errors=\"0\" time=\"1.500\">
    <testcase classname=\"graph.pml\" name=\"safety\" time=\"1.500\">
      <failure type=\"assertion\" message=\"assertion violated: assert(good)\">at graph.pml:3:1
  1  walker  graph.pml:2  go            at: 0 -&gt; 1
  2  walker  graph.pml:3  assert(good)  at: 1 -&gt; 2  &lt;- here
trail: graph.trail.json
</failure>
    </testcase>
  </testsuite>
</testsuites>
";
        assert_eq!(text(Format::Junit, BAD), expected);
    }

    #[test]
    fn sarif_names_rule_and_place() {
        let json = crate::json::Json::parse(&text(Format::Sarif, BAD)).unwrap();
        let run = &json.get("runs").unwrap().as_list().unwrap()[0];
        let result = &run.get("results").unwrap().as_list().unwrap()[0];
        assert_eq!(result.get("ruleId").unwrap().as_text(), Some("assertion"));
        assert!(crate::json::Json::parse(&text(Format::Sarif, GOOD)).is_ok());
    }

    #[test]
    fn pan_has_the_lines_that_scripts_look_for() {
        let text = text(Format::Pan, BAD);
        for line in [
            "pan:1: assertion violated (good) (at depth 1)",
            "State-vector 8 byte, depth reached 1, errors: 1",
            "        2 states, stored",
            "        0 states, matched",
            "        2 transitions (= stored+matched)",
            "unreached in proctype walker",
            "\tgraph.pml:4, state 0, \"a[i] = 1\"",
            "\t(1 of 3 states)",
            "pan: elapsed time 1.5 seconds",
        ] {
            assert!(text.lines().any(|other| other == line), "no line `{line}` in\n{text}");
        }
    }
}
