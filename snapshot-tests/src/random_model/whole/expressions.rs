//! Values and conditions, and the places that store values.

use super::{Ty, Var, Whole};

impl Whole {
    /// The variables in scope; a local shadows a global of its name.
    pub(super) fn visible(&self) -> Vec<Var> {
        let is_hidden = |global: &&Var| self.locals.iter().any(|local| local.name == global.name);
        self.locals.iter().chain(self.globals.iter().filter(|global| !is_hidden(global))).cloned().collect()
    }

    /// A part of a variable that has a suitable type, with that type.
    pub(super) fn place_in(&mut self, var: &Var, wanted: &mut dyn FnMut(Ty) -> bool) -> Option<(String, Ty)> {
        let index = match var.length {
            Some(length) if self.random.one_in(3) => format!("[{}]", self.index(length)),
            Some(length) => format!("[{}]", self.random.below(length)),
            None => String::new(),
        };
        let text = format!("{}{index}", var.name);
        if wanted(var.ty) {
            return Some((text, var.ty));
        }
        let Ty::Record(record) = var.ty else { return None };
        let mut found = Vec::new();
        for field in self.records[record].fields.clone() {
            if let Some((inner, ty)) = self.place_in(&field, wanted) {
                found.push((format!("{text}.{inner}"), ty));
            }
        }
        self.one_of(&found)
    }

    fn index(&mut self, length: u32) -> String {
        let small: Vec<String> = self
            .visible()
            .into_iter()
            .filter(|var| var.length.is_none() && matches!(var.ty, Ty::Bit | Ty::Byte | Ty::Pid))
            .map(|var| var.name)
            .collect();
        match self.one_of(&small) {
            Some(name) => format!("{name} % {length}"),
            None if self.in_claim => "0".to_owned(),
            None => format!("_pid % {length}"),
        }
    }

    pub(super) fn place(&mut self, mut wanted: impl FnMut(Ty) -> bool) -> Option<String> {
        let mut found = Vec::new();
        for var in self.visible() {
            found.extend(self.place_in(&var, &mut wanted));
        }
        self.one_of(&found).map(|(text, _)| text)
    }

    /// A place that stores a number.
    pub(super) fn number_place(&mut self) -> Option<String> {
        self.place(|ty| !matches!(ty, Ty::Chan(_) | Ty::Record(_) | Ty::Mtype(_)))
    }

    fn atom(&mut self) -> String {
        match self.random.below(16) {
            0..=3 => self.random.below(4).to_string(),
            4 if self.traits.wild => {
                self.random.pick(&["255", "-1", "-128", "65535", "2147483647", "(1 << 31)"]).to_owned()
            }
            5 if !self.in_claim => "_pid".to_owned(),
            6 if self.random.one_in(3) => "_nr_pr".to_owned(),
            7 if self.traits.asks => "_last".to_owned(),
            8 if self.random.one_in(2) => self.random.pick(&["true", "false", "skip"]).to_owned(),
            9 if self.traits.channels => match self.channel_place() {
                Some((channel, ..)) => format!("len({channel})"),
                None => "1".to_owned(),
            },
            10 if self.traits.remote => self.remote_variable().unwrap_or_else(|| "2".to_owned()),
            11 if self.traits.priorities && !self.in_claim => "get_priority(_pid)".to_owned(),
            12 if self.traits.asks && !self.in_claim => "pc_value(_pid)".to_owned(),
            _ => self.number_place().unwrap_or_else(|| "3".to_owned()),
        }
    }

