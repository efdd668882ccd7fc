//! SQL functions that write ids as short text, and read them.

use crate::postgres::call::{Call, ascii, sql_function, uuid};
use crate::postgres::error::{Error, Name};
use crate::postgres::invalid_text::{Fault, InvalidText};
use comb_id::text_form::{BASE32_LENGTH, TextForm};
use comb_id::typeid::{self, TypeId};

/// An argument that names a text form.
fn form(call: Call, index: usize) -> Result<TextForm, Error> {
    let name = call.text(index);
    TextForm::labelled(name).ok_or(Error::UnknownTextForm(Name::of(name)))
}

fn invalid(text: &[u8], fault: Fault) -> Error {
    Error::InvalidText(InvalidText { text: Name::of(text), fault })
}

fn type_id(text: &[u8]) -> Result<TypeId<'_>, Error> {
    TypeId::parse(text).map_err(|fault| invalid(text, Fault::TypeId(fault)))
}

sql_function! {
    fn comb_encode(call) {
        Ok(ascii(form(call, 1)?.write(call.uuid(0), &mut [0; BASE32_LENGTH])))
    }
}

sql_function! {
    fn comb_decode(call) {
        let (text, form) = (call.text(0), form(call, 1)?);
        form.read(text).map(uuid).map_err(|fault| invalid(text, Fault::Form(form, fault)))
    }
}

sql_function! {
    fn comb_typeid(call) {
        let type_id = TypeId { prefix: call.text(0), id: call.uuid(1) };
        match type_id.write(&mut [0; typeid::LONGEST]) {
            Ok(text) => Ok(ascii(text)),
            Err(fault) => Err(invalid(type_id.prefix, Fault::Prefix(fault))),
        }
    }
}

sql_function! {
    fn comb_typeid_uuid(call) {
        Ok(uuid(type_id(call.text(0))?.id))
    }
}

sql_function! {
    /// The uuid of a TypeID that has this prefix.
    fn comb_typeid_uuid_prefix(call) {
        let (text, prefix) = (call.text(0), call.text(1));
        typeid::check_prefix(prefix).map_err(|fault| invalid(prefix, Fault::Prefix(fault)))?;
        let type_id = type_id(text)?;
        if type_id.prefix != prefix {
            let (wanted, found) = (Name::of(prefix), Name::of(type_id.prefix));
            return Err(invalid(text, Fault::OtherPrefix { wanted, found }));
        }
        Ok(uuid(type_id.id))
    }
}
