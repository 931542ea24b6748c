//! Processes, `init`, claims and traces.

use super::super::{RandomProcess, Stmt};
use super::expressions::is_probe;
use super::{Position, Proc, Ty, Var, Whole};

impl Whole {
    /// Names, parameters, locals and labels, so that each body can refer to every process.
    pub(super) fn plan_processes(&mut self) {
        for _ in 0..if self.random.one_in(4) { 2 } else { 1 } {
            let name = self.name("P");
            let taken = self.taken.clone();
            let mut parameters = Vec::new();
            for _ in 0..self.random.below(3) {
                let ty =
                    if self.traits.channel_variables && self.random.one_in(2) { Ty::Chan(0) } else { self.scalar() };
                parameters.push(Var { name: self.name("p"), ty, length: None, capacity: None });
            }
            let mut locals: Vec<Var> = (0..self.random.below(4)).map(|_| self.variable("l")).collect();
            if self.traits.channels && self.random.one_in(4) {
                locals.push(self.channel("c"));
            }
            let labels = (0..2).map(|_| self.label_name()).collect();
            // Locals of different processes may have the same names, and those of globals.
            self.taken = taken;
            self.procs.push(Proc { name, parameters, locals, labels });
        }
    }

    fn label_name(&mut self) -> String {
        let name = self.name("L");
        match self.random.below(6) {
            0 => format!("end_{name}"),
            1 => format!("accept_{name}"),
            2 => format!("progress_{name}"),
            _ => name,
        }
    }

    pub(super) fn processes(&mut self) -> Vec<RandomProcess> {
        let mut processes: Vec<RandomProcess> = (0..self.procs.len()).map(|number| self.process(number)).collect();
        if self.random.one_in(6) || !processes.iter().any(|process| process.head.starts_with("active")) {
            self.locals.clear();
            let var = self.variable("i");
            let text = self.declaration(&var, false);
            self.locals.push(var);
            self.traits.runs = true;
            let mut body: Vec<Stmt> =
                (0..1 + self.random.below(2)).filter_map(|_| self.run()).map(|run| Stmt::Simple(None, run)).collect();
            if self.random.one_in(2) {
                body = vec![Stmt::Block("atomic", body)];
            }
            self.steps_left = 1;
            body.extend(self.sequence(1, Position::default()));
            self.place_labels(&mut body);
            processes.push(RandomProcess { head: "init".to_owned(), locals: vec![text], body });
        }
        self.locals.clear();
        processes
    }

    fn process(&mut self, number: usize) -> RandomProcess {
        let proc = self.procs[number].clone();
        self.locals = proc.parameters.iter().chain(&proc.locals).cloned().collect();
        let is_active = !self.random.one_in(3);
        let copies = if is_active && self.random.one_in(4) { " [2]" } else { "" };
        let word = if self.random.one_in(10) { "D_proctype" } else { "proctype" };
        let active = if is_active { format!("active{copies} ") } else { String::new() };
        let parameters: Vec<String> = proc
            .parameters
            .iter()
            .map(|parameter| {
                let (word, behind) = self.written(parameter.ty);
                format!("{word} {}{behind}", parameter.name)
            })
            .collect();
        let priority = match self.traits.priorities && is_active {
            true => format!(" priority {}", 1 + self.random.below(4)),
            false => String::new(),
        };
        let provided = if self.random.one_in(12) {
            let seen = std::mem::take(&mut self.locals);
            self.in_claim = true;
            let condition = self.condition(1);
            self.in_claim = false;
            self.locals = seen;
            format!(" provided ({condition})")
        } else {
            String::new()
        };
        let head = format!("{active}{word} {}({}){priority}{provided}", proc.name, parameters.join("; "));
        let mut locals: Vec<String> = proc.locals.iter().map(|local| self.declaration(local, false)).collect();
        if self.random.one_in(12)
            && let Some((channel, ..)) = self.channel_place()
            && !channel.contains('[')
        {
            let word = self.random.pick(&["xr", "xs"]);
            locals.push(format!("{word} {channel}"));
        }
        self.steps_left = 4;
        let length = 1 + self.random.below(3);
        let mut body = self.sequence(length, Position::default());
        self.place_labels(&mut body);
        for label in &proc.labels {
            if self.placed.insert(label.clone()) {
                body.push(Stmt::Simple(Some(label.clone()), "skip".to_owned()));
            }
        }
        self.placed.clear();
        RandomProcess { head, locals, body }
    }

