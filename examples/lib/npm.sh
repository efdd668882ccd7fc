# shellcheck shell=bash
# The packages of package-lock.json, in EXAMPLE_CACHE. Sourced by `setup`.

ROOT=$(cd "$(dirname "$0")/../.." && pwd)
here=$(cd "$(dirname "$0")" && pwd)

missing() { echo "$*" >&2; exit 75; }

if ! command -v npm >/dev/null; then
    "$ROOT/tools/setup.sh" --packages nodejs npm >&2 || missing "Node.js with npm (nodejs, npm)"
fi
# The oldest Node.js that does, of package.json.
oldest=$(sed -n 's/.*"node": ">=\(.*\)".*/\1/p' "$here/package.json")
node=$(node --version)
[ "$(printf '%s\n' "$oldest" "${node#v}" | sort -V | head -n 1)" = "$oldest" ] || missing "Node.js $oldest or newer; here is $node"

sum=$({ echo "$node"; cat "$here/package-lock.json"; } | sha256sum)
cd "$EXAMPLE_CACHE" || exit
if [ "$(cat node_modules/complete 2>/dev/null)" != "$sum" ]; then
    cp "$here/package.json" "$here/package-lock.json" .
    if ! said=$(npm ci --ignore-scripts --no-fund --no-audit 2>&1); then
        printf '%s\n' "$said" >&2
        # No registry, not a mistake in package-lock.json.
        ! grep -qE 'code (EAI_AGAIN|ENOTFOUND|ECONN[A-Z]*|E?TIMEDOUT|ENETUNREACH|EHOSTUNREACH)' <<<"$said" || missing "npm reaches no registry"
        exit 1
    fi
    echo "$sum" >node_modules/complete
fi
