//! A small model for tests of this folder, as the compiler describes one.

use super::decode;
use super::evaluate::View;
use super::formula::Formula;
use super::meaning::{Expr, Meaning};
use super::scene::{Owner, Queue, Scene, Value};
use crate::json::Json;
use crate::model::{LocationInfo, ModelInfo, ProctypeInfo, SourcePosition};
use crate::step::Pid;

const PLACE: SourcePosition = SourcePosition { file: 0, line: 7, column: 3 };

static INFO: ModelInfo<'static> = ModelInfo {
    name: "model.pml",
    hash: "0",
    pmc_version: "0",
    files: &["model.pml"],
    proctypes: &[ProctypeInfo { name: "worker", place: PLACE }],
    transitions: &[],
    locations: &[
        LocationInfo { proctype: 0, place: PLACE, labels: &[] },
        LocationInfo { proctype: 0, place: PLACE, labels: &["critical"] },
    ],
    claims: &[],
    growing: &[],
    control_flow: None,
    story: STORY,
    n_timers: 0,
    ticks_at_once: false,
    abstract_time: false,
    notes: &[],
    is_interpreted: false,
};

/// `byte a[3]; byte i; bool flag; mtype color; Point at[2]; chan q = [2] of { mtype, byte }; chan r = [0] of { byte };` and
/// `int x` of a worker.
const STORY: &str = r#"{
"files":[],
"mtypes":[["",[["red",2],["green",1]]]],
"records":[["Point",[["x","byte",null],["y","short",3]]]],
"variables":[["a","byte",3,null,0,[0,1,1],[]],["i","byte",null,null,0,[0,1,1],[]],["flag","bool",null,null,0,[0,1,1],[]],
["color","m0",null,null,0,[0,1,1],[]],["at","r0",2,null,0,[0,1,1],[]],["q","chan",null,null,0,[0,1,1],[]],
["r","chan",null,null,0,[0,1,1],[]],["x","int",null,0,0,[0,1,1],[]],["unknown","int",null,null,0,[0,1,1],[]]],
"channels":[[["q"],2,["m0","byte"]],[["r"],0,["byte"]]],
"globals":[0,1],
"proctypes":[[0,[],[7],[],null]],
"leaving":[],"statements":[],"claims":[],"formulas":[]}"#;

/// The model in a state.
pub struct Sample {
    pub meaning: Meaning,
    pub scene: Scene,
}

impl Sample {
    /// `a = 5, 6, 7`, `i = 1`, `flag`, `color = red`, `at[1].y[2] = -4`, a message `red(9)` in `q`; two workers with `x = 10` and
    /// `x = 11`, of which the second one is critical.
    pub fn new() -> Sample {
        let meaning = decode::meaning(STORY).expect("the text of a meaning");
        let mut sample = Sample { meaning, scene: Scene::default() };
        (sample.scene.proctypes, sample.scene.locations) = (vec![0, 0], vec![0, 1]);
        for (name, number) in [("a[0]", 5), ("a[1]", 6), ("a[2]", 7), ("i", 1), ("at[1].y[2]", -4)] {
            sample.set(None, name, number, &number.to_string());
        }
        sample.set(None, "flag", 1, "true");
        sample.set(None, "color", 2, "red");
        for pid in 0..2 {
            sample.set(Some(Pid(pid)), "x", 10 + i32::from(pid), &(10 + pid).to_string());
        }
        let messages = vec![vec![2, 9]];
        let queue = Queue { owner: None, name: "q".to_owned(), declaration: Some(0), messages, raw: String::new() };
        sample.scene.queues.push(queue);
        sample
    }

    pub fn set(&mut self, owner: Owner, name: &str, number: i32, text: &str) {
        self.scene.set(Value { owner, name: name.to_owned(), text: text.to_owned(), number: Some(number) });
    }

    /// As the second worker sees it.
    pub fn view(&self) -> View<'_> {
        View { info: &INFO, meaning: &self.meaning, scene: &self.scene, me: Some(Pid(1)), is_concrete: false }
    }
}

pub fn expr(text: &str) -> Expr {
    let json = Json::parse(text).expect("JSON");
    decode::expr(&json).unwrap_or_else(|| panic!("no expression: {text}"))
}

pub fn formula(text: &str) -> Formula {
    let json = Json::parse(text).expect("JSON");
    decode::formula(&json, &mut 0).unwrap_or_else(|| panic!("no formula: {text}"))
}
