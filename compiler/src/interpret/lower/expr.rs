//! Expressions: a value goes to a register.

use super::super::code::{Binary, ChannelOwner, Field, N_REGISTERS, Op, Register, Row, Truncation};
use super::super::describe::constants;
use super::super::machine::binary;
use super::{Label, Lowering, R0, address, small, small_bits};
use crate::analysis::places::{Shape, Stride};
use crate::collections::Id;
use crate::exec::{self, Arithmetic, Cut, Declared, Index, Place, Remote, Run, Test, Value};
use crate::model::{self, SiteId};

/// The depth up to which an expression is looked at as a constant: each part of an expression is.
const LARGEST_CONSTANT: u32 = 6;

/// Where a scalar lies.
enum Located<'p> {
    /// It never changes.
    Constant(i32),
    /// The element of a constant array.
    Table(u32, &'p Index),
    Field(Field),
    /// An element of an array.
    Row(Row, &'p Index),
    /// The element of an array within arrays: the distances add up.
    Offset(Field, Vec<(Row, &'p Index)>),
}

impl Lowering<'_> {
    /// The value of an expression that is the same in every state, for the process whose code this is.
    pub fn constant(&self, value: &Value) -> Option<i32> {
        self.constant_within(value, LARGEST_CONSTANT)
    }

    /// An expression may be nested so deep; larger ones are computed.
    fn constant_within(&self, value: &Value, depth: u32) -> Option<i32> {
        let depth = depth.checked_sub(1)?;
        match value {
            Value::Constant { value, .. } => Some(*value),
            Value::Pid => self.pid.map(|pid| i32::from(pid.0)),
            Value::Load(place) if place.indices.is_empty() => match self.locate(place) {
                Located::Constant(value) => Some(value),
                Located::Field(field) if field.bits == 0 => Some(field.low),
                Located::Field(_) | Located::Table(..) | Located::Row(..) | Located::Offset(..) => None,
            },
            Value::Negate { value, .. } => Some(self.constant_within(value, depth)?.wrapping_neg()),
            Value::Complement(value) => Some(!self.constant_within(value, depth)?),
            Value::Binary(op, left, right) => {
                let (left, right) = (self.constant_within(left, depth)?, self.constant_within(right, depth)?);
                binary(operation(*op), left, right).ok()
            }
            Value::Load(_)
            | Value::Truth(_)
            | Value::Choose { .. }
            | Value::Run(_)
            | Value::Length(_)
            | Value::ChannelNumber(_)
            | Value::ProcessCount
            | Value::Last
            | Value::OwnPriority
            | Value::PriorityOf(_)
            | Value::SetPriority { .. }
            | Value::LocationNumber(_)
            | Value::OfProcess { .. }
            | Value::Host(_) => None,
        }
    }

    /// An index that is always the same, and inside of its array.
    pub fn constant_index(&self, index: &Index) -> Option<u32> {
        let value = self.constant(&index.value)?;
        u32::try_from(value).ok().filter(|value| *value < index.length)
    }

    /// Computes a value into a register. Those above it are overwritten.
    pub fn value(&mut self, value: &Value, to: Register) {
        if let Some(value) = self.constant(value) {
            self.emit(Op::Constant { to, value });
            return;
        }
        match value {
            Value::Constant { value, .. } => self.emit(Op::Constant { to, value: *value }),
            Value::Load(place) => self.load(place, to),
            Value::Truth(test) => self.truth(test, to),
            Value::Negate { value, .. } => {
                self.value(value, to);
                self.emit(Op::Negate { register: to });
            }
            Value::Complement(value) => {
                self.value(value, to);
                self.emit(Op::Complement { register: to });
            }
            Value::Binary(op, left, right) => self.binary(*op, left, right, to),
            Value::Choose { test, yes, no } => {
                let (otherwise, end) = (self.label(), self.label());
                self.jump_unless(test, to, otherwise);
                self.value(yes, to);
                self.jump(end);
                self.place(otherwise);
                self.value(no, to);
                self.place(end);
            }
            Value::Run(run) => self.run(run, to),
            Value::Length(channel) => {
                self.channel(channel, to);
                self.emit(Op::Length { to });
            }
            Value::ChannelNumber(declared) => self.channel_number(declared, to),
            Value::Pid => self.emit(Op::Pid { to }),
            Value::ProcessCount => {
                let field = self.bits(super::Base::State, self.layout.count);
                self.emit(Op::Load { to, field });
            }
            Value::Last => {
                let last = self.layout.last.expect("`_last` is a part of the state");
                let field = self.bits(super::Base::State, last);
                self.emit(Op::Load { to, field });
            }
            Value::OwnPriority => self.emit(Op::OwnPriority { to }),
            Value::PriorityOf(pid) => {
                self.value(pid, to);
                self.emit(Op::PriorityOf { to, pid: to });
            }
            Value::SetPriority { pid, priority } => {
                self.value(pid, to);
                let priority = self.second(priority, to);
                self.emit(Op::SetPriority { pid: to, priority });
                // The value is the new priority.
                self.copy(to, priority);
            }
            Value::LocationNumber(pid) => {
                self.value(pid, to);
                self.emit(Op::LocationNumber { to, pid: to });
            }
            Value::Host(_) => unreachable!("a model with C is not interpreted"),
            Value::OfProcess { process, value } => {
                let (none, end) = (self.label(), self.label());
                self.find_process(process, to, none);
                self.value(value, to);
                self.jump(end);
                self.place(none);
                self.emit(Op::Constant { to, value: 0 });
                self.place(end);
            }
        }
    }

    /// 1 or 0.
    pub fn truth(&mut self, test: &Test, to: Register) {
        let (no, end) = (self.label(), self.label());
        self.jump_unless(test, to, no);
        self.emit(Op::Constant { to, value: 1 });
        self.jump(end);
        self.place(no);
        self.emit(Op::Constant { to, value: 0 });
        self.place(end);
    }

    fn binary(&mut self, op: Arithmetic, left: &Value, right: &Value, to: Register) {
        let op = operation(op);
        if let Some(right) = self.constant(right) {
            self.value(left, to);
            self.emit(Op::BinaryConstant { op, to, left: to, right });
            return;
        }
        self.value(left, to);
        let right = self.second(right, to);
        self.emit(Op::Binary { op, to, left: to, right });
    }

    /// Computes a value while that of `first` is kept, and returns the register that it goes to: the next one.
    pub fn second(&mut self, value: &Value, first: Register) -> Register {
        let next = above(first);
        if usize::from(next) + 1 < N_REGISTERS {
            self.value(value, next);
            return next;
        }
        // The last register has none above it as scratch: the first value is in the list of values meanwhile.
        self.emit(Op::Push { from: first, truncation: Truncation::NONE });
        self.value(value, first);
        self.copy(next, first);
        self.emit(Op::Pop { to: first });
        next
    }

    fn copy(&mut self, to: Register, from: Register) {
        self.emit(Op::BinaryConstant { op: Binary::Add, to, left: from, right: 0 });
    }

    fn run(&mut self, run: &Run, to: Register) {
        for argument in &run.arguments {
            self.push(argument, to);
        }
        let declared = self.program.model.proctypes[run.proctype].priority;
        let priority = run.priority.or(declared).unwrap_or(1);
        let priority = u8::try_from(priority & 0xff).expect("eight bits");
        self.emit(Op::Run { to, proctype: small(run.proctype.index()), priority });
    }

    /// Appends a value, truncated, to the list of values.
    pub fn push(&mut self, cut: &Cut, scratch: Register) {
        let truncation = if cut.fits { Truncation::NONE } else { Truncation::to(cut.to) };
        if let Some(value) = self.constant(&cut.value) {
            self.emit(Op::PushConstant(truncation.apply(value)));
        } else if let Some(field) = self.loaded_field(&cut.value) {
            self.emit(Op::PushField { field, truncation });
        } else {
            self.value(&cut.value, scratch);
            self.emit(Op::Push { from: scratch, truncation });
        }
    }

    fn load(&mut self, place: &Place, to: Register) {
        match self.locate(place) {
            Located::Constant(value) => self.emit(Op::Constant { to, value }),
            Located::Table(table, index) => {
                self.value(&index.value, to);
                self.emit(Op::LoadTable { to, index: to, table, is_checked: index.is_checked });
            }
            Located::Field(field) if field.bits == 0 => self.emit(Op::Constant { to, value: field.low }),
            Located::Field(field) => self.emit(Op::Load { to, field }),
            Located::Row(row, index) => {
                self.value(&index.value, to);
                if row.field.bits == 0 {
                    self.check(index, to);
                    self.emit(Op::Constant { to, value: row.field.low });
                    return;
                }
                let row = self.row(row);
                self.emit(Op::LoadRow { to, index: to, row });
            }
            Located::Offset(field, rows) => {
                self.offset(rows, to);
                if field.bits == 0 {
                    self.emit(Op::Constant { to, value: field.low });
                    return;
                }
                self.emit(Op::LoadOffset { to, offset: to, field });
            }
        }
    }

    /// Adds up the distances of elements.
    fn offset(&mut self, rows: Vec<(Row, &Index)>, to: Register) {
        for (number, (row, index)) in rows.into_iter().enumerate() {
            let is_first = number == 0;
            let register = if is_first {
                self.value(&index.value, to);
                to
            } else {
                self.second(&index.value, to)
            };
            let row = self.row(row);
            self.emit(Op::Offset { to, index: register, row, is_first });
        }
    }

    /// An index outside of its array is a fault.
    pub fn check(&mut self, index: &Index, register: Register) {
        if index.is_checked {
            self.emit(Op::CheckIndex { index: register, length: index.length });
        }
    }

    /// Stores the value of a register. Registers above it are overwritten.
    pub fn store(&mut self, place: &Place, from: Register, truncation: Truncation) {
        let index_register = above(from);
        match self.locate(place) {
            Located::Constant(_) => {}
            Located::Table(_, index) => {
                self.value(&index.value, index_register);
                self.check(index, index_register);
            }
            Located::Field(field) if field.bits == 0 => {}
            Located::Field(field) => self.emit(Op::Store { field, from, truncation }),
            Located::Row(row, index) => {
                self.value(&index.value, index_register);
                if row.field.bits == 0 {
                    self.check(index, index_register);
                    return;
                }
                let row = self.row(row);
                self.emit(Op::StoreRow { row, index: index_register, from, truncation });
            }
            Located::Offset(field, rows) => {
                self.offset(rows, index_register);
                if field.bits > 0 {
                    self.emit(Op::StoreOffset { from, offset: index_register, field, truncation });
                }
            }
        }
    }

    /// Stores a constant in a scalar without an index.
    pub fn put(&mut self, field: Field, value: i32) {
        if field.bits > 0 {
            let mask = u32::MAX >> (32 - u32::from(field.bits));
            let raw = value.wrapping_sub(field.low).cast_unsigned() & mask;
            self.emit(Op::Put { field, raw });
        }
    }

    /// The field of a scalar whose indices are constants, if it has a place.
    pub fn field_of(&self, place: &Place) -> Option<Field> {
        match self.locate(place) {
            Located::Field(field) => Some(field),
            _ => None,
        }
    }

    /// The field whose value an expression is.
    pub fn loaded_field(&self, value: &Value) -> Option<Field> {
        let Value::Load(place) = value else { return None };
        self.field_of(place).filter(|field| field.bits > 0)
    }

    /// The number that an expression adds to a field.
    pub fn added_to(&self, field: Field, value: &Value) -> Option<i32> {
        let Value::Binary(op, left, right) = value else { return None };
        // One that takes no bits lies where the next one does.
        if field.bits == 0 {
            return None;
        }
        let is_it =
            |value: &Value| self.loaded_field(value).is_some_and(|it| (it.at, it.base) == (field.at, field.base));
        match op {
            Arithmetic::Add { .. } if is_it(left) => self.constant(right),
            Arithmetic::Add { .. } if is_it(right) => self.constant(left),
            Arithmetic::Subtract { .. } if is_it(left) => self.constant(right).map(i32::wrapping_neg),
            _ => None,
        }
    }

    fn locate<'p>(&self, place: &'p Place) -> Located<'p> {
        let Some(placed) = &self.layout.variables[place.variable] else { return self.unchanged(place) };
        let (base, first) = self.base(place.owner, place.variable);
        let (mut at, mut shape) = (first + placed.at, &placed.shape);
        let (mut path, mut indices) = (place.path.iter(), place.indices.iter());
        let mut rows: Vec<(Stride, &Index)> = Vec::new();
        let scalar = loop {
            match shape {
                Shape::Scalar(scalar) => break *scalar,
                Shape::Row(row) => {
                    let index = indices.next().expect("one index for each array");
                    match self.constant_index(index) {
                        Some(value) => at += row.stride.of(value as usize),
                        None => rows.push((row.stride, index)),
                    }
                    shape = &row.element;
                }
                Shape::Record(fields) => {
                    let field = &fields[*path.next().expect("one field for each record") as usize];
                    at += field.at;
                    shape = &field.shape;
                }
                Shape::Queue(_) => unreachable!("a place is a scalar"),
            }
        };
        let field = Field { at: address(at), low: scalar.low, bits: small_bits(scalar.bits), base };
        let row = |(stride, index): &(Stride, &Index)| Row {
            field,
            spacing: (*stride).into(),
            length: index.length,
            is_checked: index.is_checked,
        };
        match &rows[..] {
            [] => Located::Field(field),
            [one] => Located::Row(row(one), one.1),
            many => Located::Offset(field, many.iter().map(|one| (row(one), one.1)).collect()),
        }
    }

    /// A variable that always has its initial value.
    fn unchanged<'p>(&self, place: &'p Place) -> Located<'p> {
        let values = constants(self.program, self.exec, place.variable);
        match &place.indices[..] {
            [] => Located::Constant(values[0]),
            [index] => match self.constant_index(index) {
                Some(value) => Located::Constant(values[value as usize]),
                None => {
                    let known = self.tables.iter().position(|table| *table == values);
                    let table = known.expect("the tables of all constant arrays exist");
                    Located::Table(u32::try_from(table).expect("fewer than 2^32"), index)
                }
            },
            _ => unreachable!("a constant is a scalar or an array of scalars"),
        }
    }

    /// The tables of constant arrays.
    pub fn make_tables(&mut self) {
        let ids: Vec<model::VariableId> = self.program.model.variables.ids().collect();
        for id in ids {
            let is_constant = self.facts.stored[id] == crate::analysis::Stored::Constant;
            if is_constant && self.layout.variables[id].is_none() && self.program.model.variables[id].length.is_some() {
                let values = constants(self.program, self.exec, id);
                if !self.tables.contains(&values) {
                    self.tables.push(values);
                }
            }
        }
    }

    pub fn find_process(&mut self, process: &Remote, to: Register, none: Label) {
        let pid = process.pid.as_ref().map(|pid| {
            self.value(pid, to);
            to
        });
        let target = Self::target(none);
        self.emit(Op::FindProcess { proctype: small(process.proctype.index()), pid, target });
    }

    /// The number of a channel that its variable always denotes.
    fn channel_number(&mut self, declared: &Declared, to: Register) {
        self.first_number(declared.site, channel_owner(declared.owner), to);
        if let Some(element) = &declared.element {
            let register = self.second(&element.value, to);
            self.check(element, register);
            self.emit(Op::ChannelElement { to, element: register });
        }
    }

    /// The number of the first channel of a site.
    pub fn first_number(&mut self, site: SiteId, owner: ChannelOwner, to: Register) {
        let (model, layout) = (self.program.model, &self.facts.layout);
        let offset = |sites: &[SiteId]| -> u32 {
            sites.iter().take_while(|other| **other != site).map(|other| model.sites[*other].count).sum()
        };
        match model.variables[model.sites[site].variable].owner {
            model::Owner::Proctype(id) => {
                let offset = offset(&layout.processes[id].sites);
                self.emit(Op::ChannelNumber { to, owner, offset });
            }
            model::Owner::Global | model::Owner::Never(_) => {
                let number = 1 + offset(&layout.global_sites);
                let value = i32::try_from(number & 0xff).expect("eight bits");
                self.emit(Op::Constant { to, value });
            }
        }
    }
}

