//! An editor talks to `pmc lsp`, over its standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Nothing takes this long: a server that does not answer is stuck.
const PATIENCE: Duration = Duration::from_secs(120);

struct Editor {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that came while another one was waited for.
    later: Vec<Value>,
    n_requests: i64,
    folder: tempfile::TempDir,
}

impl Editor {
    fn started(flags: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pmc"));
        command.arg("lsp").args(flags).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().expect("pmc can be started");
        let input = server.stdin.take();
        let mut output = BufReader::new(server.stdout.take().expect("piped"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        Self { server, input, messages, later: Vec::new(), n_requests: 0, folder }
    }

    /// Past the greeting.
    fn ready(flags: &[&str]) -> Self {
        let mut editor = Self::started(flags);
        let capabilities = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
        let answer = editor.ask("initialize", json!({ "capabilities": capabilities }));
        assert_eq!(answer["result"]["serverInfo"]["name"], "pmc");
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, text: &str) {
        let input = self.input.as_mut().expect("the stream is open");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        input.flush().expect("the server reads");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.n_requests += 1;
        let id = self.n_requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        id
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    fn answer(&mut self, id: i64) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.later.iter().position(&is_it) {
            return self.later.remove(at);
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("the server answers");
            if is_it(&message) {
                return message;
            }
            self.later.push(message);
        }
    }

    /// The next messages about a file.
    fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        let method = "textDocument/publishDiagnostics";
        let message = self.wait(|message| message["method"] == method && message["params"]["uri"] == uri);
        message["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    fn open(&mut self, name: &str, text: &str) -> String {
        let uri = self.uri(name);
        let document = json!({ "uri": uri, "languageId": "promela", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        uri
    }

    /// Replaces the text of a document.
    fn change(&mut self, uri: &str, version: i64, text: &str) {
        let document = json!({ "uri": uri, "version": version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [{ "text": text }] }));
    }

    /// A request about the place of the first `needle` in a text, or of the one that `#` marks in `a#b`.
    fn at(&mut self, method: &str, uri: &str, text: &str, needle: &str, more: Value) -> Value {
        let offset = text.find(&needle.replace('#', "")).expect("it is there") + needle.find('#').unwrap_or(0);
        let line = text[..offset].matches('\n').count();
        let character = offset - text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let mut params =
            json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } });
        for (key, value) in more.as_object().expect("an object") {
            params[key] = value.clone();
        }
        self.ask(method, params)
    }

    fn verify(&mut self, uri: &str, property: &str) -> i64 {
        let arguments = json!({ "command": "pmc.verify", "arguments": [uri, property] });
        self.begin("workspace/executeCommand", arguments)
    }

