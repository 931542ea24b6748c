//! Formulas: a module each, with the automaton of its negation.
//!
//! A guard is an expression over the atoms, each of which is a function. A long guard is split into functions, so that
//! the size of the code is linear in that of the automaton, however often its parts are shared.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::claims::ClaimPoint;
use super::expr::{ExprCode, Precedence, Scope};
use super::names::{bare, count, doc, visible};
use super::parameters::mentions;
use super::parameters::{parameter, used};
use super::{GeneratedFile, Generator};
use crate::collections::IdVec;
use crate::exec::effects::Executable;
use crate::ir::formula::{AtomId, Automaton, Guard, Question, QuestionId};
use crate::tables::guard_text;

/// Guards that test more atoms than this are split.
const LONGEST_GUARD: u64 = 8;
/// Guards with deeper nesting are split, whatever they test.
const DEEPEST: u32 = 6;

/// The automaton of one formula while its module is generated.
struct FormulaCode<'g, 'a> {
    generator: &'g Generator<'a>,
    automaton: &'g Automaton,
    atoms: IdVec<AtomId, Atom>,
    /// Guards that are functions of their own.
    cuts: IdVec<QuestionId, bool>,
    can_fail: IdVec<QuestionId, bool>,
    uses_timeout: bool,
}

struct Atom {
    name: Ident,
    function: TokenStream,
    can_fail: bool,
    uses_timeout: bool,
}

