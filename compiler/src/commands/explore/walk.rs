//! The run that a person walks, and the answers of the server about it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pmc_runtime::explore::{Choice, Explorer, GraphLimits};
use pmc_runtime::json::{Json, object};
use pmc_runtime::limits::{Interrupt, Limits};
use pmc_runtime::model::ModelInfo;
use pmc_runtime::options::Options;
use pmc_runtime::trail::{Move, Trail};
use pmc_runtime::verdict::{Report, Verdict};

use super::http::{Method, Request, Response};
use crate::commands::graph::states;
use crate::commands::story;
use crate::picture::{diagram, page};

const JSON: &str = "application/json; charset=utf-8";

/// The most steps of a run.
const LONGEST: usize = 100_000;

/// How much of the state space is drawn around a state.
const AROUND: GraphLimits = GraphLimits { states: 30, depth: 3 };

/// The most memory of a search.
const SEARCH_MEMORY: u64 = 4 << 30;

/// A model and the run so far.
pub struct Walk<'e> {
    explorer: &'e Explorer<'e>,
    trail: Mutex<Trail>,
    /// Ends the search that is going on.
    interrupt: Mutex<Option<Arc<Interrupt>>>,
}

/// Whatever a thread did, the data of another one are whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'e> Walk<'e> {
    /// At the initial state.
    pub fn new(explorer: &'e Explorer<'e>) -> Self {
        Self { explorer, trail: Mutex::new(by_hand(explorer, Vec::new())), interrupt: Mutex::default() }
    }

    /// Answers a request whose path, without the secret in front, is `path`.
    pub fn answer(&self, path: &str, request: &Request) -> Response {
        let answer = match (request.method, path) {
            (Method::Get, "") => self.whole_page(),
            (Method::Get, "choices") => self.at_of_query(request).and_then(|at| self.choices(at)),
            (Method::Get, "graph.svg") => self.at_of_query(request).and_then(|at| self.graph(at)),
            (Method::Post, "step") => self.step(request),
            (Method::Post, "back") => self.back(request),
            (Method::Post, "search") => self.search(),
            (Method::Post, "stop") => Ok(self.stop()),
            (_, "" | "choices" | "graph.svg" | "step" | "back" | "search" | "stop") => {
                Err(Response::refusal(405, "this path wants another method"))
            }
            _ => Err(Response::refusal(404, "there is no such page")),
        };
        answer.unwrap_or_else(|refusal| refusal)
    }

    fn whole_page(&self) -> Result<Response, Response> {
        let trail = locked(&self.trail).clone();
        Ok(Response::new("text/html; charset=utf-8", page::page(&self.document(&trail)?)))
    }

    /// The run as the page reads it.
    fn document(&self, trail: &Trail) -> Result<String, Response> {
        let told = story::document(self.explorer, trail).map_err(|error| Response::refusal(409, &error.to_string()))?;
        Ok(match told {
            Json::Object(mut members) => {
                members.insert(0, ("explore".to_owned(), true.into()));
                Json::Object(members).to_string()
            }
            other => other.to_string(),
        })
    }

    /// The first moves of the run as steps and ticks alone: a claim is not walked by hand.
    fn moves(&self, at: usize) -> Result<Vec<Move>, Response> {
        let trail = locked(&self.trail);
        let is_of_model = |next: &Move| matches!(next, Move::System(_) | Move::Tick(_));
        let steps: Vec<Move> = trail.moves.iter().copied().filter(is_of_model).collect();
        match steps.get(..at) {
            Some(moves) => Ok(moves.to_vec()),
            // A run that ends with a stutter has more steps than moves of the system.
            None if at <= trail.n_steps() + trail.n_ticks() => Ok(steps),
            None => Err(Response::refusal(409, "the run is shorter: reload the page")),
        }
    }

    fn at_of_query(&self, request: &Request) -> Result<usize, Response> {
        let at = request.query.split('&').find_map(|part| part.strip_prefix("at="));
        at.and_then(|at| at.parse().ok()).ok_or_else(|| Response::refusal(400, "`at` is missing or no number"))
    }

    fn choices(&self, at: usize) -> Result<Response, Response> {
        let moves = self.moves(at)?;
        let choices = self.explorer.choices(&moves).map_err(|error| Response::refusal(409, &error.to_string()))?;
        let info = self.explorer.info();
        let message = match (choices.choices.is_empty(), choices.may_end) {
            (false, _) => None,
            (true, true) => Some("no step is possible; all processes may end here"),
            (true, false) => Some("no step is possible, and not all processes may end here: an invalid end state"),
        };
        let list = choices.choices.iter().map(|choice| choice_json(info, choice)).collect();
        Ok(json(&object([("choices", Json::List(list)), ("message", message.into())])))
    }

    fn step(&self, request: &Request) -> Result<Response, Response> {
        let body = body(request)?;
        let (at, nth) = (number(&body, "at")?, number(&body, "choice")?);
        let mut moves = self.moves(at)?;
        if moves.len() >= LONGEST {
            return Err(Response::refusal(409, "the run is as long as it can be here"));
        }
        let choices = self.explorer.choices(&moves).map_err(|error| Response::refusal(409, &error.to_string()))?;
        let choice = choices.choices.get(nth).ok_or_else(|| Response::refusal(409, "there is no such step here"))?;
        moves.push(Move::from(choice.step));
        self.replace(moves)
    }

    fn back(&self, request: &Request) -> Result<Response, Response> {
        let moves = self.moves(number(&body(request)?, "at")?)?;
        self.replace(moves)
    }

    fn replace(&self, moves: Vec<Move>) -> Result<Response, Response> {
        let trail = by_hand(self.explorer, moves);
        let document = self.document(&trail)?;
        *locked(&self.trail) = trail;
        Ok(Response::new(JSON, document))
    }

    fn graph(&self, at: usize) -> Result<Response, Response> {
        let moves = self.moves(at)?;
        let drawn = states::around(self.explorer, &moves, &AROUND);
        let drawn = drawn.map_err(|error| Response::refusal(409, &error.to_string()))?;
        Ok(Response::new("image/svg+xml; charset=utf-8", diagram::svg(&drawn)))
    }

    /// Searches until something is found, or `stop` is asked for.
    fn search(&self) -> Result<Response, Response> {
        let interrupt = Arc::new(Interrupt::new());
        {
            let mut running = locked(&self.interrupt);
            if running.is_some() {
                return Err(Response::refusal(409, "a search is going on already"));
            }
            *running = Some(Arc::clone(&interrupt));
        }
        let limits = Limits { memory: Some(SEARCH_MEMORY), ..Limits::default() };
        let report = self.explorer.check(&Options { limits, ..Options::default() }, &interrupt);
        *locked(&self.interrupt) = None;
        let message: Json = verdict(&report).into();
        let Some(violation) = report.violations().next() else {
            return Ok(json(&object([("message", message)])));
        };
        let run = self.document(&violation.trail)?;
        locked(&self.trail).clone_from(&violation.trail);
        Ok(Response::new(JSON, format!("{{\"message\": {message}, \"run\": {run}}}")))
    }

    fn stop(&self) -> Response {
        if let Some(interrupt) = locked(&self.interrupt).as_deref() {
            interrupt.set();
        }
        json(&object([]))
    }
}

