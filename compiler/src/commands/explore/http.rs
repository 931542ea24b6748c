//! As much of HTTP/1.1 as one page of ours needs: one request on each connection, each bounded in size and time.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// The most bytes of a request line with all headers.
const LONGEST_HEAD: u64 = 16 << 10;

/// The most bytes of a body.
const LONGEST_BODY: usize = 4 << 10;

/// For so long a client may say nothing.
const TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

/// A request that is well formed.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    pub method: Method,
    /// With a `/` in front, without the query.
    pub path: String,
    pub query: String,
    pub host: String,
    pub origin: Option<String>,
    pub body: String,
}

/// What is answered.
#[derive(Debug, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub content_type: &'static str,
    pub body: String,
}

impl Response {
    pub fn new(content_type: &'static str, body: String) -> Self {
        Self { status: 200, content_type, body }
    }

    /// An answer in words.
    pub fn refusal(status: u16, words: &str) -> Self {
        Self { status, content_type: "text/plain; charset=utf-8", body: format!("{words}\n") }
    }

    fn reason(&self) -> &'static str {
        match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            409 => "Conflict",
            411 => "Length Required",
            413 => "Content Too Large",
            431 => "Request Header Fields Too Large",
            503 => "Service Unavailable",
            _ => "Internal Server Error",
        }
    }

    /// Writes it; the connection ends with it.
    pub fn write(&self, stream: &mut impl Write) -> io::Result<()> {
        let Self { status, content_type, body } = self;
        let reason = self.reason();
        let allow = if *status == 405 { "Allow: GET, POST\r\n" } else { "" };
        write!(
            stream,
            "HTTP/1.1 {status} {reason}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
             Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n{allow}\r\n",
            body.len()
        )?;
        stream.write_all(body.as_bytes())?;
        stream.flush()
    }
}

/// Reads the request of a connection. `None` if the client went away or is too slow.
pub fn read(stream: &TcpStream) -> io::Result<Result<Request, Response>> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    parse(&mut BufReader::new(stream))
}

/// A request, or the answer to one that is not as it should be.
fn parse(input: &mut impl BufRead) -> io::Result<Result<Request, Response>> {
    let mut head = Vec::new();
    let mut limited = input.by_ref().take(LONGEST_HEAD);
    loop {
        let start = head.len();
        if limited.read_until(b'\n', &mut head)? == 0 {
            return match head.len() as u64 {
                LONGEST_HEAD.. => Ok(Err(Response::refusal(431, "the head of the request is too long"))),
                _ => Err(io::ErrorKind::UnexpectedEof.into()),
            };
        }
        if !head.ends_with(b"\n") {
            continue;
        }
        if matches!(&head[start..], b"\r\n" | b"\n") {
            break;
        }
    }
    let (mut request, length) = match parse_head(&head) {
        Ok(parsed) => parsed,
        Err(response) => return Ok(Err(response)),
    };
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    match String::from_utf8(body) {
        Ok(body) => request.body = body,
        Err(_) => return Ok(Err(Response::refusal(400, "the body is no text"))),
    }
    Ok(Ok(request))
}

/// The request without its body, and the length of that.
fn parse_head(head: &[u8]) -> Result<(Request, usize), Response> {
    let bad = |words: &str| Response::refusal(400, words);
    let head = std::str::from_utf8(head).map_err(|_| bad("the head of the request is no text"))?;
    let mut lines = head.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) = (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(bad("this is no request line"));
    };
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return Err(bad("only HTTP/1.1 is spoken here"));
    }
    let method = match method {
        "GET" => Method::Get,
        "POST" => Method::Post,
        _ => return Err(Response::refusal(405, "only GET and POST are understood")),
    };
    if !target.starts_with('/') || target.contains(|c: char| c.is_control() || !c.is_ascii()) {
        return Err(bad("the path is wrong"));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (mut host, mut origin, mut length) = (None, None, None);
    for line in lines.take_while(|line| !line.is_empty()) {
        let Some((name, value)) = line.split_once(':') else { return Err(bad("a header has no colon")) };
        let value = value.trim();
        let is_twice = match name.to_ascii_lowercase().as_str() {
            "host" => host.replace(value.to_owned()).is_some(),
            "origin" => origin.replace(value.to_owned()).is_some(),
            "content-length" => {
                let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
                let number = value.parse::<usize>().ok().filter(|_| is_number);
                length.replace(number.ok_or_else(|| bad("the length of the body is no number"))?).is_some()
            }
            "transfer-encoding" => return Err(Response::refusal(411, "a body needs a Content-Length here")),
            _ => false,
        };
        if is_twice {
            return Err(bad("a header is there twice"));
        }
    }
    let host = host.ok_or_else(|| bad("the header Host is missing"))?;
    let length = length.unwrap_or(0);
    if length > LONGEST_BODY {
        return Err(Response::refusal(413, "the body is too long"));
    }
    let (path, query) = (path.to_owned(), query.to_owned());
    Ok((Request { method, path, query, host, origin, body: String::new() }, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Request, u16> {
        let parsed = parse(&mut text.as_bytes()).expect("a whole request");
        parsed.map_err(|response| response.status)
    }

    #[test]
    fn a_request_is_read() {
        let text = "POST /a/b?at=3&x HTTP/1.1\r\nHost: 127.0.0.1:80\r\nORIGIN:  http://x \r\nContent-Length: 4\r\n\r\nbody rest";
        let request = read_text(text).expect("a good request");
        assert_eq!((request.method, &*request.path, &*request.query), (Method::Post, "/a/b", "at=3&x"));
        assert_eq!(
            (&*request.host, request.origin.as_deref(), &*request.body),
            ("127.0.0.1:80", Some("http://x"), "body")
        );
    }

    #[test]
    fn what_is_wrong_is_refused() {
        for (text, status) in [
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/2\r\nHost: a\r\n\r\n", 400),
            ("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET http://evil/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\n\r\n", 405),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
            ("GET / HTTP/1.1\r\nnonsense\r\n\r\n", 400),
        ] {
            assert_eq!(read_text(text), Err(status), "{text}");
        }
    }

    #[test]
    fn a_head_has_an_end() {
        let long = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "x".repeat(20_000));
        assert_eq!(read_text(&long), Err(431));
        let endless = "x".repeat(100_000);
        assert_eq!(read_text(&endless), Err(431));
        for cut in ["", "GET / HTTP/1.1\r\nHost", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab"] {
            assert!(parse(&mut cut.as_bytes()).is_err(), "{cut}");
        }
    }

    #[test]
    fn an_answer_says_how_long_it_is() {
        let mut out = Vec::new();
        Response::new("text/html; charset=utf-8", "ü".to_owned()).write(&mut out).expect("a vector");
        let text = String::from_utf8(out).expect("text");
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with("\r\n\r\nü"), "{text}");
        assert!(text.contains("Content-Length: 2\r\n") && text.contains("nosniff"), "{text}");
    }
}
