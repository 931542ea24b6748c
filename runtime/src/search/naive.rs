//! A naive reference implementation for the tests: the whole product as a matrix, its cycles by transitive closure, and
//! counterexamples followed step by step. It shares no code with the searches.

use crate::property::Property;
use crate::step::Pid;
use crate::toy::web::{ArcKind, ClaimArcKind, END, Web, is_accepting_place};
use crate::trail::Move;
use crate::verdict::{Found, ViolationKind};
use std::collections::BTreeSet;

/// A set of pids below 32.
type Pids = u32;

/// The steps of the system out of one node without an atomic owner.
struct Steps {
    /// The target, and the processes that move.
    arrivals: BTreeSet<(u32, Pids)>,
    enabled: Pids,
    fails: bool,
    timeout: bool,
}

impl Steps {
    fn is_stuck(&self) -> bool {
        self.enabled == 0 && !self.fails
    }
}

fn steps(web: &Web, node: u32) -> Steps {
    let mut result = steps_with(web, node, false);
    if result.enabled == 0 {
        result = steps_with(web, node, true);
        result.timeout = true;
    }
    result
}

fn steps_with(web: &Web, node: u32, timeout: bool) -> Steps {
    let mut result = Steps { arrivals: BTreeSet::new(), enabled: 0, fails: false, timeout: false };
    let mut inside = BTreeSet::new();
    for arc in web.arcs.iter().filter(|arc| arc.from == node && arc.pid < web.n_processes[node as usize]) {
        let movers = 1 << arc.pid | arc.receiver.map_or(0, |receiver| 1 << receiver);
        match arc.kind {
            ArcKind::Fails => result.fails = true,
            ArcKind::Timeout if !timeout => {}
            ArcKind::Atomic => {
                result.enabled |= 1 << arc.pid;
                inside.insert((arc.to, arc.pid, movers));
            }
            ArcKind::Plain | ArcKind::Timeout | ArcKind::Bad | ArcKind::Hidden => {
                result.enabled |= 1 << arc.pid;
                result.arrivals.insert((arc.to, movers));
            }
        }
    }
    let mut done = BTreeSet::new();
    while let Some((node, atomic_owner, movers)) = inside.pop_first() {
        if !done.insert((node, atomic_owner, movers)) {
            continue;
        }
        if !owner_can_move(web, node, atomic_owner) {
            result.arrivals.insert((node, movers));
            continue;
        }
        for arc in web.arcs.iter().filter(|arc| arc.from == node && arc.pid == atomic_owner) {
            let movers = movers | 1 << arc.pid | arc.receiver.map_or(0, |receiver| 1 << receiver);
            match arc.kind {
                ArcKind::Fails => result.fails = true,
                ArcKind::Timeout => {}
                ArcKind::Atomic => _ = inside.insert((arc.to, atomic_owner, movers)),
                ArcKind::Plain | ArcKind::Bad | ArcKind::Hidden => _ = result.arrivals.insert((arc.to, movers)),
            }
        }
    }
    result
}

fn owner_can_move(web: &Web, node: u32, atomic_owner: u8) -> bool {
    let mut arcs = web.arcs.iter().filter(|arc| arc.from == node && arc.pid == atomic_owner);
    arcs.any(|arc| !matches!(arc.kind, ArcKind::Fails | ArcKind::Timeout))
}

/// The moves of the observer in a node: its target, and the node in which it leaves the system; and whether there is a
/// violation.
fn claim_moves(web: &Web, property: Property, node: u32, at: u16, timeout: bool) -> (BTreeSet<(u16, u32)>, bool) {
    let mut claim_moves = BTreeSet::new();
    let mut wrong = false;
    match property {
        Property::Claim(_) => {
            let mut inside = BTreeSet::from([at]);
            let mut done = BTreeSet::new();
            while let Some(at) = inside.pop_first() {
                if !done.insert(at) {
                    continue;
                }
                let arcs = web.claim.iter().filter(|arc| arc.from == at && arc.nodes >> node & 1 == 1);
                for arc in arcs.filter(|arc| arc.kind != ClaimArcKind::Timeout || timeout) {
                    wrong |= matches!(arc.kind, ClaimArcKind::Bad | ClaimArcKind::Fails) || arc.to == END;
                    match arc.kind {
                        _ if arc.to == END => {}
                        ClaimArcKind::Fails => {}
                        ClaimArcKind::Atomic => _ = inside.insert(arc.to),
                        ClaimArcKind::Changing(node) => _ = claim_moves.insert((arc.to, node)),
                        ClaimArcKind::Plain | ClaimArcKind::Timeout | ClaimArcKind::Bad => {
                            claim_moves.insert((arc.to, node));
                        }
                    }
                }
            }
        }
        Property::NonProgress => {
            if at == 0 {
                claim_moves.insert((0, node));
            }
            if !is_progress(web, node) {
                claim_moves.insert((1, node));
            }
        }
        // No timer is on in a web.
        Property::Acceptance | Property::Safety | Property::Goal | Property::Zeno => _ = claim_moves.insert((0, node)),
    }
    (claim_moves, wrong)
}

