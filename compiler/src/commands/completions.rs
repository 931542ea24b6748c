//! `pmc completions`: what a shell needs to complete our flags, and in bash the names of formulas.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{ExitStatus, print};
use crate::cli::{Cli, CompletionsArgs};
use crate::driver::{Error, Options, Session};

/// Asks pmc for the names of formulas behind `--ltl`, and leaves everything else to the script above. To bash, the `=` of
/// `--ltl=name` is a word of its own.
const CLAIMS_IN_BASH: &str = r#"
_pmc_with_claims() {
    local cur="${COMP_WORDS[COMP_CWORD]}" at=$((COMP_CWORD - 1))
    if [[ "$cur" == "=" ]]; then
        cur=""
    elif [[ "${COMP_WORDS[at]}" == "=" ]]; then
        at=$((at - 1))
    fi
    if [[ "${COMP_WORDS[at]}" == "--ltl" ]]; then
        local names
        names="$("$1" completions --claims -- "${COMP_WORDS[@]:1:at-1}" "${COMP_WORDS[@]:COMP_CWORD+1}" 2>/dev/null)"
        COMPREPLY=($(compgen -W "$names" -- "$cur"))
        return 0
    fi
    _pmc "$@"
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _pmc_with_claims -o nosort -o bashdefault -o default pmc
else
    complete -F _pmc_with_claims -o bashdefault -o default pmc
fi
"#;

pub fn run(arguments: &CompletionsArgs) -> Result<ExitStatus, Error> {
    let Some(shell) = arguments.shell else {
        let names: String = claims(&arguments.words).iter().map(|name| format!("{name}\n")).collect();
        return print(&names).map(|()| ExitStatus::Fine);
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "pmc", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Bash {
        script.push_str(CLAIMS_IN_BASH);
    }
    print(&script)?;
    Ok(ExitStatus::Fine)
}

/// The names of the formulas and claims of all models among the words of a command line, which need not be complete.
/// Whatever is wrong with it, there is something to complete or nothing, and never a message.
fn claims(words: &[OsString]) -> Vec<String> {
    let mut options = Options::default();
    let mut models = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        // The value of a flag: the rest of the word, or the next one.
        let mut value = |flag: &str| {
            let rest = text.strip_prefix(flag)?;
            if rest.is_empty() {
                words.next().cloned()
            } else {
                Some(OsStr::new(rest.trim_start_matches('=')).to_owned())
            }
        };
        if let Some(define) = value("-D") {
            options.defines.push(define.to_string_lossy().into_owned());
        } else if let Some(folder) = value("-I") {
            options.include_dirs.push(folder.into());
        } else if let Some(file) = value("--claims") {
            options.claim_files.push(file.into());
        } else if let Some(formula) = value("--formula") {
            options.formulas.push(formula.to_string_lossy().into_owned());
        } else if Path::new(word).extension().is_some_and(|extension| extension == "pml") {
            models.push(word);
        }
    }
    let mut names: Vec<String> = Vec::new();
    for model in models {
        let Ok(mut session) = Session::open(Path::new(model), &options) else { continue };
        let model = session.resolve_in_part();
        let formulas = model.formulas.iter().map(|formula| &formula.name);
        names.extend(formulas.chain(model.never.iter().map(|claim| &claim.name)).map(ToString::to_string));
    }
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_claims_of_the_models_on_a_line_are_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("written");
            path.into_os_string()
        };
        let one = write("one.pml", "byte x;\n#ifdef MORE\nltl more { [] (x < 2) }\n#endif\nltl served { <> (x == 1) }");
        let broken = write("broken.pml", "ltl also { [] (y = 1 }\nltl there { [] true }\nbyte ;");
        let words = |line: &[&str]| line.iter().map(Into::into).collect::<Vec<OsString>>();
        let of = |line: &[&str], model: &OsString| claims(&[words(line), vec![model.clone()]].concat());
        assert_eq!(of(&["verify"], &one), ["served"]);
        assert_eq!(of(&["verify", "-DMORE"], &one), ["more", "served"]);
        assert_eq!(of(&["verify", "-D", "MORE", "--formula", "<> (x == 1)"], &one), ["formula_1", "more", "served"]);
        assert_eq!(of(&["verify"], &broken), ["there"]);
        assert_eq!(claims(&words(&["verify", "missing.pml", "-D"])), Vec::<String>::new());
    }
}
