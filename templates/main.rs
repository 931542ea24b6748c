//! The verifier as a program.
//!
//! Made by pmc; changes will be lost.

fn main() -> std::process::ExitCode {
    verifier::main()
}
