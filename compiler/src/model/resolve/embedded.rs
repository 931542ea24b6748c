//! Embedded C: blocks are noted where they stand. What they mention is found at the end, since C sees every global and
//! every local of its process, also those that are declared further down.

use super::Resolver;
use crate::diagnostic::Diagnostic;
use crate::model::embedded::known::Known;
use crate::model::embedded::problem::Problem;
use crate::model::embedded::scan::{Mention, Scan};
use crate::model::embedded::{Block, BlockId, BlockKind, Embedded, MOST_SCALARS, Piece, PieceKind, Slot, SlotValue};
use crate::model::resolve::processes::Setting;
use crate::model::{Expr, ExprKind, HostCall, Model, Owner, StatementKind, Target, codes, visit};
use crate::source::{Name, Span};
use crate::syntax::ast::CKind;

/// A block whose mentions are not known yet, and who executes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    block: BlockId,
    owner: Owner,
}

impl Resolver<'_> {
    /// C outside of a process.
    pub(super) fn piece(&mut self, kind: CKind, text: &Name, span: Span) {
        let kind = match kind {
            CKind::Decl => PieceKind::Declarations,
            CKind::Code => PieceKind::Functions,
            CKind::State | CKind::Track => {
                let word = if kind == CKind::State { "c_state" } else { "c_track" };
                let message = format!("`{word}` is not supported yet: C can use variables of the model only");
                let error = Diagnostic::error(codes::EMBEDDED_C, span, message)
                    .help("declare a variable of the model, and use it in C by `now.`");
                self.diagnostics.add(error);
                return;
            }
        };
        let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
        self.model.embedded.pieces.push(Piece { kind, text: inside.into(), span });
    }

    /// A `c_code` in a process. Its targets are found at the end.
    pub(super) fn c_code(&mut self, guard: Option<&Name>, text: &Name, span: Span) -> Option<StatementKind> {
        if self.here.setting != Setting::Process {
            let error = Diagnostic::error(codes::EMBEDDED_C, span, "a `c_code` in a claim is not supported")
                .help("a claim should only watch: use a `c_expr`");
            self.diagnostics.add(error);
            return None;
        }
        let value = self.note_block(BlockKind::Code, guard, text, span);
        Some(StatementKind::Assign { target: Target::Several(Vec::new()), value })
    }

    pub(super) fn c_expr(&mut self, guard: Option<&Name>, text: &Name, span: Span) -> Expr {
        self.note_block(BlockKind::Expression, guard, text, span)
    }

    fn note_block(&mut self, kind: BlockKind, guard: Option<&Name>, text: &Name, span: Span) -> Expr {
        let precondition = guard.cloned();
        let block =
            self.model.embedded.blocks.push(Block { kind, precondition, text: text.clone(), span, slots: Vec::new() });
        self.pending.push(Pending { block, owner: self.here.owner });
        Expr::new(ExprKind::Host(HostCall { block, arguments: Vec::new() }), span)
    }

    /// Finds what each block mentions.
    pub(super) fn settle_blocks(&mut self) {
        if self.model.embedded.is_empty() {
            return;
        }
        let mut problems = Vec::new();
        let known = Known::of(&self.model.embedded.pieces, &mut problems);
        self.model.embedded.defined.clone_from(&known.defined);
        for Pending { block, owner } in std::mem::take(&mut self.pending) {
            match slots(&self.model, &known, block, owner) {
                Ok(slots) => self.model.embedded.blocks[block].slots = slots,
                Err(problem) => problems.push((self.model.embedded.blocks[block].span, problem)),
            }
        }
        for (span, problem) in problems {
            let Embedded { pieces, blocks, .. } = &self.model.embedded;
            let is_declaration = pieces.iter().any(|piece| piece.span == span && piece.kind == PieceKind::Declarations);
            let block = blocks.iter().find(|block| block.span == span);
            let word = if is_declaration { "c_decl" } else { block.map_or("c_code", Block::word) };
            let code = if problem.is_mistake() { codes::IN_C } else { codes::EMBEDDED_C };
            let error = Diagnostic::error(code, span, problem.message(word));
            self.diagnostics.add(match problem.help() {
                "" => error,
                help => error.help(help),
            });
        }
        fill_in(&mut self.model);
    }
}

fn slots(model: &Model, known: &Known, id: BlockId, owner: Owner) -> Result<Vec<Slot>, Problem> {
    let block = &model.embedded.blocks[id];
    let mut scan = Scan::new(model, known, owner);
    if let Some(precondition) = &block.precondition {
        scan.text(precondition, true)?;
    }
    scan.text(&block.text, block.kind == BlockKind::Expression)?;
    let mut slots: Vec<Slot> = Vec::new();
    for mention in scan.mentions {
        match mention {
            Mention::Pid { name } => slots.push(Slot { value: SlotValue::Pid, name, is_written: false }),
            Mention::ProcessCount => {
                slots.push(Slot { value: SlotValue::ProcessCount, name: "now._nr_pr".to_owned(), is_written: false });
            }
            Mention::Variable { variable, fields, name, is_written } => {
                let n_fields = fields.len();
                for (place, way) in model.scalars_below(variable, &fields, block.span) {
                    // The name has the plain fields already.
                    let name = format!("{name}{}", behind_fields(&way, n_fields));
                    match slots.iter_mut().find(|slot| slot.name == name) {
                        Some(slot) => slot.is_written |= is_written,
                        None => slots.push(Slot { value: SlotValue::Place(place), name, is_written }),
                    }
                }
            }
        }
    }
    if slots.len() > MOST_SCALARS as usize { Err(Problem::Large) } else { Ok(slots) }
}

/// `[2].g` of `.e.f[2].g`, behind the first two fields.
fn behind_fields(way: &str, n_fields: usize) -> &str {
    let mut rest = way;
    for _ in 0..n_fields {
        rest = rest.strip_prefix('.').map_or(rest, |inside| &inside[inside.find(['.', '[']).unwrap_or(inside.len())..]);
    }
    rest
}

/// Gives every call the values that its block mentions, and every `c_code` what it changes.
fn fill_in(model: &mut Model) {
    let embedded: Embedded = std::mem::take(&mut model.embedded);
    visit::each_expr_mut(model, &mut |expression| {
        let span = expression.span;
        let ExprKind::Host(call) = &mut expression.kind else { return };
        if !call.arguments.is_empty() {
            return;
        }
        let argument = |slot: &Slot| {
            Expr::new(
                match &slot.value {
                    SlotValue::Place(place) => ExprKind::Read(place.clone()),
                    SlotValue::Pid => ExprKind::Pid,
                    SlotValue::ProcessCount => ExprKind::ProcessCount,
                },
                span,
            )
        };
        call.arguments = embedded.blocks[call.block].slots.iter().map(argument).collect();
    });
    for process in model.proctypes.iter_mut() {
        visit::each_statement_mut(&mut process.body, &mut |statement| {
            if let StatementKind::Assign { target: Target::Several(places), value } = &mut statement.kind
                && let ExprKind::Host(call) = &value.kind
            {
                *places = embedded.blocks[call.block].targets().cloned().collect();
            }
        });
    }
    model.embedded = embedded;
}
