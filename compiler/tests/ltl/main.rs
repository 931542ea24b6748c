//! Formulas and their automata: what is accepted, what is printed, how large it is.

mod acceptance;
mod formulas;
mod lasso;
mod limits;
mod propositions;
mod random;
mod sizes;
mod spin;
mod stutter_robust;
