//! From a seed to a model.

use super::claims::{Atoms, random_claim};
use super::random::Random;
use super::{RandomModel, RandomProcess, Stmt, guarded};

/// The model of a seed: always the same.
pub fn random_model(seed: u64) -> RandomModel {
    generator(seed, false).model()
}

/// The same with more features that matter to reductions: a process that executes unrelated statements at one location
/// and never leaves it, and promises of exclusive use of a channel; or tests of channels.
pub fn random_reduction_model(seed: u64) -> RandomModel {
    let mut model = random_model(seed);
    let mut random = Random::new(seed.rotate_left(32) ^ 0x5e7);
    if random.one_in(3) {
        return model;
    }
    if random.one_in(3) {
        guarded::add(&mut model, &mut random);
        return model;
    }
    let has_buffer = model.declarations.iter().any(|text| text.starts_with("chan q"));
    model.declarations.push("chan p = [2] of { byte }".to_owned());
    let mut options = vec!["p?_".to_owned()];
    for option in ["q?_,_", "b = 1 - b", "a[1] = 0", "y = 0", "m = 1 - m"] {
        if random.one_in(2) && (has_buffer || !option.starts_with('q')) {
            options.push(option.to_owned());
        }
    }
    let option = |text: String| vec![Stmt::Simple(None, text)];
    let body = vec![Stmt::Choice("do", options.into_iter().map(option).collect())];
    let mut locals = vec!["byte m".to_owned()];
    let senders = if random.one_in(2) { 1 } else { 2 };
    if random.one_in(2) {
        locals.push("xr p".to_owned());
        if senders == 1 {
            model.processes[0].locals.push("xs p".to_owned());
        }
    }
    for (number, process) in model.processes.iter_mut().take(senders).enumerate() {
        let place = random.below(process.body.len() as u32) as usize;
        process.body.insert(place, Stmt::Simple(None, format!("p!{number}")));
    }
    let medium = RandomProcess { head: "active proctype Medium()".to_owned(), locals, body };
    // Behind the initial processes, so that their pids stay.
    model.processes.push(medium);
    if random.one_in(2) {
        add_promises(&mut model, &mut random);
    }
    model
}

/// Promises that no analysis can prove, since their channel depends on the run. Some are kept.
fn add_promises(model: &mut RandomModel, random: &mut Random) {
    let line = |text: &str| Stmt::Simple(None, text.to_owned());
    model.declarations.push("chan o = [2] of { byte }".to_owned());
    let (kept, broken) = (["x == 7", "a[0] == 9"], ["x == 1", "b == 1", "a[1] > 0"]);
    let takes_p = if random.one_in(2) { random.pick(&kept) } else { random.pick(&broken) };
    let options = vec![vec![line(&format!("({takes_p})")), line("c = p")], vec![line("else"), line("c = o")]];
    let mut body = vec![line("skip"), Stmt::Choice("if", options)];
    body.extend(["c!2", "l = 1", "c?l", "x = l"].map(line).into_iter().filter(|_| !random.one_in(4)));
    let locals = ["chan c", "byte l"].map(str::to_owned).to_vec();
    model.processes.push(RandomProcess { head: "active proctype Sneak()".to_owned(), locals, body });
    if let Some(sender) = model.processes.first_mut().filter(|sender| !sender.locals.contains(&"xs p".to_owned())) {
        sender.locals.push("xs p".to_owned());
    }
    if random.one_in(2) {
        return;
    }
    // Processes with a parameter for the channel that they use exclusively: two of them, with the same channel or not.
    let getter = ["c?l", "l = 0", "b = l", "c!1"].map(line).into_iter().filter(|_| !random.one_in(4)).collect();
    let locals = [random.pick(&["xr c", "xs c"]), "byte l = 1"].map(str::to_owned).to_vec();
    let head = "proctype Getter(chan c)".to_owned();
    model.processes.push(RandomProcess { head, locals, body: getter });
    let second = if random.one_in(2) { "run Getter(o)" } else { "run Getter(p)" };
    let body = ["o!1", "run Getter(p)", second].map(line).to_vec();
    model.processes.push(RandomProcess { head: "active proctype Starter()".to_owned(), locals: Vec::new(), body });
}

