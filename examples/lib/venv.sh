# shellcheck shell=bash
# A virtual environment of Python with requirements.txt, in EXAMPLE_CACHE. Sourced by `setup`.

. "$(dirname "$0")/../lib/setup.sh"
venv=$EXAMPLE_CACHE/venv
python3 -c 'import ensurepip, venv' 2>/dev/null || packages python3 python3-venv
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || missing "Python 3.10 or newer"

sum=$({ python3 -c 'import sys; print(sys.version, sys.prefix)'; cat "$HERE/requirements.txt"; } | sha256sum)
if [ "$(cat "$venv/complete" 2>/dev/null)" != "$sum" ]; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    download 'Temporary failure in name resolution|Failed to establish a new connection|Connection refused|timed out|ProxyError' \
        "$venv/bin/pip" install --disable-pip-version-check --no-input --only-binary :all: -r "$HERE/requirements.txt"
    echo "$sum" >"$venv/complete"
fi
