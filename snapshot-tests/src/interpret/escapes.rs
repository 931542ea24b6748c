//! The escapes (`unless`) at a point, and what a statement begins with.

use pmc::model::StatementKind;

use super::program::{Code, Point};

impl Code<'_> {
    /// The statements that something begins with, those of all options of a choice.
    pub fn firsts(&self, point: Point) -> Vec<Point> {
        let head = self.head(point);
        match self.kind(head) {
            Some(StatementKind::If(_) | StatementKind::Do(_)) => {
                self.place(head).parts.iter().flat_map(|option| self.firsts(*option)).collect()
            }
            _ => vec![head],
        }
    }

    /// The escapes at a point, each as the statements that it begins with, the outermost first.
    ///
    /// Spin copies the steps of an escape to the points that it covers, one point after the other by their numbers. If
    /// the escape has had its turn before, its own escapes have been copied to it: they come along, and are one with it.
    /// That is so for an escape inside of a block or a choice, at the point in front of this block or choice.
    pub fn escapes(&self, point: Point) -> Vec<Vec<Point>> {
        let mut known = self.firsts(point);
        let mut groups = Vec::new();
        for escape in self.firsts(point).into_iter().flat_map(|first| self.covering(first)) {
            let mut steps = self.firsts(escape);
            if self.place(escape).number < self.place(point).number {
                steps.extend(self.escapes(escape).into_iter().rev().flatten());
            }
            steps.retain(|step| !known.contains(step));
            known.extend(&steps);
            groups.push(steps);
        }
        groups.reverse();
        groups
    }

    /// Where the escapes that cover a statement begin, from the innermost to the outermost. A `goto` there is no step. None
    /// covers the point behind a choice.
    fn covering(&self, point: Point) -> Vec<Point> {
        let place = self.place(point);
        let covering = place.escapes.iter().rev().filter(|_| !place.is_join);
        covering.map(|escape| self.settle_from(*escape, self.keeps_control(point))).collect()
    }
}
