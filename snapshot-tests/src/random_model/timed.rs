//! Random models with timers: local ones and a shared one, which are set, asked and waited for in every context.

use super::random::Random;
use super::{RandomClaim, RandomFormula, RandomModel, RandomProcess, Stmt};

/// A model with timers and, if asked for, with formulas.
pub fn random_timed_model(seed: u64, n_claims: u32) -> RandomModel {
    let mut random = Random::new(seed ^ 0x7_1135);
    let is_array = random.one_in(3);
    let shared = if is_array { "timer w[2] = 2" } else { "timer w" };
    let declarations = ["byte g, h", shared, "chan q = [1] of { byte }", "chan r = [0] of { byte }"];
    let n_processes = 2 + random.below(2);
    let mut make = Maker { random, is_array, has_timeout: false };
    make.has_timeout = make.random.one_in(6);
    let processes = (0..n_processes).map(|number| make.process(number)).collect();
    let claims = (0..n_claims).map(|number| RandomClaim::Ltl(format!("f{number}"), make.formula(2))).collect();
    RandomModel { declarations: declarations.map(str::to_owned).to_vec(), processes, claims }
}

/// The same where no timer is on at the end of its process, as plain Promela can say it.
pub fn random_clock_model(seed: u64, n_claims: u32) -> RandomModel {
    let mut model = random_timed_model(seed, n_claims);
    model.processes.iter_mut().for_each(|process| process.body.push(simple("reset(t)")));
    model
}

struct Maker {
    random: Random,
    /// The shared timer is an array.
    is_array: bool,
    has_timeout: bool,
}

impl Maker {
    fn process(&mut self, number: u32) -> RandomProcess {
        let clause = match self.random.below(8) {
            0 => " provided (!on(w) || g < 3)",
            _ => "",
        };
        let clause = if self.is_array { clause.replace("on(w)", "on(w[0])") } else { clause.to_owned() };
        let timer = match self.random.below(4) {
            0 => "timer t = 1",
            _ => "timer t",
        };
        let n_statements = 2 + self.random.below(3);
        let mut body: Vec<Stmt> = (0..n_statements).map(|_| self.statement(2)).collect();
        if self.random.one_in(2) {
            body = vec![Stmt::Choice("do", vec![body, vec![self.step(), simple("break")]])];
        }
        let locals = vec![timer.to_owned(), "byte x".to_owned()];
        RandomProcess { head: format!("active proctype P{number}(){clause}"), locals, body }
    }

    fn timer(&mut self) -> &'static str {
        match self.random.below(3) {
            0 if self.is_array => self.random.pick(&["w[0]", "w[1]", "w[x % 2]"]),
            0 => "w",
            _ => "t",
        }
    }

    fn statement(&mut self, depth: u32) -> Stmt {
        if depth == 0 {
            return self.step();
        }
        match self.random.below(14) {
            0 | 1 => {
                let n_options = 2 + self.random.below(2);
                let mut options: Vec<Vec<Stmt>> = (0..n_options).map(|_| self.option(depth)).collect();
                if self.random.one_in(3) {
                    options.push(vec![simple("else"), self.statement(depth - 1)]);
                }
                Stmt::Choice("if", options)
            }
            2 => Stmt::Choice("do", vec![self.option(depth), vec![self.guard(), simple("break")]]),
            3 | 4 => Stmt::Block("atomic", vec![self.step(), self.statement(depth - 1), self.step()]),
            5 => Stmt::Block("d_step", vec![self.guard(), self.change(), self.change()]),
            6 => Stmt::Unless(vec![self.statement(depth - 1), self.step()], vec![self.guard(), self.step()]),
            _ => self.step(),
        }
    }

    fn option(&mut self, depth: u32) -> Vec<Stmt> {
        vec![self.guard(), self.statement(depth - 1)]
    }

    /// A statement that can be blocked.
    fn guard(&mut self) -> Stmt {
        let timer = self.timer();
        let text = match self.random.below(10) {
            0..=3 => format!("expire({timer})"),
            4 => format!("!on({timer})"),
            5 => format!("{timer} <= 1"),
            6 => "q?x".to_owned(),
            7 => "g == 1".to_owned(),
            8 if self.has_timeout => "timeout".to_owned(),
            _ => "g < 2".to_owned(),
        };
        simple(&text)
    }

    /// A statement that is always executable.
    fn change(&mut self) -> Stmt {
        let (timer, value) = (self.timer(), self.random.below(4));
        let text = match self.random.below(7) {
            0 | 1 => format!("set({timer}, {value})"),
            2 => format!("set({timer}, x - 1)"),
            3 => format!("reset({timer})"),
            4 => "g = (g + 1) % 4".to_owned(),
            5 => "h = 1 - h".to_owned(),
            _ => "x = (x + 1) % 3".to_owned(),
        };
        simple(&text)
    }

    fn step(&mut self) -> Stmt {
        let (timer, value) = (self.timer(), 1 + self.random.below(3));
        let text = match self.random.below(16) {
            0..=3 => format!("delay({timer}, {value})"),
            4 => "udelay(t)".to_owned(),
            5 | 6 => return self.guard(),
            7 => "q!1".to_owned(),
            8 => "r!2".to_owned(),
            9 => "r?x".to_owned(),
            10 => format!("assert(!expire({timer}) || g != {value})"),
            _ => return self.change(),
        };
        simple(&text)
    }

    fn formula(&mut self, depth: u32) -> RandomFormula {
        if depth == 0 {
            let timer = if self.is_array { "w[1]" } else { "w" };
            let atom = match self.random.below(5) {
                0 => format!("expire({timer})"),
                1 => format!("on({timer})"),
                2 => format!("{timer} >= 1"),
                3 => "h == 1".to_owned(),
                _ => "g == 2".to_owned(),
            };
            return RandomFormula::Atom(format!("({atom})"));
        }
        let inner = self.formula(depth - 1);
        match self.random.below(5) {
            0 | 1 => RandomFormula::Unary("[]", Box::new(inner)),
            2 | 3 => RandomFormula::Unary("<>", Box::new(inner)),
            _ => {
                let op = self.random.pick(&["U", "->", "&&", "||"]);
                RandomFormula::Binary(op, Box::new(inner), Box::new(self.formula(depth - 1)))
            }
        }
    }
}

fn simple(text: &str) -> Stmt {
    Stmt::Simple(None, text.to_owned())
}
