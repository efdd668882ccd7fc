#!/usr/bin/env bash
# companions.sh MAJOR BUILT_IN TESTS PACKAGES [NAME...]: in a bare Debian, installs the distribution's PACKAGES (one argument) and
# that of comb, and runs the program /comb/TESTS, built from sources in BUILT_IN: all tests, or those of these files.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/testing.sh"

MAJOR=$1 BUILT_IN=$2 TESTS=$3 PACKAGES=$4
shift 4

say "Installing the packages of Debian and of comb"
# The tests start their servers.
mkdir -p /etc/postgresql-common/createcluster.d
echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/comb.conf
# shellcheck disable=SC2086
apt install $PACKAGES "$(compgen -G "/comb/packages/postgresql-$MAJOR-comb_*.deb")"
# shellcheck disable=SC2016,SC2086
dpkg-query -W -f '    ${Package} ${Version}\n' "postgresql-$MAJOR" "postgresql-$MAJOR-comb" $PACKAGES

# The tests read the pages there.
mkdir -p "$(dirname "$BUILT_IN")"
[ -e "$BUILT_IN" ] || ln -s "$ROOT" "$BUILT_IN"
export PG_CONFIG=/usr/lib/postgresql/$MAJOR/bin/pg_config RUST_TEST_THREADS=2
# For two loads, one after the other.
export COMB_TEST_SECONDS=12
"/comb/$TESTS" --include-ignored "${@/%/::}"
