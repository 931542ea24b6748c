//! `pmc --version --verbose`: what a report of an error should name.

use super::cache::cache_dir;

/// The text, if the arguments ask for it.
pub fn asked(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> Option<String> {
    let arguments: Vec<_> = arguments.into_iter().skip(1).collect();
    let has = |names: [&str; 2]| arguments.iter().any(|argument| names.iter().any(|name| argument == name));
    (arguments.len() == 2 && has(["--version", "-V"]) && has(["--verbose", "-v"])).then(text)
}

fn text() -> String {
    let cargo = which::which("cargo").map_or_else(|_| "none".to_owned(), |path| path.display().to_string());
    let cache = cache_dir().map_or_else(|| "none".to_owned(), |path| path.display().to_string());
    let cores = std::thread::available_parallelism().map_or_else(|_| "?".to_owned(), |n| n.to_string());
    format!(
        "pmc {}\nbuilt for: {}\nbuilt by: {}\nprofile: {}\nsystem: {} {}, {cores} cores\ncargo: {cargo}\ncache: {cache}\n",
        env!("CARGO_PKG_VERSION"),
        env!("PMC_BUILT_FOR"),
        env!("PMC_BUILT_BY"),
        if cfg!(debug_assertions) { "dev" } else { "release" },
        std::env::consts::OS,
        std::env::consts::ARCH,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_two_flags_ask_for_it() {
        let of = |line: &str| asked(line.split(' ').map(Into::into));
        assert_eq!((of("pmc --version"), of("pmc check --verbose --version"), of("pmc")), (None, None, None));
        for line in ["pmc --version --verbose", "pmc -V -v", "pmc --verbose --version"] {
            let text = of(line).expect("it is asked for");
            assert!(
                text.starts_with("pmc ") && text.contains("built by: rustc ") && text.lines().count() == 7,
                "{text}"
            );
        }
    }
}
