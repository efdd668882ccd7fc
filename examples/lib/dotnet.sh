# shellcheck shell=bash
# The SDK of .NET, and a build of the project. Sourced by `setup`.

. "$(dirname "$0")/../lib/setup.sh"
command -v dotnet >/dev/null && dotnet --list-sdks | grep -qE '^(1[0-9]|[2-9][0-9])\.' || missing "the SDK of .NET 10 or newer"
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
download 'NU1301|Unable to load the service index|Name or service not known|Connection refused|timed out' \
    dotnet build "$HERE" --configuration Release --artifacts-path "$EXAMPLE_CACHE/artifacts"