    /// The titles of the lines above the text, each with its line.
    fn lenses(&mut self, uri: &str) -> Vec<String> {
        let answer = self.ask("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
        let list = answer["result"].as_array().expect("a list").clone();
        let title = |lens: &Value| {
            format!("{}: {}", lens["range"]["start"]["line"], lens["command"]["title"].as_str().expect("a title"))
        };
        list.iter().map(title).collect()
    }

    /// The exit code, once the server ends by itself.
    fn end(mut self) -> i32 {
        drop(self.input.take());
        for _ in 0..PATIENCE.as_millis() / 10 {
            if let Some(status) = self.server.try_wait().expect("a child of ours") {
                return status.code().expect("no signal ended it");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the server does not end");
    }

    fn say_goodbye(mut self) {
        let answer = self.ask("shutdown", Value::Null);
        assert!(answer.get("error").is_none(), "{answer}");
        self.tell("exit", Value::Null);
        assert_eq!(self.end(), 0);
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().expect("a number"),
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    Some(serde_json::from_slice(&bytes).expect("the server writes JSON"))
}

const MODEL: &str = "\
#define LIMIT 3
#define is_full (count == LIMIT)
mtype = { ping, pong };
typedef Point { byte x; byte y };

/* How many there are. */
byte count;
chan link = [2] of { mtype, byte };
Point place;

inline bump(n) { n++; count = count }

active proctype sender() {
  byte own;
again:
  if
  :: count < 3 -> count++; link!ping(count); goto again
  :: count == 3 -> bump(own)
  fi;
  place.x = own
}

active proctype receiver() {
  mtype kind;
  byte value;
end:
  do
  :: link?kind(value) -> assert(value <= 3 && place.x < 2)
  od
}

ltl bounded { [] (count <= 3) }
ltl wrong { [] (count < 3) }
";

#[test]
fn mistakes_are_shown_while_one_types() {
    let mut editor = Editor::ready(&[]);
    let uri = editor.open("m.pml", MODEL);
    assert_eq!(editor.diagnostics(&uri), Vec::<Value>::new());
    let broken = MODEL.replace("link!ping(count)", "link!ping");
    editor.change(&uri, 2, &broken);
    let found = editor.diagnostics(&uri);
    let [one] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&one["severity"], &one["code"], &one["source"]), (&json!(1), &json!("P0203"), &json!("pmc")));
    assert_eq!(one["range"]["start"], json!({ "line": 16, "character": 27 }));
    let related = &one["relatedInformation"][0];
    assert_eq!((&related["location"]["uri"], &related["location"]["range"]["start"]["line"]), (&json!(uri), &json!(7)));
    // What the grammar does not take, what a lint finds, and what is right again.
    editor.change(&uri, 3, "active proctype p() { if :: ");
    assert!(!editor.diagnostics(&uri).is_empty());
    editor.change(&uri, 4, "byte unused; active proctype p() { skip }");
    let found = editor.diagnostics(&uri);
    assert_eq!((&found[0]["severity"], &found[0]["code"]), (&json!(2), &json!("unused-variable")));
    editor.change(&uri, 5, MODEL);
    assert_eq!(editor.diagnostics(&uri), Vec::<Value>::new());
    // Who closes a file wants to hear no more of it.
    editor.change(&uri, 6, "x");
    assert!(!editor.diagnostics(&uri).is_empty());
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(editor.diagnostics(&uri), Vec::<Value>::new());
    editor.say_goodbye();
}

#[test]
fn flags_are_those_of_all_models() {
    let mut editor = Editor::ready(&["--stdio", "-D", "N=2", "-A", "unused-variable"]);
    let uri = editor.open("m.pml", "byte unused; active [N] proctype p() { skip }");
    assert_eq!(editor.diagnostics(&uri), Vec::<Value>::new());
    editor.say_goodbye();
}

#[test]
fn changes_come_as_ranges() {
    let mut editor = Editor::ready(&[]);
    let uri = editor.open("m.pml", "/* \u{1f600} */ byte x;\nactive proctype p() { x = 1; assert(x == 1) }\n");
    assert_eq!(editor.diagnostics(&uri), Vec::<Value>::new());
    let range = json!({ "start": { "line": 0, "character": 14 }, "end": { "line": 0, "character": 15 } });
    let document = json!({ "uri": uri, "version": 2 });
    let changes = json!([{ "range": range, "text": "y" }]);
    editor.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    let found = editor.diagnostics(&uri);
    assert!(found[0]["message"].as_str().is_some_and(|text| text.contains("`x`")), "{found:?}");
    editor.say_goodbye();
}

#[test]
fn a_name_is_explained() {
    let mut editor = Editor::ready(&[]);
    let uri = editor.open("m.pml", MODEL);
    let mut hover = |needle: &str| {
        let answer = editor.at("textDocument/hover", &uri, MODEL, needle, json!({}));
        answer["result"]["contents"]["value"].as_str().unwrap_or("").to_owned()
    };
    let count = hover("count < 3 ->");
    for part in ["byte count", "global", "values: 0 to 3", "written by `sender`", "read by `ltl bounded`", "How many"] {
        assert!(count.contains(part), "{part} is not in {count}");
    }
    let link = hover("link?kind");
    for part in ["chan link = [2] of { mtype, byte }", "sent to by `sender`", "received from by `receiver`"] {
        assert!(link.contains(part), "{part} is not in {link}");
    }
    assert!(hover("is_full").contains("#define is_full (count == LIMIT)"));
    assert!(hover("bump(own)").contains("inline bump(n)"));
    assert!(hover("goto #again").contains("label of `sender`"));
    assert!(hover("ping(count)").contains("mtype ping = 2"));
    assert!(hover("place.#x = own").contains("field of `Point`"));
    assert!(hover("Point place").contains("typedef Point { byte x; byte y }"));
    assert!(hover("wrong").contains("ltl wrong { [] (count < 3) }"));
    assert_eq!(hover("-> assert"), "");
    editor.say_goodbye();
}

/// The lines of a list of places.
fn lines(answer: &Value) -> Vec<i64> {
    let range = |place: &Value| if place.get("range").is_some() { place["range"].clone() } else { place.clone() };
    let places = answer["result"].as_array().unwrap_or_else(|| panic!("{answer}"));
    places.iter().map(|place| range(place)["start"]["line"].as_i64().expect("a line")).collect()
}

#[test]
fn declarations_and_uses_are_found() {
    let mut editor = Editor::ready(&[]);
    let uri = editor.open("m.pml", MODEL);
    let definition =
        |editor: &mut Editor, needle| lines(&editor.at("textDocument/definition", &uri, MODEL, needle, json!({})));
    assert_eq!(definition(&mut editor, "count <= 3"), [6]);
    assert_eq!(definition(&mut editor, "goto #again"), [14]);
    assert_eq!(definition(&mut editor, "LIMIT)"), [0]);
    assert_eq!(definition(&mut editor, "bump(own)"), [10]);
    assert_eq!(definition(&mut editor, "place.#x < 2"), [3]);
    assert_eq!(definition(&mut editor, "Point #place"), [8]);
    assert_eq!(definition(&mut editor, "-> assert"), Vec::<i64>::new());
    let references = |editor: &mut Editor, needle, with_declaration: bool| {
        let context = json!({ "context": { "includeDeclaration": with_declaration } });
        lines(&editor.at("textDocument/references", &uri, MODEL, needle, context))
    };
    assert_eq!(references(&mut editor, "pong", true), [2]);
    assert_eq!(references(&mut editor, "pong", false), Vec::<i64>::new());
    assert_eq!(references(&mut editor, "count++", true), [6, 10, 10, 16, 16, 16, 17, 31, 32]);
    assert_eq!(references(&mut editor, "place.#x", true), [3, 19, 27]);
    assert_eq!(references(&mut editor, "LIMIT", true), [0, 1]);
    let highlight = editor.at("textDocument/documentHighlight", &uri, MODEL, "own;", json!({}));
    assert_eq!(lines(&highlight), [13, 17, 19]);
    editor.say_goodbye();
}

#[test]
fn names_change_everywhere_or_nowhere() {
    let mut editor = Editor::ready(&[]);
    let uri = editor.open("m.pml", MODEL);
    let mut rename =
        |needle: &str, name: &str| editor.at("textDocument/rename", &uri, MODEL, needle, json!({ "newName": name }));
    let answer = rename("own;", "mine");
    let edits = answer["result"]["changes"][&uri].as_array().expect("edits").clone();
    let mut text: Vec<String> = MODEL.lines().map(str::to_owned).collect();
    for edit in edits.iter().rev() {
        let at = |end: &str| edit["range"][end]["character"].as_u64().expect("a column") as usize;
        let line = edit["range"]["start"]["line"].as_u64().expect("a line") as usize;
        text[line].replace_range(at("start")..at("end"), edit["newText"].as_str().expect("a text"));
    }
    assert_eq!(
        text.join("\n") + "\n",
        MODEL.replace("own;", "mine;").replace("(own)", "(mine)").replace("= own", "= mine")
    );
    // A macro uses it, so that the text of the macro would have to change as well.
    for (needle, name, reason) in [
        ("count++", "number", "stands in a macro"),
        ("is_full", "full_now", "macro or an inline"),
        ("bump(own)", "add", "macro or an inline"),
        ("own;", "active", "a word of the language"),
        ("own;", "count", "in use already"),
        ("own;", "is_full", "in use already"),
        ("own;", "a b", "not a name"),
        ("own;", "", "not a name"),
        (":: link?kind", "x", "no name here"),
    ] {
        let answer = rename(needle, name);
        let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{needle} {name}: {answer}"));
        assert!(message.contains(reason), "{needle} {name}: {message}");
    }
    // Names of a model with errors are not known for sure.
    let broken = MODEL.replace("fi;", "");
    editor.change(&uri, 2, &broken);
    let answer = editor.at("textDocument/prepareRename", &uri, &broken, "own;", json!({}));
    assert!(answer["error"]["message"].as_str().is_some_and(|message| message.contains("errors")), "{answer}");
    editor.say_goodbye();
}

/// The same text means two variables, one in each process that calls the inline.
#[test]
fn an_inline_that_means_several_things_keeps_its_names() {
    let mut editor = Editor::ready(&[]);
    let text = "inline f() { x++ }\nactive proctype p() { byte x; f() }\nactive proctype q() { byte x; f() }\n";
    let uri = editor.open("m.pml", text);
    let answer = editor.at("textDocument/rename", &uri, text, "byte #x", json!({ "newName": "z" }));
    let message = answer["error"]["message"].as_str().expect("it is refused");
    assert!(message.contains("another call of this inline"), "{message}");
    editor.say_goodbye();
}

#[test]
fn the_outline_has_the_items_also_of_a_broken_text() {
    let mut editor = Editor::ready(&[]);
    for text in [MODEL.to_owned(), MODEL.replace("fi;", "do ::")] {
        let uri = editor.open("m.pml", &text);
        let answer = editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } }));
        let symbols = answer["result"].as_array().expect("a list");
        let names: Vec<&str> = symbols.iter().map(|symbol| symbol["name"].as_str().expect("a name")).collect();
        for name in ["LIMIT", "mtype", "Point", "count", "link", "bump", "sender", "receiver", "bounded", "wrong"] {
            assert!(names.contains(&name), "{name} is not in {names:?}");
        }
    }
    editor.say_goodbye();
}

