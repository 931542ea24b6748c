use super::Cause;
use crate::analysis::testing::check;

/// The classes of the only family, and why they are not larger.
fn family(model: &str) -> (Vec<Vec<u32>>, Vec<Cause>) {
    check(model, |_, facts, _| {
        let [family] = &facts.symmetry.families[..] else { panic!("one family, in {model}") };
        let causes = family.losses.iter().map(|loss| loss.cause.clone()).collect();
        (family.classes.clone(), causes)
    })
}

#[track_caller]
fn whole(model: &str) {
    let (classes, causes) = family(model);
    assert_eq!((classes.len(), causes), (1, Vec::new()), "{model}");
}

#[track_caller]
fn off(model: &str, cause: &Cause) {
    let (classes, causes) = family(model);
    assert!(classes.iter().all(|class| class.len() == 1) && causes.contains(cause), "{model}: {classes:?} {causes:?}");
}

#[track_caller]
fn classes(model: &str, expected: &[&[u32]]) {
    assert_eq!(family(model).0, expected, "{model}");
}

#[test]
fn processes_that_copy_and_compare_are_interchangeable() {
    whole(
        "bool want[3]; pid owner = 255; active [3] proctype P() {
        do :: atomic { owner == 255 -> owner = _pid }; want[_pid] = true; owner = 255; want[_pid] = false od }",
    );
    whole(
        "chan req = [3] of { byte, pid }; chan rep[3] = [1] of { byte };
        active [3] proctype Client() { do :: req!1(_pid); rep[_pid]?1 od }
        active proctype Server() { pid c = 255; do :: req?1(c); rep[c]!1; c = 255 od }",
    );
    whole(
        "typedef Row { bool to[3] }; Row knows[3]; active [3] proctype P() { pid q = 255;
        do :: q == 255 -> q = _pid :: knows[_pid].to[q] = !knows[q].to[_pid] od }",
    );
    whole("byte id; active [3] proctype P() { do :: id == 0 -> id = _pid + 1 :: id == _pid + 1 -> id = 0 od }");
}

#[test]
fn processes_of_init_are_together_if_one_step_starts_them() {
    let of = |init: &str| format!("bool f[3]; proctype P(byte me) {{ do :: f[me] = !f[me] od }} init {{ {init} }}");
    whole(&of("byte k; atomic { do :: k < 3 -> run P(k); k++ :: else -> break od }"));
    whole(&of("atomic { run P(0); run P(1); run P(2) }"));
    off(&of("run P(0); run P(1); run P(2)"), &Cause::Apart);
    off(&of("atomic { run P(0); f[0]; run P(1); run P(2) }"), &Cause::Apart);
    // Arguments that are no numbers of members.
    classes(&of("atomic { run P(0); run P(2); run P(1) }"), &[&[0], &[1], &[2]]);
    let twice = "byte n; proctype P(byte by) { do :: n < 9 -> n = n + by :: n = 0 od }
        init { atomic { run P(1); run P(2); run P(1) } }";
    classes(twice, &[&[0, 2], &[1]]);
    let numbered = "byte n; proctype P(byte by) { do :: n < 9 -> n = n + by :: n = 0 od }
        init { atomic { run P(1); run P(2); run P(3) } }";
    classes(numbered, &[&[0], &[1], &[2]]);
}

#[test]
fn a_member_is_no_number() {
    for used in [
        "n = _pid",
        "n = x % 2",
        "x < 2 -> n = 0",
        "x -> n = 0",
        "n = a[x] -> a[(_pid + 1) % 3] = n",
        "x = (x == 1)",
        "q!!x",
    ] {
        let model = format!(
            "byte n, a[3]; pid x = 255; chan q = [2] of {{ pid }};
            active [3] proctype P() {{ do :: x = _pid :: {used}; n = n + 1 :: q?x od }}"
        );
        off(&model, &Cause::Number);
    }
    off("pid x = 255; active [3] proctype P() { do :: x = _pid :: x == _pid + 1 -> x = 255 od }", &Cause::Mixes);
    off("bit last; active [3] proctype P() { do :: last != _pid -> last = _pid od }", &Cause::Narrow);
    // 255 becomes 3, which is a member.
    let cut =
        "pid x = 255; unsigned y : 2; active [4] proctype P() { do :: x = _pid :: y = x :: y == _pid -> x = 255 od }";
    off(cut, &Cause::Narrow);
    off("bool f[2]; active [3] proctype P() { do :: _pid < 2 -> f[_pid] = true od }", &Cause::Number);
    off("bool f[2]; active [3] proctype P() { do :: f[_pid] = true od }", &Cause::Short);
    let channel =
        "chan c[3] = [1] of { byte }; chan d; active [3] proctype P() { do :: d = c[_pid] :: d!1 :: c[_pid]?1 od }";
    off(channel, &Cause::Channel);
}

