//! Channels: their declarations, sends and receives.

use super::{Ty, Var, Whole};

impl Whole {
    /// An expression that denotes a channel, the signature of its messages, and its capacity if that is known.
    pub(super) fn channel_place(&mut self) -> Option<(String, usize, Option<u32>)> {
        let mut found = Vec::new();
        for var in self.visible() {
            if let Some(place) = self.place_in(&var, &mut |ty| matches!(ty, Ty::Chan(_))) {
                let (text, ty) = place;
                let Ty::Chan(signature) = ty else { continue };
                found.push((text, signature, var.capacity.filter(|_| var.ty == ty)));
            }
        }
        self.one_of(&found)
    }

    /// The fields of a message, with records expanded.
    pub(super) fn flat(&self, types: &[Ty]) -> Vec<Ty> {
        let mut flat = Vec::new();
        for ty in types {
            match ty {
                Ty::Record(record) => {
                    for field in &self.records[*record].fields {
                        for _ in 0..field.length.unwrap_or(1) {
                            flat.extend(self.flat(&[field.ty]));
                        }
                    }
                }
                other => flat.push(*other),
            }
        }
        flat
    }

    /// A whole record of a type, if there is one in scope.
    fn record_place(&mut self, record: usize) -> Option<String> {
        let is_whole = |var: &Var| var.ty == Ty::Record(record) && var.length.is_none();
        let found: Vec<String> = self.visible().into_iter().filter(is_whole).map(|var| var.name).collect();
        self.one_of(&found)
    }

    fn sent(&mut self, ty: Ty) -> Option<String> {
        Some(match ty {
            Ty::Record(record) => self.record_place(record)?,
            Ty::Chan(_) => self.channel_place()?.0,
            Ty::Mtype(kind) if !self.random.one_in(4) => {
                let values = self.mtypes[kind].1.clone();
                self.one_of(&values)?
            }
            _ => self.expression(1),
        })
    }

    fn received(&mut self, ty: Ty) -> Option<String> {
        if let Ty::Record(record) = ty {
            return self.record_place(record);
        }
        Some(match self.random.below(8) {
            0 => "_".to_owned(),
            1 if !matches!(ty, Ty::Chan(_)) => format!("eval({})", self.expression(0)),
            2 if !matches!(ty, Ty::Chan(_)) => match ty {
                Ty::Mtype(kind) => {
                    let values = self.mtypes[kind].1.clone();
                    self.one_of(&values)?
                }
                _ => self.random.below(2).to_string(),
            },
            _ => self.place(|other| match ty {
                Ty::Chan(_) => matches!(other, Ty::Chan(_)),
                Ty::Mtype(_) => other == ty,
                _ => !matches!(other, Ty::Chan(_) | Ty::Mtype(_) | Ty::Record(_)),
            })?,
        })
    }

    fn all_received(&mut self, signature: usize) -> Option<String> {
        let fields: Option<Vec<String>> =
            self.signatures[signature].clone().into_iter().map(|ty| self.received(ty)).collect();
        let mut fields = fields?;
        // No variable can receive two fields.
        for number in 1..fields.len() {
            if fields[..number].contains(&fields[number]) && !fields[number].starts_with("eval") {
                fields[number] = "_".to_owned();
            }
        }
        Some(match self.random.below(5) {
            0 if fields.len() > 1 => format!("{}({})", fields[0], fields[1..].join(",")),
            _ => fields.join(","),
        })
    }

    /// A send or a receive.
    pub(super) fn communication(&mut self, in_d_step: bool) -> Option<String> {
        let (channel, signature, capacity) = self.channel_place()?;
        // Spin and our front end refuse a channel there that is always a rendezvous.
        if in_d_step && capacity == Some(0) && !self.random.one_in(4) {
            return None;
        }
        if self.random.one_in(2) {
            let fields: Option<Vec<String>> =
                self.signatures[signature].clone().into_iter().map(|ty| self.sent(ty)).collect();
            let mark = if self.random.one_in(5) && capacity != Some(0) { "!!" } else { "!" };
            return Some(format!("{channel}{mark}{}", fields?.join(",")));
        }
        let mark = if self.random.one_in(4) && capacity != Some(0) { "??" } else { "?" };
        let fields = self.all_received(signature)?;
        let is_peek = self.random.one_in(5) && capacity != Some(0);
        Some(if is_peek { format!("{channel}{mark}<{fields}>") } else { format!("{channel}{mark}{fields}") })
    }

    /// A test of a channel.
    pub(super) fn probe(&mut self) -> Option<String> {
        let (channel, signature, _) = self.channel_place()?;
        Some(match self.random.below(6) {
            0 => format!("len({channel}) {} {}", self.random.pick(&["<", "==", ">"]), self.random.below(2)),
            1 => format!("empty({channel})"),
            2 => format!("nfull({channel})"),
            3 => format!("{}({channel})", self.random.pick(&["full", "nempty"])),
            _ => {
                let mark = self.random.pick(&["?", "??"]);
                let fields = self.signatures[signature].clone();
                let fields = self.flat(&fields);
                let fields: Vec<String> = fields
                    .into_iter()
                    .map(|ty| match (self.random.below(3), ty) {
                        (0, Ty::Byte | Ty::Int | Ty::Short) => format!("eval({})", self.expression(0)),
                        (1, Ty::Byte | Ty::Int | Ty::Bit) => self.random.below(2).to_string(),
                        _ => "_".to_owned(),
                    })
                    .collect();
                format!("{channel}{mark}[{}]", fields.join(","))
            }
        })
    }
}
