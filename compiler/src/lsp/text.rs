//! Places of the protocol: lines and columns from 0, where a column counts units of UTF-16; and addresses of files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    pub line: u32,
    pub character: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Range {
    pub start: Position,
    pub end: Position,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    pub uri: String,
    pub range: Range,
}

/// A text, and where its lines begin.
#[derive(Clone, Debug)]
pub struct Lines {
    pub text: Arc<str>,
    starts: Vec<usize>,
}

impl Lines {
    pub fn new(text: Arc<str>) -> Self {
        let starts =
            std::iter::once(0).chain(text.bytes().zip(1..).filter(|it| it.0 == b'\n').map(|it| it.1)).collect();
        Self { text, starts }
    }

    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset).max(1) - 1;
        let before = self.text.get(self.starts[line]..offset).unwrap_or("");
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position { line: number(line), character: number(before.encode_utf16().count()) }
    }

    pub fn range(&self, start: usize, end: usize) -> Range {
        Range { start: self.position(start), end: self.position(end.max(start)) }
    }

    /// A place behind the end of a line, or of the text, means its end.
    pub fn offset(&self, position: Position) -> usize {
        let Some(start) = self.starts.get(position.line as usize).copied() else { return self.text.len() };
        let end = self.starts.get(position.line as usize + 1).copied().unwrap_or(self.text.len());
        let line = self.text[start..end].trim_end_matches(['\n', '\r']);
        let mut units = 0;
        for (at, character) in line.char_indices() {
            if units >= position.character {
                return start + at;
            }
            units += u32::try_from(character.len_utf16()).unwrap_or(2);
        }
        start + line.len()
    }
}

/// The path of a `file:` address; of any other, which has no folder, its last part.
pub fn path_of(uri: &str) -> PathBuf {
    let Some(rest) = uri.strip_prefix("file://") else {
        let name = uri.rsplit(['/', ':']).find(|part| !part.is_empty()).unwrap_or("model.pml");
        return PathBuf::from(decode(name));
    };
    // In front of the path a host may stand.
    let path = rest.find('/').map_or(rest, |at| &rest[at..]);
    let path = decode(path);
    let is_drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    PathBuf::from(if is_drive { path[1..].to_owned() } else { path })
}

pub fn uri_of(path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut uri = format!("file://{slash}");
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri
}

/// Without `%20` and its like; what is none stays.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.filter(|_| bytes[at] == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_units_of_utf_16() {
        let lines = Lines::new("a\u{e9}\u{1f600}b\r\nsecond".into());
        let at = |line, character| lines.offset(Position { line, character });
        assert_eq!((at(0, 0), at(0, 1), at(0, 2), at(0, 4), at(0, 5)), (0, 1, 3, 7, 8));
        // Behind the end of a line, in the middle of a character, behind the end of the text.
        assert_eq!((at(0, 99), at(0, 3), at(1, 99), at(9, 0)), (8, 7, 16, 16));
        for offset in [0, 1, 3, 7, 8, 10, 16] {
            assert_eq!(lines.offset(lines.position(offset)), offset);
        }
        assert_eq!(lines.position(7), Position { line: 0, character: 4 });
        assert_eq!(lines.position(99), Position { line: 1, character: 6 });
    }

    #[test]
    fn addresses_are_paths() {
        let path = Path::new("/a b/ä#%.pml");
        assert_eq!(uri_of(path), "file:///a%20b/%C3%A4%23%25.pml");
        assert_eq!(path_of(&uri_of(path)), path);
        assert_eq!(path_of("file://host/x.pml"), Path::new("/x.pml"));
        assert_eq!(path_of("untitled:Untitled-1"), Path::new("Untitled-1"));
        assert_eq!(path_of("file:///a%zz%"), Path::new("/a%zz%"));
        assert_eq!(path_of(""), Path::new("model.pml"));
    }
}
