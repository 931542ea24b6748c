//! Executes the beginning of `init` at compile time.
//!
//! The execution goes on as long as it is deterministic: every other option at the location of `init` is known to be
//! disabled. Locals have known values until something unknown is stored in them; no other process can change them.
//! Other processes influence only the pids of new processes.
//!
//! Statements that may block are executed too. So the result is an upper bound: what `init` does at most, in this
//! order.

use super::instances::{KnownValue, can_end, can_run};
use crate::collections::IdVec;
use crate::ir::{Action, Graph, LocationId, Program, Transition, TransitionId, visit};
use crate::model::fold::{apply_binary, apply_unary};
use crate::model::{BinaryOp, Expr, ExprKind, Init, Pattern, Place, ProctypeId, Target, Type, Variable, VariableId};

/// Enough for loops that start the greatest number of processes.
const MOST_STEPS: usize = 10_000;

/// Larger arrays are not tracked.
const LARGEST_ARRAY: u32 = 1_000;

/// The greatest number of processes.
const MOST_PROCESSES: usize = 255;

pub(super) struct Beginning {
    pub started: Vec<Started>,
    /// The location of `init` at which the execution stops.
    pub end: LocationId,
    /// Earlier locations, which `init` may visit again before the end.
    pub visited: IdVec<LocationId, bool>,
}

pub(super) struct Started {
    pub proctype: ProctypeId,
    /// `None` if it depends on other processes.
    pub pid: Option<u32>,
    /// The parameters with a known value.
    pub arguments: Vec<(VariableId, KnownValue)>,
    pub run: TransitionId,
}

pub(super) fn follow(program: &Program<'_>, init: ProctypeId, is_fixed_channel: &IdVec<VariableId, bool>) -> Beginning {
    let graph = &program.graphs[init];
    let own_pid = program.model.initial.iter().position(|of| *of == init).expect("`init` is there from the start");
    // Only the youngest process can be removed, so those before `init` stay.
    let shifts_pids = |of: ProctypeId| can_run(&program.graphs[of]) || can_end(&program.graphs[of]);
    let initial = program.model.initial.iter().enumerate();
    let others_can_shift_pids = initial
        .filter(|(pid, _)| *pid != own_pid)
        .any(|(pid, of)| if pid > own_pid { shifts_pids(*of) } else { can_run(&program.graphs[*of]) });
    let mut follower = StartFollower {
        program,
        graph,
        init,
        own_pid,
        is_fixed_channel,
        is_written: written(program),
        locals: program.model.variables.iter().map(|_| Vec::new()).collect(),
        shifts_pids: program.graphs.ids().map(shifts_pids).collect(),
        others_can_shift_pids,
        others_can_move: true,
        pids_are_known: true,
        started: Vec::new(),
    };
    follower.initialize();
    let mut at = graph.start;
    let mut visited: IdVec<LocationId, bool> = graph.locations.iter().map(|_| false).collect();
    for _ in 0..MOST_STEPS {
        let Some((transition, is_certain)) = follower.only_way(at) else { break };
        let Some(next) = follower.take(transition, is_certain) else { break };
        visited[at] = true;
        at = next;
    }
    Beginning { started: follower.started, end: at, visited }
}

/// A number; `None` if it is not known.
type Known = Option<i32>;

struct StartFollower<'p, 'm> {
    program: &'p Program<'m>,
    graph: &'p Graph<'m>,
    init: ProctypeId,
    own_pid: usize,
    is_fixed_channel: &'p IdVec<VariableId, bool>,
    is_written: IdVec<VariableId, bool>,
    /// The elements of each scalar or array that `init` owns; empty for those that are not tracked.
    locals: IdVec<VariableId, Vec<Known>>,
    /// For each proctype whether a process of it that is younger than `init` can change the next pid.
    shifts_pids: IdVec<ProctypeId, bool>,
    /// Whether one of the existing processes can.
    others_can_shift_pids: bool,
    /// Since the last step, other processes may have moved.
    others_can_move: bool,
    pids_are_known: bool,
    started: Vec<Started>,
}