/// A model whose processes mostly go on for ever, with claims about their runs, or
/// with accept labels; it has no assertions. With `next`, formulas may have X.
pub fn random_live_model(seed: u64, n_claims: u32, next: bool) -> RandomModel {
    let mut generator = generator(seed, true);
    // Accept labels would count for Spin as the claim's own.
    let n_claims = if generator.random.one_in(4) { 0 } else { n_claims };
    generator.special = if n_claims == 0 { &["accept", "progress", "end"] } else { &["progress", "end"] };
    let mut model = generator.model();
    let mut random = Random::new(!seed);
    let atoms = Atoms { buffered: model.declarations.iter().any(|text| text.starts_with("chan q")), next };
    model.claims = (0..n_claims).map(|number| random_claim(&mut random, number, atoms)).collect();
    model
}

/// The same, but processes share little, so that reductions can remove steps: locals, and channels with one sender and
/// one receiver.
pub fn random_calm_model(seed: u64, n_claims: u32) -> RandomModel {
    let mut generator = generator(!seed, true);
    generator.traits.calm = true;
    generator.traits.last = false;
    generator.traits.priorities = false;
    let n_claims = if generator.random.one_in(4) { 0 } else { n_claims };
    // Beside a never claim accept labels count for a verifier, but not for the explicit product.
    generator.special = if n_claims == 0 { &["accept", "progress"] } else { &["progress", "end"] };
    let mut model = generator.model();
    let mut random = Random::new(seed ^ 0xca11);
    let atoms = Atoms { buffered: model.declarations.iter().any(|text| text.starts_with("chan q")), next: false };
    model.claims = (0..n_claims).map(|number| random_claim(&mut random, number, atoms)).collect();
    model
}

fn generator(seed: u64, live: bool) -> Generator {
    let mut random = Random::new(seed);
    let traits = Traits {
        rendezvous: random.one_in(2),
        buffered: random.one_in(2),
        runs: random.one_in(3),
        unless: random.one_in(2),
        timeout: random.one_in(6),
        last: random.one_in(8),
        gotos: random.one_in(2),
        remote: random.one_in(5),
        priorities: random.one_in(8),
        declarations: random.one_in(4),
        provided: random.one_in(8),
        live,
        calm: false,
    };
    Generator { random, traits, labels: 0, steps_left: 0, locals: 0, special: &[], process: 0 }
}

/// The features of a model: each model concentrates on a few of them.
struct Traits {
    rendezvous: bool,
    buffered: bool,
    runs: bool,
    unless: bool,
    timeout: bool,
    last: bool,
    gotos: bool,
    /// Remote references to labels, which make jumps visible.
    remote: bool,
    /// Spin does not combine them with rendezvous.
    priorities: bool,
    /// Declarations that are steps.
    declarations: bool,
    provided: bool,
    /// For properties of infinite runs: no assertions, most processes are loops, and no expression reads `_nr_pr`, in
    /// which Spin counts a claim.
    live: bool,
    /// Processes share little.
    calm: bool,
}

struct Generator {
    random: Random,
    traits: Traits,
    /// Labels of the process so far: targets of its jumps.
    labels: u32,
    /// How many statements the process may still get.
    steps_left: u32,
    /// How many locals were declared between statements.
    locals: u32,
    /// The prefixes of labels with a meaning.
    special: &'static [&'static str],
    /// The number of the process.
    process: u32,
}

/// The position of a statement.
#[derive(Clone, Copy, Default)]
struct Position {
    depth: u32,
    in_loop: bool,
    in_d_step: bool,
    /// First of an option or a block: no label is allowed there.
    first: bool,
    in_child: bool,
}

impl Generator {
    fn model(mut self) -> RandomModel {
        let mut declarations: Vec<String> =
            ["byte x", "short y = -1", "bit b", "byte a[2]"].map(str::to_owned).to_vec();
        if self.traits.buffered {
            let capacity = 1 + self.random.below(2);
            declarations.push(format!("chan q = [{capacity}] of {{ byte, bit }}"));
        }
        if self.traits.rendezvous {
            declarations.push("chan r = [0] of { byte, bit }".to_owned());
        }
        self.traits.priorities &= !self.traits.rendezvous;
        let mut processes = Vec::new();
        let count = 2 + self.random.below(2);
        for number in 0..count {
            let copies = if number == 0 && count == 2 && self.random.one_in(4) { " [2]" } else { "" };
            let provided = if self.traits.provided { " provided (x != 2)" } else { "" };
            let priority = match self.traits.priorities {
                true => format!(" priority {}", 1 + self.random.below(3)),
                false => String::new(),
            };
            let head = format!("active{copies} proctype P{number}(){priority}{provided}");
            self.process = number;
            processes.push(self.process(head, false));
        }
        if self.traits.runs {
            self.process = count;
            processes.push(self.process("proctype C(byte k)".to_owned(), true));
        }
        RandomModel { declarations, processes, claims: Vec::new() }
    }

