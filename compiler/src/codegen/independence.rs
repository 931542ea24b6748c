//! What the analyses found out about which processes disturb each other, as
//! tables and as code that looks at a state.
//!
//! Processes of one proctype for which the same holds share tables and code; the
//! others are told apart by their pid.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::Generator;
use super::dependencies::future_table;
use super::names::{ConstantNames, bare, count, visible};
use crate::analysis::actors::ActorId;
use crate::analysis::channels::ChannelId;
use crate::analysis::dependency_classes::DependencyClass;
use crate::analysis::objects::{Object, scalar_name};
use crate::analysis::stubborn::Guard;
use crate::analysis::visibility::{Obstacle, ObstacleCause, Property, PropertyKind};
use crate::collections::Id;
use crate::ir::LocationId;
use crate::model::{ChannelRef, ProctypeId};

impl Generator<'_> {
    /// Whether there is anything to say: no reduction, no file.
    pub fn has_independence(&self) -> bool {
        self.independence_is_off().is_none()
    }

    /// Why every interleaving has to be explored.
    pub fn independence_is_off(&self) -> Option<&'static str> {
        if self.facts.reduction.is_off() {
            return Some("the model looks at how processes are scheduled (priorities, _last, enabled, pc_value, np_)");
        }
        if self.program.model.trace.is_some() {
            return Some("the model has a trace, to which the order of sends and receives matters");
        }
        if self.loses_messages {
            return Some("whether a message is lost depends on the order of sender and receiver");
        }
        None
    }

    /// Whether the state must be able to tell whether a channel found by its number is full or empty.
    pub fn independence_probes(&self, is_by_number: impl Fn(&ChannelRef) -> bool) -> bool {
        if !self.has_independence() {
            return false;
        }
        let reduction = &self.facts.reduction;
        let conditions = reduction.safety.locations.iter().flatten().flat_map(|location| &location.conditions);
        let steps = reduction.stubborn.iter().flat_map(|stubborn| stubborn.steps.iter().flatten().flatten());
        let guards = steps.flat_map(|step| &step.guards).filter_map(|guard| match guard {
            Guard::Room { channel, .. } | Guard::Message { channel, .. } => Some(channel),
            Guard::Condition { .. } | Guard::Partner { .. } | Guard::Youngest { .. } => None,
        });
        conditions.map(|condition| &condition.channel).chain(guards).any(is_by_number)
    }

    /// Everything in `independence.rs`.
    pub fn independence(&self) -> TokenStream {
        let info = self.reduction_info();
        let mut parts = TokenStream::new();
        let (mut levels, mut futures, mut dependencies) = (Vec::new(), Vec::new(), Vec::new());
        for id in self.program.model.proctypes.ids() {
            let (mut level_calls, mut future_rows, mut dependency_calls) = (Vec::new(), Vec::new(), Vec::new());
            let module = bare(&self.names.proctypes[id].module);
            let named = |number: usize| if number == 0 { module.clone() } else { format!("{module}_{}", number + 1) };
            for (number, levels) in self.shared(id, |actor| self.level_code(id, actor)).into_iter().enumerate() {
                let whom = self.whom(id, levels.pids.as_deref());
                let (code, call) = self.level_function(id, &named(number), &whom, &levels.body);
                parts.extend(code);
                level_calls.push((levels.pids, call));
            }
            if self.facts.reduction.stubborn.is_some() {
                for (number, rows) in self.shared(id, |actor| self.future_rows(id, actor)).into_iter().enumerate() {
                    let whom = self.whom(id, rows.pids.as_deref());
                    let (code, bit_set) = future_table(&named(number), &whom, &rows.body.tokens);
                    parts.extend(code);
                    future_rows.push((rows.pids, bit_set));
                }
                let dependencies = self.shared(id, |actor| self.dependency_code(id, actor));
                for (number, dependencies) in dependencies.into_iter().enumerate() {
                    let whom = self.whom(id, dependencies.pids.as_deref());
                    let (code, call) = self.dependency_function(id, &named(number), &whom, &dependencies.body);
                    parts.extend(code);
                    dependency_calls.push((dependencies.pids, call));
                }
            }
            // A proctype that nobody starts has no actors.
            levels.push((id, by_pid(&level_calls).unwrap_or(quote! { NEVER })));
            futures.push((id, by_pid(&future_rows).unwrap_or(quote! { &[] })));
            dependencies.push((id, by_pid(&dependency_calls).unwrap_or(quote! { bit_set.fill(u64::MAX) })));
        }
        let dispatch = |calls: &[(ProctypeId, TokenStream)]| {
            self.each_kind(&quote! { now.process(me) }, |id, _| {
                calls.iter().find(|(of, _)| *of == id).map_or_else(TokenStream::new, |(_, call)| call.clone())
            })
        };
        let level = dispatch(&levels);
        let facet_functions = self.facts.reduction.stubborn.is_some().then(|| {
            let (future, dependency) = (dispatch(&futures), dispatch(&dependencies));
            quote! {
                /// What process `me`, and processes that it starts, may do from now on.
                pub fn future(now: &State, me: Pid) -> &'static [u64] {
                    #future
                }

                /// Adds what would disturb process `me` in this state.
                pub fn add_dependencies(now: &State, me: Pid, bit_set: &mut [u64]) {
                    #dependency
                }
            }
        });
        let part_function = self.part_function();
        let dependency_classes = self.facet_constants();
        let body = quote! {
            #info
            #dependency_classes

            /// The least level at which nobody outside its cluster disturbs process `me` where it stands.
            pub fn safe_level(now: &State, me: Pid, table: Table, counts_pids: bool) -> u8 {
                #level
            }

            #facet_functions
            #part_function
            #parts
        };
        let imports = self.imports(&body);
        quote! { #imports #body }
    }

    /// A name for each dependency class, in the order of their bits; none where there are too many to be read.
    pub fn facet_names(&self) -> Vec<Ident> {
        let Some(stubborn) = &self.facts.reduction.stubborn else { return Vec::new() };
        if stubborn.dependency_classes.list.len() > MOST_FACETS {
            return Vec::new();
        }
        let mut names = ConstantNames::default();
        stubborn
            .dependency_classes
            .list
            .iter()
            .map(|dependency_class| names.take(&self.dependency_class_name(*dependency_class)))
            .collect()
    }

    /// `pub const READS_TAKEN: u64 = 1 << 3;`
    fn facet_constants(&self) -> TokenStream {
        let constant = |(number, name): (usize, &Ident)| {
            let bit = count(number % 64);
            quote! { pub const #name: u64 = 1 << #bit; }
        };
        self.dependency_classes.iter().enumerate().map(constant).collect()
    }

    /// A word of a bit set of dependency classes: by their names, if there are few.
    pub(super) fn facet_word(&self, number: usize, bits: u64) -> TokenStream {
        let names = self.dependency_classes.get(number * 64..).unwrap_or_default().iter().take(64).enumerate();
        let names: Vec<&Ident> = names.filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| name).collect();
        let n_bits = bits.count_ones() as usize;
        if n_bits == 0 || n_bits > MOST_NAMES || names.len() < n_bits {
            let word = word(bits);
            return quote! { #word };
        }
        quote! { #(#names)|* }
    }

    fn dependency_class_name(&self, dependency_class: DependencyClass) -> String {
        let object = |id| self.object_name(self.facts.reduction.uses.objects.list[id]);
        let channel = |id| self.channel_name(id);
        match dependency_class {
            DependencyClass::Reads(id) => format!("reads {}", object(id)),
            DependencyClass::Writes(id) => format!("writes {}", object(id)),
            DependencyClass::Sends(id, None) => format!("sends to {}", channel(id)),
            DependencyClass::Sends(id, Some(value)) => format!("sends {value} to {}", channel(id)),
            DependencyClass::Receives(id) => format!("receives from {}", channel(id)),
            DependencyClass::NeedsRoom(id) => format!("needs room in {}", channel(id)),
            DependencyClass::NeedsMessage(id) => format!("needs a message in {}", channel(id)),
            DependencyClass::Changes(id) => format!("changes {}", channel(id)),
            DependencyClass::Looks(id) => format!("looks at {}", channel(id)),
            DependencyClass::TestsMessage(id) => format!("tests that {} is empty", channel(id)),
            DependencyClass::TestsRoom(id) => format!("tests that {} is full", channel(id)),
            DependencyClass::TestsReady(id) => format!("tests that nobody is ready on {}", channel(id)),
            DependencyClass::Starts => "starts a process".to_owned(),
            DependencyClass::Ends => "ends".to_owned(),
        }
    }

    fn channel_name(&self, id: ChannelId) -> String {
        let model = self.program.model;
        let channel = &self.facts.reduction.channels.list[id];
        let name = model.site_name(&model.sites[channel.site], ".");
        visible(&match channel.element {
            Some(element) if model.sites[channel.site].count > 1 => format!("{name}[{element}]"),
            _ => name,
        })
    }

    fn object_name(&self, object: Object) -> String {
        let model = self.program.model;
        match object {
            Object::Global { variable, scalar } => visible(&scalar_name(model, variable, scalar)),
            Object::Local { variable, .. } => visible(&model.variables[variable].name),
            Object::Sending(id) | Object::Receiving(id) | Object::Handshake(id) | Object::Ready(id) => {
                self.channel_name(id)
            }
            Object::At { .. } => "where a process stands".to_owned(),
            Object::ProcessTable => "the table of processes".to_owned(),
        }
    }

    fn reduction_info(&self) -> TokenStream {
        let reduction = &self.facts.reduction;
        let n_words = count(self.n_words());
        let levels = reduction.clusters.levels.iter().skip(1).map(|level| {
            // By their highest pid, the highest first; processes of a class have the highest pids there are.
            let mut blocks: Vec<_> = level.blocks.iter().collect();
            let highest = |block: &&crate::analysis::sets::Set<ActorId>| {
                block.iter().map(|actor| reduction.actors.list[actor].pid.unwrap_or(u32::MAX)).max()
            };
            blocks.sort_by_key(|block| std::cmp::Reverse(highest(block)));
            let blocks = blocks.into_iter().map(|block| {
                let mut words = [0_u64; 4];
                let mut proctypes = Vec::new();
                for actor in block.iter().map(|actor| &reduction.actors.list[actor]) {
                    match actor.pid {
                        Some(pid) => {
                            if let Some(word) = words.get_mut(pid as usize / 64) {
                                *word |= 1 << (pid % 64);
                            }
                        }
                        None => proctypes.push(Literal::u32_unsuffixed(actor.proctype.0)),
                    }
                }
                let words = words.map(word);
                quote! { Cluster { pids: PidSet::from_words([#(#words),*]), proctypes: &[#(#proctypes),*] } }
            });
            quote! { &[#(#blocks),*] }
        });
        let init = self
            .program
            .model
            .proctypes
            .ids()
            .find(|id| self.program.model.proctypes[*id].kind == crate::model::ProcessKind::Init);
        let is_beginning = |id: ProctypeId, at: LocationId| {
            Some(id) == init && self.facts.instances.is_beginning.get(at) == Some(&true)
        };
        let beginning = self.location_set(is_beginning);
        let sticky = self.location_set(|id, at| reduction.sticky[id][at]);
        let splits = self.split_table();
        let observed = reduction.processes.pids_are_observed.is_some();
        let relies = reduction.relies_on_promises();
        let may_observe_pids = self.location_set(|id, at| observed && reduction.processes.may_observe_pids[id][at]);
        let property = |kind: PropertyKind| reduction.properties.iter().find(|property| property.kind == kind);
        let never = (0..self.program.model.never.len()).map(|n| self.watched(property(PropertyKind::Never(n))));
        let formulas = (0..self.program.model.formulas.len()).map(|n| self.watched(property(PropertyKind::Ltl(n))));
        let claims = never.chain(formulas);
        let acceptance = match property(PropertyKind::Acceptance) {
            // Nobody has such a label.
            None => quote! { Visibility::NOTHING },
            some => self.watched(some),
        };
        let progress = self.watched(property(PropertyKind::NonProgress));
        quote! {
            /// What holds whatever the state is.
            pub static INFO: ReductionInfo = ReductionInfo {
                off: None,
                n_words: #n_words,
                levels: &[#(#levels),*],
                beginning: #beginning,
                sticky: #sticky,
                splits: #splits,
                pids_are_observed: #observed,
                may_observe_pids: #may_observe_pids,
                relies_on_promises: #relies,
                claims: &[#(#claims),*],
                acceptance: #acceptance,
                progress: #progress,
            };
        }
    }

    fn watched(&self, property: Option<&Property>) -> TokenStream {
        let Some(property) = property else {
            return quote! { Visibility { off: Some("nothing is known about what it can notice"), ..Visibility::NOTHING } };
        };
        let actors = &self.facts.reduction.actors;
        let visible = self.location_set(|id, at| actors.of[id].iter().any(|actor| property.visible[*actor][at]));
        let is_stutter_robust = property.is_stutter_robust;
        match property.obstacles.first() {
            None => {
                quote! { Visibility { visible: #visible, off: None, is_doubt: false, is_stutter_robust: #is_stutter_robust } }
            }
            Some(Obstacle { cause, .. }) => {
                let reason = match cause {
                    ObstacleCause::Scheduling => "the claim looks at how processes are scheduled",
                    ObstacleCause::Next => "the formula has an X, so that it can tell how often a state is repeated",
                    ObstacleCause::NotStutterClosed => "the claim is not known to be stutter-closed",
                    ObstacleCause::TooManyConditions => "the claim has too many conditions to find out what it notices",
                    ObstacleCause::Untested => "it is not known whether the claim notices when a state is repeated",
                };
                let is_doubt = matches!(cause, ObstacleCause::NotStutterClosed | ObstacleCause::TooManyConditions);
                quote! { Visibility { visible: #visible, off: Some(#reason), is_doubt: #is_doubt, is_stutter_robust: false } }
            }
        }
    }

    /// Locations as a set of bits, by their number among those of all proctypes.
    fn location_set(&self, is_in: impl Fn(ProctypeId, LocationId) -> bool) -> TokenStream {
        let mut words: Vec<u64> = Vec::new();
        for (id, graph) in self.program.graphs.iter_enumerated() {
            let first = self.first_location(id) as usize;
            for at in graph.locations.ids().filter(|at| is_in(id, *at)) {
                let number = first + at.index();
                words.resize(words.len().max(number / 64 + 1), 0);
                words[number / 64] |= 1 << (number % 64);
            }
        }
        let words = words.into_iter().map(word);
        quote! { &[#(#words),*] }
    }
}

/// So many dependency classes have names.
const MOST_FACETS: usize = 256;

/// More names than this in a word read worse than a number.
const MOST_NAMES: usize = 8;

/// Small numbers are easier to read as such; others are sets of bits.
fn word(word: u64) -> Literal {
    let text = if word < 10 { word.to_string() } else { format!("{word:#x}") };
    text.parse().unwrap_or_else(|_| Literal::u64_unsuffixed(word))
}

/// `match me.0 { ... }` if several kinds of processes are told apart.
fn by_pid(arms: &[(Option<Vec<u32>>, TokenStream)]) -> Option<TokenStream> {
    match arms {
        [] => None,
        [(None, only)] => Some(only.clone()),
        [rest @ .., (_, last)] => {
            let arms = rest.iter().map(|(pids, code)| {
                let pids = pids.iter().flatten().map(|pid| Literal::u32_unsuffixed(*pid));
                quote! { #(#pids)|* => #code, }
            });
            Some(quote! { match me.0 { #(#arms)* _ => #last } })
        }
    }
}

pub const INDEPENDENCE_HEADING: &str =
    "Which steps of processes depend on each other: what the analyses found, for the reductions.

The level of a process says how large a cluster of processes must be so that
nobody outside disturbs what the process does where it stands. Dependency classes are bits,
one for each way in which a process can disturb another.";