#[test]
fn words_are_completed_where_they_may_stand() {
    let mut editor = Editor::ready(&[]);
    let uri = editor.open("m.pml", MODEL);
    let mut labels = |needle: &str| {
        let answer = editor.at("textDocument/completion", &uri, MODEL, needle, json!({}));
        let items = answer["result"].as_array().expect("a list").clone();
        items.iter().map(|item| item["label"].as_str().expect("a label").to_owned()).collect::<Vec<_>>()
    };
    let found = labels("co#unt < 3");
    for name in ["count", "own", "link", "ping", "bump", "LIMIT", "atomic", "_pid", "receiver", "Point"] {
        assert!(found.iter().any(|found| found == name), "{name} is not in {found:?}");
    }
    assert!(!found.iter().any(|name| name == "value" || name == "again" || name == "wrong"));
    assert_eq!(labels("goto ag#ain"), ["again", "end"]);
    assert_eq!(labels("place.#x = own"), ["x", "y"]);
    editor.say_goodbye();
}

#[test]
fn a_property_is_verified_with_a_click() {
    let mut editor = Editor::ready(&[]);
    let uri = editor.open("m.pml", MODEL);
    let safety = "verify: assertions, end states, faults";
    let both = [format!("12: {safety}"), format!("22: {safety}"), "31: verify".to_owned(), "32: verify".to_owned()];
    assert_eq!(editor.lenses(&uri), both);
    editor.diagnostics(&uri);

    let id = editor.verify(&uri, "bounded");
    let result = editor.answer(id)["result"].clone();
    assert_eq!((&result["verdict"], &result["property"]), (&json!("verified"), &json!("bounded")));
    let id = editor.verify(&uri, "safety");
    assert_eq!(editor.answer(id)["result"]["verdict"], "verified");
    let id = editor.verify(&uri, "wrong");
    let result = editor.answer(id)["result"].clone();
    assert_eq!(result["verdict"], "violated");
    assert!(result["summary"].as_str().is_some_and(|text| text.starts_with("violated, claim violated")), "{result}");

    // The editor hears that there is something new to see, and where the violation is.
    editor.wait(|message| message["method"] == "workspace/codeLens/refresh");
    let found = editor.diagnostics(&uri);
    assert_eq!((&found[0]["source"], &found[0]["range"]["start"]["line"]), (&json!("pmc verify"), &json!(32)));
    let lenses = editor.lenses(&uri);
    assert!(lenses[0].starts_with("12: \u{2713} verified, "), "{lenses:?}");
    assert!(lenses.iter().any(|lens| lens.starts_with("32: \u{2717} violated, ")), "{lenses:?}");

    // With the next change all that is old.
    editor.change(&uri, 2, &MODEL.replace("count < 3) }", "count < 4) }"));
    assert_eq!(editor.diagnostics(&uri), Vec::<Value>::new());
    assert_eq!(editor.lenses(&uri), both);
    editor.say_goodbye();
}

