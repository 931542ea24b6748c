//! Initial values of variables.

use super::effects::{Effects, Executable};
use super::{Cut, Value};
use crate::model::{SiteId, VariableId};

/// A scalar or an array of scalars whose initial value is not 0: a variable, or a field of one.
#[derive(Clone, Debug)]
pub struct Initial {
    pub variable: VariableId,
    /// The fields that lead from the variable to the scalar.
    pub path: Vec<u32>,
    /// The lengths of the enclosing arrays, outermost first.
    pub lengths: Vec<u32>,
    pub values: InitialValues,
}

#[derive(Clone, Debug)]
pub enum InitialValues {
    /// The same in every element.
    All(Cut),
    /// By element of the innermost array.
    List(Vec<Cut>),
    /// The channels of a site, one for each element.
    Channels(SiteId),
}

impl Initial {
    /// Whether nothing has to be computed.
    pub fn is_constant(&self) -> bool {
        let is_constant = |value: &Cut| matches!(value.value, Value::Constant { .. });
        match &self.values {
            InitialValues::All(value) => is_constant(value),
            InitialValues::List(values) => values.iter().all(is_constant),
            InitialValues::Channels(_) => false,
        }
    }
}

impl Executable for Initial {
    fn add_effects(&self, effects: &mut Effects) {
        match &self.values {
            InitialValues::All(value) => value.add_effects(effects),
            InitialValues::List(values) => values.iter().for_each(|value| value.add_effects(effects)),
            InitialValues::Channels(_) => {}
        }
    }
}
