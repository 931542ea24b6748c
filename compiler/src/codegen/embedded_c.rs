//! The C file of a model with embedded C.
//!
//! It has the pieces of the model, the state as they see it, and a function for each block. A block gets the values that
//! it mentions as 32-bit numbers, so that nothing else knows how C lays out memory; C itself cuts what is stored.
//! `#line` leads the messages of a compiler to the model.

use std::fmt::Write;

use super::Generator;
use crate::collections::Id;
use crate::model::embedded::{Block, BlockId, BlockKind, Piece, PieceKind, SlotValue};
use crate::model::{Owner, Place, ProctypeId, RecordId, Type, Variable, VariableId};
use crate::source::Span;
use crate::tables::from_folder;

impl Generator<'_> {
    /// The text of `embedded.c`.
    pub fn embedded_c(&self) -> String {
        let writer = Writer { generator: self, text: String::new(), files: self.files_from_folder() };
        writer.write()
    }

    fn files_from_folder(&self) -> Vec<String> {
        let paths: Vec<&str> = self.names.sources().files().iter().map(|file| &*file.path).collect();
        from_folder(&paths)
    }
}

struct Writer<'g, 'a> {
    generator: &'g Generator<'a>,
    text: String,
    /// The path of each source file, as seen from the folder of the model.
    files: Vec<String>,
}

const HEAD: &str = "\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Standard output is for the report. */
#define printf(...) fprintf(stderr, __VA_ARGS__)
#define puts(text) fprintf(stderr, \"%s\\n\", text)
#define putchar(character) fputc(character, stderr)

/* In embedded-guard.c: calls a block; 0 if it ends as it should. */
int32_t pmc_guard(void (*block)(void));
static _Thread_local int pmc_holds;
static _Thread_local int32_t pmc_result;
";

/// What a block returns if its precondition does not hold.
const PRECONDITION: u8 = 1;
/// What a `c_expr` returns if it has changed something.
const CHANGED: u8 = 2;

impl Writer<'_, '_> {
    fn write(mut self) -> String {
        let model = self.generator.program.model;
        let name = &self.generator.rows.name;
        self.line(&format!(
            "/* The C of {}.\n\n   Made by pmc {}; changes will be lost. */",
            name.replace("*/", "* /"),
            env!("CARGO_PKG_VERSION")
        ));
        self.text.push_str(HEAD);
        self.renamed();
        self.pieces(PieceKind::Declarations);
        self.state();
        self.pieces(PieceKind::Functions);
        for (id, block) in model.embedded.blocks.iter_enumerated() {
            self.block(id, block);
        }
        self.text
    }

