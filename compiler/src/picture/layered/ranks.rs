//! Which arrows are reversed, so that no cycle is left, and the layer of each node.

use std::collections::VecDeque;

use super::Arrow;

/// The arrows that close a cycle in a depth-first walk.
pub fn reversed(n: usize, arrows: &[Arrow], start: usize) -> Vec<bool> {
    let mut leaving = vec![Vec::new(); n];
    for (index, arrow) in arrows.iter().enumerate() {
        leaving[arrow.from].push(index);
    }
    let (mut is_open, mut is_done) = (vec![false; n], vec![false; n]);
    let mut is_reversed = vec![false; arrows.len()];
    for root in roots(n, start) {
        if is_done[root] {
            continue;
        }
        is_open[root] = true;
        let mut path = vec![(root, 0)];
        while let Some((node, nth)) = path.last_mut() {
            let Some(&index) = leaving[*node].get(*nth) else {
                is_open[*node] = false;
                is_done[*node] = true;
                path.pop();
                continue;
            };
            *nth += 1;
            let to = arrows[index].to;
            if is_open[to] {
                is_reversed[index] = to != arrows[index].from;
            } else if !is_done[to] {
                is_open[to] = true;
                path.push((to, 0));
            }
        }
    }
    is_reversed
}

/// The arrows to a node that a breadth-first walk finds before the one that they leave.
pub fn leading_nearer(n: usize, arrows: &[Arrow], start: usize) -> Vec<bool> {
    let mut leaving = vec![Vec::new(); n];
    for arrow in arrows {
        leaving[arrow.from].push(arrow.to);
    }
    let mut numbers = vec![usize::MAX; n];
    let mut queue = VecDeque::new();
    let mut n_found = 0;
    for root in roots(n, start) {
        queue.push_back(root);
        while let Some(node) = queue.pop_front() {
            if numbers[node] == usize::MAX {
                numbers[node] = n_found;
                n_found += 1;
                queue.extend(&leaving[node]);
            }
        }
    }
    arrows.iter().map(|arrow| numbers[arrow.to] < numbers[arrow.from]).collect()
}

/// The longest way from a node without arrows into it; then nodes without such arrows move down to what they point at.
pub fn ranks(n: usize, pairs: &[(usize, usize)], start: usize) -> Vec<usize> {
    let pairs: Vec<(usize, usize)> = pairs.iter().copied().filter(|(upper, lower)| upper != lower).collect();
    let mut below = vec![Vec::new(); n];
    let mut n_above = vec![0usize; n];
    for &(upper, lower) in &pairs {
        below[upper].push(lower);
        n_above[lower] += 1;
    }
    let has_none_above: Vec<bool> = n_above.iter().map(|n| *n == 0).collect();
    let mut ranks = vec![0usize; n];
    let mut ready: Vec<usize> = (0..n).filter(|node| n_above[*node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &lower in &below[node] {
            ranks[lower] = ranks[lower].max(ranks[node] + 1);
            n_above[lower] -= 1;
            if n_above[lower] == 0 {
                ready.push(lower);
            }
        }
    }
    for node in (0..n).filter(|node| *node != start && has_none_above[*node]) {
        if let Some(nearest) = below[node].iter().map(|lower| ranks[*lower]).min() {
            ranks[node] = nearest.saturating_sub(1);
        }
    }
    ranks
}

/// All numbers below `n`, one of them first.
pub fn roots(n: usize, start: usize) -> impl Iterator<Item = usize> {
    (start..n.min(start + 1)).chain((0..n).filter(move |root| *root != start))
}