/// Some ten million states: nobody waits for that.
const LARGE: &str = "\
int a, b, c;
active proctype p() { do :: a = (a + 1) % 300 od }
active proctype q() { do :: b = (b + 1) % 300 od }
active proctype r() { do :: c = (c + 1) % 300 od }
ltl small { [] (a + b + c < 1000) }
";

#[test]
fn a_verification_ends_when_it_is_not_wanted_any_more() {
    let mut editor = Editor::ready(&[]);
    let uri = editor.open("m.pml", LARGE);
    let is_cancelled = |answer: &Value| answer["error"]["code"] == -32800;

    let id = editor.verify(&uri, "small");
    // Other requests are answered meanwhile.
    assert!(editor.lenses(&uri).contains(&"4: verifying ... (click to stop)".to_owned()));
    editor.tell("$/cancelRequest", json!({ "id": id }));
    assert!(is_cancelled(&editor.answer(id)));

    let id = editor.verify(&uri, "safety");
    let stop = json!({ "command": "pmc.cancel", "arguments": [uri] });
    assert_eq!(editor.ask("workspace/executeCommand", stop)["result"], Value::Null);
    assert!(is_cancelled(&editor.answer(id)));

    let id = editor.verify(&uri, "safety");
    editor.change(&uri, 2, &LARGE.replace("int a", "int  a"));
    assert!(is_cancelled(&editor.answer(id)));

    let first = editor.verify(&uri, "safety");
    let second = editor.verify(&uri, "safety");
    assert!(is_cancelled(&editor.answer(first)));
    assert_eq!(editor.ask("shutdown", Value::Null).get("error"), None);
    assert!(is_cancelled(&editor.answer(second)));
    editor.tell("exit", Value::Null);
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_verification_has_limits() {
    let mut editor = Editor::ready(&["--memory", "1"]);
    let uri = editor.open("m.pml", LARGE);
    let id = editor.verify(&uri, "safety");
    let answer = editor.answer(id);
    assert_eq!(answer["result"]["verdict"], "incomplete", "{answer}");
    assert!(answer["result"]["summary"].as_str().is_some_and(|text| text.contains("out of memory")), "{answer}");
    editor.say_goodbye();
}

#[test]
fn what_cannot_be_verified_is_refused() {
    let mut editor = Editor::ready(&[]);
    let uri = editor.open("m.pml", MODEL);
    let broken = editor.open("broken.pml", "active proctype p() { x }");
    let elsewhere = editor.uri("elsewhere.pml");
    for (uri, property, reason) in [
        (&uri, "nothing", "no formula or claim"),
        (&broken, "safety", "has errors"),
        (&elsewhere, "safety", "is not open"),
    ] {
        let id = editor.verify(uri, property);
        let answer = editor.answer(id);
        assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains(reason)), "{answer}");
    }
    for params in [json!({}), json!({ "command": "rm" }), json!({ "command": "rm", "arguments": ["x"] }), json!(3)] {
        assert_eq!(editor.ask("workspace/executeCommand", params)["error"]["code"], -32602);
    }
    editor.say_goodbye();
}

