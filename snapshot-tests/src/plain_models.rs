//! Models with timers as plain Promela: what `pmc expand --spin` writes counts and judges as the timed model does, in pmc
//! and in Spin.

use std::path::Path;

use pmc::diagnostic::render::render;
use pmc::driver::{self, Options, Session, Simplify, on_large_stack};
use pmc::syntax::print;

use crate::engine::{Engine, Figures};
use crate::interpret::{self, explore};
use crate::interpreted::Interpreted;
use crate::load::load_text;
use crate::questions::{Answer, Question, Subject, answers, questions};
use crate::spin;

/// The plain version of a model on the disk; why there is none.
pub fn plain_file(path: &Path, defines: &[String]) -> Result<String, String> {
    let options = Options { defines: defines.to_vec(), ..Options::default() };
    plain(|| Session::open(path, &options))
}

/// The same of a model in memory.
pub fn plain_text(text: &str) -> Result<String, String> {
    plain(|| Session::from_text("model.pml", text.to_owned(), &Options::default()))
}

fn plain(session: impl FnOnce() -> Result<Session, driver::Error> + Send) -> Result<String, String> {
    let done = on_large_stack(|| {
        let mut session = session().map_err(|error| error.to_string())?;
        let file = session.parse_for_spin();
        let message = |_| render(&session.sources, &session.diagnostics, Default::default());
        file.map(|file| print::file(&file)).map_err(message)
    });
    done.map_err(|error| error.to_string())?
}

/// The figures of every state and every transition in the interpreter of pmc.
pub fn figures(text: &str) -> Result<Figures, String> {
    let options = Options { simplify: Simplify::NONE, ..Options::default() };
    let flags = ["--safety", "--no-reduction", "--search", "dfs", "--all-errors"];
    Interpreted::with_text("model", text, &options, |engine| engine.figures("model", &flags))
}

/// A random timed model whose processes leave no timer on, as plain Promela wants it. Nothing if it is too large, or if
/// plain Promela cannot say what it says.
pub struct Compared {
    pub plain: String,
    /// Of the timed model.
    pub figures: Figures,
    /// What the explicit product says about formulas and zero-time cycles.
    pub judged: Vec<(Question, Answer)>,
}

impl Compared {
    pub fn of(text: &str) -> Option<Self> {
        let loaded = load_text(text).ok()?;
        let limits = interpret::Options { max_states: 3_000, max_steps: 30_000, ..interpret::Options::default() };
        if !explore(&loaded.model, &limits).complete {
            return None;
        }
        let plain = plain_text(text).ok()?;
        let questions = questions(&loaded.model);
        let answers = answers(&loaded.model, &questions, &limits).ok()?;
        let judged = questions.into_iter().zip(answers).collect();
        Some(Self { plain, figures: figures(text).ok()?, judged })
    }

    /// pmc counts the same in the plain version.
    pub fn check_in_pmc(&self) -> Result<(), String> {
        let found = figures(&self.plain)?;
        if found == self.figures { Ok(()) } else { Err(format!("plain {found:?}, timed {:?}", self.figures)) }
    }

    /// Spin counts and judges the same. Returns to how many questions about infinite runs; nothing if it cannot search the
    /// model: it wants no `do` in front of a `d_step`, and a cycle inside an `atomic` has no end for it.
    pub fn check_in_spin(&self) -> Result<Option<usize>, String> {
        match spin::exact_figures(&self.plain) {
            Ok(found) => same_counts(&self.plain, self.figures, found)?,
            Err(_) => return Ok(None),
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (mut with_claims, mut with_ticks) = (None, None);
        let mut n_judged = 0;
        let stands_still = self.judged.iter().any(|(asked, answer)| asked.subject == Subject::Zeno && answer.violated);
        for (question, answer) in &self.judged {
            // Under fairness Spin counts a run that ends, whatever it is built with.
            if question.subject == Subject::Zeno && question.fair && !stands_still {
                continue;
            }
            let built = match question.subject {
                Subject::Claim(_) => &mut with_claims,
                Subject::Zeno => &mut with_ticks,
                Subject::Acceptance | Subject::Progress => continue,
            };
            // Assertions are no part of these questions.
            let (name, text, cc_flags, mut pan_flags) = match &question.subject {
                Subject::Claim(name) => ("claims", self.plain.clone(), "", format!("-a -A -N {name}")),
                // A run that ends is no run in which time stands still.
                _ => ("ticks", ticks_in_a_formula(&self.plain), "-DNOSTUTTER", "-a -A -N passes".to_owned()),
            };
            let folder = folder.path().join(name);
            if built.is_none() {
                std::fs::create_dir(&folder).map_err(|error| error.to_string())?;
                let path = folder.join("model.pml");
                std::fs::write(&path, text).map_err(|error| error.to_string())?;
                let cc_flags = format!("-DNOREDUCE -DNFAIR=3 {cc_flags}");
                spin::build(&path, &folder, "-a -o1 -o2 -o3", &cc_flags).map_err(|error| format!("{error:?}"))?;
                *built = Some(());
            }
            pan_flags.push_str(if question.fair { " -f" } else { "" });
            pan_flags.push_str(" -m100000");
            let Ok(found) = spin::ask(&folder, &pan_flags) else { continue };
            n_judged += 1;
            let is_violated = found.errors > 0;
            // Where it asks for fairness, Spin does not count a run that ends.
            let is_of_endless_runs = question.fair && is_violated == answer.violated_without_ended;
            if is_violated != answer.violated && !is_of_endless_runs {
                return Err(format!("{question:?}: pan {pan_flags} found {found:?}\n{}", self.plain));
            }
        }
        Ok(Some(n_judged))
    }
}

/// Spin counts so many states, transitions and errors.
pub fn check_counts_in_spin(plain: &str, figures: Figures) -> Result<(), String> {
    same_counts(plain, figures, spin::exact_figures(plain).map_err(|error| format!("{error:?}\n{plain}"))?)
}

fn same_counts(plain: &str, figures: Figures, found: spin::Figures) -> Result<(), String> {
    let found = Figures { states: found.states, transitions: found.transitions, errors: found.errors };
    if found == figures { Ok(()) } else { Err(format!("Spin {found:?}, timed {figures:?}\n{plain}")) }
}

/// The plain version with a bit that each tick turns over, and the formula that time passes. (Asked for a cycle without
/// progress under fairness, pan -l -f, Spin misses some that it finds with a formula.)
pub fn ticks_in_a_formula(plain: &str) -> String {
    let without: String =
        plain.lines().filter(|line| !line.starts_with("ltl ")).map(|line| format!("{line}\n")).collect();
    let (before, clock) = without.split_once(":: d_step {").unwrap_or((&without, ""));
    let (tick, behind) = clock.split_once("\n\t\t}\n\tod").unwrap_or((clock, ""));
    format!(
        "bit ticked;\n{before}:: d_step {{{tick};\n\t\t\tticked = 1 - ticked\n\t\t}}\n\tod{behind}\n\
         ltl passes {{ [] ((<> ticked) && (<> !ticked)) }}\n"
    )
}