/// The operation of the machine.
fn operation(op: Arithmetic) -> Binary {
    match op {
        Arithmetic::Add { .. } => Binary::Add,
        Arithmetic::Subtract { .. } => Binary::Subtract,
        Arithmetic::Multiply { .. } => Binary::Multiply,
        Arithmetic::Divide { .. } => Binary::Divide,
        Arithmetic::Remainder { .. } => Binary::Remainder,
        Arithmetic::And => Binary::And,
        Arithmetic::Or => Binary::Or,
        Arithmetic::Xor => Binary::Xor,
        Arithmetic::ShiftLeft { .. } => Binary::ShiftLeft,
        Arithmetic::ShiftRight { .. } => Binary::ShiftRight,
    }
}

/// The next register. Values are computed into any but the last one, so that there is a next one: see
/// [`Lowering::second`].
pub fn above(register: Register) -> Register {
    assert!(usize::from(register) + 1 < N_REGISTERS, "the last register is no scratch");
    register + 1
}

pub fn channel_owner(owner: exec::Owner) -> ChannelOwner {
    match owner {
        exec::Owner::State => ChannelOwner::State,
        exec::Owner::Own => ChannelOwner::Own,
        exec::Owner::Found => ChannelOwner::Found,
    }
}

/// The register that the value of a whole statement goes to.
pub const RESULT: Register = R0;
