//! The C compiler, for models with embedded C: it reads their text before a verifier is built, so that its messages are
//! about the model. The verifier's build script compiles it.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::driver::{Error, Said};

/// What the variables of the environment say about C: a verifier that was built with others is another one.
pub(super) fn settings() -> String {
    ["CC", "AR", "CFLAGS"].map(|name| std::env::var(name).unwrap_or_default()).join("\n")
}

/// Fails with the compiler's messages if there is something wrong with a text of C.
pub(super) fn check(text: &str) -> Result<(), Error> {
    let compiler = find()?;
    let failed = |source| Error::Cache { source };
    let folder = tempfile::tempdir().map_err(failed)?;
    let file = folder.path().join("embedded.c");
    std::fs::write(&file, text).map_err(failed)?;
    let mut command = Command::new(&compiler[0]);
    command.args(&compiler[1..]).args(["-fsyntax-only", "-std=gnu11", "-w", "-DPMC_CHECKS"]);
    let flags = std::env::var("CFLAGS").unwrap_or_default();
    let output = command.args(flags.split_whitespace()).arg(&file).env("LC_ALL", "C").stdin(Stdio::null()).output();
    let output = output.map_err(|source| Error::Run { program: compiler[0].clone(), source })?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::RefusedC { said: Said { lines: lines(&String::from_utf8_lossy(&output.stderr), &file), log: None } })
}

/// Each message once: the text of a `c_expr` is compiled twice.
fn lines(said: &str, file: &Path) -> Vec<String> {
    const MOST: usize = 12;
    let own = file.display().to_string();
    let mut lines: Vec<String> = Vec::new();
    for line in said.lines().filter(|line| line.contains(": error:") || line.contains(": fatal error:")) {
        let line = line.replace(&own, "embedded.c of pmc");
        if !lines.contains(&line) && lines.len() < MOST {
            lines.push(line);
        }
    }
    if lines.is_empty() { said.lines().take(MOST).map(str::to_owned).collect() } else { lines }
}

/// The program and its first arguments.
fn find() -> Result<Vec<String>, Error> {
    let given = std::env::var("CC").ok().filter(|given| !given.trim().is_empty());
    let (candidates, looked_for) = match given {
        Some(given) => (vec![given.clone()], format!("`{given}`, the value of CC,")),
        None => (["cc", "gcc", "clang"].map(str::to_owned).to_vec(), "`cc`, `gcc` and `clang`".to_owned()),
    };
    let words = |candidate: &String| candidate.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let runs = |words: &Vec<String>| {
        let mut command = Command::new(&words[0]);
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    candidates.iter().map(words).find(runs).ok_or(Error::NoCompiler { looked_for })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_shown_once() {
        let said = "m.pml: In function 'f':\nm.pml:3:7: error: 'x' undeclared\n   3 | x\nm.pml:3:7: error: 'x' undeclared\n\
                    /tmp/a/embedded.c:9:1: error: odd\n";
        let expected = ["m.pml:3:7: error: 'x' undeclared", "embedded.c of pmc:9:1: error: odd"];
        assert_eq!(lines(said, Path::new("/tmp/a/embedded.c")), expected);
        assert_eq!(lines("cc1: out of memory\n", Path::new("x")), ["cc1: out of memory"]);
    }
}
