//! Declarations outside of processes: types, variables, channels, macros, inlines, claims.

use super::super::{RandomModel, RandomProcess, Stmt};
use super::{Inline, Position, Record, Ty, Var, Whole};

impl Whole {
    pub(super) fn model(mut self) -> RandomModel {
        let mut declarations = Vec::new();
        self.declare_mtypes(&mut declarations);
        if self.traits.records {
            for _ in 0..1 + self.random.below(2) {
                self.declare_record(&mut declarations);
            }
        }
        for _ in 0..1 + self.random.below(2) {
            let count = 1 + self.random.below(3);
            let mut signature: Vec<Ty> = (0..count).map(|_| self.scalar()).collect();
            if self.traits.channel_variables && self.random.one_in(3) {
                signature.push(Ty::Chan(0));
            }
            if !self.records.is_empty() && self.random.one_in(6) {
                signature.push(Ty::Record(0));
            }
            self.signatures.push(signature);
        }
        for _ in 0..1 + self.random.below(4) {
            let var = self.variable("g");
            let text = self.declaration(&var, true);
            declarations.push(text);
            self.globals.push(var);
        }
        if self.traits.channels {
            for _ in 0..1 + self.random.below(3) {
                let var = self.channel("q");
                let text = self.declaration(&var, true);
                declarations.push(text);
                self.globals.push(var);
            }
        }
        if self.random.one_in(4) {
            let (name, value) = (self.name("N"), self.random.below(4));
            declarations.push(format!("#define {name} {value}"));
        }
        self.plan_processes();
        if self.traits.inlines {
            for _ in 0..1 + self.random.below(2) {
                let text = self.inline();
                declarations.push(text);
            }
        }
        let processes = self.processes();
        let claims = self.claims();
        let mut model = RandomModel { declarations, processes, claims: Vec::new() };
        // Claims come behind the processes whose labels they name.
        model.processes.extend(claims);
        model
    }

    fn declare_mtypes(&mut self, declarations: &mut Vec<String>) {
        let kinds = if self.traits.subtypes { 1 + self.random.below(2) } else { 0 };
        for kind in 0..=kinds {
            let name = if kind == 0 { String::new() } else { self.name("kind") };
            let count = 1 + self.random.below(3);
            let values: Vec<String> = (0..count).map(|_| self.name("m")).collect();
            let of = if kind == 0 { String::new() } else { format!(":{name}") };
            declarations.push(format!("mtype{of} = {{ {} }}", values.join(", ")));
            self.mtypes.push((name, values));
        }
    }

