//! What a block mentions: a walk over its tokens, and over the functions and macros of the model's own pieces.
//!
//! A scalar is only read if nothing beside it can change it. An array or a record that is mentioned as a whole may be
//! changed through the pointer that it is handed over as. Where the walk cannot know what happens, there is a
//! [`Problem`]: errs towards refusing.

use super::known::Known;
use super::problem::Problem;
use super::tokens::{CToken, behind_group, tokens};
use super::words::{BEYOND, KEYWORDS, LIBRARY, OF_SPIN};
use crate::collections::Lookup;
use crate::model::{Model, Owner, ProcessKind, ProctypeId, RecordId, Type, VariableId};
use crate::source::Name;

/// A variable that a block mentions, or a field of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mention {
    Variable {
        variable: VariableId,
        /// The fields in front of the first array.
        fields: Vec<u32>,
        /// As in C: `now.x`, `PP->x`, `h`.
        name: String,
        is_written: bool,
    },
    Pid {
        name: String,
    },
    ProcessCount,
}

/// A scan of the text of one block.
pub struct Scan<'a> {
    pub model: &'a Model,
    pub known: &'a Known,
    /// Who executes it.
    pub owner: Owner,
    pub mentions: Vec<Mention>,
    /// Functions and macros that were read.
    seen: Lookup<String, ()>,
}

/// Where tokens come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// The block, or a function: what stands beside a name is known.
    Text,
    /// A macro: what stands beside it is not.
    Macro,
}

impl<'a> Scan<'a> {
    pub fn new(model: &'a Model, known: &'a Known, owner: Owner) -> Self {
        Self { model, known, owner, mentions: Vec::new(), seen: Lookup::new() }
    }

    /// Adds what a text mentions. That of an expression must not change anything.
    pub fn text(&mut self, text: &str, is_expression: bool) -> Result<(), Problem> {
        let found = tokens(text);
        if is_expression {
            let changing = |token: &&CToken| matches!(token, CToken::Sign(sign) if is_change(sign));
            if let Some(CToken::Sign(sign)) = found.iter().find(changing) {
                return Err(Problem::Change(format!("something, by `{sign}`")));
            }
        }
        self.tokens(&found, Within::Text)
    }

    fn tokens(&mut self, list: &[CToken], within: Within) -> Result<(), Problem> {
        // Up to here tokens are arguments of a macro.
        let mut of_macro = 0;
        for at in 0..list.len() {
            match &list[at] {
                CToken::BareDirective => return Err(Problem::BareDirective),
                CToken::Directive(line) => return Err(Problem::Directive(line.clone())),
                CToken::Name(name) => {
                    let is_member = at > 0 && matches!(list[at - 1], CToken::Sign("." | "->"));
                    if is_member {
                        continue;
                    }
                    let is_called = list.get(at + 1).is_some_and(|next| next.is("("));
                    if is_called && self.known.macro_text(name).is_some() {
                        of_macro = of_macro.max(behind_group(list, at + 1));
                    }
                    let within = if at < of_macro { Within::Macro } else { within };
                    self.name(list, at, name, (is_called, within))?;
                }
                CToken::Sign(_) | CToken::Value => {}
            }
        }
        Ok(())
    }

    fn name(
        &mut self,
        list: &[CToken],
        at: usize,
        name: &str,
        (is_called, within): (bool, Within),
    ) -> Result<(), Problem> {
        if name == "now" {
            return self.global(list, at, within);
        }
        if let Some(text) = self.known.macro_text(name).or(self.known.function(name)) {
            let within = if self.known.macro_text(name).is_some() { Within::Macro } else { Within::Text };
            return if self.seen.insert(name.to_owned(), ()).is_none() { self.tokens(text, within) } else { Ok(()) };
        }
        if let Some(process) = name.strip_prefix('P').and_then(|rest| self.proctype(rest)) {
            return self.local(list, at, (name, process), within);
        }
        if OF_SPIN.contains(&name) {
            return Err(Problem::OfSpin(name.to_owned()));
        }
        if matches!(name, "static" | "extern" | "_Thread_local" | "__thread") {
            let is_constant = list.get(at + 1).is_some_and(|next| next.name() == Some("const"));
            return if is_constant { Ok(()) } else { Err(Problem::Static) };
        }
        if name == "assert" {
            return Err(Problem::Assert);
        }
        if BEYOND.contains(&name) {
            return Err(Problem::Library(name.to_owned()));
        }
        let is_known = !is_called || KEYWORDS.contains(&name) || LIBRARY.contains(&name);
        let hidden = self.global_called(name).filter(|id| self.model.variables[*id].hidden);
        match hidden {
            Some(variable) => self.variable(list, at, (variable, name.to_owned()), within),
            None if is_known => Ok(()),
            None => Err(Problem::Call(name.to_owned())),
        }
    }

