//! The representative of a state: the least image under permutations that its own facts single out.
//!
//! Members get *colours*, which say what is known of them: at first their family and class. A colour is refined by the
//! facts that mention the member, with other members written as their colours, until there are no more colours. This
//! depends on nothing but the state up to renaming. A colour is *tied* if a fact mentions one of its members beside
//! another member whose colour is shared. If no colour is tied, two members of one colour occur in the same facts beside
//! the same partners, so exchanging them leaves the state as it is: order the members by colours, and one image is
//! enough. Otherwise each member of the least tied colour in turn gets a colour of its own, and so on, and the least of
//! the images is taken: the individualisation and refinement of graph canonisers (Junttila, *Symmetry reduction
//! algorithms for data symmetries*, 2002).
//!
//! Signatures are hashes, sums over facts, so that the order of facts has no influence. If two different ones collided,
//! the representative would still be an image of the state, only perhaps not the same one for the whole orbit.

use super::image::{Cells, Fact, Member, NOBODY};
use super::{Endings, SymmetryInfo};
use crate::options::Symmetry;
use crate::pack::{SEED, mix};

/// Computes representatives, for one thread.
pub(crate) struct Representatives<'m> {
    how: Symmetry,
    cells: Cells<'m>,
    /// The members class by class: where an order of the members of a class puts them.
    places: Vec<Member>,
    /// The class of each member: the number of members in classes before.
    classes: Vec<u16>,
    endings: Option<Endings<'m>>,
    /// The first member of each family.
    firsts: Vec<Member>,
    /// The members that have ended.
    has_ended: Vec<bool>,
    /// For each member what the facts say that mention no other.
    alone: Vec<u64>,
    /// Whether some fact mentions two members.
    has_links: bool,
    /// The least image so far.
    least: Vec<u64>,
    image: Vec<u64>,
    to: Vec<Member>,
}

/// An order of the members, class by class, and their colours.
#[derive(Clone)]
struct Colouring {
    order: Vec<Member>,
    /// The number of members of lesser colours.
    colours: Vec<u16>,
}

