//! Hundreds of models in one process, as a folder of exercises or a parameter sweep: nothing is left behind by any. The
//! only test of its program, since it looks at the process as a whole.

use pmc::{Verdict, check};

/// The last value is reached, and forbidden or not.
fn sweep(last: u32, limit: u32) -> String {
    format!(
        "byte x; chan c = [{capacity}] of {{ byte }};
active proctype p() {{ do :: x < {last} -> x++; c!x :: x == {last} -> break od; assert(x <= {limit}) }}
active proctype q() {{ byte y; end: do :: c?y od }}",
        capacity = 1 + last % 3,
    )
}

/// A model whose states grow, with a formula.
fn growing(n: u32) -> String {
    format!(
        "byte n; ltl few {{ [] (n < {limit}) }}
proctype p() {{ n++; if :: n < {n} -> run p() :: else fi }}
init {{ run p() }}",
        limit = n + 1,
    )
}

fn verdict(model: &str) -> Verdict {
    check(model).expect("a model without errors").verdict
}

fn check_some(first: u32, n: u32) {
    for number in first..first + n {
        let last = 2 + number % 17;
        assert_eq!(verdict(&sweep(last, last)), Verdict::Verified, "{number}");
        assert_eq!(verdict(&sweep(last, last - 1)), Verdict::Violated, "{number}");
        assert_eq!(verdict(&growing(1 + number % 5)), Verdict::Verified, "{number}");
    }
}

/// A line of what the system knows about this process; nothing on other systems.
fn status(name: &str) -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim_start_matches(':').trim().to_owned())
}

fn resident_kilobytes() -> Option<u64> {
    status("VmRSS")?.split_whitespace().next()?.parse().ok()
}

#[test]
fn hundreds_of_models_in_one_process_leave_nothing_behind() {
    check_some(0, 20);
    let before = (status("Threads"), status("SigCgt"), status("SigBlk"));
    let memory = resident_kilobytes();
    check_some(20, 80);
    // A wrong model leaves nothing behind either.
    assert!((0..50).all(|n| check(&format!("init {{ x{n} = 1 }}")).is_err()));
    assert_eq!((status("Threads"), status("SigCgt"), status("SigBlk")), before);
    if let (Some(before), Some(after)) = (memory, resident_kilobytes()) {
        assert!(after < before + 32 * 1024, "{before} kB before, {after} kB after");
    }
    // Several at once.
    std::thread::scope(|scope| (0..4).for_each(|thread| drop(scope.spawn(move || check_some(thread * 20, 20)))));
    assert_eq!((status("SigCgt"), status("SigBlk")), (before.1, before.2));
}