    fn proctype(&self, name: &str) -> Option<ProctypeId> {
        let mut all = self.model.proctypes.iter_enumerated();
        all.find(|(_, process)| &*process.name == name && process.kind != ProcessKind::Never).map(|(id, _)| id)
    }

    fn global_called(&self, name: &str) -> Option<VariableId> {
        self.model.globals.iter().copied().find(|id| &*self.model.variables[*id].name == name)
    }

    /// `now.x`
    fn global(&mut self, list: &[CToken], at: usize, within: Within) -> Result<(), Problem> {
        let (Some(CToken::Sign(".")), Some(CToken::Name(name))) = (list.get(at + 1), list.get(at + 2)) else {
            return Err(Problem::Whole("now".to_owned()));
        };
        if name == "_nr_pr" {
            self.read_only(list, (at, at + 3), "now._nr_pr")?;
            self.add(Mention::ProcessCount);
            return Ok(());
        }
        if name.starts_with("_nr_") || name.starts_with("_vsz") {
            return Err(Problem::OfSpin(format!("now.{name}")));
        }
        match self.global_called(name).filter(|id| !self.model.variables[*id].hidden) {
            Some(variable) => self.variable(list, at + 2, (variable, format!("now.{name}")), within),
            None => Err(Problem::NoGlobal(name.clone())),
        }
    }

    /// `PP->x`
    fn local(
        &mut self,
        list: &[CToken],
        at: usize,
        (text, process): (&str, ProctypeId),
        within: Within,
    ) -> Result<(), Problem> {
        let (Some(CToken::Sign("->")), Some(CToken::Name(name))) = (list.get(at + 1), list.get(at + 2)) else {
            return Err(Problem::Whole(text.to_owned()));
        };
        let whole = format!("{text}->{name}");
        match self.owner {
            Owner::Proctype(own) if own == process => {}
            Owner::Proctype(own) => {
                let proctype = self.model.proctypes[own].name.clone();
                return Err(Problem::OtherProcess { text: whole, proctype });
            }
            Owner::Global | Owner::Never(_) => return Err(Problem::NoProcess(whole)),
        }
        if name == "_pid" {
            self.read_only(list, (at, at + 3), &whole)?;
            self.add(Mention::Pid { name: whole });
            return Ok(());
        }
        let declared = &self.model.proctypes[process];
        let plain = without_scope(name);
        let all = declared.parameters.iter().chain(&declared.locals).copied();
        let mut called =
            all.filter(|id| matches!(&*self.model.variables[*id].name, own if own == name || own == plain));
        match (called.next(), called.next()) {
            (Some(variable), None) => self.variable(list, at + 2, (variable, whole), within),
            (Some(_), Some(_)) => Err(Problem::SeveralLocals(whole)),
            (None, _) => Err(Problem::NoLocal { name: whole, proctype: declared.name.clone() }),
        }
    }

    fn read_only(&self, list: &[CToken], (from, to): (usize, usize), name: &str) -> Result<(), Problem> {
        if may_change(list, from, to) { Err(Problem::ReadOnly(name.to_owned())) } else { Ok(()) }
    }

    /// A variable whose name stands at `at`, with its fields and indices behind it.
    fn variable(
        &mut self,
        list: &[CToken],
        at: usize,
        (variable, mut name): (VariableId, String),
        within: Within,
    ) -> Result<(), Problem> {
        let has_other_name = |mention: &Mention| {
            matches!(mention, Mention::Variable { variable: of, name: other, .. }
                if *of == variable && other.split('.').next() != name.split('.').next() && !name.starts_with("now."))
        };
        if self.mentions.iter().any(has_other_name) {
            return Err(Problem::TwoNames(name));
        }
        let declared = &self.model.variables[variable];
        let way = self.way(list, at + 1, declared.ty, declared.length);
        for (_, field) in &way.fields {
            name = format!("{name}.{field}");
        }
        let fields: Vec<u32> = way.fields.iter().map(|(number, _)| *number).collect();
        let scalars = self.model.scalars_below(variable, &fields, declared.span);
        for (place, rest) in &scalars {
            match place.ty {
                Type::Chan => return Err(Problem::Channel(format!("{name}{rest}"))),
                Type::Timer => return Err(Problem::Timer(format!("{name}{rest}"))),
                _ => {}
            }
        }
        if scalars.len() > super::MOST_SCALARS as usize {
            return Err(Problem::Large);
        }
        let from = start_of(list, at);
        let is_written = within == Within::Macro || !way.is_scalar || may_change(list, from, way.end);
        self.add(Mention::Variable { variable, fields, name, is_written });
        Ok(())
    }

