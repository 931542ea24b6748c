//! For CI systems that show test results: one test case per property.

use super::human::{ABSTRACT, title};
use super::{Reporter, Subject, shortening};
use crate::limits::Stop;
use crate::show::Show;
use crate::story::lines::{Layout, write_end, write_steps};
use crate::verdict::{PropertyReport, Verdict, Violation};
use std::io::{self, Write};

/// As JUnit XML.
pub struct Junit;

impl Reporter for Junit {
    fn report(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        let properties = &subject.report.properties;
        let name = escaped(subject.info.name);
        let seconds: f64 = properties.iter().map(seconds).sum();
        let count = |verdict| properties.iter().filter(|property| property.verdict == verdict).count();
        let (tests, failures, errors) = (properties.len(), count(Verdict::Violated), count(Verdict::Incomplete));
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(out, "<testsuites>")?;
        writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\">"
        )?;
        for n in 0..properties.len() {
            write_case(subject, n, out)?;
        }
        writeln!(out, "  </testsuite>")?;
        writeln!(out, "</testsuites>")
    }
}

fn seconds(property: &PropertyReport) -> f64 {
    property.statistics.elapsed.as_secs_f64()
}

fn write_case(subject: &Subject<'_>, n: usize, out: &mut dyn Write) -> io::Result<()> {
    let property = &subject.report.properties[n];
    let (model, name) = (escaped(subject.info.name), escaped(&title(property)));
    writeln!(out, "    <testcase classname=\"{model}\" name=\"{name}\" time=\"{:.3}\">", seconds(property))?;
    match (property.verdict, property.stop) {
        (Verdict::Verified, _) => {
            if let Some(lines) = property.odds() {
                writeln!(out, "      <system-out>{}</system-out>", escaped(&lines.join("\n")))?;
            }
        }
        (Verdict::Violated, _) => write_failures(subject, n, out)?,
        (Verdict::Incomplete, stop) => {
            let message = match stop {
                Some(stop @ Stop::NotChecked(_)) => stop.to_string(),
                Some(stop) => format!("the search is incomplete: {stop}"),
                None => "the search is incomplete".to_owned(),
            };
            let unsure = property.violations.iter().map(|violation| format!("{}: {ABSTRACT}", violation.message));
            let growth: Vec<String> = unsure.chain(subject.growth()).chain(subject.advice()).collect();
            match growth.is_empty() {
                true => writeln!(out, "      <error type=\"incomplete\" message=\"{}\"/>", escaped(&message))?,
                false => writeln!(
                    out,
                    "      <error type=\"incomplete\" message=\"{}\">{}</error>",
                    escaped(&message),
                    escaped(&growth.join("\n"))
                )?,
            }
        }
    }
    writeln!(out, "    </testcase>")
}

/// The format has one failure per test case; its text tells further violations behind the first.
fn write_failures(subject: &Subject<'_>, n: usize, out: &mut dyn Write) -> io::Result<()> {
    let violations = &subject.report.properties[n].violations;
    let Some(first) = violations.first() else { return Ok(()) };
    let mut text = Vec::new();
    for (nth, violation) in violations.iter().enumerate() {
        if nth > 0 {
            writeln!(text, "also: {}", violation.message)?;
        }
        write_run(subject, (n, nth), violation, &mut text)?;
        if let Some(shortening) = shortening(&subject.report.properties[n]).filter(|_| nth == 0) {
            writeln!(text, "{shortening}")?;
        }
    }
    let (kind, message) = (first.found.kind.name(), escaped(&first.message));
    let text = escaped(&String::from_utf8_lossy(&text));
    writeln!(out, "      <failure type=\"{kind}\" message=\"{message}\">{text}</failure>")
}

fn write_run(
    subject: &Subject<'_>,
    (property, nth): (usize, usize),
    violation: &Violation,
    text: &mut dyn Write,
) -> io::Result<()> {
    if let Some(place) = violation.place {
        writeln!(text, "at {}:{}", subject.info.line(place), place.column)?;
    }
    let trail = subject.trail(property, nth);
    if let Some(run) = subject.run(property, nth) {
        let more = &subject.more(trail);
        let layout = Layout { indent: "", dim: ("", ""), more, show: Show::default().or_everything() };
        write_steps(subject.info, run, layout, text)?;
        write_end(subject.info, (&run.end, &run.processes), layout, text)?;
    }
    match trail {
        Some(trail) => writeln!(text, "trail: {trail}"),
        None => Ok(()),
    }
}

/// Text escaped for XML, also for attributes. Control characters are not allowed in XML at all.
pub fn escaped(text: &str) -> String {
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
