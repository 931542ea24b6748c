//! Messages of JSON-RPC over a pair of streams, framed as the Language Server Protocol has it.
//!
//! A message that is no JSON is answered and forgotten; only a header that makes no sense ends the conversation, since
//! the begin of the next message is unknown then.

use std::io::{self, BufRead, Read, Write};

use serde_json::{Value, json};

/// The length of the longest message: a header must not make the server allocate any amount.
const LONGEST: u64 = 256 << 20;

/// No header has more bytes.
const LONGEST_HEADER: u64 = 8 << 10;

/// What JSON-RPC calls a failed request.
pub mod codes {
    pub const PARSE_ERROR: i32 = -32700;
    pub const INVALID_REQUEST: i32 = -32600;
    pub const METHOD_NOT_FOUND: i32 = -32601;
    pub const INVALID_PARAMS: i32 = -32602;
    pub const INTERNAL_ERROR: i32 = -32603;
    pub const NOT_INITIALIZED: i32 = -32002;
    pub const CANCELLED: i32 = -32800;
    pub const REQUEST_FAILED: i32 = -32803;
}

/// What came from the client.
#[derive(Debug, PartialEq)]
pub enum Incoming {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// To a request of ours.
    Response,
    /// The text of a message that is none, and why.
    Malformed(String),
    /// There is nothing more to read, with the reason if the stream did not simply end.
    Closed(Option<String>),
}

/// Reads the next message.
pub fn read(input: &mut impl BufRead) -> Incoming {
    match read_text(input) {
        Ok(Some(bytes)) => parse(&bytes),
        Ok(None) => Incoming::Closed(None),
        Err(error) => Incoming::Closed(Some(error.to_string())),
    }
}

fn parse(bytes: &[u8]) -> Incoming {
    let message: Value = match serde_json::from_slice(bytes) {
        Ok(message) => message,
        Err(error) => return Incoming::Malformed(format!("this is no JSON: {error}")),
    };
    let Value::Object(mut fields) = message else {
        return Incoming::Malformed("a message is an object".to_owned());
    };
    let (id, method) = (fields.remove("id"), fields.remove("method"));
    let params = fields.remove("params").unwrap_or(Value::Null);
    match (id, method) {
        (Some(id @ (Value::Number(_) | Value::String(_))), Some(Value::String(method))) => {
            Incoming::Request { id, method, params }
        }
        (None, Some(Value::String(method))) => Incoming::Notification { method, params },
        (Some(_), None) if fields.contains_key("result") || fields.contains_key("error") => Incoming::Response,
        _ => Incoming::Malformed("this is neither a request nor a notification nor a response".to_owned()),
    }
}

/// The text of a message, or `None` at the end of the stream.
fn read_text(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
    let mut length: Option<u64> = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        let n_read = input.by_ref().take(LONGEST_HEADER).read_until(b'\n', &mut line)?;
        if n_read == 0 && is_first {
            return Ok(None);
        }
        is_first = false;
        let line = String::from_utf8_lossy(&line);
        if !line.ends_with('\n') {
            return Err(invalid(format!("a header has no end: {line:?}")));
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(invalid(format!("this is no header: {line:?}")));
        };
        if name.eq_ignore_ascii_case("Content-Length") {
            let value = value.trim().parse().ok().filter(|length| *length <= LONGEST);
            length = Some(value.ok_or_else(|| invalid(format!("this is no length: {line:?}")))?);
        }
    }
    let length = length.ok_or_else(|| invalid("a message has no Content-Length".to_owned()))?;
    let mut bytes = Vec::new();
    input.by_ref().take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Err(invalid("the stream ended in the middle of a message".to_owned()));
    }
    Ok(Some(bytes))
}

/// Writes messages to the client.
pub struct Outgoing<W> {
    output: W,
    n_requests: u64,
}

impl<W: Write> Outgoing<W> {
    pub fn new(output: W) -> Self {
        Self { output, n_requests: 0 }
    }

    pub fn respond(&mut self, id: &Value, result: Result<Value, Failure>) -> io::Result<()> {
        self.write(&match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(Failure { code, message }) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        })
    }

    pub fn notify(&mut self, method: &str, params: &impl serde::Serialize) -> io::Result<()> {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// The answer is of no interest.
    pub fn request(&mut self, method: &str) -> io::Result<()> {
        self.n_requests += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": format!("pmc-{}", self.n_requests), "method": method }))
    }

    fn write(&mut self, message: &Value) -> io::Result<()> {
        let text = message.to_string();
        write!(self.output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        self.output.flush()
    }
}

/// Why a request has no result.
#[derive(Debug, PartialEq)]
pub struct Failure {
    pub code: i32,
    pub message: String,
}

impl Failure {
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Vec<Incoming> {
        let mut input = text.as_bytes();
        let mut found = Vec::new();
        loop {
            let one = read(&mut input);
            let is_last = matches!(one, Incoming::Closed(_));
            found.push(one);
            if is_last {
                return found;
            }
        }
    }

    fn framed(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    #[test]
    fn messages_are_told_apart() {
        let request = r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#;
        let notification = r#"{"jsonrpc":"2.0","method":"exit","params":[]}"#;
        let response = r#"{"jsonrpc":"2.0","id":"pmc-1","result":null}"#;
        let text = [request, notification, response].map(framed).concat();
        let found = read_all(&text);
        assert_eq!(found[0], Incoming::Request { id: json!(1), method: "shutdown".into(), params: Value::Null });
        assert_eq!(found[1], Incoming::Notification { method: "exit".into(), params: json!([]) });
        assert_eq!(found[2..], [Incoming::Response, Incoming::Closed(None)]);
    }

    #[test]
    fn what_is_no_message_does_not_end_the_conversation() {
        for text in ["{", "[]", "3", "{}", r#"{"id":null,"method":"x"}"#, r#"{"id":1,"method":2}"#, "\u{0}"] {
            let found = read_all(&(framed(text) + &framed(r#"{"method":"exit"}"#)));
            assert!(matches!(found[0], Incoming::Malformed(_)), "{text}: {found:?}");
            assert!(matches!(found[1], Incoming::Notification { .. }), "{text}: {found:?}");
        }
    }

    #[test]
    fn a_senseless_header_ends_it() {
        let long = "x".repeat(20_000);
        let texts = [
            "hello\r\n\r\n",
            "Content-Length: -1\r\n\r\n",
            "Content-Length: 99999999999999999\r\n\r\n{}",
            "Content-Length: 20\r\n\r\n{}",
            "Content-Type: x\r\n\r\n{}",
            "Content-Length: 2",
            &long,
        ];
        for text in texts {
            let found = read_all(text);
            assert!(matches!(found[..], [Incoming::Closed(Some(_))]), "{text:.40}: {found:?}");
        }
    }
}
