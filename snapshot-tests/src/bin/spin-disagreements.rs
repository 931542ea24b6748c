//! Counts the texts that Spin accepts and pmc refuses, and those that pmc accepts and Spin refuses.
//!
//! ```text
//! spin-disagreements FOLDER [FIRST_SEED] [N_SEEDS] [KEEP]
//! ```
//!
//! Each model of the folder is changed a little, by each seed, and passed to both. Disagreements are counted by their
//! messages; the first text of each kind is written to the folder KEEP.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use snapshot_tests::disagreement::{Verdict, ask_gcc, ask_spin, class, why_refused};
use snapshot_tests::front_end;
use snapshot_tests::mutate::mutate;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments.first().ok_or("name a folder of models")?;
    let number = |at: usize, default: u64| arguments.get(at).map_or(Ok(default), |text| text.parse());
    let (first, n_seeds) = (number(1, 0)?, number(2, 10)?);
    let keep = arguments.get(3).map(PathBuf::from);
    let work = tempfile::tempdir()?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut n_texts = 0;
    for path in front_end::models(folder) {
        let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
        for seed in first..first + n_seeds {
            let changed = mutate(&text, seed);
            n_texts += 1;
            let Some(kind) = compare(&changed, work.path())? else { continue };
            let count = counts.entry(kind.clone()).or_default();
            *count += 1;
            if let (1, Some(keep)) = (*count, &keep) {
                std::fs::create_dir_all(keep)?;
                let name = format!("{}_{seed}.pml", front_end::name(&path));
                std::fs::write(keep.join(&name), format!("/* {} */ {changed}", kind.replace("*/", "* /")))?;
            }
        }
    }
    for (kind, count) in &counts {
        println!("{count:6}  {kind}");
    }
    println!("{n_texts} texts, {} disagreements of {} kinds", counts.values().sum::<usize>(), counts.len());
    Ok(())
}

/// The disagreement, if there is one.
fn compare(text: &str, work: &Path) -> std::io::Result<Option<String>> {
    let pmc = why_refused(text);
    let spin = ask_spin(text, work)?;
    Ok(match (spin, pmc) {
        (Verdict::Accepts, Some(why)) if ask_gcc(work)? => Some(format!("only spin: {why}")),
        (Verdict::Complains(complaint), Some(why)) if ask_gcc(work)? => {
            Some(format!("only spin, which complains: {why} / {}", plain(&complaint)))
        }
        (Verdict::Refuses(complaint), None) => Some(format!("only pmc: {}", plain(&complaint))),
        (Verdict::Complains(complaint), None) => Some(format!("pmc, and spin complains: {}", plain(&complaint))),
        _ => None,
    })
}

/// A message of Spin without its position and names.
fn plain(complaint: &str) -> String {
    let what = complaint.split_once("rror").map_or(complaint, |(_, what)| what);
    let what = what.split("\tsaw").next().unwrap_or_default();
    let what = what.split(" statement separator").next().unwrap_or_default();
    let quoted =
        what.split('\'').enumerate().map(|(at, part)| if at % 2 == 1 { "_" } else { part }).collect::<String>();
    class(&quoted)
}