fn is_progress(web: &Web, node: u32) -> bool {
    web.progress >> node & 1 == 1 && web.n_processes[node as usize] > 0
}

fn is_accepting(web: &Web, property: Property, node: u32, at: u16) -> bool {
    let label = web.accept >> node & 1 == 1 && web.n_processes[node as usize] > 0;
    match property {
        Property::Claim(0) => is_accepting_place(at),
        Property::Claim(_) => is_accepting_place(at) || label,
        Property::Acceptance => label,
        Property::NonProgress => at == 1,
        Property::Safety | Property::Goal | Property::Zeno => false,
    }
}

/// An edge of the product: source, target, and the processes that it serves.
struct Edge {
    from: usize,
    to: usize,
    served: Pids,
}

/// The violations of a web.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// A fault, the end of the claim, an assertion of the claim.
    pub wrong: bool,
    pub cycle: bool,
    pub fair_cycle: bool,
    /// The fewest edges of a lasso, prefix and cycle together, without fairness.
    pub shortest: Option<usize>,
}

const FAR: usize = usize::MAX / 4;

pub(super) fn answer(web: &Web, property: Property) -> Answer {
    let Product { states, edges, wrong } = product(web, property);
    let far = distances(states.len(), &edges);
    let mut answer = Answer { wrong, cycle: false, fair_cycle: false, shortest: None };
    for (x, &(node, at)) in states.iter().enumerate() {
        if !is_accepting(web, property, node, at) || far[x][x] == FAR {
            continue;
        }
        let inside = |y: usize| far[x][y] < FAR && far[y][x] < FAR;
        let edges_inside = edges.iter().filter(|edge| inside(edge.from) && inside(edge.to));
        let served = edges_inside.fold(0, |served, edge| served | edge.served);
        answer.cycle = true;
        answer.fair_cycle |= served == !0;
        for y in (0..states.len()).filter(|&y| inside(y)) {
            let prefix = if y == 0 { 0 } else { far[0][y] };
            let cycle = if y == x { far[x][x] } else { far[y][x] + far[x][y] };
            answer.shortest = Some(answer.shortest.unwrap_or(FAR).min(prefix + cycle));
        }
    }
    answer
}

struct Product {
    states: Vec<(u32, u16)>,
    edges: Vec<Edge>,
    wrong: bool,
}

fn product(web: &Web, property: Property) -> Product {
    let mut product = Product { states: vec![(0, 0)], edges: Vec::new(), wrong: false };
    let mut from = 0;
    while let Some(&(node, at)) = product.states.get(from) {
        let (claim_moves, is_wrong) = claim_moves(web, property, node, at, steps(web, node).timeout);
        product.wrong |= is_wrong;
        for (to_place, node_left) in claim_moves {
            let steps = steps(web, node_left);
            product.wrong |= steps.fails;
            let mut arrivals = steps.arrivals.clone();
            let mut idle = !steps.enabled;
            if steps.is_stuck() && property != Property::NonProgress {
                arrivals.insert((node_left, 0));
                idle = !0;
            }
            for (to_node, movers) in arrivals {
                let target = (to_node, to_place);
                let to = product.states.iter().position(|&state| state == target).unwrap_or(product.states.len());
                if to == product.states.len() {
                    product.states.push(target);
                }
                product.edges.push(Edge { from, to, served: idle | movers });
            }
        }
        from += 1;
    }
    product
}

/// The length of the shortest path from one state to another, at least one edge.
fn distances(n: usize, edges: &[Edge]) -> Vec<Vec<usize>> {
    let mut far = vec![vec![FAR; n]; n];
    for edge in edges {
        far[edge.from][edge.to] = 1;
    }
    for via in 0..n {
        for from in 0..n {
            if far[from][via] < FAR {
                for to in 0..n {
                    far[from][to] = far[from][to].min(far[from][via] + far[via][to]);
                }
            }
        }
    }
    far
}

