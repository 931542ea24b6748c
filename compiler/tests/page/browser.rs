//! A headless Chromium that tests drive by the DevTools protocol, over two pipes: no port is open, and nothing waits for
//! a fixed time.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::limited::Limited;

/// For so long a test waits for what must come. Only a fault lets it pass.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub struct Browser {
    _child: Limited,
    commands: File,
    answers: Receiver<Value>,
    session: String,
    next_id: u64,
    /// What the pages have complained of.
    pub complaints: Vec<String>,
    _folder: TempDir,
}

impl Browser {
    /// A browser with one empty page, or none where Chromium is not installed.
    pub fn start() -> Option<Browser> {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let Some(program) = names.iter().find_map(|name| which::which(name).ok()) else {
            eprintln!("skipped: there is no Chromium (Debian has it as `chromium`)");
            return None;
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let pipe = |name: &str| {
            let path = folder.path().join(name);
            let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo");
            assert!(made.success(), "a pipe");
            path
        };
        let (into, out) = (pipe("into"), pipe("out"));
        // Chromium reads commands from descriptor 3 and answers on 4.
        let mut command = Command::new("sh");
        command
            .args(["-c", "exec \"$@\" 3<\"$INTO\" 4>\"$OUT\"", "sh"])
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-dev-shm-usage",
                "--window-size=1400,900",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", folder.path().join("user").display()))
            .arg("about:blank")
            .env("INTO", &into)
            .env("OUT", &out)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = Limited::spawn(&mut command);
        // Both ends of a pipe wait for each other, in the order in which the shell opens them.
        let commands = OpenOptions::new().write(true).open(&into).expect("the pipe for commands");
        let answers = read_answers(&out);
        let mut browser = Browser {
            _child: child,
            commands,
            answers,
            session: String::new(),
            next_id: 0,
            complaints: Vec::new(),
            _folder: folder,
        };
        if !browser.answers_at_all() {
            eprintln!("skipped: Chromium is here, but does not start");
            return None;
        }
        let targets = browser.call("Target.getTargets", json!({}));
        let pages = targets["targetInfos"].as_array().expect("a list");
        let page = pages.iter().find(|target| target["type"] == "page").expect("a page")["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({ "targetId": page, "flatten": true }));
        browser.session = attached["sessionId"].as_str().expect("a session").to_owned();
        browser.call("Page.enable", json!({}));
        browser.call("Runtime.enable", json!({}));
        browser.call("Log.enable", json!({}));
        Some(browser)
    }

    /// A browser without the libraries that it needs, or one that may not run here, ends without a word.
    fn answers_at_all(&mut self) -> bool {
        let asked = self.commands.write_all(b"{\"id\":0,\"method\":\"Browser.getVersion\"}\0");
        asked.is_ok() && self.answers.recv_timeout(PATIENCE).is_ok()
    }

    /// Sends a command and waits for its answer.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next_id += 1;
        let mut message = json!({ "id": self.next_id, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = self.session.as_str().into();
        }
        self.commands.write_all(format!("{message}\0").as_bytes()).expect("Chromium listens");
        let id = self.next_id;
        let answer = self.wait(|answer| answer["id"] == id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Waits for an answer or an event, and keeps what pages complain of.
    fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let answer = self.answers.recv_timeout(PATIENCE).expect("Chromium answers");
            let is_error = match answer["method"].as_str() {
                Some("Runtime.exceptionThrown") => true,
                Some("Log.entryAdded") => answer["params"]["entry"]["level"] == "error",
                Some("Runtime.consoleAPICalled") => answer["params"]["type"] == "error",
                _ => false,
            };
            if is_error {
                self.complaints.push(answer["params"].to_string());
            }
            if is_it(&answer) {
                return answer;
            }
        }
    }

    /// Opens an address, and waits until the page is there.
    pub fn open(&mut self, address: &str) {
        // A page that differs only behind `#` would not be loaded again.
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.until("location.href === 'about:blank'");
        let begun = self.call("Page.navigate", json!({ "url": address }));
        assert!(begun.get("errorText").is_none(), "{address}: {begun}");
        self.until("location.href !== 'about:blank' && document.readyState === 'complete'");
    }

    pub fn open_file(&mut self, path: &Path, hash: &str) {
        self.open(&format!("file://{}#{hash}", path.display()));
    }

    /// The value of an expression on the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// The text of an element.
    pub fn text(&mut self, selector: &str) -> String {
        let value = self.value(&format!("document.querySelector({})?.textContent", json!(selector)));
        value.as_str().unwrap_or_else(|| panic!("there is no {selector}")).to_owned()
    }

    /// The texts of all elements of a kind.
    pub fn texts(&mut self, selector: &str) -> Vec<String> {
        let list = format!("[...document.querySelectorAll({})].map((one) => one.textContent)", json!(selector));
        let value = self.value(&list);
        value.as_array().expect("a list").iter().map(|text| text.as_str().expect("text").to_owned()).collect()
    }

    /// Waits until an expression is true.
    pub fn until(&mut self, expression: &str) {
        let begin = Instant::now();
        loop {
            let parameters = json!({ "expression": expression, "returnByValue": true });
            // While a page is being loaded there may be nothing to ask.
            if self.call("Runtime.evaluate", parameters)["result"]["value"] == true {
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "never true: {expression}; complaints: {:?}", self.complaints);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Clicks with the mouse in the middle of an element.
    pub fn click(&mut self, selector: &str) {
        let middle = format!(
            "(() => {{ const one = document.querySelector({}); one.scrollIntoView({{ block: 'nearest' }}); \
             const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        );
        let middle = self.value(&middle);
        for kind in ["mousePressed", "mouseReleased"] {
            let (x, y) = (&middle[0], &middle[1]);
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        let text = if key == "Enter" { "\r" } else { key };
        let is_text = text.chars().count() == 1;
        let mut event = json!({ "type": if is_text { "keyDown" } else { "rawKeyDown" }, "key": key });
        if is_text {
            event["text"] = text.into();
        }
        self.call("Input.dispatchKeyEvent", event);
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
    }

    /// Types into the element that has the focus.
    pub fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }
}

/// Messages end with a zero.
fn read_answers(path: &Path) -> Receiver<Value> {
    let mut input = BufReader::new(File::open(path).expect("the pipe for answers"));
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        loop {
            let mut message = Vec::new();
            if input.read_until(0, &mut message).unwrap_or(0) == 0 {
                return;
            }
            message.pop();
            if let Ok(value) = serde_json::from_slice(&message)
                && sender.send(value).is_err()
            {
                return;
            }
        }
    });
    receiver
}
