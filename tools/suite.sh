# shellcheck shell=bash
# Suites of tests, one after the other, and a summary of them all. Sourced after common.sh. SUITES: how many there are.

summary=()
failed=0

# suite NAME COMMAND...: runs it and goes on, whatever comes of it, unless somebody interrupted it. In a process of
# its own, which ends at the first command that fails and stops the server that it has started.
suite() {
    local name=$1 begin=$SECONDS status
    shift
    say "${SUITES:+Suite $((${#summary[@]} + 1)) of $SUITES: }$name"
    # Not before `||`, where bash would let a function go on after a command of it failed.
    set +e
    (
        set -e
        "$@"
    )
    status=$?
    set -e
    case $status in
        0) summary+=("passed  $name ($((SECONDS - begin)) s)") ;;
        # How the scripts here end after Ctrl-C or a kill.
        130 | 143) exit $status ;;
        *)
            summary+=("FAILED  $name ($((SECONDS - begin)) s)")
            failed=$((failed + 1))
            ;;
    esac
}

# suites_end TITLE: the summary; ends the script with an error if a suite failed.
suites_end() {
    echo
    say "$1:"
    printf '    %s\n' "${summary[@]}"
    [ -z "${COMB_NOT_TESTED:-}" ] || sort -u "$COMB_NOT_TESTED" | sed 's/^/    skipped /'
    [ $failed -eq 0 ] || die "$failed of ${#summary[@]} suites failed"
}