/// Follows a counterexample. Returns its number of edges of the product.
#[track_caller]
pub(super) fn check_run(
    web: &Web,
    property: Property,
    fair: bool,
    found: Found,
    moves: &[Move],
    cycle_start: Option<usize>,
) -> usize {
    let mut walk = Walk { web, property, node: 0, atomic_owner: None, at: 0, moved: false, n_edges: 0 };
    let mut start = None;
    let (mut served, mut accepting, mut progress, mut stuttered): (Pids, _, _, _) = (0, false, false, false);
    for (n, &next) in moves.iter().enumerate() {
        if cycle_start == Some(n) {
            assert!(walk.is_stored(), "a cycle starts at a stored state");
            start = Some((walk.node, walk.at));
        }
        if walk.is_stored() && !walk.moved {
            accepting |= start.is_some() && is_accepting(web, property, walk.node, walk.at);
            progress |= start.is_some() && is_progress(web, walk.node);
        }
        let leaves = walk.is_stored() && !matches!(next, Move::Claim { .. });
        let idle = if leaves { !steps(web, walk.node).enabled } else { 0 };
        let movers = walk.make(next, n + 1 == moves.len() && cycle_start.is_none());
        stuttered |= next == Move::Stutter;
        if start.is_some() {
            served |= idle | movers;
        }
    }
    if cycle_start.is_none() {
        match (found.transition, found.claim_move, moves.last()) {
            (Some(transition), None, Some(Move::System(step))) => assert_eq!(step.transition, transition),
            (None, Some(claim_move), Some(Move::Claim { by, .. })) => assert_eq!(*by, claim_move),
            other => panic!("a run that ends in nothing: {other:?}"),
        }
        return walk.n_edges;
    }
    assert!(walk.is_stored() && !walk.moved && start == Some((walk.node, walk.at)), "the cycle does not close");
    assert!(!fair || served == !0, "the cycle is not fair");
    if found.kind == ViolationKind::NonProgressCycle {
        assert!(!progress && !stuttered, "the cycle makes progress");
    } else {
        assert!(accepting, "the cycle is not accepting");
    }
    walk.n_edges
}

struct Walk<'w> {
    web: &'w Web,
    property: Property,
    node: u32,
    atomic_owner: Option<u8>,
    at: u16,
    /// The claim has moved, the system has not.
    moved: bool,
    n_edges: usize,
}

impl Walk<'_> {
    fn is_stored(&self) -> bool {
        self.atomic_owner.is_none_or(|atomic_owner| !owner_can_move(self.web, self.node, atomic_owner))
    }

    /// Returns the processes that move. The last move may be a violation.
    #[track_caller]
    fn make(&mut self, next: Move, may_fail: bool) -> Pids {
        let has_claim = matches!(self.property, Property::Claim(_));
        match next {
            Move::Claim { by, choice, to } => {
                assert!(has_claim && self.is_stored(), "the claim moves where it must not");
                let timeout = steps(self.web, self.node).timeout;
                let can = |n: &usize| {
                    let arc = &self.web.claim[*n];
                    let here = arc.from == self.at && arc.nodes >> self.node & 1 == 1;
                    here && (arc.kind != ClaimArcKind::Timeout || timeout)
                };
                let chosen = (0..self.web.claim.len()).filter(can).nth(choice as usize);
                assert_eq!(chosen, Some(by.index()), "the claim cannot move so");
                let arc = &self.web.claim[by.index()];
                assert!(arc.kind != ClaimArcKind::Fails || may_fail);
                if arc.kind != ClaimArcKind::Fails {
                    assert_eq!(arc.to, to.0);
                    self.at = arc.to;
                }
                self.moved = arc.kind != ClaimArcKind::Atomic;
                if let ClaimArcKind::Changing(node) = arc.kind {
                    self.node = node;
                }
                self.atomic_owner = None;
                0
            }
            Move::Stutter => {
                assert!(self.moved || !has_claim, "the claim has to move first");
                assert!(self.is_stored() && steps(self.web, self.node).is_stuck(), "somebody can move");
                self.arrive(self.node, None);
                0
            }
            Move::Tick(_) => panic!("no timer is on in a web"),
            Move::System(step) => {
                let arc = &self.web.arcs[step.transition.index()];
                assert!(self.moved || !has_claim || !self.is_stored(), "the claim has to move first");
                assert_eq!((arc.from, Pid(arc.pid)), (self.node, step.pid));
                assert_eq!(arc.receiver, step.receiver.map(|(pid, _)| pid.0));
                if self.is_stored() {
                    assert!(arc.kind != ArcKind::Timeout || steps(self.web, self.node).timeout);
                } else {
                    assert_eq!(self.atomic_owner, Some(arc.pid));
                }
                assert!(arc.kind != ArcKind::Fails || may_fail);
                self.arrive(arc.to, (arc.kind == ArcKind::Atomic).then_some(arc.pid));
                1 << arc.pid | arc.receiver.map_or(0, |receiver| 1 << receiver)
            }
        }
    }

    fn arrive(&mut self, node: u32, atomic_owner: Option<u8>) {
        (self.node, self.atomic_owner) = (node, atomic_owner);
        if self.is_stored() {
            self.moved = false;
            self.n_edges += 1;
        }
    }
}
