//! The cache of built verifiers, and its pruning.
//!
//! ```text
//! pmc/                    PMC_CACHE, or in the user's cache
//!   runtime-0123abcd/     all that goes with one version of the runtime
//!     used                touched by every run, and locked while something is built
//!     runtime/            its sources
//!     target/             cargo's: the runtime, compiled once
//!     verifier-4567cdef/  a model's verifier, named after its content
//!       used              as above
//!       src/, Cargo.toml
//!       verifier          the program, put here when it is complete
//!       seal              its size in bytes, and its hash
//!     names/89abcdef      the verifier of a model, by the identity of its text: found before code is generated
//! ```
//!
//! A program counts only if it has the recorded size and hash: a crash of the machine can leave an empty file behind, or
//! the right number of zeros.
//!
//! Pruning removes entries that were not used for a month, and beyond a size limit those that were not used for
//! longest. It takes place after a build, never before a run that needs none. It leaves entries alone that were used
//! within a day or are locked, so that no other pmc misses an entry that it has just found.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::collections::Fnv;
use crate::driver::Error;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const LONGEST_UNUSED: Duration = Duration::from_secs(30 * DAY.as_secs());
/// Of verifiers, without what they share.
const LARGEST: u64 = 1 << 30;

/// Verifiers with the same runtime.
pub(super) struct Cache {
    dir: PathBuf,
}

/// The locked folder of one verifier: no other process builds or removes it meanwhile.
pub(super) struct CacheEntry {
    pub name: String,
    pub dir: PathBuf,
    generation: File,
    lock: File,
}

impl Cache {
    /// The one for a runtime, by its fingerprint.
    pub fn new(runtime: &str) -> Result<Self, Error> {
        Ok(Self { dir: cache_dir().ok_or(Error::NoCache)?.join(format!("runtime-{}", short(runtime))) })
    }

    pub fn runtime(&self) -> PathBuf {
        self.dir.join("runtime")
    }

    pub fn target(&self) -> PathBuf {
        self.dir.join("target")
    }

    fn entry_dir(&self, key: &str) -> PathBuf {
        self.dir.join(format!("verifier-{}", short(key)))
    }

    /// The program of a verifier, if it was built before; it counts as used now.
    pub fn find(&self, key: &str) -> Option<PathBuf> {
        let dir = self.entry_dir(key);
        let program = complete_program(&dir)?;
        // A cache that cannot be written to can still be read.
        let _ = touch(&self.dir);
        let _ = touch(&dir);
        Some(program)
    }

    /// The program of a model's verifier, by the identity of the model's text.
    pub fn find_named(&self, identity: &str) -> Option<PathBuf> {
        self.find(fs::read_to_string(self.name_file(identity)).ok()?.trim())
    }

    /// Records which verifier is that of a model. A cache that cannot be written to finds it the long way next time.
    pub fn name(&self, identity: &str, key: &str) {
        let path = self.name_file(identity);
        let _ = path.parent().map(fs::create_dir_all);
        let _ = fs::write(path, key);
    }

    fn name_file(&self, identity: &str) -> PathBuf {
        self.dir.join("names").join(short(identity))
    }

    /// A folder to build a verifier in. Waits for another pmc that builds the same.
    pub fn entry(&self, key: &str) -> io::Result<CacheEntry> {
        let generation = touch(&self.dir)?;
        generation.lock_shared()?;
        let dir = self.entry_dir(key);
        let lock = touch(&dir)?;
        lock.lock()?;
        Ok(CacheEntry { name: format!("verifier-{}", short(key)), dir, generation, lock })
    }

    /// A folder for all that a build makes, when what verifiers share is of no use.
    pub fn parts_of(&self, entry: &CacheEntry) -> PathBuf {
        entry.dir.join("target")
    }

    /// Removes what verifiers share, unless another pmc is at work with it, so that it is made anew.
    pub fn forget_parts(&self, entry: &CacheEntry) {
        let generation = &entry.generation;
        if generation.unlock().is_ok() && generation.try_lock().is_ok() {
            let _ = fs::remove_dir_all(self.target());
        }
        // It is in use all the same: an entry that is not locked as well is only removed when it is old.
        let _ = generation.lock_shared();
    }

    /// Moves the program that cargo has built in `release` to its final path, and removes cargo's other files of that
    /// verifier: it is not built a second time.
    pub fn finish(&self, entry: &CacheEntry, release: &Path) -> io::Result<PathBuf> {
        let program = program(&entry.dir);
        let built = release.join(format!("{}{}", entry.name, std::env::consts::EXE_SUFFIX));
        // The seal of a program that is on its way to the disk could arrive there first.
        File::open(&built)?.sync_all()?;
        fs::write(seal_file(&entry.dir), seal(&built)?)?;
        fs::rename(built, &program)?;
        let _ = fs::remove_dir_all(self.parts_of(entry));
        let fingerprints = entries(&release.join(".fingerprint"));
        let prefix = format!("{}-", entry.name);
        let own =
            fingerprints.iter().filter_map(|path| Some((path, file_name(path)?.strip_prefix(&prefix)?.to_owned())));
        let own: Vec<(&PathBuf, String)> = own.collect();
        for file in entries(&release.join("deps")) {
            let is_own = |name: &str| own.iter().any(|(_, hash)| name.contains(hash.as_str()));
            if file_name(&file).is_some_and(is_own) {
                let _ = fs::remove_file(&file);
            }
        }
        own.iter().for_each(|(dir, _)| drop(fs::remove_dir_all(dir)));
        let _ = fs::remove_file(release.join(format!("{}.d", entry.name)));
        Ok(program)
    }

