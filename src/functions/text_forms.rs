//! SQL functions that write ids as short text, and read them.

use std::fmt::Display;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use crate::postgres::call::{Call, ascii, sql_functions, uuid};
use crate::postgres::report::{List, Report, report};
use comb_id::text_error::Explanation;
use comb_id::text_form::{BASE32_LENGTH, TEXT_FORMS, TextForm};
use comb_id::typeid::{self, InvalidPrefix, TypeId};

/// An argument that names a text form.
fn form(call: Call, index: usize) -> Result<TextForm, Report> {
    let name = call.text(index);
    TextForm::labelled(name).ok_or_else(|| {
        let labels = List(TEXT_FORMS.iter().map(|form| form.label()));
        report!(ERRCODE_INVALID_PARAMETER_VALUE, "unrecognized text format: ")
            .quote(name)
            .hint(format_args!("The formats are {labels}."))
    })
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

sql_functions! {
    fn comb_encode(call) {
        Ok(ascii(form(call, 1)?.write(call.uuid(0), &mut [0; BASE32_LENGTH])))
    }

    fn comb_decode(call) {
        let (text, form) = (call.text(0), form(call, 1)?);
        form.read(text).map(uuid).map_err(|error| {
            let label = form.label();
            let explanation = Explanation { error: &error, label, begin: 1 };
            invalid(format_args!("{label} text"), text).detail(explanation)
        })
    }

    fn comb_typeid(call) {
        let type_id = TypeId { prefix: call.text(0), id: call.uuid(1) };
        match type_id.write(&mut [0; typeid::LONGEST]) {
            Ok(text) => Ok(ascii(text)),
            Err(error) => Err(invalid_prefix(type_id.prefix, error)),
        }
    }

    fn comb_typeid_uuid(call) {
        Ok(uuid(type_id(call.text(0))?.id))
    }

    /// The uuid of a TypeID that has this prefix.
    fn comb_typeid_uuid_prefix(call) {
        let (text, prefix) = (call.text(0), call.text(1));
        typeid::check_prefix(prefix).map_err(|error| invalid_prefix(prefix, error))?;
        let type_id = type_id(text)?;
        if type_id.prefix != prefix {
            // Both are ASCII, as prefixes are.
            let [prefix, found] = [prefix, type_id.prefix].map(|prefix| str::from_utf8(prefix).unwrap_or_default());
            return Err(report!(ERRCODE_INVALID_TEXT_REPRESENTATION, "TypeID does not have prefix \"{prefix}\": ")
                .quote(text)
                .detail(format_args!("Its prefix is \"{found}\".")));
        }
        Ok(uuid(type_id.id))
    }
}
