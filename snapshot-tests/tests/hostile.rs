//! No name, string or comment of a model can become Rust code, and none that
//! Promela allows is too strange for Rust.

use pmc::codegen::GeneratedFile;
use pmc::driver::{Options, Session, on_large_stack};
use snapshot_tests::batch::{Batch, Member};

fn generated(model: &str) -> Vec<GeneratedFile> {
    let model = model.to_owned();
    let files = on_large_stack(|| {
        let mut session = Session::from_text("model.pml", model, &Options::default()).expect("a short text");
        session.generate().unwrap_or_else(|_| panic!("{:?}", session.diagnostics)).files
    });
    files.unwrap_or_else(|error| panic!("{error}"))
}

fn text(files: &[GeneratedFile]) -> String {
    files.iter().map(|file| file.text.as_str()).collect()
}

/// The text without raw literals, each of which ends at the first quote that its guard follows.
fn without_raw_literals(mut text: &str) -> String {
    let mut rest = String::new();
    while let Some((before, after)) = text.split_once(" = r#") {
        let guard: String = std::iter::once('#').chain(after.chars().take_while(|c| *c == '#')).collect();
        let literal = after[guard.len() - 1..].strip_prefix('"').expect("a raw literal");
        let (_, behind) = literal.split_once(&format!("\"{guard}")).expect("its end");
        rest.push_str(before);
        text = behind;
    }
    rest + text
}

/// The text without comments and string literals: what rustc takes for code.
fn code(files: &[GeneratedFile]) -> String {
    let text = without_raw_literals(&text(files));
    let mut code = String::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let mut is_string = false;
        let mut characters = line.chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' if is_string => drop(characters.next()),
                '"' => is_string = !is_string,
                other if !is_string => code.push(other),
                _ => {}
            }
        }
        code.push('\n');
    }
    code
}

#[test]
fn a_printed_text_stays_a_text() {
    let files =
        generated("active proctype p() { printf(\"\\\"); std::process::exit(66); (\\\" {} {x} {0} %d\\n\", 3) }");
    assert!(!code(&files).contains("exit(66)"), "{}", text(&files));
    assert!(text(&files).contains("{{}} {{x}} {{0}} {}"), "braces are doubled: {}", text(&files));
}

#[test]
fn a_comment_stays_a_comment() {
    let files = generated(
        "// */ pub mod evil {} /*\n// \"] fn evil() {} #[doc = \"\nbyte x;\n/* \n pub fn evil() {}\n*/\nactive proctype p() { x = 1 }",
    );
    assert!(!code(&files).contains("evil"), "{}", text(&files));
    // The text of the model is a literal, too, whose guard is longer than any in the text.
    let files =
        generated("// \"# ; fn evil() {} //\n// \"## ; fn evil() {} //\nbyte x;\nactive proctype p() { x = 1 }");
    assert!(!code(&files).contains("evil"), "{}", text(&files));
    assert!(text(&files).contains("r###\""), "{}", text(&files));
}

#[test]
fn directions_and_control_characters_are_spelled_out() {
    let files = generated(
        "// left \u{202e} right \u{7}\nbyte x;\nactive proctype p() { printf(\"\u{2066}hi\u{7}\\n\"); x = 1 }",
    );
    let text = text(&files);
    assert!(!text.contains(['\u{202e}', '\u{2066}', '\u{7}']), "{text}");
    assert!(text.contains("\\\\u{{2066}}hi") || text.contains("\\u{{2066}}hi"), "{text}");
}

/// Names that are keywords of Rust, that we use ourselves, or that differ only in case.
const NAMES: &str = "
mtype = { Self_, crate_, None, Some, none, value, i32, Ok };
mtype:i32 = { Err, const, Self, r_ };
mtype:I32 = { super_, while };
mtype kind = value; mtype:i32 kind_32[3] = const; mtype:I32 other = while;
typedef State { byte match; byte self; byte type };
typedef Process { State Default };
State state; Process process;
byte now, next, me, steps, processes, atomic_owner, last, index, Location, String, std, core, u8, offer, fn, dyn;
chan channel = [1] of { byte }; chan Channel = [0] of { byte };
proctype loop(byte n; byte locals; byte at) { byte answer, d_step_, text; answer = n + locals + at; text = _pid }
proctype Loop() { byte x; Channel?x; channel!x }
proctype LOOP() { end: state.self = process.Default.match }
proctype state_() { atomic { now = 1; next = 2 } }
proctype kinds() {
  chan c = [2] of { mtype, mtype:i32 };
  c!i32,Self; c!None,Err; c?i32,Self; c?kind,eval(Err);
  if :: kind == None && kind_32[1] == const -> kind = none :: other != while -> kind = Ok fi;
  printf(\"%e %e %e\\n\", kind, kind_32[0], other)
}
proctype r() { byte i; { byte k; k = 1 }; { byte k; k = 2 }; i = _last; fn = i; dyn = me }
proctype crate() { byte super; super = index; d_step { index = super; me = _pid; printf(\"%d\\n\", me) } }
init { atomic { run loop(1, 2, 3); run Loop(); run LOOP(); run state_(); run r(); run crate(); run kinds() }; Channel!3 }
";

#[test]
fn strange_names_are_given_rust_names() {
    let files = generated(NAMES);
    let mut paths: Vec<String> = files.iter().map(|file| file.path.to_lowercase()).collect();
    paths.sort_unstable();
    let mut unique = paths.clone();
    unique.dedup();
    assert_eq!(paths, unique, "files that differ only in case are one file on some disks");
    for file in &files {
        assert!(syn::parse_file(&file.text).is_ok(), "{}:\n{}", file.path, file.text);
    }
}

#[test]
fn strange_names_build_and_run() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("names.pml");
    std::fs::write(&path, NAMES).expect("a file in it");
    let member = Member { name: "names".to_owned(), path, options: Options::default() };
    let target = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    let batch = Batch::build(&target, &[member]).unwrap_or_else(|error| panic!("{error}"));
    let figures = batch.figures("names", &["--search", "dfs"]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(figures.errors, 0);
    assert!(figures.states > 100, "{figures:?}");
}