    fn process(&mut self, head: String, in_child: bool) -> RandomProcess {
        self.labels = 0;
        self.steps_left = if in_child { 3 } else { 7 };
        let length = 2 + self.random.below(3);
        let position = Position { in_child, ..Position::default() };
        let mut body = if self.traits.live && !in_child && !self.random.one_in(4) {
            self.steps_left = 5;
            let inside = Position { in_loop: true, depth: 1, ..position };
            vec![Stmt::Choice("do", vec![self.sequence(length, inside)])]
        } else {
            self.sequence(length, position)
        };
        // A jump to a label that was not placed goes to a last statement.
        for number in 0..2 {
            if self.labels & (1 << number) == 0 {
                body.push(Stmt::Simple(Some(format!("L{number}")), "skip".to_owned()));
            }
        }
        RandomProcess { head, locals: vec!["byte l".to_owned(), "byte m = 1".to_owned()], body }
    }

    fn sequence(&mut self, length: u32, position: Position) -> Vec<Stmt> {
        (0..length).map(|number| self.statement(Position { first: number == 0, ..position })).collect()
    }

    fn statement(&mut self, position: Position) -> Stmt {
        let inner = Position { depth: position.depth + 1, ..position };
        if position.depth < 3 && self.steps_left > 0 {
            match self.random.below(15) {
                0 if !position.in_d_step => {
                    let length = 2 + self.random.below(2);
                    return Stmt::Block("atomic", self.sequence(length, inner));
                }
                1 if !position.in_d_step => return self.d_step(),
                2 | 3 => return self.choice("if", inner),
                4 => return self.choice("do", inner),
                6 if !position.in_d_step => {
                    let length = 1 + self.random.below(2);
                    return Stmt::Block("", self.sequence(length, inner));
                }
                7 if !position.in_d_step => {
                    let length = 1 + self.random.below(2);
                    let inside = Position { in_loop: true, ..inner };
                    return Stmt::Block("for (m : 0 .. 1)", self.sequence(length, inside));
                }
                5 if self.traits.unless && !position.in_d_step => {
                    // Spin gets the order of escapes wrong when one `unless` begins
                    // with another at the head of an `atomic`.
                    let mut body = vec![Stmt::Simple(None, self.step(Position { first: true, ..inner }))];
                    let more = self.random.below(3);
                    body.extend((0..more).map(|_| self.statement(Position { first: false, ..inner })));
                    let guard = Stmt::Simple(None, self.guard(inner));
                    let mut escape = vec![guard];
                    let more = self.random.below(2);
                    escape.extend(self.sequence(more, inner));
                    return Stmt::Unless(body, escape);
                }
                _ => {}
            }
        }
        self.steps_left = self.steps_left.saturating_sub(1);
        if self.traits.declarations && !position.first && !position.in_d_step && self.random.one_in(6) {
            self.locals += 1;
            let value = self.expression(1);
            return Stmt::Simple(None, format!("byte z{} = {value}", self.locals));
        }
        let text = self.step(position);
        Stmt::Simple(self.label(position), text)
    }

    /// Gives some statements one of the two labels of their process.
    fn label(&mut self, position: Position) -> Option<String> {
        if position.first || position.in_d_step {
            return None;
        }
        if let Some(label) = self.special_label() {
            return Some(label);
        }
        if !self.traits.gotos || !self.random.one_in(3) {
            return None;
        }
        let number = self.random.below(2);
        let free = self.labels & (1 << number) == 0;
        self.labels |= 1 << number;
        free.then(|| format!("L{number}"))
    }

