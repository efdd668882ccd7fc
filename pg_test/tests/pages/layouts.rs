//! The pages that list the layouts have all of them.

use comb_id::byte_order::ByteOrder;
use comb_id::layouts::LAYOUTS;
use pg_test::pages::Page;

#[test]
fn each_layout_is_listed() {
    let reference = Page::read("docs/reference.md").text;
    let other_keys = Page::read("docs/other-keys.md").text;
    let mut missing = Vec::new();
    for layout in &LAYOUTS {
        let (label, order) = (layout.label, layout.order.label());
        if !reference.lines().any(|line| line.split(' ').next() == Some(label)) {
            missing.push(format!("docs/reference.md: the bits of {label}"));
        }
        let row = format!("| `{order}` |");
        let mut rows = reference.lines().filter(|line| line.starts_with(&row));
        let cell = format!("`{label}`");
        if layout.order != ByteOrder::Postgres && !rows.any(|row| row.contains(&cell)) {
            missing.push(format!("docs/reference.md: {label} in byte order {order}"));
        }
        let output = format!("--  {label:20} | {}", layout.known_as);
        if !other_keys.lines().any(|line| line == output) {
            missing.push(format!("docs/other-keys.md: {output}"));
        }
    }
    assert!(missing.is_empty(), "missing:\n{}", missing.join("\n"));
}