    /// Labels that were jump targets and are not placed yet are placed at the end.
    pub(super) fn place_labels(&mut self, body: &mut Vec<Stmt>) {
        for label in std::mem::take(&mut self.wanted) {
            if self.placed.insert(label.clone()) {
                body.push(Stmt::Simple(Some(label), "skip".to_owned()));
            }
        }
    }

    /// Never claims, formulas and a trace, each as a process without locals.
    pub(super) fn claims(&mut self) -> Vec<RandomProcess> {
        let mut found = Vec::new();
        self.in_claim = true;
        self.locals.clear();
        if self.traits.claims {
            for _ in 0..1 + self.random.below(2) {
                let claim = if self.random.one_in(2) { self.formula() } else { self.never() };
                found.push(claim);
            }
        }
        if self.traits.trace
            && let Some(text) = self.trace()
        {
            found.push(text);
        }
        found
    }

    fn formula(&mut self) -> RandomProcess {
        let name = self.name("f");
        let (one, other) = (self.proposition(), self.proposition());
        let text = match self.random.below(6) {
            0 => format!("[] ({one})"),
            1 => format!("<> ({one})"),
            2 => format!("[] (({one}) -> <> ({other}))"),
            3 => format!("(({one}) U ({other}))"),
            4 => format!("! (<> [] ({one}))"),
            _ => format!("([] <> ({one})) -> ([] <> ({other}))"),
        };
        RandomProcess { head: format!("ltl {name}"), locals: Vec::new(), body: vec![Stmt::Simple(None, text)] }
    }

    /// A condition that temporal operators can be applied to.
    fn proposition(&mut self) -> String {
        let condition = self.condition(1);
        if is_probe(&condition) { "true".to_owned() } else { condition }
    }

    fn never(&mut self) -> RandomProcess {
        let name = self.name("n");
        let condition = |whole: &mut Self| Stmt::Simple(None, format!("({})", whole.condition(1)));
        let jump = |label: &str| Stmt::Simple(None, format!("goto {label}"));
        let label = self.name("S");
        let mut options = vec![vec![condition(self), jump(&label)], vec![condition(self)]];
        if self.random.one_in(2) {
            options.push(vec![Stmt::Simple(None, "else".to_owned())]);
        }
        if self.random.one_in(3) {
            options.push(vec![Stmt::Block("d_step", vec![condition(self), Stmt::Simple(None, "skip".to_owned())])]);
        }
        let first = Stmt::Choice("do", options);
        let second = Stmt::Choice("do", vec![vec![condition(self)], vec![condition(self), jump(&label)]]);
        let body = vec![first, Stmt::Simple(Some(label), "skip".to_owned()), second];
        RandomProcess { head: format!("never {name}"), locals: Vec::new(), body }
    }

    fn trace(&mut self) -> Option<RandomProcess> {
        let is_global = |var: &&Var| matches!(var.ty, Ty::Chan(_)) && var.capacity.is_some() && var.length.is_none();
        let channels: Vec<Var> = self.globals.iter().filter(is_global).cloned().collect();
        let channel = self.one_of(&channels)?;
        let Ty::Chan(signature) = channel.ty else { return None };
        let count = self.flat(&self.signatures[signature].clone()).len();
        let blanks = vec!["_"; count].join(",");
        let event = |mark: &str| vec![Stmt::Simple(None, format!("{}{mark}{blanks}", channel.name))];
        let options = if self.random.one_in(2) { vec![event("!"), event("?")] } else { vec![event("!")] };
        let head = if self.random.one_in(3) { "notrace" } else { "trace" };
        let body = vec![Stmt::Choice("do", options)];
        Some(RandomProcess { head: head.to_owned(), locals: Vec::new(), body })
    }
}
