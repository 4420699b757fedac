"""The light package in a fresh environment: its answers without a planner, its size, and what it says it needs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.places import ROOT

LIGHT = tomllib.loads((ROOT / ".ci" / "light" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WHOLE = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_light_package_is_the_whole_one_without_some_dependencies() -> None:
    extras = {**LIGHT["optional-dependencies"]}
    assert sorted([*LIGHT["dependencies"], *extras.pop("full")]) == sorted(WHOLE["dependencies"])
    assert extras == {name: WHOLE["optional-dependencies"][name] for name in extras}
    assert LIGHT["scripts"] == WHOLE["scripts"] and LIGHT["entry-points"] == WHOLE["entry-points"]


def test_a_check_imports_nothing_that_the_light_package_leaves_out() -> None:
    left_out = [re.split("[<>=]", name)[0].replace("-", "_") for name in LIGHT["optional-dependencies"]["full"]]
    files = [str(ROOT / "domains" / "blocks" / name) for name in ("domain.pddl", "problem.pddl", "broken-order.plan")]
    code = f"import sys\nfrom validator.cli import main\nmain(['check', *{files!r}])\n"
    code += f"print(sys.modules.keys() & {{*{left_out!r}, 'fast_downward'}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert "(proven)" in done.stdout and done.stdout.splitlines()[-1] == "set()"


@pytest.mark.deep
def test_the_light_package_answers_in_a_fresh_environment(tmp_path: Path) -> None:
    """It is built and installed from the package registry, as ``.ci/release`` does."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    built = subprocess.run([*pip, "wheel", "--no-deps", "-w", str(tmp_path), str(ROOT / ".ci" / "light")], check=False)
    if built.returncode:
        pytest.skip("no package registry is reached from here")
    (wheel,) = tmp_path.glob("*.whl")
    empty, home = tmp_path / "empty", tmp_path / "light"
    empty.mkdir()
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    subprocess.run([home / "bin" / "pip", "install", "--quiet", wheel], check=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    tried = [home / "bin" / "python", ROOT / ".ci" / "installed.py", "--light"]
    subprocess.run(tried, check=True, cwd=empty, env=environment)
    size = sum(path.lstat().st_size for path in home.rglob("*"))
    assert size < 60e6, f"{size / 1e6:.0f} MB"
