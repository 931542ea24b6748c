//! The verifier as a program.
//!
//! Made by pmc; changes will be lost.

fn main() -> std::process::ExitCode {
    pmc_runtime::main(verifier::Verifier)
}
