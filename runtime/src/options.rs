//! What to check and how.

use crate::limits::Limits;

/// The order in which a search for safety visits states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Breadth-first search, and a depth-first probe beside it that finds deep violations soon.
    #[default]
    Auto,
    /// Finds short counterexamples: shortest ones, unless a reduction is on and the shortest would take long.
    BreadthFirst,
    /// Visits states in Spin's order.
    DepthFirst,
    /// Greedy best-first search: the state that is nearest to a target in the control flow is expanded first.
    Guided,
    /// A*: finds a shortest run to a target.
    AStar,
}

impl Algorithm {
    /// Whether the order depends on the distance to a target.
    pub(crate) fn is_directed(self) -> bool {
        matches!(self, Algorithm::Guided | Algorithm::AStar)
    }

    /// The name in flags and reports.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Auto => "auto",
            Algorithm::BreadthFirst => "bfs",
            Algorithm::DepthFirst => "dfs",
            Algorithm::Guided => "guided",
            Algorithm::AStar => "a-star",
        }
    }
}

/// How to look for cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Liveness {
    /// The sound and fast choice for the question.
    #[default]
    Auto,
    /// Nested depth-first search.
    Nested,
    /// Strongly connected components.
    Components,
}

impl Liveness {
    /// The name in flags and reports.
    pub fn name(self) -> &'static str {
        match self {
            Liveness::Auto => "auto",
            Liveness::Nested => "nested",
            Liveness::Components => "scc",
        }
    }
}

/// The partial-order reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// The strongest sound reduction, throttled where it removes too little.
    #[default]
    Auto,
    /// A process whose statements are safe is expanded alone.
    Ample,
    /// The same, and clusters of processes.
    Cluster,
    /// The same, and stubborn sets, computed in each state.
    Stubborn,
    /// Every state is fully expanded.
    Off,
}

impl Reduction {
    /// All, with the names in flags.
    pub const ALL: [(&'static str, Reduction); 5] = [
        ("auto", Reduction::Auto),
        ("ample", Reduction::Ample),
        ("cluster", Reduction::Cluster),
        ("stubborn", Reduction::Stubborn),
        ("none", Reduction::Off),
    ];
}

/// One state for all that differ only by an exchange of interchangeable members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Symmetry {
    /// Every state is a state of its own.
    #[default]
    Off,
    /// The same representative for a whole orbit.
    Exact,
    /// Members are sorted by what is known of them, ties in any way: an orbit may have several representatives.
    Sort,
    /// As `Exact`, by trying all permutations.
    Full,
}

impl Symmetry {
    /// All, with the names in flags.
    pub const ALL: [(&'static str, Symmetry); 4] =
        [("off", Symmetry::Off), ("exact", Symmetry::Exact), ("sort", Symmetry::Sort), ("full", Symmetry::Full)];
}

/// The cycle proviso: keeps a reduced search from ignoring a step forever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proviso {
    /// Looks at visited states: the stack or the queue of the search.
    #[default]
    Visited,
    /// The same, but depth-first search fully expands the state that closes a cycle and not the state at which the
    /// cycle began, as Spin does.
    Prompt,
    /// Fully expands states with a process at certain locations, one of which is on every cycle of a process (static
    /// proviso).
    Static,
}

impl Proviso {
    /// All, with the names in flags.
    pub const ALL: [(&'static str, Proviso); 3] =
        [("visited", Proviso::Visited), ("prompt", Proviso::Prompt), ("static", Proviso::Static)];
}

/// The store of visited states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Store {
    /// The store that fits the size of a state and the memory.
    #[default]
    Auto,
    /// Uncompressed states.
    Exact,
    /// Tree compression: states share subtrees. Lossless.
    Tree,
    /// The same in about half the memory, somewhat slower.
    Compact,
    /// Hash compaction with signatures of so many bits. May omit states.
    HashCompact(Option<u32>),
    /// Bitstate: so many bits of an array for each state. May omit states.
    Bitstate(Option<u32>),
}

impl Store {
    /// The name in flags and reports.
    pub fn name(self) -> &'static str {
        match self {
            Store::Auto => "auto",
            Store::Exact => "exact",
            Store::Tree => "tree",
            Store::Compact => "compact",
            Store::HashCompact(_) => "hash-compact",
            Store::Bitstate(_) => "bitstate",
        }
    }

