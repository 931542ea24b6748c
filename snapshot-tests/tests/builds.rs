//! Generated code is accepted by rustc without a warning: for every model that showed a mistake in it once, for all
//! models of the tests and the examples, and for a share of the random ones. `build-models` checks as many as one likes.

use std::path::{Path, PathBuf};

use pmc::driver::{Options, Simplify};
use snapshot_tests::building::{Made, Workshop, generate};
use snapshot_tests::directives::with_lints;
use snapshot_tests::random_model::{random_timed_model, random_whole_model};

/// How many random models are checked here.
const N_RANDOM: u64 = 60;

/// What was wrong, and the smallest model that showed it.
const ONCE_WRONG: &[(&str, &str)] = &[
    ("a word that is reserved since 2024", "byte gen; active proctype P() { gen = 1 }"),
    (
        "a module with the name of a parameter looked like a use of it",
        "byte g = 3; chan q = [1] of { int, byte }; active proctype me() { bool b[3] = 1; q!2,(g > b[2]) } init { run me() }",
    ),
    (
        "one type of queues was imported twice",
        "chan request = [2] of { byte }; chan link = [1] of { chan };
         active proctype Server() { byte v; chan reply; request?v; link?reply; reply!v }
         active proctype Client() { chan mine = [2] of { byte }; byte v; request!7; link!mine; mine?v; assert(v == 7) }",
    ),
    (
        "a rendezvous without a partner did not name its channel",
        "chan c = [0] of { bit }; active proctype P() { d_step { c!1; skip } }",
    ),
    (
        "the same with an index that is used for nothing",
        "chan c[2] = [0] of { bit }; byte i; active proctype P() { d_step { c[i]!1; skip } }",
    ),
    (
        "the same through a variable",
        "chan c = [0] of { bit }; chan v; active proctype P() { v = c; d_step { v!1; skip } }",
    ),
    (
        "a receive that no channel of the variable fits",
        "chan c = [1] of { bit, byte }; chan d = [0] of { bit }; chan v; active proctype P() { bit b; if :: v = c :: v = d fi; v!1; v?b }",
    ),
    (
        "the constant of a statement behind one that is never executable",
        "chan c = [0] of { bit }; byte x; active proctype P() { bit b; d_step { c?b; x = 1; x = 2 } }",
    ),
    (
        "the constants of a loop inside a d_step that no way leads to",
        "active proctype P() { d_step { if :: skip :: do :: skip od fi } }",
    ),
    ("a d_step of a claim that changes nothing", "byte x; active proctype P() { x = 2 } never { do :: d_step { x == 2 -> x < 3; x > 1 } -> break :: else od }"),
    (
        "a poll that compares a field which messages of one of the channels lack",
        "chan q = [8] of { bit, short, byte, chan }; chan r = [1] of { short };
         proctype P(chan c) { c??[_,_,1,_] } init { run P(q); run P(r) }",
    ),
    (
        "the same of the first message",
        "chan q = [8] of { bit, short, byte, chan }; chan r = [1] of { short };
         proctype P(chan c) { c?[_,_,1,_] } init { run P(q); run P(r) }",
    ),
    (
        "the same with a value that may be a fault",
        "chan q = [8] of { bit, byte }; chan r = [1] of { short }; byte a[2], i;
         proctype P(chan c) { c?[_,eval(a[i] + 1)] } init { i = 1; run P(q); run P(r) }",
    ),
    ("two minus signs", "int x; active proctype P() { x = -(-x); x = -(-1) }"),
    ("a minus sign before an unsigned literal", "active proctype P() { printf(\"%u\", -0) }"),
    ("the widest unsigned", "unsigned x : 31; active proctype P() { x = 5; x = -1 }"),
    (
        "hidden records cannot be compared",
        "typedef R { byte f; chan c }; hidden R r[2]; byte n; proctype P() { r[1].f = n; n++; run P() } init { run P() }",
    ),
    ("a parameter hides a constructor", "proctype P(byte Err; byte None; byte Some; byte Ok) { Err = None } init { run P(1, 2, 3, 4) }"),
    (
        "a parameter is taken for a type, and that is imported for nothing",
        "proctype P(chan Model; byte Part) { Model!Part } init { chan c = [1] of { byte }; run P(c, 1); run P(c, 2) }",
    ),
    ("a variable is taken for a parameter of ours", "byte me, steps, offer, now, next, text; active proctype P() { me = 1; now = next + steps }"),
    ("a question about a number of messages in parentheses", "chan c = [1] of { byte }; chan v; active proctype P() { v = c; d_step { assert(empty(v)); assert(nempty(v)) } }"),
    ("a condition that changes something at the head of a d_step", "active proctype P() { d_step { set_priority(0, 2); skip } }"),
    ("a loop that begins a d_step, in an atomic: pmc did not end", "byte x; active proctype P() { d_step { atomic { do :: x = 1 od } } }"),
    ("a proctype named like a function of reductions", "byte x; active proctype safe() { x = 1; x = 2 } active proctype add() { x = 2; x = 3 } active proctype part() { x = 4; x = 5 }"),
    ("a setter of one variable named like access to the queue of another", "short x_mut[2]; chan set_x = [1] of { byte }; active proctype P() { byte b; set_x!x_mut[0]; set_x?b; x_mut[1] = b }"),
    ("a type that begins with a digit", "chan _0 = [1] of { byte }; proctype P(chan c) { byte b; c?b } init { run P(_0); run P(_0); _0!1 }"),
    ("a method of literals", "int x; active proctype P() { x = (x > 0 -> 1 : 2147483647) * x; x = -(x > 0 -> (1 << 31) : 1) }"),
    ("a comparison that cannot hold", "int x; active proctype P() { x = x + 1; x = (2147483647 < x) }"),
    ("a parameter named like a type of messages", "chan x = [1] of { byte }; active proctype P(byte XMessage; byte XQueue) { x!XMessage + XQueue }"),
    ("a variable that gets its own value", "chan v; byte n; proctype P() { d_step { v = v; n++ }; run P() } init { run P() }"),
    ("a typedef named like a kind of transition", "typedef End { byte f }; End r; proctype P() { r.f++; run P() } init { run P() }"),
    ("a question with a value of its own before others", "chan q = [2] of { byte }; byte n; active proctype P() { q!n; n = 1 } never { do :: q?[eval(n)] && n == 0 :: else od }"),
    ("a poll that is always a fault, whatever it compares with", "mtype = { m }; hidden chan g[1]; chan q = [0] of { mtype, chan }; active proctype P(bit p) { atomic { g[0]?m,q; do :: nfull(q) :: g[0]??eval(p),_ od } }"),
    ("a timeout that does not matter", "byte x; active proctype P() { x = 1 } ltl f { [] (x == 1 || timeout || !(x == 1)) }"),
    ("an atom of a formula that does not matter", "byte x; active proctype P() { x = 1 } ltl f { [] (x == 1 || (x != 7 && true) || !(x == 1)) }"),
];

