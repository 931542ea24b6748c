//! Shortcuts between the states of a run.
//!
//! A depth-first run wanders: it often comes back near to where it was. From each state of the run a small breadth-first
//! search looks for later states of the run; the one that saves most steps is reached by that way instead.

use crate::pack::Packed;
use crate::system::{Mark, NoLimits, Point, Successors, System};
use std::collections::HashMap;

/// The states that each of the small searches may expand, from round to round.
const WIDTHS: [usize; 4] = [4, 32, 256, 2048];

/// The same violation after fewer states: the run ends where it ended. At most so many states are expanded.
pub(super) fn take<P: Packed>(
    system: &mut dyn System<P>,
    run: Vec<Point<P>>,
    mut n_expansions: u64,
    is_over: &dyn Fn() -> bool,
) -> Vec<Point<P>> {
    let mut run = run;
    for width in WIDTHS {
        loop {
            let n_before = run.len();
            let needed = n_before as u64 * width as u64;
            if needed > n_expansions || is_over() {
                return run;
            }
            n_expansions -= needed;
            run = round(system, run, width);
            if run.len() == n_before {
                break;
            }
        }
    }
    run
}

/// Walks along the run, and takes each shortcut that it finds.
fn round<P: Packed>(system: &mut dyn System<P>, run: Vec<Point<P>>, width: usize) -> Vec<Point<P>> {
    // The last position of a state counts; of different states with one hash any.
    let positions = Positions::of(&mut run.iter().map(|point| point.packed.hash()));
    let position_of = |point: &Point<P>| {
        let position = positions.get(point.packed.hash())?;
        (run[position] == *point).then_some(position)
    };
    let mut shorter = Vec::new();
    let mut at = 0;
    while let Some(point) = run.get(at) {
        shorter.push(point.clone());
        at = match shortcut(system, point, at, width, &position_of) {
            Some((between, to)) => {
                shorter.extend(between);
                to
            }
            None => at + 1,
        };
    }
    shorter
}

/// Where the state with a hash is. It is not generic, so that the map is compiled once and not for each form of states.
struct Positions(HashMap<u64, usize>);

impl Positions {
    fn of(hashes: &mut dyn Iterator<Item = u64>) -> Positions {
        Positions(hashes.zip(0..).collect())
    }

    fn get(&self, hash: u64) -> Option<usize> {
        self.0.get(&hash).copied()
    }

    /// Returns whether the hash is new.
    fn insert(&mut self, hash: u64, position: usize) -> bool {
        self.0.insert(hash, position).is_none()
    }
}

/// A state that a small search has found, and where it came from.
struct Reached<P> {
    point: Point<P>,
    parent: usize,
    distance: usize,
}

/// The way from the state at one position of the run to a later one with the most states saved: the states between, and
/// the position.
fn shortcut<P: Packed>(
    system: &mut dyn System<P>,
    from: &Point<P>,
    at: usize,
    width: usize,
    position_of: &dyn Fn(&Point<P>) -> Option<usize>,
) -> Option<(Vec<Point<P>>, usize)> {
    let mut reached = vec![Reached { point: from.clone(), parent: 0, distance: 0 }];
    // By hash alone: a state that is taken for another one only hides a shortcut.
    let mut seen = Positions::of(&mut [from.packed.hash()].into_iter());
    let mut best: Option<(usize, usize, usize)> = None;
    let mut successors = Successors::new();
    for next in 0..width {
        let Some(Reached { point, distance, .. }) = reached.get(next) else { break };
        let distance = distance + 1;
        successors.truncate(Mark::default());
        system.expand(&point.packed, point.hidden, usize::MAX, &mut successors, &mut NoLimits);
        for (number, arrival) in successors.arrivals.iter().enumerate() {
            if !seen.insert(arrival.hash, reached.len()) {
                continue;
            }
            let mut point = Point { packed: P::default(), hidden: arrival.hidden };
            successors.read(number, &mut point.packed);
            let to = position_of(&point);
            reached.push(Reached { point, parent: next, distance });
            if let Some(to) = to
                && let Some(saved) = to.checked_sub(at + distance).filter(|saved| *saved > 0)
                && best.is_none_or(|(most, ..)| saved > most)
            {
                best = Some((saved, to, reached.len() - 1));
            }
        }
    }
    let (_, to, last) = best?;
    let mut between = Vec::new();
    let mut number = reached[last].parent;
    while number != 0 {
        between.push(reached[number].point.clone());
        number = reached[number].parent;
    }
    between.reverse();
    Some((between, to))
}
