# shellcheck shell=bash
# Two transactions and two readers of one table, each in a session that stays open: which rows a reader skips, and why.
# Sourced after cluster.sh.

declare -A SESSION_IN=() SESSION_OUT=()

open_session() {
    local name=$1 in out
    mkfifo "$CLUSTER/work/$name.in" "$CLUSTER/work/$name.out"
    "$BIN/psql" -X -q -P format=unaligned -P pager=off <"$CLUSTER/work/$name.in" >"$CLUSTER/work/$name.out" 2>&1 &
    exec {in}>"$CLUSTER/work/$name.in" {out}<"$CLUSTER/work/$name.out"
    SESSION_IN[$name]=$in SESSION_OUT[$name]=$out
}

# ask SESSION STATEMENT: prints the answer.
ask() {
    local line
    printf '%s\n\\echo end of answer\n' "$2" >&"${SESSION_IN[$1]}"
    while IFS= read -r line <&"${SESSION_OUT[$1]}" && [ "$line" != "end of answer" ]; do printf '%s\n' "$line"; done
}

# reader_walk PRINT: calls PRINT SESSION STATEMENT ANSWER for each step.
reader_walk() {
    local print=$1 name poll horizon cursor_answer horizon_answer
    sql -c "CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT comb_tracked(), body text)"
    for name in A B cursor horizon; do
        open_session "$name"
        ask "$name" "SELECT '00000000-0000-0000-0000-000000000000' AS cursor, comb_horizon() \gset" >/dev/null
    done
    poll="SELECT body FROM outbox
WHERE id > :'cursor'
ORDER BY id;"
    horizon="SELECT body FROM outbox
WHERE id > :'cursor'
  AND id < comb_horizon()
ORDER BY id;"

    step_of A "BEGIN;"
    step_of A "INSERT INTO outbox (body)
VALUES ('A');"
    step_of B "INSERT INTO outbox (body)
VALUES ('B');"
    step_of cursor "$poll"
    # Each reader remembers the key of the last row that it got.
    ask cursor "SELECT id AS cursor FROM outbox \gset"
    step_of horizon "$horizon"
    step_of A "COMMIT;"
    step_of cursor "$poll"
    cursor_answer=$answer
    step_of horizon "$horizon"
    horizon_answer=$answer
    [ "$cursor_answer$horizon_answer" = $'body\n(0 rows)body\nA\nB\n(2 rows)' ] ||
        die "the readers got other rows than the demo says" "$cursor_answer" "$horizon_answer"
}
step_of() {
    answer=$(ask "$1" "$2")
    "$print" "$1" "$2" "$answer"
}

# --- As a picture -----------------------------------------------------------------------------------

# svg_begin, svg_step SESSION STATEMENT ANSWER, svg_end: a column for each session, and time goes down.
declare -A COLUMN=([A]=0 [B]=1 [cursor]=2 [horizon]=3)
WIDTH=224 LINE=17
svg_begin() { y=2 pair='' body=''; }
svg_text() {
    local text
    text=$(sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' <<<"$4")
    body+="<text x=\"$((COLUMN[$1] * WIDTH + 14))\" y=\"$((24 + $2 * LINE))\" class=\"$3\">$text</text>"$'\n'
}
svg_step() {
    local line top=$y
    # Both readers poll at the same time.
    if [ "$1" = horizon ]; then top=$pair; fi
    pair=$top
    while IFS= read -r line; do svg_text "$1" "$((top++))" command "$line"; done <<<"$2"
    if [ -n "$3" ]; then
        while IFS= read -r line; do svg_text "$1" "$((top++))" answer "$line"; done <<<"$3"
    fi
    if [ "$top" -gt "$y" ]; then y=$top; fi
}
svg_end() {
    local height name titles=([0]="transaction A" [1]="transaction B" [2]="reader: id > cursor" [3]="reader: comb_horizon()")
    svg_text cursor "$y" lost "-- A is skipped"
    svg_text horizon "$y" found "-- A and B, in order"
    height=$((24 + (y + 1) * LINE))
    for name in "${!COLUMN[@]}"; do svg_text "$name" 0 title "${titles[COLUMN[$name]]}"; done
    cat <<END
<svg xmlns="http://www.w3.org/2000/svg" width="$((4 * WIDTH))" height="$height" viewBox="0 0 $((4 * WIDTH)) $height" role="img">
<title>Transaction A gets its key first and commits last. The reader with id &gt; cursor skips its row; the reader with comb_horizon() does not.</title>
<style>text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#c9d1d9}.title{font-weight:bold;fill:#fff}.command{fill:#79c0ff}.lost{fill:#ff7b72}.found{fill:#7ee787}</style>
<rect width="100%" height="100%" rx="8" fill="#161b22"/>
$(for name in 1 2 3; do echo "<path d=\"M$((name * WIDTH)) 12V$((height - 12))\" stroke=\"#30363d\"/>"; done)
$body</svg>
END
}