    /// Sometimes one of the labels with a meaning, each once in a process.
    fn special_label(&mut self) -> Option<String> {
        if self.special.is_empty() || !self.random.one_in(4) {
            return None;
        }
        let word = self.random.pick(self.special);
        let bit = 4 << self.special.iter().position(|other| *other == word).unwrap_or(0);
        let free = self.labels & bit == 0;
        self.labels |= bit;
        free.then(|| format!("{word}_here"))
    }

    /// A `d_step` that does not block behind its first statement.
    fn d_step(&mut self) -> Stmt {
        let mut body = Vec::new();
        if self.random.one_in(2) {
            body.push(Stmt::Simple(None, self.condition()));
        }
        for _ in 0..1 + self.random.below(3) {
            self.steps_left = self.steps_left.saturating_sub(1);
            if self.random.one_in(4) {
                let option = vec![Stmt::Simple(None, self.condition()), Stmt::Simple(None, self.assignment())];
                let other = vec![Stmt::Simple(None, "else".to_owned()), Stmt::Simple(None, self.assignment())];
                body.push(Stmt::Choice("if", vec![option, other]));
            } else {
                body.push(Stmt::Simple(None, self.assignment()));
            }
        }
        Stmt::Block("d_step", body)
    }

    fn choice(&mut self, word: &'static str, inner: Position) -> Stmt {
        let is_loop = word == "do";
        let inner = Position { in_loop: inner.in_loop || is_loop, ..inner };
        let count = 1 + self.random.below(3);
        let mut options = Vec::new();
        for _ in 0..count {
            // An `atomic` at the head of an option takes part in the choice.
            if self.random.one_in(5) && !inner.in_d_step {
                let mut body = vec![Stmt::Simple(None, self.guard(inner))];
                body.extend(self.sequence(1, Position { depth: inner.depth + 1, ..inner }));
                options.push(vec![Stmt::Block("atomic", body)]);
                continue;
            }
            let guard = self.guard(inner);
            let label = if inner.in_d_step { None } else { self.special_label() };
            let mut option = vec![Stmt::Simple(label, guard)];
            let more = self.random.below(3);
            option.extend((0..more).map(|_| self.statement(Position { first: false, ..inner })));
            options.push(option);
        }
        if is_loop {
            options.push(vec![Stmt::Simple(None, self.condition()), Stmt::Simple(None, "break".to_owned())]);
        }
        // Spin refuses `else` beside a rendezvous.
        let rendezvous = options.iter().any(|option| begins_with_rendezvous(option));
        if inner.in_d_step || (self.random.one_in(3) && !rendezvous) {
            let last = if is_loop { "break".to_owned() } else { self.assignment() };
            options.push(vec![Stmt::Simple(None, "else".to_owned()), Stmt::Simple(None, last)]);
        }
        Stmt::Choice(word, options)
    }

    /// The first statement of an option or an escape.
    fn guard(&mut self, position: Position) -> String {
        match self.random.below(5) {
            0 if !position.in_d_step => self.communication().unwrap_or_else(|| self.condition()),
            1 => self.assignment(),
            _ => self.condition(),
        }
    }

