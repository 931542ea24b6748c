//! Strongly connected components of a graph of locations.

/// Tarjan's algorithm, without recursion: a number for each strongly connected component of the nodes `0..n_nodes`.
pub(super) fn components(n_nodes: usize, successors: impl Fn(usize) -> Vec<usize>) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let mut order = vec![UNSEEN; n_nodes];
    let mut lowest = order.clone();
    let mut component = order.clone();
    let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let (mut n_seen, mut n_components) = (0, 0);
    for root in 0..n_nodes {
        if order[root] != UNSEEN {
            continue;
        }
        path.push((root, successors(root)));
        while let Some((at, waiting)) = path.last_mut() {
            let at = *at;
            if order[at] == UNSEEN {
                (order[at], lowest[at]) = (n_seen, n_seen);
                n_seen += 1;
                open.push(at);
            }
            if let Some(next) = waiting.pop() {
                if order[next] == UNSEEN {
                    path.push((next, successors(next)));
                } else if component[next] == UNSEEN {
                    lowest[at] = lowest[at].min(order[next]);
                }
                continue;
            }
            path.pop();
            if let Some((before, _)) = path.last() {
                lowest[*before] = lowest[*before].min(lowest[at]);
            }
            if lowest[at] == order[at] {
                while let Some(member) = open.pop() {
                    component[member] = n_components;
                    if member == at {
                        break;
                    }
                }
                n_components += 1;
            }
        }
    }
    component
}
