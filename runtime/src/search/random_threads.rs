//! Searches of infinite runs that leave out steps, against the naive answer: on random webs that are made of processes
//! with places of their own, one variable and handshakes.
//!
//! What the compiler would find out is computed here from the processes themselves. The claims can wait, but for one
//! kind, for which the choice must not depend on where the claim stands.

use super::control::Control;
use super::naive::{answer, check_run};
use super::tests::search_any;
use crate::limits::{Interrupt, Limits};
use crate::monitor::Silent;
use crate::options::{Algorithm, Ask, Liveness, Options, Proviso, Reduction};
use crate::property::Property;
use crate::reduction::{ReductionInfo, Visibility};
use crate::system::ModelSystems;
use crate::toy::web::{Arc, ClaimArc, END, Web, WebReduction, arc, claim_arc};
use crate::toy::{Random, check};

/// Places of one process at most.
const MOST_PLACES: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// Touches nothing that others see.
    Local,
    Set(usize),
    Await(usize),
    Send,
    Receive,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: usize,
    to: usize,
    action: Action,
}

#[derive(Debug)]
struct Threads {
    n_places: usize,
    programs: Vec<Vec<Edge>>,
}

/// What a claim or a label can be about.
#[derive(Clone, Copy, Debug)]
enum Fact {
    Value(usize),
    At(usize, usize),
}

fn random_threads(random: &mut Random) -> Threads {
    let n = 2 + random.below(2) as usize;
    let n_places = 2 + random.below(if n == 2 { 3 } else { 2 }) as usize;
    let edge = |random: &mut Random| {
        let action = match random.below(100) {
            0..58 => Action::Local,
            58..72 => Action::Set(random.below(2) as usize),
            72..84 => Action::Await(random.below(2) as usize),
            84..92 => Action::Send,
            _ => Action::Receive,
        };
        Edge { from: random.below(n_places as u64) as usize, to: random.below(n_places as u64) as usize, action }
    };
    let program = |_| (0..1 + random.below(n_places as u64 + 2)).map(|_| edge(random)).collect();
    let programs = (0..n).map(program).collect();
    Threads { n_places, programs }
}

fn random_fact(random: &mut Random, threads: &Threads) -> Fact {
    match random.below(2) {
        0 => Fact::Value(random.below(2) as usize),
        _ => Fact::At(random.below(2) as usize, random.below(threads.n_places as u64) as usize),
    }
}

impl Threads {
    fn n_nodes(&self) -> usize {
        2 * self.n_places.pow(self.programs.len() as u32)
    }

    /// The value of the variable, and where each process stands.
    fn decode(&self, mut node: usize) -> (usize, Vec<usize>) {
        let value = node % 2;
        node /= 2;
        let mut places = Vec::new();
        for _ in &self.programs {
            places.push(node % self.n_places);
            node /= self.n_places;
        }
        (value, places)
    }

    fn encode(&self, value: usize, places: &[usize]) -> u32 {
        let node = places.iter().rev().fold(0, |node, place| node * self.n_places + place);
        (2 * node + value) as u32
    }

    fn arcs(&self) -> Vec<Arc> {
        let mut arcs = Vec::new();
        for node in 0..self.n_nodes() {
            let (value, places) = self.decode(node);
            let open = |pid: usize| self.programs[pid].iter().filter(move |edge| edge.from == places[pid]).copied();
            for pid in 0..self.programs.len() {
                let (_, places) = self.decode(node);
                for edge in open.clone()(pid) {
                    let mut next = places.clone();
                    next[pid] = edge.to;
                    let (from, me) = (node as u32, pid as u8);
                    match edge.action {
                        Action::Local => arcs.push(arc(from, me, self.encode(value, &next))),
                        Action::Set(to) => arcs.push(arc(from, me, self.encode(to, &next))),
                        Action::Await(wanted) if wanted == value => {
                            arcs.push(arc(from, me, self.encode(value, &next)));
                        }
                        Action::Await(_) | Action::Receive => {}
                        Action::Send => {
                            for other in (0..self.programs.len()).filter(|&other| other != pid) {
                                for receive in open.clone()(other).filter(|edge| edge.action == Action::Receive) {
                                    let mut both = next.clone();
                                    both[other] = receive.to;
                                    let to = self.encode(value, &both);
                                    arcs.push(Arc { receiver: Some(other as u8), ..arc(from, me, to) });
                                }
                            }
                        }
                    }
                }
            }
        }
        arcs
    }

    fn nodes(&self, fact: Fact) -> u64 {
        let holds = |node: &usize| {
            let (value, places) = self.decode(*node);
            match fact {
                Fact::Value(wanted) => value == wanted,
                Fact::At(pid, place) => places[pid] == place,
            }
        };
        (0..self.n_nodes()).filter(holds).fold(0, |bits, node| bits | 1 << node)
    }

