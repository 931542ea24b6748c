//! What is accepted, and how it is understood: shown by printing the tree.

use super::{ast, parse_well, with_large_stack};
use pmc::syntax::print;

/// The statements of a process, each printed on one line.
fn statements(text: &str) -> String {
    let file = parse_well(&format!("init {{ {text} }}"));
    let [ast::Item { kind: ast::ItemKind::Init { body, .. }, .. }] = file.items.as_slice() else {
        panic!("one process in {text}");
    };
    body.statements.iter().map(print::statement).collect::<Vec<_>>().join(" | ")
}

fn expression(text: &str) -> String {
    let printed = statements(&format!("x = {text}"));
    printed.strip_prefix("x = ").expect("an assignment").to_owned()
}

/// An expression with all its parentheses.
fn grouped(expr: &ast::Expr) -> String {
    match &expr.kind {
        ast::ExprKind::Unary(_, operand) => {
            let sign = print::expr(expr)
                .split_once(|c: char| c.is_alphanumeric() || c == '(')
                .map_or_else(String::new, |(sign, _)| sign.to_owned());
            let sign = sign.split_whitespace().next().unwrap_or_default().to_owned();
            format!("{sign}({})", grouped(operand))
        }
        ast::ExprKind::Binary(op, left, right) => format!("({} {op:?} {})", grouped(left), grouped(right)),
        _ => print::expr(expr),
    }
}

fn grouping(text: &str) -> String {
    let file = parse_well(&format!("ltl f {{ {text} }}"));
    let [ast::Item { kind: ast::ItemKind::Ltl { formula, .. }, .. }] = file.items.as_slice() else {
        panic!("one formula in {text}");
    };
    grouped(formula)
}

#[test]
fn every_statement_is_understood() {
    let cases = [
        ("skip", "skip"),
        ("(skip)", "skip"),
        ("x = 1; y++; z--", "x = 1 | y++ | z--"),
        ("a.b[2].c = x", "a.b[2].c = x"),
        ("x == 1 -> y", "x == 1 | y"),
        ("skip;; skip;", "skip | skip"),
        ("if :: x -> y = 1; z = 2 :: else fi", "if :: x -> y = 1; z = 2 :: else fi"),
        ("do :: break :: else -> skip; od", "do :: break :: else -> skip od"),
        ("atomic { skip; }; d_step { skip }; { skip }", "atomic { skip } | d_step { skip } | { skip }"),
        ("for (i : 1 .. n + 1) { skip }", "for (i : 1 .. n + 1) { skip }"),
        ("for (i in a) { skip }", "for (i in a) { skip }"),
        ("for (i in in) { in = in }", "for (i in in) { in = in }"),
        ("select (i : 0 .. 3)", "select (i : 0 .. 3)"),
        ("{ skip } unless { x }", "{ skip } unless { x }"),
        ("a: b: x = 1; c: skip; d:", "a: b: x = 1 | c: skip | d: skip"),
        ("goto a; a: { skip }", "goto a | a: { skip }"),
        ("q!1; q!!1,x; q!a(b,c)", "q!1 | q!!1,x | q!a,b,c"),
        ("q!x+1(2)", "q!x + 1,2"),
        ("q?x; q??x,_; q?a(b); q?(a,b)", "q?x | q??x,_ | q?a,b | q?a,b"),
        ("q?<x>; q??<x,1>; q?eval(x + 1),-1,true,'a'", "q?<x> | q??<x,1> | q?eval(x + 1),-1,true,97"),
        ("q?[x]; q??[x,1] && y", "q?[x] | q??[x,1] && y"),
        ("assert x == 1; assert(x)", "assert(x == 1) | assert(x)"),
        (
            "printf(\"a\\n\"); printf(\"%d\", x, 1); printm(m); printm(2)",
            "printf(\"a\\n\") | printf(\"%d\", x, 1) | printm(m) | printm(2)",
        ),
        ("run P(); x = run P(1, y) priority 3", "run P() | x = run P(1, y) priority 3"),
        ("set_priority(0, 1); x = get_priority(_pid)", "set_priority(0, 1) | x = get_priority(_pid)"),
        ("xr q, r; xs s[1]", "xr q, r | xs s[1]"),
        ("byte a = 1, b[3] = 2; hidden T t; unsigned u : 3", "byte a = 1, b[3] = 2 | hidden T t | unsigned u : 3"),
        ("chan q = [2] of { byte, mtype:m, chan, T }", "chan q = [2] of { byte, mtype:m, chan, T }"),
        ("byte a[2] = { 1, 2 }", "byte a[2] = { 1, 2 }"),
        ("return x + 1", "return x + 1"),
        ("len(q) > 0; full(q) && nempty(r[1])", "len(q) > 0 | full(q) && nempty(r[1])"),
        (
            "timeout; P[1]@l; P@l; enabled(1) && pc_value(0) == 2",
            "timeout | P[1]@l | P@l | enabled(1) && pc_value(0) == 2",
        ),
        ("c_code { x = 1; }; c_expr [a] { y }", "c_code { x = 1; } | c_expr [a] { y }"),
    ];
    for (text, printed) in cases {
        assert_eq!(statements(text), printed, "{text}");
    }
}

