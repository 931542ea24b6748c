//! A run as one page for a browser: the files in `templates/page` with the run as data in them.
//!
//! The page needs no network and no server. The data cannot leave its element: what could end it, or a line of a script,
//! is written as an escape of JSON, and the script shows every text as text.

const PAGE: &str = include_str!("../../embedded/templates/page/page.html");
const STYLE: &str = include_str!("../../embedded/templates/page/page.css");
const SCRIPTS: [&str; 6] = [
    include_str!("../../embedded/templates/page/run.js"),
    include_str!("../../embedded/templates/page/chart.js"),
    include_str!("../../embedded/templates/page/panes.js"),
    include_str!("../../embedded/templates/page/watch.js"),
    include_str!("../../embedded/templates/page/explore.js"),
    include_str!("../../embedded/templates/page/main.js"),
];

/// The page that shows a run, given as a document of schema `pmc-run/1`.
pub fn page(run: &str) -> String {
    let [head, rest] = split(PAGE, "{{STYLE}}");
    let [middle, rest] = split(rest, "{{DATA}}");
    let [before, end] = split(rest, "{{SCRIPT}}");
    [head, STYLE, middle, &embedded(run), before, &SCRIPTS.join("\n"), end].concat()
}

fn split<'t>(text: &'t str, mark: &str) -> [&'t str; 2] {
    let (before, behind) = text.split_once(mark).expect("the template has each mark once");
    [before, behind]
}

/// JSON that can stand in an element of a page. Outside of strings it has none of these characters.
fn embedded(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{0}'..='\u{8}' | '\u{e}'..='\u{1f}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            character => text.push(character),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_complete() {
        let text = page("{}");
        assert!(!text.contains("{{"), "a mark is left");
        assert!(text.starts_with("<!DOCTYPE html>") && text.trim_end().ends_with("</html>"));
        for name in ["http://", "https://"] {
            // The name space of SVG is a name, and nothing is loaded from it.
            let used = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!used.contains(name), "the page names {name}");
        }
        for script in SCRIPTS {
            assert!(!script.contains("</script") && !script.contains("innerHTML") && !script.contains("<!--"));
        }
    }

    #[test]
    fn no_text_of_a_model_leaves_its_element() {
        let evil = "{\"a\":\"</script><script>alert(1)</script><!-- \u{2028} &amp; \\\" {{SCRIPT}}\"}";
        let text = page(evil);
        assert_eq!(text.matches("</script>").count(), 2);
        let data = embedded(evil);
        assert!(!data.contains(['<', '>', '&', '\u{2028}']));
        let read: serde_json::Value = serde_json::from_str(&data).expect("JSON as before");
        assert_eq!(read, serde_json::from_str::<serde_json::Value>(evil).expect("JSON"));
    }
}
