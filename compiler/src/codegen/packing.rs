//! How states are packed: field after field, each in as many bits as it needs.

use proc_macro2::TokenStream;
use quote::quote;

use super::Generator;
use super::expr::{literal_of, rust_type, truncated};
use super::names::{count, literal};
use crate::analysis::layout::{self, Scalar, Size};
use crate::analysis::{Stored, bits};
use crate::model::{RecordId, SiteId, Type, VariableId};

/// Fields that fit in a register are collected there and written at once; positions in a register are constants.
const PART_BITS: u64 = 64;

/// Whether something of this size fits in a part.
pub fn fits_part(size: Size) -> bool {
    size.bits <= PART_BITS
}

/// A scalar of a variable: the path leads to it through the fields of records.
struct PackedField<'a> {
    generator: &'a Generator<'a>,
    variable: VariableId,
    path: Vec<u32>,
}

impl PackedField<'_> {
    fn scalar(&self) -> Scalar {
        let Generator { program, facts, .. } = self.generator;
        Scalar::holding(facts.ranges.variable(program.model, self.variable, &self.path))
    }

    /// The same for a field of the record that it is.
    fn field(&self, number: u32) -> Self {
        let path = self.path.iter().copied().chain([number]).collect();
        PackedField { path, ..*self }
    }
}

