//! Random models of processes that are alike, or nearly.

use super::SymmetricModel;
use crate::random_model::random::Random;

/// Processes `P`, with flags, maps, relations, channels of pids and choices among them; sometimes another process beside
/// them, and sometimes something that breaks the symmetry.
pub fn random_symmetric_model(seed: u64) -> SymmetricModel {
    Maker { random: Random::new(seed), n: 2, base: 0 }.model(seed % 5 == 4)
}

/// What is never executed, but makes sure that whatever is named so is about members: sets of values that never meet are
/// permuted apart.
const MEETING: &str =
    "m_w = _pid; m_x = _pid; im_map[_pid] = _pid; i_f[_pid] = i_knows[_pid].i_to[_pid]; x_q!_pid; i_c[_pid]!1,_pid";

struct Maker {
    random: Random,
    /// The number of processes `P`.
    n: usize,
    base: usize,
}

impl Maker {
    fn model(&mut self, ends: bool) -> SymmetricModel {
        self.n = if self.random.one_in(3) { 3 } else { 2 };
        // Another process before them, behind them, one that starts them, or none.
        let other = self.random.below(5);
        let is_late = other == 2;
        self.base = usize::from(other == 0 || is_late);
        let size = self.n + self.base;
        let capacity = self.random.below(3);
        let mut text = format!(
            "typedef Row {{ bool i_to[{size}] }};
bool i_f[{size}], x_b;
byte x_n;
pid m_w = 255;
pid im_map[{size}] = 255;
Row i_knows[{size}];
chan x_q = [{capacity}] of {{ pid }};
chan i_c[{size}] = [1] of {{ byte, pid }};
"
        );
        if other == 0 {
            text += &self.other();
        }
        let locals = if self.random.one_in(2) { "  pid m_x = 255; byte x_k;\n" } else { "  pid m_x = 255;\n" };
        let has_counter = locals.contains("x_k");
        let n = self.n;
        let head = if is_late { "proctype P()".to_owned() } else { format!("active [{n}] proctype P()") };
        text += &format!("{head} {{\n{locals}  do\n");
        for _ in 0..2 + self.random.below(3) {
            let option = self.option(has_counter);
            text += &format!("  :: {option}\n");
        }
        if ends {
            let guard = self.guard();
            text += &format!("  :: {guard} -> break\n");
        }
        text += "  :: false -> MEETING\n  od\n}\n".replace("MEETING", MEETING).as_str();
        if other == 1 {
            text += &self.other();
        }
        if is_late {
            text += &format!(
                "init {{ byte x_i; atomic {{ do :: x_i < {n} -> run P(); x_i++ :: else -> x_i = 0; break od }} }}\n"
            );
        }
        text += &self.formulas();
        SymmetricModel { text, base: self.base, ends }
    }

    /// Formulas that name no member, some, or all.
    fn formulas(&mut self) -> String {
        let formulas = [
            "[]<> (m_w == 255)".to_owned(),
            "<>[] (x_n == 0 || x_b)".to_owned(),
            format!("[]<> ({})", self.all("i_f[PID]", " || ")),
            format!("[] !({})", self.all("i_f[PID]", " && ")),
            format!("<>[] !i_f[{}]", self.named()),
            format!("[] (m_w == {} -> <> (m_w == 255))", self.named()),
            self.all("([]<> i_f[PID])", " && "),
            self.all("(<>[] !i_f[PID])", " || "),
            format!("({}) U ({})", self.all("!i_f[PID]", " && "), self.all("im_map[PID] != 255", " || ")),
            "[]<> (m_w < 2)".to_owned(),
            format!("[] ({})", self.all("i_knows[PID].i_to[PID] == 0", " && ")),
        ];
        let mut text = String::new();
        for number in 0..3 {
            let formula = &formulas[self.random.below(11) as usize];
            text += &format!("ltl f{number} {{ {formula} }}\n");
        }
        text
    }

    /// A process that is no member.
    fn other(&mut self) -> String {
        let mut text = "active proctype S() {\n  pid m_s = 255;\n  do\n".to_owned();
        for _ in 0..1 + self.random.below(2) {
            let step = match self.random.below(5) {
                0 => "x_q?m_s; i_f[m_s] = true; m_s = 255",
                1 => "x_n > 0 -> x_n--",
                2 => "m_w != 255 -> m_s = m_w; m_w = 255; im_map[m_s] = 255; m_s = 255",
                3 => "x_q!m_w",
                _ => "atomic { m_w == 255 -> m_w = im_map[PID] }",
            };
            let pid = self.named();
            text += &format!("  :: {}\n", step.replace("PID", &pid));
        }
        text + "  :: false -> m_s = m_w\n  od\n}\n"
    }

    /// The number of a member.
    fn named(&mut self) -> String {
        (self.base + self.random.below(u32::try_from(self.n).unwrap_or(1)) as usize).to_string()
    }

