//! An editor that talks to `pmc lsp`.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Nothing takes this long: a server that does not answer is stuck.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Editor {
    server: Child,
    pub input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that came while another one was waited for.
    later: Vec<Value>,
    n_requests: i64,
    pub folder: tempfile::TempDir,
}

impl Editor {
    pub fn started(flags: &[&str]) -> Self {
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
    pub fn ready(flags: &[&str]) -> Self {
        let mut editor = Self::started(flags);
        let capabilities = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
        let answer = editor.ask("initialize", json!({ "capabilities": capabilities }));
        assert_eq!(answer["result"]["serverInfo"]["name"], "pmc");
        editor.tell("initialized", json!({}));
        editor
    }

    pub fn send(&mut self, text: &str) {
        let input = self.input.as_mut().expect("the stream is open");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        input.flush().expect("the server reads");
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    pub fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.n_requests += 1;
        let id = self.n_requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        id
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    pub fn answer(&mut self, id: i64) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    pub fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
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
    pub fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        let method = "textDocument/publishDiagnostics";
        let message = self.wait(|message| message["method"] == method && message["params"]["uri"] == uri);
        message["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    pub fn open(&mut self, name: &str, text: &str) -> String {
        let uri = self.uri(name);
        let document = json!({ "uri": uri, "languageId": "promela", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        uri
    }

    /// Replaces the text of a document.
    pub fn change(&mut self, uri: &str, version: i64, text: &str) {
        let document = json!({ "uri": uri, "version": version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [{ "text": text }] }));
    }

    /// A request about the place of the first `needle` in a text, or of the one that `#` marks in `a#b`.
    pub fn at(&mut self, method: &str, uri: &str, text: &str, needle: &str, more: Value) -> Value {
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

    pub fn verify(&mut self, uri: &str, property: &str) -> i64 {
        let arguments = json!({ "command": "pmc.verify", "arguments": [uri, property] });
        self.begin("workspace/executeCommand", arguments)
    }

    /// The titles of the lines above the text, each with its line.
    pub fn lenses(&mut self, uri: &str) -> Vec<String> {
        let answer = self.ask("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
        let list = answer["result"].as_array().expect("a list").clone();
        let title = |lens: &Value| {
            format!("{}: {}", lens["range"]["start"]["line"], lens["command"]["title"].as_str().expect("a title"))
        };
        list.iter().map(title).collect()
    }

    /// The exit code, once the server ends by itself.
    pub fn end(mut self) -> i32 {
        drop(self.input.take());
        for _ in 0..PATIENCE.as_millis() / 10 {
            if let Some(status) = self.server.try_wait().expect("a child of ours") {
                return status.code().expect("no signal ended it");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the server does not end");
    }

    pub fn say_goodbye(mut self) {
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
