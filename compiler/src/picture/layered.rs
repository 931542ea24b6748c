//! Places the nodes of a directed graph on layers, so that most arrows point down and few cross (Sugiyama, Tagawa, Toda
//! 1981): reverse the arrows that close cycles, choose a layer for each node, order each layer, choose positions.
//!
//! An arrow that spans several layers has a point on each of them, and a label is such a point with a size, so that
//! nothing lies above anything else.

mod ranks;

use ranks::{leading_nearer, ranks, reversed, roots};

/// Something with a size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    pub width: f64,
    pub height: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// An arrow between two nodes, with the size of its label if it has one.
#[derive(Clone, Copy, Debug)]
pub struct Arrow {
    pub from: usize,
    pub to: usize,
    pub label: Option<Size>,
}

/// Where everything is.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub size: Size,
    /// The centre of each node.
    pub nodes: Vec<Point>,
    pub arrows: Vec<Route>,
}

/// The points of an arrow from its begin to its tip, and the centre of its label.
#[derive(Clone, Debug, Default)]
pub struct Route {
    pub points: Vec<Point>,
    pub label: Option<Point>,
}

/// Between neighbours on one layer.
const BESIDE: f64 = 18.0;

/// Between layers.
const BELOW: f64 = 20.0;

/// How far an arrow from a node to itself reaches to its right.
const LOOP: f64 = 26.0;

/// How often the layers are ordered and placed anew.
const ROUNDS: usize = 24;

/// Which arrows may point up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// Those that lead back on a way from the start: loops of a program.
    #[default]
    DepthFirst,
    /// Those to nodes that are nearer to the start: the picture is as low as it can be.
    BreadthFirst,
}

/// Places a graph that starts in one of its nodes.
pub fn lay_out(nodes: &[Size], arrows: &[Arrow], start: usize, flow: Flow) -> Layout {
    let mut layers = Layers::new(nodes, arrows, start, flow);
    layers.order();
    layers.place();
    layers.layout(nodes, arrows)
}

/// A node, or a point of an arrow.
struct Item {
    layer: usize,
    size: Size,
    /// Room to its right that belongs to it.
    extra: f64,
    above: Vec<usize>,
    below: Vec<usize>,
    is_node: bool,
    x: f64,
}

struct Layers {
    /// The nodes first, in their order.
    items: Vec<Item>,
    layers: Vec<Vec<usize>>,
    /// For each arrow its points between the nodes, from the upper one to the lower one.
    chains: Vec<Vec<usize>>,
    is_reversed: Vec<bool>,
}

impl Layers {
    fn new(nodes: &[Size], arrows: &[Arrow], start: usize, flow: Flow) -> Self {
        let is_reversed = match flow {
            Flow::DepthFirst => reversed(nodes.len(), arrows, start),
            Flow::BreadthFirst => leading_nearer(nodes.len(), arrows, start),
        };
        let down = |index: usize| {
            let Arrow { from, to, .. } = arrows[index];
            if is_reversed[index] { (to, from) } else { (from, to) }
        };
        let pairs: Vec<(usize, usize)> = (0..arrows.len()).map(down).collect();
        // A label stands on a layer of its own between two layers of nodes.
        let stretch = if arrows.iter().any(|arrow| arrow.label.is_some()) { 2 } else { 1 };
        let ranks = ranks(nodes.len(), &pairs, start);
        let item = |(node, size): (usize, &Size)| Item {
            layer: ranks[node] * stretch,
            size: *size,
            extra: 0.0,
            above: Vec::new(),
            below: Vec::new(),
            is_node: true,
            x: 0.0,
        };
        let mut items: Vec<Item> = nodes.iter().enumerate().map(item).collect();
        let mut chains = vec![Vec::new(); arrows.len()];
        for (index, &(upper, lower)) in pairs.iter().enumerate() {
            let label = arrows[index].label;
            if upper == lower {
                items[upper].extra += LOOP + label.map_or(0.0, |label| label.width + 4.0);
                continue;
            }
            let (first, last) = (items[upper].layer, items[lower].layer);
            let middle = usize::midpoint(first, last);
            let mut before = upper;
            for layer in first + 1..last {
                let size = label.filter(|_| layer == middle).unwrap_or_default();
                let point = items.len();
                items.push(Item {
                    layer,
                    size,
                    extra: 0.0,
                    above: vec![before],
                    below: Vec::new(),
                    is_node: false,
                    x: 0.0,
                });
                items[before].below.push(point);
                chains[index].push(point);
                before = point;
            }
            items[before].below.push(lower);
            items[lower].above.push(before);
        }
        let n_layers = items.iter().map(|item| item.layer + 1).max().unwrap_or(0);
        let mut layers = vec![Vec::new(); n_layers];
        // In the order of a walk from the top, so that what belongs together begins side by side.
        for item in walk(&items, start) {
            layers[items[item].layer].push(item);
        }
        Self { items, layers, chains, is_reversed }
    }

