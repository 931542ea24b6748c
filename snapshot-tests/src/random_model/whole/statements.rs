//! Statements, simple and compound.

use super::super::Stmt;
use super::{Position, Ty, Whole};

fn line(text: impl Into<String>) -> Stmt {
    Stmt::Simple(None, text.into())
}

impl Whole {
    pub(super) fn sequence(&mut self, length: u32, position: Position) -> Vec<Stmt> {
        let seen = self.locals.len();
        let body = (0..length).map(|number| self.statement(Position { first: number == 0, ..position })).collect();
        // Declarations of a block are not visible behind it.
        if position.depth > 0 {
            self.locals.truncate(seen);
        }
        body
    }

    fn statement(&mut self, position: Position) -> Stmt {
        let inner = Position { depth: position.depth + 1, ..position };
        if position.depth < 3 && self.steps_left > 0 {
            let length = 1 + self.random.below(2);
            match self.random.below(22) {
                0 => return Stmt::Block("atomic", self.sequence(length, inner)),
                1 | 2 => return self.d_step(length, inner),
                3..=5 => return self.choice("if", inner),
                6 | 7 => return self.choice("do", inner),
                8 => return Stmt::Block("", self.sequence(length, inner)),
                9 | 10 => {
                    if let Some(head) = self.loop_head() {
                        let inside = Position { in_loop: true, ..inner };
                        return Stmt::Headed(head, self.sequence(length, inside));
                    }
                }
                11 if !position.in_d_step => {
                    let body = self.sequence(length, inner);
                    let mut escape = vec![line(self.guard(inner))];
                    escape.extend(self.sequence(length - 1, inner));
                    return Stmt::Unless(body, escape);
                }
                12 if !position.first => {
                    if let Some(label) = self.label() {
                        let head = format!("{label}: {}", self.random.pick(&["", "atomic"]));
                        return Stmt::Headed(head, self.sequence(length, inner));
                    }
                }
                _ => {}
            }
        }
        self.steps_left = self.steps_left.saturating_sub(1);
        if !position.first && self.random.one_in(12) {
            let var = self.variable("z");
            let text = self.declaration(&var, false);
            self.locals.push(var);
            return line(text);
        }
        let text = self.step(position);
        let label = if !position.first && self.random.one_in(6) { self.label() } else { None };
        Stmt::Simple(label, text)
    }

    /// Jumps stay inside.
    fn d_step(&mut self, length: u32, inner: Position) -> Stmt {
        let (wanted, placed) = (std::mem::take(&mut self.wanted), std::mem::take(&mut self.placed));
        let mut body = self.sequence(length, Position { in_d_step: true, in_loop: false, ..inner });
        self.place_labels(&mut body);
        (self.wanted, self.placed) = (wanted, placed);
        Stmt::Block("d_step", body)
    }

    /// A label that is not placed yet.
    fn label(&mut self) -> Option<String> {
        let wanted: Vec<String> = self.wanted.difference(&self.placed).cloned().collect();
        let label = self.one_of(&wanted)?;
        self.placed.insert(label.clone());
        Some(label)
    }

    fn jump(&mut self) -> String {
        let known: Vec<String> = self.wanted.iter().chain(&self.placed).cloned().collect();
        let label = match self.one_of(&known) {
            Some(label) if !self.random.one_in(3) => label,
            _ => self.name("T"),
        };
        self.wanted.insert(label.clone());
        format!("goto {label}")
    }

    /// `for (i : 0 .. 2)`, `for (i in array)`, `for (record in channel)`.
    fn loop_head(&mut self) -> Option<String> {
        let counts = |ty: &Ty| matches!(ty, Ty::Byte | Ty::Short | Ty::Int);
        let counters: Vec<_> = self.visible().into_iter().filter(|var| var.length.is_none()).collect();
        let plain: Vec<String> = counters.iter().filter(|var| counts(&var.ty)).map(|var| var.name.clone()).collect();
        if self.random.one_in(4) {
            let arrays: Vec<String> = self
                .visible()
                .into_iter()
                .filter(|var| var.length.is_some() && var.capacity.is_none())
                .map(|var| var.name)
                .collect();
            let (counter, array) = (self.one_of(&plain)?, self.one_of(&arrays)?);
            return Some(format!("for ({counter} in {array})"));
        }
        if self.random.one_in(4) {
            let record = counters.iter().find(|var| matches!(var.ty, Ty::Record(_)))?;
            let Ty::Record(number) = record.ty else { return None };
            let fields: Vec<Ty> = self.records[number].fields.iter().map(|field| field.ty).collect();
            let fitting: Vec<String> = counters
                .iter()
                .filter(|var| matches!(var.ty, Ty::Chan(signature) if self.signatures[signature] == fields))
                .map(|var| var.name.clone())
                .collect();
            let channel = self.one_of(&fitting)?;
            return Some(format!("for ({} in {channel})", record.name));
        }
        let counter = self.one_of(&plain)?;
        let last = if self.random.one_in(3) { self.expression(0) } else { self.random.below(3).to_string() };
        Some(format!("for ({counter} : {} .. {last})", if last == "0" { 0 } else { self.random.below(2) }))
    }

