//! Reads the text of [`Meaning`]. A text of another form gives nothing: reports do without it.

use super::formula::{Binary, Formula, Unary};
use super::meaning::{Action, Channels, Expr, Meaning, Pattern, Place, Proctype, Record, Statement, Type, Variable};
use crate::json::Json;

pub(super) fn meaning(text: &str) -> Option<Meaning> {
    if text.is_empty() {
        return None;
    }
    let json = Json::parse(text).ok()?;
    let rows = |name: &str| json.get(name)?.as_list();
    Some(Meaning {
        files: all(rows("files")?, |row| Some((string(row, 0)?, string(row, 1)?)))?,
        mtypes: all(rows("mtypes")?, |row| {
            let names = all(list(row, 1)?, |name| Some((string(name, 0)?, number(at(name, 1)?)?)))?;
            Some((string(row, 0)?, names))
        })?,
        records: all(rows("records")?, |row| {
            let field = |field: &Json| Some((string(field, 0)?, ty(at(field, 1)?)?, length(at(field, 2)?)));
            Some(Record { name: string(row, 0)?, fields: all(list(row, 1)?, field)? })
        })?,
        variables: all(rows("variables")?, variable)?,
        channels: all(rows("channels")?, |row| {
            let names = all(list(row, 0)?, |name| name.as_text().map(str::to_owned))?;
            Some(Channels { names, capacity: index(at(row, 1)?)?, fields: all(list(row, 2)?, ty)? })
        })?,
        global_channels: all(rows("globals")?, index)?,
        proctypes: all(rows("proctypes")?, |row| {
            Some(Proctype {
                name: String::new(),
                is_alone: number(at(row, 0)?)? != 0,
                parameters: all(list(row, 1)?, index)?,
                locals: all(list(row, 2)?, index)?,
                channels: all(list(row, 3)?, index)?,
                provided: optional(at(row, 4)?, expr)?,
            })
        })?,
        leaving: all(rows("leaving")?, |row| all(row.as_list()?, index))?,
        statements: all(rows("statements")?, statement)?,
        claims: all(rows("claims")?, |row| all(row.as_list()?, |one| Some(statement(one).unwrap_or_default())))?,
        formulas: all(rows("formulas")?, |row| {
            optional(row, |row| Some((string(row, 0)?, formula(at(row, 1)?, &mut 0)?)))
        })?,
        ..Meaning::default()
    })
}

fn all<T>(items: &[Json], of: impl Fn(&Json) -> Option<T>) -> Option<Vec<T>> {
    items.iter().map(of).collect()
}

fn at(json: &Json, index: usize) -> Option<&Json> {
    json.as_list()?.get(index)
}

fn list(json: &Json, index: usize) -> Option<&[Json]> {
    at(json, index)?.as_list()
}

fn string(json: &Json, index: usize) -> Option<String> {
    at(json, index)?.as_text().map(str::to_owned)
}

fn number(json: &Json) -> Option<i32> {
    match json {
        Json::Integer(number) => i32::try_from(*number).ok(),
        _ => None,
    }
}

fn index(json: &Json) -> Option<usize> {
    usize::try_from(number(json)?).ok()
}

fn length(json: &Json) -> Option<u32> {
    u32::try_from(number(json)?).ok()
}

/// The outer `None` means that the text is wrong.
fn optional<T>(json: &Json, of: impl Fn(&Json) -> Option<T>) -> Option<Option<T>> {
    if *json == Json::Null { Some(None) } else { of(json).map(Some) }
}

fn variable(row: &Json) -> Option<Variable> {
    let flags = number(at(row, 4)?)?;
    let place = all(list(row, 5)?, |part| u32::try_from(number(part)?).ok())?;
    Some(Variable {
        name: string(row, 0)?,
        ty: ty(at(row, 1)?)?,
        length: length(at(row, 2)?),
        proctype: optional(at(row, 3)?, index)?,
        is_hidden: flags & 1 != 0,
        is_synthetic: flags & 2 != 0,
        place: place.try_into().ok()?,
        initial: all(list(row, 6)?, expr)?,
    })
}

fn ty(json: &Json) -> Option<Type> {
    let text = json.as_text()?;
    Some(match text {
        "bit" => Type::Bit,
        "bool" => Type::Bool,
        "byte" => Type::Byte,
        "pid" => Type::Pid,
        "short" => Type::Short,
        "int" => Type::Int,
        "timer" => Type::Timer,
        "chan" => Type::Chan,
        _ => {
            let (kind, number) = text.split_at_checked(1)?;
            match kind {
                "u" => Type::Unsigned(number.parse().ok()?),
                "m" => Type::Mtype(number.parse().ok()?),
                "r" => Type::Record(number.parse().ok()?),
                _ => return None,
            }
        }
    })
}

const BINARY: &[&str] =
    &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"];
const UNARY: &[&str] = &["!", "~", "neg"];
const PROBES: &[&str] = &["len", "empty", "full", "nempty", "nfull"];
const WORDS: &[&str] = &["timeout", "_pid", "_nr_pr", "_last", "np_", "_priority", "..."];
const CALLS: &[&str] = &["enabled", "pc_value", "get_priority", "set_priority"];