    pub(super) fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.one_in(4) {
            return self.atom();
        }
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.random.below(14) {
            0 => format!("!({left})"),
            1 if !self.in_claim => format!("({left} -> {right} : {})", self.atom()),
            2 => format!("-({left})"),
            3 => format!("~({left})"),
            4 => format!("({left}) / (1 + ({right}))"),
            5 => format!("({left}) % 3"),
            6 => format!("({left}) {} ({right} & 3)", self.random.pick(&["<<", ">>"])),
            _ => {
                let op =
                    self.random.pick(&["+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "&", "|", "^"]);
                format!("({left} {op} {right})")
            }
        }
    }

    fn remote_variable(&mut self) -> Option<String> {
        let procs = self.procs.clone();
        let proc = self.one_of(&procs)?;
        let is_plain = |var: &&Var| var.length.is_none() && !matches!(var.ty, Ty::Record(_) | Ty::Chan(_));
        let locals: Vec<Var> = proc.locals.iter().chain(&proc.parameters).filter(is_plain).cloned().collect();
        let local = self.one_of(&locals)?;
        let which = if self.random.one_in(2) { format!("[{}]", self.random.below(3)) } else { String::new() };
        Some(format!("{}{which}:{}", proc.name, local.name))
    }

    fn remote_label(&mut self) -> Option<String> {
        let procs = self.procs.clone();
        let proc = self.one_of(&procs)?;
        let label = self.one_of(&proc.labels)?;
        let which = if self.random.one_in(2) { format!("[{}]", self.random.below(3)) } else { String::new() };
        Some(format!("{}{which}@{label}", proc.name))
    }

    /// Something that is true or false.
    pub(super) fn condition(&mut self, depth: u32) -> String {
        if depth > 0 && self.random.one_in(5) {
            let (left, right) = (self.condition(depth - 1), self.condition(depth - 1));
            return match self.random.below(3) {
                0 if !is_probe(&left) => format!("!({left})"),
                1 => format!("({left} && {right})"),
                _ => format!("({left} || {right})"),
            };
        }
        let found = match self.random.below(12) {
            0 | 1 if self.traits.channels => self.probe(),
            2 if self.traits.remote => self.remote_label(),
            3 => self.symbolic(),
            4 => Some(self.random.pick(&["true", "1", "(2 > 1)", "false", "0", "(3 == 4)"]).to_owned()),
            5 if self.random.one_in(3) => Some("timeout".to_owned()),
            6 if self.traits.asks => {
                Some(if self.in_claim { "np_".to_owned() } else { format!("enabled({})", self.random.below(3)) })
            }
            7 if self.traits.channel_variables => match (self.channel_place(), self.channel_place()) {
                (Some(one), Some(other)) => {
                    Some(format!("({} {} {})", one.0, self.random.pick(&["==", "!="]), other.0))
                }
                _ => None,
            },
            _ => None,
        };
        found.unwrap_or_else(|| format!("({})", self.expression(2)))
    }

    /// A comparison with the name of an mtype.
    fn symbolic(&mut self) -> Option<String> {
        let kind = self.random.below(self.mtypes.len() as u32) as usize;
        let place = self.place(|ty| ty == Ty::Mtype(kind))?;
        let values = self.mtypes[kind].1.clone();
        let value = self.one_of(&values)?;
        Some(format!("({place} {} {value})", self.random.pick(&["==", "!="])))
    }

    /// `run P(1, q)`
    pub(super) fn run(&mut self) -> Option<String> {
        let procs = self.procs.clone();
        let proc = self.one_of(&procs)?;
        let mut arguments = Vec::new();
        for parameter in &proc.parameters {
            arguments.push(match parameter.ty {
                Ty::Chan(_) => self.channel_place().map_or_else(|| "0".to_owned(), |(channel, ..)| channel),
                Ty::Mtype(kind) => {
                    let values = self.mtypes[kind].1.clone();
                    self.one_of(&values).unwrap_or_default()
                }
                _ => self.expression(1),
            });
        }
        let priority = match self.traits.priorities && self.random.one_in(2) {
            true => format!(" priority {}", 1 + self.random.below(4)),
            false => String::new(),
        };
        Some(format!("run {}({}){priority}", proc.name, arguments.join(", ")))
    }
}

/// Tests of channels that may not be negated.
pub(super) fn is_probe(condition: &str) -> bool {
    ["full(", "empty(", "nfull(", "nempty(", "?["].iter().any(|word| condition.contains(word))
}
