# shellcheck shell=bash
# Suites of tests, one after the other, and a summary of them all. Sourced after common.sh.

summary=()
failed=0

# suite NAME COMMAND...: runs it and goes on, whatever comes of it.
suite() {
    local name=$1 begin=$SECONDS
    shift
    say "$name"
    if "$@"; then
        summary+=("passed  $name ($((SECONDS - begin)) s)")
    else
        summary+=("FAILED  $name ($((SECONDS - begin)) s)")
        failed=$((failed + 1))
    fi
}

# suites_end TITLE: the summary; ends the script with an error if a suite failed.
suites_end() {
    echo
    say "$1:"
    printf '    %s\n' "${summary[@]}"
    [ $failed -eq 0 ] || die "$failed of ${#summary[@]} suites failed"
}