    /// A function that has the name of one of the system would take its place in the whole verifier.
    fn renamed(&mut self) {
        let defined = &self.generator.program.model.embedded.defined;
        if defined.is_empty() {
            return;
        }
        self.line("\n/* pmc looks for mistakes under the names of the author. */\n#ifndef PMC_CHECKS");
        for name in defined {
            self.line(&format!("#define {name} pmc_of_model_{name}"));
        }
        self.line("#endif");
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn pieces(&mut self, kind: PieceKind) {
        let model = self.generator.program.model;
        for Piece { text, span, .. } in model.embedded.pieces.iter().filter(|piece| piece.kind == kind) {
            self.authors(text, *span);
        }
    }

    /// A text of the author, from its place in the model.
    fn authors(&mut self, text: &str, span: Span) {
        let sources = self.generator.names.sources();
        let before = sources.text(span).split(text).next().filter(|before| before.len() < sources.text(span).len());
        let line = sources.position(span).line as usize + before.map_or(0, |before| before.matches('\n').count());
        let file = sources.file_number(span);
        let file = self.files.get(file).cloned().unwrap_or_default();
        let file = file.replace('\\', "\\\\").replace('"', "\\\"");
        self.line(&format!("\n#line {line} \"{file}\""));
        for line in text.split('\n') {
            match line.trim_start().strip_prefix("\\#") {
                Some(directive) => self.line(&format!("#{directive}")),
                None => self.line(line),
            }
        }
    }

    /// What the author's text is followed by.
    fn own(&mut self, text: &str) {
        self.line(&format!("#line 1 \"embedded.c of pmc\"\n{text}"));
    }

    /// `now`, and the view of each proctype that a block mentions.
    fn state(&mut self) {
        let model = self.generator.program.model;
        let mut mentioned: Vec<(VariableId, String)> = Vec::new();
        for slot in model.embedded.blocks.iter().flat_map(|block| &block.slots) {
            if let SlotValue::Place(Place { variable, .. }) = &slot.value {
                let entry = (*variable, base(&slot.name).to_owned());
                if !mentioned.contains(&entry) {
                    mentioned.push(entry);
                }
            }
        }
        self.own("");
        for record in self.records(&mentioned) {
            let declared = &model.records[record];
            let fields: String =
                declared.fields.iter().map(|field| self.declared(&field.name, field.ty, field.length) + " ").collect();
            self.line(&format!("typedef struct {name} {{ {fields}}} {name};", name = declared.name));
        }
        let mut now = vec!["unsigned char _nr_pr;".to_owned()];
        let mut hidden = Vec::new();
        let mut views: Vec<(ProctypeId, Vec<String>)> = Vec::new();
        for (id, name) in &mentioned {
            let Variable { ty, length, owner, hidden: is_hidden, .. } = &model.variables[*id];
            let declared = self.declared(name, *ty, *length);
            match owner {
                Owner::Proctype(process) => match views.iter_mut().find(|(of, _)| of == process) {
                    Some((_, view)) => view.push(declared),
                    None => views.push((*process, vec![declared])),
                },
                Owner::Global | Owner::Never(_) if *is_hidden => hidden.push(declared),
                Owner::Global | Owner::Never(_) => now.push(declared),
            }
        }
        self.line(&format!("typedef struct State {{ {} }} State;\nstatic _Thread_local State now;", now.join(" ")));
        for declared in hidden {
            // A bit-field can only stand in a struct; as C it is a number of the same size.
            let plain = declared.split(" :").next().unwrap_or(&declared).trim_end_matches(';').to_owned();
            self.line(&format!("static _Thread_local {plain};"));
        }
        for id in model.proctypes.ids() {
            let view = views.iter().find(|(of, _)| *of == id).map(|(_, view)| view.join(" ")).unwrap_or_default();
            let (number, name) = (id.index(), &model.proctypes[id].name);
            self.line(&format!(
                "static _Thread_local struct {{ unsigned char _pid; {view} }} pmc_process_{number};\n\
                 #define P{name} (&pmc_process_{number})"
            ));
        }
    }

    /// The records that these variables need, in the order of their declarations.
    fn records(&self, mentioned: &[(VariableId, String)]) -> Vec<RecordId> {
        let model = self.generator.program.model;
        let mut needed: Vec<RecordId> = Vec::new();
        let mut open: Vec<Type> = mentioned.iter().map(|(id, _)| model.variables[*id].ty).collect();
        while let Some(ty) = open.pop() {
            if let Type::Record(record) = ty
                && !needed.contains(&record)
            {
                needed.push(record);
                open.extend(model.records[record].fields.iter().map(|field| field.ty));
            }
        }
        needed.sort_unstable();
        needed
    }

    /// The declaration of a variable or a field, with `;`.
    fn declared(&self, name: &str, ty: Type, length: Option<u32>) -> String {
        let model = self.generator.program.model;
        let ty = if length.is_some() { ty.element() } else { ty };
        let plain = match ty {
            Type::Bit | Type::Bool => return format!("unsigned {name} : 1;"),
            Type::Unsigned(width) if length.is_none() => return format!("unsigned {name} : {width};"),
            Type::Unsigned(_) => "unsigned",
            Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => "unsigned char",
            Type::Short => "short",
            Type::Int | Type::Timer => "int",
            Type::Record(record) => &*model.records[record].name,
        };
        match length {
            Some(length) => format!("{plain} {name}[{length}];"),
            None => format!("{plain} {name};"),
        }
    }

    fn block(&mut self, id: BlockId, block: &Block) {
        let number = id.index();
        if let Some(precondition) = &block.precondition {
            self.line(&format!("\nstatic void pmc_condition_{number}(void) {{ pmc_holds = ((("));
            self.authors(precondition, block.span);
            self.own(")) != 0); }");
        }
        match block.kind {
            BlockKind::Code => {
                self.line(&format!("\nstatic void pmc_text_{number}(void) {{"));
                self.authors(&block.text, block.span);
                self.own("}");
                self.function("block", number, "text", block);
            }
            BlockKind::Expression => {
                for (what, begin, end) in [("value", "(int)(", ")"), ("test", "((", ") != 0)")] {
                    self.line(&format!("\nstatic void pmc_{what}_text_{number}(void) {{ pmc_result = {begin}"));
                    self.authors(&block.text, block.span);
                    self.own(&format!("{end}; }}"));
                    self.function(what, number, &format!("{what}_text"), block);
                }
            }
        }
    }

    /// The function that Rust calls: values in, the text, values out.
    fn function(&mut self, what: &str, number: usize, text: &str, block: &Block) {
        let mut body = format!("int32_t pmc_{what}_{number}(int32_t *pmc_values) {{\n  int32_t pmc_end;\n");
        let mut add = |line: String| {
            let written = writeln!(body, "  {line}");
            debug_assert!(written.is_ok(), "writing to a string cannot fail");
        };
        for (at, slot) in block.slots.iter().enumerate() {
            add(format!("{} = pmc_values[{at}];", slot.name));
        }
        let guard = |of: &str| format!("if ((pmc_end = pmc_guard(pmc_{of}_{number})) != 0) return pmc_end;");
        if block.precondition.is_some() {
            add(guard("condition"));
            add(format!("if (!pmc_holds) return {PRECONDITION};"));
        }
        add(guard(text));
        let written = block.slots.iter().enumerate().filter(|(_, slot)| slot.is_written);
        for (at, slot) in written {
            add(match block.kind {
                BlockKind::Code => format!("pmc_values[{at}] = (int32_t){};", slot.name),
                BlockKind::Expression => format!("if (pmc_values[{at}] != (int32_t){}) return {CHANGED};", slot.name),
            });
        }
        if block.kind == BlockKind::Expression {
            add(format!("pmc_values[{}] = pmc_result;", block.slots.len()));
        }
        add("return 0;".to_owned());
        self.line(&format!("{body}}}"));
    }
}

/// The name of the variable in that of one of its scalars: `a` of `now.a[2].f`, `x` of `PP->x`.
fn base(name: &str) -> &str {
    let behind = name.split_once("->").map(|(_, rest)| rest).or(name.strip_prefix("now.")).unwrap_or(name);
    behind.split(['.', '[']).next().unwrap_or(behind)
}
