//! A drawing of the clusters: processes in frames, and lines between those that share objects.

use std::fmt::{self, Write};

use crate::analysis::Reduction;
use crate::analysis::actors::ActorId;
use crate::analysis::clusters::Level;
use crate::analysis::objects::{Object, scalar_name};
use crate::analysis::sets::Set;
use crate::collections::Id;
use crate::ir::Program;
use crate::model::Model;
use crate::picture::diagram::dot_text as escape;

const HEAD: &str = "graph clusters {
  graph [fontname=\"Helvetica\", fontsize=11, labelloc=b, compound=true];
  node [fontname=\"Helvetica\", fontsize=11, shape=box, style=rounded, height=0.3, margin=\"0.1,0.05\"];
  edge [fontname=\"Courier\", fontsize=9, color=\"#808080\"];
";

/// The greatest number of objects named beside a line.
const MOST_NAMES: usize = 3;

pub fn dot(program: &Program<'_>, facts: &Reduction) -> String {
    let mut text = String::new();
    write(&mut text, &Picture { model: program.model, facts }).expect("writing to a string cannot fail");
    text
}

struct Picture<'a> {
    model: &'a Model,
    facts: &'a Reduction,
}

fn write(text: &mut String, picture: &Picture<'_>) -> fmt::Result {
    text.push_str(HEAD);
    let levels = &picture.facts.clusters.levels;
    writeln!(
        text,
        "  label=\"a frame: steps inside that are independent of all outside form an ample set; a line: both use it\";"
    )?;
    let all: Set<ActorId> = picture.facts.actors.list.ids().collect();
    picture.block(text, levels, &all, 1)?;
    picture.lines(text)?;
    text.push_str("}\n");
    Ok(())
}

impl Picture<'_> {
    /// The blocks of the highest level in a frame each, with those of the levels below inside.
    fn block(&self, text: &mut String, levels: &[Level], members: &Set<ActorId>, depth: usize) -> fmt::Result {
        let indent = "  ".repeat(depth);
        let Some((level, below)) = levels.split_last().filter(|(_, below)| !below.is_empty()) else {
            return members.iter().try_for_each(|actor| self.process(text, actor, &indent));
        };
        for (number, block) in level.blocks.iter().enumerate().filter(|(_, block)| block.is_inside(members)) {
            if block.len() == 1 {
                block.iter().try_for_each(|actor| self.process(text, actor, &indent))?;
                continue;
            }
            let height = below.len();
            writeln!(text, "{indent}subgraph cluster_{height}_{number} {{")?;
            writeln!(text, "{indent}  label=\"level {height}\"; color=\"#4070b0\"; style=rounded;")?;
            self.block(text, below, block, depth + 1)?;
            writeln!(text, "{indent}}}")?;
        }
        Ok(())
    }

    fn process(&self, text: &mut String, id: ActorId, indent: &str) -> fmt::Result {
        let actor = &self.facts.actors.list[id];
        let name = escape(&self.model.proctypes[actor.proctype].name);
        match actor.pid {
            Some(pid) => writeln!(text, "{indent}process_{} [label=\"{name} {pid}\"];", id.index()),
            None => writeln!(text, "{indent}process_{} [label=\"{name} ...\", peripheries=2];", id.index()),
        }
    }

    fn lines(&self, text: &mut String) -> fmt::Result {
        let actors: Vec<ActorId> = self.facts.actors.list.ids().collect();
        for (position, one) in actors.iter().enumerate() {
            for other in &actors[position + 1..] {
                let mut shared = self.shared(*one, *other);
                if shared.is_empty() {
                    continue;
                }
                if shared.len() > MOST_NAMES {
                    shared.truncate(MOST_NAMES);
                    shared.push("...".to_owned());
                }
                let label = escape(&shared.join(", "));
                writeln!(text, "  process_{} -- process_{} [label=\" {label}\"];", one.index(), other.index())?;
            }
        }
        Ok(())
    }

    /// The objects that both use, if one of them writes it.
    fn shared(&self, one: ActorId, other: ActorId) -> Vec<String> {
        let facts = self.facts;
        let mut names: Vec<String> = Vec::new();
        for (id, object) in facts.uses.objects.list.iter_enumerated() {
            let users = &facts.ownership.users[id];
            let uses = |actor: ActorId| users.readers.contains(actor) || users.writers.contains(actor);
            let is_written = users.writers.contains(one) || users.writers.contains(other);
            let name = match *object {
                Object::Global { variable, scalar } if uses(one) && uses(other) && is_written => {
                    scalar_name(self.model, variable, scalar)
                }
                // The two sides of a channel are two objects, but one name.
                Object::Sending(channel) | Object::Handshake(channel) => {
                    let users = &facts.ownership.channel_users[channel];
                    if !(users.contains(one) && users.contains(other)) {
                        continue;
                    }
                    let channel = &facts.channels.list[channel];
                    let site = &self.model.sites[channel.site];
                    let name = self.model.site_name(site, ".");
                    match channel.element.filter(|_| site.count > 1) {
                        Some(element) => format!("{name}[{element}]"),
                        None => name,
                    }
                }
                _ => continue,
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{Options, Session};

    fn drawn(model: &str) -> String {
        let mut session = Session::from_text("m.pml", model.to_owned(), &Options::default()).expect("a small model");
        let model = session.resolve().expect("a good model");
        let analysed = session.analyse_processes(&model);
        dot(&analysed.program, &analysed.facts.reduction)
    }

    #[test]
    fn a_level_is_a_frame_and_what_is_shared_a_line() {
        let model = "
byte a, b, c;
active proctype A() { a = 1; c = 1 }
active proctype B() { a = 2 }
active proctype C() { b = 1; c = 2 }
active proctype D() { b = 2 }
active proctype E() { skip }";
        let text = drawn(model);
        let frames: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with("subgraph")).collect();
        assert_eq!(frames, ["subgraph cluster_2_0 {", "subgraph cluster_1_0 {", "subgraph cluster_1_1 {"]);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| line.contains("--")).collect();
        assert_eq!(
            lines,
            [
                "process_0 -- process_1 [label=\" a\"];",
                "process_0 -- process_2 [label=\" c\"];",
                "process_2 -- process_3 [label=\" b\"];"
            ]
        );
        assert!(text.contains("\n  process_4 [label=\"E 4\"];"), "{text}");
    }

    #[test]
    fn channels_are_lines_and_classes_have_two_frames() {
        let model = "chan q[2] = [1] of { byte }; proctype W() { q[1]!1 } active proctype M() { byte x; do :: run W(); q[1]?x od }";
        let text = drawn(model);
        assert!(text.contains("process_1 [label=\"W ...\", peripheries=2];"), "{text}");
        assert!(text.contains("process_0 -- process_1 [label=\" q[1]\"];"), "{text}");
    }
}
