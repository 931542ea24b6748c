//! Makes a model smaller while it still shows the failure.

use super::{RandomModel, Stmt};

/// The smallest model found for which `still_fails` holds. A smaller model that is ill-formed must count as not
/// failing.
pub fn shrink(model: &RandomModel, mut still_fails: impl FnMut(&RandomModel) -> bool) -> RandomModel {
    let mut best = model.clone();
    // A change that did not help before will mostly not help again: the search continues where it found the last
    // change, and ends when a whole round found none.
    let (mut next, mut since_change) = (0, 0);
    loop {
        let smaller = candidates(&best);
        if since_change >= smaller.len() {
            return best;
        }
        let candidate = &smaller[next % smaller.len()];
        if still_fails(candidate) {
            best = candidate.clone();
            since_change = 0;
        } else {
            next += 1;
            since_change += 1;
        }
    }
}

/// All models that are one change smaller, the largest changes first.
fn candidates(model: &RandomModel) -> Vec<RandomModel> {
    let mut found = Vec::new();
    for number in 0..model.processes.len() {
        let mut smaller = model.clone();
        smaller.processes.remove(number);
        found.push(smaller);
    }
    for number in 0..model.claims.len() {
        let mut smaller = model.clone();
        smaller.claims.remove(number);
        found.push(smaller);
    }
    for (number, claim) in model.claims.iter().enumerate() {
        for claim in claim.smaller() {
            let mut smaller = model.clone();
            smaller.claims[number] = claim;
            found.push(smaller);
        }
    }
    for (number, process) in model.processes.iter().enumerate() {
        for body in smaller_sequences(&process.body) {
            let mut smaller = model.clone();
            smaller.processes[number].body = body;
            found.push(smaller);
        }
        for local in 0..process.locals.len() {
            let mut smaller = model.clone();
            smaller.processes[number].locals.remove(local);
            found.push(smaller);
        }
    }
    for number in 0..model.declarations.len() {
        let mut smaller = model.clone();
        smaller.declarations.remove(number);
        found.push(smaller);
    }
    found
}

/// The sequence without one statement, or with one made smaller.
fn smaller_sequences(statements: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut found = Vec::new();
    for (number, statement) in statements.iter().enumerate() {
        let replaced = |by: Vec<Stmt>| {
            let mut sequence = statements.to_vec();
            sequence.splice(number..=number, by);
            sequence
        };
        if statements.len() > 1 {
            found.push(replaced(Vec::new()));
        }
        found.extend(smaller_statements(statement).into_iter().map(replaced));
    }
    found
}

/// The replacements of a statement: its parts, or itself with a smaller part.
fn smaller_statements(statement: &Stmt) -> Vec<Vec<Stmt>> {
    match statement {
        Stmt::Simple(Some(_), text) => vec![vec![Stmt::Simple(None, text.clone())]],
        Stmt::Simple(None, text) if text != "skip" && text != "else" && text != "break" => {
            vec![vec![Stmt::Simple(None, "skip".to_owned())]]
        }
        Stmt::Simple(None, _) => Vec::new(),
        Stmt::Block(word, body) => {
            let mut found = vec![body.clone()];
            found.extend(smaller_sequences(body).into_iter().map(|body| vec![Stmt::Block(word, body)]));
            found
        }
        Stmt::Headed(head, body) => {
            let mut found = vec![body.clone()];
            found.extend(smaller_sequences(body).into_iter().map(|body| vec![Stmt::Headed(head.clone(), body)]));
            found
        }
        Stmt::Choice(word, options) => {
            let mut found = options.clone();
            for (number, option) in options.iter().enumerate() {
                if options.len() > 1 {
                    let mut fewer = options.clone();
                    fewer.remove(number);
                    found.push(vec![Stmt::Choice(word, fewer)]);
                }
                for smaller in smaller_sequences(option) {
                    let mut changed = options.clone();
                    changed[number] = smaller;
                    found.push(vec![Stmt::Choice(word, changed)]);
                }
            }
            found
        }
        Stmt::Unless(body, escape) => {
            let mut found = vec![body.clone(), escape.clone()];
            let smaller_body = smaller_sequences(body).into_iter().map(|body| Stmt::Unless(body, escape.clone()));
            let smaller_escape = smaller_sequences(escape).into_iter().map(|escape| Stmt::Unless(body.clone(), escape));
            found.extend(smaller_body.chain(smaller_escape).map(|unless| vec![unless]));
            found
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_model;
    use super::*;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let has_run = |model: &RandomModel| model.to_string().contains("run C");
        let seed = (0..1000).find(|seed| has_run(&random_model(*seed))).expect("one in a few models has a run");
        let smallest = shrink(&random_model(seed), has_run);
        assert_eq!(smallest.processes.len(), 1);
        assert!(smallest.declarations.is_empty());
        let text = smallest.to_string();
        assert_eq!(text.matches(';').count(), 0, "one statement is left:\n{text}");
    }
}
