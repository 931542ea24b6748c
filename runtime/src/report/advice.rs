//! What to try after a search that was cut short: what fits its reason, or nothing.

use super::Subject;
use crate::limits::Stop;
use crate::options::Reduction;
use crate::verdict::{PropertyReport, Verdict};

impl Subject<'_> {
    /// Sentences for the report. A variable that grows without bound is named by the report already, and nothing else
    /// helps then.
    pub(super) fn advice(&self) -> Vec<String> {
        let is_cut_short = |property: &&PropertyReport| property.verdict == Verdict::Incomplete;
        let mut reasons = self.report.properties.iter().filter(is_cut_short);
        // The first property that met a limit: the others had what was left of it.
        let met = reasons.find_map(|property| match property.stop {
            Some(stop @ (Stop::Memory(_) | Stop::MaxStates(_) | Stop::MaxTime(_))) => Some((property, stop)),
            _ => None,
        });
        match met {
            Some((property, stop)) if self.info.growing.is_empty() => self.advice_for(property, stop),
            _ => Vec::new(),
        }
    }

    fn advice_for(&self, property: &PropertyReport, stop: Stop) -> Vec<String> {
        let figures = &property.statistics;
        let mut advice = Vec::new();
        if self.report.options.reduction == Reduction::Off {
            advice.push("without --no-reduction, interleavings that make no difference are left out".to_owned());
        }
        if matches!(stop, Stop::Memory(_)) {
            let has_numbers = ["nested", "scc"].contains(&figures.algorithm);
            advice.extend(match figures.storage {
                _ if has_numbers => {
                    Some("a search for cycles keeps every state as it is: no store makes it smaller".into())
                }
                "exact" | "tree" => Some(format!(
                    "--store compact takes 3 to 8 bytes for each state of a large model, which has {} bytes",
                    figures.state_bytes
                )),
                "compact" => Some(
                    "--store bitstate always fits: it may miss states, says how likely that is, and finds violations"
                        .into(),
                ),
                _ => None,
            });
        }
        if let Some(parameters) = self.parameters {
            advice.push(format!("smaller numbers make a smaller model: {parameters}"));
        }
        advice
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::options::{Algorithm, Options, Store};
    use crate::toy::{Edge, Graph, check};
    use std::time::Duration;

    /// The advice after a search that stopped for this reason.
    fn advice(stop: Option<Stop>, options: Options, storage: &'static str) -> Vec<String> {
        use crate::model::Model;
        let model = Graph::new(&[(0, 1, Edge::Plain)], &[1]);
        let mut report = check(&model, &Options { algorithm: Algorithm::DepthFirst, ..options });
        let property = &mut report.properties[0];
        property.stop = stop;
        property.verdict = if stop.is_some() { Verdict::Incomplete } else { Verdict::Verified };
        property.statistics.storage = storage;
        let subject = Subject {
            info: model.info(),
            report: &report,
            trails: &[],
            runs: &[],
            replay: None,
            parameters: Some("-D N=2 (it is 3)"),
            list_unreached: false,
            use_colors: false,
        };
        subject.advice()
    }

    #[test]
    fn advice_fits_the_reason() {
        let numbers = "smaller numbers make a smaller model: -D N=2 (it is 3)";
        let memory = Some(Stop::Memory(1 << 20));
        let after = |stop, storage| advice(stop, Options::default(), storage);
        let exact = after(memory, "exact");
        assert!(exact[0].starts_with("--store compact takes") && exact[1] == numbers && exact.len() == 2, "{exact:?}");
        assert!(after(memory, "compact")[0].starts_with("--store bitstate"));
        assert_eq!(after(memory, "bitstate"), [numbers]);
        assert_eq!(after(Some(Stop::MaxTime(Duration::from_secs(1))), "exact"), [numbers]);
        // The user knows why.
        for stop in [None, Some(Stop::Interrupted), Some(Stop::MaxDepth(3)), Some(Stop::Violation)] {
            assert_eq!(after(stop, "exact"), Vec::<String>::new(), "{stop:?}");
        }
        let options =
            Options { reduction: Reduction::Off, store: Store::Tree, limits: Limits::default(), ..Options::default() };
        assert!(advice(memory, options, "tree")[0].starts_with("without --no-reduction"));
    }
}