    fn edges_at(&self, pid: usize, place: usize) -> impl Iterator<Item = &Edge> {
        self.programs[pid].iter().filter(move |edge| edge.from == place)
    }

    /// Locations that satisfy a condition, as bits: those of the first process come first.
    fn locations(&self, is_in: impl Fn(usize, usize) -> bool) -> &'static [u64] {
        let places = (0..self.programs.len()).flat_map(|pid| (0..self.n_places).map(move |place| (pid, place)));
        let bits = places.filter(|&(pid, place)| is_in(pid, place));
        let bits = bits.fold(0_u64, |bits, (pid, place)| bits | 1 << (pid * MOST_PLACES + place));
        Box::leak(Box::new([bits]))
    }

    /// Where something is done that changes one of these facts.
    fn visible(&self, facts: &[Fact]) -> &'static [u64] {
        let shows = |pid: usize, edge: &Edge| {
            facts.iter().any(|fact| match *fact {
                Fact::Value(_) => matches!(edge.action, Action::Set(_)),
                Fact::At(who, place) => who == pid && (edge.from == place) != (edge.to == place),
            })
        };
        self.locations(|pid, place| self.edges_at(pid, place).any(|edge| shows(pid, edge)))
    }

    fn is_safe(&self, pid: usize, place: usize) -> [bool; 2] {
        let plain = self.edges_at(pid, place).all(|edge| edge.action == Action::Local);
        // Under fairness it matters whether somebody else can send, and so who is ready to receive.
        let is_ready = |edge: &Edge| self.edges_at(pid, edge.to).any(|next| next.action == Action::Receive);
        let others = self.programs.iter().enumerate().filter(|(other, _)| *other != pid);
        let is_awaited = others.flat_map(|(_, program)| program).any(|edge| edge.action == Action::Send);
        [plain, plain && !(is_awaited && self.edges_at(pid, place).any(is_ready))]
    }
}

/// A claim that does not notice when a state is repeated, and whether its automaton can wait.
fn random_claim(random: &mut Random, first: u64, second: u64) -> (Vec<ClaimArc>, bool) {
    let (all, not_first, not_second) = (u64::MAX, !first, !second);
    match random.below(7) {
        // From some time on only `first`.
        0 => (vec![claim_arc(0, 0, all), claim_arc(0, 2, first), claim_arc(2, 2, first)], true),
        // `first` again and again.
        1 => {
            let out = vec![claim_arc(0, 0, not_first), claim_arc(0, 2, first)];
            (out.into_iter().chain([claim_arc(2, 2, first), claim_arc(2, 0, not_first)]).collect(), true)
        }
        // At some time `first`, and from then on never `second`.
        2 => {
            let both = first & not_second;
            (vec![claim_arc(0, 0, all), claim_arc(0, 2, both), claim_arc(2, 2, not_second)], true)
        }
        // At some time both.
        3 => (vec![claim_arc(0, 0, all), claim_arc(0, END, first & second)], true),
        // `first` until `second`, with an end.
        4 => (vec![claim_arc(0, 0, first), claim_arc(0, END, second), claim_arc(1, 1, all)], true),
        // At some time `first`, from then on until `second`, with an end: the claim guesses the time.
        5 => {
            let out = vec![claim_arc(0, 0, all), claim_arc(0, 1, first), claim_arc(0, END, first & second)];
            (out.into_iter().chain([claim_arc(1, 1, first), claim_arc(1, END, second)]).collect(), true)
        }
        // Both again and again: it waits for one after the other, and is nowhere for long.
        _ => {
            let wait = |from| [claim_arc(from, 0, not_first), claim_arc(from, 1, first & not_second)];
            let mut arcs = vec![claim_arc(1, 1, not_second), claim_arc(1, 2, second)];
            arcs.extend([0, 2].into_iter().flat_map(wait));
            arcs.extend([claim_arc(0, 2, first & second), claim_arc(2, 2, first & second)]);
            (arcs, false)
        }
    }
}

fn random_web(random: &mut Random) -> Web {
    let threads = random_threads(random);
    let facts = [random_fact(random, &threads), random_fact(random, &threads)];
    let label = |random: &mut Random| Fact::At(0, random.below(threads.n_places as u64) as usize);
    let labels = [label(random), label(random)];
    let claim = random_claim(random, threads.nodes(facts[0]), threads.nodes(facts[1]));
    web(&threads, facts, labels, claim)
}