    fn choice(&mut self, word: &'static str, inner: Position) -> Stmt {
        let is_loop = word == "do";
        let inner = Position { in_loop: inner.in_loop || is_loop, ..inner };
        let mut options: Vec<Vec<Stmt>> = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let mut option = vec![line(self.guard(inner))];
            if self.random.one_in(6) && !inner.in_d_step {
                let body = self.sequence(1, Position { depth: inner.depth + 1, ..inner });
                option = vec![Stmt::Block(self.random.pick(&["atomic", ""]), [option, body].concat())];
            }
            let more = self.random.below(2);
            let seen = self.locals.len();
            option.extend((0..more).map(|_| self.statement(Position { first: false, ..inner })));
            self.locals.truncate(seen);
            options.push(option);
        }
        if is_loop && !self.random.one_in(5) {
            options.push(vec![line(self.condition(1)), line("break")]);
        }
        if self.random.one_in(3) || inner.in_d_step && !self.random.one_in(3) {
            options.push(vec![line("else"), line(if is_loop { "break" } else { "skip" })]);
        }
        Stmt::Choice(word, options)
    }

    fn guard(&mut self, position: Position) -> String {
        match self.random.below(5) {
            0 | 1 => self.communication(position.in_d_step).unwrap_or_else(|| self.condition(1)),
            3 if self.traits.runs && !position.in_d_step && self.random.one_in(4) => {
                self.run().unwrap_or_else(|| "skip".to_owned())
            }
            2 => self.assignment(),
            _ => self.condition(1),
        }
    }

    fn step(&mut self, position: Position) -> String {
        let found = match self.random.below(24) {
            0..=5 => self.communication(position.in_d_step),
            6 | 7 => Some(self.condition(1)),
            8 => Some(format!("assert({})", self.condition(1))),
            9 => Some(self.print()),
            10 if !position.first => Some(self.jump()),
            11 if position.in_loop && !position.first => Some("break".to_owned()),
            12 if self.traits.runs && !position.in_d_step && self.random.one_in(2) => self.run(),
            13 if self.traits.runs && !position.in_d_step && self.random.one_in(3) => {
                match (self.number_place(), self.run()) {
                    (Some(place), Some(run)) => Some(format!("{place} = {run}")),
                    _ => None,
                }
            }
            14 => self.place(|ty| matches!(ty, Ty::Byte | Ty::Int | Ty::Short)).map(|place| {
                let (low, high) = (self.random.below(2), 1 + self.random.below(2));
                if place.contains(['[', '.']) {
                    format!("{place}++")
                } else {
                    format!("select ({place} : {low} .. {high})")
                }
            }),
            15 if self.traits.priorities => Some(
                self.random.pick(&["set_priority(_pid, 3)", "_priority = 2", "set_priority(0, 1 + _pid)"]).to_owned(),
            ),
            16 => self.inline_call(),
            17 => Some(self.random.pick(&["skip", "true", "false", "(1)"]).to_owned()),
            18 if self.traits.channel_variables => self.hand_on(),
            19 => self.symbol_assignment(),
            20 if self.random.one_in(2) => Some(format!("_ = {}", self.expression(1))),
            _ => None,
        };
        found.unwrap_or_else(|| self.assignment())
    }

    fn assignment(&mut self) -> String {
        let Some(place) = self.number_place() else { return "skip".to_owned() };
        match self.random.below(8) {
            0 if self.traits.wild => format!("{place}++"),
            1 if self.traits.wild => format!("{place}--"),
            _ if self.traits.wild => format!("{place} = {}", self.expression(2)),
            _ => format!("{place} = ({}) % {}", self.expression(2), 2 + self.random.below(2)),
        }
    }

    fn symbol_assignment(&mut self) -> Option<String> {
        let kind = self.random.below(self.mtypes.len() as u32) as usize;
        let place = self.place(|ty| ty == Ty::Mtype(kind))?;
        let values = self.mtypes[kind].1.clone();
        Some(format!("{place} = {}", self.one_of(&values)?))
    }

    /// A channel variable gets another channel.
    fn hand_on(&mut self) -> Option<String> {
        let loose: Vec<_> = self
            .visible()
            .into_iter()
            .filter(|var| matches!(var.ty, Ty::Chan(_)) && var.capacity.is_none() || matches!(var.ty, Ty::Record(_)))
            .collect();
        let var = self.one_of(&loose)?;
        let (target, _) = self.place_in(&var, &mut |ty| matches!(ty, Ty::Chan(_)))?;
        let (source, ..) = self.channel_place()?;
        Some(format!("{target} = {source}"))
    }

    fn inline_call(&mut self) -> Option<String> {
        let inlines = self.inlines.clone();
        let inline = self.one_of(&inlines)?;
        let is_plain = |ty| matches!(ty, Ty::Bit | Ty::Byte | Ty::Short | Ty::Int);
        let arguments: Option<Vec<String>> = (0..inline.n_parameters).map(|_| self.place(is_plain)).collect();
        Some(format!("{}({})", inline.name, arguments?.join(", ")))
    }

    fn print(&mut self) -> String {
        match self.random.below(8) {
            0 => "printf(\"{} \\\\ %% \\t\\n\")".to_owned(),
            1 => format!("printf(\"%d %x %o %u %c\\n\", {0}, {0}, {0}, {0}, {0})", self.expression(1)),
            2 => match self.place(|ty| matches!(ty, Ty::Mtype(0))) {
                Some(place) => format!("printf(\"%e\\n\", {place})"),
                None => "printf(\"nothing\")".to_owned(),
            },
            3 => match self.place(|ty| matches!(ty, Ty::Mtype(0))) {
                Some(place) => format!("printm({place})"),
                None => "printf(\"MSC: here\\n\")".to_owned(),
            },
            _ => format!("printf(\"%d\\n\", {})", self.expression(2)),
        }
    }
}