    /// Orders each layer by the mean position of the neighbours, down and up in turn, and keeps the best order.
    fn order(&mut self) {
        let mut best = self.layers.clone();
        let mut fewest = self.crossings();
        for round in 0..ROUNDS {
            if fewest == 0 {
                break;
            }
            let is_down = round % 2 == 0;
            for at in 0..self.layers.len() {
                let layer = if is_down { at } else { self.layers.len() - 1 - at };
                self.order_layer(layer, is_down);
            }
            let crossings = self.crossings();
            if crossings < fewest {
                fewest = crossings;
                best.clone_from(&self.layers);
            }
        }
        self.layers = best;
    }

    fn order_layer(&mut self, layer: usize, is_down: bool) {
        let positions = self.positions();
        let mean = |item: usize, own: usize| {
            let item = &self.items[item];
            let neighbours = if is_down { &item.above } else { &item.below };
            match neighbours.len() {
                // Without neighbours it stays where it is.
                0 => own as f64,
                n => neighbours.iter().map(|other| positions[*other] as f64).sum::<f64>() / n as f64,
            }
        };
        let mut keyed: Vec<(f64, usize)> =
            self.layers[layer].iter().enumerate().map(|(own, item)| (mean(*item, own), *item)).collect();
        keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
        self.layers[layer] = keyed.into_iter().map(|(_, item)| item).collect();
    }

