//! Whether rustc accepts generated code, for many models at a time and without a warning.
//!
//! All models are modules of one crate, which is checked and not compiled: rustc checks types, borrows and lints, and
//! generates no machine code, so that a model takes some hundredths of a second. The runtime is checked once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pmc::codegen::GeneratedFile;
use pmc::driver::{Options, Session, on_large_stack};
use pmc::package::Package;

/// A crate in which models are checked.
pub struct Workshop {
    dir: PathBuf,
}

/// Why there is no code for rustc to check.
pub enum Made {
    Code(Vec<GeneratedFile>),
    /// It is not Promela, or pmc refuses it: the first message.
    Refused(String),
    /// pmc panicked.
    Broken(String),
}

/// The generated code of a model.
pub fn generate(text: &str, options: &Options) -> Made {
    let made = on_large_stack(|| {
        let work = || {
            let mut session = Session::from_text("model.pml", text.to_owned(), options).map_err(|e| e.to_string())?;
            session.generate().map(|generated| generated.files).map_err(|_| {
                let errors =
                    pmc::diagnostic::render::render(&session.sources, &session.diagnostics, Default::default());
                let first = errors.find("error").map_or("", |at| &errors[at..]);
                first.lines().take(8).collect::<Vec<_>>().join("\n")
            })
        };
        catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
        })
    });
    match made {
        Ok(Ok(Ok(files))) => Made::Code(files),
        Ok(Ok(Err(message))) => Made::Refused(message),
        Ok(Err(panic)) => Made::Broken(panic),
        Err(error) => Made::Broken(error.to_string()),
    }
}

impl Workshop {
    /// In a folder of its own, which may exist already.
    pub fn new(dir: &Path) -> Result<Self, String> {
        Package::runtime().write(&dir.join("runtime")).map_err(|error| error.to_string())?;
        let searches = read(&dir.join("runtime/searches/Cargo.toml"))?;
        let sizes = searches.lines().filter_map(|line| line.strip_suffix(" = []")).map(|name| format!("{name:?}"));
        let sizes = sizes.collect::<Vec<_>>().join(", ");
        let manifest = format!(
            "[package]\nname = \"models\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies]\npmc-runtime = {{ package = \"pmc-searches\", path = \"runtime/searches\", features = [{sizes}] }}\n\n\
             [profile.dev]\nincremental = false\n"
        );
        write(&dir.join("Cargo.toml"), &manifest)?;
        Ok(Self { dir: dir.to_owned() })
    }

    /// Has rustc check models, and returns its messages about those that it rejects, by their numbers.
    pub fn check(&self, models: &[Vec<GeneratedFile>]) -> Result<BTreeMap<usize, String>, String> {
        let source = self.dir.join("src");
        let _ = fs::remove_dir_all(&source);
        for (number, files) in models.iter().enumerate() {
            let inside = format!("crate::m{number}::");
            for file in files {
                let path = file.path.trim_start_matches("src/");
                let path = if path == "lib.rs" { "mod.rs" } else { path };
                let text = file.text.replace("crate::", &inside).replace("pub use model::", "pub use self::model::");
                write(&source.join(format!("m{number}")).join(path), &text)?;
            }
        }
        let mut faults: BTreeMap<usize, String> = BTreeMap::new();
        loop {
            // Some errors keep rustc from finding others, so it runs again without those models.
            let rest = (0..models.len()).filter(|number| !faults.contains_key(number));
            let modules: String = rest.map(|number| format!("pub mod m{number};\n")).collect();
            write(&source.join("lib.rs"), &modules)?;
            let (is_accepted, said) = self.ask_rustc()?;
            let found: BTreeMap<usize, String> = said.into_iter().filter(|(n, _)| !faults.contains_key(n)).collect();
            let is_new = !found.is_empty();
            faults.extend(found);
            if is_accepted {
                return Ok(faults);
            }
            if !is_new {
                return Err("rustc fails, but not because of a model".to_owned());
            }
        }
    }

    /// Whether the crate is accepted, and the first message about each model.
    fn ask_rustc(&self) -> Result<(bool, BTreeMap<usize, String>), String> {
        let output = Command::new(env!("CARGO"))
            .args(["check", "--quiet", "--offline", "--message-format=json", "--manifest-path"])
            .arg(self.dir.join("Cargo.toml"))
            .env("CARGO_TARGET_DIR", self.dir.join("target"))
            .env_remove("RUSTFLAGS")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        let mut said = BTreeMap::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else { continue };
            let message = &message["message"];
            let spans = message["spans"].as_array().map_or(&[][..], |spans| &spans[..]);
            let models: BTreeSet<usize> =
                spans.iter().filter_map(|span| number_of(span["file_name"].as_str()?)).collect();
            for model in models {
                said.entry(model).or_insert_with(|| message["rendered"].as_str().unwrap_or_default().to_owned());
            }
        }
        if !output.status.success() && said.is_empty() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok((output.status.success(), said))
    }
}

/// `src/m12/state.rs` belongs to model 12.
fn number_of(file: &str) -> Option<usize> {
    file.strip_prefix("src/m")?.split('/').next()?.parse().ok()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Does not touch a file that is up to date, so that cargo does not build again.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let shown = |error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(shown)?;
    fs::write(path, text).map_err(shown)
}
