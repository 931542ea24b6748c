//! Reads the trail that a generated verifier writes, for [`replay`](super::replay).

use serde_json::Value;

use super::ViolationKind;
use super::lasso::{Lasso, Move};
use super::replay::{Claimed, Instruction};
use super::ticks::TIME;

/// The steps of a trail (schema `pmc-trail/1`), and the violation that it names.
pub fn read_trail(text: &str) -> Result<(Vec<Instruction>, Claimed), String> {
    let trail: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if trail["schema"] != "pmc-trail/1" {
        return Err(format!("unknown schema {}", trail["schema"]));
    }
    let kind = trail["violation"]["kind"].as_str().ok_or("no kind of violation")?;
    let steps = trail["steps"].as_array().ok_or("no steps")?;
    let mut instructions = Vec::new();
    for step in steps {
        let first = instruction(step).ok_or("a step without a process")?;
        let pid = first.pid;
        instructions.extend(std::iter::repeat_n(first, n_times(step)));
        instructions.extend(merged(step).iter().map(|statement| part(pid, statement)));
    }
    Ok((instructions, Claimed { kinds: kinds(kind) }))
}

/// The same for a trail of a claim, acceptance or progress.
pub fn read_lasso(text: &str) -> Result<Lasso, String> {
    let trail: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let steps = trail["steps"].as_array().ok_or("no steps")?;
    let read = |step: &Value| {
        if step["stutter"] == true {
            Some(Move::Stutter)
        } else if step["claim_move"].is_u64() {
            Some(Move::Claim)
        } else if step["text"].as_str().is_some_and(is_structure) {
            Some(Move::Join)
        } else {
            instruction(step).map(Move::System)
        }
    };
    let start = trail["cycle_start"].as_u64().and_then(|start| usize::try_from(start).ok());
    let (mut moves, mut cycle_start) = (Vec::new(), None);
    for (number, step) in steps.iter().enumerate() {
        if start == Some(number) {
            cycle_start = Some(moves.len());
        }
        moves.extend(std::iter::repeat_n(read(step).ok_or("a step without a process")?, n_times(step)));
        for statement in merged(step) {
            let is_join = statement["text"].as_str().is_some_and(is_structure);
            let pid = instruction(step).ok_or("a step without a process")?.pid;
            moves.push(if is_join { Move::Join } else { Move::System(part(pid, statement)) });
        }
    }
    Ok(Lasso { moves, cycle_start, fair: trail["fair"] == true })
}

/// A structure is no step: a move with its text leads on from behind it.
fn is_structure(text: &str) -> bool {
    ["if ::", "do ::", "{", "for ("].iter().any(|beginning| text.starts_with(beginning))
}

fn instruction(step: &Value) -> Option<Instruction> {
    if step["tick"].is_u64() {
        return Some(Instruction { pid: TIME, ..Instruction::default() });
    }
    let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
    let receiver = number(&step["receiver"]);
    Some(Instruction { pid: number(&step["pid"])?, line: line(step), column: None, receiver })
}

/// Several ticks may be one move.
fn n_times(step: &Value) -> usize {
    step["tick"].as_u64().map_or(1, |ticks| usize::try_from(ticks).unwrap_or(usize::MAX))
}

/// Statements that are executed in the same step as the first.
fn merged(step: &Value) -> &[Value] {
    step["merged"].as_array().map_or(&[][..], Vec::as_slice)
}

fn part(pid: usize, statement: &Value) -> Instruction {
    Instruction { pid, line: line(statement), ..Instruction::default() }
}

/// The line is written as in messages: `model.pml:12`.
fn line(statement: &Value) -> Option<u32> {
    statement["line"].as_str()?.rsplit_once(':')?.1.parse().ok()
}

/// The kinds of violations for a word in a report.
pub fn kinds(word: &str) -> Vec<ViolationKind> {
    match word {
        "assertion" => vec![ViolationKind::Assertion],
        "invalid-end-state" | "leftover-messages" => vec![ViolationKind::InvalidEndState],
        "array-index" => vec![ViolationKind::ArrayIndex],
        "divide-by-zero" => vec![ViolationKind::DivideByZero],
        "divide-overflow" => vec![ViolationKind::DivideOverflow],
        "channel" => vec![
            ViolationKind::NoChannel,
            ViolationKind::DeadChannel,
            ViolationKind::PollOfRendezvous,
            ViolationKind::MessageShape,
        ],
        "process-limit" => vec![ViolationKind::TooManyProcesses],
        "d-step-blocks" => vec![ViolationKind::BlockedDStep, ViolationKind::RendezvousInDStep],
        "d-step-endless" => vec![ViolationKind::EndlessDStep],
        "enabled-self" => vec![ViolationKind::EnabledOfSelf],
        "xr-xs" => vec![ViolationKind::ExclusiveUse],
        "remote-reference" => vec![ViolationKind::RemoteReference],
        "trace" => vec![ViolationKind::TraceMismatch, ViolationKind::NotraceMatched, ViolationKind::TraceUnfinished],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_violation_are_read() {
        let text = r#"{"schema": "pmc-trail/1", "violation": {"kind": "assertion"},
            "steps": [{"pid": 1, "transition": 4, "choice": 0, "receiver": 0, "receive": 2, "line": "a:b.pml:12",
                "merged": [{"line": "a:b.pml:13", "text": "x = 1"}]}]}"#;
        let (steps, claimed) = read_trail(text).expect("it is well-formed");
        let first = Instruction { pid: 1, line: Some(12), column: None, receiver: Some(0) };
        assert_eq!(steps, [first.clone(), Instruction { line: Some(13), receiver: None, ..first }]);
        assert_eq!(claimed.kinds, [ViolationKind::Assertion]);
        assert!(read_trail(r#"{"schema": "other"}"#).is_err());
    }
}
