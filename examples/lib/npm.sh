# shellcheck shell=bash
# Installs the packages of package-lock.json in EXAMPLE_CACHE. Sourced by `setup`.

. "$(dirname "$0")/../lib/setup.sh"
command -v npm >/dev/null || packages nodejs npm
# The oldest Node.js that package.json accepts.
oldest=$(sed -n 's/.*"node": ">=\(.*\)".*/\1/p' "$HERE/package.json")
node=$(node --version)
[ "$(printf '%s\n' "$oldest" "${node#v}" | sort -V | head -n 1)" = "$oldest" ] || missing "Node.js $oldest or newer; here is $node"

sum=$({ echo "$node"; cat "$HERE/package-lock.json"; } | sha256sum)
cd "$EXAMPLE_CACHE" || exit
if [ "$(cat node_modules/complete 2>/dev/null)" != "$sum" ]; then
    cp "$HERE/package.json" "$HERE/package-lock.json" .
    download 'code (EAI_AGAIN|ENOTFOUND|ECONN[A-Z]*|E?TIMEDOUT|ENETUNREACH|EHOSTUNREACH)' \
        npm ci --ignore-scripts --no-fund --no-audit
    echo "$sum" >node_modules/complete
fi