    fn option(&mut self, has_counter: bool) -> String {
        let n = 1 + self.random.below(3);
        let steps: Vec<String> = (0..n).map(|_| self.step(has_counter)).collect();
        let text = steps.join("; ");
        match self.random.below(4) {
            0 => format!("atomic {{ {text} }}"),
            1 => format!("{}; atomic {{ {text} }}", self.guard()),
            _ => text,
        }
    }

    fn guard(&mut self) -> String {
        let guards = [
            "m_w == 255",
            "m_w == _pid",
            "m_w != _pid",
            "m_x != 255",
            "m_x == _pid",
            "i_f[_pid]",
            "!i_f[_pid]",
            "im_map[_pid] == 255",
            "im_map[_pid] == _pid",
            "x_n < 2",
            "i_knows[_pid].i_to[_pid]",
            "len(i_c[_pid]) == 0",
            "im_map[_pid] != m_w",
            "all",
        ];
        let guard = self.random.pick(&guards);
        let between = if self.random.one_in(2) { " || " } else { " && " };
        match guard {
            "all" => self.all("i_f[PID]", between),
            other => other.to_owned(),
        }
    }

    /// The same for every member.
    fn all(&mut self, text: &str, between: &str) -> String {
        let mut pids: Vec<usize> = (self.base..self.base + self.n).collect();
        if self.random.one_in(2) {
            pids.reverse();
        }
        if self.random.one_in(8) {
            pids.pop();
        }
        pids.iter().map(|pid| text.replace("PID", &pid.to_string())).collect::<Vec<_>>().join(between)
    }

    fn step(&mut self, has_counter: bool) -> String {
        let (first, last) = (self.base, self.base + self.n - 1);
        let pid = self.named();
        match self.random.below(31) {
            0..=4 => self.guard(),
            5 => "i_f[_pid] = !i_f[_pid]".to_owned(),
            6 => "m_w = _pid".to_owned(),
            7 => "m_w = 255".to_owned(),
            8 => "m_x = m_w".to_owned(),
            9 => "im_map[_pid] = m_w".to_owned(),
            10 => "m_x = im_map[_pid]".to_owned(),
            11 => "m_x != 255 -> i_f[m_x] = true; m_x = 255".to_owned(),
            12 => "m_x != 255 -> i_knows[_pid].i_to[m_x] = true".to_owned(),
            13 => "x_q!_pid".to_owned(),
            14 => "x_q?m_x".to_owned(),
            15 => "x_q?eval(_pid)".to_owned(),
            16 => "x_q??eval(_pid)".to_owned(),
            17 => "m_x != 255 -> i_c[m_x]!1,_pid".to_owned(),
            18 => "i_c[_pid]?1,m_x".to_owned(),
            19 => format!("select(m_x : {first} .. {last})"),
            20 => format!("if :: {} fi", self.all("m_w = PID", " :: ")),
            21 => format!("if :: {} fi", self.all("i_f[PID] -> m_w = PID", " :: ")),
            22 => format!("if :: {} fi", self.all("atomic { i_f[PID] -> m_x = PID }", " :: ")),
            23 => format!("d_step {{ if :: {} :: else fi }}", self.all("i_f[PID] -> m_w = PID", " :: ")),
            24 => format!("assert({})", self.all("i_f[PID]", " || ")),
            25 => "x_n < 2 -> x_n++".to_owned(),
            26 => "x_n > 0 -> x_n--; assert(m_w == 255 || m_w != m_x)".to_owned(),
            27 if has_counter => "x_k = 1 - x_k".to_owned(),
            28 | 29 if has_counter => {
                let rounds = self.random.pick(&[
                    "x_n = x_n + i_f[x_k]",
                    "i_f[x_k] = (m_w == x_k)",
                    "if :: i_f[x_k] -> x_b = true :: else fi",
                    "if :: im_map[x_k] == _pid -> im_map[x_k] = m_w :: else -> x_n = x_n - 1 fi",
                    "i_knows[x_k].i_to[_pid] = i_f[x_k]",
                    "if :: i_f[x_k] -> m_w = x_k :: else fi",
                    "if :: i_f[x_k] -> x_b = true :: else -> x_b = false fi",
                ]);
                let last = if self.random.one_in(8) { last - 1 } else { last };
                let block = self.random.pick(&["d_step", "atomic"]);
                format!("{block} {{ x_n = 0; for (x_k : {first} .. {last}) {{ {rounds} }}; x_k = 0; x_n = x_n & 1 }}")
            }
            29 if self.random.one_in(3) => {
                let breaks = [
                    format!("m_w == {pid} -> x_b = true"),
                    format!("i_f[{pid}] = false"),
                    "x_n = m_w".to_owned(),
                    "m_w < _pid -> m_w = _pid".to_owned(),
                    format!("m_x = {pid}"),
                    "x_q!!_pid".to_owned(),
                ];
                breaks[self.random.below(6) as usize].clone()
            }
            _ => "x_b = !x_b".to_owned(),
        }
    }
}
