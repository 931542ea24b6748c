//! `pmc explore`: a page on this machine's own network address on which a model is walked by hand.
//!
//! Only this machine can connect. Other programs on it, and pages of other sites in its browser, do not know the secret
//! in the address; a request that names another host (as after DNS rebinding) or comes from another origin is refused.

mod http;
mod walk;

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use pmc_runtime::explore::Explorer;

use super::graph::Exploring;
use super::{ExitStatus, report};
use crate::cli::{ExploreArgs, Format, Optimize};
use crate::driver::{Error, Session, Simplification};
use http::{Method, Response};
use walk::Walk;

/// More connections at a time are refused.
const MOST_CONNECTIONS: usize = 32;

/// Ends with a signal.
pub fn run(arguments: &ExploreArgs) -> Result<ExitStatus, Error> {
    if arguments.model.path == Path::new("-") {
        return Err(Error::ReadTwice);
    }
    let mut model = arguments.model.clone();
    // Every statement is a step of its own, and every variable keeps its value.
    model
        .reading
        .optimize
        .extend([Simplification::Merge, Simplification::Dead, Simplification::Unread].map(Optimize::Without));
    let mut session = Session::open(&model.path, &model.options())?;
    session.interpret(|session, interpretable| {
        report(session, Format::Human, model.color)?;
        let Ok(interpretable) = interpretable else { return Ok(ExitStatus::Wrong) };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port))
            .map_err(|source| Error::Listen { port: arguments.port, source })?;
        let address = listener.local_addr().map_err(|source| Error::Listen { port: arguments.port, source })?;
        interpretable.visit(Exploring(|explorer: &Explorer<'_>| {
            let endpoint = Endpoint { address, secret: secret() };
            announce(&endpoint)?;
            serve(&listener, &endpoint, &Walk::new(explorer));
            Ok(ExitStatus::Fine)
        }))
    })
}

fn announce(endpoint: &Endpoint) -> Result<(), Error> {
    let Endpoint { address, secret } = endpoint;
    let mut out = io::stdout().lock();
    let written = writeln!(out, "http://{address}/{secret}/\nopen this address in a browser; Ctrl-C ends it");
    written.and_then(|()| out.flush()).map_err(|source| Error::Write { source })
}

/// 128 bits that cannot be guessed: two outputs of a keyed hash function, whose key the system chose at random.
fn secret() -> String {
    let state = RandomState::new();
    let other = RandomState::new();
    let time = std::time::SystemTime::now();
    format!("{:016x}{:016x}", state.hash_one((1, time)), other.hash_one((2, time)))
}

/// The address of the server, and the secret that a request must carry.
struct Endpoint {
    address: SocketAddr,
    secret: String,
}

impl Endpoint {
    /// The path behind the secret, or why the request is refused.
    fn open<'r>(&self, request: &'r http::Request) -> Result<&'r str, Response> {
        let port = self.address.port();
        let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        if !hosts.iter().any(|host| *host == request.host.to_ascii_lowercase()) {
            return Err(Response::refusal(403, "this server is known by another name"));
        }
        if let Some(origin) = &request.origin {
            if !hosts.iter().any(|host| *origin == format!("http://{host}")) {
                return Err(Response::refusal(403, "other pages may not ask here"));
            }
        } else if request.method == Method::Post && request.body.is_empty() {
            return Err(Response::refusal(400, "a body is missing"));
        }
        let inside = request.path.strip_prefix('/').and_then(|path| path.split_once('/'));
        match inside {
            Some((secret, path)) if is_same(secret, &self.secret) => Ok(path),
            _ => Err(Response::refusal(404, "there is nothing here: the address that `pmc explore` printed is longer")),
        }
    }
}

/// Compares in a time that does not depend on where two texts differ.
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// Answers for ever.
fn serve(listener: &TcpListener, endpoint: &Endpoint, walk: &Walk<'_>) {
    let n_open = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for stream in listener.incoming() {
            // A connection that is gone again already is none.
            let Ok(stream) = stream else { continue };
            if n_open.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                n_open.fetch_sub(1, Ordering::Relaxed);
                let _ = Response::refusal(503, "too many connections").write(&mut &stream);
                continue;
            }
            let n_open = &n_open;
            scope.spawn(move || {
                let closing = Closing(n_open);
                // Without a reader no message arrives.
                let _ = converse(&stream, endpoint, walk);
                drop(closing);
            });
        }
    });
}

struct Closing<'n>(&'n AtomicUsize);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn converse(mut stream: &TcpStream, endpoint: &Endpoint, walk: &Walk<'_>) -> io::Result<()> {
    let response = match http::read(stream)? {
        Ok(request) => match endpoint.open(&request) {
            Ok(path) => walk.answer(path, &request),
            Err(refusal) => refusal,
        },
        Err(refusal) => refusal,
    };
    response.write(&mut stream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn request(host: &str, origin: Option<&str>, path: &str) -> Request {
        Request {
            method: Method::Get,
            path: path.to_owned(),
            query: String::new(),
            host: host.to_owned(),
            origin: origin.map(str::to_owned),
            body: String::new(),
        }
    }

    #[test]
    fn only_who_knows_the_secret_and_the_name_comes_in() {
        let endpoint = Endpoint { address: SocketAddr::from((Ipv4Addr::LOCALHOST, 81)), secret: "abc".to_owned() };
        let status = |request: &Request| endpoint.open(request).map_err(|response| response.status).map(str::to_owned);
        assert_eq!(status(&request("127.0.0.1:81", None, "/abc/step")), Ok("step".to_owned()));
        assert_eq!(status(&request("LocalHost:81", Some("http://127.0.0.1:81"), "/abc/")), Ok(String::new()));
        for host in ["evil.example:81", "127.0.0.1", "127.0.0.1:82", "127.0.0.1:81.evil.example", ""] {
            assert_eq!(status(&request(host, None, "/abc/")), Err(403), "{host}");
        }
        for origin in ["http://evil.example", "null", "https://127.0.0.1:81", "http://127.0.0.1:82"] {
            assert_eq!(status(&request("127.0.0.1:81", Some(origin), "/abc/")), Err(403), "{origin}");
        }
        for path in ["/", "/abc", "/abd/", "/ab/", "//abc/", "/abc%2f", "/"] {
            assert_eq!(status(&request("127.0.0.1:81", None, path)), Err(404), "{path}");
        }
    }

    #[test]
    fn two_secrets_differ() {
        let (one, other) = (secret(), secret());
        assert!(one != other && one.len() == 32 && one.bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
    }
}
