//! The pages of the repository, and their parts.

use std::fs;
use std::path::{Path, PathBuf};

/// A page of Markdown.
pub struct Page {
    /// From the root of the repository, with `/`.
    pub name: String,
    pub text: String,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The files of the repository with one of these extensions, in order, as paths from its root. Leaves out what is built.
pub fn files(extensions: &[&str]) -> Vec<String> {
    fn visit(folder: &Path, root: &Path, extensions: &[&str], found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("a folder of the repository") {
            let path = entry.expect("it can be read").path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            // What a link leads to is found elsewhere.
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                if !name.starts_with('.') && !name.starts_with("target") && name != "node_modules" {
                    visit(&path, root, extensions, found);
                }
            } else if extensions.iter().any(|extension| name.ends_with(&format!(".{extension}"))) {
                let inside = path.strip_prefix(root).expect("found below it");
                found.push(inside.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    let (root, mut found) = (root(), Vec::new());
    visit(&root, &root, extensions, &mut found);
    found.sort();
    found
}

/// Every page of the repository.
pub fn pages() -> Vec<Page> {
    let pages: Vec<Page> = files(&["md"]).into_iter().map(Page::named).collect();
    assert!(pages.len() > 20, "there are {} pages only", pages.len());
    pages
}

/// A block between two fences.
pub struct Block {
    /// What stands behind the opening fence.
    pub language: String,
    pub text: String,
    /// Where its text begins in the page.
    pub start: usize,
}

impl Page {
    pub fn named(name: impl Into<String>) -> Page {
        let name = name.into();
        Page { text: read(&name), name }
    }

    /// The folder of the page, from the root of the repository.
    pub fn folder(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut at = 0;
        let mut open: Option<(String, usize)> = None;
        for line in self.text.split_inclusive('\n') {
            let end = at + line.len();
            if let Some(language) = line.trim_end().strip_prefix("```") {
                match open.take() {
                    None => open = Some((language.to_owned(), end)),
                    Some((language, start)) => {
                        blocks.push(Block { language, text: self.text[start..at].to_owned(), start });
                    }
                }
            }
            at = end;
        }
        assert!(open.is_none(), "{}: a block has no end", self.name);
        blocks
    }

    /// The page without its blocks.
    pub fn prose(&self) -> String {
        let mut is_inside = false;
        let mut prose = String::new();
        for line in self.text.split_inclusive('\n') {
            if line.starts_with("```") {
                is_inside = !is_inside;
            } else if !is_inside {
                prose += line;
            }
        }
        prose
    }

    /// What stands between backquotes in the prose.
    pub fn code_spans(&self) -> Vec<String> {
        let prose = self.prose();
        let paragraphs = prose.split("\n\n");
        let spans = paragraphs.flat_map(|paragraph| {
            let pieces: Vec<&str> = paragraph.split('`').collect();
            assert!(pieces.len() % 2 == 1, "{}: a backquote is missing: {paragraph}", self.name);
            pieces.into_iter().skip(1).step_by(2).map(|span| span.replace('\n', " "))
        });
        spans.collect()
    }

    /// The rows of the first table behind `heading`, cell by cell.
    pub fn table(&self, heading: &str) -> Vec<Vec<String>> {
        let (_, rest) = self.text.split_once(heading).unwrap_or_else(|| panic!("{}: no {heading:?}", self.name));
        let rows = rest.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
        let cells = |line: &str| {
            let line = line.trim_matches('|').replace("\\|", "\0");
            line.split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
        };
        rows.skip(2).map(cells).collect()
    }
}
