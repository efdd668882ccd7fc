# shellcheck shell=bash
# Where what people get is put together. Sourced after common.sh.

OUTPUT=$ROOT/target/package

# The moment that everything made of these sources bears: that of the last commit; where this is no clone, of its files.
source_date() {
    if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
        echo "$SOURCE_DATE_EPOCH"
    elif is_clone; then
        git -C "$ROOT" log -1 --format=%ct
    else
        stat -c %Y "$ROOT/Cargo.toml"
    fi
}
# Not of a clone that it happens to lie in.
is_clone() { [ "$(git -C "$ROOT" rev-parse --show-toplevel 2>/dev/null)" = "$ROOT" ]; }

# deliver FILE...: puts them there, beside the sums of all.
deliver() {
    local file
    mkdir -p "$OUTPUT"
    for file; do
        install -m 644 "$file" "$OUTPUT/.new"
        mv "$OUTPUT/.new" "$OUTPUT/${file##*/}"
        say "Made target/package/${file##*/}"
    done
    (cd "$OUTPUT" && find . -maxdepth 1 -type f -name '*comb*' | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
}
