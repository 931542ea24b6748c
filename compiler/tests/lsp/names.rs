//! What a name is, where it is declared and used, how it changes, which ones there are.

use serde_json::{Value, json};

use super::MODEL;
use super::editor::Editor;

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
