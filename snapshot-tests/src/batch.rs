//! Many verifiers in a few crates, so that a whole suite builds in a minute or two: every model is a module, and one
//! program contains all of them.
//!
//! All batches whose folders lie in one folder share a build of the runtime, in `shared` beside them: there are some
//! twenty batches in the tests, and the runtime takes longer than the models of most.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pmc::codegen::{Generated, GeneratedFile};
use pmc::driver::{Options, Session, on_large_stack};
use pmc::package::Package;

use crate::building::write;
use crate::directives::with_lints;
use crate::engine::Engine;
pub use crate::engine::Figures;

/// The searches that every batch asks for, whether its models need them or not: cargo builds the runtime anew for each
/// set of features.
const USUAL_SEARCHES: [&str; 7] = ["bytes", "claims", "words1", "words2", "words3", "words4", "words5"];

/// The number of crates that the models are spread over, so that several rustc can work at once.
const N_CRATES: usize = 8;

/// A model to be built.
#[derive(Clone, Debug)]
pub struct Member {
    /// A Rust identifier, unique in the batch.
    pub name: String,
    pub path: PathBuf,
    pub options: Options,
}

/// How rustc compiles the verifiers. The searches are worth optimising in either case, since many batches share them.
#[derive(Clone, Copy)]
enum Profile {
    /// Small models: most of the time goes into building them.
    Checked,
    /// Large models: the build takes longer, the run much less.
    Optimised,
}

/// Verifiers that have been built.
pub struct Batch {
    dir: PathBuf,
    crates: Vec<String>,
    members: Vec<String>,
}

impl Batch {
    /// Generates and builds. A model that does not compile is an error of the whole batch.
    pub fn build(dir: &Path, members: &[Member]) -> Result<Batch, String> {
        Self::build_with(dir, members, Profile::Checked)
    }

    /// The same for large models: the build takes longer, the run much less.
    pub fn build_optimised(dir: &Path, members: &[Member]) -> Result<Batch, String> {
        Self::build_with(dir, members, Profile::Optimised)
    }

    fn build_with(dir: &Path, members: &[Member], profile: Profile) -> Result<Batch, String> {
        let shared = shared(dir);
        Package::runtime().write(&shared.join("runtime")).map_err(|error| error.to_string())?;
        // All programs lie in one folder, so the name of a crate contains that of its batch.
        let own = dir.file_name().and_then(|name| name.to_str()).ok_or("a batch needs a folder with a name")?;
        let crates: Vec<String> = (0..N_CRATES.min(members.len())).map(|n| format!("{own}_{n}")).collect();
        let listed = crates.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        let profile = profile.manifest();
        write(&dir.join("Cargo.toml"), &format!("[workspace]\nmembers = [{listed}]\nresolver = \"3\"\n\n{profile}"))?;
        for (n, name) in crates.iter().enumerate() {
            let own: Vec<&Member> = members.iter().skip(n).step_by(crates.len()).collect();
            write_crate(&dir.join(name), name, &shared, &own)?;
        }
        let output = Command::new(env!("CARGO"))
            .args(["build", "--offline", "--keep-going", "--manifest-path"])
            .arg(dir.join("Cargo.toml"))
            .env("RUSTFLAGS", "-D warnings")
            .env("CARGO_TARGET_DIR", shared.join("target"))
            .output()
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let members = members.iter().map(|member| member.name.clone()).collect();
        Ok(Batch { dir: dir.to_owned(), crates, members })
    }

