"""The files that GitHub, pre-commit and agents read: the action and the hook run, the rest is complete."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.places import ROOT
from tests.support.serving import programmed
from validator.cli import COMMANDS

BLOCKS = ["domains/blocks/domain.pddl", "domains/blocks/problem.pddl"]
BROKEN = "domains/blocks/broken-order.plan"

TOP = {
    *("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "CITATION.cff", "action.yml"),
    *(".gitignore", ".pre-commit-hooks.yaml", ".ci", ".github"),
    *("validator", "grammars", "domains", "tests", "docker", "docs", "benchmarks"),
}


def read(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return variables under which a shell finds the program."""
    return programmed(tmp_path)


def test_the_top_level_holds_what_readers_expect_and_no_more() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    if tracked:
        assert {line.partition("/")[0] for line in tracked.splitlines()} <= TOP


# --- the action ----------------------------------------------------------------------------------


def run_action(environment: dict[str, str], plans: str, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the last step of the action with its inputs, each by default."""
    action = read("action.yml")
    step = action["runs"]["steps"][-1]
    given = {"domain": BLOCKS[0], "problem": BLOCKS[1], "plans": plans, **inputs}
    known = {name: given.get(name, field.get("default", "")) for name, field in action["inputs"].items()}
    named = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: known[found[1]], value)
        for name, value in step["env"].items()
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, env=environment | named, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_action_passes_valid_plans(environment: dict[str, str]) -> None:
    done = run_action(environment, "domains/blocks/good.plan domains/blocks/g*.plan")
    assert (done.returncode, done.stdout) == (0, "2 of 2 plans are valid\n")


def test_the_action_annotates_faults_and_fails(environment: dict[str, str]) -> None:
    done = run_action(environment, "domains/blocks/**/*.plan")
    assert done.returncode == 1
    assert f"::error file={BROKEN},line=8," in done.stdout
    assert done.stdout.endswith("1 of 5 plans are valid\n")


# --- the hook of pre-commit ----------------------------------------------------------------------


@pytest.mark.parametrize(("plans", "code"), [(["good"], 0), (["good", "broken-order"], 1), ([], 0)])
def test_the_hook_checks_each_file(plans: list[str], code: int, environment: dict[str, str]) -> None:
    (hook,) = read(".pre-commit-hooks.yaml")
    files = [f"domains/blocks/{name}.plan" for name in plans]
    command = [*shlex.split(hook["entry"]), *BLOCKS, *files]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert all(re.search(hook["files"], name) for name in files)


@pytest.mark.deep
@pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed")
def test_pre_commit_runs_the_hook(environment: dict[str, str], tmp_path: Path) -> None:
    """As a local hook: one of another repository would be installed from it."""
    (hook,) = read(".pre-commit-hooks.yaml")
    place = tmp_path / "repository"
    (place / "domains").mkdir(parents=True)
    (place / "domains" / "blocks").symlink_to(ROOT / "domains" / "blocks")
    local = {"repos": [{"repo": "local", "hooks": [{**hook, "language": "system", "args": BLOCKS}]}]}
    (place / ".pre-commit-config.yaml").write_text(yaml.safe_dump(local), encoding="utf-8")
    for name, code in (("good", 0), ("broken-order", 1)):
        (place / f"{name}.plan").write_text(
            (ROOT / f"domains/blocks/{name}.plan").read_text(encoding="utf-8"), encoding="utf-8"
        )
        for command in (["git", "init", "-q"], ["git", "add", "."]):
            subprocess.run(command, cwd=place, check=True)
        command = [sys.executable, "-m", "pre_commit", "run", "--files", f"{name}.plan"]
        done = subprocess.run(command, env=environment, cwd=place, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout


# --- what people and agents read -----------------------------------------------------------------


def test_the_skill_names_commands_that_are_there() -> None:
    text = (ROOT / "docs/skills/plan-validator/SKILL.md").read_text(encoding="utf-8")
    head = yaml.safe_load(text.split("---\n")[1])
    assert head["name"] == "plan-validator"
    assert len(head["description"]) <= 1024
    assert set(re.findall(r"plan-validator ([a-z][a-z-]+)\b", text)) - set(COMMANDS) == set()


def test_the_path_from_a_check_to_its_proof_is_as_contributors_are_told() -> None:
    """Each call of the table is made in the file of the row above it."""
    text = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w.]+)` \| `(validator/[\w/]+\.py)` \|", text, re.MULTILINE)
    assert 2 < len(rows) <= 6
    for (_, caller), (called, home) in pairwise(rows):
        name = called.rpartition(".")[2]
        assert re.search(rf"\b{name}\(", (ROOT / caller).read_text(encoding="utf-8")), (
            f"{caller} does not call {called}"
        )
        assert re.search(rf"def {name}\(", (ROOT / home).read_text(encoding="utf-8"))


def test_every_wing_is_on_the_map_of_contributors() -> None:
    text = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    wings = {path.parent.name for path in (ROOT / "validator").glob("*/__init__.py")}
    rows = text.partition("\n| wings")[2].partition("\n## ")[0]
    assert wings == set(re.findall(r"`(\w+)/`", rows))
