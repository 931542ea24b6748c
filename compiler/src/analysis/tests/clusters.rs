//! The hierarchy of clusters, derived from the uses of channels and variables.

use super::{check_hierarchy, check_table};

#[test]
fn pairs_are_found() {
    let pairs = |n: u32| {
        let pair = |k: u32| format!("int v{k}; proctype Lo_{k}_() {{ v{k} = 0 }} proctype Hi_{k}_() {{ v{k} = 1 }}");
        let runs: Vec<String> = (0..n).map(|k| format!("run Lo_{k}_(); run Hi_{k}_()")).collect();
        format!("{}\ninit {{ atomic {{ {} }} }}", (0..n).map(pair).collect::<Vec<_>>().join("\n"), runs.join("; "))
    };
    check_hierarchy(&pairs(2), "{init0} {Lo_0_1 Hi_0_2} {Lo_1_3 Hi_1_4}");
    check_hierarchy(&pairs(3), "{init0} {Lo_0_1 Hi_0_2} {Lo_1_3 Hi_1_4} {Lo_2_5 Hi_2_6}");
    let table = super::analyzed(&pairs(2)).table("Lo_1_");
    assert_eq!(table, "Lo_1_3: v1 = 0 | 1 1\nLo_1_3: end | 0 0");
}

#[test]
fn the_smallest_union_comes_first() {
    let t6b = "
byte g, v;
active proctype One() { v = 1 }
active proctype Two() { g == 1; v = 2; v == 2 }
active proctype Three() { g = 1 }";
    check_hierarchy(t6b, "{One0 Two1} {Three2}");
    check_table(
        t6b,
        "",
        "One0: v = 1 | 1 1
         One0: end | 0 0
         Two1: g == 1 | - -
         Two1: v = 2 | 1 1
         Two1: v == 2 | 1 1
         Two1: end | 0 0
         Three2: g = 1 | - -
         Three2: end | 0 0",
    );
}

#[test]
fn processes_that_come_late_are_in_their_cluster() {
    let late = "
byte v;
proctype Lo() { v = 1; assert(v == 1); do :: v == 9 od }
proctype Hi() { v = 2; do :: v == 9 od }
init { pid a; a = run Lo(); a = run Hi() }";
    check_hierarchy(late, "{init0} {Lo1 Hi2}");
    let beginning = super::analyzed(late).with(|program, _| {
        let facts = super::analyze(program, super::Simplify::ALL);
        facts.instances.is_beginning.iter().copied().collect::<Vec<_>>()
    });
    assert_eq!(beginning, [true, true, false], "before both have been started, levels above 0 are out of use");
}

#[test]
fn two_clusters_become_one_where_a_third_process_joins_them() {
    let model = "
byte a, b, c, d;
active proctype A() { a = 1; c = 1 }
active proctype B() { a = 2 }
active proctype C() { b = 1; c = 2 }
active proctype D() { b = 2 }
active proctype E() { d = 1 }
active proctype F() { d = 2 }";
    check_hierarchy(
        model,
        "{A0 B1} {C2 D3} {E4 F5}
         {A0 B1 C2 D3} {E4 F5}",
    );
}

#[test]
fn dynamic_processes_are_one_block() {
    let model = "
byte g, h;
proctype Worker() { g++ }
active proctype Maker() { do :: run Worker() od }
active proctype P() { h = 1 }
active proctype Q() { h = 2 }";
    check_hierarchy(model, "{Maker0 Worker*} {P1 Q2}");
    check_table(
        model,
        "",
        "Maker0: run Worker() | 0 0
         P1: h = 1 | 1 1
         P1: end | 0 0
         Q2: h = 2 | 1 1
         Q2: end | 0 0
         Worker*: g++ | 1 1
         Worker*: end | 0 0",
    );
}

#[test]
fn an_array_is_shared_by_element_where_the_index_is_constant() {
    let model = "
byte cell[4];
active [2] proctype P() { cell[_pid] = 1; cell[_pid] = cell[_pid] + 1 }
active [2] proctype Q() { byte k = 2; cell[k] = 1 }";
    check_hierarchy(model, "{P0} {P1} {Q2 Q3}");
    let any =
        "byte cell[4]; active [2] proctype P() { cell[_pid] = 1 } active proctype Q() { byte k; k = 1; cell[k] == 1 }";
    check_table(
        any,
        "",
        "P0: cell[_pid] = 1 | 1 1
         P0: end | 0 0
         P1: cell[_pid] = 1 | - -
         P1: end | 0 0
         Q2: k = 1 | 0 0
         Q2: cell[k] == 1 | - -
         Q2: end | 0 0",
    );
}

#[test]
fn fields_of_records_are_told_apart() {
    let model = "
typedef Pair { byte left; byte right[2] };
Pair p[2];
active proctype A() { p[0].left = 1; p[1].right[0] = 1 }
active proctype B() { p[1].left = 1; p[1].right[1] = 1 }
active proctype C() { p[1].right[1] = 2 }";
    check_hierarchy(model, "{A0} {B1 C2}");
}

#[test]
fn what_is_never_written_is_nobodys() {
    let model = "byte limit = 3; active [2] proctype P() { byte i; do :: i < limit -> i++ :: else -> break od }";
    let table = super::analyzed(model).table("P0");
    assert!(table.lines().all(|line| line.ends_with("| 0 0")), "{table}");
}
