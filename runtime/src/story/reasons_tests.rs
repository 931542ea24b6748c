use super::reasons::Seen;
use super::tests::{Sample, formula};

/// `i > 3`, `flag` and `color == green`, as atoms.
const LARGE: &str = r#"["atom",[">",["v",1,null,[]],3]]"#;
const FLAG: &str = r#"["atom",["v",2,null,[]]]"#;
const GREEN: &str = r#"["atom",["==",["v",3,null,[]],["m",0,1]]]"#;

/// Why a formula is violated on a run: for each state `i`, whether `flag` holds, and whether `color` is green.
fn why(text: &str, states: &[(i32, bool, bool)], back: Option<usize>) -> Vec<String> {
    let (formula, mut sample, mut seen) = (formula(text), Sample::new(), Seen::default());
    for (steps, (i, flag, is_green)) in states.iter().enumerate() {
        sample.set(None, "i", *i, &i.to_string());
        sample.set(None, "flag", i32::from(*flag), &flag.to_string());
        let (number, color) = if *is_green { (1, "green") } else { (2, "red") };
        sample.set(None, "color", number, color);
        seen.look(sample.view(), &formula, steps);
    }
    seen.why(sample.view(), &formula, back)
}

#[test]
fn an_answer_that_does_not_come() {
    let response = format!(r#"["[]",["->",{FLAG},["<>",["&&",{GREEN},{LARGE}]]]]"#);
    let states = [(0, false, true), (1, true, false), (2, false, true), (5, false, false)];
    let expected = [
        "after step 1 `flag` is true",
        "and from then on `color == green && i > 3` is never true: color = red or i = 2",
    ];
    assert_eq!(why(&response, &states, Some(2)), expected);
    // Not violated: nothing is said.
    assert_eq!(why(&response, &[(5, true, true)], Some(0)), [""; 0]);
    assert_eq!(why(&response, &states, None), [""; 0]);
}

#[test]
fn what_must_always_hold_fails_somewhere() {
    let always = format!(r#"["[]",["!",["&&",{LARGE},{FLAG}]]]"#);
    let expected = ["after step 2 `i > 3 && flag` is true: i = 7, flag = true"];
    assert_eq!(why(&always, &[(1, true, true), (9, false, true), (7, true, true)], None), expected);
    assert_eq!(why(&format!(r#"["[]",{FLAG}]"#), &[(1, false, true)], None), ["at the start `flag` is false"]);
    let never = format!(r#"["<>",["!",{FLAG}]]"#);
    assert_eq!(why(&never, &[(1, true, true)], Some(0)), ["from the start on `flag` is always true"]);
}

#[test]
fn what_must_hold_for_ever_in_the_end_fails_each_time_around() {
    let stable = format!(r#"["<>",["[]",{FLAG}]]"#);
    let expected =
        ["from the start on `[] flag` never comes to hold: each time around the cycle", "after step 2 `flag` is false"];
    assert_eq!(why(&stable, &[(0, false, true), (0, true, true), (0, false, true)], Some(1)), expected);
    let again = format!(r#"["[]",["<>",{FLAG}]]"#);
    let expected = ["from step 1 on `flag` is never true"];
    assert_eq!(why(&again, &[(0, true, true), (0, false, true)], Some(1)), expected);
}

#[test]
fn until_ends_too_early_or_never() {
    let until = format!(r#"["U",{FLAG},{GREEN}]"#);
    let expected = ["after step 1 `flag` is false", "and `color == green` has not held before, nor does it then"];
    assert_eq!(why(&until, &[(0, true, false), (0, false, false), (0, true, true)], Some(2)), expected);
    assert_eq!(why(&until.replace("\"U\"", "\"W\""), &[(0, true, false), (0, false, false)], None), expected);
    let expected = ["from the start on `color == green` is never true: color = red"];
    assert_eq!(why(&until, &[(0, true, false)], Some(0)), expected);
    let release = format!(r#"["V",{GREEN},{FLAG}]"#);
    let expected = ["after step 1 `flag` is false", "and `color == green` has not held before"];
    assert_eq!(why(&release, &[(0, true, false), (0, false, false)], None), expected);
}

#[test]
fn next_is_the_state_behind() {
    let next = format!(r#"["->",{FLAG},["X",{GREEN}]]"#);
    let expected = ["at the start `flag` is true", "after step 1 `color == green` is false: color = red"];
    assert_eq!(why(&next, &[(0, true, false), (0, true, false)], None), expected);
}

#[test]
fn values_that_change_are_listed() {
    let never = format!(r#"["<>",{LARGE}]"#);
    let states = |n: i32| (0..n).map(|i| (i % 4, true, true)).collect::<Vec<_>>();
    assert_eq!(why(&never, &states(3), Some(0)), ["from the start on `i > 3` is never true: i is 0, 1 or 2"]);
    assert_eq!(why(&never, &states(2), Some(0)), ["from the start on `i > 3` is never true: i is 0 or 1"]);
}

#[test]
fn what_is_not_known_is_not_explained() {
    let unknown = r#"["<>",["atom",["v",8,null,[]]]]"#;
    assert_eq!(why(unknown, &[(0, true, true)], Some(0)), [""; 0]);
    assert_eq!(why(&format!(r#"["[]",{FLAG}]"#), &[], None), [""; 0]);
    assert_eq!(why(&format!(r#"["[]",{FLAG}]"#), &[(0, false, true)], Some(1)), [""; 0]);
}

#[test]
fn formulas_are_shown_with_the_parentheses_they_need() {
    let text = format!(r#"["<>",["[]",["&&",["->",{FLAG},["X",{GREEN}]],["!",["U",{LARGE},{FLAG}]]]]]"#);
    let said = why(&text, &[(0, true, false), (0, true, false)], Some(0));
    let shown = "`[] ((flag -> X (color == green)) && !((i > 3) U flag))`";
    assert!(said[0].contains(shown), "{said:?}");
}