    /// Follows fields and indices from `at` on.
    fn way(&self, list: &[CToken], mut at: usize, mut ty: Type, mut length: Option<u32>) -> Way {
        let mut fields = Vec::new();
        let mut is_plain = true;
        loop {
            match (length, ty, list.get(at)) {
                (Some(_), _, Some(CToken::Sign("["))) => {
                    at = behind_group(list, at);
                    length = None;
                    is_plain = false;
                }
                (None, Type::Record(record), Some(CToken::Sign("."))) => {
                    let field = list.get(at + 1).and_then(CToken::name).and_then(|name| self.field(record, name));
                    let Some(number) = field else { return Way { fields, is_scalar: false, end: at } };
                    let declared = &self.model.records[record].fields[number as usize];
                    if is_plain {
                        fields.push((number, declared.name.clone()));
                    }
                    (ty, length) = (declared.ty, declared.length);
                    at += 2;
                }
                (length, ty, _) => {
                    let is_scalar = length.is_none() && !matches!(ty, Type::Record(_));
                    return Way { fields, is_scalar, end: at };
                }
            }
        }
    }

    fn field(&self, record: RecordId, name: &str) -> Option<u32> {
        let mut fields = (0..).zip(&self.model.records[record].fields);
        fields.find(|(_, field)| &*field.name == name).map(|(number, _)| number)
    }

    /// What is written in one place is written.
    fn add(&mut self, new: Mention) {
        for old in &mut self.mentions {
            match (old, &new) {
                (
                    Mention::Variable { variable, fields, name, is_written },
                    Mention::Variable { variable: of, fields: parts, name: called, is_written: writes },
                ) if variable == of && fields == parts && name == called => {
                    *is_written |= writes;
                    return;
                }
                (old, new) if old == new => return,
                _ => {}
            }
        }
        self.mentions.push(new);
    }
}

/// Behind the name of a variable.
struct Way {
    /// In front of the first index, each with its name.
    fields: Vec<(u32, Name)>,
    /// It leads to a single scalar.
    is_scalar: bool,
    end: usize,
}

/// Where `now.x` or `PP->x` begins whose `x` stands at `at`.
fn start_of(list: &[CToken], at: usize) -> usize {
    let is_member = at > 1 && matches!(list[at - 1], CToken::Sign("." | "->"));
    if is_member { at - 2 } else { at }
}

/// Whether what stands around these tokens can change them.
fn may_change(list: &[CToken], from: usize, to: usize) -> bool {
    let before = list[..from].iter().rev().find(|token| !token.is("("));
    let behind = list[to.min(list.len())..].iter().find(|token| !token.is(")"));
    let changes_before = matches!(before, Some(CToken::Sign("&" | "++" | "--")));
    changes_before || matches!(behind, Some(CToken::Sign(sign)) if is_change(sign))
}

fn is_change(sign: &str) -> bool {
    let compares = matches!(sign, "==" | "!=" | "<=" | ">=");
    matches!(sign, "++" | "--") || sign.ends_with('=') && !compares
}

/// `x` of `_1_2_x`, as Spin calls a variable of an inner block.
fn without_scope(name: &str) -> &str {
    let mut rest = name;
    while let Some((number, behind)) = rest.strip_prefix('_').and_then(|inside| inside.split_once('_')) {
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        // The `_` behind the number begins the next one, or ends the scope.
        rest = match behind.starts_with(|c: char| c.is_ascii_digit()) {
            true => &rest[number.len() + 1..],
            false => return behind,
        };
    }
    name
}

#[cfg(test)]
mod tests {
    use crate::driver::{Options, Session};

    /// The values of the last block of a model, those with `!` that it may change; or the first message.
    fn slots(text: &str) -> String {
        let mut session = Session::from_text("model.pml", text.to_owned(), &Options::default()).expect("a small model");
        match session.resolve() {
            Ok(model) => {
                let block = model.embedded.blocks.iter().last().expect("a block");
                let slot =
                    |slot: &super::super::Slot| format!("{}{}", slot.name, if slot.is_written { "!" } else { "" });
                block.slots.iter().map(slot).collect::<Vec<_>>().join(" ")
            }
            Err(_) => session.diagnostics.sorted()[0].message.clone(),
        }
    }

