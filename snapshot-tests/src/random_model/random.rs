//! Reproducible random numbers.

/// Pseudo-random numbers that are the same on every machine.
#[derive(Default)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x51_7cc1_b727_2202 }
    }

    fn next(&mut self) -> u64 {
        // The generator splitmix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        u32::try_from(self.next() % u64::from(bound.max(1))).expect("below a 32-bit bound")
    }

    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(u32::try_from(from.len()).unwrap_or(1)) as usize]
    }
}
