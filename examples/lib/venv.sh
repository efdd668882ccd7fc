# shellcheck shell=bash
# A virtual environment of Python with requirements.txt, in EXAMPLE_CACHE. Sourced by `setup`.

ROOT=$(cd "$(dirname "$0")/../.." && pwd)
requirements=$(dirname "$0")/requirements.txt
venv=$EXAMPLE_CACHE/venv

missing() { echo "$*" >&2; exit 75; }

if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    "$ROOT/tools/setup.sh" --packages python3 python3-venv >&2 || missing "Python with its module venv (python3-venv)"
fi
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || missing "Python 3.10 or newer"

sum=$({ python3 -c 'import sys; print(sys.version, sys.prefix)'; cat "$requirements"; } | sha256sum)
if [ "$(cat "$venv/complete" 2>/dev/null)" != "$sum" ]; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    if ! said=$("$venv/bin/pip" install --disable-pip-version-check --no-input --only-binary :all: -r "$requirements" 2>&1); then
        printf '%s\n' "$said" >&2
        # No index, not a mistake in requirements.txt.
        ! grep -qE 'Temporary failure in name resolution|Failed to establish a new connection|Connection refused|timed out|ProxyError' \
            <<<"$said" || missing "pip reaches no package index"
        exit 1
    fi
    echo "$sum" >"$venv/complete"
fi
