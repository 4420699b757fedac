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
