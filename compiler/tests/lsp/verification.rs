//! Properties that are verified with a click.

use serde_json::{Value, json};

use super::MODEL;
use super::editor::Editor;

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