    /// Removes entries that are too old or too large. Failures to remove are ignored.
    pub fn prune(&self, entry: CacheEntry) {
        drop(entry);
        if let Some(all) = self.dir.parent() {
            prune(all, &self.dir, SystemTime::now(), LARGEST);
        }
    }
}

impl CacheEntry {
    /// The program, if another process built it while we waited.
    pub fn program(&self) -> Option<PathBuf> {
        complete_program(&self.dir)
    }
}

impl Drop for CacheEntry {
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

/// A program of the cache does not count any more, so that it is built anew.
pub(super) fn discard(program: &Path) {
    if let Some(dir) = program.parent() {
        let _ = fs::remove_file(seal_file(dir));
    }
}

/// Removes from `all` other generations and from `current` verifiers that were not used for long, and then verifiers
/// until the size limit is met.
fn prune(all: &Path, current: &Path, now: SystemTime, largest: u64) {
    let unused = |dir: &Path| {
        let used = fs::metadata(dir.join("used")).and_then(|used| used.modified()).ok()?;
        Some(now.duration_since(used).unwrap_or_default())
    };
    for generation in entries(all) {
        if generation != current && unused(&generation).is_some_and(|unused| unused > LONGEST_UNUSED) {
            remove(&generation);
        }
    }
    let mut verifiers: Vec<(Duration, PathBuf)> =
        entries(current).into_iter().filter_map(|dir| Some((unused(&dir)?, dir))).collect();
    verifiers.sort();
    let mut kept = 0_u64;
    for (unused, dir) in verifiers {
        kept = kept.saturating_add(size(&dir));
        if unused > LONGEST_UNUSED || unused > DAY && kept > largest {
            remove(&dir);
        }
    }
    let is_lost = |name: &PathBuf| {
        fs::read_to_string(name).is_ok_and(|key| !current.join(format!("verifier-{}", short(&key))).exists())
    };
    for name in entries(&current.join("names")).iter().filter(|name| is_lost(name)) {
        let _ = fs::remove_file(name);
    }
}

/// Removes a folder unless a process works in it.
fn remove(dir: &Path) {
    if let Ok(lock) = File::open(dir.join("used"))
        && lock.try_lock().is_ok()
    {
        let _ = fs::remove_dir_all(dir);
    }
}

/// `PMC_CACHE`, or `pmc` in the user's cache.
///
/// A folder that every user can write to would be no substitute: what lies there is run.
pub(super) fn cache_dir() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let path = variable("PMC_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|dir| dir.join("pmc")))
        .or_else(|| variable("HOME").map(|dir| dir.join(".cache").join("pmc")))
        .or_else(|| variable("LOCALAPPDATA").map(|dir| dir.join("pmc")))?;
    Some(std::path::absolute(&path).unwrap_or(path))
}

fn program(dir: &Path) -> PathBuf {
    dir.join(format!("verifier{}", std::env::consts::EXE_SUFFIX))
}

fn seal_file(dir: &Path) -> PathBuf {
    dir.join("seal")
}

/// What a program is recognized by.
fn seal(program: &Path) -> io::Result<String> {
    let bytes = fs::read(program)?;
    let mut hash = Fnv::default();
    hash.add(&bytes);
    Ok(format!("{} {hash}", bytes.len()))
}

/// The program, if all of it is there.
fn complete_program(dir: &Path) -> Option<PathBuf> {
    let program = program(dir);
    let expected = fs::read_to_string(seal_file(dir)).ok()?;
    (seal(&program).ok()? == expected).then_some(program)
}

/// Sixteen digits of a hash.
fn short(hash: &str) -> &str {
    hash.get(..16).unwrap_or(hash)
}

/// Marks a folder as used now.
fn touch(dir: &Path) -> io::Result<File> {
    fs::create_dir_all(dir)?;
    let used = File::options().create(true).append(true).open(dir.join("used"))?;
    used.set_modified(SystemTime::now())?;
    Ok(used)
}

/// The entries of a folder; none if it cannot be read.
fn entries(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect()
}

fn file_name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

fn size(dir: &Path) -> u64 {
    let mut waiting = vec![dir.to_owned()];
    let mut size = 0;
    while let Some(path) = waiting.pop() {
        match fs::symlink_metadata(&path) {
            Ok(data) if data.is_dir() => waiting.extend(entries(&path)),
            Ok(data) => size += data.len(),
            Err(_) => {}
        }
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache with verifiers of 1000 bytes, each with the days for which it was not used.
    fn cache(verifiers: &[(&str, u64)], now: SystemTime) -> tempfile::TempDir {
        let all = tempfile::tempdir().expect("a temporary folder");
        for (name, days) in verifiers {
            let dir = all.path().join(name);
            let used = touch(&dir).expect("a file");
            used.set_modified(now - Duration::from_secs(days * DAY.as_secs())).expect("a time");
            fs::write(dir.join("verifier"), [0; 1000]).expect("a file");
        }
        all
    }

    fn left(all: &Path) -> Vec<String> {
        let name = |path: &PathBuf| path.strip_prefix(all).expect("inside").display().to_string();
        let mut names: Vec<String> = entries(all).iter().map(name).collect();
        names.extend(entries(&all.join("now")).iter().filter(|path| path.is_dir()).map(name));
        names.sort();
        names
    }

    /// An empty program is a shell script that succeeds: it ended with 0, without a word.
    #[test]
    fn a_program_that_is_not_complete_is_not_there() {
        let all = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache { dir: all.path().to_owned() };
        let entry = cache.entry("key").expect("a folder");
        let release = cache.target().join("release");
        fs::create_dir_all(&release).expect("a folder");
        let built = release.join(format!("{}{}", entry.name, std::env::consts::EXE_SUFFIX));
        fs::write(&built, [1; 1000]).expect("a program");
        let program = cache.finish(&entry, &release).expect("it is moved");
        assert_eq!((cache.find("key"), entry.program()), (Some(program.clone()), Some(program.clone())));
        let mut almost = vec![1; 1000];
        almost[999] = 0;
        for left in [&[][..], &[1; 999], &[1; 1001], &[0; 1000], &almost] {
            fs::write(&program, left).expect("another file");
            assert_eq!((cache.find("key"), entry.program()), (None, None));
        }
        fs::write(&program, [1; 1000]).expect("the program");
        assert_eq!(cache.find("key"), Some(program.clone()));
        discard(&program);
        assert_eq!((cache.find("key"), entry.program()), (None, None));
    }

    #[test]
    fn what_verifiers_share_goes_unless_it_is_in_use() {
        let all = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache { dir: all.path().to_owned() };
        let (one, other) = (cache.entry("one").expect("a folder"), cache.entry("other").expect("a folder"));
        fs::create_dir_all(cache.target()).expect("a folder");
        cache.forget_parts(&one);
        assert!(cache.target().exists());
        drop(other);
        cache.forget_parts(&one);
        assert!(!cache.target().exists());
        // It is in use again.
        assert!(touch(&cache.dir).expect("a file").try_lock().is_err());
    }

    #[test]
    fn a_name_leads_to_a_verifier_until_that_is_removed() {
        let all = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache { dir: all.path().join("now") };
        let key = "0123456789abcdef0123";
        assert_eq!(cache.find_named("text"), None);
        cache.name("text", key);
        assert_eq!(cache.find_named("text"), None);
        let entry = cache.entry(key).expect("a folder");
        fs::write(program(&entry.dir), [1; 10]).expect("a program");
        fs::write(seal_file(&entry.dir), seal(&program(&entry.dir)).expect("a program")).expect("its seal");
        assert_eq!(cache.find_named("text"), Some(program(&entry.dir)));
        let dir = entry.dir.clone();
        cache.prune(entry);
        assert!(cache.name_file("text").exists());
        fs::remove_dir_all(dir).expect("it is there");
        prune(all.path(), &cache.dir, SystemTime::now(), u64::MAX);
        assert!(!cache.name_file("text").exists());
    }

    #[test]
    fn what_was_not_used_for_a_month_goes_away() {
        let now = SystemTime::now();
        let all = cache(&[("now", 0), ("now/a", 29), ("now/b", 31), ("old", 31), ("other", 29)], now);
        fs::create_dir(all.path().join("foreign")).expect("a folder");
        prune(all.path(), &all.path().join("now"), now, u64::MAX);
        assert_eq!(left(all.path()), ["foreign", "now", "now/a", "other"]);
    }

    #[test]
    fn beyond_a_size_the_least_used_goes_away_but_nothing_of_today() {
        let now = SystemTime::now();
        let all = cache(&[("now", 0), ("now/a", 0), ("now/b", 2), ("now/c", 3), ("now/d", 4)], now);
        prune(all.path(), &all.path().join("now"), now, 2500);
        assert_eq!(left(all.path()), ["now", "now/a", "now/b"]);
        prune(all.path(), &all.path().join("now"), now, 0);
        assert_eq!(left(all.path()), ["now", "now/a"]);
    }

    #[test]
    fn what_somebody_works_in_stays() {
        let now = SystemTime::now();
        let all = cache(&[("now", 0), ("now/a", 31), ("old", 31)], now);
        let locks = ["now/a/used", "old/used"].map(|path| File::open(all.path().join(path)).expect("a file"));
        locks.iter().for_each(|lock| lock.lock_shared().expect("a lock"));
        prune(all.path(), &all.path().join("now"), now, 0);
        assert_eq!(left(all.path()), ["now", "now/a", "old"]);
        drop(locks);
        prune(all.path(), &all.path().join("now"), now, 0);
        assert_eq!(left(all.path()), ["now"]);
    }
}