    fn step(&mut self, position: Position) -> String {
        match self.random.below(17) {
            16 if !position.in_d_step => "select (l : 0 .. 2)".to_owned(),
            0..=4 => self.assignment(),
            5 | 6 => self.condition(),
            7..=10 if !position.in_d_step => self.communication().unwrap_or_else(|| self.assignment()),
            11 if !self.traits.live => format!("assert({})", self.expression(2)),
            12 if self.traits.gotos && !position.in_d_step && !position.first => {
                format!("goto L{}", self.random.below(2))
            }
            13 if self.traits.runs && !position.in_child && !position.in_loop && !position.in_d_step => {
                format!("run C({})", self.expression(1))
            }
            14 if position.in_loop && !position.in_d_step && !position.first => "break".to_owned(),
            15 => "printf(\"%d\\n\", x)".to_owned(),
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) -> String {
        let target = match self.traits.calm {
            true => self.random.pick(&["l", "l", "m", "m", "l", "m", "x", "b", "a[0]"]),
            false => self.random.pick(&["x", "x", "y", "b", "l", "m", "a[0]", "a[b]"]),
        };
        if self.random.one_in(6) && target == "b" {
            return "b++".to_owned();
        }
        format!("{target} = ({}) % 3", self.expression(2))
    }

    /// Mostly one that is likely to hold, or the processes would soon block.
    fn condition(&mut self) -> String {
        match self.random.below(8) {
            0..=5 if self.traits.calm => {
                format!("({})", self.random.pick(&["l != 2", "m != 2", "l <= m", "l != m", "m == 1", "l < 2"]))
            }
            0..=3 => {
                let often = ["x <= 2", "y < 2", "m != x", "l != 2", "x != y", "a[0] < 2", "a[1] == a[b]", "b == b"];
                format!("({})", self.random.pick(&often))
            }
            5 if self.traits.remote => {
                let references = ["P0@L0", "P0[0]@L1", "!P1[1]@L0", "P1@L1", "P0:l == 1", "P1:m != 2"];
                format!("({})", self.random.pick(&references))
            }
            // A poll or a test of a channel may not be an operand of arithmetic.
            4 if self.traits.buffered => {
                let probes = ["q?[1,_]", "q??[_,0]", "nempty(q)", "nfull(q)", "empty(q)", "full(q)", "q?[eval(x),_]"];
                format!("({})", self.random.pick(&probes))
            }
            _ => format!("({})", self.expression(2)),
        }
    }

    /// A send or a receive, if the model has channels.
    fn communication(&mut self) -> Option<String> {
        if self.traits.calm && self.process > 1 {
            return None;
        }
        let channel = match (self.traits.buffered, self.traits.rendezvous) {
            (true, true) => self.random.pick(&["q", "r"]),
            (true, false) => "q",
            (false, true) => "r",
            (false, false) => return None,
        };
        let value = self.expression(1);
        let sends = ["!", "!", "!", "!!"];
        let receives = ["?", "?", "?", "??"];
        let buffered = channel == "q";
        // One process sends to q and receives from r, another sends to r and receives from q.
        let sends_now = match self.traits.calm {
            true => (self.process == 0) == buffered,
            false => self.random.one_in(2),
        };
        let (sends, receives) = if self.traits.calm { (["!"; 4], ["?"; 4]) } else { (sends, receives) };
        Some(if sends_now {
            let send = if buffered { self.random.pick(&sends) } else { "!" };
            format!("{channel}{send}{value},b")
        } else {
            let receive = if buffered { self.random.pick(&receives) } else { "?" };
            let first = self.random.pick(&["x", "l", "1", "0", "_", "eval(l)", "eval(x % 2)", "a[b]"]);
            // Not the variable in the `eval`: Spin does not restore it when it backtracks.
            let second = self.random.pick(&["_", "b", "1", "m"]);
            if buffered && self.random.one_in(6) {
                format!("{channel}{receive}<{first},{second}>")
            } else {
                format!("{channel}{receive}{first},{second}")
            }
        })
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.one_in(4) {
            return self.atom();
        }
        let op = self.random.pick(&["+", "-", "*", "==", "==", "!=", "<", "<=", ">", "&&", "||", "&", "^"]);
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.random.below(10) {
            0 => format!("(!({left}))"),
            1 => format!("({left} -> {right} : {})", self.atom()),
            _ => format!("({left} {op} {right})"),
        }
    }

    fn atom(&mut self) -> String {
        match self.random.below(14) {
            0 if self.traits.buffered => "len(q)".to_owned(),
            1 if self.traits.timeout => "timeout".to_owned(),
            2 if self.traits.last => "_last".to_owned(),
            3 if self.traits.live => "_pid".to_owned(),
            3 => self.random.pick(&["_pid", "_nr_pr"]).to_owned(),
            4..=7 => self.random.below(3).to_string(),
            8..=12 if self.traits.calm => self.random.pick(&["l", "m"]).to_owned(),
            _ => self.random.pick(&["x", "x", "y", "b", "l", "m", "a[0]", "a[1]", "a[b]"]).to_owned(),
        }
    }
}

fn begins_with_rendezvous(statements: &[Stmt]) -> bool {
    match statements.first() {
        Some(Stmt::Simple(_, text)) => text.starts_with("r!") || text.starts_with("r?"),
        Some(Stmt::Block(_, body) | Stmt::Headed(_, body)) => begins_with_rendezvous(body),
        _ => false,
    }
}