/// `writer.put(...)` for a variable of the state or of a process.
pub fn put_variable(generator: &Generator<'_>, owner: &TokenStream, id: VariableId) -> TokenStream {
    let variable = &generator.program.model.variables[id];
    if generator.facts.stored[id] != Stored::Yes {
        return TokenStream::new();
    }
    let name = generator.names.variable(id);
    let part = PackedField { generator, variable: id, path: Vec::new() };
    put_elements(&part, &quote! { #owner.#name }, variable.ty, variable.length)
}

fn put_elements(part: &PackedField<'_>, place: &TokenStream, ty: Type, length: Option<u32>) -> TokenStream {
    match (length, ty) {
        (None, Type::Record(record)) => put_fields(part, place, record),
        (None, scalar) => put_scalar(&quote! { writer }, place, scalar, part.scalar()),
        (Some(_), Type::Record(record)) => {
            let puts = put_fields(part, &quote! { element }, record);
            quote! { for element in &#place { #puts } }
        }
        (Some(_), _) => {
            let Scalar { bits, low } = part.scalar();
            let (bits, low) = (count(bits as usize), literal(low));
            quote! { writer.put_all(&#place, #low, #bits); }
        }
    }
}

fn put_fields(part: &PackedField<'_>, place: &TokenStream, record: RecordId) -> TokenStream {
    let generator = part.generator;
    let fields = (0..).zip(&generator.program.model.records[record].fields);
    let puts = fields.map(|(number, field)| {
        let name = generator.names.field(record, number);
        put_elements(&part.field(number), &quote! { #place.#name }, field.ty, field.length)
    });
    quote! { #(#puts)* }
}

/// Even without bits: debug builds check the value.
fn put_scalar(writer: &TokenStream, value: &TokenStream, ty: Type, Scalar { bits, low }: Scalar) -> TokenStream {
    let value = match (low, rust_type(ty)) {
        (0, "u8" | "bool") => quote! { u32::from(#value) },
        (0, "u32") => value.clone(),
        (0, _) => quote! { #value as u32 },
        (low, _) => {
            let low = literal(low);
            quote! { int(#value).wrapping_sub(#low) as u32 }
        }
    };
    let bits = count(bits as usize);
    quote! { #writer.put(#value, #bits); }
}

/// `name: reader.take(...)` for a variable. One that is not stored gets its initial value.
pub fn take_variable(generator: &Generator<'_>, id: VariableId) -> Option<TokenStream> {
    let variable = &generator.program.model.variables[id];
    if !generator.is_kept(id) {
        return None;
    }
    let name = generator.names.variable(id);
    let part = PackedField { generator, variable: id, path: Vec::new() };
    let value = match generator.facts.stored[id] {
        Stored::Yes => take_elements(&part, variable.ty, variable.length),
        Stored::Constant => generator.start(id),
        Stored::Hidden | Stored::Unread | Stored::FixedChannel => generator.blank(id),
    };
    Some(quote! { #name: #value, })
}

fn take_elements(part: &PackedField<'_>, ty: Type, length: Option<u32>) -> TokenStream {
    match (length, ty) {
        (None, Type::Record(record)) => take_fields(part, record),
        (None, scalar) => take_scalar(&quote! { reader }, scalar, part.scalar()),
        (Some(_), Type::Record(record)) => {
            let take = take_fields(part, record);
            quote! { std::array::from_fn(|_| #take) }
        }
        (Some(_), _) => {
            let Scalar { bits, low } = part.scalar();
            let (bits, low) = (count(bits as usize), literal(low));
            quote! { reader.take_all(#low, #bits) }
        }
    }
}

fn take_fields(part: &PackedField<'_>, record: RecordId) -> TokenStream {
    let generator = part.generator;
    let fields = (0..).zip(&generator.program.model.records[record].fields);
    let takes = fields.map(|(number, field)| {
        let name = generator.names.field(record, number);
        let value = take_elements(&part.field(number), field.ty, field.length);
        quote! { #name: #value, }
    });
    let name = generator.names.record(record);
    quote! { #name { #(#takes)* } }
}

fn take_scalar(reader: &TokenStream, ty: Type, Scalar { bits, low }: Scalar) -> TokenStream {
    if bits == 0 {
        return literal_of(ty, low);
    }
    let bits = count(bits as usize);
    match (ty, low) {
        (Type::Unsigned(_), 0) => quote! { #reader.take(#bits) },
        (Type::Bool, 0) => quote! { #reader.take(#bits) != 0 },
        (_, 0) => truncated(ty, &quote! { #reader.take(#bits) as i32 }),
        (_, low) => truncated(ty, &plus_signed(&quote! { #reader.take(#bits) as i32 }, low)),
    }
}

/// `value + 3` or `value - 3`
fn plus_signed(value: &TokenStream, number: i32) -> TokenStream {
    if number == i32::MIN {
        // An unsigned literal cannot be negative.
        return quote! { #value + i32::MIN };
    }
    let size = proc_macro2::Literal::u32_unsuffixed(number.unsigned_abs());
    if number < 0 {
        quote! { #value - #size }
    } else {
        quote! { #value + #size }
    }
}

/// `writer.put(...)` for each field of a `message` of a site.
fn put_message(generator: &Generator<'_>, id: SiteId, writer: &TokenStream) -> TokenStream {
    let puts = (0..).zip(&generator.program.model.sites[id].fields).map(|(number, ty)| {
        let scalar = Scalar::holding(generator.facts.ranges.message(id, number));
        let number = count(number as usize);
        put_scalar(writer, &quote! { message.#number }, *ty, scalar)
    });
    quote! { #(#puts)* }
}

/// A message of a site.
fn take_message(generator: &Generator<'_>, id: SiteId, reader: &TokenStream) -> TokenStream {
    let fields = &generator.program.model.sites[id].fields;
    let name = generator.message_type(fields);
    let takes = (0..)
        .zip(fields)
        .map(|(number, ty)| take_scalar(reader, *ty, Scalar::holding(generator.facts.ranges.message(id, number))));
    quote! { #name(#(#takes),*) }
}

/// Whether each message of a queue fits in a register, if the queue does not.
fn is_message_part(generator: &Generator<'_>, id: SiteId) -> bool {
    let (model, ranges) = (generator.program.model, &generator.facts.ranges);
    fits_part(layout::message_size(model, ranges, id)) && model.sites[id].fields.len() > 1
}

/// The messages in the queues of a site. A rendezvous channel has none.
pub fn put_queues(generator: &Generator<'_>, owner: &TokenStream, id: SiteId) -> TokenStream {
    let site = &generator.program.model.sites[id];
    if site.is_rendezvous() {
        return TokenStream::new();
    }
    let name = &generator.names.sites[id].field;
    let width = count(bits::for_numbers_below(u64::from(site.capacity) + 1) as usize);
    let (model, ranges) = (generator.program.model, &generator.facts.ranges);
    let put = |queue: &TokenStream| {
        if fits_part(layout::queue_size(model, ranges, id)) {
            let message = put_message(generator, id, &quote! { part });
            return quote! {
                let mut part = writer.part();
                part.put(#queue.len() as u32, #width);
                for message in #queue.messages() {
                    #message
                }
                writer.put_part(part);
            };
        }
        let put = if is_message_part(generator, id) {
            let message = put_message(generator, id, &quote! { part });
            quote! {
                let mut part = writer.part();
                #message
                writer.put_part(part);
            }
        } else {
            put_message(generator, id, &quote! { writer })
        };
        quote! {
            writer.put(#queue.len() as u32, #width);
            for message in #queue.messages() {
                #put
            }
        }
    };
    if generator.is_array(id) {
        let put = put(&quote! { queue });
        quote! { for queue in &#owner.#name { #put } }
    } else {
        put(&quote! { #owner.#name })
    }
}

pub fn take_queues(generator: &Generator<'_>, id: SiteId) -> Option<TokenStream> {
    let site = &generator.program.model.sites[id];
    let blank = generator.blank_queue(id)?;
    let name = &generator.names.sites[id].field;
    let width = count(bits::for_numbers_below(u64::from(site.capacity) + 1) as usize);
    let take = if fits_part(layout::queue_size(generator.program.model, &generator.facts.ranges, id)) {
        let message = take_message(generator, id, &quote! { part });
        quote! {
            {
                let mut part = reader.part();
                let mut queue = #blank;
                for _ in 0..part.take(#width) {
                    queue.send(#message);
                }
                reader.skip_part(part);
                queue
            }
        }
    } else {
        let take = if is_message_part(generator, id) {
            let message = take_message(generator, id, &quote! { part });
            quote! {
                let mut part = reader.part();
                queue.send(#message);
                reader.skip_part(part);
            }
        } else {
            let message = take_message(generator, id, &quote! { reader });
            quote! { queue.send(#message); }
        };
        quote! {
            {
                let mut queue = #blank;
                for _ in 0..reader.take(#width) {
                    #take
                }
                queue
            }
        }
    };
    let value = if generator.is_array(id) {
        quote! { std::array::from_fn(|_| #take) }
    } else {
        take
    };
    Some(quote! { #name: #value, })
}

/// The type of messages with these fields.
pub fn message(generator: &Generator<'_>, fields: &[Type]) -> TokenStream {
    let name = generator.message_type(fields);
    let types = fields.iter().map(|ty| generator.scalar_type(*ty));
    let numbers = fields.iter().enumerate().map(|(number, ty)| {
        let number = count(number);
        super::expr::as_int(*ty, &quote! { self.#number })
    });
    let n = count(fields.len());
    let values = generator.needs_message_values().then(|| {
        quote! {
            impl #name {
                /// The fields as 32-bit numbers.
                pub fn values(&self) -> [i32; #n] {
                    [#(#numbers),*]
                }
            }
        }
    });
    let display = generator.message_display(fields);
    quote! {
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
        pub struct #name(#(pub #types),*);
        #values
        #display
    }
}
