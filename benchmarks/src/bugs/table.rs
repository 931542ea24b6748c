//! The results as tables, with ratios and whether the targets are met.

use super::{Answer, Found, Race, Run};
use crate::results::geometric_mean;
use crate::table::align;

/// Shorter times are not measured well, and nobody notices them: they count as this many seconds.
const SHORTEST: f64 = 0.01;

/// The greatest time of pmc over pan's on any model.
const MOST_RATIO: f64 = 1.5;

/// The greatest time of the default search over that of breadth-first search, where there is no violation.
const MOST_COST: f64 = 1.05;

const CONTENDERS: [&str; 5] = ["interpreted", "compiled", "pan", "pan -i", "pan -DBFS"];

/// Time to the violation and the steps of the run, and then what the targets say.
pub fn table(races: &[Race]) -> String {
    let present = |name: &&str| races.iter().any(|race| race.run(name).is_some());
    let contenders: Vec<&str> = CONTENDERS.into_iter().filter(present).collect();
    let ours: Vec<&str> = contenders.iter().copied().filter(|name| !name.starts_with("pan")).collect();
    let mut header = vec!["model".to_owned()];
    header.extend(contenders.iter().map(|name| format!("{name}, s")));
    header.extend(ours.iter().map(|name| format!("{name}, report")));
    header.extend(ours.iter().map(|name| format!("{name} : pan")));
    header.push(format!("steps {}", contenders.join(" : ")));
    let mut lines = vec![header];
    for race in races {
        let mut line = vec![race.model.clone()];
        line.extend(contenders.iter().map(|name| race.run(name).map_or_else(dash, |run| seconds(run, run.found))));
        line.extend(ours.iter().map(|name| race.run(name).map_or_else(dash, |run| seconds(run, run.reported))));
        line.extend(ours.iter().map(|name| ratio(race, name, "pan").map_or_else(dash, |ratio| format!("{ratio:.2}"))));
        let steps: Vec<String> = contenders.iter().map(|name| race.run(name).map_or_else(dash, steps)).collect();
        line.push(steps.join(" : "));
        lines.push(line);
    }
    let mut text = align(&lines, 1);
    for name in ours {
        text += &summary(races, name);
    }
    text
}

fn summary(races: &[Race], name: &str) -> String {
    let ratios: Vec<(&str, f64)> =
        races.iter().filter_map(|race| Some((race.model.as_str(), ratio(race, name, "pan")?))).collect();
    let Some(mean) = geometric_mean(&ratios.iter().map(|(_, ratio)| *ratio).collect::<Vec<f64>>()) else {
        return String::new();
    };
    let list = |models: Vec<&str>| if models.is_empty() { "none".to_owned() } else { models.join(", ") };
    let slow = ratios.iter().filter(|(_, ratio)| *ratio > MOST_RATIO).map(|(model, _)| *model).collect();
    let is_lost = |race: &&Race| found(race, name).is_none() && found(race, "pan").is_some();
    let is_long =
        |race: &&Race| match (found(race, name).and_then(|f| f.steps), found(race, "pan").and_then(|f| f.steps)) {
            (Some(ours), Some(theirs)) => ours > theirs,
            _ => false,
        };
    let names = |which: &dyn Fn(&&Race) -> bool| races.iter().filter(which).map(|race| race.model.as_str()).collect();
    format!(
        "\n{name} over pan: {mean:.2} in the geometric mean; above {MOST_RATIO}: {}; found by pan alone: {}; \
         longer runs than pan's: {}\n",
        list(slow),
        list(names(&is_lost)),
        list(names(&is_long))
    )
}

/// The cost of the probe where there is no violation: processor time on one thread, and time by the clock on two.
pub fn cost_table(races: &[Race]) -> String {
    let header = ["model", "auto, s", "bfs, s", "auto : bfs", "on two, auto, s", "bfs, s", "auto : bfs"];
    let mut lines = vec![header.map(str::to_owned).to_vec()];
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for race in races {
        let mut line = vec![race.model.clone()];
        line.extend(cost(race, ["auto", "bfs"], |run| run.seconds, &mut one));
        line.extend(cost(race, ["auto on two", "bfs on two"], |run| run.reported, &mut two));
        lines.push(line);
    }
    align(&lines, 1) + &sum("auto over bfs", &one) + &sum("on two threads, by the clock,", &two)
}

