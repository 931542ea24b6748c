//! Names that Rust, its prelude, the runtime or generated code use for something else, in every place where a model can
//! have a name. The models are checked by rustc, which must have nothing to say.

use std::collections::BTreeSet;
use std::path::Path;

use pmc::driver::{Options, Simplify};
use snapshot_tests::building::{Made, Workshop, generate};
use snapshot_tests::random_model::words;

/// Words of Promela that are names where they mean nothing.
const CONTEXTUAL: [&str; 8] = ["in", "timer", "expire", "on", "delay", "udelay", "reset", "tick"];

/// How many words one model has.
const PER_MODEL: usize = 16;

/// A way to use words as names, as many as there are.
type Use = fn(&[&str]) -> String;

fn each(words: &[&str], text: impl Fn(&str, usize) -> String) -> String {
    words.iter().enumerate().map(|(number, word)| text(word, number)).collect()
}

fn global_variables(words: &[&str]) -> String {
    let declared = each(words, |word, n| match n % 4 {
        0 => format!("byte {word};\n"),
        1 => format!("int {word}[2];\n"),
        2 => format!("hidden short {word};\n"),
        _ => format!("bool {word};\n"),
    });
    let used = each(words, |word, n| match n % 4 {
        1 => format!(" :: {word}[{word}[0] & 1] < 3 -> {word}[1]++\n"),
        3 => format!(" :: !{word} -> {word} = true\n"),
        _ => format!(" :: {word} < 3 -> {word}++; assert({word} < 4)\n"),
    });
    // `next` is an operator there.
    let formula = each(words, |word, n| match n % 4 {
        0 if word != "next" => format!("ltl f{n} {{ [] ({word} < 3) }}\n"),
        _ => String::new(),
    });
    format!("{declared}active proctype Own_P() {{ do\n{used} od }}\n{formula}")
}

fn local_variables(words: &[&str]) -> String {
    let declared =
        each(words, |word, n| if n % 2 == 0 { format!("byte {word};\n") } else { format!("byte {word}[2] = 1;\n") });
    let used = each(words, |word, n| {
        let place = if n % 2 == 0 { word.to_owned() } else { format!("{word}[own_k % 2]") };
        format!(" :: {place} < 3 -> {place} = {place} + 1\n")
    });
    format!("byte own_k; active [2] proctype Own_P() {{ {declared} do\n{used} :: own_k = 1 - own_k od }}\n")
}

fn parameters(words: &[&str]) -> String {
    let declared: Vec<String> = words.iter().map(|word| format!("byte {word}")).collect();
    let given = vec!["1"; words.len()].join(", ");
    let used = each(words, |word, _| format!("own_x = (own_x + {word}) % 3; {word}++;\n"));
    format!(
        "byte own_x; proctype Own_P({}) {{ {used} own_x == 0 }}\ninit {{ run Own_P({given}); run Own_P({given}); Own_P[1]:{} == 1 }}\n",
        declared.join("; "),
        words[0]
    )
}

fn proctypes(words: &[&str]) -> String {
    let declared = each(words, |word, _| {
        format!("proctype {word}(byte own_n) {{ byte own_l; own_l = own_n; L: own_x = own_l }}\n")
    });
    let started = each(words, |word, _| format!("run {word}(2);\n"));
    let asked = each(words, |word, _| format!("{word}@L || {word}:own_l == 3 ||\n"));
    format!("byte own_x; {declared} init {{ {started} ({asked} own_x == 2) }}\n")
}

fn labels(words: &[&str]) -> String {
    let placed = each(words, |word, n| {
        if n % 3 == 0 {
            format!("{word}: d_step {{ own_x == 1; own_x = 0 }};\n")
        } else {
            format!("{word}: own_x++;\n")
        }
    });
    let jumps =
        each(words, |word, n| if n % 3 == 0 { String::new() } else { format!(" :: own_x == {n} -> goto {word}\n") });
    let asked = each(words, |word, _| format!("Own_P@{word} ||\n"));
    format!(
        "byte own_x; active proctype Own_P() {{ {placed} if\n{jumps} :: else fi }}\nactive proctype Own_Q() {{ {asked} own_x == 2 }}\n"
    )
}

fn mtypes(words: &[&str]) -> String {
    let used = each(words, |word, _| format!(" :: own_m == {word} -> own_m = {word}; own_c!{word}; own_c?{word}\n"));
    format!(
        "mtype = {{ {} }};\nmtype own_m; chan own_c = [1] of {{ mtype }};\nactive proctype Own_P() {{ printf(\"%e\", own_m); do\n{used} od }}\n",
        words.join(", ")
    )
}

fn kinds_of_mtypes(words: &[&str]) -> String {
    let declared = each(words, |word, n| format!("mtype:{word} = {{ m{n}, n{n} }};\nmtype:{word} v{n};\n"));
    let used = each(words, |_, n| format!("v{n} = m{n}; v{n} != n{n}; printf(\"%e\\n\", v{n});\n"));
    format!("{declared} active proctype Own_P() {{ {used} skip }}\n")
}

fn fields(words: &[&str]) -> String {
    let declared =
        each(words, |word, n| if n % 2 == 0 { format!("byte {word};\n") } else { format!("short {word}[2];\n") });
    let used = each(words, |word, n| {
        let index = if n % 2 == 0 { "" } else { "[1]" };
        format!("own_r.{word}{index} = 1; own_l[1].{word}{index} = own_r.{word}{index};\n")
    });
    format!("typedef Own_R {{ {declared} }};\nOwn_R own_r; active proctype Own_P() {{ Own_R own_l[2]; {used} skip }}\n")
}

