//! What can go wrong around a model.

use std::fmt;
use std::io;

use super::STACK;
use super::disk::LARGEST_FILE;
use crate::package;

/// A failure of the environment: no change of the model can cause or avoid it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read `{path}`")]
    Read { path: String, source: io::Error },
    #[error("`{path}` is a folder; name the model in it")]
    Folder { path: String },
    #[error("`{path}` is larger than {} MiB, which no model should be", LARGEST_FILE >> 20)]
    TooLarge { path: String },
    #[error("{message}")]
    Flags { message: String },
    #[error("there is no model (*.pml) in `{folder}`")]
    NoModels { folder: String },
    #[error(
        "name a model; or describe a project in pmc.toml, which is neither here nor in a folder above (`pmc init` writes one)"
    )]
    NoProject,
    #[error("cannot create `{path}`")]
    Create { path: String, source: io::Error },
    #[error("standard input cannot carry both the model and the answers: put the model in a file")]
    InputTaken,
    #[error("cannot listen on port {port} of 127.0.0.1")]
    Listen { port: u16, source: io::Error },
    #[error("{message}")]
    Trail { message: String },
    #[error("cannot write the picture `{path}`")]
    Picture { path: String, source: io::Error },
    #[error("the model is read twice for a picture or a document of its run: put it in a file")]
    ReadTwice,
    #[error("a picture is of one run: name one model, and no range of values")]
    OnePicture,
    #[error("the report goes to standard output: give the picture a file, or use `pmc replay` for it")]
    OutputTaken,
    #[error("there is no proctype `{name}`; there are `{there_are}`")]
    NoProctype { name: String, there_are: String },
    #[error("there is no error `{code}`; `pmc check --help` lists the lints")]
    NoCode { code: String },
    #[error("cannot write the output")]
    Write { source: io::Error },
    #[error("cannot start a thread with a stack of {} MiB", STACK >> 20)]
    Thread { source: io::Error },
    #[error(transparent)]
    Package(#[from] package::Error),
    #[error("cannot find `cargo`: install Rust from https://rustup.rs, or use `--engine interpret`")]
    NoCargo,
    #[error("cannot write to the cache of verifiers; the variable PMC_CACHE can name another folder")]
    Cache { source: io::Error },
    #[error("cannot run `{program}`")]
    Run { program: String, source: io::Error },
    #[error("there is no folder for built verifiers: set PMC_CACHE, or HOME; `--engine interpret` needs none")]
    NoCache,
    #[error(
        "the verifier could not be built: {reason}. `--engine interpret` needs no toolchain, only more time for large \
         models{said}"
    )]
    Toolchain { reason: &'static str, said: Said },
    #[error(
        "the verifier could not be built. This is a mistake in pmc {}, not in the model: please report it, with the \
         model and what cargo said{said}",
        env!("CARGO_PKG_VERSION")
    )]
    Build { said: Said },
    #[error(
        "this model has embedded C, which runs with your rights: if you trust it, add --allow-c, or allow-c = true in pmc.toml"
    )]
    ForeignCode,
    #[error("runs of a model with embedded C cannot be drawn yet; `pmc replay` shows them as text")]
    PictureOfC,
    #[error("this model has embedded C, and there is no C compiler: {looked_for} cannot be run")]
    NoCompiler { looked_for: String },
    #[error("the C compiler refuses the C of this model{said}")]
    RefusedC { said: Said },
    #[error("the verifier ended without a report, so nothing is verified: {how}")]
    NoReport { how: String },
    /// An error of pmc itself.
    #[error("internal error in pmc, please send us this model ({message})")]
    Internal { message: String },
}

/// What another program said, and the file with all of it.
#[derive(Debug)]
pub struct Said {
    pub lines: Vec<String>,
    pub log: Option<String>,
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| write!(f, "\n    {line}"))?;
        match (&self.log, self.lines.is_empty()) {
            (Some(log), true) => write!(f, ", which is in `{log}`"),
            (Some(log), false) => write!(f, "\n  all that cargo said is in `{log}`"),
            (None, _) => Ok(()),
        }
    }
}
