//! Makes the parser from the grammar.

fn main() {
    // The runtime's sources travel inside the program.
    println!("cargo:rerun-if-changed=../runtime/src");
    println!("cargo:rerun-if-changed=../templates");
    lalrpop::Configuration::new()
        .use_cargo_dir_conventions()
        .emit_rerun_directives(true)
        .process()
        .expect("the grammar is well formed");
}