#[test]
fn included_files_are_part_of_their_model() {
    let mut editor = Editor::ready(&[]);
    std::fs::write(editor.path("common.h"), "byte shared;\n").expect("it can be written");
    let text = "#include \"common.h\"\nactive proctype p() { shared = 1; assert(shared == 1) }\n";
    let main = editor.open("main.pml", text);
    assert_eq!(editor.diagnostics(&main), Vec::<Value>::new());

    // A definition leads into the file; what is open counts in place of what is saved.
    let answer = editor.at("textDocument/definition", &main, text, "shared = 1", json!({}));
    let common = editor.uri("common.h");
    assert_eq!(answer["result"][0]["uri"], common);
    editor.open("common.h", "byte other;\n");
    let found = editor.diagnostics(&main);
    assert!(found[0]["message"].as_str().is_some_and(|text| text.contains("shared")), "{found:?}");
    // Alone the file would be without a process, which is no mistake of its own.
    assert_eq!(editor.diagnostics(&common), Vec::<Value>::new());
    editor.change(&common, 2, "bit shared;\nbyte unused;\n");
    assert_eq!(editor.diagnostics(&main), Vec::<Value>::new());
    // A warning about the included file stands there, once.
    let found = editor.diagnostics(&common);
    let warnings: Vec<&Value> = found.iter().map(|one| &one["code"]).collect();
    assert_eq!(warnings, ["unused-variable"]);

    // A name of both files changes in both.
    let answer = editor.at("textDocument/rename", &main, text, "shared = 1", json!({ "newName": "common" }));
    let changes = answer["result"]["changes"].as_object().expect("edits");
    assert_eq!(changes.keys().collect::<Vec<_>>(), [&common, &main]);
    assert_eq!(changes[&main].as_array().map(Vec::len), Some(2));

    // The verification sees what is open, too.
    let id = editor.verify(&main, "safety");
    assert_eq!(editor.answer(id)["result"]["verdict"], "verified");
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": common } }));
    let answer = editor.at("textDocument/hover", &main, text, "shared = 1", json!({}));
    assert!(
        answer["result"]["contents"]["value"].as_str().is_some_and(|text| text.contains("byte shared")),
        "{answer}"
    );
    editor.say_goodbye();
}

