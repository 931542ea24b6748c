//! The figures that Spin gave for the models of the language, from `expected.csv`.

use std::path::{Path, PathBuf};

/// One run of Spin on one model.
#[derive(Clone, Debug)]
pub struct Row {
    pub model: String,
    pub mode: String,
    pub spin_flags: String,
    pub cc_flags: String,
    pub pan_flags: String,
    /// States, transitions and errors; nothing if Spin could not run the model.
    pub figures: Option<[usize; 3]>,
    pub first_error: String,
}

/// Where the models are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models")
}

/// All rows of one mode.
pub fn rows(mode: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("expected.csv");
    let text = std::fs::read_to_string(&path).expect("expected.csv stands beside the models");
    let rows = text.lines().skip(1).map(|line| row(&fields(line)));
    rows.filter(|row| row.mode == mode).collect()
}

fn row(fields: &[String]) -> Row {
    let field = |n: usize| fields.get(n).cloned().unwrap_or_default();
    let number = |n: usize| field(n).parse::<usize>().ok();
    let figures = match (number(5), number(6), number(8)) {
        (Some(states), Some(transitions), Some(errors)) => Some([states, transitions, errors]),
        _ => None,
    };
    Row {
        model: field(0),
        mode: field(1),
        spin_flags: field(2),
        cc_flags: field(3),
        pan_flags: field(4),
        figures,
        first_error: field(9),
    }
}

/// The fields of a line; a quoted one may hold commas and doubled quotes.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => fields.last_mut().expect("one at least").push(other),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_field_may_hold_commas() {
        assert_eq!(fields(r#"a,"b, c",,d"#), ["a", "b, c", "", "d"]);
    }

    #[test]
    fn there_is_a_row_for_every_model_and_mode() {
        assert!(rows("exact").len() > 400);
        assert!(rows("first").iter().any(|row| row.model == "err_index_high"));
    }
}
