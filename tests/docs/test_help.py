"""The help of every command shows an example, and each example runs."""

from __future__ import annotations

import argparse
import re
import shlex
import signal
import subprocess
import time
from importlib import import_module
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.support.depth import deep, some
from tests.support.places import ROOT
from tests.support.serving import free_port, programmed
from validator.cli import COMMANDS
from validator.commands.grading.eval import SUITES, add_suite

NAMES = [name for name in COMMANDS if name != "eval"] + [f"eval {name}" for name in SUITES]
_SUITES = ("acpbench", "goal-interpretation", "subgoal-decomposition", "planbench", "transition-modeling")
NEED_DATA = frozenset(("generate-prompts", *(f"eval {name}" for name in _SUITES)))
"""commands that read nothing but their benchmark's own files"""

SERVERS = {"mcp": "/mcp", "serve": "/health"}
"""commands that run until they are ended, and what they answer at"""

pytestmark = pytest.mark.planner


def example(name: str) -> list[str]:
    parser = argparse.ArgumentParser(prog=f"plan-validator {name}")
    suite = name.removeprefix("eval ")
    if suite != name:
        add_suite(suite, parser)
    else:
        import_module(f"validator.commands.{COMMANDS[name][0]}.{name.replace('-', '_')}").add_arguments(parser)
    shown = parser.format_help().partition("\nexample:\n")[2].splitlines()
    assert f"plan-validator {name} " in "\n".join(shown)
    return [line.removeprefix("  ") for line in shown]


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return variables under which a shell finds the program, and stand in a directory with the bundled models."""
    place = tmp_path / "place"
    place.mkdir()
    (place / "domains").symlink_to(ROOT / "domains")
    monkeypatch.chdir(place)
    return programmed(tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("name", some((name for name in NAMES if name not in NEED_DATA | SERVERS.keys()), 6))
def test_an_example_runs(name: str, environment: dict[str, str]) -> None:
    for line in example(name):
        whole = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
        done = subprocess.run(["bash", "-c", line], env=environment, check=False, **whole)
        assert done.returncode in (0, 1), f"{line}\n{done.stderr}"
        assert "plan-validator:" not in done.stderr
    assert done.stdout or name in ("guard", "lsp"), "but for a server that waits to be asked"


@pytest.mark.parametrize("name", [deep(name) for name in sorted(SERVERS)])
def test_a_server_of_an_example_answers(name: str, environment: dict[str, str]) -> None:
    pytest.importorskip("fastapi" if name == "serve" else "mcp")
    (line,) = example(name)
    (documented,) = re.findall(r"\b8\d\d\d\b", line)
    port = free_port()
    words = shlex.split(line.replace(documented, str(port)))
    server = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert _status(f"http://127.0.0.1:{port}{SERVERS[name]}", server) < 500
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=60)


def _status(address: str, server: subprocess.Popen[bytes]) -> int:
    """Return the status of a first answer; a server that ends before it has none."""
    while server.poll() is None:
        try:
            with urlopen(address, timeout=60) as answer:
                return answer.status
        except HTTPError as error:
            return error.code
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"the server ended with {server.returncode}")


@pytest.mark.parametrize("name", sorted(NEED_DATA))
def test_an_example_that_needs_a_benchmark_is_understood(name: str, environment: dict[str, str]) -> None:
    (line,) = example(name)
    done = subprocess.run(["bash", "-c", line], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("plan-validator:"), "the usage is wrong, not the files"
    assert done.stdout == ""
