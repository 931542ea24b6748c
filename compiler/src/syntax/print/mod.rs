//! The tree as Promela again, for `pmc expand`, for comments and for messages.
//!
//! What is printed means the same to Spin as what was written. Parsed again it
//! gives the same tree, but for calls of inlines: they are blocks by then, and
//! `return` has become the assignment that it stands for.

mod expr;
mod statement;

use super::ast::{
    Active, Block, CKind, Declaration, Declarator, Expr, File, Ident, Initializer, InitializerKind, Item, ItemKind,
    Proctype, Statement, TypeKind, TypeName, VarRef, Visibility,
};

/// A whole model.
pub fn file(file: &File) -> String {
    let mut printer = Printer::on_lines();
    for (i, item) in file.items.iter().enumerate() {
        if i > 0 && (has_body(item) || has_body(&file.items[i - 1])) {
            printer.text("\n");
        }
        printer.item(item);
        printer.text("\n");
    }
    if printer.has_sets {
        let none = if file.items.iter().any(declares_none) { "" } else { "#define none 255\n" };
        return format!("#ifndef __PMC__\n#define scalarset(...) byte\n{none}#endif\n\n{}", printer.out);
    }
    printer.out
}

/// Whether `none` is a name of the author's.
fn declares_none(item: &Item) -> bool {
    let is_none = |ident: &Ident| &*ident.name == "none";
    match &item.kind {
        ItemKind::Mtype { names, .. } => names.iter().any(is_none),
        ItemKind::Global(declaration) => declaration.variables.iter().any(|variable| is_none(&variable.name)),
        _ => false,
    }
}

/// One statement with all that is in it, on one line.
pub fn statement(statement: &Statement) -> String {
    let mut printer = Printer::on_one_line();
    printer.statement(statement);
    printer.out
}

pub fn expr(expr: &Expr) -> String {
    let mut printer = Printer::on_one_line();
    printer.expr(expr);
    printer.out
}

pub fn place(place: &VarRef) -> String {
    let mut printer = Printer::on_one_line();
    printer.place(place);
    printer.out
}

/// Whether an item takes several lines and wants space around it.
fn has_body(item: &Item) -> bool {
    match item.kind {
        ItemKind::Mtype { .. } | ItemKind::Global(_) | ItemKind::Ltl { .. } | ItemKind::C { .. } => {
            item.comment.is_some()
        }
        ItemKind::Typedef { .. } | ItemKind::Proctype(_) | ItemKind::Init { .. } => true,
        ItemKind::Never { .. } | ItemKind::Trace { .. } => true,
    }
}

struct Printer {
    out: String,
    /// How far lines are indented; nothing if all goes on one line.
    indent: Option<usize>,
    /// Where `return` puts its value, in each inline around.
    results: Vec<Option<String>>,
    /// A scalarset was printed, which Spin does not know.
    has_sets: bool,
}

impl Printer {
    fn on_lines() -> Self {
        Self { out: String::new(), indent: Some(0), results: Vec::new(), has_sets: false }
    }

