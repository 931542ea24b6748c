//! Formulas of temporal logic: `["always", ["implies", ["atom", p], ["eventually", ["atom", q]]]]`.

use super::expr::expr_in;
use super::json::{list, text};
use crate::model::{Expr, Formula, Ltl, Model};
use crate::source::SourceMap;
use crate::tables::visible;

/// The text of the formula and its parts. Of one that nests too deep only the claim is known.
pub fn formula(model: &Model, sources: &SourceMap, ltl: &Ltl) -> String {
    let written = sources.text(ltl.written).split_whitespace().collect::<Vec<_>>().join(" ");
    let written = match written.char_indices().nth(LONGEST) {
        None => written,
        Some((end, _)) => format!("{} ...", &written[..end]),
    };
    let parts = part(&|atom, depth| expr_in(model, atom, depth), &ltl.formula, 0);
    parts.map_or("null".to_owned(), |parts| list([text(&visible(&written)), parts]))
}

/// In characters. A formula says more when it is whole.
const LONGEST: usize = 400;

/// A reader of JSON has a limit, which expressions have to share.
const DEEPEST: usize = 18;

fn part(atom: &dyn Fn(&Expr, usize) -> String, of: &Formula, depth: usize) -> Option<String> {
    if depth > DEEPEST {
        return None;
    }
    let inner = |of: &Formula| part(atom, of, depth + 1);
    let unary = |word: &str, a: &Formula| Some(list([text(word), inner(a)?]));
    let binary = |word: &str, a: &Formula, b: &Formula| Some(list([text(word), inner(a)?, inner(b)?]));
    match of {
        Formula::Atom(expr) => Some(list([text("atom"), atom(expr, depth)])),
        Formula::Not(a) => unary("!", a),
        Formula::And(a, b) => binary("&&", a, b),
        Formula::Or(a, b) => binary("||", a, b),
        Formula::Implies(a, b) => binary("->", a, b),
        Formula::Equivalent(a, b) => binary("<->", a, b),
        Formula::Next(a) => unary("X", a),
        Formula::Always(a) => unary("[]", a),
        Formula::Eventually(a) => unary("<>", a),
        Formula::Until(a, b) => binary("U", a, b),
        Formula::WeakUntil(a, b) => binary("W", a, b),
        Formula::Release(a, b) => binary("V", a, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(formula: &Formula) -> Option<String> {
        part(&|_, depth| depth.to_string(), formula, 0)
    }

    #[test]
    fn a_formula_is_a_list_of_lists() {
        let span = crate::source::Span::new(0, 0);
        let atom = || Box::new(Formula::Atom(Expr::constant(1, span)));
        let response = Formula::Always(Box::new(Formula::Implies(atom(), Box::new(Formula::Eventually(atom())))));
        let expected = r#"["[]",["->",["atom",2],["<>",["atom",3]]]]"#;
        assert_eq!(shown(&response).as_deref(), Some(expected));
        let deep = (0..=DEEPEST).fold(*atom(), |inner, _| Formula::Next(Box::new(inner)));
        assert_eq!(shown(&deep), None);
    }
}
