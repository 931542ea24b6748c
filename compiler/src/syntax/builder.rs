//! Makes the nodes of the tree for the grammar, and reports errors in their form.

use super::ast::{
    BinaryOp, Declaration, Expr, ExprKind, Ident, MAX_DEPTH, Probe, ReceiveArgument, ReceiveKind, Statement,
    StatementKind, UnaryOp, VarRef,
};
use super::lexer::split_c_text;
use crate::diagnostic::{Diagnostic, Lint};
use crate::source::{Name, Span};

#[derive(Debug, Default)]
pub struct AstBuilder {
    pub diagnostics: Vec<Diagnostic>,
    is_too_deep: bool,
}

impl AstBuilder {
    pub fn expr(&mut self, kind: ExprKind, span: Span) -> Expr {
        let expr = Expr::new(kind, span);
        if expr.depth() <= MAX_DEPTH {
            return expr;
        }
        self.too_deep(span, "expression", "give parts of it to variables");
        Expr::new(ExprKind::Broken, span)
    }

    pub fn statement(&mut self, kind: StatementKind, span: Span) -> Statement {
        let statement = Statement::new(kind, span);
        if statement.depth() <= MAX_DEPTH {
            return statement;
        }
        self.too_deep(span, "statement", "use `goto`, or a proctype of its own");
        Statement::new(StatementKind::Broken, span)
    }

    /// Excessive nesting is reported once.
    fn too_deep(&mut self, span: Span, what: &str, help: &str) {
        if !self.is_too_deep {
            self.is_too_deep = true;
            let message = format!("this {what} nests more than {MAX_DEPTH} deep");
            self.diagnostics.push(Diagnostic::error(902, span, message).help(help));
        }
    }

    pub fn unary(&mut self, op: UnaryOp, operand: Expr, span: Span) -> Expr {
        self.no_probe(&operand, span);
        self.expr(ExprKind::Unary(op, Box::new(operand)), span)
    }

