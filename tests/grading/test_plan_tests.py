"""Regression files: what they can say, what is refused, and the exit codes of ``plan-validator test``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.output_schemas import SCHEMAS, read_github, read_junit, read_sarif
from tests.support.places import ROOT
from validator.checking.report import PlannerResponse
from validator.cli import main
from validator.errors import ModelError, ValidatorError
from validator.grading.plan_tests import find, read_cases, run_case
from validator.records import replace

DOMAIN = """(define (domain d) (:predicates (p) (q)) (:functions (total-cost))
  (:action a :parameters () :effect (and (p) (increase (total-cost) 2)))
  (:action b :parameters () :precondition (p) :effect (and (q) (increase (total-cost) 3))))
"""
PROBLEM = "(define (problem x) (:domain d) (:init (= (total-cost) 0)) (:goal (q)) (:metric minimize (total-cost)))"
FLOW = "{flow: trip, operators: [{name: find, outputs: [hotel]}], goals: [{operator: find}]}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "d.pddl": DOMAIN,
        "p.pddl": PROBLEM,
        "wrong.pddl": "(define (domain d) (:foo))",
        "good.plan": "(a)\n(b)\n",
        "bad.plan": "(a)\n(a)\n",
        "odd.plan": "(b)\n(b)\n",
        "trip.yaml": FLOW,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(cases: str, name: str = "x.plan-test.yaml") -> Path:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"domain: d.pddl\nproblem: p.pddl\ncases:\n{cases}")
    return file


@pytest.mark.parametrize(
    ("case", "differences"),
    [
        ("plan: good.plan, verdict: valid", []),
        ("plan: good.plan, verdict: sound, cost: 5", []),
        ("plan: good.plan, verdict: valid, cost: 4.5", ["expected cost 4.5, got 5"]),
        ("plan: good.plan, verdict: not sound", ["expected not sound, got sound"]),
        ("plan: good.plan, verdict: valid, step: 2", ["expected the first fault at step 2, got no fault"]),
        ("plan: bad.plan, verdict: not valid, cost: 4", []),
        ("plan: bad.plan, verdict: sound", []),
        (
            "plan: bad.plan, verdict: not valid, step: 1",
            ["expected the first fault at step 1, got a fault of the whole plan"],
        ),
        ("plan: odd.plan, verdict: not valid, step: 1", []),
        ("plan: odd.plan, verdict: not sound, step: 2", ["expected the first fault at step 2, got step 1"]),
        ("plan: odd.plan, verdict: not sound, cost: 1", ["expected cost 1, got none"]),
        ("plan: good.plan, verdict: unknown", ["expected unknown, got valid"]),
        ('text: "(a) (b", verdict: not understood', []),
        ('text: "(a) (b", verdict: not-understood', []),
        ('text: "(a) (b", verdict: not valid, strict: true', []),
        ("plan: good.plan, verdict: not understood", ["expected not understood, got valid"]),
        (
            'text: "(a) (b", verdict: unknown',
            [
                "expected unknown, got not understood: not understood: a piece looks like a step "
                "and could not be read, on line 1; 1 step was read"
            ],
        ),
        ("plan: good.plan, verdict: unknown, quality: sound", ["expected unknown, got sound"]),
        ('text: "(a) (b)", verdict: valid', []),
        ('text: "", verdict: not valid', []),
        ("text: bad.plan, verdict: not understood", []),
        ("text: bad.plan, verdict: not valid, strict: true", []),
        ("flow: trip.yaml, text: hotel = find(), verdict: valid", []),
    ],
)
def test_a_case_says_what_differs(folder: Path, case: str, differences: list[str]) -> None:
    cases = f"  - {{{case}}}\n"
    if "flow" in case:
        Path("x.plan-test.yaml").write_text(f"cases:\n{cases}")
    else:
        write(cases)
    (read,) = read_cases(Path("x.plan-test.yaml"))
    result = run_case(read)
    assert result.error is None and list(result.differs) == differences
    assert result.is_as_expected is (not differences)


@pytest.mark.planner
def test_the_cheapest_cost_can_be_expected(folder: Path) -> None:
    (case,) = read_cases(write('  - {text: "(a) (a) (b)", verdict: not optimal}\n'))
    assert run_case(case).is_as_expected


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("plan: good.plan", r"cases\[0\].verdict: a name was expected"),
        ("plan: good.plan, verdict: fine", r"cases\[0\].verdict: one of sound, not sound, .*, unknown was expected"),
        ("verdict: valid", r"cases\[0\]: one of 'plan' and 'text' was expected"),
        ("plan: good.plan, text: x, verdict: valid", "one of 'plan' and 'text'"),
        ("plan: good.plan, verdict: valid, quality: sound", "the verdict 'valid' is about another quality"),
        ("plan: good.plan, verdict: valid, step: 0", "a whole number from 1"),
        ("plan: good.plan, verdict: valid, cost: much", "a number was expected"),
        ("plan: good.plan, verdict: valid, cost: .nan", "a number was expected"),
        ("plan: good.plan, verdict: valid, stpe: 1", r"cases\[0\].stpe: unknown key \(did you mean 'step'\?\)"),
        ("plan: good.plan, verdict: valid, domain: d.pddl", "'domain' and 'problem' go together"),
        ("plan: 5, verdict: valid", r"cases\[0\].plan: a name was expected, not 5"),
    ],
)
def test_what_is_no_case_is_refused(folder: Path, case: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read_cases(write(f"  - {{{case}}}\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cases: []", "cases: at least one was expected"),
        ("cases: [{plan: x, verdict: valid}]", "no model"),
        ("- 1", "an object was expected"),
        ("{", "not YAML"),
        ("flow: a\ndomain: b\nproblem: c\ncases: [{plan: x, verdict: valid}]", "in place of a domain and a problem"),
    ],
)
def test_what_is_no_regression_file_is_refused(folder: Path, text: str, message: str) -> None:
    Path("x.plan-test.yaml").write_text(text)
    with pytest.raises(ModelError, match=message):
        read_cases(Path("x.plan-test.yaml"))


def test_files_are_found_below_folders(folder: Path) -> None:
    for name in ("b/x.plan-test.yml", "a/y.plan-test.json", "a/other.yaml"):
        write("", name)
    assert [str(path) for path in find([Path()])] == ["a/y.plan-test.json", "b/x.plan-test.yml"]
    assert find([Path("a/other.yaml")]) == (Path("a/other.yaml"),)
    with pytest.raises(ValidatorError, match=r"no regression file; their names end in \.plan-test\.yaml"):
        Path("none").mkdir()
        find([Path("none")])


def test_paths_are_relative_to_the_file(folder: Path) -> None:
    write("  - {plan: ../good.plan, verdict: valid}\n", "deep/x.plan-test.yaml")
    Path("deep/d.pddl").write_text(DOMAIN)
    Path("deep/p.pddl").write_text(PROBLEM)
    assert main(["test", "."]) == 0


# --- the command ---------------------------------------------------------------------------------

GOOD = "  - {plan: good.plan, verdict: valid}\n"
BAD = "  - {name: 'the bad one', plan: bad.plan, verdict: valid}\n"
GONE = "  - {plan: gone.plan, verdict: valid}\n"


@pytest.mark.parametrize(("cases", "code"), [(GOOD, 0), (GOOD + BAD, 1), (GOOD + GONE, 2), (BAD + GONE, 2)])
def test_the_exit_code_tells_failures_from_errors(folder: Path, cases: str, code: int) -> None:
    write(cases)
    assert main(["test", "."]) == code


def test_what_is_known_is_told_where_a_case_is_interrupted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The case was a failure then, or nothing was told of those before it."""
    write(GOOD + BAD + GOOD)

    def interrupted(*given: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr("validator.grading.plan_tests._differences", interrupted)
    assert main(["test", "."]) == 3
    assert capsys.readouterr() == ("0 as expected, 0 not, errors: 0\n", "plan-validator: interrupted after 0 cases\n")
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    check = sys.modules["validator.checking.check"].check

    def ended(*given: Any, **named: Any) -> Any:
        report = check(*given, **named)
        status = PlannerResponse(status="interrupt")
        return report if report.determination else replace(report, planner_response=status)

    monkeypatch.setattr("validator.checking.check.check", ended)
    assert main(["test", "."]) == 3
    shown = "ok    x.plan-test.yaml: good.plan is valid\n1 as expected, 0 not, errors: 0\n"
    assert capsys.readouterr() == (shown, "plan-validator: interrupted after 1 cases\n")


def test_the_text_names_what_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(GOOD + BAD + GONE)
    main(["test", "."])
    assert capsys.readouterr().out.splitlines() == [
        "ok    x.plan-test.yaml: good.plan is valid",
        "FAIL  x.plan-test.yaml: the bad one",
        "      expected valid, got not valid: Goal: (q) is false (nothing made it true)",
        "ERROR x.plan-test.yaml: gone.plan is valid",
        "      gone.plan: No such file or directory",
        "1 as expected, 1 not, errors: 1",
    ]


def test_a_file_that_cannot_be_read_does_not_stop_the_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(GOOD)
    Path("broken.plan-test.json").write_text("{")
    assert main(["test", "."]) == 2
    assert "1 as expected, 0 not, errors: 1" in capsys.readouterr().out


def test_json_has_a_row_a_case(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(GOOD + BAD)
    main(["test", ".", "--format", "json"])
    good, bad = json.loads(capsys.readouterr().out)
    assert good["as_expected"] and good["expected"] == "valid" and good["differences"] == []
    assert not bad["as_expected"] and bad["name"] == "the bad one"


def test_other_tools_are_told_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(GOOD + BAD + GONE + '  - {text: "(b)", verdict: valid}\n')
    Path("broken.plan-test.json").write_text("{")
    assert main(["test", ".", "--format", "junit"]) == 2
    suite = read_junit(capsys.readouterr().out)
    assert [suite.attrib[name] for name in ("tests", "failures", "errors")] == ["5", "2", "2"]
    assert main(["test", ".", "--format", "github"]) == 2
    told = [(said["file"], said.get("line")) for _, said, _ in read_github(capsys.readouterr().out)]
    files = ["broken.plan-test.json", "bad.plan", "gone.plan", "x.plan-test.yaml"]
    assert told == list(zip(files, ["1", "2", None, None], strict=True))
    assert main(["test", ".", "--format", "sarif"]) == 2
    results = read_sarif(capsys.readouterr().out)
    assert [result["ruleId"] for result in results] == ["unreadable", "unexpected", "unreadable", "unexpected"]


# --- the schema, and the hook --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "fits"),
    [
        ("domain: d\nproblem: p\ncases: [{plan: x, verdict: valid, cost: 4.5, step: 1}]", True),
        ("cases: [{flow: f, text: '', verdict: unknown, quality: sound, time_limit: 5}]", True),
        ("cases: []", False),
        ("cases: [{plan: x}]", False),
        ("cases: [{plan: x, text: y, verdict: valid}]", False),
        ("cases: [{plan: x, verdict: fine}]", False),
        ("cases: [{plan: x, verdict: valid, step: 0}]", False),
        ("cases: [{plan: x, verdict: valid, stpe: 1}]", False),
    ],
)
def test_the_schema_says_what_is_read(folder: Path, document: str, fits: bool) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "validator" / "grading" / "plan_tests.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert jsonschema.Draft202012Validator(schema).is_valid(yaml.safe_load(document)) is fits
    Path("x.plan-test.yaml").write_text(document)
    if fits:
        assert read_cases(Path("x.plan-test.yaml"))
    else:
        with pytest.raises(ModelError):
            read_cases(Path("x.plan-test.yaml"))


def test_the_schemas_of_the_tests_are_schemas() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((SCHEMAS / "sarif.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)


def test_the_hook_runs_what_it_says(folder: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    write(GOOD)
    program, *arguments = [*hook["entry"].split(), *hook["args"]]
    assert program == "plan-validator" and hook["pass_filenames"] is False
    assert main(arguments) == 0
    write(BAD)
    assert main(arguments) == 1
