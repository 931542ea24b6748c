//! The runtime, with the searches for states of some sizes compiled.
//!
//! Searches are generic over the packed form of a state, so a crate with a model would compile all of them. An emitted
//! crate takes this one for its `pmc_runtime`, with the feature of its size: they are compiled here, once for all models
//! whose states have that size, and are only linked. Those for claims that are safety properties are a third of them, and
//! have a feature of their own. The runtime itself knows no features, so that a model of another size finds it compiled.

pub use pmc_runtime::*;

/// As in the runtime, but compiled.
pub mod precompiled {
    use pmc_runtime::pack::{Bytes, Words};
    use pmc_runtime::search::Searches;

    macro_rules! searches {
        ($($feature:literal $name:ident $packed:ty,)*) => {
            $(
                #[cfg_attr(feature = $feature, inline(never))]
                #[cfg_attr(not(feature = $feature), inline)]
                pub fn $name() -> Searches<$packed> {
                    if cfg!(feature = "claims") { Searches::new() } else { Searches::without_safety_claims() }
                }
            )*
        };
    }

    searches! {
        "bytes" bytes Bytes,
        "words1" words1 Words<1>,
        "words2" words2 Words<2>,
        "words3" words3 Words<3>,
        "words4" words4 Words<4>,
        "words5" words5 Words<5>,
        "words6" words6 Words<6>,
        "words7" words7 Words<7>,
        "words8" words8 Words<8>,
        "words9" words9 Words<9>,
        "words10" words10 Words<10>,
        "words11" words11 Words<11>,
        "words12" words12 Words<12>,
        "words13" words13 Words<13>,
        "words14" words14 Words<14>,
        "words15" words15 Words<15>,
        "words16" words16 Words<16>,
        "words17" words17 Words<17>,
        "words18" words18 Words<18>,
        "words19" words19 Words<19>,
        "words20" words20 Words<20>,
        "words21" words21 Words<21>,
        "words22" words22 Words<22>,
        "words23" words23 Words<23>,
        "words24" words24 Words<24>,
        "words25" words25 Words<25>,
        "words26" words26 Words<26>,
        "words27" words27 Words<27>,
        "words28" words28 Words<28>,
        "words29" words29 Words<29>,
        "words30" words30 Words<30>,
        "words31" words31 Words<31>,
        "words32" words32 Words<32>,
        "words33" words33 Words<33>,
        "words34" words34 Words<34>,
        "words35" words35 Words<35>,
        "words36" words36 Words<36>,
        "words37" words37 Words<37>,
        "words38" words38 Words<38>,
        "words39" words39 Words<39>,
        "words40" words40 Words<40>,
        "words41" words41 Words<41>,
        "words42" words42 Words<42>,
        "words43" words43 Words<43>,
        "words44" words44 Words<44>,
        "words45" words45 Words<45>,
        "words46" words46 Words<46>,
        "words47" words47 Words<47>,
        "words48" words48 Words<48>,
        "words49" words49 Words<49>,
        "words50" words50 Words<50>,
        "words51" words51 Words<51>,
        "words52" words52 Words<52>,
        "words53" words53 Words<53>,
        "words54" words54 Words<54>,
        "words55" words55 Words<55>,
        "words56" words56 Words<56>,
        "words57" words57 Words<57>,
        "words58" words58 Words<58>,
        "words59" words59 Words<59>,
        "words60" words60 Words<60>,
        "words61" words61 Words<61>,
        "words62" words62 Words<62>,
        "words63" words63 Words<63>,
        "words64" words64 Words<64>,
    }
}
