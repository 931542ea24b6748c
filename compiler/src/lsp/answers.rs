//! The answers to requests about texts. A document that is not open, or a place where nothing is, has no answer: `null`.

use std::io::Write;

use serde_json::{Value, json};

use super::documents::Spot;
use super::index::{FilePlace, Index, Symbol};
use super::server::{Server, place_of};
use super::transport::{Failure, codes};
use super::{completion, hover, lens, outline, rename};

type Answer = Result<Value, Failure>;

pub fn answer<W: Write>(server: &mut Server<W>, method: &str, params: &Value) -> Answer {
    match method {
        "textDocument/hover" => hover(server, params),
        "textDocument/definition" => at(server, params, |server, spot| {
            let places = definitions(&spot);
            Ok(places.iter().map(|place| json!(server.documents.location(&spot.index, *place))).collect())
        }),
        "textDocument/references" => {
            let with_declaration =
                params.pointer("/context/includeDeclaration").and_then(Value::as_bool) != Some(false);
            at(server, params, |server, spot| {
                let declared = definitions(&spot);
                let places = uses(&spot).into_iter().filter(|place| with_declaration || !declared.contains(place));
                Ok(places.map(|place| json!(server.documents.location(&spot.index, place))).collect())
            })
        }
        "textDocument/documentHighlight" => at(server, params, |_, spot| {
            let places = uses(&spot).into_iter().filter(|place| place.file == spot.file);
            Ok(places.map(|place| json!({ "range": spot.index.range(place) })).collect())
        }),
        "textDocument/prepareRename" => at(server, params, |_, spot| {
            let place = rename::prepare(&spot.index, spot.file, spot.offset).map_err(refused)?;
            Ok(json!(spot.index.range(place)))
        }),
        "textDocument/rename" => {
            let name = params["newName"].as_str().ok_or_else(|| Failure::new(codes::INVALID_PARAMS, "no `newName`"))?;
            at(server, params, |server, spot| {
                let places = rename::rename(&spot.index, spot.file, spot.offset, name).map_err(refused)?;
                Ok(edits(server, &spot.index, &places, name))
            })
        }
        "textDocument/completion" => {
            at(server, params, |_, spot| Ok(completion::completion(&spot.index, spot.file, spot.offset)))
        }
        "textDocument/documentSymbol" => in_file(server, params, |_, index, file, _| {
            let file = &index.files[file];
            outline::outline(&file.lines, &file.words)
        }),
        "textDocument/codeLens" => in_file(server, params, |server, index, file, root| {
            lens::lenses(root, index, file, |property| server.verification(root, property)).into()
        }),
        other => Err(Failure::new(codes::METHOD_NOT_FOUND, format!("there is no `{other}`"))),
    }
}

fn refused(why: String) -> Failure {
    Failure::new(codes::REQUEST_FAILED, why)
}

fn at<W: Write>(server: &Server<W>, params: &Value, act: impl FnOnce(&Server<W>, Spot) -> Answer) -> Answer {
    let (uri, position) = place_of(params)?;
    match server.documents.spot(&uri, position) {
        Some(spot) => act(server, spot),
        None => Ok(Value::Null),
    }
}

/// Answers about a whole file: gets the model that it belongs to, its number there, and the address of the model.
fn in_file<W: Write>(
    server: &Server<W>,
    params: &Value,
    act: impl FnOnce(&Server<W>, &Index, usize, &str) -> Value,
) -> Answer {
    let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
    let uri = uri.ok_or_else(|| Failure::new(codes::INVALID_PARAMS, "there is no `textDocument.uri`"))?;
    let found = server.documents.root_of(uri).and_then(|root| {
        let (index, own) = (root.index.clone()?, server.documents.get(uri)?);
        Some((index.file_of(&own.path)?, index, root.uri.clone()))
    });
    Ok(found.map_or(Value::Null, |(file, index, root)| act(server, &index, file, &root)))
}

fn hover<W: Write>(server: &mut Server<W>, params: &Value) -> Answer {
    let (uri, position) = place_of(params)?;
    let Some(Spot { index, file, offset }) = server.documents.spot(&uri, position) else { return Ok(Value::Null) };
    let root = server.documents.root_of(&uri).map(|root| root.uri.clone()).unwrap_or_default();
    let is_variable = index.symbol_at(file, offset).is_some_and(Symbol::has_values);
    let ranges = if is_variable && !index.is_wrong { server.ranges(&root) } else { Vec::new() };
    let Some((text, place)) = hover::hover(&index, file, offset, &ranges) else { return Ok(Value::Null) };
    Ok(json!({ "contents": { "kind": "markdown", "value": text }, "range": index.range(place) }))
}

/// Where the name at a place is declared: of a macro all its definitions.
fn definitions(spot: &Spot) -> Vec<FilePlace> {
    let macros = macro_definitions(spot);
    if !macros.is_empty() {
        return macros;
    }
    spot.index.symbol_at(spot.file, spot.offset).map(|symbol| symbol.place).into_iter().collect()
}

fn macro_definitions(spot: &Spot) -> Vec<FilePlace> {
    let Some(word) = spot.index.files[spot.file].words.at(spot.offset) else { return Vec::new() };
    let files = spot.index.files.iter().enumerate();
    let found = files.flat_map(|(file, source)| {
        let definitions = source.words.definitions.iter().filter(|definition| definition.name == word.text);
        definitions.map(move |definition| FilePlace { file, start: definition.start, end: definition.end })
    });
    found.collect()
}

/// Every place where the name at a place is used or declared: of a macro, wherever its name stands.
fn uses(spot: &Spot) -> Vec<FilePlace> {
    if macro_definitions(spot).is_empty() {
        let symbol = spot.index.symbol_at(spot.file, spot.offset);
        return symbol.map(|symbol| spot.index.uses_of(symbol).map(|used| used.place).collect()).unwrap_or_default();
    }
    let Some(name) = spot.index.files[spot.file].words.at(spot.offset).map(|word| &word.text) else {
        return Vec::new();
    };
    let files = spot.index.files.iter().enumerate();
    let found = files.flat_map(|(file, source)| {
        let words = source.words.names.iter().filter(|word| word.text == *name);
        words.map(move |word| FilePlace { file, start: word.start, end: word.end })
    });
    found.collect()
}

fn edits<W: Write>(server: &Server<W>, index: &Index, places: &[FilePlace], name: &str) -> Value {
    let mut changes = serde_json::Map::new();
    for place in places {
        let location = server.documents.location(index, *place);
        let edits = changes.entry(location.uri).or_insert_with(|| json!([]));
        if let Some(edits) = edits.as_array_mut() {
            edits.push(json!({ "range": location.range, "newText": name }));
        }
    }
    json!({ "changes": changes })
}