/// A member that has ended stays, if nobody can tell.
#[test]
fn members_may_end() {
    let ends = |rest: &str| format!("byte n; active [3] proctype P() {{ n++ }} {rest}");
    whole(&ends(""));
    whole(&ends("active proctype Q() { do :: n > 0 -> n-- od }"));
    whole("byte n; proctype P(byte me) { n = n + 1 } init { atomic { run P(1); run P(2); run P(3) } n == 3 }");
    off(&ends("active proctype Q() { n > 0 }"), &Cause::Ends("another process can only end when they have ended"));
    off(&ends("active proctype Q() { do :: _nr_pr == 1 -> n = 0 od }"), &Cause::Ends("the model reads `_nr_pr`"));
    off(
        &ends("proctype R() { skip } active proctype Q() { do :: run R() od }"),
        &Cause::Model("its states have no fixed layout"),
    );
    let looks = "byte n; active [3] proctype P() { pid q = 255; q = _pid; P[q]@last; last: n++ }";
    off(looks, &Cause::Ends("others look at them"));
    let channel = "byte n; active [3] proctype P() { chan c = [1] of { byte }; c!1; c?n }";
    off(channel, &Cause::Ends("they declare channels"));
    off(
        "byte n; active [3] proctype P() provided (n < 3) { n++ }",
        &Cause::Ends("their `provided` clause may stop them at the end"),
    );
}

#[test]
fn what_names_a_member_pins_it() {
    classes(
        "pid turn; active [3] proctype P() { do :: turn == _pid -> turn = 255 :: turn = _pid od }",
        &[&[0], &[1, 2]],
    );
    classes(
        "bit x; active [4] proctype P() { do :: _pid == 2 -> x = 1 :: _pid != 2 -> x = 0 od }",
        &[&[0, 1, 3], &[2]],
    );
    classes("bool f[4] = { 1, 0, 1, 0 }; active [4] proctype P() { do :: f[_pid] = !f[_pid] od }", &[&[0, 2], &[1, 3]]);
}

#[test]
fn what_names_all_alike_pins_none() {
    let choice = |chosen: &str| {
        format!(
            "bool f[2], g[2]; pid w = 255;
            active [2] proctype P() {{ do :: f[_pid] = !f[_pid] :: w == _pid -> w = 255 :: {chosen} od }}"
        )
    };
    whole(&choice("f[0] && f[1] -> w = 255 :: w != _pid -> w = _pid"));
    whole(&choice("if :: w = 0 :: w = 1 fi"));
    whole(&choice("select(w : 0 .. 1)"));
    whole(&choice("atomic { f[0] || f[1] -> if :: f[1] -> w = 1 :: f[0] -> w = 0 fi }"));
    let pinned: &[&[u32]] = &[&[0], &[1]];
    // The first open option is taken.
    classes(&choice("d_step { if :: f[0] -> w = 0 :: f[1] -> w = 1 :: else fi }"), pinned);
    // Control rests behind the guard.
    classes(&choice("if :: f[0] -> w = 0 :: f[1] -> w = 1 fi"), pinned);
    classes(&choice("f[0] && g[w] && f[1] -> w = 255 :: w = _pid"), pinned);
    classes(&choice("f[0] -> w = 0"), pinned);
    let blocks = "chan c = [1] of { pid }; bool f[2]; active [2] proctype P() { do :: f[_pid] = true
        :: if :: atomic { f[0] -> c!0 } :: atomic { f[1] -> c!1 } fi :: c?eval(_pid) -> f[_pid] = false od }";
    classes(blocks, pinned);
    // A step that fails is not taken: control rests before it.
    let fails = "atomic { f[0] || f[1] -> if :: f[1] -> g[w] = true; w = 1 :: f[0] -> g[w] = true; w = 0 fi }";
    classes(&choice(fails), pinned);
    whole(&choice(&fails.replace("g[w]", "g[_pid]")));
    classes(&choice(&fails.replace("g[w]", "g[_pid]")).replace("P()", "P() provided (f[0] + f[1] < 2)"), pinned);
    let meets = "chan c = [0] of { pid }; pid w = 255; active [2] proctype P() { do :: w != _pid -> w = _pid
        :: if :: atomic { c!0 -> w = 0 } :: atomic { c!1 -> w = 1 } fi :: c?eval(_pid) od }";
    classes(meets, pinned);
    let three = "bool f[3]; pid w = 255; active [3] proctype P() {
        do :: f[_pid] = true :: w == _pid -> w = 255 :: if :: w = 0 :: w = 1 fi od }";
    classes(three, &[&[0, 1], &[2]]);
}