    /// Whether the store may omit states.
    pub fn is_lossy(self) -> bool {
        matches!(self, Store::HashCompact(_) | Store::Bitstate(_))
    }
}

/// Which properties to check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ask {
    /// Safety and each claim of the model.
    #[default]
    Everything,
    /// Assertions, end states and faults.
    Safety,
    /// The claim of this name, of whatever kind.
    Claim(String),
    /// Every never claim.
    Never,
    /// No run passes accept labels of the processes infinitely often.
    Acceptance,
    /// No infinite run passes progress labels of the processes only finitely often.
    NonProgress,
    /// No infinite run in which time passes only finitely often.
    Zeno,
    /// Every trace assertion.
    Trace,
    /// No process arrives at this place: a label, or a line of a file.
    Goal(String),
    /// All of these.
    Several(Vec<Ask>),
}

/// As many threads as the machine has cores.
pub const ALL_CORES: usize = 0;
/// No search has more threads than this.
pub const MOST_THREADS: usize = 256;

impl Options {
    /// The number of threads for the search for safety.
    pub(crate) fn n_threads(&self) -> usize {
        match (self.algorithm, self.threads) {
            (Algorithm::DepthFirst | Algorithm::Guided | Algorithm::AStar, _) => 1,
            (Algorithm::Auto | Algorithm::BreadthFirst, ALL_CORES) => {
                std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS)
            }
            (Algorithm::Auto | Algorithm::BreadthFirst, threads) => threads.min(MOST_THREADS),
        }
    }
}

/// What to check and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which properties.
    pub ask: Ask,
    /// How to check safety.
    pub algorithm: Algorithm,
    /// How to check properties of infinite runs.
    pub liveness: Liveness,
    /// Only weakly fair runs count: every process that is continuously enabled moves infinitely often.
    pub fair: bool,
    /// Of infinite runs only those count in which time passes again and again.
    pub time_passes: bool,
    /// Counterexamples must be shortest ones, whatever that costs.
    pub shortest: bool,
    /// Which reduction.
    pub reduction: Reduction,
    /// Which cycle proviso.
    pub proviso: Proviso,
    /// How states that differ by an exchange of members become one.
    pub symmetry: Symmetry,
    /// Assume that never claims are stutter-closed, also where that cannot be shown.
    pub assume_stutter_closed: bool,
    /// Which store.
    pub store: Store,
    /// The number of states that the user expects: stores derive their sizes from it.
    pub expect_states: Option<u64>,
    /// When to stop.
    pub limits: Limits,
    /// The seed of random walks.
    pub seed: u64,
    /// The most threads for a search that can have several, breadth-first search; or [`ALL_CORES`].
    pub threads: usize,
    /// Continue after a violation and count all of them.
    pub all_errors: bool,
    /// Report assertions that fail.
    pub check_assertions: bool,
    /// Report invalid end states: no process is enabled, and some process should be.
    pub check_end_states: bool,
    /// An end state with a message left in a channel is a violation too.
    pub check_leftover_messages: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            ask: Ask::default(),
            algorithm: Algorithm::default(),
            liveness: Liveness::default(),
            fair: false,
            time_passes: false,
            shortest: false,
            reduction: Reduction::default(),
            proviso: Proviso::default(),
            symmetry: Symmetry::default(),
            assume_stutter_closed: false,
            store: Store::default(),
            expect_states: None,
            limits: Limits::default(),
            seed: 1,
            threads: 1,
            all_errors: false,
            check_assertions: true,
            check_end_states: true,
            check_leftover_messages: false,
        }
    }
}