/// A run that ends in no violation.
fn by_hand(explorer: &Explorer<'_>, moves: Vec<Move>) -> Trail {
    let (model_hash, abstract_time) = (explorer.info().hash.to_owned(), explorer.is_abstract(&moves));
    Trail { model_hash, abstract_time, moves, kind: "none".to_owned(), ..Trail::default() }
}

fn json(value: &Json) -> Response {
    Response::new(JSON, value.to_string())
}

fn body(request: &Request) -> Result<Json, Response> {
    Json::parse(&request.body).map_err(|error| Response::refusal(400, &error.to_string()))
}

fn number(body: &Json, name: &str) -> Result<usize, Response> {
    let number = body.get(name).and_then(Json::as_u64).and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| Response::refusal(400, &format!("`{name}` is missing or no number")))
}

/// What a search found, in a sentence.
fn verdict(report: &Report) -> String {
    let n: u64 = report.properties.iter().map(|property| property.statistics.states_stored).sum();
    match (report.verdict, report.violations().next()) {
        (_, Some(violation)) => {
            let unsure = if violation.trail.abstract_time { "; with exact time it was not found" } else { "" };
            format!("{}, after {} steps{unsure}", violation.message, violation.trail.n_steps())
        }
        (Verdict::Verified, None) => format!("there is no violation: the search is complete, {n} states"),
        (_, None) => {
            let reason = report.properties.iter().find_map(|property| property.stop);
            let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
            format!("nothing found yet, after {n} states{reason}")
        }
    }
}

fn choice_json(info: &ModelInfo<'_>, choice: &Choice) -> Json {
    let step = &choice.step;
    let transition = info.transition(step.transition).filter(|_| !step.is_tick());
    let merged = transition.map_or(&[][..], |first| first.merged);
    let texts = transition.into_iter().chain(merged.iter().filter_map(|id| info.transition(*id)));
    let receive = step.receiver.and_then(|(_, receive)| info.transition(receive));
    let mut texts: Vec<&str> = texts.chain(receive).map(|transition| transition.text).collect();
    if !choice.told.is_empty() {
        texts = choice.told.iter().map(String::as_str).collect();
    }
    let received = step.receiver.and_then(|(receiver, _)| Some((receiver, texts.pop()?)));
    let mut text = texts.join("; ");
    if let Some((receiver, received)) = received {
        text += &format!("  →  process {receiver}: {received}");
    }
    if !choice.violations.is_empty() {
        text += &format!("  ({})", choice.violations.join(", "));
    }
    if let Some(tick) = &choice.tick {
        text.clone_from(tick);
    }
    object([
        ("pid", (!step.is_tick()).then_some(u64::from(step.pid.0)).into()),
        ("text", text.into()),
        ("file", transition.map(|transition| u64::from(transition.place.file)).into()),
        ("line", transition.map(|transition| u64::from(transition.place.line)).into()),
        ("column", transition.map(|transition| u64::from(transition.place.column)).into()),
        ("fails", (choice.fails || !choice.violations.is_empty()).into()),
    ])
}