#[test]
fn unknown_files_and_places_have_no_answers() {
    let mut editor = Editor::ready(&[]);
    let uri = editor.open("m.pml", MODEL);
    let elsewhere = editor.uri("elsewhere.pml");
    let place = json!({ "line": 3, "character": 3 });
    for method in ["hover", "definition", "references", "documentHighlight", "completion", "prepareRename"] {
        let method = format!("textDocument/{method}");
        let answer = editor.ask(&method, json!({ "textDocument": { "uri": elsewhere }, "position": place }));
        assert_eq!(answer.get("result"), Some(&Value::Null), "{method}: {answer}");
        let far = json!({ "line": 4_000_000_000u32, "character": 4_000_000_000u32 });
        let answer = editor.ask(&method, json!({ "textDocument": { "uri": uri }, "position": far }));
        assert!(answer["error"]["code"] != -32603, "{method}: {answer}");
        for params in [json!({ "textDocument": { "uri": uri } }), json!({ "textDocument": 3 }), json!([]), Value::Null]
        {
            assert_eq!(editor.ask(&method, params)["error"]["code"], -32602, "{method}");
        }
    }
    for method in ["documentSymbol", "codeLens"] {
        let answer = editor.ask(&format!("textDocument/{method}"), json!({ "textDocument": { "uri": elsewhere } }));
        assert_eq!(answer.get("result"), Some(&Value::Null), "{method}");
    }
    editor.tell("textDocument/didChange", json!({ "textDocument": { "uri": elsewhere }, "contentChanges": [{}] }));
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": elsewhere } }));
    editor.tell("textDocument/didOpen", json!({}));
    assert_eq!(editor.ask("textDocument/unheardOf", json!({}))["error"]["code"], -32601);
    editor.say_goodbye();
}

