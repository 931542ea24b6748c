//! Small changes to the text of a model, such as a beginner would make.

use crate::random_model::random::Random;

/// A piece of text: a word, a number, a string, a comment, white space, or one sign.
type Piece<'t> = &'t str;

/// The text with one to three changes. The same seed gives the same changes.
pub fn mutate(text: &str, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut pieces: Vec<String> = pieces(text).into_iter().map(str::to_owned).collect();
    for _ in 0..=random.below(3) {
        change(&mut pieces, &mut random);
    }
    pieces.concat()
}

fn change(pieces: &mut Vec<String>, random: &mut Random) {
    let solid: Vec<usize> = (0..pieces.len()).filter(|at| is_solid(&pieces[*at])).collect();
    let Some(at) = some(&solid, random) else { return };
    let of_kind =
        |kind: fn(&str) -> bool| -> Vec<usize> { solid.iter().copied().filter(|at| kind(&pieces[*at])).collect() };
    let words = of_kind(is_word);
    match random.below(12) {
        0 => drop(pieces.remove(at)),
        1 => pieces.insert(at, format!("{} ", pieces[at])),
        2 => {
            if let Some(other) = some(&solid, random) {
                pieces.swap(at, other);
            }
        }
        // One name for another.
        3 | 4 => {
            if let (Some(one), Some(other)) = (some(&words, random), some(&words, random)) {
                pieces[one] = pieces[other].clone();
            }
        }
        // An index is left out.
        5 => {
            let open = some(&of_kind(|piece| piece == "["), random);
            if let Some(open) = open
                && let Some(length) = pieces[open..].iter().position(|piece| piece == "]")
            {
                pieces.drain(open..=open + length);
            }
        }
        // A statement moves to another place.
        6 | 7 => {
            let ends = of_kind(|piece| piece == ";");
            if let (Some(from), Some(to)) = (some(&ends, random), some(&ends, random))
                && let Some(length) = pieces[from + 1..].iter().position(|piece| piece == ";")
            {
                let moved: String = pieces[from + 1..=from + 1 + length].concat();
                pieces.insert(to + 1, format!(" {moved} "));
            }
        }
        8 => {
            let starts = of_kind(|piece| matches!(piece, "{" | ";" | ":"));
            if let Some(start) = some(&starts, random) {
                pieces.insert(start + 1, format!(" {} ", random.pick(INSERTED)));
            }
        }
        9 => {
            if let Some(one) = some(&words, random) {
                pieces[one] = random.pick(WORDS).to_owned();
            }
        }
        10 => {
            let signs = of_kind(|piece| !is_word(piece) && piece.chars().all(|c| c.is_ascii_punctuation()));
            if let (Some(one), Some(other)) = (some(&signs, random), some(&signs, random)) {
                pieces[one] = pieces[other].clone();
            }
        }
        _ => {
            let numbers = of_kind(|piece| piece.starts_with(|c: char| c.is_ascii_digit()));
            if let Some(one) = some(&numbers, random) {
                pieces[one] = random.pick(&["0", "1", "255", "256", "33", "(2)", "-1", "x"]).to_owned();
            }
        }
    }
}

const INSERTED: &[&str] = &[
    "byte q1;",
    "byte q1 = 3;",
    "byte q2[3];",
    "byte q2[3] = { 1, 2 };",
    "chan q3 = [1] of { byte };",
    "q1 = 2;",
    "skip;",
    "L1:",
    "goto L1;",
    "break;",
    "else;",
    "atomic { skip }",
    "d_step { skip };",
    "if :: skip fi;",
    "do :: break od;",
    "printf(\"x\");",
    "assert(1);",
    "(1) ->",
    "run P();",
    "for (q1 : 1 .. 2) { skip };",
    "select (q1 : 1 .. 3);",
    "xr q3;",
    "hidden byte q4;",
    "mtype q5;",
    "timeout;",
    "short q6, q7 = 2;",
    "{ skip };",
    "unless",
];

const WORDS: &[&str] = &[
    "byte", "bit", "int", "chan", "mtype", "if", "fi", "do", "od", "atomic", "d_step", "else", "skip", "break", "goto",
    "run", "len", "empty", "nfull", "timeout", "_pid", "_nr_pr", "_", "assert", "printf", "active", "proctype", "init",
    "never", "eval", "unless", "provided", "hidden", "show", "xs", "typedef", "inline", "of", "for", "in", "select",
    "true", "x", "i",
];

fn some(places: &[usize], random: &mut Random) -> Option<usize> {
    let n = u32::try_from(places.len()).ok().filter(|n| *n > 0)?;
    Some(places[random.below(n) as usize])
}

fn is_word(piece: &str) -> bool {
    piece.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Neither white space nor a comment nor a line of the preprocessor.
fn is_solid(piece: &str) -> bool {
    !piece.trim().is_empty() && !piece.starts_with("/*") && !piece.starts_with("//") && !piece.starts_with('#')
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let until = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
        let run = |part: fn(char) -> bool| rest.find(|c| !part(c)).unwrap_or(rest.len());
        let length = match first {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' => until("\"", 1),
            '/' if rest.starts_with("/*") => until("*/", 2),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if first.is_ascii_alphanumeric() || first == '_' => run(|c| c.is_ascii_alphanumeric() || c == '_'),
            _ if first.is_whitespace() => run(char::is_whitespace),
            _ => first.len_utf8(),
        };
        let (piece, left) = rest.split_at(length);
        pieces.push(piece);
        rest = left;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_are_the_text() {
        let text = "#define N 3\nbyte a[N]; /* c */ init { printf(\"a b\"); a[1]++ } // end\n\u{e9}";
        assert_eq!(pieces(text).concat(), text);
        assert!(pieces(text).contains(&"\"a b\"") && pieces(text).contains(&"/* c */"));
    }

    #[test]
    fn a_seed_is_a_change() {
        let text = "byte x, y; active proctype P() { x = 1; y = x + 2; x++ }";
        assert_eq!(mutate(text, 7), mutate(text, 7));
        let changed = (0..50).filter(|seed| mutate(text, *seed) != text).count();
        assert!(changed > 40, "{changed}");
    }
}