    pub fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let span = left.span.to(right.span);
        if !is_logical(op) {
            self.no_probe(&left, span);
            self.no_probe(&right, span);
            self.no_temporal_operand(&left, span);
            self.no_temporal_operand(&right, span);
        }
        self.expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)
    }

    pub fn conditional(&mut self, condition: Expr, yes: Expr, no: Expr, span: Span) -> ExprKind {
        for part in [&condition, &yes, &no] {
            self.no_probe(part, span);
        }
        ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no))
    }

    /// `full(q)` and similar tests may be joined by `&&` and `||` and stand alone, but not be negated or used in
    /// arithmetic: the reduction has to know which side of a channel a condition tests.
    fn no_probe(&mut self, operand: &Expr, span: Span) {
        let mut unseen = vec![operand];
        while let Some(expr) = unseen.pop() {
            match &expr.kind {
                ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => unseen.extend([&**right, &**left]),
                ExprKind::Probe(probe, _) if *probe != Probe::Len => {
                    let (word, opposite) = match probe {
                        Probe::Full => ("full", "nfull"),
                        Probe::Empty => ("empty", "nempty"),
                        Probe::Nfull => ("nfull", "full"),
                        Probe::Nempty | Probe::Len => ("nempty", "empty"),
                    };
                    let message = format!("`{word}` can only be combined with `&&` and `||`");
                    let help = format!("the opposite of `{word}(q)` is written `{opposite}(q)`");
                    self.diagnostics.push(Diagnostic::error(104, span, message).help(help));
                    return;
                }
                _ => {}
            }
        }
    }

    /// Spin parses `<> x == 1` as `(<> x) == 1`, which is never meant.
    fn no_temporal_operand(&mut self, operand: &Expr, span: Span) {
        let sign = match &operand.kind {
            ExprKind::Unary(UnaryOp::Always, _) => "[]",
            ExprKind::Unary(UnaryOp::Eventually, _) => "<>",
            ExprKind::Unary(UnaryOp::Next, _) => "X",
            ExprKind::Binary(op, ..) if is_temporal(*op) => {
                let message = "a formula has no value to compare or compute with";
                self.diagnostics.push(Diagnostic::error(401, span, message).label(operand.span, "this is a formula"));
                return;
            }
            _ => return,
        };
        let message = format!("`{sign}` binds tighter than what compares or computes");
        let help = format!("write parentheses around what `{sign}` is to hold for: `{sign} (...)`");
        let diagnostic = Diagnostic::error(401, operand.span, message).here("it applies to this alone");
        self.diagnostics.push(diagnostic.help(help));
    }

    /// An expression as a statement.
    pub fn condition(&mut self, expr: Expr) -> StatementKind {
        match expr.kind {
            ExprKind::Skip => StatementKind::Skip,
            _ => StatementKind::Expr(expr),
        }
    }

    pub fn labelled(&mut self, label: Ident, mut statement: Statement) -> Statement {
        statement.labels.insert(0, label);
        statement
    }

    pub fn label_at_end(&mut self, label: Ident) -> Statement {
        let skip = Statement::new(StatementKind::Skip, label.span);
        self.labelled(label, skip)
    }

    pub fn labelled_declaration(&mut self, label: Ident, declaration: Declaration, span: Span) -> Statement {
        let message = format!("the label `{}` stands before a declaration", label.name);
        let help = "put the label before the first statement, behind the declarations";
        self.diagnostics.push(Diagnostic::error(105, label.span, message).help(help));
        self.statement(StatementKind::Declaration(declaration), span)
    }

    pub fn misplaced_mtype(&mut self, span: Span) -> Statement {
        let message = "names of an `mtype` cannot be declared inside a process";
        self.diagnostics.push(Diagnostic::error(106, span, message).help("move the list out, above the proctype"));
        Statement::new(StatementKind::Broken, span)
    }

    pub fn check_parameters(&mut self, parameters: &[Declaration]) {
        for variable in parameters.iter().flat_map(|declaration| &declaration.variables) {
            let name = &variable.name;
            if variable.size.is_some() {
                let message = format!("the parameter `{}` cannot be an array", name.name);
                let help = "make the array global, or pass its elements one by one";
                self.diagnostics.push(Diagnostic::error(107, name.span, message).help(help));
            }
            if let Some(init) = &variable.init {
                let message = format!("the parameter `{}` cannot have an initial value", name.name);
                let diagnostic = Diagnostic::error(107, name.span, message).label(init.span, "the value");
                self.diagnostics.push(diagnostic.help("its value comes from `run`"));
            }
        }
    }

    pub fn receive_place(&mut self, place: VarRef) -> ReceiveArgument {
        let span = place.span;
        let is_ignore = &*place.name.name == "_" && place.index.is_none() && place.fields.is_empty();
        let kind = if is_ignore { ReceiveKind::Ignore } else { ReceiveKind::Place(place) };
        ReceiveArgument { kind, span }
    }

    /// Constants are decimal and truncated to 32 bits, as in Spin's C code.
    pub fn number(&mut self, digits: &str, span: Span) -> ExprKind {
        let wide = digits.parse::<i64>().unwrap_or(i64::MAX);
        let Ok(value) = i32::try_from(wide) else {
            #[expect(clippy::cast_possible_truncation, reason = "this is the rule")]
            let cut = wide as i32;
            let shown = if digits.len() > 30 { "this constant".to_owned() } else { format!("`{digits}`") };
            let message = format!("{shown} does not fit in 32 bits with a sign and is read as {cut}");
            self.diagnostics.push(Diagnostic::warning(Lint::NumberTooLarge, span, message));
            return ExprKind::Number(cut);
        };
        ExprKind::Number(value)
    }

    /// The value of what stands between single quotes.
    pub fn character(&mut self, text: &str) -> ExprKind {
        let mut chars = text.chars();
        let value = match (chars.next(), chars.next()) {
            (Some('\\'), Some('n')) => '\n',
            (Some('\\'), Some('t')) => '\t',
            (Some('\\'), Some('r')) => '\r',
            (Some('\\'), Some('f')) => '\u{c}',
            (Some('\\'), Some('0')) => '\0',
            (Some('\\'), Some(other)) => other,
            (Some(plain), _) => plain,
            (None, _) => '\0',
        };
        ExprKind::Number(i32::try_from(u32::from(value)).unwrap_or(0))
    }

    pub fn c_code(&mut self, text: Name) -> StatementKind {
        let (guard, text) = split_guard(&text);
        StatementKind::CCode { guard, text }
    }

    pub fn c_expr(&mut self, text: Name) -> ExprKind {
        let (guard, text) = split_guard(&text);
        ExprKind::CExpr { guard, text }
    }

    /// The strings of `c_state` and `c_track`, as they were written.
    pub fn strings(&mut self, strings: &[Name]) -> Name {
        let quoted: Vec<String> = strings.iter().map(|text| format!("\"{text}\"")).collect();
        quoted.join(" ").into()
    }
}

/// `[guard] { text }` apart; both stay as they were written, without brackets and braces.
fn split_guard(text: &str) -> (Option<Name>, Name) {
    let inside = |text: &str, open: char, close: char| -> Name {
        text.strip_prefix(open).and_then(|text| text.strip_suffix(close)).unwrap_or(text).into()
    };
    let (guard, code) = split_c_text(text);
    (guard.map(|guard| inside(guard, '[', ']')), inside(code, '{', '}'))
}

fn is_temporal(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Until | BinaryOp::WeakUntil | BinaryOp::Release | BinaryOp::Implies | BinaryOp::Equivalent)
}

fn is_logical(op: BinaryOp) -> bool {
    is_temporal(op) || matches!(op, BinaryOp::And | BinaryOp::Or)
}
