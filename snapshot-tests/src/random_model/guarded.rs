//! Processes that test whether a channel can be used and then use it, in one step or nearly so.

use super::random::Random;
use super::{RandomModel, RandomProcess, Stmt};

/// The test of a receiver. Not all of them imply that there is a message.
const ASKS_MESSAGE: &[&str] = &[
    "nempty(g)",
    "nempty(g)",
    "len(g) > 0",
    "len(g) != 0",
    "nempty(g) && x < 2",
    "b == 0 && nempty(g)",
    "nempty(g) && nfull(h)",
    "nempty(g) || x == 1",
    "nempty(c)",
    "len(g) < 2",
];

/// The statement after the test.
const RECEIVES: &[&str] =
    &["g?l", "g?l", "g?l", "g?_", "g?1", "g?eval(x % 2)", "g??1", "g?<l>", "c?l", "h?l", "g!0", "h!l"];

const ASKS_ROOM: &[&str] = &["nfull(g)", "nfull(g)", "len(g) < 1", "len(g) < 2", "nfull(g) && x != 1", "nfull(h)"];

const SENDS: &[&str] = &["g!1", "g!1", "g!l", "g!!0", "h!1", "g?_"];

/// Statements in between or beside.
const OTHER: &[&str] = &["x = 1", "b = 1 - b", "l = 0", "x != 2", "b == 0", "a[1] = l % 3", "assert(x != 2)"];

/// Adds two channels, one process for each side of them, and sometimes one that removes messages. Of the other
/// processes one is kept, so that the model stays small.
pub(super) fn add(model: &mut RandomModel, random: &mut Random) {
    model.processes.retain(|process| !process.head.contains("proctype P") || process.head.contains("proctype P0"));
    let capacity = 1 + random.below(2);
    model.declarations.push(format!("chan g = [{capacity}] of {{ byte }}"));
    model.declarations.push("chan h = [1] of { byte }".to_owned());
    let has_rendezvous = model.declarations.iter().any(|text| text.starts_with("chan r"));
    let alias = if random.one_in(3) { "chan c = h" } else { "chan c = g" };
    let mut locals = [alias, "byte l"].map(str::to_owned).to_vec();
    if random.one_in(5) {
        locals.push("xr g".to_owned());
    }
    let mut getter: Vec<Stmt> = (0..1 + random.below(2)).map(|_| step(random, ASKS_MESSAGE, RECEIVES)).collect();
    if has_rendezvous && random.one_in(2) {
        // The partner of the rendezvous gets control before the message is received.
        getter.push(Stmt::Block("atomic", ["nempty(g)", "r!1,0", "g?l"].map(line).to_vec()));
    }
    if random.one_in(4) {
        getter.insert(0, line("c = g"));
    }
    let getter = if random.one_in(3) { vec![Stmt::Choice("do", vec![getter, vec![line("break")]])] } else { getter };
    model.processes.push(RandomProcess { head: "active proctype Getter()".to_owned(), locals, body: getter });
    let putter = (0..1 + random.below(2)).map(|_| step(random, ASKS_ROOM, SENDS)).collect();
    let locals = vec!["byte l = 1".to_owned()];
    model.processes.push(RandomProcess { head: "active proctype Putter()".to_owned(), locals, body: putter });
    if random.one_in(3) {
        let taken = random.pick(&["g?_", "h?_", "(len(g) == 1)"]);
        let body = ["skip", taken].map(line).to_vec();
        model.processes.push(RandomProcess { head: "active proctype Thief()".to_owned(), locals: Vec::new(), body });
    }
}

fn line(text: &str) -> Stmt {
    Stmt::Simple(None, text.to_owned())
}

/// An `atomic` with a test and a use, with a statement in between, another path, or a choice.
fn step(random: &mut Random, questions: &[&'static str], uses: &[&'static str]) -> Stmt {
    let question = line(&format!("({})", random.pick(questions)));
    let mut body = vec![question];
    if random.one_in(3) {
        body.push(line(random.pick(OTHER)));
    }
    let used = line(random.pick(uses));
    match random.below(6) {
        0 => body.push(Stmt::Choice("if", vec![vec![used], vec![line("else"), line(random.pick(OTHER))]])),
        1 => body.push(Stmt::Choice("if", vec![vec![used], vec![line(random.pick(OTHER))]])),
        2 => body.push(Stmt::Choice("do", vec![vec![used, line("l = l + 1")], vec![line("l > 1"), line("break")]])),
        3 => body.push(Stmt::Unless(vec![line(random.pick(OTHER))], vec![used])),
        _ => body.push(used),
    }
    if random.one_in(3) {
        body.push(line(random.pick(uses)));
    }
    if random.one_in(3) {
        body.push(line(random.pick(OTHER)));
    }
    let step = Stmt::Block("atomic", body);
    match random.below(4) {
        0 => Stmt::Choice("if", vec![vec![step], vec![line("else"), line("x = 2")]]),
        1 => Stmt::Choice("if", vec![vec![step], vec![line(random.pick(OTHER))]]),
        _ => step,
    }
}
