//! `pmc ltl`: the automaton of a formula, without a model.

use std::io::{self, Write};

use super::{ExitStatus, print, style, written};
use crate::cli::{AutomatonFormat, LtlArgs};
use crate::diagnostic::render::render;
use crate::diagnostic::{Diagnostic, Diagnostics, Stop};
use crate::driver::Error;
use crate::ltl::formula::{AtomId, Formula};
use crate::ltl::print::AutomatonNames;
use crate::ltl::{self, Claim};
use crate::source::{SourceMap, Span};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::syntax::{self, print as promela};

/// Spin's own never claims have states only, so this option has no effect there.
const GENERALIZED_CLAIM: &str = "a never claim has acceptance on states; use --generalized with --format hoa or dot";

pub fn run(arguments: &LtlArgs) -> Result<ExitStatus, Error> {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::default();
    let result = automaton_text(arguments, &mut sources, &mut diagnostics);
    let messages = render(&sources, &diagnostics, style(arguments.color));
    written(io::stderr().lock().write_all(messages.as_bytes()))?;
    match result {
        Ok(text) => print(&text).map(|()| ExitStatus::Fine),
        Err(Stop) => Ok(ExitStatus::Wrong),
    }
}

fn automaton_text(arguments: &LtlArgs, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Result<String, Stop> {
    let file = sources.add("<formula>", arguments.formula.as_str()).ok_or(Stop)?;
    let whole = Span::new(0, sources.get(file).end());
    if arguments.generalized && arguments.format == AutomatonFormat::Never {
        diagnostics.add(Diagnostic::error(401, whole, GENERALIZED_CLAIM));
        return Err(Stop);
    }
    let tokens = syntax::tokenize_formula(sources, file, diagnostics);
    diagnostics.stop_on_error()?;
    let expr = syntax::parse_formula(&tokens, sources, diagnostics).ok_or(Stop)?;
    diagnostics.stop_on_error()?;

    let mut atoms = Vec::new();
    let mut formula = to_formula(&expr, &mut atoms);
    if arguments.negate {
        formula = formula.negated();
    }
    match ltl::translate(&formula) {
        Ok(claim) => Ok(show(arguments, &formula, &atoms, &claim)),
        Err(too_large) => {
            let help = "split it: each operand of an outermost `&&` can be checked by itself";
            diagnostics.add(
                Diagnostic::error(902, whole, format!("this formula cannot be translated: {too_large}")).help(help),
            );
            Err(Stop)
        }
    }
}

fn show(arguments: &LtlArgs, formula: &Formula, atoms: &[String], claim: &Claim) -> String {
    let text = formula.text(&|atom: AtomId| atoms[atom.0 as usize].clone());
    let names = AutomatonNames { formula: &text, atoms, is_stutter_closed: claim.is_stutter_closed };
    let automaton = if arguments.generalized { &claim.generalized } else { &claim.buchi };
    match arguments.format {
        AutomatonFormat::Never => automaton.to_never_claim(&names),
        AutomatonFormat::Hoa => automaton.to_hoa(&names),
        AutomatonFormat::Dot => automaton.to_dot(&names),
    }
}

/// Everything but the operators of the logic is an atom, named by its text.
fn to_formula(expr: &Expr, atoms: &mut Vec<String>) -> Formula {
    match &expr.kind {
        ExprKind::Bool(value) => Formula::Constant(*value),
        ExprKind::Number(number) => Formula::Constant(*number != 0),
        ExprKind::Skip => Formula::Constant(true),
        ExprKind::Unary(op, operand) => {
            let make: fn(Box<Formula>) -> Formula = match op {
                UnaryOp::Not => Formula::Not,
                UnaryOp::Always => Formula::Always,
                UnaryOp::Eventually => Formula::Eventually,
                UnaryOp::Next => Formula::Next,
                UnaryOp::Negate | UnaryOp::Complement => return atom(expr, atoms),
            };
            make(Box::new(to_formula(operand, atoms)))
        }
        ExprKind::Binary(op, left, right) => {
            let Some(make) = connective(*op) else { return atom(expr, atoms) };
            let left = Box::new(to_formula(left, atoms));
            make(left, Box::new(to_formula(right, atoms)))
        }
        _ => atom(expr, atoms),
    }
}

type Connective = fn(Box<Formula>, Box<Formula>) -> Formula;

fn connective(op: BinaryOp) -> Option<Connective> {
    Some(match op {
        BinaryOp::And => Formula::And,
        BinaryOp::Or => Formula::Or,
        BinaryOp::Implies => Formula::Implies,
        BinaryOp::Equivalent => Formula::Equivalent,
        BinaryOp::Until => Formula::Until,
        BinaryOp::WeakUntil => Formula::WeakUntil,
        BinaryOp::Release => Formula::Release,
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => {
            return None;
        }
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            return None;
        }
        BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Less | BinaryOp::LessEqual => return None,
        BinaryOp::Greater | BinaryOp::GreaterEqual => return None,
    })
}