    /// The position of each item on its layer.
    fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.items.len()];
        for layer in &self.layers {
            for (position, item) in layer.iter().enumerate() {
                positions[*item] = position;
            }
        }
        positions
    }

    /// The number of crossings: inversions among the lower ends of arrows in the order of their upper ends.
    fn crossings(&self) -> usize {
        let positions = self.positions();
        let mut crossings = 0;
        for (at, layer) in self.layers.iter().enumerate() {
            let n_below = self.layers.get(at + 1).map_or(0, Vec::len);
            let mut ends: Vec<usize> = Vec::new();
            for item in layer {
                let mut below: Vec<usize> = self.items[*item].below.iter().map(|other| positions[*other]).collect();
                below.sort_unstable();
                ends.extend(below);
            }
            crossings += inversions(&ends, n_below);
        }
        crossings
    }

    /// Moves each item to the mean of its neighbours, as far as those beside it allow.
    fn place(&mut self) {
        for layer in 0..self.layers.len() {
            let mut x = 0.0;
            for item in &self.layers[layer] {
                let item = &mut self.items[*item];
                item.x = x + item.size.width / 2.0;
                x += item.size.width + item.extra + BESIDE;
            }
        }
        for round in 0..ROUNDS {
            for at in 0..self.layers.len() {
                let layer = if round % 2 == 0 { at } else { self.layers.len() - 1 - at };
                self.place_layer(layer);
            }
        }
        let left = self.items.iter().map(|item| item.x - item.size.width / 2.0).fold(f64::INFINITY, f64::min);
        self.items.iter_mut().for_each(|item| item.x -= left);
    }

    /// The positions with the least squares of distances from the wanted ones, for items that must keep their order and
    /// their distance: pool adjacent violators.
    fn place_layer(&mut self, layer: usize) {
        let mut offset = 0.0;
        // A pool of items: its mean, its weight, how many they are.
        let mut pools: Vec<(f64, f64, usize)> = Vec::new();
        let mut offsets = Vec::new();
        let mut before: Option<&Item> = None;
        for index in &self.layers[layer] {
            let item = &self.items[*index];
            if let Some(before) = before {
                let gap = if before.is_node || item.is_node { BESIDE } else { BESIDE * 0.7 };
                offset += before.size.width / 2.0 + before.extra + gap + item.size.width / 2.0;
            }
            before = Some(item);
            offsets.push(offset);
            let (wanted, weight) = self.wanted(item);
            let mut pool = (wanted - offset, weight, 1);
            while let Some(last) = pools.last().copied().filter(|last| last.0 > pool.0) {
                pools.pop();
                let weight = last.1 + pool.1;
                pool = ((last.0 * last.1 + pool.0 * pool.1) / weight, weight, last.2 + pool.2);
            }
            pools.push(pool);
        }
        let means = pools.iter().flat_map(|(mean, _, n)| std::iter::repeat_n(*mean, *n));
        let placed: Vec<f64> = means.zip(&offsets).map(|(mean, offset)| mean + offset).collect();
        for (item, x) in self.layers[layer].iter().zip(placed) {
            self.items[*item].x = x;
        }
    }

    /// The preferred position of an item, and its weight. Long arrows have the greatest weight, so that they are straight.
    fn wanted(&self, item: &Item) -> (f64, f64) {
        let (mut sum, mut weight) = (0.0, 0.0);
        for other in item.above.iter().chain(&item.below) {
            let other = &self.items[*other];
            let strength = if item.is_node || other.is_node { 1.0 } else { 4.0 };
            sum += other.x * strength;
            weight += strength;
        }
        if weight == 0.0 { (item.x, 0.1) } else { (sum / weight, weight) }
    }

    fn layout(&self, nodes: &[Size], arrows: &[Arrow]) -> Layout {
        let mut tops = Vec::new();
        let mut y = 0.0;
        for layer in &self.layers {
            let height = layer.iter().map(|item| self.items[*item].size.height).fold(0.0, f64::max);
            tops.push((y, height));
            y += height + BELOW;
        }
        let centre = |item: usize| {
            let (top, height) = tops[self.items[item].layer];
            Point { x: self.items[item].x, y: top + height / 2.0 }
        };
        let width = self.items.iter().map(|item| item.x + item.size.width / 2.0 + item.extra).fold(0.0, f64::max);
        let places: Vec<Point> = (0..nodes.len()).map(centre).collect();
        let ports = self.ports(arrows);
        // Arrows from one node to itself stand side by side.
        let mut loops = vec![0.0; nodes.len()];
        let routes = arrows.iter().enumerate().map(|(index, arrow)| {
            if arrow.from == arrow.to {
                return route_of_loop(places[arrow.from], nodes[arrow.from], arrow.label, &mut loops[arrow.from]);
            }
            let (upper, lower) = if self.is_reversed[index] { (arrow.to, arrow.from) } else { (arrow.from, arrow.to) };
            let (out, into) = ports[index];
            let mut points = vec![Point { x: places[upper].x + out, y: places[upper].y + nodes[upper].height / 2.0 }];
            points.extend(self.chains[index].iter().map(|point| centre(*point)));
            points.push(Point { x: places[lower].x + into, y: places[lower].y - nodes[lower].height / 2.0 });
            let label = self.chains[index]
                .iter()
                .find(|point| self.items[**point].size.width > 0.0)
                .map(|point| centre(*point));
            if self.is_reversed[index] {
                points.reverse();
            }
            Route { points, label }
        });
        let arrows = routes.collect();
        Layout { size: Size { width, height: (y - BELOW).max(0.0) }, nodes: places, arrows }
    }

    /// How far from the middle of its nodes each arrow leaves the upper and reaches the lower one: side by side, in the
    /// order of where they come from.
    fn ports(&self, arrows: &[Arrow]) -> Vec<(f64, f64)> {
        let mut ports = vec![(0.0, 0.0); arrows.len()];
        let n_nodes = self.items.iter().take_while(|item| item.is_node).count();
        let mut out: Vec<Vec<(f64, usize)>> = vec![Vec::new(); n_nodes];
        let mut into: Vec<Vec<(f64, usize)>> = vec![Vec::new(); n_nodes];
        for (index, arrow) in arrows.iter().enumerate().filter(|(_, arrow)| arrow.from != arrow.to) {
            let (upper, lower) = if self.is_reversed[index] { (arrow.to, arrow.from) } else { (arrow.from, arrow.to) };
            let chain = &self.chains[index];
            out[upper].push((self.items[*chain.first().unwrap_or(&lower)].x, index));
            into[lower].push((self.items[*chain.last().unwrap_or(&upper)].x, index));
        }
        for (node, (out, into)) in out.iter_mut().zip(&mut into).enumerate() {
            let room = self.items[node].size.width * 0.6;
            for (ends, is_out) in [(out, true), (into, false)] {
                ends.sort_by(|one, other| one.0.total_cmp(&other.0));
                let n = ends.len();
                let gap = if n > 1 { (room / (n - 1) as f64).min(14.0) } else { 0.0 };
                for (nth, (_, index)) in ends.iter().enumerate() {
                    let x = (nth as f64 - (n - 1) as f64 / 2.0) * gap;
                    let port = &mut ports[*index];
                    if is_out { port.0 = x } else { port.1 = x }
                }
            }
        }
        ports
    }
}

