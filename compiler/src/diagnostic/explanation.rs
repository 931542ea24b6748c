//! What each code means, with a wrong and a right model: one page in `explanations/` for each.

use include_dir::{Dir, include_dir};

static PAGES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/diagnostic/explanations");

/// The page of one code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// `P0203`, or the name of a lint.
    pub code: &'static str,
    /// All of it, as Markdown.
    pub markdown: &'static str,
    pub title: &'static str,
    pub text: &'static str,
    /// What the examples are written in: `promela`, or `toml` for a project file.
    pub language: &'static str,
    /// A model that gives the code. If flags of the command line matter, its first line is a comment with them:
    /// `/* pmc verify --capacity q=4 */`.
    pub wrong: &'static str,
    /// A model that gives no message at all.
    pub right: &'static str,
    /// A page of the manual of the language.
    pub page: &'static str,
}

/// The page of a code; letters may be small.
pub fn explanation(code: &str) -> Option<Explanation> {
    explanations().find(|page| page.code.eq_ignore_ascii_case(code))
}

/// Whether a word has the form of an error's code.
pub fn is_code(word: &str) -> bool {
    word.strip_prefix(['P', 'p']).is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// All pages, in the order of the codes.
pub fn explanations() -> impl Iterator<Item = Explanation> {
    PAGES.files().filter_map(|file| {
        let code = file.path().file_stem()?.to_str()?;
        parse(code, file.contents_utf8()?)
    })
}

/// The parts of a page: its title, text, models and link.
fn parse(code: &'static str, markdown: &'static str) -> Option<Explanation> {
    let (title, rest) = markdown.strip_prefix("# ")?.split_once("\n\n")?;
    let (text, rest) = rest.split_once("\n\nWrong:\n\n```")?;
    let (language, rest) = rest.split_once('\n')?;
    let (wrong, rest) = rest.split_once("\n```\n\nRight:\n\n```")?;
    let rest = rest.strip_prefix(language)?.strip_prefix('\n')?;
    let (right, rest) = rest.split_once("\n```\n\nThe language: <")?;
    let page = rest.strip_suffix(">\n")?;
    Some(Explanation { code, markdown, title, text, language, wrong, right, page })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_all_its_parts() {
        assert!(PAGES.dirs().next().is_none());
        let codes: Vec<&str> = explanations().map(|page| page.code).collect();
        assert_eq!(codes.len(), PAGES.files().count());
        assert!(codes.len() > 100);
    }

    #[test]
    fn a_code_may_be_written_small() {
        let page = explanation("p0203").expect("a page");
        assert_eq!((page.code, page.page), ("P0203", "https://spinroot.com/spin/Man/send.html"));
        assert_eq!(explanation("P9999"), None);
        assert!(is_code("P9999") && is_code("p0000"));
        assert!(!is_code("P203") && !is_code("P02034") && !is_code("model.pml") && !is_code("Pabcd"));
    }
}