/// With an accept label and a progress label of the first process.
fn web(
    threads: &Threads,
    facts: [Fact; 2],
    [accept, progress]: [Fact; 2],
    (claim, is_stutter_robust): (Vec<ClaimArc>, bool),
) -> Web {
    let n = threads.programs.len();
    let notices = |facts: &[Fact], is_stutter_robust| Visibility {
        visible: threads.visible(facts),
        is_stutter_robust,
        ..Visibility::NOTHING
    };
    let with_label = [facts[0], facts[1], accept];
    let claim_alone = notices(&facts, is_stutter_robust);
    let claims = Box::leak(Box::new([claim_alone, notices(&with_label, is_stutter_robust), claim_alone]));
    let info = Box::leak(Box::new(ReductionInfo {
        off: None,
        sticky: threads.locations(|pid, place| threads.edges_at(pid, place).any(|edge| edge.to <= edge.from)),
        claims,
        acceptance: notices(&[accept], true),
        progress: notices(&[progress], true),
        ..ReductionInfo::UNKNOWN
    }));
    let mut web = Web::new(threads.n_nodes(), n as u8, threads.arcs());
    (web.accept, web.progress, web.claim) = (threads.nodes(accept), threads.nodes(progress), claim);
    let place = |pid: usize, place: usize| pid * MOST_PLACES + place;
    let standing = |node| threads.decode(node).1.into_iter().enumerate().map(|(pid, at)| place(pid, at)).collect();
    let is_safe = |number: usize| threads.is_safe(number / MOST_PLACES, number % MOST_PLACES);
    web.independence = Some(WebReduction {
        info,
        locations: (0..threads.n_nodes()).map(standing).collect(),
        is_safe: (0..n * MOST_PLACES).map(is_safe).collect(),
    });
    web
}

#[derive(Debug, Default)]
struct Tally {
    violated: [usize; 2],
    holds: [usize; 2],
    /// Searches that stored fewer states.
    smaller: [usize; 2],
}

/// One search: whether it finds something, and how many states it stores. Each finding is checked.
fn search(web: &Web, property: Property, options: &Options) -> (bool, u64) {
    let (interrupt, mut silent) = (Interrupt::new(), Silent);
    let mut control = Control::new(options, &interrupt, &mut silent);
    let systems = ModelSystems::new(web);
    let searched = search_any(&systems, property, &mut control).expect("this can be checked");
    for finding in &control.findings {
        check_run(web, property, options.fair, finding.found, &finding.moves, finding.cycle_start);
    }
    (control.errors > 0, searched.counts.states_stored)
}

fn check_web(web: &Web, seed: u64, tally: &mut Tally) {
    for property in [Property::Claim(0), Property::Claim(1), Property::Acceptance, Property::NonProgress] {
        let expected = answer(web, property);
        for fair in [false, true] {
            let expected = expected.wrong || if fair { expected.fair_cycle } else { expected.cycle };
            let count = if expected { &mut tally.violated } else { &mut tally.holds };
            count[usize::from(fair)] += 1;
            for (liveness, threads) in [(Liveness::Nested, 1), (Liveness::Components, 1), (Liveness::Nested, 3)] {
                let limits = Limits { memory: Some(1 << 30), ..Limits::default() };
                let whole =
                    Options { fair, liveness, threads, limits, reduction: Reduction::Off, ..Options::default() };
                let (_, n_states) = search(web, property, &whole);
                for proviso in [Proviso::Visited, Proviso::Static] {
                    let options = Options { reduction: Reduction::Auto, proviso, ..whole.clone() };
                    let (found, n_reduced) = search(web, property, &options);
                    let what = format!(
                        "seed {seed}, {property:?}, fair: {fair}, {liveness:?}, {threads} threads, {proviso:?}"
                    );
                    assert_eq!(found, expected, "{what}: {web:?}");
                    assert!(expected || n_reduced <= n_states, "{what}: {n_reduced} states, {n_states} without");
                    tally.smaller[usize::from(fair)] += usize::from(!expected && n_reduced < n_states);
                }
            }
        }
    }
}

/// The end of the claim, searched as safety.
fn check_end(web: &Web, seed: u64, tally: &mut Tally) {
    let property = Property::Claim(2);
    let expected = answer(web, property).wrong;
    let count = if expected { &mut tally.violated } else { &mut tally.holds };
    count[0] += 1;
    for (algorithm, threads) in [(Algorithm::BreadthFirst, 1), (Algorithm::BreadthFirst, 3), (Algorithm::DepthFirst, 1)]
    {
        let limits = Limits { memory: Some(1 << 30), ..Limits::default() };
        let whole = Options { algorithm, threads, limits, reduction: Reduction::Off, ..Options::default() };
        let (_, n_states) = search(web, property, &whole);
        for proviso in [Proviso::Visited, Proviso::Prompt, Proviso::Static] {
            for reduction in [Reduction::Auto, Reduction::Ample] {
                let options = Options { reduction, proviso, ..whole.clone() };
                let (found, n_reduced) = search(web, property, &options);
                let what = format!("seed {seed}, {algorithm:?}, {threads} threads, {proviso:?}, {reduction:?}");
                assert_eq!(found, expected, "{what}: {web:?}");
                assert!(expected || n_reduced <= n_states, "{what}: {n_reduced} states, {n_states} without");
                tally.smaller[0] += usize::from(!expected && n_reduced < n_states);
            }
        }
    }
}