fn records(words: &[&str]) -> String {
    let declared =
        each(words, |word, n| format!("typedef {word} {{ byte f; bool g[2] }};\n{word} r{n}; hidden {word} h{n};\n"));
    let used = each(words, |_, n| format!("r{n}.f++; r{n}.g[1] = r{n}.f; h{n}.f = r{n}.f;\n"));
    format!("{declared} chan own_c = [1] of {{ byte }}; active proctype Own_P() {{ {used} own_c!1 }}\n")
}

fn inlines_and_macros(words: &[&str]) -> String {
    let declared = each(words, |word, n| match n % 2 {
        0 => format!("inline {word}(a) {{ a++; if :: a > 2 -> a = 0 :: else fi }}\n"),
        _ => format!("#define {word}(a) (a + {n})\n"),
    });
    let used =
        each(words, |word, n| if n % 2 == 0 { format!("{word}(own_x);\n") } else { format!("own_x = {word}(1);\n") });
    format!("byte own_x;\n{declared} active proctype Own_P() {{ {used} skip }}\n")
}

fn claims(words: &[&str]) -> String {
    let claims = each(words, |word, n| match n % 2 {
        0 => format!("ltl {word} {{ [] (own_x < 5) }}\n"),
        _ => format!("never {word} {{ byte own_n; do :: own_x == 3 -> break :: own_n = own_x :: else od }}\n"),
    });
    format!("byte own_x; active proctype Own_P() {{ do :: own_x < 4 -> own_x++ od }}\n{claims}")
}

fn channels(words: &[&str]) -> String {
    let declared = each(words, |word, n| match n % 4 {
        0 => format!("chan {word} = [2] of {{ byte }};\n"),
        1 => format!("chan {word}[2] = [1] of {{ byte, int }};\n"),
        2 => format!("chan {word} = [0] of {{ byte }};\n"),
        _ => format!("chan {word};\n"),
    });
    let used = each(words, |word, n| match n % 4 {
        0 => format!(" :: {word}!1 :: {word}?own_x -> carried!{word}\n"),
        1 => format!(" :: {word}[own_x & 1]!1,2 :: {word}[1]?own_x,_ :: len({word}[0]) > 1\n"),
        2 => format!(" :: {word}!1 :: {word}?own_x\n"),
        _ => format!(" :: {word} = local_one :: {word}!1 :: {word}?[1]\n"),
    });
    format!(
        "byte own_x; {declared} chan carried = [1] of {{ chan }};\n\
         active [2] proctype Own_P() {{ chan local_one = [1] of {{ byte }}; chan got; do\n{used} :: carried?got -> got!1 od }}\n"
    )
}

fn local_channels(words: &[&str]) -> String {
    let declared = each(words, |word, n| format!("chan {word} = [{}] of {{ byte }};\n", n % 3));
    let used = each(words, |word, _| format!(" :: {word}!1 :: {word}?own_x :: run Own_P({word})\n"));
    format!(
        "byte own_x; proctype Own_P(chan own_c) {{ {declared} do\n{used} :: own_c!2 od }}\nactive proctype Own_Q() {{ chan own_d = [1] of {{ byte }}; run Own_P(own_d) }}\n"
    )
}

fn timers(words: &[&str]) -> String {
    let declared = |is_local: bool| {
        each(words, |word, n| match n % 3 {
            0 if !is_local => format!("timer {word};\n"),
            1 if !is_local => format!("timer {word}[2];\n"),
            2 if is_local => format!("timer {word} = 1;\n"),
            _ => String::new(),
        })
    };
    let used = each(words, |word, n| {
        let place = if n % 3 == 1 { format!("{word}[_pid]") } else { word.to_owned() };
        format!(" :: !on({place}) -> set({place}, {n}); expire({place}); reset({place}); assert({place} < 0)\n")
    });
    let (global, local) = (declared(false), declared(true));
    format!(
        "timer own_t; {global} active [2] proctype Own_P() {{ {local} do\n{used} :: delay(own_t, 2) od }}\nltl own_f {{ [] !on({}) }}\n",
        words[0]
    )
}

const USES: [(&str, Use); 14] = [
    ("global variables", global_variables),
    ("local variables", local_variables),
    ("parameters", parameters),
    ("proctypes", proctypes),
    ("labels", labels),
    ("mtypes", mtypes),
    ("kinds of mtypes", kinds_of_mtypes),
    ("fields", fields),
    ("records", records),
    ("inlines and macros", inlines_and_macros),
    ("claims", claims),
    ("channels", channels),
    ("local channels", local_channels),
    ("timers", timers),
];

/// `gen`, which is reserved since 2024, was taken for a name; others hid what generated code uses.
#[test]
fn any_word_can_be_any_name() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("names");
    let workshop = Workshop::new(&dir).unwrap_or_else(|error| panic!("{error}"));
    let all: Vec<&str> = words::all().chain(CONTEXTUAL).collect::<BTreeSet<&str>>().into_iter().collect();
    let (mut shown, mut codes) = (Vec::new(), Vec::new());
    for (number, chunk) in all.chunks(PER_MODEL).enumerate() {
        for (kind, make) in USES {
            let text = make(chunk);
            let simplify = if number.is_multiple_of(2) { Simplify::NONE } else { Simplify::default() };
            match generate(&text, &Options { simplify, ..Options::default() }) {
                Made::Code(files) => {
                    shown.push(format!("{kind}:\n{text}"));
                    codes.push(files);
                }
                Made::Refused(message) | Made::Broken(message) => panic!("{kind}: {message}\n{text}"),
            }
        }
    }
    let faults = workshop.check(&codes).unwrap_or_else(|error| panic!("{error}"));
    let faults: Vec<String> = faults.iter().map(|(model, said)| format!("{said}\n{}", shown[*model])).collect();
    assert!(faults.is_empty(), "{} of {} models:\n{}", faults.len(), codes.len(), faults.join("\n"));
}
