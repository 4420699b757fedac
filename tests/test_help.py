"""The help of every command shows an example, and each example runs."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from validator.cli import COMMANDS
from validator.commands.eval import SUITES

ROOT = Path(__file__).parents[1]
NAMES = [name for name in COMMANDS if name != "eval"] + [f"eval {name}" for name in SUITES]
NEED_DATA = frozenset(
    f"eval {name}" for name in ("goal-interpretation", "subgoal-decomposition", "planbench", "transition-modeling")
)
"""suites that read nothing but their benchmark's own files"""

SHOWN = frozenset(("mcp", "repair-loop", "serve", "test"))
"""commands whose example is not run: a server, or files of the user's own"""

pytestmark = pytest.mark.planner


def example(name: str) -> list[str]:
    parser = argparse.ArgumentParser(prog=f"plan-validator {name}")
    module = name.replace(" ", "_").replace("-", "_")
    import_module(f"validator.commands.{module}").add_arguments(parser)
    shown = parser.format_help().partition("\nexample:\n")[2].splitlines()
    assert f"plan-validator {name} " in "\n".join(shown)
    return [line.removeprefix("  ") for line in shown]


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return variables under which a shell finds the program, and stand in a directory with the bundled models."""
    program = tmp_path / "bin" / "plan-validator"
    program.parent.mkdir()
    start = 'if __name__ == "__main__":  # worker processes import this file\n    raise SystemExit(main())\n'
    program.write_text(f"#!{sys.executable}\nfrom validator.cli import main\n{start}", encoding="utf-8")
    program.chmod(0o755)
    place = tmp_path / "place"
    place.mkdir()
    (place / "domains").symlink_to(ROOT / "domains")
    monkeypatch.chdir(place)
    return os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NEED_DATA | SHOWN])
def test_an_example_runs(name: str, environment: dict[str, str]) -> None:
    for line in example(name):
        done = subprocess.run(["bash", "-c", line], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), f"{line}\n{done.stderr}"
        assert "plan-validator:" not in done.stderr
    assert done.stdout


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_an_example_is_shown(name: str) -> None:
    assert len(example(name)) == 1


@pytest.mark.parametrize("name", sorted(NEED_DATA))
def test_an_example_that_needs_a_benchmark_is_understood(name: str, environment: dict[str, str]) -> None:
    (line,) = example(name)
    done = subprocess.run(["bash", "-c", line], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("plan-validator:"), "the usage is wrong, not the files"
    assert done.stdout == ""