impl Generator<'_> {
    pub fn formula_file(&self, number: usize) -> GeneratedFile {
        let ltl = &self.program.model.formulas[number];
        let text = visible(&self.names.statement_text(ltl.written));
        let name = visible(&ltl.name);
        let heading = format!("The automaton of the negated formula `{name}`: `{text}`\n\n{HEADING}");
        self.file(&bare(&self.names.formulas[number].module), &heading, self.formula(number))
    }

    pub fn formula_uses_timeout(&self, number: usize) -> bool {
        self.exec.formulas[number].iter().any(|atom| atom.effects().uses_timeout)
    }

    /// Everything in the module of a formula.
    fn formula(&self, number: usize) -> TokenStream {
        let names = &self.names.formulas[number];
        let formula = FormulaCode::new(self, number);
        let locations = self.claim_locations(&self.formula_points(number));
        let (mut arms, mut constants, mut guards) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
        let mut n_moves = 0;
        for (from, location) in formula.automaton.locations.iter_enumerated() {
            let (name, mut calls) = (&names.locations[from], TokenStream::new());
            for (edge, constant) in location.edges.iter().zip(&names.moves[from]) {
                let condition = formula.condition(edge.guard, constant, &mut guards);
                calls.extend(quote! { go(#constant, #condition, moves); });
                let text = doc(&format!(" {}", formula.text(edge.guard)));
                constants.extend(self.move_constant(&text, constant, n_moves, &names.locations[edge.to], false));
                n_moves += 1;
            }
            arms.extend(quote! { Location::#name => { #calls } });
        }
        let questions = formula.functions();
        let code = quote! { #arms #guards #questions };
        let atoms = formula.atoms.iter().filter(|atom| mentions(&code, &atom.name.to_string()));
        let atoms = atoms.map(|atom| &atom.function);
        // Only a part of the formula that was simplified away may use it.
        let timeout = parameter("timeout", &arms);
        let timeout = formula.uses_timeout.then(|| quote! { #timeout: bool, });
        let (now, moves) = (parameter("now", &arms), parameter("moves", &arms));
        let body = quote! {
            #locations
            /// Offers every move that the automaton can make from `at` in `now`.
            pub fn offer_moves(
                at: ClaimLocation, #now: &State, #timeout #moves: &mut impl ClaimMoves<State>
            ) {
                match Location::ALL[at.index()] {
                    #arms
                }
            }
            #guards
            #questions
            #(#atoms)*
            #constants
        };
        let import = Self::import();
        quote! { #import #body }
    }

    fn formula_points(&self, number: usize) -> Vec<ClaimPoint<'_>> {
        let automaton = &self.program.formulas[number];
        let points = automaton.locations.iter().zip(&self.names.formulas[number].locations);
        let point = |(location, name)| {
            let location: &crate::ir::formula::FormulaLocation = location;
            let text = match location {
                location if location.is_end => Some(" Whatever follows, the formula is violated."),
                location if location.is_accepting => Some(" Accepting: a run must not come here again and again."),
                location if location.edges.is_empty() => Some(" Whatever follows, the formula holds."),
                _ => None,
            };
            ClaimPoint { name, doc: text.map(doc) }
        };
        points.map(point).collect()
    }
}

const HEADING: &str = "This automaton accepts the runs that violate the formula: those on which it visits an
accepting location infinitely often. It moves before every step of the model.";

impl<'g, 'a> FormulaCode<'g, 'a> {
    fn new(generator: &'g Generator<'a>, number: usize) -> Self {
        let automaton = &generator.program.formulas[number];
        let names = &generator.names.formulas[number];
        let tests = generator.exec.formulas[number].iter();
        let atoms: IdVec<AtomId, Atom> = automaton
            .atoms
            .iter()
            .zip(tests)
            .zip(&names.atoms)
            .map(|((atom, test), name)| {
                let effects = test.effects();
                let truth = Scope::new(generator, None, "now").truth(test);
                let (can_fail, uses_timeout) = (effects.can_fail, effects.uses_timeout);
                let (ty, truth) = if can_fail {
                    (quote! { Result<bool, Fault> }, quote! { Ok(#truth) })
                } else {
                    (quote! { bool }, truth)
                };
                let timeout = uses_timeout.then(|| quote! { , timeout: bool });
                let now = used("now", effects.reads_state());
                let doc = generator.names.source_line(atom.span);
                let function = quote! { #doc fn #name(#now: &State #timeout) -> #ty { #truth } };
                Atom { name: name.clone(), function, can_fail, uses_timeout }
            })
            .collect();
        let mut can_fail: IdVec<QuestionId, bool> = IdVec::new();
        for question in &automaton.questions {
            let fails = |guard: Guard| matches!(guard, Guard::Ask(id) if can_fail[id]);
            let any = atoms[question.atom].can_fail || fails(question.yes) || fails(question.no);
            can_fail.push(any);
        }
        let cuts = cuts(automaton);
        let uses_timeout = atoms.iter().any(|atom| atom.uses_timeout);
        Self { generator, automaton, atoms, cuts, can_fail, uses_timeout }
    }

    /// The guard of an edge as an argument; if it can fail, as a function of its own.
    fn condition(&self, guard: Guard, constant: &Ident, functions: &mut TokenStream) -> TokenStream {
        let argument = self.uses_timeout.then(|| quote! { , timeout });
        match guard {
            Guard::Ask(question) if self.can_fail[question] && !self.cuts[question] => {
                let name = format_ident!("{}", constant.to_string().to_lowercase());
                let (text, code) = (doc(&format!(" {}", self.text(guard))), self.guard(guard).tokens);
                let parameter = self.timeout(&code);
                functions.extend(quote! {
                    #text
                    fn #name(now: &State #parameter) -> Result<bool, Fault> { Ok(#code) }
                });
                quote! { #name(now #argument) }
            }
            Guard::Ask(question) if self.cuts[question] => {
                let name = question_name(question);
                quote! { #name(now #argument) }
            }
            guard => self.guard(guard).tokens,
        }
    }

    /// Every part of a long guard that is a function of its own.
    fn functions(&self) -> TokenStream {
        let mut functions = TokenStream::new();
        for (id, question) in self.automaton.questions.iter_enumerated().filter(|(id, _)| self.cuts[*id]) {
            let name = question_name(id);
            let code = self.question(question).tokens;
            let parameter = self.timeout(&code);
            let text = doc(&format!(" {}", self.text(Guard::Ask(id))));
            let (ty, code) = if self.can_fail[id] {
                (quote! { Result<bool, Fault> }, quote! { Ok(#code) })
            } else {
                (quote! { bool }, code)
            };
            functions.extend(quote! { #text fn #name(now: &State #parameter) -> #ty { #code } });
        }
        functions
    }

    /// The parameter for it, if the formula uses it; not every part does.
    fn timeout(&self, code: &TokenStream) -> Option<TokenStream> {
        let timeout = parameter("timeout", code);
        self.uses_timeout.then(|| quote! { , #timeout: bool })
    }

    fn guard(&self, guard: Guard) -> ExprCode {
        match guard {
            Guard::Always => ExprCode::atom(quote! { true }),
            Guard::Never => ExprCode::atom(quote! { false }),
            Guard::Ask(id) if self.cuts[id] => {
                let (name, argument) = (question_name(id), self.uses_timeout.then(|| quote! { , timeout }));
                let fails = self.can_fail[id].then(|| quote! { ? });
                ExprCode::atom(quote! { #name(now #argument)#fails })
            }
            Guard::Ask(id) => self.question(&self.automaton.questions[id]),
        }
    }

    fn question(&self, question: &Question) -> ExprCode {
        let atom = &self.atoms[question.atom];
        let name = &atom.name;
        let timeout = atom.uses_timeout.then(|| quote! { , timeout });
        let fails = atom.can_fail.then(|| quote! { ? });
        let holds = quote! { #name(now #timeout)#fails };
        let and = |first: TokenStream, rest: ExprCode| {
            let rest = rest.within(Precedence::And);
            ExprCode { tokens: quote! { #first && #rest }, precedence: Precedence::And }
        };
        let or = |first: TokenStream, rest: ExprCode| {
            let rest = rest.within(Precedence::Or);
            ExprCode { tokens: quote! { #first || #rest }, precedence: Precedence::Or }
        };
        match (question.yes, question.no) {
            (Guard::Always, Guard::Never) => ExprCode::atom(holds),
            (Guard::Never, Guard::Always) => ExprCode { tokens: quote! { !#holds }, precedence: Precedence::Unary },
            (yes, Guard::Never) => and(holds, self.guard(yes)),
            (Guard::Never, no) => and(quote! { !#holds }, self.guard(no)),
            (Guard::Always, no) => or(holds, self.guard(no)),
            (yes, Guard::Always) => or(quote! { !#holds }, self.guard(yes)),
            (yes, no) => {
                let (yes, no) = (self.guard(yes).tokens, self.guard(no).tokens);
                ExprCode { tokens: quote! { if #holds { #yes } else { #no } }, precedence: Precedence::If }
            }
        }
    }

    /// A guard as text over the author's conditions.
    fn text(&self, guard: Guard) -> String {
        guard_text(self.generator.names.sources(), self.automaton, guard)
    }
}

fn question_name(id: QuestionId) -> Ident {
    format_ident!("part_{}", count(id.0 as usize).to_string())
}

/// The tests that are functions of their own: inside a long guard those that are used several times, and some of those
/// that are deep.
fn cuts(automaton: &Automaton) -> IdVec<QuestionId, bool> {
    let mut length: IdVec<QuestionId, u64> = IdVec::new();
    let mut height: IdVec<QuestionId, u32> = IdVec::new();
    let mut n_uses: IdVec<QuestionId, u32> = automaton.questions.iter().map(|_| 0).collect();
    for question in &automaton.questions {
        let (mut long, mut high) = (1_u64, 0);
        for part in [question.yes, question.no] {
            if let Guard::Ask(id) = part {
                n_uses[id] += 1;
                long = long.saturating_add(length[id]);
                high = high.max(height[id] + 1);
            }
        }
        length.push(long);
        height.push(high);
    }
    // The parts of long guards, transitively.
    let mut is_in_long: IdVec<QuestionId, bool> = length.iter().map(|long| *long > LONGEST_GUARD).collect();
    for id in automaton.questions.ids().rev() {
        let question = &automaton.questions[id];
        for part in [question.yes, question.no] {
            if let (Guard::Ask(part), true) = (part, is_in_long[id]) {
                is_in_long[part] = true;
            }
        }
    }
    let is_cut = |id: QuestionId| {
        let is_shared = n_uses[id] > 1 && length[id] > 1;
        let is_deep = height[id] > 0 && height[id].is_multiple_of(DEEPEST);
        is_in_long[id] && (is_shared || is_deep)
    };
    automaton.questions.ids().map(is_cut).collect()
}