impl<'m> Representatives<'m> {
    /// `how` is not [`Symmetry::Off`].
    pub fn new(info: &SymmetryInfo<'m>, how: Symmetry) -> Representatives<'m> {
        let mut places = Vec::new();
        let mut first = 0;
        let mut firsts = Vec::new();
        for family in info.families {
            firsts.push(first);
            for class in family.classes {
                places.extend(class.iter().map(|member| first + member));
            }
            first += family.size() as u16;
        }
        let mut classes = vec![0; places.len()];
        let mut before = 0;
        for class in info.families.iter().flat_map(|family| family.classes) {
            for at in before..before + class.len() {
                classes[usize::from(places[at])] = before as u16;
            }
            before += class.len();
        }
        let to = places.clone();
        Representatives {
            how,
            cells: Cells::new(info),
            alone: vec![0; places.len()],
            endings: info.endings,
            firsts,
            has_ended: vec![false; places.len()],
            places,
            classes,
            has_links: false,
            least: Vec::new(),
            image: Vec::new(),
            to,
        }
    }

    /// Replaces a state by its representative.
    pub fn represent(&mut self, words: &mut Vec<u64>) {
        self.least.clear();
        let count = self.endings.map(|endings| {
            let (firsts, has_ended) = (&self.firsts, &mut self.has_ended);
            has_ended.fill(false);
            endings.restore(words, &mut |family, member| {
                has_ended[usize::from(firsts[usize::from(family)]) + member as usize] = true;
            })
        });
        self.cells.read(words);
        let colouring = self.classes_apart();
        if self.how == Symmetry::Full {
            self.permute(colouring.order, &colouring.colours, 0, words);
        } else {
            self.note_facts();
            self.search(colouring, words);
        }
        std::mem::swap(words, &mut self.least);
        if let (Some(endings), Some(count)) = (self.endings, count) {
            endings.remove(words, count);
        }
    }

    /// The first colours: the classes, and in each behind the others those members that have ended.
    fn classes_apart(&self) -> Colouring {
        let mut colouring = Colouring { order: self.places.clone(), colours: self.classes.clone() };
        if !self.has_ended.contains(&true) {
            return colouring;
        }
        let Colouring { order, colours } = &mut colouring;
        order.sort_by_key(|&member| (colours[usize::from(member)], self.has_ended[usize::from(member)]));
        for member in order.iter().copied().filter(|&member| self.has_ended[usize::from(member)]) {
            let class = self.classes[usize::from(member)];
            let is_before = |other: usize| self.classes[other] == class && !self.has_ended[other];
            let n_before = (0..self.classes.len()).filter(|&other| is_before(other)).count();
            colours[usize::from(member)] = class + n_before as u16;
        }
        colouring
    }

    /// Passes all orders of the members behind the first ones.
    fn permute(&mut self, order: Vec<Member>, colours: &[u16], n_fixed: usize, words: &[u64]) {
        let Some(&here) = order.get(n_fixed) else { return self.leaf(&order, words) };
        for next in n_fixed..order.len() {
            if colours[usize::from(order[next])] == colours[usize::from(here)] {
                let mut order = order.clone();
                order.swap(n_fixed, next);
                self.permute(order, colours, n_fixed + 1, words);
            }
        }
    }

    fn note_facts(&mut self) {
        self.alone.fill(0);
        self.has_links = false;
        for fact in self.cells.facts() {
            match fact.only_member() {
                Some(member) => {
                    let sum = &mut self.alone[usize::from(member)];
                    *sum = sum.wrapping_add(said(&fact, member, &[]));
                }
                None => self.has_links |= fact.members().next().is_some(),
            }
        }
    }

    /// Refines the colours, and passes all leaves below.
    fn search(&mut self, mut colouring: Colouring, words: &[u64]) {
        self.refine(&mut colouring);
        let Some(tied) = self.least_tied(&colouring) else { return self.leaf(&colouring.order, words) };
        let first = usize::from(tied);
        let n_members = colouring.order[first..]
            .iter()
            .take_while(|member| colouring.colours[usize::from(**member)] == tied)
            .count();
        for chosen in first..first + n_members {
            let mut next = colouring.clone();
            next.order[first..=chosen].rotate_right(1);
            for member in &next.order[first + 1..first + n_members] {
                next.colours[usize::from(*member)] = tied + 1;
            }
            self.search(next, words);
            if self.how == Symmetry::Sort {
                return;
            }
        }
    }

    fn refine(&self, colouring: &mut Colouring) {
        let Colouring { order, colours } = colouring;
        let mut signatures = self.alone.clone();
        let mut n_colours = 0;
        loop {
            if self.has_links {
                signatures.clone_from(&self.alone);
                for fact in self.cells.facts().filter(|fact| fact.only_member().is_none()) {
                    for member in fact.members() {
                        let sum = &mut signatures[usize::from(member)];
                        *sum = sum.wrapping_add(said(&fact, member, colours));
                    }
                }
            }
            let key = |member: Member| (colours[usize::from(member)], signatures[usize::from(member)]);
            order.sort_by_key(|&member| key(member));
            let mut firsts: Vec<u16> = Vec::with_capacity(order.len());
            for (at, &member) in order.iter().enumerate() {
                let is_new = at == 0 || key(order[at - 1]) != key(member);
                firsts.push(if is_new { at as u16 } else { firsts[at - 1] });
            }
            let n_before = n_colours;
            n_colours = firsts.iter().enumerate().filter(|(at, first)| *at == usize::from(**first)).count();
            for (&member, &first) in order.iter().zip(&firsts) {
                colours[usize::from(member)] = first;
            }
            if !self.has_links || n_colours == n_before || n_colours == order.len() {
                return;
            }
        }
    }

    /// The least colour with a member that some fact mentions beside another member, where both colours are shared.
    fn least_tied(&self, Colouring { order, colours }: &Colouring) -> Option<u16> {
        if !self.has_links {
            return None;
        }
        let is_shared = |member: Member| {
            let colour = colours[usize::from(member)];
            order.get(usize::from(colour) + 1).is_some_and(|&next| colours[usize::from(next)] == colour)
        };
        let mut least = None;
        for fact in self.cells.facts() {
            let mut shared = fact.members().filter(|&member| is_shared(member));
            let Some(first) = shared.next() else { continue };
            if shared.any(|other| other != first) {
                let colour =
                    fact.members().filter(|&member| is_shared(member)).map(|one| colours[usize::from(one)]).min();
                least = least.into_iter().chain(colour).min();
            }
        }
        least
    }

    /// The image in which the members of each class are in this order.
    fn leaf(&mut self, order: &[Member], words: &[u64]) {
        for (&member, &place) in order.iter().zip(&self.places) {
            self.to[usize::from(member)] = place;
        }
        self.image.clear();
        self.image.extend_from_slice(words);
        self.cells.write_image(&self.to, &mut self.image);
        if self.least.is_empty() || self.image < self.least {
            std::mem::swap(&mut self.image, &mut self.least);
        }
    }
}

/// What a fact says of a member that it mentions.
fn said(fact: &Fact<'_>, me: Member, colours: &[u16]) -> u64 {
    let name = |member: Member| match member {
        NOBODY => 0,
        member if member == me => 1,
        member => 2 + u64::from(colours[usize::from(member)]),
    };
    let start = mix(SEED, u64::from(fact.grid));
    let axes = fact.axes.iter().fold(start, |hash, &member| mix(hash, name(member) + 1));
    let raw = if fact.holds == NOBODY { u64::from(fact.raw) } else { 0 };
    mix(mix(axes, name(fact.holds) << 32 | raw), SEED)
}
