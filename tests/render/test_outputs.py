"""SARIF, JUnit XML and GitHub's annotations: each fault at its place, whatever the names are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.output_schemas import read_github, read_junit, read_sarif
from validator import check
from validator.cli import main
from validator.render.tools.findings import Finding, Level, Place, Source, findings
from validator.render.tools.sarif import sarif

DOMAIN = """(define (domain d) (:predicates (p) (q) (r ?x))
  (:action a :parameters () :effect (p))
  (:action b :parameters () :precondition (p) :effect (and (q) (not (p))))
  (:action c :parameters (?x) :effect (r ?x)))
"""
PROBLEM = "(define (problem x) (:domain d) (:objects o) (:init) (:goal (q)))"
FLOW = """flow: trip
operators:
  - {name: find, inputs: [city], outputs: [hotel]}
goals: [{operator: find}]
memory: [{item: city, state: known}]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "d.pddl": DOMAIN,
        "p.pddl": PROBLEM,
        "good.plan": "(a)\n(b)\n",
        "bad.plan": "; a comment\n(a)\n\n  (b)\r\n(b)\n",
        "wrong.pddl": "(define (domain d)\n  (:foo))",
        "trip.flow.yaml": FLOW,
        "trip.plan": "Here it is:\n\n  hotel = fnd(city)\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_bytes(text.encode())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def places(plan: str, **options: object) -> list[tuple[str, str]]:
    """Return the rule and the marked text of each finding."""
    report = check(DOMAIN, PROBLEM, plan if "\n" in plan else f"{plan}\n", repair=False, **options)  # type: ignore[arg-type]
    source = Source(name="x.plan", text=plan if "\n" in plan else f"{plan}\n")
    return [(found.rule, marked(source, found.place)) for found in findings(report, source)]


def marked(source: Source, place: Place) -> str:
    """Return the text of a region, found by its lines and columns alone."""
    lines = source.text.split("\n")
    assert None not in (place.line, place.column, place.end_line, place.end_column)
    if place.line == place.end_line:
        return lines[place.line - 1][place.column - 1 : place.end_column - 1]  # type: ignore[operator]
    inner = lines[place.line - 1 : place.end_line]  # type: ignore[operator]
    inner[-1] = inner[-1][: place.end_column - 1]  # type: ignore[operator]
    return "\n".join([inner[0][place.column - 1 :], *inner[1:]])  # type: ignore[operator]


# --- places --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("strict", "rule"), [(True, "syntax"), (False, "not_understood")])
def test_each_piece_that_cannot_be_read_has_its_own_place(strict: bool, rule: str) -> None:
    found = places("(a)\n(b\n(a) )x(\n(b)\n(((\n", strict=strict)
    unread = [text for name, text in found if name == rule]
    assert len(unread) == len(set(unread)) >= 2


def test_no_answer_is_a_warning_and_no_error() -> None:
    chance = DOMAIN.replace("(:action a", "(:action toss :effect (probabilistic (chance) (p))) (:action a")
    plan = "(toss)\n(a)\n(b)\n"
    report = check(chance, PROBLEM, plan, repair=False)
    assert report.determination is None
    found = findings(report, Source(name="x", text=plan))
    assert {(each.rule, each.level) for each in found} <= {("unknown", Level.WARNING), ("warning", Level.WARNING)}
    assert found[0].rule == "unknown"


# --- formats -------------------------------------------------------------------------------------


def test_sarif_has_the_faults_with_the_repair_as_a_fix(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "d.pddl", "p.pddl", "bad.plan", "--format", "sarif"]) == 1
    (result,) = read_sarif(capsys.readouterr().out)
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "bad.plan"
    assert location["region"] == {"startLine": 5, "startColumn": 1, "endLine": 5, "endColumn": 4}
    assert result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 4
    (replacement,) = result["fixes"][0]["artifactChanges"][0]["replacements"]
    assert replacement["deletedRegion"] == {"startLine": 1, "startColumn": 1, "endLine": 6, "endColumn": 1}
    assert check(DOMAIN, PROBLEM, replacement["insertedContent"]["text"]).determination


