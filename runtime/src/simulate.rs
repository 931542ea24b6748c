//! Runs a model once: at random, or as a person chooses.

use crate::dyn_model::{DynModel, DynState};
use crate::model::ModelInfo;
use crate::random::Random;
use crate::record::{Offer, offers};
use crate::reduction::Independence;
use crate::show::{Show, choice_line};
use crate::story::lines::{Layout, Lines, write_end, write_state};
use crate::story::{End, Narrator};
use crate::system::ModelSystems;
use crate::trail::{Move, Step, Trail};
use crate::verdict::{ExitCode, Found, ViolationKind};
use std::io::{self, BufRead, Write};
use std::path::PathBuf;

/// How to simulate.
#[derive(Clone, Debug)]
pub struct SimulateOptions {
    /// The seed of random choices.
    pub seed: u64,
    /// The most steps.
    pub max_steps: u64,
    /// Ask the user for each choice.
    pub interactive: bool,
    /// What to print.
    pub show: Show,
    /// Where the run is written as a trail.
    pub trail: Option<PathBuf>,
}

/// Returns `Violated` if the run contains a violation, else `Verified`, which only means that this one run contains
/// none.
pub fn simulate<M: Independence>(
    model: &M,
    options: &SimulateOptions,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> io::Result<ExitCode> {
    simulate_on(&ModelSystems::new(model), options, input, out)
}

pub(crate) fn simulate_on(
    dyn_model: &dyn DynModel,
    options: &SimulateOptions,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> io::Result<ExitCode> {
    let info = dyn_model.info();
    let dyn_state = match dyn_model.initial() {
        Ok(dyn_state) => dyn_state,
        Err(fault) => {
            writeln!(out, "{fault}")?;
            return Ok(ExitCode::Violated);
        }
    };
    let mut random = Random(options.seed);
    let layout = Layout { indent: "", dim: ("", ""), more: "", show: options.show };
    let narrator = Narrator::new(info, &dyn_state, info.abstract_time);
    let mut lines = Lines::new(info, layout);
    lines.widen(&narrator.processes);
    let mut run = Run { dyn_model, layout, dyn_state, narrator, lines, taken: Vec::new(), choices: Vec::new() };
    let ending = loop {
        match run.go_on(options, &mut random, input, out)? {
            Some(ending) if ending.may_be_undone && options.interactive && !run.choices.is_empty() => {
                run.lines.finish(&run.narrator.processes, out)?;
                writeln!(out, "{}", ending.words)?;
                if !asks_to_undo(input, out)? {
                    break ending;
                }
                run.undo(out)?;
            }
            Some(ending) => {
                run.lines.finish(&run.narrator.processes, out)?;
                writeln!(out, "{}", ending.words)?;
                break ending;
            }
            None => {}
        }
    };
    run.write_end(&ending, out)?;
    if let Some(path) = &options.trail {
        std::fs::write(path, format!("{}\n", run.trail(&ending).to_json(info)))?;
    }
    let is_violated = ending.is_violation || run.taken.iter().any(|taken| taken.violation.is_some());
    Ok(if is_violated { ExitCode::Violated } else { ExitCode::Verified })
}

/// Why a run goes no further.
struct Ending {
    words: &'static str,
    /// It ends in a state in which it should not.
    is_violation: bool,
    /// No step is possible.
    is_stuck: bool,
    may_be_undone: bool,
}

/// A step that was taken, and the first violation in it.
struct Taken {
    step: Step,
    violation: Option<Found>,
}

/// A run as far as it has come.
struct Run<'m> {
    dyn_model: &'m dyn DynModel,
    layout: Layout<'m>,
    dyn_state: DynState<'m>,
    narrator: Narrator<'m>,
    lines: Lines<'m>,
    taken: Vec<Taken>,
    /// The numbers of steps before each choice of a person.
    choices: Vec<usize>,
}

impl<'m> Run<'m> {
    /// Takes one step, or takes back the last choice. Returns the ending of the run if it has come to one.
    fn go_on(
        &mut self,
        options: &SimulateOptions,
        random: &mut Random,
        input: &mut dyn BufRead,
        out: &mut dyn Write,
    ) -> io::Result<Option<Ending>> {
        let end =
            |words, is_stuck, may_be_undone| Ok(Some(Ending { words, is_violation: false, is_stuck, may_be_undone }));
        if self.narrator.n_steps as u64 >= options.max_steps {
            return end("stopped at the limit of steps (--steps)", false, true);
        }
        let mut offers = offers(&mut self.dyn_state);
        if offers.is_empty() {
            if self.dyn_state.all_may_end() {
                return end("no step is possible", true, true);
            }
            let words = "error: invalid end state: no step is possible, and not all processes may end here";
            return Ok(Some(Ending { words, is_violation: true, is_stuck: true, may_be_undone: true }));
        }
        let choice = if options.interactive {
            self.lines.finish(&self.narrator.processes, out)?;
            match self.ask(&offers, random, input, out)? {
                Answer::Take(choice) => choice,
                Answer::Undo => {
                    self.undo(out)?;
                    return Ok(None);
                }
                Answer::Stop => return end("stopped", false, false),
            }
        } else {
            random.below(offers.len())
        };
        let offer = offers.swap_remove(choice);
        self.take(offer, out)
    }

    fn take(&mut self, offer: Offer<'m>, out: &mut dyn Write) -> io::Result<Option<Ending>> {
        self.narrator.failing = offer.violations.iter().find_map(|found| found.transition);
        for step in self.narrator.step(&offer) {
            self.lines.step(&step, &self.narrator.processes, out)?;
        }
        for found in &offer.violations {
            self.lines.finish(&self.narrator.processes, out)?;
            violation(self.dyn_model.info(), found, out)?;
        }
        for line in std::mem::take(&mut self.narrator.explanation) {
            writeln!(out, "  {line}")?;
        }
        self.taken.push(Taken { step: offer.step, violation: offer.violations.first().cloned() });
        match offer.next {
            Some(next) => {
                self.dyn_state = next;
                Ok(None)
            }
            None => Ok(Some(Ending {
                words: "the last step failed",
                is_violation: true,
                is_stuck: false,
                may_be_undone: true,
            })),
        }
    }

    /// Takes the last choice of the person back, and what followed it: the steps before it are taken again.
    fn undo(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(n_left) = self.choices.pop() else { return writeln!(out, "there is no choice to take back") };
        let n_steps = self.taken[..n_left].iter().filter(|taken| !taken.step.is_tick()).count();
        writeln!(out, "back to where {n_steps} steps were taken")?;
        let Ok(first) = self.dyn_model.initial() else { return Ok(()) };
        let info = self.dyn_model.info();
        self.narrator = Narrator::new(info, &first, info.abstract_time);
        self.lines = Lines::new(self.dyn_model.info(), self.layout);
        self.lines.widen(&self.narrator.processes);
        self.dyn_state = first;
        self.taken.truncate(n_left);
        for taken in &self.taken {
            let again = offers(&mut self.dyn_state).into_iter().find(|offer| offer.step == taken.step);
            let Some(offer) = again else { break };
            self.narrator.step(&offer);
            if let Some(next) = offer.next {
                self.dyn_state = next;
            }
        }
        self.narrator.explanation.clear();
        Ok(())
    }

    /// Lets the user choose. A single enabled step is taken without asking.
    fn ask(
        &mut self,
        offers: &[Offer<'_>],
        random: &mut Random,
        input: &mut dyn BufRead,
        out: &mut dyn Write,
    ) -> io::Result<Answer> {
        if offers.len() == 1 {
            return Ok(Answer::Take(0));
        }
        let info = self.narrator.info;
        let mut narrator = Narrator::new(info, &self.dyn_state, info.abstract_time);
        let told: Vec<_> = offers.iter().map(|offer| narrator.foretell(&self.dyn_state, offer)).collect();
        loop {
            for (n, (offer, told)) in offers.iter().zip(&told).enumerate() {
                let line = match offer.step.is_tick() {
                    true => self.narrator.tick_in_words(offer),
                    false => choice_line(self.narrator.info, |pid| self.narrator.label(pid), offer, told),
                };
                writeln!(out, "  {:2}  {line}", n + 1)?;
            }
            write!(out, "choose 1-{} (Enter: any, u: undo, s: show the state, q: stop): ", offers.len())?;
            out.flush()?;
            let Some(line) = read_answer(input, out)? else { return Ok(Answer::Stop) };
            let choice = match line.as_str() {
                "q" => return Ok(Answer::Stop),
                "u" => return Ok(Answer::Undo),
                "s" => {
                    self.write_state(out)?;
                    continue;
                }
                "" => random.below(offers.len()),
                number => match number.parse::<usize>() {
                    Ok(n) if (1..=offers.len()).contains(&n) => n - 1,
                    _ => {
                        writeln!(out, "`{number}` is no answer: one is a number, nothing, u, s or q")?;
                        continue;
                    }
                },
            };
            self.choices.push(self.taken.len());
            return Ok(Answer::Take(choice));
        }
    }

    fn write_end(&self, ending: &Ending, out: &mut dyn Write) -> io::Result<()> {
        let info = self.dyn_model.info();
        let blocked = match ending.is_stuck {
            true => self.narrator.blocked(&|pid| self.dyn_state.is_valid_end(pid)),
            false => Vec::new(),
        };
        let end = End { blocked, channels: self.narrator.channels(), ..End::default() };
        write_end(info, (&end, &self.narrator.processes), Layout { indent: "  ", ..self.layout }, out)?;
        writeln!(out, "the state at the end:")?;
        self.write_state(out)
    }

    fn write_state(&self, out: &mut dyn Write) -> io::Result<()> {
        let dyn_state = &self.dyn_state;
        let may_end = |process: usize| {
            dyn_state.pids().any(|pid| self.narrator.process(pid) == Some(process) && dyn_state.is_valid_end(pid))
        };
        write_state(self.dyn_model.info(), &self.narrator.state(), &self.narrator.processes, &may_end, out)
    }

    /// The run as a trail. A violation counts if it is where the run ends.
    fn trail(&self, ending: &Ending) -> Trail {
        let info = self.dyn_model.info();
        let moves = self.taken.iter().map(|taken| Move::from(taken.step)).collect();
        let found = self.taken.last().and_then(|taken| taken.violation.as_ref());
        let (kind, message) = match found {
            Some(found) => (found.kind.name(), violation_text(info, found)),
            None if ending.is_violation => (ViolationKind::InvalidEndState.name(), ending.words.to_owned()),
            None => ("none", ending.words.to_owned()),
        };
        Trail {
            model_hash: info.hash.to_owned(),
            abstract_time: info.abstract_time,
            moves,
            kind: kind.to_owned(),
            transition: found.and_then(|found| found.transition),
            message,
            ..Trail::default()
        }
    }
}

/// What a person answers.
enum Answer {
    Take(usize),
    Undo,
    Stop,
}

/// A line without blanks around it; none at the end of the input.
fn read_answer(input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<Option<String>> {
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        writeln!(out)?;
        return Ok(None);
    }
    Ok(Some(line.trim().to_owned()))
}

fn asks_to_undo(input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<bool> {
    write!(out, "u to take the last choice back, Enter to end: ")?;
    out.flush()?;
    Ok(read_answer(input, out)?.as_deref() == Some("u"))
}

fn violation_text(info: &ModelInfo<'_>, found: &Found) -> String {
    let text = found.transition.and_then(|id| info.transition(id)).map_or("", |transition| transition.text);
    match found.kind {
        ViolationKind::Fault(fault) => format!("{fault}: {text}"),
        kind => format!("{} violated: {text}", kind.name()),
    }
}

fn violation(info: &ModelInfo<'_>, found: &Found, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "error: {}", violation_text(info, found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::{Counters, Edge, Graph};

    fn options(interactive: bool) -> SimulateOptions {
        let show = Show { globals: true, locals: true, ..Show::default() };
        SimulateOptions { seed: 7, max_steps: 20, interactive, show, trail: None }
    }

    fn run<M: Independence>(model: &M, options: &SimulateOptions, input: &str) -> (String, ExitCode) {
        let mut out = Vec::new();
        let code = simulate(model, options, &mut input.as_bytes(), &mut out).unwrap();
        (String::from_utf8(out).unwrap(), code)
    }

    #[test]
    fn the_same_seed_gives_the_same_run() {
        let model = Counters { n: 3, limit: 9, bad: None };
        let (first, _) = run(&model, &options(false), "");
        assert_eq!(first, run(&model, &options(false), "").0);
        assert_ne!(first, run(&model, &SimulateOptions { seed: 8, ..options(false) }, "").0);
        assert!(first.contains("stopped at the limit of steps (--steps)\nthe state at the end:\n"), "{first}");
    }

    #[test]
    fn a_person_chooses() {
        let model = Graph::new(&[(0, 1, Edge::Plain), (0, 2, Edge::Bad), (2, 3, Edge::Hidden)], &[3]);
        let (text, code) = run(&model, &options(true), "9\n2\n");
        assert_eq!(code, ExitCode::Violated);
        let expected = "   1  walker  graph.pml:2  go
   2  walker  graph.pml:3  assert(good)
choose 1-2 (Enter: any, u: undo, s: show the state, q: stop): `9` is no answer: one is a number, nothing, u, s or q
   1  walker  graph.pml:2  go
   2  walker  graph.pml:3  assert(good)
choose 1-2 (Enter: any, u: undo, s: show the state, q: stop):     1  walker  graph.pml:3  assert(good)        at: 0 -> 2  <- here
error: assertion violated: assert(good)
    2  walker  graph.pml:2  go                  at: 2 -> 3
       prints: hidden 1
no step is possible
u to take the last choice back, Enter to end: 
the state at the end:
  at = 3
  walker is at graph.pml:1, where it may end
";
        assert_eq!(text, expected);
    }

    #[test]
    fn ticks_are_no_steps_of_a_run() {
        let model =
            Graph::new(&[(0, 1, Edge::Tick), (1, 2, Edge::Plain), (2, 3, Edge::Tick), (3, 4, Edge::Tick)], &[4]);
        let dir = std::env::temp_dir().join(format!("pmc-ticks-{}.json", std::process::id()));
        let options = SimulateOptions { max_steps: 1, trail: Some(dir.clone()), ..options(false) };
        let (text, code) = run(&model, &options, "");
        let trail = std::fs::read_to_string(&dir).unwrap();
        std::fs::remove_file(&dir).unwrap();
        assert_eq!((code, text.lines().next().unwrap().trim()), (ExitCode::Verified, "time 1"));
        let trail = Trail::from_json(&trail, crate::model::Model::info(&model)).unwrap();
        assert_eq!(trail.moves[0], Move::Tick(crate::trail::Passed::ONE));
        assert_eq!((trail.n_steps(), trail.n_ticks()), (1, 1));
    }

    #[test]
    fn to_get_stuck_is_an_error() {
        let (text, code) = run(&Graph::new(&[(0, 1, Edge::Plain)], &[]), &options(false), "");
        assert_eq!(code, ExitCode::Violated);
        assert!(text.contains("error: invalid end state") && !text.contains("where it may end"), "{text}");
    }

    #[test]
    fn a_choice_is_taken_back() {
        let model = Graph::new(&[(0, 1, Edge::Plain), (0, 2, Edge::Bad), (2, 3, Edge::Plain)], &[1, 3]);
        // The bad way to its end, back, the state, then the good way, although Enter would take any.
        let (text, code) = run(&model, &options(true), "u\n2\nu\ns\n1\n\n");
        assert_eq!(code, ExitCode::Verified, "what was taken back does not count: {text}");
        assert!(text.contains("there is no choice to take back"), "{text}");
        assert!(text.contains("back to where 0 steps were taken") && text.contains("at = 0"), "{text}");
        assert!(text.contains("at = 1"), "{text}");
        // Enter takes one of them.
        assert!(run(&model, &options(true), "\n").0.contains("no step is possible"));
    }

    #[test]
    fn a_run_can_be_kept_as_a_trail() {
        let folder = std::env::temp_dir().join(format!("pmc-simulated-{}", std::process::id()));
        let model = Graph::new(&[(0, 1, Edge::Plain), (1, 2, Edge::Bad)], &[2]);
        let options = SimulateOptions { trail: Some(folder.clone()), ..options(false) };
        run(&model, &options, "");
        let text = std::fs::read_to_string(&folder).expect("the trail is written");
        std::fs::remove_file(&folder).expect("it is there");
        let trail = Trail::from_json(&text, crate::model::Model::info(&model)).expect("a good trail");
        assert_eq!((trail.n_steps(), &*trail.kind), (2, "assertion"));
        let mut out = Vec::new();
        crate::replay::replay(&model, &trail, Show::default(), &mut out).expect("the violation happens again");
    }

    #[test]
    fn the_end_of_input_ends_the_run() {
        let model = Graph::new(&[(0, 1, Edge::Plain), (0, 2, Edge::Bad)], &[]);
        assert!(run(&model, &options(true), "").0.contains("stopped"));
    }
}
