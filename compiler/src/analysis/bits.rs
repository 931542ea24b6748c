//! How many bits a value needs.

use crate::model::Type;

/// Bits for a number below `n`.
pub fn for_numbers_below(n: u64) -> u32 {
    if n <= 1 { 0 } else { (n - 1).ilog2() + 1 }
}

/// Bits of one stored value.
pub fn of_type(ty: Type) -> u32 {
    match ty {
        Type::Bit | Type::Bool => 1,
        Type::Byte | Type::Pid | Type::Mtype(_) | Type::Chan => 8,
        Type::Short => 16,
        Type::Int | Type::Timer | Type::Record(_) => 32,
        Type::Unsigned(width) => u32::from(width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_needs_no_bits() {
        let bits = [0, 1, 2, 3, 4, 5, 256, 257].map(for_numbers_below);
        assert_eq!(bits, [0, 0, 1, 2, 2, 3, 8, 9]);
    }
}