fn known(words: &[&'static str], word: &str) -> Option<&'static str> {
    words.iter().find(|known| **known == word).copied()
}

pub(super) fn expr(json: &Json) -> Option<Expr> {
    if let Some(value) = number(json) {
        return Some(Expr::Constant(value));
    }
    let items = json.as_list()?;
    let word = items.first()?.as_text()?;
    let part = |n: usize| expr(items.get(n)?).map(Box::new);
    if let Some(op) = known(BINARY, word) {
        return Some(Expr::Binary(op, part(1)?, part(2)?));
    }
    if let Some(op) = known(UNARY, word) {
        return Some(Expr::Unary(op, part(1)?));
    }
    if let Some(probe) = known(PROBES, word) {
        return Some(Expr::Probe(probe, place(items.get(1)?)?));
    }
    if let Some(word) = known(WORDS, word) {
        return Some(Expr::Word(word));
    }
    if let Some(call) = known(CALLS, word) {
        return Some(Expr::Call(call, all(&items[1..], expr)?));
    }
    let pid = |n: usize| optional(items.get(n)?, |pid| expr(pid).map(Box::new));
    Some(match word {
        "m" => Expr::Symbol(index(items.get(1)?)?, number(items.get(2)?)?),
        "v" => Expr::Read(place(json)?),
        "?" => Expr::Conditional(Box::new([*part(1)?, *part(2)?, *part(3)?])),
        "run" => Expr::Run(index(items.get(1)?)?, all(items.get(2)?.as_list()?, expr)?),
        "?[" | "??" => Expr::Poll {
            channel: place(items.get(1)?)?,
            random: word == "??",
            pattern: all(items.get(2)?.as_list()?, pattern)?,
        },
        "@" => Expr::At { proctype: index(items.get(1)?)?, pid: pid(2)?, label: items.get(3)?.as_text()?.to_owned() },
        ":" => Expr::Of { proctype: index(items.get(1)?)?, pid: pid(2)?, place: place(items.get(3)?)? },
        _ => return None,
    })
}

fn place(json: &Json) -> Option<Place> {
    let boxed = |json: &Json| optional(json, |json| expr(json).map(Box::new));
    Some(Place {
        variable: index(at(json, 1)?)?,
        index: boxed(at(json, 2)?)?,
        fields: all(list(json, 3)?, |field| Some((index(at(field, 0)?)?, boxed(at(field, 1)?)?)))?,
    })
}

fn pattern(json: &Json) -> Option<Pattern> {
    Some(match json {
        Json::Null => Pattern::Ignore,
        _ if at(json, 0)?.as_text()? == "=" => Pattern::Equal(expr(at(json, 1)?)?),
        _ => Pattern::Store(place(json)?),
    })
}

/// Atoms are numbered as they come.
pub(super) fn formula(json: &Json, n_atoms: &mut usize) -> Option<Formula> {
    let word = at(json, 0)?.as_text()?;
    if word == "atom" {
        *n_atoms += 1;
        return Some(Formula::Atom(*n_atoms - 1, expr(at(json, 1)?)?));
    }
    let left = Box::new(formula(at(json, 1)?, n_atoms)?);
    if let Some(op) = UNARY_OF_TIME.iter().find(|op| op.sign() == word) {
        return Some(Formula::Unary(*op, left));
    }
    let op = BINARY_OF_TIME.iter().find(|op| op.sign() == word)?;
    Some(Formula::Binary(*op, left, Box::new(formula(at(json, 2)?, n_atoms)?)))
}

const UNARY_OF_TIME: &[Unary] = &[Unary::Not, Unary::Next, Unary::Always, Unary::Eventually];
const BINARY_OF_TIME: &[Binary] =
    &[Binary::And, Binary::Or, Binary::Implies, Binary::Equivalent, Binary::Until, Binary::WeakUntil, Binary::Release];

fn statement(json: &Json) -> Option<Statement> {
    let items = json.as_list()?;
    if let [kind, condition] = items
        && kind.as_text() == Some("condition")
    {
        // The edge of a formula's automaton.
        return Some(Statement { action: Action::Condition(expr(condition)?), ..Statement::default() });
    }
    let flags = number(items.get(1)?)?;
    let end = items.get(3)?;
    let end = (u32::try_from(number(at(end, 0)?)?).ok()?, u32::try_from(number(at(end, 1)?)?).ok()?);
    Some(Statement {
        action: action(items)?,
        of_loop: items.get(2)?.as_text().map(str::to_owned),
        is_expanded: flags & 2 != 0,
        keeps_control: flags & 4 != 0,
        end: Some(end),
    })
}

fn action(items: &[Json]) -> Option<Action> {
    let operand = |n: usize| items.get(4 + n);
    let flag = |n: usize| Some(number(operand(n)?)? != 0);
    let exprs = |n: usize| all(operand(n)?.as_list()?, expr);
    Some(match items.first()?.as_text()? {
        "condition" => Action::Condition(expr(operand(0)?)?),
        "assert" => Action::Assert(expr(operand(0)?)?),
        "else" => Action::Else,
        "jump" => Action::Jump,
        "end" => Action::End,
        "assign" => Action::Assign {
            target: match operand(0)? {
                Json::Text(_) | Json::Null => None,
                target => Some(place(target)?),
            },
            value: expr(operand(1)?)?,
        },
        "send" => Action::Send { channel: place(operand(0)?)?, sorted: flag(1)?, message: exprs(2)? },
        "receive" => Action::Receive {
            channel: place(operand(0)?)?,
            random: flag(1)?,
            peek: flag(2)?,
            pattern: all(operand(3)?.as_list()?, pattern)?,
        },
        "print" => Action::Print(exprs(0)?),
        "d_step" => Action::DStep {
            start: index(operand(0)?)?,
            locations: all(operand(1)?.as_list()?, |leaving| {
                all(leaving.as_list()?, |one| Some((index(at(one, 0)?)?, optional(at(one, 1)?, index)?)))
            })?,
        },
        _ => Action::Other,
    })
}