fn atom(expr: &Expr, atoms: &mut Vec<String>) -> Formula {
    let text = promela::expr(expr);
    let number = atoms.iter().position(|atom| *atom == text).unwrap_or_else(|| {
        atoms.push(text);
        atoms.len() - 1
    });
    Formula::Atom(AtomId(u32::try_from(number).expect("a formula has fewer atoms than characters")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser as _;

    /// What the command prints, or the messages if the formula is wrong.
    fn ltl(options: &[&str]) -> Result<String, Vec<String>> {
        let Command::Ltl(arguments) = Cli::parse_from([&["pmc", "ltl"], options].concat()).command else {
            panic!("`ltl` was asked for")
        };
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::default());
        automaton_text(&arguments, &mut sources, &mut diagnostics)
            .map_err(|Stop| diagnostics.sorted().iter().map(|diagnostic| diagnostic.message.clone()).collect())
    }

    #[test]
    fn a_response_is_violated_by_waiting_for_ever() {
        let expected = "\
never {    /* !([] (p -> (<> (x == 1)))) */
T0_init:
\tdo
\t:: true -> goto T0_init
\t:: (p && !(x == 1)) -> goto accept_S1
\tod;
accept_S1:
\tdo
\t:: (!(x == 1)) -> goto accept_S1
\tod;
}
";
        assert_eq!(ltl(&["--negate", "[] (p -> <> (x == 1))"]).as_deref(), Ok(expected));
    }

    #[test]
    fn what_no_continuation_can_undo_ends_the_claim() {
        let expected = "\
never {    /* p U (!q) */
T0_init:
\tdo
\t:: (p && q) -> goto T0_init
\t:: (!q) -> goto accept_all
\tod;
accept_all:
\tskip
}
";
        assert_eq!(ltl(&["p until !q"]).as_deref(), Ok(expected));
    }

    #[test]
    fn generalized_acceptance_is_shown_in_hoa() {
        let expected = "\
HOA: v1
name: \"([] (<> p)) && ([] (<> q))\"
States: 1
Start: 0
AP: 2 \"p\" \"q\"
acc-name: generalized-Buchi 2
Acceptance: 2 Inf(0)&Inf(1)
properties: trans-labels explicit-labels trans-acc stutter-invariant
--BODY--
State: 0
[!0&!1] 0
[0&!1] 0 {0}
[!0&1] 0 {1}
[0&1] 0 {0 1}
--END--
";
        assert_eq!(ltl(&["--format", "hoa", "--generalized", "[]<>p && []<>q"]).as_deref(), Ok(expected));
    }

    #[test]
    fn next_is_not_stutter_invariant() {
        let hoa = ltl(&["--format", "hoa", "X p"]).expect("a formula");
        assert!(hoa.contains("properties: trans-labels explicit-labels state-acc\n"), "{hoa}");
    }

    #[test]
    fn accepting_states_have_two_circles() {
        let expected = "\
digraph claim {
  label=\"<> ([] p)\";
  rankdir=LR;
  node [shape=circle];
  start [shape=point];
  start -> 0;
  0;
  0 -> 0 [label=\"true\"];
  0 -> 1 [label=\"p\"];
  1 [shape=doublecircle];
  1 -> 1 [label=\"p\"];
}
";
        assert_eq!(ltl(&["--format", "dot", "<>[]p"]).as_deref(), Ok(expected));
    }

    #[test]
    fn mistakes_are_told() {
        let check = |formula: &str, message: &str| assert_eq!(ltl(&[formula]), Err(vec![message.to_owned()]));
        check("", "the formula is empty");
        check("p } init { skip", "there are no braces in a formula");
        for wrong in ["<> x == 1", "p q", "p U", "[] <>"] {
            assert!(ltl(&[wrong]).is_err(), "{wrong} is no formula");
        }
        check("[] p ->", "expected an expression, found the end");
        check("[] (p -> q", "expected `)` to close the `(` on line 1, found the end");
        assert!(ltl(&["--generalized", "p"]).is_err());
        let wide: Vec<String> = (0..30).map(|number| format!("<> p{number}")).collect();
        let messages = ltl(&[&wide.join(" && ")]).expect_err("2^30 states");
        assert!(messages[0].starts_with("this formula cannot be translated: "), "{messages:?}");
    }
}