#[test]
fn a_loop_over_all_members_in_any_order_names_none() {
    let of = |inside: &str| {
        format!(
            "bool f[3], any; byte n; pid last = 255;
            active [3] proctype P() {{ byte i; do :: f[_pid] = !f[_pid] :: last = _pid :: {inside} od }}"
        )
    };
    let d_step = |rounds: &str| of(&format!("d_step {{ n = 0; any = false; for (i : 0 .. 2) {{ {rounds} }}; i = 0 }}"));
    whole(&d_step("n = n + f[i]; if :: f[i] -> any = true :: else fi"));
    whole(&d_step("f[i] = (last == i)"));
    whole(&of("atomic { i = 0; do :: i < 3 -> f[i] = (i != _pid); i++ :: else -> i = 0; break od }"));
    off(&of("i = 0; do :: i < 3 -> f[i] = (i != _pid); i++ :: else -> i = 0; break od"), &Cause::LoopOutside);
    // It waits for each in turn.
    off(&of("atomic { for (i : 0 .. 2) { f[i] } }"), &Cause::LoopOutside);
    off(&of("d_step { for (i : 0 .. 1) { f[i] = false }; i = 0 }"), &Cause::LoopPart);
    for rounds in [
        "if :: f[i] -> last = i :: else fi",
        "if :: f[i] -> any = true :: else -> any = false fi",
        "n = n + 1; any = n > 1; f[i] = false",
        "f[i] = any; any = true",
        "n = 2 * n + f[i]",
        "f[i] = f[0]",
        "if :: f[i] -> break :: else -> n = n + 1 fi",
    ] {
        off(&d_step(rounds), &Cause::LoopRounds);
    }
    // A loop that is not over members.
    whole(&of("for (i : 0 .. 5) { n = n + i }"));
}

#[test]
fn what_observes_more_than_the_state_switches_it_off() {
    let off_by = |statement: &str, reason: &'static str| {
        off(&format!("byte n; active [2] proctype P() {{ do :: {statement} od }}"), &Cause::Model(reason));
    };
    off_by("_last == n -> skip", "the model reads `_last`");
    off_by("enabled(n) -> skip", "the model uses `enabled()`");
    off_by("pc_value(0) == n -> skip", "the model uses `pc_value()`");
    off_by("n = _priority", "the model uses priorities");
    off_by("n = n * 3 + 1; n = 0 :: n == 3 -> _priority = 2", "the model uses priorities");
}

#[test]
fn two_families_are_exchanged_apart() {
    let model =
        "byte r, w; active [2] proctype R() { do :: r++; r-- od } active [3] proctype W() { do :: w++; w-- od }";
    let sizes = check(model, |_, facts, _| {
        facts
            .symmetry
            .families
            .iter()
            .map(|family| (family.base, family.classes.len(), family.size()))
            .collect::<Vec<_>>()
    });
    assert_eq!(sizes, [(0, 1, 2), (2, 1, 3)]);
}
