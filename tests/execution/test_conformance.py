"""The conformance suite, asked of the command line: the verdict that PDDL gives, and the fault that is its reason.

The suite is ``tests/conformance``; here its cases go through its own reading and judging, without a process for each.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.cases import SOURCES, Case, cases
from tests.conformance.runner import Answer, Ended, Judged, Outcome, execute, judge
from tests.conformance.tables import replaced, summary
from tests.conformance.validators import MissingError, PlanValidator, Val, find
from tests.support.places import ROOT, TESTS
from tests.support.processes import is_running, wait_for
from validator.cli import main

SUITE = TESTS / "conformance"
NOT_EXECUTED = ("durative_conditional_over_all", "object_fluents_as_arguments")
"""models whose answer is UNKNOWN, with the feature"""
CASES = cases()

Ask = Callable[..., Judged]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    def asked(case: Case, *options: str) -> Judged:
        validator = PlanValidator(program="", options=options)
        code = main(list(validator.command(case)[1:]))
        return judge(case, validator.answer(Ended(code=code, **capsys.readouterr()._asdict())))

    return asked


@pytest.mark.parametrize("part", range(12))
def test_a_plan_is_judged_as_the_standard_says(part: int, ask: Ask) -> None:
    for case in [case for case in CASES if case.verdict != "model_error"][part::12]:
        judged = ask(case)
        if case.folder.name in NOT_EXECUTED:
            assert judged.outcome is Outcome.REFUSES, case
            assert "not executed" in judged.answer.text, case
        else:
            assert (judged.outcome, judged.differences) == (Outcome.AGREES, []), case


def test_a_malformed_text_that_is_taken_literally_is_at_fault(ask: Ask) -> None:
    for case in (case for case in cases("plan_format*") if case.verdict == "malformed"):
        judged = ask(case, "--strict", "--no-repair")
        assert (judged.answer.verdict, judged.differences) == ("invalid", []), case
        assert (judged.answer.said or {})["faults"], case


@pytest.mark.planner
def test_whether_a_valid_plan_is_a_cheapest_one(ask: Ask) -> None:
    for case in (case for case in CASES if "optimal" in case.expected):
        judged = ask(case, "--quality", "optimal", "--no-repair")
        assert judged.answer.verdict == ("valid" if case.expected["optimal"] else "invalid"), case


def test_an_ill_formed_model_is_an_error_with_a_place(ask: Ask) -> None:
    for case in (case for case in CASES if case.verdict == "model_error"):
        judged = ask(case)
        assert judged.outcome is Outcome.AGREES, case
        assert re.search(r"\.pddl:\d+:\d+: ", judged.answer.text), case


def test_a_problem_with_a_surplus_parenthesis_is_read_with_a_warning(ask: Ask) -> None:
    """PlanBench's prompts end in one parenthesis too many; refusing them would refuse a readable model."""
    report = (ask(cases("unbalanced_problem")[0]).answer.said or {})["report"]
    assert report["determination"] is not None
    assert any("surplus ')'" in warning for warning in report["warnings"])


# --- the suite itself ------------------------------------------------------------------------------


def test_each_case_has_its_files_its_rule_and_its_source() -> None:
    assert len(CASES) >= 258
    for case in CASES:
        assert all(file.is_file() for file in case.files)
        assert case.model["source"] in SOURCES and case.model["rule"].endswith(".")
    plans = set(SUITE.rglob("*.plan"))
    assert plans == {case.files[2] for case in CASES}


def test_the_suite_imports_nothing_but_the_standard_library() -> None:
    for path in SUITE.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            assert all(name.partition(".")[0] in sys.stdlib_module_names for name in names), path
        assert "import validator" not in path.read_text(encoding="utf-8")


def suite(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.conformance", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=900)


def test_the_command_runs_a_validator_as_a_process_and_says_what_is_wrong(tmp_path: Path) -> None:
    liar = tmp_path / "Validate"
    liar.write_text("#!/bin/sh\necho Plan valid\n")
    liar.chmod(0o755)
    done = suite("run", "--validator", f"VAL={liar}", "--only", "zero_ary", "--json")
    answers = {one["case"]: one["outcome"] for one in map(json.loads, done.stdout.splitlines())}
    assert answers["zero_ary/good.plan"] == "agrees" and answers["zero_ary/bad_twice.plan"] == "disagrees"
    assert done.returncode == 1
    listed = suite("list", "--only", "zero_ary").stdout
    assert "[bnf]" in listed and "zero_ary/good.plan" in listed


def test_a_validator_that_is_not_there_says_how_to_get_it() -> None:
    with pytest.raises(MissingError, match="put its program Validate on PATH"):
        find("VAL=no-such-program")
    with pytest.raises(MissingError, match="no validator is called"):
        find("nobody")


def test_a_process_that_does_not_end_is_killed_with_all_that_it_started() -> None:
    ended = execute(["sh", "-c", "sleep 1000 & echo $!; sleep 1000"], seconds=0.5, memory=2**32)
    assert ended.code is None
    wait_for(lambda: not is_running(int(ended.out)))
    assert Val(program="Validate").answer(ended).verdict == "crashed"


@pytest.mark.parametrize(
    ("code", "out", "verdict"),
    [
        (0, "Plan executed successfully - checking goal\nPlan valid\nFinal value: 1", "valid"),
        (1, "Plan executed successfully - checking goal\nGoal not satisfied\nPlan invalid", "invalid"),
        (1, "Plan failed to execute", "invalid"),
        (255, "Problem in domain definition!", "refused"),
        (-11, "", "crashed"),
    ],
)
def test_what_val_prints_is_an_answer(code: int, out: str, verdict: str) -> None:
    assert Val(program="Validate").answer(Ended(code=code, out=out)).verdict == verdict


def test_what_may_be_refused_is_told_apart_from_what_is_wrong() -> None:
    plain, lenient = cases("plan_format/good_plain.plan")[0], cases("plan_format/good_bullets.plan")[0]
    judged = [judge(case, Answer(verdict=word)) for case in (plain, lenient) for word in ("refused", "invalid")]
    assert [one.outcome.value for one in judged] == ["refuses", "disagrees", "refuses", "refuses"]
    assert [one.is_right for one in judged] == [False, False, True, True]
    assert summary({"V": judged}).splitlines()[-1] == "| V | 0 | 2 | 1 | 1 | 0 |"


# --- the page --------------------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")


def test_the_page_counts_the_cases_that_there_are() -> None:
    counted = sum(case.verdict != "ambiguous" for case in CASES)
    row = next(line for line in PAGE.splitlines() if line.startswith("| plan-validator |"))
    assert sum(map(int, row.split("|")[2:-1])) == counted
    unknown = sum(case.folder.name in NOT_EXECUTED for case in CASES)
    assert row == f"| plan-validator | {counted - unknown} | 0 | {unknown} | 0 | 0 |"


@pytest.mark.deep
@pytest.mark.planner
def test_the_support_table_is_current() -> None:
    """``python -m tests.conformance support --write docs/conformance.md`` writes it."""
    done = suite("support")
    assert done.returncode == 0, done.stderr
    assert replaced(PAGE, "support", done.stdout.rstrip("\n")) == PAGE
