//! The runtime that every verifier contains: its sources without their tests.
//!
//! The build of a verifier does not run the tests of the runtime, and its readers look for the model.

use include_dir::{Dir, include_dir};

static RUNTIME: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/embedded/runtime");

/// The line before every module that is compiled for tests only.
const MARK: &str = "#[cfg(test)]";

/// The sources below `src/`, by their path there, with `/`.
pub fn sources() -> Vec<(String, String)> {
    let all = all_sources();
    let mut test_modules: Vec<String> = Vec::new();
    let mut sources: Vec<(String, String)> = Vec::new();
    for (path, text) in all {
        let stripped = strip(&text);
        let folder = module_folder(&path);
        test_modules.extend(stripped.test_modules.iter().map(|name| format!("{folder}{name}")));
        sources.push((path, stripped.text));
    }
    sources.retain(|(path, _)| {
        let is_inside = |module: &String| {
            path.strip_prefix(module.as_str()).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        };
        !test_modules.iter().any(is_inside)
    });
    sources.sort();
    sources
}

/// The sources as they are.
fn all_sources() -> Vec<(String, String)> {
    let mut sources = Vec::new();
    let mut dirs = vec![&RUNTIME];
    while let Some(dir) = dirs.pop() {
        dirs.extend(dir.dirs());
        for file in dir.files() {
            if let (Some(path), Some(text)) = (file.path().to_str(), file.contents_utf8())
                && path.ends_with(".rs")
            {
                sources.push((path.replace('\\', "/"), text.to_owned()));
            }
        }
    }
    sources
}

/// Where the modules of a file are: `search/` for `search/mod.rs` and for `search.rs`, nothing for the root of a crate.
fn module_folder(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    match name {
        "lib.rs" | "core.rs" if folder.is_empty() => folder,
        "mod.rs" => folder,
        name => format!("{folder}{}/", name.trim_end_matches(".rs")),
    }
}

/// A source without its test modules.
struct Stripped {
    text: String,
    /// Test modules with a file of their own.
    test_modules: Vec<String>,
}

/// Removes the test modules of a file. The sources are formatted, so that a module ends with the first brace at the
/// beginning of a line.
fn strip(text: &str) -> Stripped {
    let mut stripped = Stripped { text: String::new(), test_modules: Vec::new() };
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let module = lines.peek().filter(|_| line == MARK).and_then(|next| module_name(next));
        let Some((name, has_file)) = module else {
            stripped.text.push_str(line);
            stripped.text.push('\n');
            continue;
        };
        if has_file {
            stripped.test_modules.push(name.to_owned());
            lines.next();
        } else {
            lines.by_ref().find(|line| *line == "}");
        }
    }
    let end = stripped.text.trim_end().len();
    stripped.text.truncate(end);
    stripped.text.push('\n');
    stripped
}

/// The name of the module that a line declares, and whether it has a file of its own.
fn module_name(line: &str) -> Option<(&str, bool)> {
    let visible = line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub ")).unwrap_or(line);
    let module = visible.strip_prefix("mod ")?;
    match module.strip_suffix(';') {
        Some(name) => Some((name, true)),
        None => module.strip_suffix(" {").map(|name| (name, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_modules_are_left_out_with_their_files() {
        let text = "mod a;\n#[cfg(test)]\nmod b;\n\n#[cfg(test)]\nfn c() {}\n\n#[cfg(test)]\nmod tests {\n    fn d() {\n    }\n}\n";
        let Stripped { text, test_modules } = strip(text);
        assert_eq!(text, "mod a;\n\n#[cfg(test)]\nfn c() {}\n");
        assert_eq!(test_modules, ["b"]);
        assert_eq!(
            ["lib.rs", "core.rs", "a.rs", "a/mod.rs", "a/b.rs"].map(module_folder),
            ["", "", "a/", "a/", "a/b/"]
        );
    }

    #[test]
    fn no_source_of_the_runtime_has_tests_and_each_is_whole() {
        let (all, sources) = (all_sources(), sources());
        assert!(sources.len() < all.len() && sources.iter().any(|(path, _)| path == "lib.rs"));
        for (path, text) in &sources {
            assert!(text.lines().all(|line| line.trim() != "#[test]"), "{path}");
            let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
            // Every module that has a file still has it.
            for item in &file.items {
                if let syn::Item::Mod(syn::ItemMod { ident, content: None, .. }) = item {
                    let module = format!("{}{ident}", module_folder(path));
                    let files = [format!("{module}.rs"), format!("{module}/mod.rs")];
                    assert!(sources.iter().any(|(other, _)| files.contains(other)), "{path}: {ident}");
                }
            }
        }
        let n_lines =
            |sources: &[(String, String)]| sources.iter().map(|(_, text)| text.lines().count()).sum::<usize>();
        assert!(n_lines(&sources) + 3000 < n_lines(&all), "{} of {}", n_lines(&sources), n_lines(&all));
    }
}
