"""VAL's arguments and output: beside what VAL itself printed, and read by the scripts that read VAL's.

``val/*.txt`` are what VAL (KCL-Planning/VAL, version 4) prints of the bundled blocks; the order in which it tells the
effects of a step is the one of the domain's text, and is not compared.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.places import ROOT
from tests.support.serving import linked
from validator.cli import main

BLOCKS = ROOT / "domains" / "blocks"
SAID = Path(__file__).parent / "val"
MODEL = ("domain.pddl", "problem.pddl")

OVER_TIME = """(define (domain d) (:requirements :durative-actions) (:predicates (p) (q) (r))
 (:durative-action x :parameters () :duration (= ?duration 1) :condition (over all (r)) :effect (at end (p)))
 (:durative-action y :parameters () :duration (= ?duration 1) :condition (at start (p)) :effect (at end (q))))"""
LATER = "(define (problem e) (:domain d) (:init (r)) (:goal (q)))"


def _sorted_effects(text: str) -> list[str]:
    """Return the lines, with those that tell the effects of one happening in one order."""
    lines: list[str] = []
    effects: list[str] = []
    for line in text.split("\n"):
        if line.startswith(("Adding ", "Deleting ")):
            effects.append(line)
            continue
        lines += sorted(effects)
        effects = []
        lines.append(line)
    return lines


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BLOCKS)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", ["good", "broken-order", "broken-too-short"])
def test_the_course_is_told_as_val_tells_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["val-compat", "-v", *MODEL, f"{name}.plan"])
    assert code == (name != "good")
    wanted = (SAID / f"{name}.txt").read_text()
    assert _sorted_effects(capsys.readouterr().out) == _sorted_effects(wanted)


def test_epsilon_and_what_fails_in_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain, problem, plan = (tmp_path / name for name in ("d.pddl", "p.pddl", "x.plan"))
    domain.write_text(OVER_TIME)
    problem.write_text(LATER)
    plan.write_text("0: (x) [1]\n1.01: (y) [1]\n")
    files = [str(domain), str(problem), str(plan)]
    assert main(["val-compat", "-t", "0.001", *files]) == 0
    assert main(["val-compat", "-t", "0.1", *files]) == 1
    capsys.readouterr()
    plan.write_text("0: (x) [1]\n0.5: (y) [1]\n")
    main(["val-compat", "-v", *files])
    said = capsys.readouterr().out
    assert (
        "Checking next happening (time 0.5)\nPlan failed because of unsatisfied precondition in:\n(y) - start" in said
    )
    assert "(y) - start has an unsatisfied precondition at time 0.5\n(Set (p) to true)\n" in said


@pytest.mark.parametrize(
    ("written", "code", "said"),
    [
        ("(take b d)\n(tak b d)\n", 1, "Bad plan description!"),
        ("(take b\n(\n", 1, "Bad plan description!"),
        ("(take b z)\n", 1, "Bad plan description!"),
        ("(lift b)\n(take b z)\n", 1, "Plan failed to execute"),
        ("", 1, "Goal not satisfied"),
        (None, 1, "Bad plan file!"),
    ],
)
@pytest.mark.usefixtures("here")
def test_what_is_no_plan_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], written: str | None, code: int, said: str
) -> None:
    plan = tmp_path / "x.plan"
    if written is not None:
        plan.write_text(written)
    assert main(["val-compat", *MODEL, str(plan)]) == code
    shown = capsys.readouterr().out
    assert said in shown and f"Failed plans:\n {plan} " in shown


@pytest.mark.parametrize(("kind", "said"), [("domain", "domain definition"), ("problem", "problem specification")])
@pytest.mark.usefixtures("here")
def test_a_model_that_cannot_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, said: str
) -> None:
    broken = tmp_path / "x.pddl"
    broken.write_text("(define")
    files = [str(broken) if name.startswith(kind) else name for name in MODEL]
    assert main(["val-compat", *files, "good.plan"]) == 255
    assert f"Problem in {said}!" in capsys.readouterr().err
    assert main(["val-compat", "--parser", *files]) == 0
    assert f"{broken}: line: 1: Error: '(' is never closed" in capsys.readouterr().out


@pytest.mark.usefixtures("here")
def test_the_name_by_which_it_is_called_is_enough(tmp_path: Path) -> None:
    folder = linked(tmp_path)
    for name, words, said in (("validate", (*MODEL, "good.plan"), "Plan valid"), ("Parser", MODEL, "Errors: 0")):
        shown = subprocess.run([folder / name, *words], capture_output=True, text=True, check=True)
        assert said in shown.stdout


@pytest.mark.deep
@pytest.mark.usefixtures("here")
def test_planbenchs_own_scripts_read_it(tmp_path: Path) -> None:
    """Their functions are taken out of their checkout, which ``PLAN_VALIDATOR_PEERS`` names, and run as they stand."""
    peers = os.environ.get("PLAN_VALIDATOR_PEERS")
    if not peers or not (Path(peers) / "LLMs-Planning").exists():
        pytest.skip("PLAN_VALIDATOR_PEERS has no checkout of LLMs-Planning")
    utils = Path(peers) / "LLMs-Planning" / "plan-bench" / "utils"
    theirs = _functions(utils / "__init__.py", "validate_plan")
    theirs += _functions(utils / "task_utils.py", "get_val_feedback", "reformat_feedback")
    plans = ["good", "broken-order", "broken-too-short"]
    calls = ", ".join(f"[validate_plan(*m, '{plan}.plan'), get_val_feedback(*m, '{plan}.plan')]" for plan in plans)
    code = f"import json, os\n{theirs}\nm = {MODEL!r}\nprint(); print(json.dumps([{calls}]))"
    command = [sys.executable, "-W", "ignore", "-c", code]
    env = {**os.environ, "VAL": str(linked(tmp_path))}
    shown = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    good, order, short = json.loads(shown.stdout.splitlines()[-1])
    assert good[0] is True and good[1]["validation_info"] == {"is_valid_plan": True}
    assert order[0] is False and order[1]["unmet_info"]["unmet_goal"] == []
    assert "(clear b)" in order[1]["validation_message"]
    assert short[0] is False and "(on a b)" in "".join(short[1]["unmet_info"]["unmet_goal"])


def _functions(file: Path, *names: str) -> str:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found: list[ast.stmt] = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]
    assert len(found) == len(names)
    return ast.unparse(ast.Module(found, [])) + "\n"
