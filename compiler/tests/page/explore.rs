//! `pmc explore`: the server as a stranger meets it, and its page.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{ChildStdout, Command, Stdio};

use super::browser::{Browser, PATIENCE};
use super::limited::Limited;
use super::write;

const MODEL: &str = "byte x;
active proctype p() { do :: x < 2 -> x++ :: x > 0 -> x-- od }
active proctype q() { x == 2; assert(x != 2) }
";

/// A server that ends with its test.
struct Server {
    child: Limited,
    _output: BufReader<ChildStdout>,
    /// `127.0.0.1:PORT`
    host: String,
    /// `/SECRET/`
    path: String,
}

impl Server {
    fn start(model: &str) -> (Server, tempfile::TempDir) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write(folder.path(), "model.pml", model);
        let mut command = Command::new(env!("CARGO_BIN_EXE_pmc"));
        command.args(["explore", "model.pml"]).current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = Limited::spawn(&mut command);
        let mut line = String::new();
        let mut output = BufReader::new(child.output());
        output.read_line(&mut line).expect("an address");
        let rest = line.trim().strip_prefix("http://").expect("an address");
        let (host, path) = rest.split_once('/').expect("a path");
        let server = Server { child, _output: output, host: host.to_owned(), path: format!("/{path}") };
        (server, folder)
    }

    /// Sends text, and returns all of the answer.
    fn say(&self, text: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream.write_all(text.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    fn get(&self, path: &str) -> String {
        self.say(&format!("GET {}{path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.path, self.host))
    }

    fn post(&self, path: &str, body: &str) -> String {
        let (own, host, length) = (&self.path, &self.host, body.len());
        self.say(&format!("POST {own}{path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{body}"))
    }
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).expect("a status line")
}

/// Two processes that differ by an argument of an inline.
const FORKS: &str = "bool taken[2];
inline take(fork) { !taken[fork]; taken[fork] = true }
active [2] proctype p() { take(_pid) }
";

#[test]
fn a_stranger_is_refused() {
    let (server, _folder) = Server::start(MODEL);
    let (host, path) = (&server.host, &server.path);
    assert_eq!(status(&server.get("")), "200");
    for (request, expected) in [
        (format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"), "404"),
        (format!("GET {path} HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "403"),
        (format!("GET {path} HTTP/1.1\r\n\r\n"), "400"),
        (
            format!(
                "POST {path}step HTTP/1.1\r\nHost: {host}\r\nOrigin: http://evil.example\r\nContent-Length: 2\r\n\r\n{{}}"
            ),
            "403",
        ),
        (format!("DELETE {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"), "405"),
        (format!("GET {path}../secret HTTP/1.1\r\nHost: {host}\r\n\r\n"), "404"),
        (format!("GET {path}step HTTP/1.1\r\nHost: {host}\r\n\r\n"), "405"),
        (format!("POST {path}step HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9999999\r\n\r\n"), "413"),
    ] {
        assert_eq!(status(&server.say(&request)), expected, "{request}");
    }
    for (body, expected) in [
        ("", "400"),
        ("nonsense", "400"),
        ("{}", "400"),
        ("{\"at\": -1, \"choice\": 0}", "400"),
        ("{\"at\": 0, \"choice\": 99}", "409"),
        ("{\"at\": 5, \"choice\": 0}", "409"),
        ("{\"at\": 0, \"choice\": 0}", "200"),
    ] {
        assert_eq!(status(&server.post("step", body)), expected, "{body}");
    }
    // A client that says nothing keeps nobody else waiting.
    let _silent = TcpStream::connect(host).expect("the server listens");
    let answer = server.get("choices?at=1");
    assert!(answer.contains("\"choices\"") && answer.contains("\"pid\""), "{answer}");
    // A choice is told as the step will be, with the argument in place of the parameter.
    let (forks, _folder) = Server::start(FORKS);
    let answer = forks.get("choices?at=0");
    assert!(answer.contains("!taken[1]") && answer.contains("!taken[0]") && !answer.contains("fork"), "{answer}");
    assert!(server.get("graph.svg?at=1").contains("<svg"));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_at_once() {
    use std::os::unix::process::ExitStatusExt;

    for signal in ["-INT", "-TERM"] {
        let (server, _folder) = Server::start(MODEL);
        let _open = TcpStream::connect(&server.host).expect("the server listens");
        let sent = Command::new("kill").args([signal, &server.child.id().to_string()]).status().expect("kill");
        assert!(sent.success());
        let status = server.child.wait();
        assert_ne!(status.signal(), Some(9), "{signal} does not end it");
    }
}

#[test]
fn a_model_is_walked_by_hand() {
    let Some(mut browser) = Browser::start() else { return };
    let (server, _folder) = Server::start(MODEL);
    browser.open(&format!("http://{}{}", server.host, server.path));
    browser.until("document.body.dataset.choices === '1'");
    assert_eq!(browser.text("#where"), "step 0 of 0");
    assert_eq!(browser.value("document.getElementById('undo').disabled"), true);

    // By the button, by its number, by Enter.
    browser.click("#choices button");
    browser.until("document.body.dataset.position === '1'");
    assert!(browser.text("#step").contains("x < 2"));
    browser.until("document.body.dataset.choices === '1'");
    browser.press("1");
    browser.until("document.body.dataset.position === '2' && document.body.dataset.choices === '2'");
    assert_eq!(browser.texts("#values tr.changed td"), ["x", "01"]);
    browser.press("Enter");
    browser.until("document.body.dataset.position === '3'");

    // Undo takes it back; from an earlier step another way can be taken.
    browser.click("#undo");
    browser.until("document.body.dataset.position === '2' && document.querySelector('#slider').max === '2'");
    browser.press("Home");
    browser.until("document.body.dataset.choices === '1'");
    browser.press("1");
    browser.until("document.body.dataset.position === '1' && document.querySelector('#slider').max === '1'");

    // The states around this one, and a violation.
    browser.click("#around");
    browser.until("document.querySelector('#graph img')?.naturalWidth > 50");
    browser.click("#search");
    browser.until("document.body.dataset.searched === 'yes'");
    assert!(browser.text("#notice").contains("assertion violated"));
    assert!(browser.text("#step .bad").contains("assertion violated"));
    let found = browser.value("Number(document.querySelector('#slider').max)").as_u64().expect("a number");
    assert!(found >= 5, "{found}");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

/// What can be done at a position is asked with the number of moves before it, of which one may be several ticks.
#[test]
fn ticks_up_to_the_next_expiry_are_one_move() {
    let model = "timer t; byte x;\nactive proctype P() { set(t, 3); expire(t); x = 1; x = 2; assert(x == 2) }\n";
    let (server, _folder) = Server::start(model);
    for at in 0..3 {
        let answer = server.post("step", &format!("{{\"at\": {at}, \"choice\": 0}}"));
        assert_eq!(status(&answer), "200", "{answer}");
    }
    assert!(server.get("choices?at=1").contains("time passes"), "{}", server.get("choices?at=1"));
    assert!(server.get("choices?at=2").contains("expire(t)"));
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&format!("http://{}{}", server.host, server.path));
    browser.until("document.body.dataset.position === '0' && document.body.dataset.choices === '1'");
    browser.press("ArrowRight");
    browser.until("document.body.dataset.position === '1' && document.body.dataset.choices === '1'");
    browser.press("ArrowRight");
    browser.until("document.body.dataset.position === '2' && document.body.dataset.choices === '1'");
    assert!(browser.text("#where").contains("time 3"), "{}", browser.text("#where"));
    assert!(browser.text("#choices").contains("expire(t)"), "{}", browser.text("#choices"));
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}
