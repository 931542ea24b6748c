//! How states are packed: field after field, each in as many bits as it needs.

use proc_macro2::TokenStream;
use quote::quote;

use super::Generator;
use super::expr::{cut, rust_type};
use super::names::count;
use crate::analysis::layout::{self, Size};
use crate::analysis::{Stored, bits};
use crate::model::{RecordId, SiteId, Type, VariableId};

/// Fields that fit in a register are gathered there and written at once; places in a register are constants.
const PART_BITS: u64 = 64;

/// Whether something of this size, in the form in which this model's states are stored, fits in a part.
pub fn fits_part(generator: &Generator<'_>, size: Size) -> bool {
    let is_fixed = generator.facts.layout.total_bits.is_some();
    let bits = if is_fixed { size.bits } else { size.bytes.saturating_mul(8) };
    bits <= PART_BITS
}

/// `writer.put(...)` for a variable of the state or of a process.
pub fn put_variable(generator: &Generator<'_>, owner: &TokenStream, id: VariableId) -> TokenStream {
    let variable = &generator.program.model.variables[id];
    if generator.facts.stored[id] != Stored::Yes {
        return TokenStream::new();
    }
    let name = generator.names.variable(id);
    put_elements(&quote! { #owner.#name }, variable.ty, variable.length)
}

fn put_elements(place: &TokenStream, ty: Type, length: Option<u32>) -> TokenStream {
    match (length, ty.element()) {
        (None, _) => put_one(place, ty),
        (Some(_), Type::Record(_)) => quote! { for element in &#place { element.pack(writer); } },
        (Some(_), scalar) => {
            let width = count(bits::of_type(scalar) as usize);
            quote! { writer.put_all(&#place, #width); }
        }
    }
}

fn put_one(value: &TokenStream, ty: Type) -> TokenStream {
    match ty {
        Type::Record(_) => quote! { #value.pack(writer); },
        scalar => {
            let width = count(bits::of_type(scalar) as usize);
            let value = match rust_type(scalar) {
                "u8" => quote! { u32::from(#value) },
                "u32" => value.clone(),
                _ => quote! { #value as u32 },
            };
            quote! { writer.put(#value, #width); }
        }
    }
}

/// `name: reader.take(...)` for a variable. One that is not stored starts anew.
pub fn take_variable(generator: &Generator<'_>, id: VariableId) -> Option<TokenStream> {
    let variable = &generator.program.model.variables[id];
    if !generator.is_kept(id) {
        return None;
    }
    let name = generator.names.variable(id);
    let value = match generator.facts.stored[id] {
        Stored::Yes => take_elements(generator, variable.ty, variable.length),
        Stored::Constant => generator.start(id),
        Stored::Hidden | Stored::Unread | Stored::FixedChannel => generator.blank(id),
    };
    Some(quote! { #name: #value, })
}

fn take_elements(generator: &Generator<'_>, ty: Type, length: Option<u32>) -> TokenStream {
    match length {
        None => take_one(generator, ty),
        Some(_) => match ty.element() {
            record @ Type::Record(_) => {
                let take = take_one(generator, record);
                quote! { std::array::from_fn(|_| #take) }
            }
            scalar => {
                let width = count(bits::of_type(scalar) as usize);
                quote! { reader.take_all(#width) }
            }
        },
    }
}

fn take_one(generator: &Generator<'_>, ty: Type) -> TokenStream {
    match ty {
        Type::Record(record) => {
            let record = generator.names.record(record);
            quote! { #record::unpack(reader) }
        }
        scalar => {
            let width = count(bits::of_type(scalar) as usize);
            match scalar {
                Type::Unsigned(_) => quote! { reader.take(#width) },
                _ => cut(scalar, &quote! { reader.take(#width) as i32 }),
            }
        }
    }
}

/// The two functions of a record.
pub fn record(generator: &Generator<'_>, id: RecordId) -> TokenStream {
    let fields = &generator.program.model.records[id].fields;
    let puts = fields.iter().zip(0..).map(|(field, number)| {
        let name = generator.names.field(id, number);
        put_elements(&quote! { self.#name }, field.ty, field.length)
    });
    let takes = fields.iter().zip(0..).map(|(field, number)| {
        let name = generator.names.field(id, number);
        let value = take_elements(generator, field.ty, field.length);
        quote! { #name: #value, }
    });
    quote! {
        pub fn pack(&self, writer: &mut impl Writer) {
            #(#puts)*
        }
        pub fn unpack(reader: &mut impl Reader) -> Self {
            Self { #(#takes)* }
        }
    }
}

/// The messages in the queues of a site. A rendezvous channel has none.
pub fn put_queues(generator: &Generator<'_>, owner: &TokenStream, id: SiteId) -> TokenStream {
    let site = &generator.program.model.sites[id];
    if site.capacity == 0 {
        return TokenStream::new();
    }
    let name = &generator.names.sites[id].field;
    let width = count(bits::for_numbers_below(u64::from(site.capacity) + 1) as usize);
    let put = |queue: &TokenStream| {
        if fits_part(generator, layout::queue_size(site)) {
            return quote! {
                let mut part = writer.part();
                part.put(#queue.len() as u32, #width);
                for message in #queue.messages() {
                    message.pack(&mut part);
                }
                writer.put_part(part);
            };
        }
        let pack = if fits_part(generator, layout::message_size(site)) && site.fields.len() > 1 {
            quote! {
                let mut part = writer.part();
                message.pack(&mut part);
                writer.put_part(part);
            }
        } else {
            quote! { message.pack(writer); }
        };
        quote! {
            writer.put(#queue.len() as u32, #width);
            for message in #queue.messages() {
                #pack
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
    let message = generator.message_type(&site.fields);
    let take = if fits_part(generator, layout::queue_size(site)) {
        quote! {
            {
                let mut part = reader.part();
                let mut queue = #blank;
                for _ in 0..part.take(#width) {
                    queue.send(#message::unpack(&mut part));
                }
                reader.skip_part(part);
                queue
            }
        }
    } else {
        quote! {
            {
                let mut queue = #blank;
                for _ in 0..reader.take(#width) {
                    queue.send(#message::unpack(reader));
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

/// The type of messages with these fields, with its packing.
pub fn message(generator: &Generator<'_>, fields: &[Type]) -> TokenStream {
    let name = generator.message_type(fields);
    let types = fields.iter().map(|ty| generator.scalar_type(*ty));
    let puts = fields.iter().enumerate().map(|(number, ty)| {
        let number = count(number);
        put_one(&quote! { self.#number }, *ty)
    });
    let takes = fields.iter().map(|ty| take_one(generator, *ty));
    let numbers = fields.iter().enumerate().map(|(number, ty)| {
        let number = count(number);
        super::expr::as_int(*ty, &quote! { self.#number })
    });
    let n = count(fields.len());
    let values = generator.needs_message_values().then(|| {
        quote! {
            /// The fields as 32-bit numbers.
            pub fn values(&self) -> [i32; #n] {
                [#(#numbers),*]
            }
        }
    });
    let display = generator.message_display(fields);
    quote! {
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
        pub struct #name(#(pub #types),*);
        impl #name {
            pub fn pack(&self, writer: &mut impl Writer) {
                #(#puts)*
            }
            pub fn unpack(reader: &mut impl Reader) -> Self {
                Self(#(#takes),*)
            }
            #values
        }
        #display
    }
}
