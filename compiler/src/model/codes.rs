//! The numbers of this room's errors, each named once.
//!
//! P02xx: names and types. P03xx: rules of the language. P04xx: formulas.
//! P09xx: limits, and what is not supported.

pub const UNKNOWN_NAME: u16 = 201;
pub const REDECLARED: u16 = 202;
pub const MESSAGE_SHAPE: u16 = 203;
pub const NOT_A_CHANNEL: u16 = 204;
pub const CHANNEL_VALUE: u16 = 205;
pub const RECORD_VALUE: u16 = 206;
pub const ARRAY_INDEX: u16 = 207;
pub const UNKNOWN_FIELD: u16 = 208;
pub const NOT_CONSTANT: u16 = 209;
pub const SIZE: u16 = 210;
pub const INITIALIZER: u16 = 211;
pub const MTYPE_KIND: u16 = 212;
pub const UNKNOWN_TYPE: u16 = 213;
pub const NOT_ASSIGNABLE: u16 = 214;
pub const ARGUMENTS: u16 = 215;
pub const UNKNOWN_LABEL: u16 = 216;
pub const NO_CHANNEL: u16 = 217;
pub const DIVISION: u16 = 218;
pub const WRITE_ONLY: u16 = 219;
pub const TIMER: u16 = 220;

pub const LABEL_PLACE: u16 = 301;
pub const JUMP: u16 = 302;
pub const BREAK: u16 = 303;
pub const ELSE: u16 = 304;
pub const RUN: u16 = 305;
pub const CLAIM: u16 = 306;
pub const TRACE: u16 = 307;
pub const DECLARATION_PLACE: u16 = 309;
pub const RETURN: u16 = 310;
pub const RANGE: u16 = 311;
pub const LOOP: u16 = 312;
pub const PRIORITY: u16 = 313;
pub const PROCESSES: u16 = 314;
pub const RENDEZVOUS: u16 = 315;
pub const PROBE: u16 = 316;
pub const RECEIVE: u16 = 317;
pub const ENABLED: u16 = 318;
pub const D_STEP_WAITS: u16 = 319;
pub const SCALARSET: u16 = 320;

pub const FORMULA: u16 = 401;

pub const EMBEDDED_C: u16 = 901;
pub const IN_C: u16 = 912;
pub const LIMIT: u16 = 902;
pub const UNSUPPORTED: u16 = 903;
