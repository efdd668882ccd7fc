#!/usr/bin/env bash
# Many connections make ids at once: none is made twice, and none is below one that was committed before.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/order.sh"

server_start synchronous_commit=off
order_table made
order_load made "comb_new()" "$DURATION" "$CONNECTIONS" && loaded=t || loaded=f
# pgbench ends with an error when a client does, as by an id that is there.
fact "$CONNECTIONS connections make $(order_rows made) ids, and no id twice" "$loaded"
fact "every id is above those that were committed before it" "$(sql -c "SELECT $(order_inversions made) = 0")"

# Once, and not for long: it is there to be seen, not to be tested.
if [ "$MAJOR" -ge 18 ] && [ "$SHARING" = preloaded ]; then
    order_table made_by_uuidv7
    order_load made_by_uuidv7 "uuidv7()" $((DURATION < 60 ? DURATION : 60)) "$CONNECTIONS"
    echo "PostgreSQL's own uuidv7() beside it: $(order_rows made_by_uuidv7) ids," \
        "$(order_inversions made_by_uuidv7) of them not above those that were committed before"
fi
finish