impl<'m> StartFollower<'_, 'm> {
    /// `init` has no parameters; locals are initialised in order.
    fn initialize(&mut self) {
        let model = self.program.model;
        for id in &model.proctypes[self.init].locals {
            let variable = &model.variables[*id];
            let length = variable.length.unwrap_or(1);
            if matches!(variable.ty, Type::Record(_) | Type::Timer) || length > LARGEST_ARRAY {
                continue;
            }
            self.locals[*id] = (0..length as usize).map(|element| self.initial_value(variable, element)).collect();
        }
    }

    fn initial_value(&self, variable: &Variable, element: usize) -> Known {
        let ty = if variable.length.is_some() { variable.ty.element() } else { variable.ty };
        let value = match &variable.init {
            Init::Zero => Some(0),
            Init::All(value) => self.value(value),
            Init::List(values) => self.value(values.get(element).or(values.last())?),
            Init::Channel(_) | Init::FieldChannel { .. } => None,
        };
        value.filter(|_| ty != Type::Chan).map(|value| ty.truncate(value))
    }

    /// The only transition that may be enabled here, and whether it surely is.
    fn only_way(&self, at: LocationId) -> Option<(TransitionId, bool)> {
        let location = &self.graph.locations[at];
        if !location.escapes.is_empty() || self.program.model.proctypes[self.init].provided.is_some() {
            return None;
        }
        let mut open = None;
        for id in &location.leaving {
            let is_open = match (&self.graph.transitions[*id].action, open) {
                (Action::Else, None) => Some(true),
                (Action::Else, Some((_, true))) => Some(false),
                (Action::Else, Some((_, false))) => None,
                (action, _) => self.is_executable(action),
            };
            match is_open {
                Some(false) => {}
                _ if open.is_some() => return None,
                certain => open = Some((*id, certain.is_some())),
            }
        }
        open
    }

    /// `None` if it is not known.
    fn is_executable(&self, action: &Action<'_>) -> Option<bool> {
        match action {
            Action::Condition(condition) if matches!(condition.kind, ExprKind::Run { .. }) => Some(true),
            Action::Condition(condition) => self.value(condition).map(|value| value != 0),
            Action::Assign { .. } | Action::Assert(_) | Action::Print(_) | Action::Jump => Some(true),
            Action::Else
            | Action::Send { .. }
            | Action::Receive { .. }
            | Action::Event { .. }
            | Action::DStep(_)
            | Action::End => None,
        }
    }

    /// Applies a step to the locals and returns its target; `None` if it cannot be executed at compile time.
    fn take(&mut self, id: TransitionId, is_certain: bool) -> Option<LocationId> {
        let transition: &Transition<'m> = &self.graph.transitions[id];
        let to = transition.to?;
        self.others_can_move |= !is_certain;
        self.pids_are_known &= !(self.others_can_move && self.others_can_shift_pids);
        match &transition.action {
            Action::Condition(Expr { kind: ExprKind::Run { proctype, arguments, .. }, .. }) => {
                self.run(id, *proctype, arguments)?;
            }
            Action::Assign { target, value: Expr { kind: ExprKind::Run { proctype, arguments, .. }, .. } } => {
                let pid = self.run(id, *proctype, arguments)?;
                self.store(target, pid)?;
            }
            action if contains_run(action) => return None,
            Action::Assign { target, value } => self.store(target, self.value(value))?,
            Action::Receive { pattern, .. } => self.forget(pattern),
            Action::DStep(inner) => {
                visit::actions(inner, &mut |action| action.stored().for_each(|place| self.forget_place(place)));
            }
            Action::Condition(_) | Action::Else | Action::Jump | Action::Assert(_) | Action::Print(_) => {}
            Action::Send { .. } => {}
            Action::Event { .. } | Action::End => return None,
        }
        for merged in &transition.merged {
            if let Action::Assign { target, value } = &merged.action {
                self.store(target, self.value(value))?;
            }
        }
        // A rendezvous hands control over.
        let is_plain = !matches!(transition.action, Action::Send { .. } | Action::Receive { .. });
        self.others_can_move = !(transition.keeps_control && is_plain);
        Some(to)
    }

    /// Starts a process and returns its pid, if that is known.
    fn run(&mut self, run: TransitionId, proctype: ProctypeId, arguments: &[Expr]) -> Option<Known> {
        let model = self.program.model;
        let living = model.initial.len() + self.started.len();
        if living >= MOST_PROCESSES {
            return None;
        }
        let parameters = &model.proctypes[proctype].parameters;
        let is_record = |parameter: &VariableId| matches!(model.variables[*parameter].ty, Type::Record(_));
        // An argument that is a record becomes several values.
        let pairs = (!parameters.iter().any(is_record)).then(|| parameters.iter().zip(arguments));
        let arguments = pairs.into_iter().flatten().filter_map(|(parameter, argument)| {
            let ty = model.variables[*parameter].ty;
            let value = match ty {
                Type::Chan => self.channel(argument),
                _ => self.value(argument).map(|value| KnownValue::Number(ty.truncate(value))),
            };
            Some((*parameter, value?))
        });
        let arguments = arguments.collect();
        let pid = u32::try_from(living).ok().filter(|_| self.pids_are_known);
        self.started.push(Started { proctype, pid, arguments, run });
        self.others_can_shift_pids |= self.shifts_pids[proctype];
        Some(pid.and_then(|pid| i32::try_from(pid).ok()))
    }

    /// Stores a value; `None` if that is a fault.
    fn store(&mut self, target: &Target, value: Known) -> Option<()> {
        let place = match target {
            Target::Place(place) => place,
            Target::Several(places) => {
                places.iter().for_each(|place| self.forget_place(place));
                return Some(());
            }
            Target::Priority | Target::Ignore => return Some(()),
        };
        let index = match &place.index {
            None => Some(0),
            Some(index) => self.value(index),
        };
        match index {
            None => self.forget_place(place),
            Some(index) if self.locals[place.variable].is_empty() => {
                let length = self.program.model.variables[place.variable].length.unwrap_or(1);
                u32::try_from(index).ok().filter(|index| *index < length)?;
            }
            Some(index) => {
                let element = self.locals[place.variable].get_mut(usize::try_from(index).ok()?)?;
                *element = value.filter(|_| place.ty != Type::Chan).map(|value| place.ty.truncate(value));
            }
        }
        Some(())
    }

    fn forget(&mut self, pattern: &[Pattern]) {
        for field in pattern {
            if let Pattern::Store(place) = field {
                self.forget_place(place);
            }
        }
    }

    fn forget_place(&mut self, place: &Place) {
        self.locals[place.variable].fill(None);
    }

    fn value(&self, expression: &Expr) -> Known {
        match &expression.kind {
            ExprKind::Constant(value) => Some(*value),
            ExprKind::Read(place) => self.read(place),
            ExprKind::Unary(op, inner) => Some(apply_unary(*op, self.value(inner)?)),
            ExprKind::Binary(op, left, right) => match (op, self.value(left)?) {
                (BinaryOp::And, 0) => Some(0),
                (BinaryOp::Or, left) if left != 0 => Some(1),
                (op, left) => apply_binary(*op, left, self.value(right)?).ok(),
            },
            ExprKind::Conditional(condition, yes, no) => self.value(if self.value(condition)? != 0 { yes } else { no }),
            ExprKind::Pid => i32::try_from(self.own_pid).ok(),
            _ => None,
        }
    }

    /// A local, or a global that always keeps its initial value.
    fn read(&self, place: &Place) -> Known {
        let index = match &place.index {
            None => 0,
            Some(index) => usize::try_from(self.value(index)?).ok()?,
        };
        if let Some(element) = self.locals[place.variable].get(index) {
            return *element;
        }
        let variable = &self.program.model.variables[place.variable];
        let is_constant = self.program.model.globals.contains(&place.variable) && !self.is_written[place.variable];
        let is_inside = index < variable.length.unwrap_or(1) as usize;
        let is_known = is_constant && is_inside && place.fields.is_empty();
        if is_known { self.initial_value(variable, index) } else { None }
    }

    /// A channel that is named by the variable that it was declared with.
    fn channel(&self, expression: &Expr) -> Option<KnownValue> {
        let ExprKind::Read(place) = &expression.kind else { return None };
        let Init::Channel(site) = self.program.model.variables[place.variable].init else { return None };
        let index = match &place.index {
            None => 0,
            Some(index) => u32::try_from(self.value(index)?).ok()?,
        };
        let is_known = self.is_fixed_channel[place.variable] && index < self.program.model.sites[site].count;
        is_known.then_some(KnownValue::Channel(site, index))
    }
}

fn contains_run(action: &Action<'_>) -> bool {
    let mut found = false;
    visit::action_expressions(action, &mut |expression| found |= matches!(expression.kind, ExprKind::Run { .. }));
    found
}

/// The variables that some statement stores in.
pub(super) fn written(program: &Program<'_>) -> IdVec<VariableId, bool> {
    let model = program.model;
    // Time changes a timer.
    let mut is_written: IdVec<VariableId, bool> =
        model.variables.iter().map(|variable| model.has_timer(variable.ty)).collect();
    for graph in &program.graphs {
        visit::actions(graph, &mut |action| {
            action.stored().for_each(|place| is_written[place.variable] = true);
        });
    }
    is_written
}
