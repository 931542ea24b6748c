//! JSON without a space, in ASCII alone: the text is a literal of an emitted crate.

use std::fmt::Write;

/// A number as text.
pub trait Text {
    fn text(self) -> String;
}

impl Text for u32 {
    fn text(self) -> String {
        self.to_string()
    }
}

pub fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}

pub fn text(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            ' '..='~' => quoted.push(c),
            other => {
                let mut units = [0; 2];
                for unit in other.encode_utf16(&mut units) {
                    let written = write!(quoted, "\\u{unit:04x}");
                    debug_assert!(written.is_ok(), "writing to a string cannot fail");
                }
            }
        }
    }
    quoted.push('"');
    quoted
}
