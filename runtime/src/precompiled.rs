//! The searches for states of each size.
//!
//! A model names the searches that it needs by one of these functions. They are `inline`, so the crate that calls one
//! compiles the searches. An emitted crate links precompiled searches instead, once for all models whose states have
//! the same size: the crate in `searches` replaces this one and has functions of the same names.

use crate::pack::{Bytes, Words};
use crate::search::Searches;

macro_rules! searches {
    ($($name:ident $packed:ty,)*) => {
        $(
            #[inline]
            pub fn $name() -> Searches<$packed> {
                Searches::new()
            }
        )*
    };
}

searches! {
    bytes Bytes,
    words1 Words<1>,
    words2 Words<2>,
    words3 Words<3>,
    words4 Words<4>,
    words5 Words<5>,
    words6 Words<6>,
    words7 Words<7>,
    words8 Words<8>,
    words9 Words<9>,
    words10 Words<10>,
    words11 Words<11>,
    words12 Words<12>,
    words13 Words<13>,
    words14 Words<14>,
    words15 Words<15>,
    words16 Words<16>,
    words17 Words<17>,
    words18 Words<18>,
    words19 Words<19>,
    words20 Words<20>,
    words21 Words<21>,
    words22 Words<22>,
    words23 Words<23>,
    words24 Words<24>,
    words25 Words<25>,
    words26 Words<26>,
    words27 Words<27>,
    words28 Words<28>,
    words29 Words<29>,
    words30 Words<30>,
    words31 Words<31>,
    words32 Words<32>,
    words33 Words<33>,
    words34 Words<34>,
    words35 Words<35>,
    words36 Words<36>,
    words37 Words<37>,
    words38 Words<38>,
    words39 Words<39>,
    words40 Words<40>,
    words41 Words<41>,
    words42 Words<42>,
    words43 Words<43>,
    words44 Words<44>,
    words45 Words<45>,
    words46 Words<46>,
    words47 Words<47>,
    words48 Words<48>,
    words49 Words<49>,
    words50 Words<50>,
    words51 Words<51>,
    words52 Words<52>,
    words53 Words<53>,
    words54 Words<54>,
    words55 Words<55>,
    words56 Words<56>,
    words57 Words<57>,
    words58 Words<58>,
    words59 Words<59>,
    words60 Words<60>,
    words61 Words<61>,
    words62 Words<62>,
    words63 Words<63>,
    words64 Words<64>,
}
