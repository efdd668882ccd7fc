#!/usr/bin/env bash
# rust.sh COMMAND...: runs a command with the Rust that the other scripts use: tools/rust.sh cargo test. It installs one where it is
# missing, as they do.
set -euo pipefail
. "$(dirname "$0")/common.sh"
"$ROOT/tools/setup.sh" --rust
use_rust
exec "$@"
