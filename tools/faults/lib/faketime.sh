# shellcheck shell=bash
# Servers whose system clock a test can set, while they run. Sourced after fault.sh.
#
# libfaketime answers in libc's place when a process of the server asks for CLOCK_REALTIME: the time, moved
# by what a file says. CLOCK_MONOTONIC is as it is, as on a machine whose clock somebody sets.

FAKETIME=$("$ROOT/tools/setup.sh" --libfaketime)

# set_clock TIME [FOLDER]: the clock of the server of that data folder.
set_clock() { "$LIB/set_clock.sh" "$CLUSTER/work/${2:-data}.clock" "$1"; }

# clocked_up [FOLDER]: cluster_up, with the clock as set_clock says or will say.
clocked_up() {
    local folder=${1:-data}
    local clock=$CLUSTER/work/$folder.clock launched=$CLUSTER/work/$folder.launched
    [ -e "$clock" ] || set_clock +0 "$folder"
    # pg_ctl has the same clock, else it would take the server's pid file for one of the past.
    SERVER_LAUNCHER=(sh -c 'echo $$ >"$0" && exec env "$@"' "$launched" LD_PRELOAD="$FAKETIME"
        FAKETIME_TIMESTAMP_FILE="$clock" FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1)
    cluster_up "$folder"
    # What libfaketime shares between processes has the number of the first in its name, and would stay
    # when all of them are gone. The server's processes have it open.
    rm -f /dev/shm/*faketime_*_"$(cat "$launched")"
}

# clocked_start [SETTING=VALUE...]: server_start, so that the clock can be set. By psql, too:
#   \! $SET_CLOCK -3600
clocked_start() {
    server_create "$@"
    export SET_CLOCK="$LIB/set_clock.sh $CLUSTER/work/data.clock"
    clocked_up
    sql -c "CREATE EXTENSION comb"
}
