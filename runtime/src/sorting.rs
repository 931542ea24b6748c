//! Sorts with little code: the sort of the standard library is some thousands of lines of LLVM IR for each type and each
//! key, which every verifier would build.

/// Sorts a short list by a key, and leaves equals in their order.
pub(crate) fn sort_by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    for end in 1..list.len() {
        let mut place = end;
        while place > 0 && key(&list[place]) < key(&list[place - 1]) {
            list.swap(place, place - 1);
            place -= 1;
        }
    }
}

/// Sorts a list of any length. Not generic, so that it is compiled once.
pub(crate) fn sort_numbers(list: &mut [usize]) {
    list.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Random;

    #[test]
    fn equals_stay_in_their_order() {
        let mut random = Random(3);
        for n in 0..50 {
            let mut list: Vec<(u64, u64)> = (0..n).map(|number| (random.below(9), number)).collect();
            let mut expected = list.clone();
            expected.sort_by_key(|&(key, _)| key);
            sort_by_key(&mut list, |&(key, _)| key);
            assert_eq!(list, expected);
        }
    }
}