    fn declare_record(&mut self, declarations: &mut Vec<String>) {
        let name = self.name("Rec");
        let taken = std::mem::take(&mut self.taken);
        let mut fields = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let var = match self.random.below(6) {
                0 if !self.records.is_empty() => {
                    let record = self.random.below(self.records.len() as u32) as usize;
                    Var { name: self.name("f"), ty: Ty::Record(record), length: self.length(), capacity: None }
                }
                1 if self.traits.channel_variables => {
                    Var { name: self.name("f"), ty: Ty::Chan(0), length: None, capacity: None }
                }
                _ => {
                    let ty = self.scalar();
                    Var { name: self.name("f"), ty, length: self.length_of(ty), capacity: None }
                }
            };
            fields.push(var);
        }
        self.taken.extend(taken);
        let texts: Vec<String> = fields.iter().map(|field| self.declaration(field, false)).collect();
        declarations.push(format!("typedef {name} {{ {} }}", texts.join("; ")));
        self.records.push(Record { name, fields });
    }

    fn length(&mut self) -> Option<u32> {
        match self.random.below(5) {
            0 => Some(1),
            1 => Some(2),
            2 => Some(3),
            _ => None,
        }
    }

    pub(super) fn variable(&mut self, plain: &str) -> Var {
        let name = self.name(plain);
        let ty = match self.random.below(6) {
            0 | 1 if !self.records.is_empty() => Ty::Record(self.random.below(self.records.len() as u32) as usize),
            2 if self.traits.channel_variables => Ty::Chan(0),
            _ => self.scalar(),
        };
        Var { name, ty, length: self.length_of(ty), capacity: None }
    }

    /// There are no arrays of `unsigned`.
    fn length_of(&mut self, ty: Ty) -> Option<u32> {
        let length = self.length();
        length.filter(|_| !matches!(ty, Ty::Unsigned(_)))
    }

    /// A variable with a channel of its own.
    pub(super) fn channel(&mut self, plain: &str) -> Var {
        let signature = self.random.below(self.signatures.len() as u32) as usize;
        let capacity = match self.random.below(8) {
            0..=2 => 0,
            3..=5 => 1,
            6 => 2,
            _ => 3 + self.random.below(20),
        };
        let length = if self.random.one_in(4) { Some(1 + self.random.below(3)) } else { None };
        Var { name: self.name(plain), ty: Ty::Chan(signature), length, capacity: Some(capacity) }
    }

    /// The declaration of a variable, without a semicolon.
    pub(super) fn declaration(&mut self, var: &Var, is_global: bool) -> String {
        let (word, behind) = self.written(var.ty);
        let length = var.length.map_or(String::new(), |length| format!("[{length}]"));
        let init = match (var.ty, var.capacity) {
            (Ty::Chan(signature), Some(capacity)) => {
                let fields = self.signatures[signature].clone();
                let fields: Vec<String> = fields.iter().map(|ty| self.written(*ty).0).collect();
                format!(" = [{capacity}] of {{ {} }}", fields.join(", ").replace("unsigned", "byte"))
            }
            (Ty::Chan(_) | Ty::Record(_), _) => String::new(),
            (ty, _) if self.random.one_in(3) => match ty {
                Ty::Mtype(kind) => {
                    let values = self.mtypes[kind].1.clone();
                    self.one_of(&values).map_or(String::new(), |value| format!(" = {value}"))
                }
                Ty::Bit | Ty::Bool => format!(" = {}", self.random.below(2)),
                Ty::Short | Ty::Int if self.random.one_in(2) => format!(" = -{}", self.random.below(4)),
                _ => format!(" = {}", self.random.below(4)),
            },
            _ => String::new(),
        };
        let prefix = match self.random.below(24) {
            0 if is_global => "hidden ",
            1 if is_global => "show ",
            2 if is_global => "local ",
            _ => "",
        };
        format!("{prefix}{word} {}{length}{behind}{init}", var.name)
    }

    /// An inline with up to two parameters, which it uses as values or as targets.
    fn inline(&mut self) -> String {
        let name = self.name("call");
        let n_parameters = self.random.below(3) as usize;
        let parameters: Vec<String> = (0..n_parameters).map(|_| self.name("arg")).collect();
        self.locals = parameters
            .iter()
            .map(|name| Var { name: name.clone(), ty: Ty::Byte, length: None, capacity: None })
            .collect();
        self.steps_left = 3;
        let mut body = self.sequence(2, Position { depth: 2, ..Position::default() });
        // No labels: an inline can be called twice.
        body.retain(|statement| !has_label(statement));
        body.push(Stmt::Simple(None, "skip".to_owned()));
        self.placed.clear();
        self.wanted.clear();
        self.locals.clear();
        self.inlines.push(Inline { name: name.clone(), n_parameters });
        let text = RandomProcess { head: String::new(), locals: Vec::new(), body }.to_string();
        format!("inline {name}({}) {text}", parameters.join(", "))
    }
}

fn has_label(statement: &Stmt) -> bool {
    let any = |body: &[Stmt]| body.iter().any(has_label);
    match statement {
        Stmt::Simple(label, text) => label.is_some() || text.starts_with("goto"),
        Stmt::Block(_, body) => any(body),
        Stmt::Headed(head, body) => head.contains(": ") && !head.starts_with("for") || any(body),
        Stmt::Choice(_, options) => options.iter().any(|option| any(option)),
        Stmt::Unless(body, escape) => any(body) || any(escape),
    }
}
