//! Odd requests and texts, the beginning and the end.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use super::MODEL;
use super::editor::Editor;

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
