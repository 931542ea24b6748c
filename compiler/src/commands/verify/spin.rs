//! Macros such as `-DNOREDUCE`, which choose what Spin's verifier is compiled for. If the model does not mention the
//! name, the flag of ours is meant.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use pmc_runtime::cli::spin::macro_of_pan;

use crate::cli::ModelArgs;
use crate::driver::{Error, Session};

/// Removes such macros from those of the model, and returns the flags that they stand for.
pub fn take_macros(model: &mut ModelArgs) -> Result<Vec<OsString>, Error> {
    let known = |define: &String| macro_of_pan(define).is_some();
    // Standard input can be read only once, and so can a pipe.
    if !model.define.iter().any(known) || model.path == Path::new("-") || !model.path.is_file() {
        return Ok(Vec::new());
    }
    let texts = texts(model)?;
    let is_macro = |define: &str| {
        let name = define.split('=').next().unwrap_or(define);
        texts.iter().any(|text| mentions(text, name))
    };
    let (mut kept, mut flags) = (Vec::new(), Vec::new());
    for define in std::mem::take(&mut model.reading.define) {
        match macro_of_pan(&define).filter(|_| !is_macro(&define)) {
            Some(Ok(taken)) => {
                let _ = writeln!(io::stderr(), "note: {}", taken.note);
                flags.extend(taken.flags.into_iter().map(OsString::from));
            }
            Some(Err(message)) => return Err(Error::Flags { message }),
            None => kept.push(define),
        }
    }
    model.reading.define = kept;
    Ok(flags)
}

/// The model and all that it includes.
pub fn texts(model: &ModelArgs) -> Result<Vec<String>, Error> {
    let mut session = Session::open(&model.path, &model.options())?;
    // One that is wrong is reported when it is verified.
    let _ = session.parse();
    let files = session.sources.files().iter();
    // Formulas have names in angle brackets, and so have the macros of the command line.
    let is_told = |path: &str| path.starts_with('<') && !path.starts_with("<formula");
    Ok(files.filter(|file| !is_told(&file.path)).map(|file| file.text.to_string()).collect())
}

/// Whether a name stands in a text, as a word.
pub fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !is_part(c)).any(|word| word == name)
}
