//! Messages while one types, also about included files.

use serde_json::{Value, json};

use super::MODEL;
use super::editor::Editor;

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
