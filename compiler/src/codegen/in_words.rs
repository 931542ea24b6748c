//! A state in words, in place of the plain structs.
//!
//! `State` is a few words, and `Locals` is a view of the slot of a process in them. Their accessors (`accessors.rs`)
//! define the fields.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::Generator;
use super::accessors::AccessorFunctions;
use super::expr::{Scope, plus};
use super::names::{count, doc};
use super::parameters::parameter;
use super::state::Storing;
use crate::analysis::places::Places;
use crate::model::{ProctypeId, VariableId};

impl Generator<'_> {
    /// The struct, the initial state, its fields, and its processes.
    pub fn state_in_words(&self, places: &Places) -> TokenStream {
        let n = count(places.n_words);
        let atomic_owner = self.facts.features.atomic.then(|| {
            quote! {
                /// The atomic owner: the process that is inside an atomic sequence.
                pub atomic_owner: Option<Pid>,
            }
        });
        let globals: Vec<VariableId> = self.program.model.state_variables().collect();
        let AccessorFunctions { getters, setters } =
            self.accessor_functions(places, false, &globals, &self.facts.layout.global_sites);
        let last = places.last.map(|last| {
            let (at, bits) = (count(last.at), count(last.bits as usize));
            quote! {
                /// `_last`: the process that took the last step.
                pub fn last(&self) -> u8 {
                    get(&self.words.0, #at, #bits)
                }
                pub fn set_last(&mut self, value: u8) {
                    set(&mut self.words.0, #at, #bits, value);
                }
            }
        });
        let initial = self.initial_in_words(places);
        let processes = self.processes_in_words(places);
        let fields = (!getters.is_empty()).then(|| quote! { impl State { #getters #setters #last } });
        let fields = fields.or(last.map(|last| quote! { impl State { #last } }));
        quote! {
            /// A state of the model. Every field has a fixed position in the words.
            #[derive(Clone, Copy, Debug)]
            pub struct State {
                pub words: Words<#n>,
                #atomic_owner
            }
            #initial
            #fields
            #processes
        }
    }

    fn initial_in_words(&self, places: &Places) -> TokenStream {
        let model = self.program.model;
        let atomic_owner = self.facts.features.atomic.then(|| quote! { atomic_owner: None, });
        let next = quote! { next };
        let starts = model.state_variables().map(|global| self.set_start(places, global, &next));
        let scope = Scope::new(self, None, "next");
        let inits = self.initialize(&scope, &self.exec.initial, &next);
        let runs = self.initial_runs();
        let body = quote! { #(#starts)* #(#inits)* #(#runs)* };
        let mutable = (!body.is_empty()).then(|| quote! { mut });
        quote! {
            impl State {
                /// The initial state.
                pub fn initial() -> Result<State, Fault> {
                    let #mutable next = State { words: Words::default(), #atomic_owner };
                    #body
                    Ok(next)
                }
            }
        }
    }

    /// The processes: their number, their types, how they start and end.
    fn processes_in_words(&self, places: &Places) -> TokenStream {
        let process_type = self.process_type();
        let n = count(places.slots.len());
        let (count_at, count_bits) = (count(places.count.at), count(places.count.bits as usize));
        let has_beside = self.has_beside_slots();
        let slots = self.slots(places);
        let clear_beside =
            has_beside.then(|| quote! { clear(&mut self.words.0, BESIDE[youngest], BESIDE_SIZES[youngest]); });
        let process = self.process_in_words(places);
        let (find, set_kind) = (self.find_process(), self.set_kind(places));
        quote! {
            #process_type

            #slots

            impl State {
                #[inline]
                pub fn n_processes(&self) -> usize {
                    number(&self.words.0, #count_at, #count_bits)
                }

                #process
                #find

                /// The running processes, oldest first.
                pub fn processes(&self) -> impl Iterator<Item = Process<'_>> {
                    (0..self.n_processes()).map(|pid| self.process(Pid::from_index(pid)))
                }

                /// The pid of the next process to be started.
                pub fn next_pid(&self) -> Result<Pid, Fault> {
                    next_pid(self.n_processes(), #n)
                }
                #set_kind

                /// Counts the process with the next pid, which is complete now.
                pub fn add_process(&mut self) {
                    let n = self.n_processes() as u32 + 1;
                    set(&mut self.words.0, #count_at, #count_bits, n);
                }

                /// Only the youngest process can be removed.
                #[inline]
                pub fn is_youngest(&self, pid: Pid) -> bool {
                    pid.index() + 1 == self.n_processes()
                }

                pub fn remove_youngest(&mut self) {
                    let youngest = self.n_processes() - 1;
                    clear(&mut self.words.0, SLOTS[youngest], SIZES[youngest]);
                    #clear_beside
                    set(&mut self.words.0, #count_at, #count_bits, youngest as u32);
                }
            }
        }
    }

    /// The type of processes: a variant for each proctype.
    fn process_type(&self) -> TokenStream {
        let model = self.program.model;
        let variants = model.proctypes.iter_enumerated().map(|(id, process)| {
            let names = &self.names.proctypes[id];
            let (variant, module) = (&names.variant, &names.module);
            let comment = process.comment.as_deref().map(|comment| self.comment(comment));
            quote! { #comment #variant(#module::Locals<'s>), }
        });
        quote! {
            /// A running process.
            #[derive(Clone, Copy, Debug)]
            pub enum Process<'s> {
                #(#variants)*
            }
        }
    }

    fn find_process(&self) -> Option<TokenStream> {
        self.finds_processes().then(|| {
            quote! {
                /// Process `pid`, if there is one.
                pub fn find_process(&self, pid: i32) -> Option<Process<'_>> {
                    usize::try_from(pid).ok().and_then(|pid| self.processes().nth(pid))
                }
            }
        })
    }

    fn set_kind(&self, places: &Places) -> Option<TokenStream> {
        places.kind.map(|kind| {
            let (at, bits) = (plus_at(&quote! { SLOTS[pid.index()] }, kind.at), count(kind.bits as usize));
            quote! {
                /// Sets the proctype of a process.
                pub fn set_kind(&mut self, pid: Pid, kind: u32) {
                    set(&mut self.words.0, #at, #bits, kind);
                }
            }
        })
    }

    /// Whether processes have variables that no step depends on: also for a proctype of which no process is ever started.
    fn has_beside_slots(&self) -> bool {
        self.program.model.proctypes.ids().any(|id| self.has_beside(id))
    }

    /// Where the processes are in the words of a state.
    fn slots(&self, places: &Places) -> TokenStream {
        let n = count(places.slots.len());
        let slots = places.slots.iter().map(|slot| count(slot.at));
        let sizes = places.slots.iter().map(|slot| count(slot.size));
        let beside = self.has_beside_slots().then(|| {
            let beside = places.slots.iter().map(|slot| count(slot.beside));
            let sizes = places.slots.iter().map(|slot| count(slot.beside_size));
            quote! {
                /// The positions of the variables that no step depends on.
                pub const BESIDE: [usize; #n] = [#(#beside),*];
                const BESIDE_SIZES: [usize; #n] = [#(#sizes),*];
            }
        });
        quote! {
            /// The position and size in bits of each process, by pid. Slots of processes that do not run are 0.
            pub const SLOTS: [usize; #n] = [#(#slots),*];
            const SIZES: [usize; #n] = [#(#sizes),*];
            #beside
        }
    }

    /// The function that returns a process as a variant of its proctype.
    fn process_in_words(&self, places: &Places) -> TokenStream {
        let ids: Vec<ProctypeId> = self.program.model.proctypes.ids().collect();
        let looks: Vec<TokenStream> = ids
            .iter()
            .map(|id| {
                let names = &self.names.proctypes[*id];
                let (variant, module) = (&names.variant, &names.module);
                quote! { Process::#variant(self.#module(pid)) }
            })
            .collect();
        let body = match (&looks[..], places.kind) {
            ([only], _) => only.clone(),
            ([others @ .., last], Some(kind)) => {
                let (at, bits) = (plus_at(&quote! { SLOTS[pid.index()] }, kind.at), count(kind.bits as usize));
                let numbers = (0..others.len()).map(count);
                quote! { match number(&self.words.0, #at, #bits) { #(#numbers => #others,)* _ => #last } }
            }
            (_, None) => {
                let pids = |id: &ProctypeId| -> Vec<_> {
                    let slots = places.slots.iter().enumerate().filter(|(_, slot)| slot.kinds.first() == Some(id));
                    slots.map(|(pid, _)| count(pid)).collect()
                };
                let mut arms: Vec<(Vec<_>, &TokenStream)> = ids.iter().map(pids).zip(&looks).collect();
                arms.retain(|(pids, _)| !pids.is_empty());
                let last = arms.pop().map(|(_, look)| look);
                let arms = arms.iter().map(|(pids, look)| quote! { #(#pids)|* => #look, });
                quote! { match pid.0 { #(#arms)* _ => #last } }
            }
            ([], Some(_)) => unreachable!("a model has a process"),
        };
        quote! {
            /// Process `pid`, of any proctype.
            #[inline]
            pub fn process(&self, pid: Pid) -> Process<'_> {
                #body
            }
        }
    }

    /// Methods that give access to a process of a proctype.
    pub fn look_in_words(&self, places: &Places, id: ProctypeId) -> TokenStream {
        let names = &self.names.proctypes[id];
        let (module, module_mut) = (&names.module, &names.module_mut);
        // If there is only one such process, its position is a constant.
        let mut own = places.slots.iter().filter(|slot| slot.kinds[..] == [id]);
        let single = match (own.next(), own.next()) {
            (Some(only), None) if places.kind.is_none() => Some(only),
            _ => None,
        };
        let (pid, slot, beside) = match single {
            Some(slot) => {
                let (slot, beside) = (count(slot.at), count(slot.beside));
                (format_ident!("_pid"), quote! { #slot }, quote! { #beside })
            }
            None => (format_ident!("pid"), quote! { SLOTS[pid.index()] }, quote! { BESIDE[pid.index()] }),
        };
        let beside = self.has_beside(id).then(|| quote! { , beside: #beside });
        quote! {
            #[inline]
            pub fn #module(&self, #pid: Pid) -> #module::Locals<'_> {
                #module::Locals { words: &self.words.0, slot: #slot #beside }
            }
            #[inline]
            pub fn #module_mut(&mut self, #pid: Pid) -> #module::LocalsMut<'_> {
                #module::LocalsMut { words: &mut self.words.0, slot: #slot #beside }
            }
        }
    }

    /// Whether a process has variables beside its slot.
    fn has_beside(&self, id: ProctypeId) -> bool {
        let process = &self.program.model.proctypes[id];
        process.parameters.iter().chain(&process.locals).any(|local| self.is_beside(*local))
    }

    /// The two views of a process: for reading and for writing.
    pub fn locals_in_words(&self, places: &Places, id: ProctypeId) -> TokenStream {
        let process = &self.program.model.proctypes[id];
        let n = count(places.n_words);
        let variables: Vec<VariableId> = process.parameters.iter().chain(&process.locals).copied().collect();
        let AccessorFunctions { getters, setters } =
            self.accessor_functions(places, true, &variables, &self.facts.layout.processes[id].sites);
        let beside = self.has_beside(id).then(|| quote! { pub beside: usize, });
        let title = doc(&format!(" The locals of `{}`: its location and its variables.", process.name));
        let (at, set_at) = match places.location[id] {
            None => (quote! { Location::ALL[0] }, quote! { let _ = (self, at); }),
            Some(bits) => {
                let (at, bits) = (plus_at(&quote! { self.slot }, bits.at), count(bits.bits as usize));
                (
                    quote! { Location::ALL[number(self.words, #at, #bits)] },
                    quote! { set(self.words, #at, #bits, at as u32); },
                )
            }
        };
        // A queue is borrowed for as long as the words are.
        let has_queues = self.facts.layout.processes[id].sites.iter().any(|site| places.sites[*site].is_some());
        let (implement, lifetime) =
            if has_queues { (quote! { impl<'s> }, quote! { 's }) } else { (quote! { impl }, quote! { '_ }) };
        quote! {
            #title
            #[derive(Clone, Copy, Debug)]
            pub struct Locals<'s> {
                pub words: &'s [u64; #n],
                /// The position of the process.
                pub slot: usize,
                #beside
            }
            #implement Locals<#lifetime> {
                #[inline]
                pub fn at(self) -> Location {
                    #at
                }
                #getters
            }
            /// The same for writing.
            #[derive(Debug)]
            pub struct LocalsMut<'s> {
                pub words: &'s mut [u64; #n],
                pub slot: usize,
                #beside
            }
            #implement LocalsMut<#lifetime> {
                #[inline]
                pub fn set_at(self, at: Location) {
                    #set_at
                }
                #setters
            }
        }
    }

    /// The function that starts a process: it fills a slot, and then counts the process.
    pub fn run_in_words(&self, places: &Places, id: ProctypeId) -> TokenStream {
        let model = self.program.model;
        let process = &model.proctypes[id];
        let layout = &self.facts.layout.processes[id];
        let names = &self.names.proctypes[id];
        let start = &names.graph.locations[self.program.graphs[id].start];
        let module_mut = &names.module_mut;
        let title = doc(&format!(" Starts `{}` and returns its pid.", process.name));
        let starting = self.starting(id);
        let parameters: TokenStream = starting.parameters().map(|parameter| quote! { , #parameter }).collect();
        let arguments = starting.scalars.iter().filter_map(|(name, scalar)| {
            places.variables[scalar.variable].as_ref()?;
            let setter = self.accessors.leaf(scalar.variable, &scalar.path).setter();
            Some(quote! { next.#module_mut(me).#setter(#name); })
        });
        let arguments: TokenStream = arguments.collect();
        let locals = quote! { next.#module_mut(me) };
        let starts = process.locals.iter().map(|local| self.set_start(places, *local, &locals));
        let starts: TokenStream = starts.collect();
        let scope = Scope::new(self, Some(id), "next");
        let inits: Vec<TokenStream> = self.initialize(&scope, &self.exec.processes[id].initial, &locals);
        let can_fail = self.initial_effects(&self.exec.processes[id].initial).can_fail;
        let (set_up, call) = self.set_up_in_words(&inits, can_fail);
        let room = (layout.n_channels > 0).then(|| {
            let n = count(layout.n_channels as usize);
            quote! {
                if next.first_channel(me) + #n > 256 {
                    return Err(Fault::StateSize);
                }
            }
        });
        let kind = places.kind.map(|_| {
            let number = count(id.0 as usize);
            quote! { next.set_kind(me, #number); }
        });
        quote! {
            #title
            pub fn run(next: &mut State #parameters) -> Result<Pid, Fault> {
                let me = next.next_pid()?;
                #room
                #kind
                next.#module_mut(me).set_at(Location::#start);
                #arguments
                #starts
                #call
                next.add_process();
                Ok(me)
            }
            #set_up
        }
    }

    /// Initial values have a function of their own, where no parameter shadows the names that they use.
    fn set_up_in_words(&self, inits: &[TokenStream], can_fail: bool) -> (TokenStream, TokenStream) {
        if inits.is_empty() {
            return (TokenStream::new(), TokenStream::new());
        }
        let body = quote! { #(#inits)* };
        let me = parameter("me", &body);
        let (returns, fine, fails) = if can_fail {
            (Some(quote! { -> Result<(), Fault> }), Some(quote! { Ok(()) }), Some(quote! { ? }))
        } else {
            (None, None, None)
        };
        let function = quote! {
            /// Gives the variables their initial values.
            fn set_up(next: &mut State, #me: Pid) #returns {
                #body
                #fine
            }
        };
        (function, quote! { set_up(next, me)#fails; })
    }

    /// If everything is stored, a state contains its stored form.
    pub fn storing_words(&self, places: &Places) -> Storing {
        let atomic_owner = self.facts.features.atomic.then(|| quote! { atomic_owner: None, });
        if places.n_words == places.n_stored {
            let packed = quote! {
                fn packed<'s>(&self, state: &'s State, _: &'s mut Self::Packed) -> &'s Self::Packed {
                    &state.words
                }
            };
            return Storing {
                pack: quote! { *into = state.words; },
                unpack: quote! { State { words: *from, #atomic_owner } },
                packed: Some(packed),
            };
        }
        let (n, n_stored) = (count(places.n_words), count(places.n_stored));
        Storing {
            pack: quote! { into.0.copy_from_slice(&state.words.0[..#n_stored]); },
            unpack: quote! {
                let mut words = Words::<#n>::default();
                words.0[..#n_stored].copy_from_slice(&from.0);
                State { words, #atomic_owner }
            },
            packed: None,
        }
    }
}

/// `first + 8`, or `first` alone.
fn plus_at(first: &TokenStream, at: usize) -> TokenStream {
    plus(first, u32::try_from(at).expect("a state has fewer than 2^32 words"))
}
