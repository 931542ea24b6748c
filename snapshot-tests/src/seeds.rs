//! Ranges of seeds on a command line.

/// From the first to before the last.
pub type Seeds = std::ops::Range<u64>;

/// `0..1000`.
pub fn parse_seeds(text: &str) -> Result<Seeds, String> {
    let (first, last) = text.split_once("..").ok_or("a range is written 0..1000")?;
    let number = |text: &str| text.parse::<u64>().map_err(|error| error.to_string());
    Ok(number(first)?..number(last)?)
}
