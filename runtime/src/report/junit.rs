//! For CI systems that show test results: one test case per property.

use super::human::write_steps;
use super::{Reporter, Subject};
use crate::verdict::Verdict;
use std::io::{self, Write};

pub struct Junit;

impl Reporter for Junit {
    fn report(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        let report = subject.report;
        let name = escaped(subject.info.name);
        let seconds = report.statistics.elapsed.as_secs_f64();
        let failures = usize::from(report.safety == Verdict::Violated);
        let tests = 1 + report.claims_left.len();
        let errors = usize::from(report.safety == Verdict::Incomplete) + report.claims_left.len();
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(out, "<testsuites>")?;
        writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\">"
        )?;
        writeln!(out, "    <testcase classname=\"{name}\" name=\"safety\" time=\"{seconds:.3}\">")?;
        match (report.safety, report.stop) {
            (Verdict::Verified, _) => {}
            (Verdict::Violated, _) => write_failures(subject, out)?,
            (Verdict::Incomplete, stop) => {
                let reason = stop.map_or_else(String::new, |stop| stop.to_string());
                let message = escaped(&format!("the search is incomplete: {reason}"));
                writeln!(out, "      <error type=\"incomplete\" message=\"{message}\"/>")?;
            }
        }
        writeln!(out, "    </testcase>")?;
        for claim in report.claims_left {
            writeln!(out, "    <testcase classname=\"{name}\" name=\"{}\" time=\"0.000\">", escaped(claim.name))?;
            writeln!(out, "      <error type=\"incomplete\" message=\"this version does not check claims\"/>")?;
            writeln!(out, "    </testcase>")?;
        }
        writeln!(out, "  </testsuite>")?;
        writeln!(out, "</testsuites>")
    }
}

/// The format has one failure per test case; further violations are told in its text.
fn write_failures(subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(first) = subject.report.violations.first() else { return Ok(()) };
    let mut text = Vec::new();
    if let Some(place) = first.place {
        writeln!(text, "at {}:{}", subject.info.line(place), place.column)?;
    }
    write_steps(subject.info, &first.trail, "", &mut text)?;
    if let Some(trail) = subject.trail(0) {
        writeln!(text, "trail: {trail}")?;
    }
    for other in &subject.report.violations[1..] {
        writeln!(text, "also: {}", other.message)?;
    }
    let (kind, message) = (first.found.kind.name(), escaped(&first.message));
    let text = escaped(&String::from_utf8_lossy(&text));
    writeln!(out, "      <failure type=\"{kind}\" message=\"{message}\">{text}</failure>")
}

/// Text as it may stand in XML, in an attribute too. Control characters have no place in XML at all.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn what_xml_cannot_hold_is_escaped() {
        assert_eq!(escaped("a < b && \"c\" \u{1}"), "a &lt; b &amp;&amp; &quot;c&quot; \u{fffd}");
    }
}
