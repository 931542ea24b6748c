//! What the resolver makes of a model that has no errors.

use super::{model, resolve};
use pmc::model::{ExprKind, Init, Model, Pattern, Statement, StatementKind, Target};

fn initial(model: &Model, name: &str) -> Vec<i32> {
    let variable = model.variables.iter().find(|variable| &*variable.name == name).expect("declared");
    match &variable.init {
        Init::All(value) => vec![value.as_constant().expect("a constant")],
        Init::List(values) => values.iter().map(|value| value.as_constant().expect("a constant")).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn mtype_names_count_down_and_lists_go_on_above() {
    let model = model("mtype = { a1, a2 }; mtype = { b1, b2, b3 }; mtype:k = { c }; init { skip }");
    let names = |number: usize| -> Vec<(String, i32)> {
        let mtype = model.mtypes.iter().nth(number).expect("two kinds");
        mtype.names.iter().map(|name| (name.name.to_string(), name.value)).collect()
    };
    let expected = [("b1", 5), ("b2", 4), ("b3", 3), ("a1", 2), ("a2", 1)];
    assert_eq!(names(0), expected.map(|(name, value)| (name.to_owned(), value)));
    assert_eq!(names(1), [("c".to_owned(), 1)]);
}

/// `type_global_order`: narrow variables are set before wider ones.
#[test]
fn globals_are_set_by_width() {
    let model = model(
        "int a = 3; int b = a * 2 + 1; bit d = b; byte c[2] = b; int e = (a > 2 -> 10 : 20); byte f = -1;
         init { skip }",
    );
    assert_eq!(initial(&model, "b"), [7]);
    assert_eq!(initial(&model, "d"), [0]);
    assert_eq!(initial(&model, "c"), [0]);
    assert_eq!(initial(&model, "e"), [10]);
    assert_eq!(initial(&model, "f"), [255]);
}

#[test]
fn declarations_are_steps_unless_at_the_head() {
    let model = model(
        "byte g; active proctype P() { byte a = 1; xs q; byte b[2]; g = a; byte c = 3; byte d[2] = 4 }
                       chan q = [1] of { byte };"
            .replace("xs q;", "")
            .as_str(),
    );
    let process = model.proctypes.iter().next().expect("P");
    assert_eq!(initial(&model, "a"), [1]);
    assert_eq!(initial(&model, "c"), Vec::<i32>::new());
    let targets: Vec<(String, bool)> = process
        .body
        .iter()
        .map(|statement| match &statement.kind {
            StatementKind::Assign { target: Target::Place(place), .. } => {
                (model.variables[place.variable].name.to_string(), place.index.is_some())
            }
            other => panic!("an assignment, not {other:?}"),
        })
        .collect();
    assert_eq!(targets, [("g".to_owned(), false), ("c".to_owned(), false), ("d".to_owned(), true)]);
}

#[test]
fn small_constant_selects_are_choices() {
    let kinds = |text: &str| -> Vec<&'static str> {
        let model = model(&format!("byte v, n; init {{ {text} }}"));
        let body = &model.proctypes.iter().next().expect("init").body;
        body.iter()
            .map(|statement| match &statement.kind {
                StatementKind::If(choices) if choices.len() == 33 => "if of 33",
                StatementKind::If(_) => "if",
                StatementKind::Do(choices) => match &choices[0].body[0].kind {
                    StatementKind::Break => "do, break first",
                    _ => "do, break last",
                },
                _ => "step",
            })
            .collect()
    };
    assert_eq!(kinds("select (v : 1 .. 33)"), ["if of 33"]);
    assert_eq!(kinds("select (v : 1 .. 34)"), ["step", "do, break last"]);
    assert_eq!(kinds("select (v : 1 .. (3))"), ["step", "do, break first"]);
    assert_eq!(kinds("select (v : 1 .. n)"), ["step", "do, break first"]);
    assert_eq!(kinds("for (v : 1 .. n) { skip }"), ["step", "do, break last"]);
}

#[test]
fn constants_are_folded() {
    let model = model("int x; init { x = (2 + 3) * 4; x = (1 -> x : 7); x = 0 && x }");
    let body = &model.proctypes.iter().next().expect("init").body;
    let values: Vec<&ExprKind> = body
        .iter()
        .map(|statement| match &statement.kind {
            StatementKind::Assign { value, .. } => &value.kind,
            other => panic!("an assignment, not {other:?}"),
        })
        .collect();
    assert!(matches!(values[0], ExprKind::Constant(20)));
    assert!(matches!(values[1], ExprKind::Read(_)));
    assert!(matches!(values[2], ExprKind::Constant(0)));
}

#[test]
fn variables_in_a_trace_match_anything() {
    let model = model(
        "byte x; chan q = [1] of { byte }; active proctype P() { q!1; q?x }
         trace { q!x; q?x; q!3; q?eval(x) }",
    );
    let trace = model.trace.expect("a trace");
    let kinds: Vec<&str> = trace
        .process
        .body
        .iter()
        .map(|statement| match &statement.kind {
            StatementKind::Event { pattern, .. } => match pattern[..] {
                [Pattern::Ignore] => "anything",
                [Pattern::Equal(_)] => "equal",
                _ => "other",
            },
            other => panic!("an event, not {other:?}"),
        })
        .collect();
    assert_eq!(kinds, ["anything", "anything", "equal", "equal"]);
}

#[test]
fn pids_follow_the_text() {
    let model =
        model("active [2] proctype A() { skip } init { run B() } proctype B() { skip } active proctype C() { skip }");
    let names: Vec<_> = model.initial.iter().map(|id| &*model.proctypes[*id].name).collect();
    assert_eq!(names, ["A", "A", "init", "C"]);
}

#[test]
fn every_site_that_a_channel_may_come_from_is_listed() {
    let model = model(
        "typedef T { chan c = [1] of { byte } }; T t[2]; chan q[3] = [0] of { byte };
         proctype P(chan c) { c!1; c?1 }
         init { run P(q[1]); run P(t[0].c) }",
    );
    let counts: Vec<u32> = model.sites.iter().map(|site| site.count).collect();
    assert_eq!(counts, [2, 3]);
    let process = model.proctypes.iter().next().expect("P");
    let StatementKind::Send { channel, .. } = &process.body[0].kind else { panic!("a send") };
    assert_eq!(channel.sites.len(), 2);
}

/// What counterexamples show of a statement: macros and all, and in an inline as it stands there.
#[test]
fn statements_are_shown_as_they_were_written() {
    let text = "
        #define N 3
        #define add(x, y) x = x + (y)
        #define THEN ; k =
        inline call(x, y, s) { add(x, N); x < N; q!x; q?y; x = y; s }
        chan q = [1] of { byte };
        byte k;
        active proctype P() { k < N; N == k; add(k, N - 1); k = N THEN N; call(k, k, skip); assert(k != N) }";
    let shown = resolve(text, |session, model| {
        let model = model.expect("no errors");
        let body = &model.proctypes.iter().next().expect("P").body;
        let called = |statement: &Statement| match &statement.kind {
            StatementKind::Block(inside) => inside.clone(),
            _ => vec![statement.clone()],
        };
        let statements = body.iter().flat_map(called);
        statements.map(|statement| session.sources.text(statement.span).to_owned()).collect::<Vec<_>>()
    });
    let before = ["k < N", "N == k", "add(k, N - 1)", "k = N", "THEN N"];
    let inside = ["add(x, N)", "x < N", "q!x", "q?y", "x = y", "skip"];
    assert_eq!(shown, [&before[..], &inside, &["assert(k != N)"]].concat());
}
