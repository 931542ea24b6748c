//! A run as a sequence diagram of [Mermaid](https://mermaid.js.org), which many documents can show.

use std::fmt::Write;

use super::chart::{Part, parts};
use super::run::Run;
use crate::diagnostic::excerpt::harmless_text;

/// The text of the diagram. Of a long run only the beginning and the end, unless all of it is asked for.
pub fn mermaid(run: &Run, all: bool) -> String {
    let rows = run.rows();
    let messages = rows.messages();
    let mut text = "sequenceDiagram\n".to_owned();
    for (index, process) in run.processes.iter().enumerate() {
        let _ = writeln!(text, "  participant p{index} as {}", escape(&process.label));
    }
    let everyone = match run.processes.len() {
        0 | 1 => "p0".to_owned(),
        n => format!("p0,p{}", n - 1),
    };
    let mut is_open = false;
    for part in parts(&rows, all) {
        let at = match part {
            Part::Row(at) => at,
            Part::Gap(n) => {
                let _ = writeln!(text, "  Note over {everyone}: … {n} more steps …");
                continue;
            }
        };
        if rows.cycle_start == Some(at) {
            text.push_str("  loop for ever\n");
            is_open = true;
        }
        let row = &rows.rows[at];
        let Some(process) = row.step.process else {
            let _ = writeln!(text, "  Note over {everyone}: {}", escape(row.step.words()));
            continue;
        };
        let words = escape(row.step.words());
        let sent = messages.iter().find(|message| message.sent == at && message.from == process);
        let _ = match sent.and_then(|message| message.to) {
            // A closed tip for both at once, an open one for a message that is on its way.
            Some((to, received)) if received == at => writeln!(text, "  p{process}->>p{to}: {words}"),
            Some((to, _)) => writeln!(text, "  p{process}-)p{to}: {words}"),
            None => writeln!(text, "  Note over p{process}: {words}"),
        };
    }
    if is_open {
        text.push_str("  end\n");
    }
    if run.end.is_violation() && !run.processes.is_empty() {
        let lines: Vec<String> =
            std::iter::once(&run.end.message).chain(&run.reasons()).map(|line| escape(line)).collect();
        let _ = writeln!(text, "  Note over {everyone}: {}", lines.join("<br/>"));
    }
    text
}

/// Text that Mermaid shows as it is: its own signs, markup and the word that ends a block are written as codes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in harmless_text(text).chars() {
        match character {
            '#' | ';' | '<' | '>' | '&' | '"' | '%' | '\\' | '`' | '{' | '}' => {
                let _ = write!(escaped, "#{};", u32::from(character));
            }
            _ => escaped.push(character),
        }
    }
    let words: Vec<&str> = escaped.split(' ').map(|word| if word == "end" { "e#110;d" } else { word }).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::run::tests::SMALL;

    #[test]
    fn a_run_is_a_diagram() {
        let run = Run::read(&SMALL.replace("\"cycle_start\": 1", "\"cycle_start\": 3")).expect("a document");
        let expected = "\
sequenceDiagram
  participant p0 as a(id=0)
  participant p1 as b#60;1#62;
  p0->>p1: h!ping
  loop for ever
  p0-)p1: q!1,2
  Note over p1: q?#60;1,2#62;
  Note over p1: q?1,2
  Note over p0: q!3 #60;/text#62; end#59; #35;1
  Note over p0,p1: no process can move: the state stays as it is
  end
  Note over p0,p1: acceptance #60;cycle#62;
";
        assert_eq!(mermaid(&run, false), expected);
    }

    #[test]
    fn the_last_note_says_why() {
        let run = Run::read(&SMALL.replace("\"explanation\": []", "\"explanation\": [\"n = 2\", \"a < b\"]"));
        let text = mermaid(&run.expect("a document"), false);
        assert!(text.ends_with("  Note over p0,p1: acceptance #60;cycle#62;<br/>n = 2<br/>a #60; b\n"), "{text}");
    }

    #[test]
    fn no_text_ends_a_block() {
        assert_eq!(escape("goto end\n"), "goto end␊");
        assert_eq!(escape("goto end"), "goto e#110;d");
    }
}
