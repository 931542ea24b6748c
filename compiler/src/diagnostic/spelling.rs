//! What a word that means nothing was probably meant to be.

/// Words that can stand alone, as a statement or as a condition.
const ALONE: [&str; 7] = ["break", "else", "false", "np_", "skip", "timeout", "true"];

/// Words that are followed by parentheses or braces.
const CALLED: [&str; 16] = [
    "assert", "atomic", "d_step", "empty", "enabled", "eval", "for", "full", "if", "len", "nempty", "nfull", "printf",
    "run", "select", "do",
];

/// Operators of formulas as other tools write them.
const OPERATORS: [(&str, &str); 4] = [("G", "[]"), ("F", "<>"), ("globally", "[]"), ("finally", "<>")];

/// The word that was meant where a value or a statement is expected.
pub fn alone(word: &str) -> Option<&'static str> {
    nearest(word, &ALONE)
}

/// The word that was meant where parentheses follow.
pub fn called(word: &str) -> Option<&'static str> {
    nearest(word, &CALLED)
}

/// What a formula says in place of an operator of another tool.
pub fn operator(word: &str) -> Option<&'static str> {
    OPERATORS.iter().find(|(other, _)| *other == word).map(|(_, own)| *own)
}

fn nearest(word: &str, known: &[&'static str]) -> Option<&'static str> {
    let small = word.to_lowercase();
    let distances = known.iter().map(|known| (distance(&small, known), *known));
    let (distance, nearest) = distances.min()?;
    // Two letters that are exchanged, one more, one less, or another one; a short word is near to everything.
    let is_near = distance == 0 || distance == 1 && word.len() > 3;
    (is_near && word != nearest).then_some(nearest)
}

/// The least number of letters to insert, remove, replace, or exchange with the next one.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let last = &rows[i];
            let mut least = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_word_is_recognized() {
        for (word, meant) in [
            ("braek", Some("break")),
            ("True", Some("true")),
            ("FALSE", Some("false")),
            ("esle", Some("else")),
            ("skp", None),
            ("skpi", Some("skip")),
            ("timout", Some("timeout")),
            ("x", None),
            ("turn", None),
            ("state", None),
            ("break", None),
        ] {
            assert_eq!(alone(word), meant, "{word}");
        }
        assert_eq!(
            (called("asert"), called("Assert"), called("atomc")),
            (Some("assert"), Some("assert"), Some("atomic"))
        );
        assert_eq!((called("G"), operator("G"), operator("F")), (None, Some("[]"), Some("<>")));
        assert_eq!((called("set"), called("enter"), called("lend")), (None, None, Some("len")));
    }
}
