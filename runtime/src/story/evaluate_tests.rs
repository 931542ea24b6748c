use super::meaning::{Place, Type};
use super::tests::{Sample, expr};

/// The value of an expression and its text, in the state of the sample.
fn told(text: &str) -> (Option<i32>, String) {
    let sample = Sample::new();
    let expr = expr(text);
    (sample.view().value(&expr), sample.view().text(&expr))
}

fn check(expected: &[(&str, Option<i32>, &str)]) {
    for (json, value, text) in expected {
        assert_eq!(told(json), (*value, (*text).to_owned()), "{json}");
    }
}

const I: &str = r#"["v",1,null,[]]"#;
const FLAG: &str = r#"["v",2,null,[]]"#;
const X: &str = r#"["v",7,null,[]]"#;

#[test]
fn arithmetic_is_that_of_32_bits() {
    check(&[
        (r#"["+",2147483647,1]"#, Some(i32::MIN), "2147483647 + 1"),
        (r#"["*",65536,65536]"#, Some(0), "65536 * 65536"),
        (r#"["neg",["v",1,null,[]]]"#, Some(-1), "-i"),
        (r#"["~",0]"#, Some(-1), "~0"),
        (r#"["/",-7,2]"#, Some(-3), "-7 / 2"),
        (r#"["%",-7,2]"#, Some(-1), "-7 % 2"),
        (r#"["/",1,0]"#, None, "1 / 0"),
        (r#"["/",-2147483648,-1]"#, None, "-2147483648 / -1"),
        (r#"["<<",1,33]"#, Some(2), "1 << 33"),
        (r#"[">>",-8,1]"#, Some(-4), "-8 >> 1"),
        (r#"["^",6,["&",3,2]]"#, Some(4), "6 ^ 3 & 2"),
        (r#"["*",["+",1,2],3]"#, Some(9), "(1 + 2) * 3"),
        (r#"["-",5,["-",3,1]]"#, Some(3), "5 - (3 - 1)"),
        (r#"["?",1,4,["/",1,0]]"#, Some(4), "(1 -> 4 : 1 / 0)"),
    ]);
}

#[test]
fn the_right_side_counts_only_if_the_left_one_does_not_decide() {
    check(&[
        (r#"["&&",0,["/",1,0]]"#, Some(0), "0 && 1 / 0"),
        (r#"["||",3,["/",1,0]]"#, Some(1), "3 || 1 / 0"),
        (r#"["&&",3,["/",1,0]]"#, None, "3 && 1 / 0"),
        (r#"["||",["/",1,0],1]"#, None, "1 / 0 || 1"),
        (r#"["!",["&&",2,4]]"#, Some(0), "!(2 && 4)"),
    ]);
}

#[test]
fn places_have_the_values_of_the_state() {
    check(&[
        (I, Some(1), "i"),
        (r#"["v",0,["v",1,null,[]],[]]"#, Some(6), "a[i]"),
        (r#"["v",0,["+",["v",1,null,[]],2],[]]"#, None, "a[i + 2]"),
        (r#"["v",4,1,[[1,2]]]"#, Some(-4), "at[1].y[2]"),
        (r#"["v",8,null,[]]"#, None, "unknown"),
        (r#"["==",["v",2,null,[]],1]"#, Some(1), "flag == true"),
        (r#"["==",["v",3,null,[]],["m",0,2]]"#, Some(1), "color == red"),
        (X, Some(11), "x"),
        (r#"[":",0,0,["v",7,null,[]]]"#, Some(10), "worker[0]:x"),
        (r#"[":",0,5,["v",7,null,[]]]"#, None, "worker[5]:x"),
        (r#"["@",0,1,"critical"]"#, Some(1), "worker[1]@critical"),
        (r#"["@",0,null,"critical"]"#, Some(0), "worker@critical"),
        (r#"["_pid"]"#, Some(1), "_pid"),
        (r#"["_nr_pr"]"#, Some(2), "_nr_pr"),
        (r#"["timeout"]"#, None, "timeout"),
    ]);
}

#[test]
fn channels_are_asked_for_what_they_hold() {
    let q = r#"["v",5,null,[]]"#;
    let poll = |pattern: &str| format!(r#"["?[",{q},[{pattern}]]"#);
    check(&[
        (&format!(r#"["len",{q}]"#), Some(1), "len(q)"),
        (&format!(r#"["nempty",{q}]"#), Some(1), "nempty(q)"),
        (&format!(r#"["full",{q}]"#), Some(0), "full(q)"),
        (&format!(r#"["nfull",{q}]"#), Some(1), "nfull(q)"),
        (r#"["len",["v",6,null,[]]]"#, Some(0), "len(r)"),
        (r#"["full",["v",6,null,[]]]"#, Some(0), "full(r)"),
        (&poll(r#"["=",["m",0,2]],null"#), Some(1), "q?[red,_]"),
        (&poll(r#"["=",["m",0,1]],null"#), Some(0), "q?[green,_]"),
        (&poll(r#"["=",["m",0,2]],["=",["+",["v",1,null,[]],8]]"#), Some(1), "q?[red,eval(i + 8)]"),
        (&poll(r#"["=",["v",8,null,[]]],null"#), None, "q?[eval(unknown),_]"),
    ]);
}

#[test]
fn a_mistake_is_found_where_it_is_made() {
    let mistake = |text: &str| {
        let sample = Sample::new();
        sample.view().mistake(&expr(text)).map(|mistake| mistake.explanation())
    };
    let outside = r#"["v",0,["+",["v",1,null,[]],2],[]]"#;
    assert_eq!(mistake(outside).as_deref(), Some("the index is i + 2 = 3, and there are a[0] to a[2]"));
    assert_eq!(
        mistake(r#"["v",4,1,[[1,-1]]]"#).as_deref(),
        Some("the index is -1, and there are at[1].y[0] to at[1].y[2]")
    );
    assert_eq!(mistake(r#"["%",1,["-",["v",1,null,[]],1]]"#).as_deref(), Some("the divisor is i - 1 = 0"));
    assert_eq!(mistake(r#"["/",1,0]"#).as_deref(), Some("the divisor is 0"));
    // Not where the left side decides, nor on the way that is not taken.
    assert_eq!(mistake(&format!(r#"["&&",0,{outside}]"#)), None);
    assert!(mistake(&format!(r#"["&&",1,{outside}]"#)).is_some());
    assert_eq!(mistake(&format!(r#"["?",0,{outside},1]"#)), None);
    assert!(mistake(&format!(r#"["?",1,{outside},1]"#)).is_some());
}

#[test]
fn what_an_expression_reads_is_what_decides() {
    let reads = |text: &str| {
        let (sample, mut reads) = (Sample::new(), Vec::new());
        sample.view().reads(&expr(text), &mut reads);
        reads.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(reads(&format!(r#"["+",["v",0,{I},[]],{I}]"#)), "a[1] = 6, i = 1");
    assert_eq!(reads(&format!(r#"["||",{FLAG},{I}]"#)), "flag = true");
    assert_eq!(reads(&format!(r#"["&&",{FLAG},{I}]"#)), "flag = true, i = 1");
    assert_eq!(reads(r#"["len",["v",5,null,[]]]"#), "len(q) = 1");
    assert_eq!(reads(r#"["?[",["v",5,null,[]],[null,null]]"#), "q = [red(9)]");
    assert_eq!(reads(r#"[":",0,0,["v",7,null,[]]]"#), "worker[0]:x = 10");
    assert_eq!(reads(r#"["@",0,1,"critical"]"#), "worker[1] = at model.pml:7");
    assert_eq!(reads(r#"["v",8,null,[]]"#), "");
}

#[test]
fn an_expression_that_is_not_as_expected_says_why() {
    let why = |text: &str| Sample::new().view().why_not(&expr(text), true).join("; ");
    assert_eq!(why(&format!(r#"["==",{I},4]"#)), "i = 1, expected 4");
    assert_eq!(why(&format!(r#"["<",4,{I}]"#)), "i = 1, expected more than 4");
    assert_eq!(why(&format!(r#"["!",{FLAG}]"#)), "flag = true");
    assert_eq!(why(r#"["==",["v",3,null,[]],["m",0,1]]"#), "color = red, expected green");
    assert_eq!(why(&format!(r#"["==",["v",0,{I},[]],{X}]"#)), "a[1] = 6, x = 11, expected to be equal");
    assert_eq!(why(&format!(r#"[">",["+",{I},{X}],20]"#)), "i + x = 12, expected more than 20 (i = 1, x = 11)");
    assert_eq!(why(&format!(r#"["&&",{FLAG},["==",{I},2]]"#)), "i = 1, expected 2");
    assert_eq!(why(&format!(r#"["||",["==",{I},2],["==",{I},3]]"#)), "i = 1, expected 2; i = 1, expected 3");
}

#[test]
fn values_are_cut_to_their_types() {
    let cut = |ty: Type, value: i32| (ty.truncate(value, false), ty.truncate(value, true));
    assert_eq!(cut(Type::Bit, 3), (1, 3));
    assert_eq!(cut(Type::Byte, -1), (255, 255));
    assert_eq!(cut(Type::Short, 40_000), (-25_536, -25_536));
    assert_eq!(cut(Type::Unsigned(3), 9), (1, 1));
    assert_eq!(cut(Type::Int, -9), (-9, -9));
}

#[test]
fn a_place_has_a_name_with_the_values_of_its_indices() {
    let sample = Sample::new();
    let place = |index| Place { variable: 0, index: Some(Box::new(expr(index))), fields: Vec::new() };
    let name = |index| sample.view().name(&place(index)).map(|(_, name)| name);
    assert_eq!(name(I).as_deref(), Some("a[1]"));
    assert_eq!(name(r#"["v",8,null,[]]"#), None);
    assert_eq!(sample.view().place_now(&place(r#"["v",8,null,[]]"#)), "a[unknown]");
    assert_eq!(sample.view().ty(&place(I)), Some((Type::Byte, true)));
}
