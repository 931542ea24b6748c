//! The questions about the infinite runs of a model, and the answers of the explicit product: the reference for Spin
//! and for generated verifiers.

use pmc::model::Model;

use crate::interpret::{NoAnswer, Options, Program, Property, Runs, System, Verdict, decide};

/// A property of a model by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    Acceptance,
    Progress,
    /// Whether time passes, in a model with timers.
    Zeno,
    /// A formula or a never claim.
    Claim(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub subject: Subject,
    pub fair: bool,
}

/// The right answer, and the answer if finite runs did not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub violated: bool,
    pub violated_without_ended: bool,
}

/// All questions: each claim, or acceptance if there is none; progress, if there is a progress label; and the passing of
/// time, if there are timers.
pub fn subjects(model: &Model) -> Vec<Subject> {
    let formulas = model.formulas.iter().map(|ltl| ltl.name.to_string());
    let claims = model.never.iter().map(|never| never.name.to_string());
    let mut subjects: Vec<Subject> = formulas.chain(claims).map(Subject::Claim).collect();
    let has_label = |is_wanted: fn(&pmc::model::Label) -> bool| {
        model.proctypes.iter().any(|process| process.labels.iter().any(is_wanted))
    };
    if subjects.is_empty() && has_label(pmc::model::Label::is_accept) {
        subjects.push(Subject::Acceptance);
    }
    if has_label(pmc::model::Label::is_progress) {
        subjects.push(Subject::Progress);
    }
    if model.variables.iter().any(|variable| model.has_timer(variable.ty)) {
        subjects.push(Subject::Zeno);
    }
    subjects
}

/// The same with and without fairness.
pub fn questions(model: &Model) -> Vec<Question> {
    let both = |subject: Subject| [false, true].map(|fair| Question { subject: subject.clone(), fair });
    subjects(model).into_iter().flat_map(both).collect()
}

/// Answers questions about a model, or returns why they cannot be answered.
pub fn answers(model: &Model, questions: &[Question], options: &Options) -> Result<Vec<Answer>, NoAnswer> {
    let program = Program::new(model, options);
    let mut system = System::new(&program);
    let mut answers = Vec::new();
    for question in questions {
        let property = property(model, &question.subject);
        let mut ask = |ended| {
            decide(&mut system, property, Runs { fair: question.fair, ended, ..Runs::ALL }).map(Verdict::is_violated)
        };
        answers.push(Answer { violated: ask(true)?, violated_without_ended: ask(false)? });
    }
    Ok(answers)
}

/// The property of a name; an unknown name means acceptance.
pub fn property<'m>(model: &'m Model, subject: &Subject) -> Property<'m> {
    let name = match subject {
        Subject::Acceptance => return Property::Acceptance,
        Subject::Progress => return Property::Progress,
        Subject::Zeno => return Property::Zeno,
        Subject::Claim(name) => name,
    };
    let formula = model.formulas.iter().find(|ltl| *ltl.name == **name);
    let never = model.never.iter().position(|never| *never.name == **name);
    match (formula, never) {
        (Some(ltl), _) => Property::Formula(&ltl.formula),
        (None, Some(number)) => Property::Never(number),
        (None, None) => Property::Acceptance,
    }
}
