//! The numbers in a model that a smaller model can be had with: advice after a search that met a limit names them.

use std::path::Path;

use crate::cli::ModelArgs;
use crate::driver::Session;

/// More would be a list and not advice.
const MOST: usize = 3;

/// `-D N=2 (it is 3)`; nothing if the model has no such number.
pub fn of(model: &ModelArgs) -> Option<String> {
    // Standard input can be read only once, and so can a pipe.
    if model.path == Path::new("-") || !model.path.is_file() {
        return None;
    }
    let (_, text) = Session::open(&model.path, &model.options()).ok()?.name_and_text();
    in_text(&text, &model.define)
}

fn in_text(text: &str, defines: &[String]) -> Option<String> {
    let given = defines.iter().filter_map(|define| {
        let (name, value) = define.split_once('=')?;
        Some((name.to_owned(), large(value)?))
    });
    let mut numbers: Vec<(String, u32)> = given.collect();
    for (name, value) in guarded(text) {
        if !defines.iter().any(|define| define.split('=').next() == Some(name)) {
            numbers.push((name.to_owned(), value));
        }
    }
    let advice = numbers.iter().take(MOST).map(|(name, value)| format!("-D {name}={} (it is {value})", value - 1));
    let advice: Vec<String> = advice.collect();
    (!advice.is_empty()).then(|| advice.join(", "))
}

/// The macros that a command line can set: `#define N 3` right behind `#ifndef N`.
fn guarded(text: &str) -> impl Iterator<Item = (&str, u32)> {
    let lines = text.lines().map(str::trim);
    lines.clone().zip(lines.skip(1)).filter_map(|(guard, define)| {
        let name = directive(guard, "ifndef")?.trim();
        let value = directive(define, "define")?.trim().strip_prefix(name)?;
        let value = value.strip_prefix([' ', '\t'])?.split_whitespace().next()?;
        Some((name, large(value)?))
    })
}

/// What follows `#ifndef` or `# ifndef`.
fn directive<'t>(line: &'t str, word: &str) -> Option<&'t str> {
    line.strip_prefix('#')?.trim_start().strip_prefix(word)?.strip_prefix([' ', '\t'])
}

/// A number that can be smaller.
fn large(value: &str) -> Option<u32> {
    value.parse().ok().filter(|value| *value > 1)
}

#[cfg(test)]
mod tests {
    use super::in_text;

    #[test]
    fn numbers_that_the_command_line_can_set_are_found() {
        let text = "#ifndef N\n#define N 3\n#endif\n# ifndef Q\n#  define Q  4 /* slots */\n# endif\n#define FIXED 7\n";
        assert_eq!(in_text(text, &[]).as_deref(), Some("-D N=2 (it is 3), -D Q=3 (it is 4)"));
        let given = ["N=9".to_owned(), "FAST".to_owned(), "M=x".to_owned()];
        assert_eq!(in_text(text, &given).as_deref(), Some("-D N=8 (it is 9), -D Q=3 (it is 4)"));
        for text in ["", "#define N 3\n", "#ifndef N\n#define N 1\n#endif\n", "#ifndef N\n#define NN 5\n#endif\n"] {
            assert_eq!(in_text(text, &[]), None, "{text}");
        }
    }
}
