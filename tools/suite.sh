# shellcheck shell=bash
# Suites of tests, one after the other, and a summary of them all. Sourced after common.sh.

summary=()
failed=0

# suite NAME COMMAND...: runs it and goes on, whatever comes of it, unless somebody interrupted it.
suite() {
    local name=$1 begin=$SECONDS status=0
    shift
    say "$name"
    "$@" || status=$?
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
    [ $failed -eq 0 ] || die "$failed of ${#summary[@]} suites failed"
}
