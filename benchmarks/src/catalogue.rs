//! The models and their sizes: `models/` and `sizes.csv`.

use std::path::{Path, PathBuf};

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    Small,
    Medium,
    Large,
}

/// The two sets of models, which are reported apart and together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Set {
    /// Algorithms and protocols, written as the manual of the language suggests.
    Plain,
    /// What else is written: tables in `d_step`s, loops with forty options, generated code, games, hundreds of processes.
    Varied,
}

impl Set {
    pub const ALL: [Set; 2] = [Set::Plain, Set::Varied];

    pub fn name(self) -> &'static str {
        match self {
            Set::Plain => "plain",
            Set::Varied => "varied",
        }
    }
}

/// A model at one size, and Spin's figures for its whole state space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    pub model: String,
    pub set: Set,
    pub scale: Scale,
    /// `PROCESSES=3`
    pub defines: Vec<String>,
    pub states: u64,
    pub transitions: u64,
    /// The depth of pan's search, which its stack must hold. 0 if that is not known.
    pub depth: u64,
}

impl Instance {
    pub fn path(&self) -> PathBuf {
        folder().join("models").join(format!("{}.pml", self.model))
    }

    /// `-DPROCESSES=3`, as both tools take it.
    pub fn flags(&self) -> impl Iterator<Item = String> {
        self.defines.iter().map(|define| format!("-D{define}"))
    }

    /// `PROCESSES=3 LEVELS=3`
    pub fn size(&self) -> String {
        self.defines.join(" ")
    }

    /// The name of the model's formula, if it has one.
    pub fn formula(&self) -> Option<String> {
        let text = std::fs::read_to_string(self.path()).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("ltl "))?;
        Some(line.split_whitespace().next()?.to_owned())
    }
}

/// The folder of this package.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All instances, in the order of the file.
pub fn instances() -> Vec<Instance> {
    read(include_str!("../sizes.csv"))
}

/// Small models, the smallest first: `verdicts.csv`.
pub fn small_instances() -> Vec<Instance> {
    read(include_str!("../verdicts.csv"))
}

fn read(text: &str) -> Vec<Instance> {
    text.lines().skip(1).map(|line| parse(line).unwrap_or_else(|| panic!("not well formed: {line}"))).collect()
}

fn parse(line: &str) -> Option<Instance> {
    let fields: Vec<&str> = line.split(',').collect();
    let &[model, scale, defines, states, transitions, depth, set] = fields.as_slice() else { return None };
    Some(Instance {
        model: model.to_owned(),
        set: Set::ALL.into_iter().find(|known| known.name() == set)?,
        scale: match scale {
            "small" => Scale::Small,
            "medium" => Scale::Medium,
            "large" => Scale::Large,
            _ => return None,
        },
        defines: defines.split_whitespace().map(str::to_owned).collect(),
        states: states.parse().ok()?,
        transitions: transitions.parse().ok()?,
        depth: depth.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_list_is_read() {
        let instance = parse("leader,small,NODES=5,17281,59930,90,plain").unwrap();
        assert_eq!((instance.model.as_str(), instance.scale, instance.states), ("leader", Scale::Small, 17281));
        assert_eq!(instance.flags().collect::<Vec<_>>(), ["-DNODES=5"]);
        assert_eq!(instance.formula().as_deref(), Some("one_leader"));
        assert_eq!(parse("leader,tiny,NODES=5,1,1,1,plain"), None);
        assert_eq!(parse("leader,small,NODES=5,1,1,1,other"), None);
        assert_eq!(parse("leader,small,NODES=5"), None);
    }

    #[test]
    fn small_models_have_ten_to_a_hundred_thousand_states() {
        let all = small_instances();
        assert_eq!(all.len(), 20);
        assert!(all.is_sorted_by_key(|instance| instance.states));
        assert!(all.iter().all(|instance| (10..100_000).contains(&instance.states)));
    }

    #[test]
    fn every_model_has_sizes_and_a_header() {
        let all = instances();
        let mut n_models = 0;
        for file in std::fs::read_dir(folder().join("models")).unwrap() {
            let path = file.unwrap().path();
            let model = path.file_stem().unwrap().to_string_lossy().into_owned();
            n_models += 1;
            let has = |scale| all.iter().any(|instance| instance.model == model && instance.scale == scale);
            assert!(has(Scale::Small) && has(Scale::Medium), "{model}");
            let mut sets = all.iter().filter(|instance| instance.model == model).map(|instance| instance.set);
            let set = sets.next();
            assert!(sets.all(|other| Some(other) == set), "{model} is in two sets");
            assert!(std::fs::read_to_string(&path).unwrap().starts_with("/*\n"), "{model}");
        }
        assert!(n_models >= 26);
    }

    #[test]
    fn sizes_grow() {
        let all = instances();
        for of_model in all.chunk_by(|one, other| one.model == other.model) {
            assert!(of_model.is_sorted_by_key(|instance| instance.states), "{}", of_model[0].model);
        }
    }
}
