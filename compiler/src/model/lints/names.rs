//! Names that are probably misspelt, and names that Spin's C code does not bear.

use super::processes;
use crate::collections::IdVec;
use crate::diagnostic::{Diagnostic, Diagnostics, Lint};
use crate::model::resolve::scopes::distance;
use crate::model::visit;
use crate::model::{ExprKind, Label, LabelId, Model, Owner, Process, ProcessKind, StatementKind, Type, VariableId};
use crate::source::{Name, Span};

/// Spin copies names of variables into C.
const C_KEYWORDS: [&str; 29] = [
    "auto",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "double",
    "enum",
    "extern",
    "float",
    "long",
    "register",
    "restrict",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "union",
    "void",
    "volatile",
    "while",
    "_Bool",
    "_Complex",
    "_Imaginary",
    "asm",
    "typeof",
    "inline",
    "goto",
];

/// Globals of Spin's verifier. A global that is never read becomes one too.
const VERIFIER_NAMES: [&str; 41] = [
    "boq",
    "bounded",
    "cnt",
    "compress",
    "crack",
    "delq",
    "depth",
    "done",
    "errors",
    "exclusive",
    "fairness",
    "fragment",
    "freq",
    "grow",
    "gui",
    "hasher",
    "have",
    "iterative",
    "left",
    "main",
    "mask",
    "mul",
    "now",
    "pp",
    "quota",
    "reached",
    "reversing",
    "silent",
    "snap",
    "snapshot",
    "stack",
    "stopped",
    "strict",
    "trail",
    "trans",
    "usage",
    "verbose",
    "warned",
    "wrapup",
    "maxdepth",
    "snap_time",
];

pub(super) fn lint(model: &Model, diagnostics: &mut Diagnostics) {
    portability(model, diagnostics);
    let remote = remote_labels(model);
    for (id, process) in model.proctypes.iter_enumerated() {
        labels(process, &remote[id.0 as usize], diagnostics);
    }
    for process in processes(model).skip(model.proctypes.len()) {
        labels(process, &[], diagnostics);
    }
}

fn portability(model: &Model, diagnostics: &mut Diagnostics) {
    let is_read = read_variables(model);
    let mut warn = |name: &Name, span: Span, why: &str| {
        let message = format!("Spin cannot compile a model with a variable `{name}`: {why}");
        diagnostics.add(Diagnostic::warning(Lint::Portability, span, message));
    };
    for (id, variable) in model.variables.iter_enumerated() {
        if C_KEYWORDS.contains(&&*variable.name) {
            warn(&variable.name, variable.span, "it is a word of C");
        } else if variable.owner == Owner::Global
            && variable.ty != Type::Chan
            && !is_read[id]
            && VERIFIER_NAMES.contains(&&*variable.name)
        {
            warn(&variable.name, variable.span, "its verifier uses that name");
        }
    }
    for field in model.records.iter().flat_map(|record| &record.fields) {
        if C_KEYWORDS.contains(&&*field.name) {
            warn(&field.name, field.span, "it is a word of C");
        }
    }
}

fn read_variables(model: &Model) -> IdVec<VariableId, bool> {
    let mut is_read: IdVec<VariableId, bool> = model.variables.iter().map(|_| false).collect();
    visit::each_expr(model, &mut |expr| {
        if let ExprKind::Read(place) = &expr.kind {
            is_read[place.variable] = true;
        }
    });
    is_read
}

/// By proctype: the labels that other processes or formulas refer to.
fn remote_labels(model: &Model) -> Vec<Vec<LabelId>> {
    let mut remote = vec![Vec::new(); model.proctypes.len()];
    visit::each_expr(model, &mut |expr| {
        if let ExprKind::RemoteLabel { proctype, label, .. } = &expr.kind {
            remote[proctype.0 as usize].push(*label);
        }
    });
    remote
}

fn labels(process: &Process, remote: &[LabelId], diagnostics: &mut Diagnostics) {
    if process.labels.is_empty() {
        return;
    }
    let mut is_used: IdVec<LabelId, bool> = process.labels.iter().map(|_| false).collect();
    visit::each_statement(&process.body, &mut |statement| {
        if let StatementKind::Goto(label) = &statement.kind {
            is_used[*label] = true;
        }
    });
    for label in remote {
        is_used[*label] = true;
    }
    for (id, label) in process.labels.iter_enumerated() {
        let is_special = label.is_end() || label.is_accept() || label.is_progress();
        if is_used[id] || is_special {
            continue;
        }
        if let Some(word) = meant(label) {
            let message = format!("label `{}` has no special meaning; did you mean `{word}`?", label.name);
            diagnostics.add(Diagnostic::warning(Lint::MisspeltLabel, label.span, message));
        } else if process.kind != ProcessKind::Never {
            let message = format!("label `{}` is never used", label.name);
            diagnostics.add(Diagnostic::warning(Lint::UnusedLabel, label.span, message));
        }
    }
}

/// The special word that a label's beginning looks like.
fn meant(label: &Label) -> Option<&'static str> {
    let word: String = label.name.chars().take_while(|c| c.is_alphabetic()).collect();
    if ["End", "END", "edn"].contains(&&*word) {
        return Some("end");
    }
    ["accept", "progress"].into_iter().find(|special| distance(&word, special) == 1)
}
