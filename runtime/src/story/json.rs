//! A run as JSON: the schema `pmc-run/1`.

use super::{Blocked, Change, Channel, Message, Process, Run, SCHEMA, State, Step};
use crate::json::{Json, object};
use crate::model::SourcePosition;

fn number(number: usize) -> Json {
    (number as u64).into()
}

fn index(index: Option<usize>) -> Json {
    index.map_or(Json::Null, number)
}

fn list<T>(items: &[T], one: impl Fn(&T) -> Json) -> Json {
    Json::List(items.iter().map(one).collect())
}

fn texts(items: &[String]) -> Json {
    list(items, |item| item.as_str().into())
}

fn named(items: &[(String, String)]) -> Json {
    list(items, |(name, value)| object([("name", name.as_str().into()), ("value", value.as_str().into())]))
}

fn place(place: SourcePosition) -> [(&'static str, Json); 3] {
    [
        ("file", u64::from(place.file).into()),
        ("line", u64::from(place.line).into()),
        ("column", u64::from(place.column).into()),
    ]
}

impl Run {
    /// The run as JSON; with the state behind each step, if that was told.
    pub fn to_json(&self) -> Json {
        let variable = |variable: &super::Declared| {
            let [file, line, column] = place(variable.place);
            object([
                ("name", variable.name.as_str().into()),
                ("proctype", variable.proctype.as_deref().into()),
                ("type", variable.ty.as_str().into()),
                ("length", variable.length.map(u64::from).into()),
                ("hidden", variable.hidden.into()),
                file,
                line,
                column,
            ])
        };
        let channel = |channel: &super::DeclaredChannel| {
            object([
                ("names", texts(&channel.names)),
                ("proctype", channel.proctype.as_deref().into()),
                ("capacity", number(channel.capacity)),
                ("fields", texts(&channel.fields)),
            ])
        };
        let steps = self.steps.iter().enumerate().map(|(n, one)| step(n, one)).collect();
        let left_out = |left_out: &super::LeftOut| {
            object([("before", number(left_out.before)), ("steps", number(left_out.steps))])
        };
        object([
            ("schema", SCHEMA.into()),
            ("model", self.model.as_str().into()),
            ("model_hash", self.model_hash.as_str().into()),
            ("pmc", self.pmc_version.as_str().into()),
            ("claim", self.claim.as_deref().into()),
            ("formula", self.formula.as_deref().into()),
            ("fair", self.fair.into()),
            (
                "files",
                list(&self.files, |file| {
                    object([("name", file.name.as_str().into()), ("text", file.text.as_str().into())])
                }),
            ),
            ("processes", list(&self.processes, process)),
            ("variables", list(&self.variables, variable)),
            ("channels", list(&self.channels, channel)),
            ("initial", state(&self.initial)),
            ("steps", Json::List(steps)),
            ("left_out", list(&self.left_out, left_out)),
            ("cycle_start", index(self.cycle_start)),
            ("end", self.end()),
        ])
    }

    fn end(&self) -> Json {
        let end = &self.end;
        object([
            ("kind", end.kind.as_str().into()),
            ("message", end.message.as_str().into()),
            ("location", end.place.map(|at| object(place(at))).into()),
            ("explanation", texts(&end.explanation)),
            ("blocked", list(&end.blocked, blocked)),
            ("channels", list(&end.channels, channel)),
        ])
    }
}

fn process(process: &Process) -> Json {
    object([
        ("pid", u64::from(process.pid).into()),
        ("name", process.name.as_str().into()),
        ("label", process.label.as_str().into()),
        ("parameters", named(&process.parameters)),
        ("begins", number(process.begins)),
        ("ends", index(process.ends)),
    ])
}

fn state(state: &State) -> Json {
    let value = |value: &super::Named| {
        object([
            ("process", index(value.process)),
            ("name", value.name.as_str().into()),
            ("value", value.value.as_str().into()),
        ])
    };
    object([
        ("values", list(&state.values, value)),
        ("channels", list(&state.channels, channel)),
        ("locations", list(&state.locations, location)),
    ])
}

fn location((process, at): &(usize, SourcePosition)) -> Json {
    let [file, line, column] = place(*at);
    object([("process", number(*process)), file, line, column])
}

fn channel(channel: &Channel) -> Json {
    object([
        ("process", index(channel.process)),
        ("name", channel.name.as_str().into()),
        ("capacity", index(channel.capacity)),
        ("messages", texts(&channel.messages)),
    ])
}

fn step(n: usize, step: &Step) -> Json {
    let at = |of: fn(SourcePosition) -> u32| step.place.map(|place| u64::from(of(place))).into();
    let mut members = vec![
        ("index", number(n)),
        ("number", number(step.number)),
        ("kind", step.kind.name().into()),
        ("process", index(step.process)),
        ("partner", index(step.partner)),
        ("file", at(|place| u32::from(place.file))),
        ("line", at(|place| place.line)),
        ("column", at(|place| place.column)),
        ("end_line", step.end.map(|(line, _)| u64::from(line)).into()),
        ("end_column", step.end.map(|(_, column)| u64::from(column)).into()),
        ("text", step.text.as_str().into()),
        ("shown", step.shown.as_str().into()),
        ("reads", named(&step.reads)),
        ("changes", list(&step.changes, change)),
        ("next", list(&step.next, location)),
        ("message", step.message.as_ref().map(message).into()),
        ("printed", step.printed.as_str().into()),
        ("folded", step.folded.into()),
        ("atomic", step.atomic.into()),
        ("failed", step.failed.into()),
        ("clock", index(step.time)),
    ];
    if let Some(behind) = &step.state {
        members.push(("state", state(behind)));
    }
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn change(change: &Change) -> Json {
    object([
        ("process", index(change.process)),
        ("name", change.name.as_str().into()),
        ("from", known(&change.from)),
        ("to", known(&change.to)),
    ])
}

/// `null` if there is none.
fn known(value: &str) -> Json {
    if value.is_empty() { Json::Null } else { value.into() }
}

fn message(message: &Message) -> Json {
    object([
        ("channel", message.channel.as_str().into()),
        ("kind", message.kind.as_deref().into()),
        ("values", texts(&message.values)),
        ("direction", if message.is_sent { "send" } else { "receive" }.into()),
        ("rendezvous", message.is_rendezvous.into()),
    ])
}

fn blocked(blocked: &Blocked) -> Json {
    let wait = |wait: &super::Wait| {
        object([
            ("text", wait.text.as_str().into()),
            ("shown", wait.shown.as_str().into()),
            ("why", wait.why.as_str().into()),
        ])
    };
    let [file, line, column] = place(blocked.place);
    object([
        ("process", number(blocked.process)),
        file,
        line,
        column,
        ("label", blocked.label.as_deref().into()),
        ("valid_end", blocked.is_valid_end.into()),
        ("waits_for", list(&blocked.waits_for, wait)),
    ])
}