/// Both times and their ratio, which is noted if both searches came to their end.
fn cost(race: &Race, names: [&str; 2], time: fn(&Run) -> f64, ratios: &mut Vec<(String, f64)>) -> [String; 3] {
    let [auto, bfs] = names.map(|name| race.run(name));
    let proved = |run: Option<&Run>| run.filter(|run| run.answer == Answer::None).map(time);
    let ratio = proved(auto).zip(proved(bfs)).map(|(auto, bfs)| over(auto, bfs));
    ratios.extend(ratio.map(|ratio| (race.model.clone(), ratio)));
    let cell = |run: Option<&Run>| run.map_or_else(dash, |run| seconds(run, time(run)));
    [cell(auto), cell(bfs), ratio.map_or_else(dash, |ratio| format!("{ratio:.2}"))]
}

fn sum(what: &str, ratios: &[(String, f64)]) -> String {
    let Some(mean) = geometric_mean(&ratios.iter().map(|(_, ratio)| *ratio).collect::<Vec<f64>>()) else {
        return String::new();
    };
    let above: Vec<&str> = ratios.iter().filter(|(_, ratio)| *ratio > MOST_COST).map(|(model, _)| &**model).collect();
    let above = if above.is_empty() { "none".to_owned() } else { above.join(", ") };
    format!("\n{what} {mean:.2} in the geometric mean; above {MOST_COST}: {above}\n")
}

fn dash() -> String {
    "-".to_owned()
}

fn seconds(run: &Run, seconds: f64) -> String {
    match run.answer {
        Answer::Violation(_) | Answer::None => format!("{seconds:.2}"),
        Answer::GaveUp(_) => dash(),
    }
}

fn steps(run: &Run) -> String {
    match run.answer {
        Answer::Violation(Found { steps: Some(steps) }) => steps.to_string(),
        Answer::Violation(Found { steps: None }) | Answer::None | Answer::GaveUp(_) => dash(),
    }
}

fn found(race: &Race, name: &str) -> Option<Found> {
    match race.run(name)?.answer {
        Answer::Violation(found) => Some(found),
        Answer::None | Answer::GaveUp(_) => None,
    }
}

/// The time of one contender over that of another, if both found the violation.
fn ratio(race: &Race, name: &str, other: &str) -> Option<f64> {
    found(race, name)?;
    found(race, other)?;
    Some(over(race.run(name)?.found, race.run(other)?.found))
}

fn over(time: f64, other: f64) -> f64 {
    time.max(SHORTEST) / other.max(SHORTEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(contender: &'static str, seconds: f64, steps: u64) -> Run {
        let answer = Answer::Violation(Found { steps: Some(steps) });
        Run { contender, seconds, found: seconds, reported: seconds, answer }
    }

    #[test]
    fn ratios_and_losses_are_told() {
        let (contender, seconds) = ("interpreted", 20.0);
        let answer = Answer::GaveUp("20 s".to_owned());
        let gave_up = Run { contender, seconds, found: seconds, reported: seconds, answer };
        let races = [
            Race { model: "a".to_owned(), runs: vec![run("interpreted", 0.4, 9), run("pan", 0.1, 5)] },
            Race { model: "b".to_owned(), runs: vec![run("interpreted", 0.002, 5), run("pan", 0.04, 5)] },
            Race { model: "c".to_owned(), runs: vec![gave_up, run("pan", 0.1, 5)] },
        ];
        let text = table(&races);
        assert!(text.contains("4.00") && text.contains("0.25") && !text.contains("compiled"), "{text}");
        let summary = "interpreted over pan: 1.00 in the geometric mean; above 1.5: a; found by pan alone: c; longer runs \
                       than pan's: a";
        assert!(text.contains(summary), "{text}");
    }

    #[test]
    fn the_cost_of_the_probe_is_told() {
        let proof =
            |contender, seconds| Run { contender, seconds, found: seconds, reported: seconds, answer: Answer::None };
        let runs = |auto: f64, on_two: f64| {
            vec![proof("auto", auto), proof("bfs", 1.0), proof("auto on two", on_two), proof("bfs on two", 1.0)]
        };
        let races = [
            Race { model: "a".to_owned(), runs: runs(1.03, 1.0) },
            Race { model: "b".to_owned(), runs: runs(1.2, 1.04) },
            Race { model: "c".to_owned(), runs: vec![proof("auto", 1.0)] },
        ];
        let text = cost_table(&races);
        assert!(text.contains("\nauto over bfs 1.11 in the geometric mean; above 1.05: b\n"), "{text}");
        assert!(
            text.contains("\non two threads, by the clock, 1.02 in the geometric mean; above 1.05: none\n"),
            "{text}"
        );
    }
}