def test_an_error_of_a_model_stands_in_the_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = ["check", "wrong.pddl", "p.pddl", "good.plan", "--format"]
    assert [main([*wrong, "sarif"])] == [2]
    (result,) = read_sarif(capsys.readouterr().out)
    assert result["ruleId"] == "unreadable"
    location = result["locations"][0]["physicalLocation"]
    assert location == {"artifactLocation": {"uri": "wrong.pddl"}, "region": {"startLine": 2, "startColumn": 3}}
    assert main([*wrong, "github"]) == 2
    captured = capsys.readouterr()
    assert read_github(captured.out)[0][1]["file"] == "wrong.pddl" and captured.err == ""
    assert main([*wrong, "junit"]) == 2
    (case,) = read_junit(capsys.readouterr().out)
    assert (case.attrib["file"], case.attrib["line"]) == ("wrong.pddl", "2")


# --- hostile names -------------------------------------------------------------------------------


def test_a_name_of_the_plan_does_not_become_a_link() -> None:
    place = Place(source="x", line=1)
    finding = Finding(rule="syntax", level=Level.ERROR, message="[here](https://example.org) [WALK] (1)", place=place)
    (result,) = read_sarif(sarif([finding]))
    assert result["message"]["text"] == "\\[here](https://example.org) [WALK] (1)"


def test_a_command_in_a_plan_does_not_become_a_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("evil.plan").write_text("(a)\n(::stop-commands::x)\n  (::set-output name=a::b)\n(b)\n")
    main(["check", "d.pddl", "p.pddl", "evil.plan", "--no-repair", "--format", "github"])
    captured = capsys.readouterr()
    assert {level for level, _, _ in read_github(captured.out)} <= {"error", "notice", "warning"}
    assert "::stop-commands::x" in captured.out and captured.err == ""


HUGE = """(define (domain huge) (:requirements :numeric-fluents) (:predicates (g)) (:functions (x))
  (:action square :parameters () :effect (and (g) (scale-up (x) (x)))))"""
OF_NINE = "(define (problem p) (:domain huge) (:init (= (x) 1000000000.5)) (:goal (g)) (:metric minimize (x)))"


@pytest.mark.parametrize("steps", [6, 12], ids=["beyond floats", "beyond what can be written out"])
@pytest.mark.parametrize("form", ["text", "json", "markdown", "html", "sarif", "junit", "github"])
def test_numbers_beyond_all_floats_are_told_in_every_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, steps: int
) -> None:
    files = [tmp_path / name for name in ("d.pddl", "p.pddl", "x.plan")]
    for file, text in zip(files, (HUGE, OF_NINE, "(square)\n" * steps), strict=True):
        file.write_text(text, encoding="utf-8")
    words = ["check", *map(str, files), "--format", form, "--no-repair", "--timeline"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    if form == "json":
        value = json.loads(printed)
        assert value["timeline"]["series"][0]["fluent"] == "(x)"
        assert (value["cost"] > 10**500) if steps == 6 else value["cost"] == "about 2^122459"
    assert main(["val-compat", "-v", *map(str, files), str(files[-1])]) == 0
    assert "Successful plans:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("(b)\n", 1, "Step 1 (b): "),
        ("My plan:\n\n1. (b)\n", 3, "Step 1 (b), line 3: "),
        ('["(b)"]\n', 1, "Step 1 (b): "),
        ('[\n"(b)"]\n', 2, "Step 1 (b), line 2: "),
    ],
)
def test_a_fault_names_its_line_where_that_is_not_the_number_of_its_step(text: str, line: int, told: str) -> None:
    report = check(DOMAIN, PROBLEM, text, repair=False)
    assert report.faults[0].startswith(told)
    assert f'"line": {line},' in json.dumps(report.to_json())
