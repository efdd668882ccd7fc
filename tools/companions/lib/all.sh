#!/usr/bin/env bash
# all.sh MAJOR PACKAGES NAME...: in a bare Debian, the distribution's packages (one word for each), comb's, and then each of
# these scripts of tools/companions/. What they share is lib/companion.sh.
set -euo pipefail
. "$(dirname "$0")/../../common.sh"
. "$ROOT/tools/suite.sh"
. "$ROOT/tools/package/testing.sh"

MAJOR=$1 PACKAGES=$2
shift 2
export PG_CONFIG=/usr/lib/postgresql/$MAJOR/bin/pg_config

install_packages() {
    # The scripts have servers of their own.
    mkdir -p /etc/postgresql-common/createcluster.d
    echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/comb.conf
    # shellcheck disable=SC2086
    apt install $PACKAGES "$(compgen -G "/comb/packages/postgresql-$MAJOR-comb_*.deb")" >/tmp/apt.log 2>&1 ||
        die "the packages are not installed" "$(tail -n 20 /tmp/apt.log)"
    # shellcheck disable=SC2016,SC2086
    dpkg-query -W -f '    ${Package} ${Version}\n' "postgresql-$MAJOR" "postgresql-$MAJOR-comb" $PACKAGES
}

say "Installing the packages of Debian and of comb"
install_packages
for name; do suite "$name" "$ROOT/tools/companions/$name.sh" "$PG_CONFIG"; done
suites_end "the companions of comb"
