//! Makes the parser from the grammar.

fn main() {
    // The runtime's sources travel inside the program. A link of the repository is a folder in a package.
    println!("cargo:rerun-if-changed=embedded/runtime");
    println!("cargo:rerun-if-changed=embedded/templates");
    // For reports of errors.
    let rustc = std::process::Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    println!("cargo:rustc-env=PMC_BUILT_BY={}", version(rustc).unwrap_or_default());
    println!("cargo:rustc-env=PMC_BUILT_FOR={}", std::env::var("TARGET").unwrap_or_default());
    lalrpop::Configuration::new()
        .use_cargo_dir_conventions()
        .emit_rerun_directives(true)
        .process()
        .expect("the grammar is well formed");
}

/// What a compiler says of itself.
fn version(mut rustc: std::process::Command) -> Option<String> {
    let said = rustc.arg("--version").output().ok()?.stdout;
    String::from_utf8(said).ok()?.lines().next().map(str::to_owned)
}
