//! `pmc explain P0203`: what a code means.

use std::path::Path;

use serde_json::json;

use crate::cli::Format;
use crate::commands::{ExitStatus, print};
use crate::diagnostic::explanation::{explanation, is_code};
use crate::driver::Error;

/// The code in place of a model, if it is one and no file has its name.
pub fn asked(path: &Path) -> Option<&str> {
    let word = path.to_str()?;
    let is_asked = is_code(word) || explanation(word).is_some();
    (is_asked && !path.exists()).then_some(word)
}

pub fn run(code: &str, format: Format) -> Result<ExitStatus, Error> {
    let Some(page) = explanation(code) else { return Err(Error::NoCode { code: code.to_owned() }) };
    let text = match format {
        Format::Human => page.markdown.replacen("# ", &format!("# {}: ", page.code), 1),
        Format::Json => {
            let page = json!({
                "schema": "pmc-code/1",
                "code": page.code,
                "title": page.title,
                "text": page.text,
                "language": page.language,
                "wrong": page.wrong,
                "right": page.right,
                "page": page.page,
            });
            serde_json::to_string_pretty(&page).expect("strings") + "\n"
        }
    };
    print(&text).map(|()| ExitStatus::Fine)
}
