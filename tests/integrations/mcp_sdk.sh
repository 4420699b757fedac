#!/bin/sh
# Runs the MCP SDK's own client tests with the guarding proxy between their clients and their servers:
#     tests/integrations/mcp_sdk.sh [DIRECTORY]
# DIRECTORY keeps the environment and the SDK's tests; by default both are removed.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ $# -gt 0 ]; then
    home=$1
    mkdir -p "$home"
else
    home=$(mktemp -d)
    trap 'rm -rf "$home"' EXIT
fi
home=$(cd "$home" && pwd)
python="$home/env/bin/python"
[ -x "$python" ] || python3 -m venv "$home/env"
"$python" -m pip install --quiet --disable-pip-version-check -e "$root[mcp]" pytest pytest-xdist anyio trio \
    inline-snapshot dirty-equals logfire opentelemetry-sdk blockbuster coverage hatchling uv-dynamic-versioning
version=$("$python" -c 'from importlib.metadata import version; print(version("mcp"))')
if [ ! -d "$home/mcp-$version" ]; then
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-binary mcp \
        --dest "$home" "mcp==$version"
    tar -xzf "$home/mcp-$version.tar.gz" -C "$home"
fi
cd "$home/mcp-$version"
mkdir -p "$home/tmp"
echo "mcp $version, its tests/interaction and tests/client"
# Left out is what has no message between a client and a server: how the SDK starts and kills processes, how its tests
# play HTTP, and what one process hands from client to server beside the messages (exceptions, context variables).
TMPDIR="$home/tmp" PYTHONPATH="$root/tests/integrations" "$python" -m pytest -q -n 2 -p no:cacheprovider \
    -o addopts="-p anyio" -o log_cli=false -p mcp_proxied tests/interaction tests/client \
    --ignore tests/client/test_stdio.py --ignore tests/interaction/transports/test_bridge.py \
    --deselect tests/client/test_client.py::test_raise_exceptions_propagates_handler_error_on_modern_inproc_path \
    --deselect tests/client/test_client.py::test_context_propagation