fn options(number: usize) -> Options {
    let simplify = if number.is_multiple_of(2) { Simplify::NONE } else { Simplify::default() };
    Options { simplify, ..Options::default() }
}

/// Has rustc look at models, each with a name, and panics if it has something to say.
fn check(folder: &str, models: impl Iterator<Item = (String, String, Options)>) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let workshop = Workshop::new(&dir).unwrap_or_else(|error| panic!("{error}"));
    let (mut shown, mut codes) = (Vec::new(), Vec::new());
    for (name, text, options) in models {
        match generate(&text, &options) {
            Made::Code(files) => {
                shown.push(format!("{name}:\n{text}"));
                codes.push(files);
            }
            // A random model need not be Promela.
            Made::Refused(_) if folder == "random-builds" => {}
            Made::Refused(message) | Made::Broken(message) => panic!("{name}: {message}\n{text}"),
        }
    }
    let faults = workshop.check(&codes).unwrap_or_else(|error| panic!("{error}"));
    let faults: Vec<String> = faults.iter().map(|(model, said)| format!("{said}\n{}", shown[*model])).collect();
    assert!(faults.is_empty(), "{} of {} models:\n{}", faults.len(), codes.len(), faults.join("\n"));
}

#[test]
fn what_was_wrong_once_stays_right() {
    let both = ONCE_WRONG.iter().flat_map(|(what, model)| (0..2).map(move |n| (*what, *model, options(n))));
    check("once-wrong", both.map(|(what, model, options)| (what.to_owned(), model.to_owned(), options)));
}

#[test]
fn random_models_build() {
    let options = |seed: u64| options(usize::try_from(seed).unwrap_or(0));
    let whole = (0..N_RANDOM).map(|seed| (format!("seed {seed}"), random_whole_model(seed).to_string(), options(seed)));
    let timed = (0..N_RANDOM / 4)
        .map(|seed| (format!("timed, seed {seed}"), random_timed_model(seed, 2).to_string(), options(seed)));
    check("random-builds", whole.chain(timed));
}

#[test]
fn models_of_the_tests_and_examples_build() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let inside = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect()
    };
    let mut paths = inside(&root.join("models"));
    paths.extend(inside(&root.join("../examples")).iter().flat_map(|example| inside(example)));
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    paths.sort();
    assert!(paths.len() > 100, "the models are not where they were");
    let models = paths.iter().map(|path| {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let folder = path.parent().map(Path::to_path_buf);
        let options = Options { include_dirs: folder.into_iter().collect(), ..Options::default() };
        let options = with_lints(&options, &text);
        (path.display().to_string(), text, options)
    });
    check("model-builds", models);
}