    /// The program that contains this verifier, and its first argument.
    pub fn program<'n>(&self, name: &'n str) -> (PathBuf, [&'n str; 1]) {
        let place = self.members.iter().position(|member| member == name).unwrap_or(0);
        (shared(&self.dir).join("target/debug").join(&self.crates[place % self.crates.len()]), [name])
    }

    /// Runs one verifier and returns its exit code and its output.
    pub fn run(&self, name: &str, flags: &[&str]) -> Result<(i32, String), String> {
        if !self.members.iter().any(|member| member == name) {
            return Err("no such model".to_owned());
        }
        let (program, name) = self.program(name);
        let work = self.work();
        fs::create_dir_all(&work).map_err(|error| error.to_string())?;
        let output = Command::new(&program)
            .args(name)
            .args(flags)
            .current_dir(&work)
            .output()
            .map_err(|error| error.to_string())?;
        let code = output.status.code().ok_or_else(|| format!("{} was killed", name[0]))?;
        if code == 101 {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok((code, String::from_utf8_lossy(&output.stdout).into_owned()))
    }

    /// The folder where verifiers run, and write their trails.
    pub fn work(&self) -> PathBuf {
        self.dir.join("work")
    }

    /// Runs one verifier and returns its JSON report.
    pub fn report(&self, name: &str, flags: &[&str]) -> Result<serde_json::Value, String> {
        Engine::report(self, name, flags)
    }

    /// The same with its own trail, which no other test writes at the same time.
    pub fn report_and_trail(&self, name: &str, flags: &[&str], trail: &str) -> Result<serde_json::Value, String> {
        Engine::report_and_trail(self, name, flags, trail)
    }

    /// Runs one verifier and returns the figures of its report.
    pub fn figures(&self, name: &str, flags: &[&str]) -> Result<Figures, String> {
        Engine::figures(self, name, flags)
    }
}

impl Engine for Batch {
    fn run(&self, name: &str, flags: &[&str]) -> Result<(i32, String), String> {
        Batch::run(self, name, flags)
    }

    fn work(&self) -> PathBuf {
        Batch::work(self)
    }
}

impl Profile {
    /// The profile in the manifest of a workspace.
    fn manifest(self) -> String {
        let (models, searches) = match self {
            Self::Checked => ("opt-level = 0", "opt-level = 1"),
            Self::Optimised => ("opt-level = 3\noverflow-checks = false\ndebug-assertions = false", "opt-level = 3"),
        };
        format!(
            "[profile.dev]\n{models}\ndebug = \"none\"\nincremental = false\n\n\
             [profile.dev.package.pmc-core]\n{searches}\n\n[profile.dev.package.pmc-searches]\n{searches}\n"
        )
    }
}

/// The folder that a batch shares with those beside it: the sources of the runtime, and what cargo builds.
fn shared(dir: &Path) -> PathBuf {
    dir.with_file_name("shared")
}

fn write_crate(dir: &Path, name: &str, shared: &Path, members: &[&Member]) -> Result<(), String> {
    let mut searches: BTreeSet<String> = USUAL_SEARCHES.map(str::to_owned).into();
    let mut arms = String::new();
    for member in members {
        let generated = generate(member)?;
        let (name, size) = (&member.name, &generated.searches);
        arms += &format!(
            "        {name:?} => pmc_runtime::main_with(&{name}::Verifier, pmc_runtime::precompiled::{size}(), &args).into(),\n"
        );
        searches.extend(generated.features().into_iter().map(str::to_owned));
        for file in generated.files {
            write(&dir.join("src").join(&member.name).join(file.path), &file.text)?;
        }
    }
    // The searches are compiled once for all crates of the batch, and, without those of unusual sizes, for all batches.
    let searches: Vec<String> = searches.into_iter().collect();
    let manifest = format!(
        "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\npmc-runtime = {{ package = \"pmc-searches\", path = {:?}, features = {searches:?} }}\n",
        shared.join("runtime/searches")
    );
    write(&dir.join("Cargo.toml"), &manifest)?;
    let modules: String =
        members.iter().map(|member| format!("#[allow(dead_code, unused_imports)]\nmod {};\n", member.name)).collect();
    let main = format!(
        "{modules}\nfn main() -> std::process::ExitCode {{\n    let mut args = std::env::args().skip(1);\n    \
         let name = args.next().unwrap_or_default();\n    let args: Vec<String> = args.collect();\n    match name.as_str() {{\n{arms}        \
         _ => std::process::ExitCode::from(102),\n    }}\n}}\n"
    );
    write(&dir.join("src/main.rs"), &main)
}

/// The files of a verifier as those of a module: `lib.rs` is its `mod.rs`, and
/// the crate is the module.
fn generate(member: &Member) -> Result<Generated, String> {
    let generated = on_large_stack(|| {
        let bytes = fs::read(&member.path).map_err(|error| error.to_string())?;
        let options = with_lints(&member.options, &String::from_utf8_lossy(&bytes));
        let mut session = Session::open(&member.path, &options).map_err(|error| error.to_string())?;
        session.generate().map_err(|_| format!("{}: {:?}", member.name, session.diagnostics))
    });
    let generated = generated.map_err(|error| format!("{}: {error}", member.name))??;
    let inside = format!("crate::{}::", member.name);
    let moved = generated.files.into_iter().map(|file| {
        let path = file.path.trim_start_matches("src/").to_owned();
        let path = if path == "lib.rs" { "mod.rs".to_owned() } else { path };
        let text = file.text.replace("crate::", &inside).replace("pub use model::", "pub use self::model::");
        GeneratedFile { path, text }
    });
    Ok(Generated { files: moved.collect(), ..generated })
}
