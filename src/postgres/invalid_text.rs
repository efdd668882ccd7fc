//! The errors of text that is no id: what is wrong with it, and where.

use std::fmt;

use pgrx::pg_sys::errcodes::PgSqlErrorCode;

use super::error::{Name, Report};
use super::text::Text;
use comb_id::bsv::BsvError;
use comb_id::text_form::{BASE32_LENGTH, Malformed, TextForm};
use comb_id::typeid::{InvalidPrefix, InvalidTypeId, LONGEST_PREFIX};

/// An argument that is no id, or no prefix of one.
pub struct InvalidText {
    pub text: Name,
    pub fault: Fault,
}

pub enum Fault {
    Form(TextForm, Malformed),
    TypeId(InvalidTypeId),
    Prefix(InvalidPrefix),
    /// A TypeID with another prefix. Both prefixes are ASCII.
    OtherPrefix {
        wanted: Name,
        found: Name,
    },
}

fn invalid_text() -> Report {
    Report::new(PgSqlErrorCode::ERRCODE_INVALID_TEXT_REPRESENTATION)
}

pub fn bsv(fault: &BsvError) -> Report {
    match *fault {
        BsvError::Length(length) => invalid_text()
            .message(format_args!("invalid length of BSV COMB: {length}"))
            .detail(Text::of(format_args!("A BSV COMB has 32 characters."))),
        BsvError::Character { byte, position } => match byte {
            b' '..=b'~' => invalid_text().message(format_args!(
                "invalid character \"{}\" at position {position} of BSV COMB",
                char::from(byte)
            )),
            _ => invalid_text().message(format_args!(
                "invalid byte 0x{byte:02x} at position {position} of BSV COMB"
            )),
        }
        .detail(Text::of(format_args!(
            "A BSV COMB consists of \"$\", \"-\", digits, and letters from A to Z and from a to z."
        ))),
    }
}

impl InvalidText {
    pub fn report(self) -> Report {
        let report = invalid_text().quoting(self.text);
        match self.fault {
            Fault::Form(form, fault) => report
                .message(format_args!("invalid {} text", form.label()))
                .detail(malformed(&fault, form.label(), 1)),
            Fault::TypeId(fault) => {
                report.message(format_args!("invalid TypeID")).detail(match fault {
                    InvalidTypeId::Prefix(fault) => invalid_prefix(&fault),
                    InvalidTypeId::NoPrefix => Text::of(format_args!(
                        "Character 1 is an underscore, but there is no prefix before it."
                    )),
                    InvalidTypeId::Suffix { fault, position } => {
                        malformed(&fault, "TypeID", position)
                    }
                })
            }
            Fault::Prefix(fault) => {
                report.message(format_args!("invalid TypeID prefix")).detail(invalid_prefix(&fault))
            }
            Fault::OtherPrefix { wanted, found } => report
                .message(format_args!("TypeID does not have prefix \"{}\"", wanted.ascii()))
                .detail(Text::of(format_args!("Its prefix is \"{}\".", found.ascii()))),
        }
    }
}

/// What is wrong with a text, or with the suffix that begins at that character of a TypeID.
fn malformed(fault: &Malformed, label: &str, begin: usize) -> Text<256> {
    let at = |position: usize| begin + position - 1;
    match *fault {
        Malformed::Length { found, least, most } => {
            let mut text = Text::of(format_args!(
                "The length{} is {found}",
                if begin > 1 { " of the suffix" } else { "" }
            ));
            if least == most {
                text.add(format_args!(" instead of {most}."));
            } else {
                text.add(format_args!("; it must be from {least} to {most}."));
            }
            text
        }
        Malformed::Character { byte, position } => Text::of(format_args!(
            "Character {}{} is not in the alphabet of {label}.",
            at(position),
            Shown(byte)
        )),
        Malformed::Overflow => Text::of(format_args!("The value has more than 128 bits.")),
        Malformed::FirstCharacter => Text::of(format_args!(
            "The value has more than 128 bits: character {} is greater than \"7\".",
            at(1)
        )),
        Malformed::TrailingBits => Text::of(format_args!(
            "Character {} has bits after the 128 bits of a UUID, which are not zero.",
            at(BASE32_LENGTH)
        )),
    }
}

fn invalid_prefix(fault: &InvalidPrefix) -> Text<256> {
    match *fault {
        InvalidPrefix::Length(found) => Text::of(format_args!(
            "The length of the prefix is {found}; it must not exceed {LONGEST_PREFIX}."
        )),
        InvalidPrefix::Character { byte, position } => Text::of(format_args!(
            "Character {position}{} of the prefix is neither a letter from a to z nor an underscore.",
            Shown(byte)
        )),
        InvalidPrefix::Underscore { position } => Text::of(format_args!(
            "Character {position} is an underscore, but a prefix begins and ends with a letter."
        )),
    }
}

/// A character in parentheses if it is one that can be shown in every encoding.
struct Shown(u8);

impl fmt::Display for Shown {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
            b' '..=b'~' => write!(to, " (\"{}\")", char::from(self.0)),
            _ => Ok(()),
        }
    }
}
