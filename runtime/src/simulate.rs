//! Runs a model once: at random, or as a person chooses.

use crate::dyn_model::DynModel;
use crate::random::Random;
use crate::record::{Offer, offers};
use crate::reduction::Independence;
use crate::show::{Printer, Show, Snapshot, choice_line, process_statuses};
use crate::system::ModelSystems;
use crate::verdict::{ExitCode, Found, ViolationKind};
use std::io::{self, BufRead, Write};

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
    let mut printer = Printer { info: dyn_model.info(), show: options.show, out, n_steps: 0, left_out: Vec::new() };
    let mut random = Random(options.seed);
    let mut dyn_state = match dyn_model.initial() {
        Ok(dyn_state) => dyn_state,
        Err(fault) => {
            writeln!(printer.out, "{fault}")?;
            return Ok(ExitCode::Violated);
        }
    };
    let mut code = ExitCode::Verified;
    let mut before = Snapshot::of(&dyn_state);
    let ending = loop {
        if printer.n_steps as u64 >= options.max_steps {
            break "step limit";
        }
        let mut offers = offers(&mut dyn_state);
        if offers.is_empty() {
            if dyn_state.all_may_end() {
                break "no step is possible";
            }
            code = ExitCode::Violated;
            break "error: invalid end state: no step is possible, and not all processes may end here";
        }
        let choice =
            if options.interactive { ask(&mut printer, &offers, input)? } else { Some(random.below(offers.len())) };
        let Some(choice) = choice else { break "stopped" };
        let offer = offers.swap_remove(choice);
        let after = offer.next.as_ref().map_or_else(|| before.clone(), Snapshot::of);
        printer.step(&offer, |pid| dyn_state.priority(pid), &before, &after)?;
        for found in &offer.violations {
            code = ExitCode::Violated;
            violation(&mut printer, found)?;
        }
        let Some(next) = offer.next else { break "the last step failed" };
        dyn_state = next;
        before = after;
    };
    writeln!(printer.out, "{ending}")?;
    printer.state(&before, &process_statuses(&dyn_state))?;
    Ok(code)
}

fn violation(printer: &mut Printer<'_>, found: &Found) -> io::Result<()> {
    let text = found.transition.and_then(|id| printer.info.transition(id)).map_or("", |transition| transition.text);
    match found.kind {
        ViolationKind::Fault(fault) => writeln!(printer.out, "error: {fault}: {text}"),
        kind => writeln!(printer.out, "error: {} violated: {text}", kind.name()),
    }
}

/// Lets the user choose; `None` ends the run. A single enabled step is taken without asking.
fn ask(printer: &mut Printer<'_>, offers: &[Offer<'_>], input: &mut dyn BufRead) -> io::Result<Option<usize>> {
    if offers.len() == 1 {
        return Ok(Some(0));
    }
    loop {
        for (n, offer) in offers.iter().enumerate() {
            writeln!(printer.out, "  {:2}  {}", n + 1, choice_line(printer.info, offer))?;
        }
        write!(printer.out, "choose 1-{}, or q to stop: ", offers.len())?;
        printer.out.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 || line.trim() == "q" {
            writeln!(printer.out)?;
            return Ok(None);
        }
        match line.trim().parse::<usize>() {
            Ok(n) if (1..=offers.len()).contains(&n) => return Ok(Some(n - 1)),
            _ => writeln!(printer.out, "`{}` is none of them", line.trim())?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::{Counters, Edge, Graph};

    fn options(interactive: bool) -> SimulateOptions {
        let show = Show { globals: true, locals: true, ..Show::default() };
        SimulateOptions { seed: 7, max_steps: 20, interactive, show }
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
        assert!(first.contains("step limit\n#processes: 3\n"), "{first}");
    }

    #[test]
    fn a_person_chooses() {
        let model = Graph::new(&[(0, 1, Edge::Plain), (0, 2, Edge::Bad), (2, 3, Edge::Hidden)], &[3]);
        let (text, code) = run(&model, &options(true), "9\n2\n");
        assert_eq!(code, ExitCode::Violated);
        let expected = "   1  proc  0 (walker) graph.pml:2 [go]
   2  proc  0 (walker) graph.pml:3 [assert(good)]
choose 1-2, or q to stop: `9` is none of them
   1  proc  0 (walker) graph.pml:2 [go]
   2  proc  0 (walker) graph.pml:3 [assert(good)]
choose 1-2, or q to stop:   1:\tproc  0 (walker:1) graph.pml:3 (state 0)\t[assert(good)]
\t\tat = 2
error: assertion violated: assert(good)
  2:\tproc  0 (walker:1) graph.pml:2 (state 0)\t[go]
      hidden 1
\t\tat = 3
no step is possible
#processes: 1
\t\tat = 3
  2:\tproc  0 (walker:1) graph.pml:1 (state 0) <valid end state>
";
        assert_eq!(text, expected);
    }

    #[test]
    fn to_get_stuck_is_an_error() {
        let (text, code) = run(&Graph::new(&[(0, 1, Edge::Plain)], &[]), &options(false), "");
        assert_eq!(code, ExitCode::Violated);
        assert!(text.contains("error: invalid end state") && !text.contains("<valid end state>"), "{text}");
    }

    #[test]
    fn the_end_of_input_ends_the_run() {
        let model = Graph::new(&[(0, 1, Edge::Plain), (0, 2, Edge::Bad)], &[]);
        assert!(run(&model, &options(true), "").0.contains("stopped"));
    }
}