#[test]
fn precedence_is_that_of_spin() {
    let cases = [
        ("1 - 2 - 3", "1 - 2 - 3"),
        ("1 - (2 - 3)", "1 - (2 - 3)"),
        ("(1 + 2) * 3 + (4 * 5)", "(1 + 2) * 3 + 4 * 5"),
        ("(x & 1) == 0", "(x & 1) == 0"),
        ("x & (1 == 0)", "x & 1 == 0"),
        ("(a || b) && (c && d)", "(a || b) && (c && d)"),
        ("(a << 1) + 2 < (3 | 4 ^ 5)", "(a << 1) + 2 < (3 | 4 ^ 5)"),
        ("(!x) == 1", "!x == 1"),
        ("- -x + ~-y", "- -x + ~ -y"),
        ("! ! (x == 1)", "! !(x == 1)"),
        ("(c -> a : b) + (c -> (d -> 1 : 2) : 3)", "(c -> a : b) + (c -> (d -> 1 : 2) : 3)"),
        ("4294967295", "4294967295"),
        ("skip + true", "skip + true"),
        ("((((1))))", "1"),
    ];
    for (text, printed) in cases {
        assert_eq!(expression(text), printed, "{text}");
    }
}

#[test]
fn formulas_group_as_in_spin() {
    let cases = [
        ("p -> q -> r", "((p Implies q) Implies r)"),
        ("p U q U r", "((p Until q) Until r)"),
        ("p -> q U r", "(p Implies (q Until r))"),
        ("p U q && r", "((p Until q) And r)"),
        ("p || q && r", "(p Or (q And r))"),
        ("[] p U q", "([](p) Until q)"),
        ("[] p -> q", "([](p) Implies q)"),
        ("<> [] ! p", "<>([](!(p)))"),
        ("p U x == 1", "(p Until (x Equal 1))"),
        ("p <-> q -> r", "((p Equivalent q) Implies r)"),
        ("always p implies eventually q", "([](p) Implies <>(q))"),
        ("p V q W r", "((p Release q) WeakUntil r)"),
        ("(p -> q);", "(p Implies q)"),
    ];
    for (text, grouped) in cases {
        assert_eq!(grouping(text), grouped, "{text}");
    }
}

#[test]
fn every_unit_is_understood() {
    let text = "\
/* colours */
mtype = { red, green }

mtype:size = { small }

typedef T {
	byte a, b[2];
	mtype:size c;
}

hidden byte x = 1;
chan q[2] = [1] of { byte, T };

active [2] D_proctype P(byte a, b; chan c) priority 3 provided (x > 0) {
	skip
}

// starts it all
init priority 2 {
	run P(1, 2, q[0]);
	(x -> P[1]:a : 2) == 1
}

never claim {
	P:a == 1
}

trace {
	q[0]!1
}

notrace {
	q[0]?1
}

ltl f { [] (x == 1 -> <> P@l) }
ltl { x U x == 2 }
c_decl { int k; }
c_state \"int k\" \"Global\" \"3\"
c_track \"&k\" \"sizeof(int)\"
c_code { k = 1; }
";
    let printed = print::file(&parse_well(text));
    assert_eq!(printed, text.replace("// starts it all", "/* starts it all */"));
}

#[test]
fn depth_is_limited_only_where_nodes_nest() {
    with_large_stack(|| {
        parse_well(&format!("init {{ x = {}1{} }}", "(".repeat(10_000), ")".repeat(10_000)));
        parse_well(&format!("init {{ x = 1{} }}", " + 1".repeat(5_000)));
        parse_well(&format!("init {{ {}skip{} }}", "if :: ".repeat(2_000), " fi".repeat(2_000)));
        parse_well(&format!("init {{ {} }}", "x = 1;".repeat(10_000)));
    });
}
