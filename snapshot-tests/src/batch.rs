//! Many verifiers in a few crates, so that a whole suite builds in a minute or two: every model is a module, and one
//! program contains all of them.
//!
//! All batches whose folders lie in one folder share a build of the runtime, in `shared` beside them: there are some
//! twenty batches in the tests, and the runtime takes longer than the models of most. It is the same build for all of them:
//! cargo would build the searches anew for another set of features, or with another profile.

use std::collections::BTreeMap;
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
use crate::interpreted::on_all_cores;

/// The searches that every batch asks for, whether its models need them or not. Those for states of another size are
/// compiled with the models that have it, without optimisation.
const USUAL_SEARCHES: [&str; 7] = ["bytes", "claims", "words1", "words2", "words3", "words4", "words5"];

/// What a crate with C brings along, as pmc writes it.
const BUILD_OF_C: &str = include_str!("../../templates/embedded-build.rs");
const GUARD_OF_C: &str = include_str!("../../templates/embedded-guard.c");

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

/// How rustc compiles the models. The searches are optimised a little in either case, since all batches share them.
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
    /// The program that contains each member.
    programs: BTreeMap<String, PathBuf>,
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
        write_runtime(&shared)?;
        // All programs lie in one folder, so the name of a crate contains that of its batch.
        let own = dir.file_name().and_then(|name| name.to_str()).ok_or("a batch needs a folder with a name")?;
        let mut programs = BTreeMap::new();
        let mut crates = Vec::new();
        for (n, members) in in_crates(members)?.into_iter().enumerate() {
            let name = format!("{own}_{n}");
            write_crate(&dir.join(&name), &name, &shared, &members)?;
            let program = shared.join("target/debug").join(&name);
            programs.extend(members.into_iter().map(|(member, _)| (member.name.clone(), program.clone())));
            crates.push(name);
        }
        write(&dir.join("Cargo.toml"), &profile.manifest(&crates))?;
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
        Ok(Batch { dir: dir.to_owned(), programs })
    }

    /// The program that contains this verifier, and its first argument.
    pub fn program<'n>(&self, name: &'n str) -> Result<(PathBuf, [&'n str; 1]), String> {
        let program = self.programs.get(name).ok_or_else(|| format!("{name} is not in the batch"))?;
        Ok((program.clone(), [name]))
    }

    /// Runs one verifier and returns its exit code and its output.
    pub fn run(&self, name: &str, flags: &[&str]) -> Result<(i32, String), String> {
        let (program, name) = self.program(name)?;
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
    /// The manifest of a workspace of these crates.
    fn manifest(self, crates: &[String]) -> String {
        let listed = crates.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        let optimised = |name: &String| {
            format!(
                "\n[profile.dev.package.{name}]\nopt-level = 3\noverflow-checks = false\ndebug-assertions = false\n"
            )
        };
        let own: String = match self {
            Self::Checked => String::new(),
            Self::Optimised => crates.iter().map(optimised).collect(),
        };
        let shared = "opt-level = 1\ncodegen-units = 2";
        format!(
            "[workspace]\nmembers = [{listed}]\nresolver = \"3\"\n\n\
             [profile.dev]\nopt-level = 0\ndebug = \"none\"\nincremental = false\n\n\
             [profile.dev.package.pmc-core]\n{shared}\n\n[profile.dev.package.pmc-searches]\n{shared}\n{own}"
        )
    }
}

/// The folder that a batch shares with those beside it: the sources of the runtime, and what cargo builds.
fn shared(dir: &Path) -> PathBuf {
    dir.with_file_name("shared")
}

/// Two test programs may run at once: neither may read what the other is writing.
fn write_runtime(shared: &Path) -> Result<(), String> {
    let lock = fs::create_dir_all(shared).and_then(|()| fs::File::create(shared.join("lock")));
    let lock = lock.and_then(|lock| lock.lock().map(|()| lock)).map_err(|error| error.to_string())?;
    let written = Package::runtime().write(&shared.join("runtime"));
    drop(lock);
    written.map(drop).map_err(|error| error.to_string())
}

/// Generates the members, and spreads them over crates. Those with states of one unusual size come into one crate, since
/// their searches are compiled there.
fn in_crates(members: &[Member]) -> Result<Vec<Vec<(&Member, Generated)>>, String> {
    let generated: Vec<Generated> = on_all_cores(members, generate).into_iter().collect::<Result<_, _>>()?;
    let mut made: Vec<(&Member, Generated)> = members.iter().zip(generated).collect();
    let is_usual = |generated: &Generated| USUAL_SEARCHES.contains(&&*generated.searches);
    made.sort_by(|(_, one), (_, other)| {
        let key = |generated: &Generated| (!is_usual(generated)).then(|| generated.searches.clone());
        key(one).cmp(&key(other))
    });
    let mut crates: Vec<Vec<(&Member, Generated)>> = (0..N_CRATES.min(members.len())).map(|_| Vec::new()).collect();
    let n_crates = crates.len();
    let (mut place, mut before) = (0, String::new());
    for (member, generated) in made {
        let follows = !is_usual(&generated) && generated.searches == before;
        place = if follows { place } else { (place + 1) % n_crates };
        before.clone_from(&generated.searches);
        crates[place].push((member, generated));
    }
    crates.retain(|members| !members.is_empty());
    Ok(crates)
}

fn write_crate(dir: &Path, name: &str, shared: &Path, members: &[(&Member, Generated)]) -> Result<(), String> {
    let mut arms = String::new();
    let mut of_c: Vec<String> = Vec::new();
    for (member, generated) in members {
        let (name, size) = (&member.name, &generated.searches);
        arms += &format!(
            "        {name:?} => pmc_runtime::main_with(&{name}::Verifier, pmc_runtime::precompiled::{size}(), &args).into(),\n"
        );
        if generated.files.iter().any(|file| file.path == "embedded.c") {
            of_c.push(format!("{name}/embedded"));
        }
        for file in &generated.files {
            write(&dir.join("src").join(&member.name).join(&file.path), &file.text)?;
        }
    }
    if !of_c.is_empty() {
        of_c.push("embedded-guard".to_owned());
        let sources = format!("const SOURCES: [&str; {}] = {of_c:?};", of_c.len());
        write(
            &dir.join("build.rs"),
            &BUILD_OF_C.replace("const SOURCES: [&str; 2] = [\"embedded\", \"embedded-guard\"];", &sources),
        )?;
        write(&dir.join("src/embedded-guard.c"), GUARD_OF_C)?;
    }
    let manifest = format!(
        "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\npmc-runtime = {{ package = \"pmc-searches\", path = {:?}, features = {USUAL_SEARCHES:?} }}\n",
        shared.join("runtime/searches")
    );
    write(&dir.join("Cargo.toml"), &manifest)?;
    let module =
        |(member, _): &(&Member, Generated)| format!("#[allow(dead_code, unused_imports)]\nmod {};\n", member.name);
    let modules: String = members.iter().map(module).collect();
    let main = format!(
        "{modules}\nfn main() -> std::process::ExitCode {{\n    let mut args = std::env::args().skip(1);\n    \
         let name = args.next().unwrap_or_default();\n    let args: Vec<String> = args.collect();\n    match name.as_str() {{\n{arms}        \
         _ => std::process::ExitCode::from(102),\n    }}\n}}\n"
    );
    write(&dir.join("src/main.rs"), &main)
}

/// Parts of the names of C functions that Rust calls.
const BLOCKS: [&str; 3] = ["block", "value", "test"];

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
        if path.starts_with("embedded.") {
            // All C of a crate is one library.
            let text = BLOCKS.iter().fold(file.text.replace("crate::", &inside), |text, name| {
                text.replace(&format!("pmc_{name}_"), &format!("pmc_{}_{name}_", member.name))
            });
            return GeneratedFile { path, text };
        }
        let path = if path == "lib.rs" { "mod.rs".to_owned() } else { path };
        let text = file.text.replace("crate::", &inside).replace("pub use model::", "pub use self::model::");
        GeneratedFile { path, text }
    });
    Ok(Generated { files: moved.collect(), ..generated })
}
