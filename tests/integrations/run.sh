#!/bin/sh
# Makes an environment for each peer, installs it beside this package, and runs its tests there:
#     tests/integrations/run.sh [DIRECTORY]
# DIRECTORY keeps the environments; by default they are removed.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ $# -gt 0 ]; then
    home=$1
else
    home=$(mktemp -d)
    trap 'rm -rf "$home"' EXIT
fi
cd "$root"
for peer in gaico deepeval nl2flow; do
    bin="$home/$peer/bin"
    [ -x "$bin/python" ] || python3 -m venv "$home/$peer"
    "$bin/python" -m pip install --quiet --disable-pip-version-check pytest "$peer" -e "$root"
    "$bin/python" -m pip list --format=freeze | grep -i "^$peer="
    tests="tests/integrations/test_$peer.py"
    # Of the recorded inputs, those that are of pandas run only where it is installed.
    [ $peer = gaico ] && tests="$tests tests/metrics/test_metrics_gaico.py"
    # The project's options need a plugin that is not there.
    # shellcheck disable=SC2086
    "$bin/python" -m pytest --noconftest -o addopts= -o filterwarnings=default -p no:cacheprovider -q $tests
done
# The frameworks that a guard stands in, each by the name of its package and that of its test.
for pair in langchain:langchain openai-agents:openai_agents google-adk:google_adk pydantic-ai-slim:pydantic_ai mcp:mcp; do
    package=${pair%:*}
    bin="$home/$package/bin"
    [ -x "$bin/python" ] || python3 -m venv "$home/$package"
    "$bin/python" -m pip install --quiet --disable-pip-version-check pytest anyio "$package" -e "$root"
    "$bin/python" -m pip list --format=freeze | grep -i "^$package="
    "$bin/python" -m pytest --noconftest -o addopts= -o filterwarnings=default -p no:cacheprovider -q -m "" \
        tests/integrations/test_guard_"${pair#*:}"*.py
done