fn route_of_loop(node: Point, size: Size, label: Option<Size>, used: &mut f64) -> Route {
    let side = node.x + size.width / 2.0;
    let reach = side + *used + LOOP - 8.0;
    let half = (size.height / 2.0 - 4.0).clamp(4.0, 10.0);
    let at = |x, y| Point { x, y };
    let points =
        vec![at(side, node.y - half), at(reach, node.y - half), at(reach, node.y + half), at(side, node.y + half)];
    let width = label.map_or(0.0, |label| label.width + 4.0);
    *used += LOOP + width;
    Route { points, label: label.map(|label| at(reach + 5.0 + label.width / 2.0, node.y)) }
}

/// All items in the order of a depth-first walk down.
fn walk(items: &[Item], start: usize) -> Vec<usize> {
    let mut order = Vec::with_capacity(items.len());
    let mut is_seen = vec![false; items.len()];
    for root in roots(items.len(), start) {
        let mut stack = vec![root];
        while let Some(item) = stack.pop() {
            if std::mem::replace(&mut is_seen[item], true) {
                continue;
            }
            order.push(item);
            stack.extend(items[item].below.iter().rev().filter(|other| !is_seen[**other]));
        }
    }
    order
}

/// Pairs in the wrong order, among numbers below `limit`: counted in a Fenwick tree.
fn inversions(numbers: &[usize], limit: usize) -> usize {
    let mut tree = vec![0; limit + 1];
    let mut inversions = 0;
    for (seen, number) in numbers.iter().enumerate() {
        let mut not_greater = 0;
        let mut at = number + 1;
        while at > 0 {
            not_greater += tree[at];
            at &= at - 1;
        }
        inversions += seen - not_greater;
        at = number + 1;
        while at <= limit {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    inversions
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Size = Size { width: 40.0, height: 20.0 };

    fn laid_out(n: usize, arrows: &[(usize, usize)], flow: Flow) -> Layout {
        let label = Some(Size { width: 60.0, height: 12.0 });
        let arrows: Vec<Arrow> = arrows.iter().map(|&(from, to)| Arrow { from, to, label }).collect();
        lay_out(&vec![BOX; n], &arrows, 0, flow)
    }

    /// No two of these boxes overlap.
    fn assert_apart(boxes: &[(Point, Size)]) {
        for (nth, (one, size)) in boxes.iter().enumerate() {
            for (other, other_size) in &boxes[..nth] {
                let is_beside = (one.x - other.x).abs() + 1e-6 >= (size.width + other_size.width) / 2.0;
                let is_below = (one.y - other.y).abs() + 1e-6 >= (size.height + other_size.height) / 2.0;
                assert!(is_beside || is_below, "{one:?} {other:?}");
            }
        }
    }

    fn boxes(layout: &Layout) -> Vec<(Point, Size)> {
        let labels = layout.arrows.iter().filter_map(|route| route.label);
        let labels = labels.map(|at| (at, Size { width: 60.0, height: 12.0 }));
        layout.nodes.iter().map(|at| (*at, BOX)).chain(labels).collect()
    }

    #[test]
    fn arrows_point_down_but_those_that_close_a_cycle() {
        let arrows = [(0, 1), (1, 2), (2, 0), (1, 3), (3, 3), (0, 3)];
        let layout = laid_out(4, &arrows, Flow::DepthFirst);
        assert_apart(&boxes(&layout));
        for (route, (from, to)) in layout.arrows.iter().zip(arrows) {
            let (first, last) = (route.points[0], route.points[route.points.len() - 1]);
            assert_eq!(first.y < last.y, (from, to) != (2, 0), "{from} {to}");
            assert!(route.label.is_some(), "{from} {to} has its label");
        }
    }

    #[test]
    fn two_rows_are_untangled() {
        // 0 -> 1, 2, 3 and each of those to 6, 5, 4: no crossing is needed.
        let layout = laid_out(7, &[(0, 1), (0, 2), (0, 3), (1, 6), (2, 5), (3, 4)], Flow::DepthFirst);
        let x = |node: usize| layout.nodes[node].x;
        assert!((x(1) < x(2)) == (x(6) < x(5)) && (x(2) < x(3)) == (x(5) < x(4)));
    }

    #[test]
    fn the_picture_holds_everything_and_nothing_overlaps() {
        // A dense graph, from a generator with a fixed seed.
        let mut seed = 1u64;
        let mut random = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % n) as usize
        };
        for n in [1, 2, 5, 30, 80] {
            let arrows: Vec<(usize, usize)> = (0..2 * n).map(|_| (random(n as u64), random(n as u64))).collect();
            for flow in [Flow::DepthFirst, Flow::BreadthFirst] {
                let layout = laid_out(n, &arrows, flow);
                let all = boxes(&layout);
                assert_apart(&all);
                for (at, size) in all {
                    assert!(at.x - size.width / 2.0 >= -1e-6 && at.x + size.width / 2.0 <= layout.size.width + 1e-6);
                    assert!(at.y - size.height / 2.0 >= -1e-6 && at.y + size.height / 2.0 <= layout.size.height + 1e-6);
                }
            }
        }
    }

    #[test]
    fn a_picture_of_distances_is_low() {
        // A square of ways: 0 leads to every node, and each node to the next one and back.
        let arrows: Vec<(usize, usize)> = (1..9).flat_map(|node| [(0, node), (node, 1)]).collect();
        let (deep, broad) = (laid_out(9, &arrows, Flow::DepthFirst), laid_out(9, &arrows, Flow::BreadthFirst));
        assert!(broad.size.height <= deep.size.height);
        assert!(broad.nodes[1].y < broad.nodes[2].y, "what is found first is higher");
    }

    #[test]
    fn nothing_has_no_size() {
        assert_eq!(lay_out(&[], &[], 0, Flow::DepthFirst).size, Size::default());
    }

    #[test]
    fn inversions_are_counted() {
        assert_eq!((inversions(&[0, 1, 2], 3), inversions(&[2, 1, 0], 3), inversions(&[1, 1, 0], 2)), (0, 3, 2));
    }
}
