//! Validates JSON by a schema, as far as the schemas in `docs/schemas` go.
//!
//! A keyword that is not known here is an error: otherwise a schema could say more than is tested.

use serde_json::{Map, Value};

/// A schema with its definitions.
pub struct Schema {
    root: Value,
}

impl Schema {
    pub fn new(root: Value) -> Self {
        Self { root }
    }

    /// What is wrong with a document, each with the place in it.
    pub fn complaints(&self, document: &Value) -> Vec<String> {
        let mut complaints = Vec::new();
        self.check(&self.root, document, "$", &mut complaints);
        complaints
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, complaints: &mut Vec<String>) {
        let schema = schema.as_object().unwrap_or_else(|| panic!("{at}: a schema is an object"));
        for (keyword, wanted) in schema {
            let complaint = match keyword.as_str() {
                "$schema" | "$id" | "$defs" | "title" | "description" | "properties" | "additionalProperties" => None,
                "$ref" => {
                    self.check(self.definition(wanted), value, at, complaints);
                    None
                }
                "type" => {
                    (!types(wanted).any(|name| is_of_type(value, name))).then(|| format!("{value} is no {wanted}"))
                }
                "const" => (value != wanted).then(|| format!("{value} is not {wanted}")),
                "enum" => (!wanted.as_array().expect("a list").contains(value))
                    .then(|| format!("{value} is none of {wanted}")),
                "minimum" => {
                    let is_less = value.as_f64().zip(wanted.as_f64()).is_some_and(|(value, least)| value < least);
                    is_less.then(|| format!("{value} is less than {wanted}"))
                }
                "maximum" => {
                    let is_more = value.as_f64().zip(wanted.as_f64()).is_some_and(|(value, most)| value > most);
                    is_more.then(|| format!("{value} is more than {wanted}"))
                }
                "required" => {
                    let names = wanted.as_array().expect("a list").iter().filter_map(Value::as_str);
                    let missing: Vec<&str> =
                        names.filter(|name| value.is_object() && value.get(name).is_none()).collect();
                    (!missing.is_empty()).then(|| format!("there is no {}", missing.join(", ")))
                }
                "items" => {
                    for (n, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(wanted, item, &format!("{at}[{n}]"), complaints);
                    }
                    None
                }
                "anyOf" => {
                    let fits = |option: &Value| {
                        let mut of_option = Vec::new();
                        self.check(option, value, at, &mut of_option);
                        of_option.is_empty()
                    };
                    (!wanted.as_array().expect("a list").iter().any(fits)).then(|| format!("{value} fits no option"))
                }
                unknown => panic!("the keyword `{unknown}` is not known here"),
            };
            complaints.extend(complaint.map(|complaint| format!("{at}: {complaint}")));
        }
        if let Some(object) = value.as_object() {
            self.check_members(schema, object, at, complaints);
        }
    }

    fn check_members(
        &self,
        schema: &Map<String, Value>,
        object: &Map<String, Value>,
        at: &str,
        complaints: &mut Vec<String>,
    ) {
        let known = schema.get("properties").and_then(Value::as_object);
        for (name, member) in object {
            match known.and_then(|known| known.get(name)) {
                Some(wanted) => self.check(wanted, member, &format!("{at}.{name}"), complaints),
                None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                    complaints.push(format!("{at}: `{name}` is not known"));
                }
                None => {}
            }
        }
    }

    fn definition(&self, name: &Value) -> &Value {
        let name = name.as_str().and_then(|name| name.strip_prefix("#/$defs/")).expect("a definition of this schema");
        &self.root["$defs"][name]
    }
}

fn types(wanted: &Value) -> impl Iterator<Item = &str> {
    let list = wanted.as_array().map_or(std::slice::from_ref(wanted), Vec::as_slice);
    list.iter().filter_map(Value::as_str)
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type `{other}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_does_not_fit_is_named_with_its_place() {
        let schema = Schema::new(json!({
            "type": "object",
            "required": ["a", "b"],
            "additionalProperties": false,
            "properties": {
                "a": { "type": "array", "items": { "$ref": "#/$defs/count" } },
                "b": { "anyOf": [{ "type": "null" }, { "const": "x" }] },
                "c": { "enum": ["y", "z"] }
            },
            "$defs": { "count": { "type": "integer", "minimum": 1, "maximum": 9 } }
        }));
        let complaints = |document: Value| schema.complaints(&document);
        assert!(complaints(json!({ "a": [1, 9], "b": null, "c": "y" })).is_empty());
        assert!(complaints(json!({ "a": [], "b": "x" })).is_empty());
        assert_eq!(
            complaints(json!({ "a": [1, 0, "s", 1.5, 10], "b": "x" })),
            [
                "$.a[1]: 0 is less than 1",
                "$.a[2]: \"s\" is no \"integer\"",
                "$.a[3]: 1.5 is no \"integer\"",
                "$.a[4]: 10 is more than 9",
            ]
        );
        assert_eq!(complaints(json!({ "b": 3, "c": "x", "d": 1 })).len(), 4);
        assert_eq!(complaints(json!([])), ["$: [] is no \"object\""]);
    }
}