    fn on_one_line() -> Self {
        Self { out: String::new(), indent: None, results: Vec::new(), has_sets: false }
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Ends the line, or puts a space if all goes on one line.
    fn line(&mut self) {
        match self.indent {
            Some(depth) => {
                self.out.push('\n');
                self.out.extend(std::iter::repeat_n('\t', depth));
            }
            None => self.out.push(' '),
        }
    }

    fn indented(&mut self, print: impl FnOnce(&mut Self)) {
        self.indent = self.indent.map(|depth| depth + 1);
        print(self);
        self.indent = self.indent.map(|depth| depth - 1);
    }

    fn list<T>(&mut self, items: &[T], between: &str, mut print: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.text(between);
            }
            print(self, item);
        }
    }

    fn item(&mut self, item: &Item) {
        if let Some(comment) = &item.comment {
            // Comments do not nest: marks of one inside would end it too early.
            let comment = comment.replace("*/", "* /").replace("/*", "/ *").replace('\n', "\n * ");
            self.text(&format!("/* {comment} */\n"));
        }
        match &item.kind {
            ItemKind::Mtype { kind, names } => {
                self.text("mtype");
                if let Some(kind) = kind {
                    self.text(&format!(":{}", kind.name));
                }
                self.text(" = { ");
                self.list(names, ", ", Self::ident);
                self.text(" }");
            }
            ItemKind::Typedef { name, fields } => {
                self.text(&format!("typedef {} {{", name.name));
                self.indented(|printer| {
                    for field in fields {
                        printer.line();
                        printer.declaration(field);
                        printer.text(";");
                    }
                });
                self.line();
                self.text("}");
            }
            ItemKind::Global(declaration) => {
                self.declaration(declaration);
                self.text(";");
            }
            ItemKind::Proctype(proctype) => self.proctype(proctype),
            ItemKind::Init { priority, body } => {
                self.text("init");
                self.clause(" priority ", priority.as_ref());
                self.body(body);
            }
            ItemKind::Never { name, body } => {
                self.text("never");
                self.optional_name(name.as_ref());
                self.body(body);
            }
            ItemKind::Trace { negated, body } => {
                self.text(if *negated { "notrace" } else { "trace" });
                self.body(body);
            }
            ItemKind::Ltl { name, formula } => {
                self.text("ltl");
                self.optional_name(name.as_ref());
                self.text(" { ");
                self.expr(formula);
                self.text(" }");
            }
            ItemKind::C { kind, text } => {
                let word = match kind {
                    CKind::Code => "c_code",
                    CKind::Decl => "c_decl",
                    CKind::State => "c_state",
                    CKind::Track => "c_track",
                };
                self.text(&format!("{word} {text}"));
            }
        }
    }

    fn proctype(&mut self, proctype: &Proctype) {
        if let Some(Active { count, .. }) = &proctype.active {
            self.text("active ");
            if let Some(count) = count {
                self.index(count);
                self.text(" ");
            }
        }
        self.text(if proctype.deterministic { "D_proctype " } else { "proctype " });
        self.ident(&proctype.name);
        self.text("(");
        self.list(&proctype.parameters, "; ", Self::declaration);
        self.text(")");
        self.clause(" priority ", proctype.priority.as_ref());
        if let Some(condition) = &proctype.provided {
            self.text(" provided (");
            self.expr(condition);
            self.text(")");
        }
        self.body(&proctype.body);
    }

    fn optional_name(&mut self, name: Option<&Ident>) {
        if let Some(name) = name {
            self.text(" ");
            self.ident(name);
        }
    }

    /// A word and a constant behind it, if there is one.
    fn clause(&mut self, word: &str, value: Option<&Expr>) {
        if let Some(value) = value {
            self.text(word);
            self.expr(value);
        }
    }

    fn body(&mut self, body: &Block) {
        self.text(" ");
        self.block(body);
    }

    fn declaration(&mut self, declaration: &Declaration) {
        self.text(match declaration.visibility {
            Some(Visibility::Hidden) => "hidden ",
            Some(Visibility::Show) => "show ",
            Some(Visibility::Local) => "local ",
            None => "",
        });
        self.type_name(&declaration.ty);
        self.text(" ");
        self.list(&declaration.variables, ", ", Self::declarator);
    }

    fn type_name(&mut self, ty: &TypeName) {
        let word = match &ty.kind {
            TypeKind::Bit => "bit",
            TypeKind::Bool => "bool",
            TypeKind::Byte => "byte",
            TypeKind::Pid => "pid",
            TypeKind::Short => "short",
            TypeKind::Int => "int",
            TypeKind::Unsigned => "unsigned",
            TypeKind::Chan => "chan",
            TypeKind::Timer => "timer",
            TypeKind::Mtype(None) => "mtype",
            TypeKind::Mtype(Some(kind)) => return self.text(&format!("mtype:{}", kind.name)),
            TypeKind::Record(name) => return self.ident(name),
            TypeKind::Scalarset { size, name } => {
                self.has_sets = true;
                self.text("scalarset(");
                self.expr(size);
                if let Some(name) = name {
                    self.text(", ");
                    self.ident(name);
                }
                return self.text(")");
            }
        };
        self.text(word);
    }

    fn declarator(&mut self, declarator: &Declarator) {
        self.ident(&declarator.name);
        self.clause(" : ", declarator.width.as_ref());
        if let Some(size) = &declarator.size {
            self.index(size);
        }
        if let Some(init) = &declarator.init {
            self.text(" = ");
            self.initializer(init);
        }
    }

    fn initializer(&mut self, init: &Initializer) {
        match &init.kind {
            InitializerKind::Value(value) => self.expr(value),
            InitializerKind::List(values) => {
                self.text("{ ");
                self.list(values, ", ", Self::expr);
                self.text(" }");
            }
            InitializerKind::Channel { capacity, fields } => {
                self.index(capacity);
                self.text(" of { ");
                self.list(fields, ", ", Self::type_name);
                self.text(" }");
            }
        }
    }
}
