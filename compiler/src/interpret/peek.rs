//! Guards that take no machine to find false.
//!
//! A machine has a state to change, and to make one costs more than most guards. So the part of a sequence that only
//! reads the state is executed alone first. It may say that the sequence is blocked; anything that it does not know, a
//! fault or the first change, is left to the machine, which begins again.

use pmc_runtime::generated::index;
use pmc_runtime::step::Pid;

use super::code::{N_REGISTERS, Op, RawField, Register, Target};
use super::layout::Base;
use super::machine::binary;
use super::program::{Program, Sequence};
use super::state::{get, value};

/// What a guard is about.
pub struct Peek<'a> {
    pub program: &'a Program,
    pub words: &'a [u64],
    pub bases: &'a [usize; Base::N],
    pub me: Pid,
}

impl Peek<'_> {
    /// Whether the sequence is blocked for certain.
    #[inline]
    pub fn is_blocked(&self, sequence: &Sequence) -> bool {
        self.program.is_blocked(self.words, self.bases, sequence)
            || sequence.is_worth_a_peek && self.reads_that_it_is_blocked(sequence.entry)
    }

    fn reads_that_it_is_blocked(&self, entry: Target) -> bool {
        let mut registers = Registers([0; N_REGISTERS]);
        let mut at = entry as usize;
        loop {
            let op = &self.program.ops[at];
            at += 1;
            match *op {
                Op::Blocked | Op::DStepBlocked => return true,
                Op::At(_) => {}
                Op::Jump(target) => at = target as usize,
                Op::JumpCompare { orders, left, right, target } => {
                    if orders.contains(registers.get(left), registers.get(right)) {
                        at = target as usize;
                    }
                }
                Op::JumpValue { value, values, target } => {
                    if values.contains(registers.get(value).cast_unsigned()) {
                        at = target as usize;
                    }
                }
                Op::JumpField { field: RawField { at: field, bits, base }, values, target } => {
                    if values.contains(get(self.words, self.address(base, field), u32::from(bits))) {
                        at = target as usize;
                    }
                }
                op => {
                    if self.load(op, &mut registers).is_none() {
                        return false;
                    }
                }
            }
        }
    }

    /// Executes an operation that does nothing but to set a register; nothing for any other, or a fault.
    #[inline(always)]
    fn load(&self, op: Op, registers: &mut Registers) -> Option<()> {
        let (to, loaded) = match op {
            Op::Constant { to, value } => (to, value),
            Op::Pid { to } => (to, i32::from(self.me.0)),
            Op::Load { to, field } => (to, value(self.words, self.address(field.base, field.at), field)),
            Op::LoadRow { to, index, row } => {
                let row = &self.program.rows[row as usize];
                let place = self.address(row.field.base, row.field.at)
                    + row.spacing.of(inside(registers.get(index), row.length as usize)?);
                (to, value(self.words, place, row.field))
            }
            Op::LoadTable { to, index, table, .. } => {
                let table = &self.program.tables[table as usize];
                (to, table[inside(registers.get(index), table.len())?])
            }
            Op::Binary { op, to, left, right } => (to, binary(op, registers.get(left), registers.get(right)).ok()?),
            Op::BinaryConstant { op, to, left, right } => (to, binary(op, registers.get(left), right).ok()?),
            Op::Negate { register } => (register, registers.get(register).wrapping_neg()),
            Op::Complement { register } => (register, !registers.get(register)),
            _ => return None,
        };
        registers.set(to, loaded);
        Some(())
    }

    #[inline(always)]
    fn address(&self, base: Base, at: u32) -> usize {
        self.bases[base as usize] + at as usize
    }
}

struct Registers([i32; N_REGISTERS]);

impl Registers {
    #[inline(always)]
    fn get(&self, register: Register) -> i32 {
        self.0[usize::from(register) % N_REGISTERS]
    }

    #[inline(always)]
    fn set(&mut self, register: Register, value: i32) {
        self.0[usize::from(register) % N_REGISTERS] = value;
    }
}

/// Outside of an array is a fault, which the machine reports.
fn inside(value: i32, length: usize) -> Option<usize> {
    index(value, length).ok()
}

/// Whether a sequence can be found blocked by a peek: there is a way from its entry to its blocked end through
/// operations that a peek knows, behind one that is no test of a scalar alone.
pub fn is_worth_a_peek(ops: &[Op], entry: Target) -> bool {
    let mut at = entry;
    loop {
        match ops[at as usize] {
            Op::Jump(target) => at = target,
            Op::At(_)
            | Op::Constant { .. }
            | Op::Pid { .. }
            | Op::LoadTable { .. }
            | Op::Binary { .. }
            | Op::BinaryConstant { .. }
            | Op::Negate { .. }
            | Op::Complement { .. } => at += 1,
            Op::Load { .. } | Op::LoadRow { .. } => at += 1,
            Op::JumpCompare { target, .. } | Op::JumpValue { target, .. } | Op::JumpField { target, .. } => {
                let mut target = target;
                while let Op::Jump(next) = ops[target as usize] {
                    target = next;
                }
                if matches!(ops[target as usize], Op::Blocked | Op::DStepBlocked) {
                    return true;
                }
                at += 1;
            }
            _ => return false,
        }
    }
}
