//! SQL functions that write ids as short text, and read them.

use std::fmt::Display;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use crate::postgres::call::{Call, Parameter, Text, export};
use crate::postgres::report::{List, Report, report};
use comb_id::text_error::Explanation;
use comb_id::text_form::{BASE32_LENGTH, TEXT_FORMS, TextForm};
use comb_id::typeid::{self, InvalidPrefix, TypeId};
use uuid::Uuid;

export!(comb_encode, comb_decode, comb_typeid, comb_typeid_uuid, comb_typeid_uuid_prefix);

/// A text that names a text form.
impl Parameter for TextForm {
    unsafe fn read(call: Call, index: usize) -> Result<Self, Report> {
        // SAFETY: guaranteed by the caller.
        let name = unsafe { <&[u8]>::read(call, index)? };
        TextForm::labelled(name).ok_or_else(|| {
            let labels = List(TEXT_FORMS.iter().map(|form| form.label()));
            report!(ERRCODE_INVALID_PARAMETER_VALUE, "unrecognized text format: ")
                .quote(name)
                .hint(format_args!("The formats are {labels}."))
        })
    }
}

fn type_id(text: &[u8]) -> Result<TypeId<'_>, Report> {
    TypeId::parse(text).map_err(|error| invalid("TypeID", text).detail(error))
}

fn invalid(what: impl Display, text: &[u8]) -> Report {
    report!(ERRCODE_INVALID_TEXT_REPRESENTATION, "invalid {what}: ").quote(text)
}

fn invalid_prefix(prefix: &[u8], error: InvalidPrefix) -> Report {
    invalid("TypeID prefix", prefix).detail(error)
}

fn comb_encode(id: &Uuid, form: TextForm) -> Text {
    Text::of_ascii(form.write(*id, &mut [0; BASE32_LENGTH]))
}

fn comb_decode(text: &[u8], form: TextForm) -> Result<Uuid, Report> {
    form.read(text).map_err(|error| {
        let label = form.label();
        let explanation = Explanation { error: &error, label, begin: 1 };
        invalid(format_args!("{label} text"), text).detail(explanation)
    })
}

fn comb_typeid(prefix: &[u8], id: &Uuid) -> Result<Text, Report> {
    let type_id = TypeId { prefix, id: *id };
    match type_id.write(&mut [0; typeid::LONGEST]) {
        Ok(text) => Ok(Text::of_ascii(text)),
        Err(error) => Err(invalid_prefix(prefix, error)),
    }
}

fn comb_typeid_uuid(text: &[u8]) -> Result<Uuid, Report> {
    Ok(type_id(text)?.id)
}

/// The uuid of a TypeID that has this prefix.
fn comb_typeid_uuid_prefix(text: &[u8], prefix: &[u8]) -> Result<Uuid, Report> {
    typeid::check_prefix(prefix).map_err(|error| invalid_prefix(prefix, error))?;
    let type_id = type_id(text)?;
    if type_id.prefix != prefix {
        // Both prefixes are valid, and therefore ASCII.
        let [prefix, found] = [prefix, type_id.prefix].map(|prefix| str::from_utf8(prefix).unwrap_or_default());
        return Err(report!(ERRCODE_INVALID_TEXT_REPRESENTATION, "TypeID does not have prefix \"{prefix}\": ")
            .quote(text)
            .detail(format_args!("Its prefix is \"{found}\".")));
    }
    Ok(type_id.id)
}
