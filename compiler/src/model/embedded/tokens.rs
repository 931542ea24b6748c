//! The tokens of a text of C, as far as mentions need them.

use crate::syntax::c_text::CPart;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CToken {
    Name(String),
    Sign(&'static str),
    /// A number or a string.
    Value,
    /// A line of the C preprocessor without its `#`, which the author wrote as `\#`.
    Directive(String),
    /// The same without the backslash.
    BareDirective,
}

impl CToken {
    pub fn is(&self, sign: &str) -> bool {
        matches!(self, Self::Sign(own) if *own == sign)
    }

    pub fn name(&self) -> Option<&str> {
        if let Self::Name(name) = self { Some(name) } else { None }
    }
}

/// The longest match wins.
const SIGNS: [&str; 45] = [
    "<<=", ">>=", "...", "->", "++", "--", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "(", ")", "[", "]", "{", "}", ".", ",", ";", "+", "-", "*", "/", "%", "=", "<", ">", "!",
    "&", "|", "^", "~", "?",
];

pub fn tokens(text: &str) -> Vec<CToken> {
    // A backslash joins lines, even within a word.
    let text = &*text.replace("\\\r\n", "").replace("\\\n", "");
    let mut found = Vec::new();
    let mut rest = text;
    let mut at_line_start = true;
    while let Some((part, behind)) = CPart::first(rest) {
        let begins_line = at_line_start;
        at_line_start = match part {
            CPart::Space(space) => begins_line || space.contains('\n'),
            _ => false,
        };
        if begins_line && (rest.starts_with('#') || rest.starts_with("\\#")) {
            let length = rest.find('\n').unwrap_or(rest.len());
            found.push(match rest[..length].strip_prefix("\\#") {
                Some(line) => CToken::Directive(line.trim().to_owned()),
                None => CToken::BareDirective,
            });
            rest = &rest[length..];
            continue;
        }
        rest = behind;
        match part {
            CPart::Space(_) => {}
            CPart::Name(name) => found.push(CToken::Name(name.to_owned())),
            CPart::Number(_) | CPart::Quoted(_) => found.push(CToken::Value),
            CPart::Sign(first) => {
                let whole = &text[text.len() - rest.len() - first.len_utf8()..];
                // `%:` is another spelling of `#`.
                if let Some(behind) = whole.strip_prefix("%:") {
                    found.push(CToken::BareDirective);
                    rest = behind;
                    continue;
                }
                match SIGNS.iter().find(|sign| whole.starts_with(**sign)) {
                    Some(sign) => {
                        found.push(CToken::Sign(sign));
                        rest = &whole[sign.len()..];
                    }
                    None if first == ':' => found.push(CToken::Sign(":")),
                    // What the C compiler will refuse.
                    None => {}
                }
            }
        }
    }
    found
}

/// The position behind the bracket that closes the one at `open`, or the end.
pub fn behind_group(tokens: &[CToken], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            CToken::Sign("(" | "[" | "{") => depth += 1,
            CToken::Sign(")" | "]" | "}") => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let shown = |token: &CToken| match token {
            CToken::Name(name) => name.clone(),
            CToken::Sign(sign) => (*sign).to_owned(),
            CToken::Value => "#".to_owned(),
            CToken::Directive(line) => format!("<{line}>"),
            CToken::BareDirective => "<?>".to_owned(),
        };
        tokens(text).iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn signs_are_as_long_as_they_can_be() {
        assert_eq!(shown("a->b<<=c&&&d"), "a -> b <<= c && & d");
        assert_eq!(shown("x+++1 ? 'a' : \"b\""), "x ++ + # ? # : #");
    }

    #[test]
    fn a_directive_is_a_line() {
        assert_eq!(shown("a\n \\#define N \\\n 3\nb"), "a <define N  3> b");
        assert_eq!(shown("#define N 3\nb # c"), "<?> b c");
        assert_eq!(shown("%:define N 3"), "<?> define N #");
    }

    #[test]
    fn a_backslash_joins_lines() {
        assert_eq!(shown("no\\\nw.x"), "now . x");
    }

    #[test]
    fn groups_have_an_end() {
        let found = tokens("f(a[1], (b)) c");
        assert_eq!(behind_group(&found, 1), found.len() - 1);
        assert_eq!(behind_group(&tokens("(("), 0), 2);
    }
}
