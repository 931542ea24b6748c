//! Errors of a model for CI systems that show test results: a test case that could not be run.

use super::Diagnostics;
use super::render::{Style, render, summary};
use crate::source::SourceMap;

/// The model as a test suite whose one case says what is wrong with it.
pub fn to_junit(model: &str, sources: &SourceMap, diagnostics: &Diagnostics) -> String {
    let escaped = pmc_runtime::report::junit::escaped;
    let model = escaped(model);
    let message = escaped(&summary(diagnostics));
    let text = escaped(&render(sources, diagnostics, Style::default()));
    let errors = u8::from(diagnostics.has_errors());
    let result = match (errors, text.is_empty()) {
        (1, _) => format!("\n      <error type=\"model\" message=\"{message}\">{text}</error>\n    "),
        (_, false) => format!("\n      <system-out>{text}</system-out>\n    "),
        (_, true) => String::new(),
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites>
  <testsuite name=\"{model}\" tests=\"1\" failures=\"0\" errors=\"{errors}\" time=\"0.000\">
    <testcase classname=\"{model}\" name=\"model\" time=\"0.000\">{result}</testcase>
  </testsuite>
</testsuites>
"
    )
}