fn edges(edges: &[(usize, Action, usize)]) -> Vec<Edge> {
    edges.iter().map(|&(from, action, to)| Edge { from, to, action }).collect()
}

/// A claim that says: always this. Location 2 accepts.
fn always(nodes: u64) -> (Vec<ClaimArc>, bool) {
    (vec![claim_arc(0, 2, nodes), claim_arc(2, 2, nodes)], true)
}

#[test]
fn two_that_write_in_turns_go_on_forever() {
    let writes = |value| edges(&[(0, Action::Set(value), 1), (1, Action::Local, 0)]);
    let threads = Threads { n_places: 2, programs: vec![writes(0), writes(1)] };
    // Nothing of it is visible.
    let nowhere = Fact::At(1, 2);
    let web = web(&threads, [nowhere; 2], [nowhere; 2], always(u64::MAX));
    check_web(&web, 0, &mut Tally::default());
}

#[test]
fn a_sender_keeps_its_excuse_while_the_receiver_is_not_ready() {
    let busy = edges(&[(0, Action::Set(1), 1), (1, Action::Send, 2), (2, Action::Set(0), 0)]);
    let waits = edges(&[(0, Action::Send, 1), (0, Action::Await(1), 1)]);
    let takes = edges(&[(0, Action::Receive, 1), (1, Action::Local, 0)]);
    let threads = Threads { n_places: 3, programs: vec![busy, waits, takes] };
    // The second process never moves. It is excused while the variable is 0 and the third one is not ready.
    let stays = Fact::At(1, 0);
    let web = web(&threads, [stays; 2], [stays; 2], always(threads.nodes(stays)));
    assert!(answer(&web, Property::Claim(0)).fair_cycle);
    check_web(&web, 0, &mut Tally::default());
}

#[test]
fn a_doubt_about_a_claim_is_removed_by_the_user_alone() {
    let threads = Threads { n_places: 2, programs: vec![edges(&[(0, Action::Local, 1)]); 2] };
    let stays = Fact::At(0, 0);
    let mut web = web(&threads, [stays; 2], [stays; 2], always(threads.nodes(stays)));
    let info = web.independence.as_ref().expect("the web has threads").info;
    for (is_doubt, assume) in [(false, false), (false, true), (true, false), (true, true)] {
        let off = Some("it is not known to be stutter-closed");
        let notices = Visibility { off, is_doubt, is_stutter_robust: false, ..info.claims[0] };
        let known = ReductionInfo { claims: Box::leak(Box::new([notices])), ..*info };
        if let Some(independence) = &mut web.independence {
            independence.info = Box::leak(Box::new(known));
        }
        let ask = Ask::Claim("formula".to_owned());
        let reduction = Reduction::Auto;
        let options = Options { ask, reduction, assume_stutter_closed: assume, ..Options::default() };
        let report = check(&web, &options);
        let is_reduced = is_doubt && assume;
        assert_eq!(report.properties[0].statistics.reduction, is_reduced);
        let expected = if is_reduced { "--assume-stutter-closed" } else { "not known to be stutter-closed" };
        assert!(matches!(&report.warnings[..], [only] if only.contains(expected)), "{:?}", report.warnings);
    }
}

#[test]
fn reduced_searches_agree_on_the_end_of_a_claim() {
    let mut tally = Tally::default();
    for seed in 0..n_webs(3000) {
        check_end(&random_web(&mut Random(seed)), seed, &mut tally);
    }
    println!("{tally:?}");
    let Tally { violated, holds, smaller } = &tally;
    assert!([violated[0], holds[0], smaller[0]].iter().all(|&n| n > 300), "{tally:?}");
}

fn n_webs(otherwise: u64) -> u64 {
    std::env::var("PMC_RANDOM_THREADS").ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// `PMC_RANDOM_THREADS=10000 cargo test -p pmc-runtime random_threads` compares more.
#[test]
fn reduced_searches_agree_with_the_naive_answer() {
    let mut tally = Tally::default();
    for seed in 0..n_webs(400) {
        check_web(&random_web(&mut Random(seed)), seed, &mut tally);
    }
    println!("{tally:?}");
    let Tally { violated, holds, smaller } = &tally;
    assert!(violated.iter().chain(holds).chain(smaller).all(|&n| n > 50), "{tally:?}");
}
