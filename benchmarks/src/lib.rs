//! pmc and Spin's pan side by side: the same models, the same question, in one run.
//!
//! Times alone mean little on another machine, so ratios are printed. Runs of the two take turns and medians are taken;
//! processor time is compared rather than the clock, so that a loaded machine does little harm. The counts of states
//! are compared first: a search that got faster by visiting fewer states has failed.
//!
//! Each tool gets its best flags for the question, and where there is a choice, it is made in favour of pan: its hash
//! table has the right size from the start, and its build is timed at `-O2` while its run is timed at `-O3`.

pub mod arguments;
pub mod bugs;
pub mod catalogue;
pub mod chart;
pub mod engines;
pub mod growth;
pub mod measure;
pub mod pan;
pub mod question;
pub mod results;
pub mod table;
pub mod usage;
pub mod verdicts;
pub mod verifier;
