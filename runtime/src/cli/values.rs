//! The values of flags: numbers, sizes, times, names.

use super::UsageError;
use crate::omission::MAX_K;
use crate::options::{MOST_THREADS, Store};
use crate::report::Format;
use crate::store::SIGNATURE_BITS;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

pub(super) fn number(flag: &str, value: &str) -> Result<u64, UsageError> {
    let digits = value.replace('_', "");
    digits.parse().map_err(|_| UsageError(format!("`{flag}` takes a number, not `{value}`")))
}

/// From one to the largest number.
pub(super) fn threads(flag: &str, value: &str) -> Result<usize, UsageError> {
    let threads = value.parse().ok().filter(|threads| (1..=MOST_THREADS).contains(threads));
    threads.ok_or_else(|| UsageError(format!("`{flag}` takes a number from 1 to {MOST_THREADS}, not `{value}`")))
}

/// `500M`, `4G`, `1.5G`, or a number of bytes.
pub(super) fn size(flag: &str, value: &str) -> Result<u64, UsageError> {
    let units = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("T", 1_u64 << 40)];
    let upper = value.to_ascii_uppercase();
    let text = upper.strip_suffix("IB").or(upper.strip_suffix('B')).unwrap_or(&upper);
    let unit = units.iter().find(|(name, _)| text.ends_with(name));
    let (digits, factor) = unit.map_or((text, 1), |(name, factor)| (&text[..text.len() - name.len()], *factor));
    let bytes = digits.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0).map(|n| (n * factor as f64) as u64);
    bytes.ok_or_else(|| UsageError(format!("`{flag}` takes a size such as 500M or 4G, not `{value}`")))
}

/// `500ms`, `30s`, `10m`, `2h`, or a number of seconds.
pub(super) fn time(flag: &str, value: &str) -> Result<Duration, UsageError> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86400.0)];
    let unit = units.iter().find(|(name, _)| value.ends_with(name));
    let (digits, factor) = unit.map_or((value, 1.0), |(name, factor)| (&value[..value.len() - name.len()], *factor));
    let seconds = digits.parse::<f64>().ok().map(|n| n * factor);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| UsageError(format!("`{flag}` takes a time such as 30s, 10m or 2h, not `{value}`")))
}

pub(super) fn one_of<T: Copy>(flag: &str, value: &str, choices: &[(&str, T)]) -> Result<T, UsageError> {
    let found = choices.iter().find(|(name, _)| *name == value);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let (last, others) = names.split_last().map_or(("", &[][..]), |(last, others)| (*last, others));
        let names = if others.is_empty() { last.to_owned() } else { format!("{} or {last}", others.join(", ")) };
        UsageError(format!("`{flag}` takes {names}, not `{value}`"))
    })
}

/// The names of the stores.
pub(super) const STORES: [&str; 6] = ["auto", "exact", "tree", "compact", "hash-compact", "bitstate"];

/// `json=report.json`
pub(super) fn format_and_file(flag: &str, value: &str) -> Result<(Format, PathBuf), UsageError> {
    match value.split_once('=') {
        Some((format, file)) if !file.is_empty() => Ok((one_of(flag, format, &Format::ALL)?, PathBuf::from(file))),
        _ => Err(UsageError(format!("`{flag}` takes a format and a file such as json=report.json, not `{value}`"))),
    }
}

pub(super) fn store(value: &str) -> Result<Store, UsageError> {
    let (name, number) = match value.split_once('=') {
        Some((name, number)) => (name, Some(number)),
        None => (value, None),
    };
    let plain = [("auto", Store::Auto), ("exact", Store::Exact), ("tree", Store::Tree), ("compact", Store::Compact)];
    if let Some((_, store)) = plain.iter().find(|(plain, _)| *plain == name) {
        return match number {
            None => Ok(*store),
            Some(_) => Err(UsageError(format!("`--store {name}` takes no number"))),
        };
    }
    let within = |what: &str, range: RangeInclusive<u32>| match number {
        None => Ok(None),
        Some(number) => number.parse().ok().filter(|n| range.contains(n)).map(Some).ok_or_else(|| {
            let (first, last) = (range.start(), range.end());
            UsageError(format!("`--store {name}=N` takes {first} to {last} {what}, not `{number}`"))
        }),
    };
    match name {
        "hash-compact" => within("bits for a state", SIGNATURE_BITS).map(Store::HashCompact),
        "bitstate" => within("bits for a state", 1..=MAX_K).map(Store::Bitstate),
        _ => {
            let choices = "auto, exact, tree, compact, hash-compact[=BITS] or bitstate[=K]";
            Err(UsageError(format!("`--store` takes {choices}, not `{value}`")))
        }
    }
}

/// The edit distance of two words (Levenshtein).
pub(super) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(x != y)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let sizes = ["1", "2k", "3M", "1.5G", "1GiB", "10MB"].map(|text| size("--memory", text).unwrap());
        assert_eq!(sizes, [1, 2048, 3 << 20, 3 << 29, 1 << 30, 10 << 20]);
        assert!(size("--memory", "-1").is_err() && size("--memory", "G").is_err() && size("--memory", "nan").is_err());
    }

    #[test]
    fn times_have_units() {
        let times = ["2", "500ms", "30s", "1.5m", "2h"].map(|text| time("--max-time", text).unwrap().as_millis());
        assert_eq!(times, [2_000, 500, 30_000, 90_000, 7_200_000]);
        assert!(time("--max-time", "-2s").is_err() && time("--max-time", "1e300h").is_err());
    }

    #[test]
    fn stores_may_have_a_number() {
        let good = ["auto", "exact", "tree", "compact", "hash-compact", "hash-compact=40", "bitstate", "bitstate=5"];
        let stores = [
            Store::Auto,
            Store::Exact,
            Store::Tree,
            Store::Compact,
            Store::HashCompact(None),
            Store::HashCompact(Some(40)),
            Store::Bitstate(None),
            Store::Bitstate(Some(5)),
        ];
        assert_eq!(good.map(|text| store(text).unwrap()), stores);
        let message = |text| store(text).unwrap_err().0;
        assert_eq!(message("tree=3"), "`--store tree` takes no number");
        assert_eq!(message("bitstate=0"), "`--store bitstate=N` takes 1 to 64 bits for a state, not `0`");
        assert_eq!(message("hash-compact=99"), "`--store hash-compact=N` takes 4 to 64 bits for a state, not `99`");
        let choices = "`--store` takes auto, exact, tree, compact, hash-compact[=BITS] or bitstate[=K], not `disk`";
        assert_eq!(message("disk"), choices);
    }

    #[test]
    fn distance_counts_changed_letters() {
        assert_eq!(
            [distance("abc", "abc"), distance("abc", "abd"), distance("", "ab"), distance("trial", "trail")],
            [0, 1, 2, 2]
        );
    }
}
