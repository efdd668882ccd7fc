#!/usr/bin/env bash
# test.sh [RELEASE...]: tests the packages in bare systems of these releases of Debian and Ubuntu, with the distribution's
# PostgreSQL and without Rust, and the archive for PGXN on this machine.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/../suite.sh"
. "$(dirname "$0")/prepare.sh"
. "$(dirname "$0")/output.sh"

# The folder that packaging/cnpg/Dockerfile copies from the package, from which PostgreSQL 18 loads comb as from the volume of an image.
image() {
    local folder words from copies major=18
    . "$ROOT/tools/cluster.sh"
    "$PARTS/package.sh" $major
    PG_CONFIG=$("$ROOT/tools/setup.sh" $major)
    . "$ROOT/tools/private.sh"
    # It finds no other comb.
    env -u DESTDIR "$ROOT/tools/install.sh" --uninstall "$PG_CONFIG"
    cluster_start "$PG_CONFIG"
    folder=$CLUSTER/work/extensions/comb
    mkdir -p "$folder" "$CLUSTER/work/package" "$CLUSTER/work/archive"
    dpkg-deb -x "$OUTPUT/postgresql-$major-comb_$(package_version)-1_$(dpkg --print-architecture).deb" "$CLUSTER/work/package"
    mapfile -t copies < <(sed -n "s/\${PG_MAJOR}/$major/g; s/^COPY --from=builder //p" "$ROOT/packaging/cnpg/Dockerfile")
    for words in "${copies[@]}"; do
        mkdir -p "$folder${words#* }"
        # shellcheck disable=SC2086
        cp -r "$CLUSTER/work/package"${words% *} "$folder${words#* }"
    done
    tar -xzf "$OUTPUT"/comb-*-pg"$major-$(dpkg --print-architecture)".tar.gz -C "$CLUSTER/work/archive"
    for from in lib share; do diff -r "$folder/$from" "$CLUSTER/work/archive/$from"; done
    [ -s "$folder/licenses/postgresql-$major-comb/copyright" ]
    cluster_restart "extension_control_path=$folder/share:\$system" "dynamic_library_path=$folder/lib:\$libdir" shared_preload_libraries=comb
    sql -c "CREATE ROLE app LOGIN" -c "CREATE DATABASE app OWNER app"
    sql -U app -d app -f "$ROOT/packaging/pglayers/test.sql" | tee "$CLUSTER/work/said"
    [ "$(grep -c ^PASS "$CLUSTER/work/said")" = "$(wc -l <"$CLUSTER/work/said")" ]
    # In a parallel worker, which also loads the library.
    [ "$(sql -U app -d app -c "SET debug_parallel_query = on" -c "SELECT comb_timestamp('01890a5d-ac96-774b-bcce-b302099a8057') IS NOT NULL")" = t ]
    [ "$(sql -U app -d app -c "SELECT reason FROM comb_status()")" = "comb is in shared_preload_libraries" ]
}

# The archive for PGXN: make, make install and make installcheck in its folder, with a private PostgreSQL.
archive() {
    local target folder
    . "$ROOT/tools/cluster.sh"
    "$PARTS/dist.sh"
    "$ROOT/tools/setup.sh" --packages unzip
    PG_CONFIG=$("$ROOT/tools/setup.sh")
    # In the folder of the tests' own builds, which has the built crates.
    target=${CARGO_TARGET_DIR:-$ROOT/target}
    . "$ROOT/tools/private.sh"
    cluster_start "$PG_CONFIG"
    folder=$CLUSTER/work/comb-$COMB_VERSION
    unzip -q "$OUTPUT/comb-$COMB_VERSION.zip" -d "$CLUSTER/work"
    [ -f "$folder/META.json" ] || die "the archive has no META.json"
    for command in "" install installcheck; do
        CARGO_TARGET_DIR=$target step "make $command in the archive for PGXN" make --no-print-directory -C "$folder" PG_CONFIG="$PG_CONFIG" $command
    done
}

[ $# -gt 0 ] || set -- bookworm trixie forky noble resolute
for release; do
    major=$("$PARTS/bare.sh" major "$release")
    prepare "$release"
    suite "The package on $release, PostgreSQL $major" in_bare "$release" package/users.sh
done
suite "The folder of an image for PostgreSQL 18" image
suite "The archive for PGXN" archive

suites_end "the packages"
