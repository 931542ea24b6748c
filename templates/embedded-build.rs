//! Compiles the C of the model. `CC`, `AR` and `CFLAGS` count as they do for make.
//!
//! Made by pmc; changes will be lost.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, exit};

const SOURCES: [&str; 2] = ["embedded", "embedded-guard"];

fn main() {
    for name in SOURCES {
        println!("cargo::rerun-if-changed=src/{name}.c");
    }
    for name in ["CC", "AR", "CFLAGS"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    if env::var("CARGO_CFG_UNIX").is_err() {
        fail("the C of a model is compiled on Unix only");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let Some(compiler) = compiler() else { fail("there is no C compiler: neither $CC, cc, gcc nor clang can be run") };
    let flags = env::var("CFLAGS").unwrap_or_default();
    let mut objects = Vec::new();
    for name in SOURCES {
        let object = out.join(format!("{}.o", name.replace('/', "-")));
        let mut command = Command::new(&compiler[0]);
        command.args(&compiler[1..]).args(["-c", "-O2", "-std=gnu11", "-fPIC", "-w"]);
        command.args(flags.split_whitespace()).arg("-o").arg(&object).arg(Path::new("src").join(format!("{name}.c")));
        run(&mut command);
        objects.push(object);
    }
    let archiver = env::var("AR").unwrap_or_else(|_| "ar".to_owned());
    run(Command::new(archiver).arg("crs").arg(out.join("libpmc_embedded.a")).args(&objects));
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::rustc-link-lib=static=pmc_embedded");
    for library in ["m", "pthread"] {
        println!("cargo::rustc-link-lib={library}");
    }
}

/// The first C compiler that can be run, with its flags.
fn compiler() -> Option<Vec<String>> {
    let given = env::var("CC").ok().filter(|given| !given.trim().is_empty());
    let candidates = match given {
        Some(given) => vec![given],
        None => ["cc", "gcc", "clang"].map(str::to_owned).to_vec(),
    };
    let words = |candidate: &String| candidate.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    candidates.iter().map(words).find(|words| {
        Command::new(&words[0]).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    })
}

fn run(command: &mut Command) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => fail(&format!("{:?} ended with {status}", command.get_program())),
        Err(error) => fail(&format!("{:?} cannot be run: {error}", command.get_program())),
    }
}

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    exit(1)
}
