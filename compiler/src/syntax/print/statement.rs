//! Statements as Promela.

use super::expr::query;
use super::{Printer, place};
use crate::syntax::ast::{Block, Expr, Side, Statement, StatementKind, VarRef};

impl Printer {
    pub(super) fn block(&mut self, block: &Block) {
        self.text("{");
        self.indented(|printer| {
            for (i, statement) in block.statements.iter().enumerate() {
                printer.text(if i > 0 { ";" } else { "" });
                printer.line();
                printer.statement(statement);
            }
        });
        self.line();
        self.text("}");
    }

    fn options(&mut self, open: &str, options: &[Block], close: &str) {
        self.text(open);
        for option in options {
            self.line();
            self.text(":: ");
            self.indented(|printer| {
                for (i, statement) in option.statements.iter().enumerate() {
                    match i {
                        0 => {}
                        1 => {
                            printer.text(" ->");
                            printer.line();
                        }
                        _ => {
                            printer.text(";");
                            printer.line();
                        }
                    }
                    printer.statement(statement);
                }
            });
        }
        self.line();
        self.text(close);
    }

    pub(super) fn statement(&mut self, statement: &Statement) {
        for label in &statement.labels {
            self.text(&format!("{}: ", label.name));
        }
        match &statement.kind {
            StatementKind::Declaration(declaration) => self.declaration(declaration),
            StatementKind::Exclusive { side, channels } => {
                self.text(match side {
                    Side::Receive => "xr ",
                    Side::Send => "xs ",
                });
                self.list(channels, ", ", Self::place);
            }
            StatementKind::Block(body) => self.block(body),
            StatementKind::Atomic(body) => {
                self.text("atomic");
                self.body(body);
            }
            StatementKind::DStep(body) => {
                self.text("d_step");
                self.body(body);
            }
            StatementKind::If(options) => self.options("if", options, "fi"),
            StatementKind::Do(options) => self.options("do", options, "od"),
            StatementKind::ForRange { variable, from, to, body } => {
                self.text("for ");
                self.range(variable, from, to);
                self.body(body);
            }
            StatementKind::ForIn { variable, container, body } => {
                self.text("for (");
                self.place(variable);
                self.text(" in ");
                self.place(container);
                self.text(")");
                self.body(body);
            }
            StatementKind::Unless { body, escape } => {
                self.part_of_unless(body);
                self.text(" unless ");
                self.part_of_unless(escape);
            }
            StatementKind::Inlined(inlined) => {
                self.results.push(inlined.result.as_ref().map(place));
                self.block(&inlined.body);
                self.results.pop();
            }
            StatementKind::Select { variable, from, to } => {
                self.text("select ");
                self.range(variable, from, to);
            }
            StatementKind::Expr(condition) => self.expr(condition),
            StatementKind::Skip => self.text("skip"),
            StatementKind::Else => self.text("else"),
            StatementKind::Break => self.text("break"),
            StatementKind::Goto(label) => self.text(&format!("goto {}", label.name)),
            StatementKind::Assign { target, value } => {
                self.place(target);
                self.text(" = ");
                self.expr(value);
            }
            StatementKind::Timer { operation, arguments } => {
                self.text(operation.text());
                self.text("(");
                self.list(arguments, ", ", Self::expr);
                self.text(")");
            }
            StatementKind::Increment(target) => {
                self.place(target);
                self.text("++");
            }
            StatementKind::Decrement(target) => {
                self.place(target);
                self.text("--");
            }
            StatementKind::Send { channel, sorted, arguments } => {
                self.place(channel);
                self.text(if *sorted { "!!" } else { "!" });
                let start = self.out.len();
                self.list(arguments, ",", Self::expr);
                // `q! !x` sends, `q!!x` sorts.
                if self.out[start..].starts_with('!') {
                    self.out.insert(start, ' ');
                }
            }
            StatementKind::Receive { channel, random, peek, arguments } => {
                self.place(channel);
                self.text(query(*random));
                self.text(if *peek { "<" } else { "" });
                self.list(arguments, ",", Self::receive_argument);
                self.text(if *peek { ">" } else { "" });
            }
            StatementKind::Assert(condition) => {
                self.text("assert(");
                self.expr(condition);
                self.text(")");
            }
            StatementKind::Printf { format, arguments } => {
                self.text(&format!("printf(\"{format}\""));
                for argument in arguments {
                    self.text(", ");
                    self.expr(argument);
                }
                self.text(")");
            }
            StatementKind::Printm(value) => {
                self.text("printm(");
                self.expr(value);
                self.text(")");
            }
            StatementKind::Return(value) => {
                match self.results.last() {
                    Some(Some(result)) => self.out.push_str(&format!("{result} = ")),
                    Some(None) | None => self.out.push_str("return "),
                }
                self.expr(value);
            }
            StatementKind::CCode { guard, text } => {
                let guard = guard.as_ref().map_or(String::new(), |guard| format!("[{guard}] "));
                self.text(&format!("c_code {guard}{{{text}}}"));
            }
            StatementKind::Broken => self.text("skip /* broken */"),
        }
    }

    /// The grammar has no `a unless b unless c`.
    fn part_of_unless(&mut self, part: &Statement) {
        if let StatementKind::Unless { .. } = part.kind {
            self.block(&Block { statements: vec![part.clone()], span: part.span });
        } else {
            self.statement(part);
        }
    }

    fn range(&mut self, variable: &VarRef, from: &Expr, to: &Expr) {
        self.text("(");
        self.place(variable);
        self.text(" : ");
        self.expr(from);
        self.text(" .. ");
        self.expr(to);
        self.text(")");
    }
}
