//! The results of the independence analyses, as tables and as code that tests a state.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::Generator;
use super::names::{ConstantNames, bare, count, visible};
use crate::analysis::channels::ChannelId;
use crate::analysis::dependency_classes::DependencyClass;
use crate::analysis::objects::{Object, scalar_name};
use crate::collections::Id;
use crate::exec::Independence;
use crate::exec::independence::{Shared, Visibility};
use crate::model::ProctypeId;

impl Generator<'_> {
    /// Everything in `independence.rs`.
    pub fn independence(&self, independence: &Independence) -> TokenStream {
        let info = self.reduction_info(independence);
        let mut parts = TokenStream::new();
        let levels = self.by_process(|id| {
            let shared = &independence.levels[id];
            let functions =
                self.functions(id, shared, |name, processes, of| self.level_function(id, name, processes, of));
            functions.add_to(&mut parts).unwrap_or(quote! { NEVER })
        });
        let stubborn = independence.stubborn.as_ref().map(|stubborn| {
            let n_words = stubborn.n_words;
            let future = self.by_process(|id| {
                let shared = &stubborn.future[id];
                let tables =
                    self.functions(id, shared, |name, processes, of| self.future_table(name, processes, of, n_words));
                tables.add_to(&mut parts).unwrap_or(quote! { &[] })
            });
            let dependencies = self.by_process(|id| {
                let make =
                    |name: &str, processes: &str, of: &_| self.dependency_function(id, name, processes, of, n_words);
                let functions = self.functions(id, &stubborn.dependencies[id], make);
                functions.add_to(&mut parts).unwrap_or(quote! { bit_set.fill(u64::MAX) })
            });
            let part_function = self.part_function(&stubborn.splits, n_words);
            quote! {
                /// The dependency classes of all steps that process `me`, and processes that it starts, may still take.
                pub fn future(now: &State, me: Pid) -> &'static [u64] {
                    #future
                }

                /// Adds the dependency classes that the steps of process `me` depend on in this state.
                pub fn add_dependencies(now: &State, me: Pid, bit_set: &mut [u64]) {
                    #dependencies
                }

                #part_function
            }
        });
        let classes = self.class_constants();
        let body = quote! {
            #info
            #classes

            /// The least level at which no process outside its cluster can interfere with process `me` at its location.
            pub fn safe_level(now: &State, me: Pid, table: Table, counts_pids: bool) -> u8 {
                #levels
            }

            #stubborn
            #parts
        };
        let import = Self::import();
        quote! { #import #body }
    }

    /// `match now.process(me) { ... }`
    fn by_process(&self, mut code: impl FnMut(ProctypeId) -> TokenStream) -> TokenStream {
        let codes: Vec<TokenStream> = self.program.model.proctypes.ids().map(&mut code).collect();
        self.each_kind(&quote! { now.process(me) }, |id, _| codes[id.index()].clone())
    }

    /// A function or a table for each entry of a proctype.
    fn functions<T>(
        &self,
        id: ProctypeId,
        shared: &[Shared<T>],
        make: impl Fn(&str, &str, &T) -> (TokenStream, TokenStream),
    ) -> PerProcess {
        let module = bare(&self.names.proctypes[id].module);
        let one = |(number, shared): (usize, &Shared<T>)| {
            let name = if number == 0 { module.clone() } else { format!("{module}_{}", number + 1) };
            let (code, call) = make(&name, &self.described(id, shared.pids.as_deref()), &shared.of);
            (code, shared.pids.clone(), call)
        };
        PerProcess(shared.iter().enumerate().map(one).collect())
    }

    /// A name for each dependency class, in the order of their bits; none if there are too many for a reader.
    pub fn class_names(&self) -> Vec<Ident> {
        let Some(stubborn) = &self.facts.reduction.stubborn else { return Vec::new() };
        if stubborn.dependency_classes.list.len() > MOST_CLASSES {
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
    fn class_constants(&self) -> TokenStream {
        let constant = |(number, name): (usize, &Ident)| {
            let bit = count(number % 64);
            quote! { pub const #name: u64 = 1 << #bit; }
        };
        self.dependency_classes.iter().enumerate().map(constant).collect()
    }

    /// A bit set of dependency classes as an array.
    pub(super) fn class_words(&self, words: &[u64]) -> TokenStream {
        let words = words.iter().enumerate().map(|(number, bits)| self.class_word(number, *bits));
        quote! { [#(#words),*] }
    }

    /// A word of a bit set of dependency classes: by their names, if there are few.
    fn class_word(&self, number: usize, bits: u64) -> TokenStream {
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
            DependencyClass::TestsReady(id) => format!("tests that no partner is ready on {}", channel(id)),
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
            Object::At { .. } => "the location of a process".to_owned(),
            Object::ProcessTable => "the table of processes".to_owned(),
        }
    }

    fn reduction_info(&self, independence: &Independence) -> TokenStream {
        let n_words = independence.stubborn.as_ref().map_or(0, |stubborn| stubborn.n_words);
        let levels = independence.clusters.iter().map(|clusters| {
            let clusters = clusters.iter().map(|cluster| {
                let words = cluster.pids.map(word);
                let proctypes = cluster.proctypes.iter().map(|id| Literal::u32_unsuffixed(id.0));
                quote! { Cluster { pids: PidSet::from_words([#(#words),*]), proctypes: &[#(#proctypes),*] } }
            });
            quote! { &[#(#clusters),*] }
        });
        let splits = self.split_table(independence);
        let n_words = count(n_words);
        let (beginning, sticky) = (bit_set(&independence.beginning), bit_set(&independence.sticky));
        let (observed, relies) = (independence.pids_are_observed, independence.relies_on_promises);
        let may_observe_pids = bit_set(&independence.may_observe_pids);
        let claims = independence.claims.iter().map(visibility);
        let (acceptance, progress) = (visibility(&independence.acceptance), visibility(&independence.progress));
        quote! {
            /// The results that hold in every state.
            pub static INFO: ReductionInfo<'static> = ReductionInfo {
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
}

/// Functions or tables for the processes of a proctype: each with its pids, and a call of it.
struct PerProcess(Vec<(TokenStream, Option<Vec<u32>>, TokenStream)>);

impl PerProcess {
    /// Adds the functions to a file. Returns the call that selects one; nothing if the proctype has no processes.
    fn add_to(self, file: &mut TokenStream) -> Option<TokenStream> {
        let calls = self.0.into_iter().map(|(code, pids, call)| {
            file.extend(code);
            (pids, call)
        });
        by_pid(&calls.collect::<Vec<_>>())
    }
}

/// Numbers as a bit set.
pub(super) fn bit_set(words: &[u64]) -> TokenStream {
    let words = words.iter().copied().map(word);
    quote! { &[#(#words),*] }
}

fn visibility(of: &Visibility) -> TokenStream {
    let Visibility { visible, off, is_doubt, is_stutter_robust } = of;
    if visible.is_empty() && !is_doubt && *is_stutter_robust {
        return match off {
            None => quote! { Visibility::NOTHING },
            Some(reason) => quote! { Visibility { off: Some(#reason), ..Visibility::NOTHING } },
        };
    }
    let visible = bit_set(visible);
    let off = match off {
        None => quote! { None },
        Some(reason) => quote! { Some(#reason) },
    };
    quote! { Visibility { visible: #visible, off: #off, is_doubt: #is_doubt, is_stutter_robust: #is_stutter_robust } }
}

/// The largest number of dependency classes that have names.
const MOST_CLASSES: usize = 256;

/// With more names a word is harder to read than as a number.
const MOST_NAMES: usize = 8;

/// Small numbers are decimal; others are hexadecimal, as sets of bits.
fn word(word: u64) -> Literal {
    let text = if word < 10 { word.to_string() } else { format!("{word:#x}") };
    text.parse().unwrap_or_else(|_| Literal::u64_unsuffixed(word))
}

/// `match me.0 { ... }` if there are several kinds of processes.
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
    "Which steps of processes depend on each other: the results of the analyses, for the reductions.

The level of a process says how large a cluster of processes must be so that no process outside of it
can interfere at the location of the process. Dependency classes are bits, one for each kind of
dependency between steps.";
