//! Strongly connected components, and whether one contains the wanted cycle.
//!
//! A graph has a cycle that meets several conditions infinitely often if and only if it has a strongly connected
//! component, with at least one arc in it, that meets each of them in some node: inside the component a cycle can visit
//! all nodes.

use super::system::Pids;

/// A graph whose nodes have marks.
#[derive(Debug, Default)]
pub struct Nodes {
    /// By node: its marks, as bits.
    pub marks: Vec<u64>,
    /// By node: the enabled processes.
    pub enabled: Vec<Pids>,
    /// By node: its successors, each with the processes that move on the arc.
    pub arcs: Vec<Vec<(usize, Pids)>>,
}

/// A component that has the cycle, if there is one. `wanted` are the marks that
/// must be met; with `fair`, each process moves somewhere or is disabled somewhere.
/// Only nodes for which `inside` holds may be on the cycle.
pub fn accepting(nodes: &Nodes, wanted: u64, fair: bool, inside: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
    let components = components(nodes, &inside);
    let mut number_of = vec![usize::MAX; nodes.arcs.len()];
    for (number, component) in components.iter().enumerate() {
        component.iter().for_each(|node| number_of[*node] = number);
    }
    components.into_iter().find(|component| {
        let number = number_of[component[0]];
        let (mut marks, mut served, mut has_arc) = (0, 0, false);
        for &node in component {
            marks |= nodes.marks[node];
            served |= !nodes.enabled[node];
            for (to, movers) in &nodes.arcs[node] {
                if number_of[*to] == number {
                    served |= movers;
                    has_arc = true;
                }
            }
        }
        has_arc && marks & wanted == wanted && (!fair || served == Pids::MAX)
    })
}

/// Tarjan's algorithm, with an explicit stack.
fn components(nodes: &Nodes, inside: &impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let count = nodes.arcs.len();
    let (mut order, mut low) = (vec![NEW; count], vec![NEW; count]);
    let mut open = vec![false; count];
    let (mut path, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    for root in (0..count).filter(|node| inside(*node)) {
        let mut calls: Vec<(usize, usize)> = Vec::new();
        if order[root] == NEW {
            calls.push((root, 0));
        }
        while let Some((node, arc)) = calls.pop() {
            if arc == 0 {
                (order[node], low[node]) = (next, next);
                next += 1;
                path.push(node);
                open[node] = true;
            }
            if let Some(&(to, _)) = nodes.arcs[node].get(arc) {
                calls.push((node, arc + 1));
                if inside(to) && order[to] == NEW {
                    calls.push((to, 0));
                } else if inside(to) && open[to] {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            if let Some(&(caller, _)) = calls.last() {
                low[caller] = low[caller].min(low[node]);
            }
            if low[node] == order[node] {
                let start = path.iter().rposition(|other| *other == node).unwrap_or(0);
                let component = path.split_off(start);
                component.iter().for_each(|node| open[*node] = false);
                found.push(component);
            }
        }
    }
    found
}