    #[track_caller]
    fn check(code: &str, expected: &str) {
        let declared = "byte x, a[2]; hidden byte h; typedef R { byte f; short g[2] } R r; chan c = [1] of { byte }; mtype = { red } mtype m;";
        let text = format!("{declared} active proctype P() {{ byte y; {{ byte z; y = z; c_code {{ {code} }} }} }}");
        assert_eq!(slots(&text), expected, "{code}");
    }

    #[test]
    fn a_scalar_is_written_where_something_beside_it_can_change_it() {
        check("PP->y = now.x + 1;", "PP->y! now.x");
        check("if (now.x == 3 && now.m <= 1) PP->y++;", "now.x now.m PP->y!");
        check("(now.x) += 2;", "now.x!");
        check("--(now.x);", "now.x!");
        check("int *p = &now.x; *p = 3;", "now.x!");
        check("int n = now.x; n = 2;", "now.x");
        check("h = PP->_pid + now._nr_pr;", "h! PP->_pid now._nr_pr");
        check("PP->_1_2_z = 1; PP->_1_2_z++;", "PP->_1_2_z!");
        check("PP->_1_2_z = 1; PP->z = 2;", "this `c_code` mentions `PP->z` under another name, too");
    }

    #[test]
    fn arrays_and_records_may_be_changed_through_a_pointer() {
        check("memset(now.a, 0, 2);", "now.a[0]! now.a[1]!");
        check("PP->y = now.a[now.x];", "PP->y! now.a[0] now.a[1] now.x");
        check("now.a[0] = 1;", "now.a[0]! now.a[1]!");
        check("now.r.f = now.r.g[1];", "now.r.f! now.r.g[0] now.r.g[1]");
        check("R s = now.r; s.f = 1;", "now.r.f! now.r.g[0]! now.r.g[1]!");
    }

    #[test]
    fn names_in_texts_and_members_are_none() {
        check("struct { int x; } s; s.x = 1; puts(\"now.x\"); /* now.x */", "");
    }

    #[test]
    fn functions_and_macros_of_the_model_are_read() {
        let with = |pieces: &str, code: &str| {
            slots(&format!("byte x, y; {pieces} active proctype P() {{ c_code {{ {code} }} ; x = y }}"))
        };
        assert_eq!(with("c_code { void f(void) { now.x = now.y; } }", "f();"), "now.x! now.y");
        assert_eq!(
            with("c_code { int f(int n) { return n ? g(n) : 0; } int g(int n) { return f(now.y); } }", "f(1);"),
            "now.y"
        );
        assert_eq!(with("c_decl {\n\\#define UP(v) v = v + 1\n}", "UP(now.x);"), "now.x!");
        assert_eq!(with("c_decl {\n\\#define X now.x\n}", "int n = X;"), "now.x!");
        // A table of functions leads to all of them.
        let table = "c_decl { typedef int (*F)(void); int f(void); } c_code { int f(void) { return now.y; } const F all[1] = { f }; }";
        assert_eq!(with(table, "all[0]();"), "now.y");
        // Macros of the model are expanded before.
        assert_eq!(
            slots("#define GET(v) now.v\nbyte x; active proctype P() { c_expr { GET(x) > 0 }; x = 1 }"),
            "now.x"
        );
        assert_eq!(
            slots("#define set(v) c_code { now.v = 1; }\nbyte x; active proctype P() { set(x); x == 1 }"),
            "now.x!"
        );
    }

    #[test]
    fn what_cannot_be_known_is_refused() {
        let refused = |code: &str, words: &str| {
            let text = format!(
                "byte x; chan c = [1] of {{ byte }}; active proctype P() {{ c_code {{ {code} }}; x = 1; c!1; c?_ }}"
            );
            assert!(slots(&text).contains(words), "{code}: {}", slots(&text));
        };
        refused("memcpy(&now, 0, 1);", "`now` as a whole");
        refused("f(PP);", "`f`");
        refused("abs((int)PP);", "`PP` as a whole");
        refused("int (*f)(void) = rand; now.x = 1;", "`rand`");
        refused("int (*f)(void); now.x = f();", "calls `f`");
        refused("now.c = 1;", "`now.c`, which holds a channel");
        refused("static int n;", "outlives the step");
        refused("extern int n;", "outlives the step");
        refused("PP->q = 1;", "no such variable");
        refused("PP->_pid = 1;", "can only be read");
        refused("asm(\"nop\");", "`asm`");
        refused("%:define now then\n", "begins with `#`");
    }
}