#[test]
fn any_text_has_answers() {
    let mut editor = Editor::ready(&[]);
    let deep = "(".repeat(20_000);
    let texts = [
        "",
        "\u{0}\u{1}",
        "#include \"m.pml\"\n",
        "#include \"/\"\n",
        "{",
        "}",
        "'",
        "/*",
        "#define x x\nx",
        "#if",
        "do od",
        "proctype",
        "inline f( {",
        "ltl",
        "ltl x {",
        "mtype = {",
        "\r\r\n",
        "\u{feff}byte x;",
        "c_code { x }",
        &deep,
        "active proctype p() { goto p; p@x }",
        "typedef T { T t }; T t;",
        "byte a[0]; chan c = [9] of { T }",
    ];
    for (version, text) in (1..).zip(texts) {
        let uri = editor.open("m.pml", "");
        editor.change(&uri, version, text);
        for method in ["hover", "definition", "references", "completion", "prepareRename"] {
            let position = json!({ "line": 0, "character": text.len().min(9) });
            let params = json!({ "textDocument": { "uri": uri }, "position": position });
            let answer = editor.ask(&format!("textDocument/{method}"), params);
            assert!(answer["error"]["code"] != -32603, "{text:.40?}: {answer}");
        }
        for method in ["documentSymbol", "codeLens"] {
            let answer = editor.ask(&format!("textDocument/{method}"), json!({ "textDocument": { "uri": uri } }));
            assert!(answer.get("error").is_none(), "{text:.40?}: {answer}");
        }
    }
    editor.say_goodbye();
}

#[test]
fn what_is_no_message_is_answered_and_forgotten() {
    let mut editor = Editor::ready(&[]);
    for text in ["{", "[]", "null", r#"{"jsonrpc":"2.0"}"#, r#"{"id":[1],"method":"x"}"#] {
        editor.send(text);
        let answer = editor.wait(|message| message["error"]["code"] == -32700);
        assert_eq!(answer["id"], Value::Null);
    }
    // An answer to a question that nobody asked.
    editor.send(r#"{"jsonrpc":"2.0","id":"pmc-9","result":null}"#);
    editor.say_goodbye();
}

#[test]
fn a_conversation_has_a_beginning_and_an_end() {
    // Nothing but the greeting is understood first.
    let mut editor = Editor::started(&[]);
    assert_eq!(editor.ask("textDocument/hover", json!({}))["error"]["code"], -32002);
    assert!(editor.ask("initialize", json!({}))["result"]["capabilities"].is_object());
    assert_eq!(editor.ask("initialize", json!({}))["error"]["code"], -32600);
    assert_eq!(editor.ask("shutdown", Value::Null)["result"], Value::Null);
    assert_eq!(editor.ask("shutdown", Value::Null)["error"]["code"], -32600);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.end(), 0);

    // Who leaves without a word.
    let mut editor = Editor::ready(&[]);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.end(), 1);
    assert_eq!(Editor::ready(&[]).end(), 1);
    let mut editor = Editor::ready(&[]);
    editor.ask("shutdown", Value::Null);
    assert_eq!(editor.end(), 0);

    // A stream that is none.
    let mut editor = Editor::started(&[]);
    let input = editor.input.as_mut().expect("the stream is open");
    input.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("the server reads");
    assert_eq!(editor.end(), 1);
}

#[test]
fn the_folder_of_a_test_is_a_path() {
    // Addresses in these tests are made without escapes.
    let editor = Editor::started(&[]);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    assert!(Path::new(&editor.folder.path()).to_string_lossy().chars().all(is_plain));
}
