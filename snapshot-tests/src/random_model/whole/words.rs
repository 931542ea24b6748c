//! Names with a meaning elsewhere: in Rust, in its prelude, in the generated code and in the runtime. Promela reserves
//! none of them, so a model may use them freely.

/// Words that are keywords in some edition of Rust, or have a meaning in some contexts.
const RUST: &str = "\
    Self abstract as async auto await become box const continue core crate default dyn enum extern final fn gen \
    impl let loop macro macro_rules match mod move mut override priv pub raw ref return_ safe self static std \
    struct super trait try type typeof union unsafe unsized use virtual where while yield alloc r br cr b test \
    derive proc_macro main";

/// Primitive types, and the names in Rust's prelude.
const PRELUDE: &str = "\
    bool_ char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize AsMut AsRef Box Clone Copy Debug \
    Default Drop Eq Err Fn From FromIterator Hash Into Iterator None Ok Option Ord PartialEq Result Send Sized \
    Some String Sync ToString TryFrom Vec assert_eq cfg clone drop format format_args inline_ matches panic \
    println vec";

/// Names that generated code calls, defines or uses for its own variables.
const OURS: &str = "\
    BESIDE BitWriter Channel ClaimMove Cluster DStep End Fault Flow Handshake Hidden Line1 Locals Location Model \
    NEVER NoMessage Nobody Visibility Objections Offer Outcome Packed Part Pid PidSet Place Process Queue QueueIn \
    Report SLOTS Shape Split State Steps Table Text Traced TransitionId Verifier ReductionInfo Words add add_process \
    any_p argument_0 at at_mut beside bit_ can_move channel channel_len channels check check_with claim clear \
    d_step_ divide element element_0 end field find_p first flow from get go offer_rendezvous atomic_owner holds independence \
    index index_0 initial kind last len_ level lib like_q line_1 line_3_run locals me message model moves n \
    n_processes next next_pid now nth number objections offer offer_steps options pack pid_ pmc_runtime position \
    priority_ process processes promises received remainder run_ set set_at set_x state steps";

/// More of the same, and names that become the same Rust name when their case is changed.
const TWINS: &str = "\
    a_b A_B aB AB Ab ab a__b _a_b a_b_ ab_2 ab2 ab_2_2 x X_ set_x_ x_mut x_queue xQueue XQueue XMessage x_2 __ _x \
    _0 x0 x00 q_queue Q_ QQueue q QMessage mtype_name mtype_kind_name start state_ tables text timeout_ trace_sent \
    unpack value_0 wanted_0";

/// All of them.
pub fn all() -> impl Iterator<Item = &'static str> {
    [RUST, PRELUDE, OURS, TWINS].into_iter().flat_map(str::split_whitespace)
}
