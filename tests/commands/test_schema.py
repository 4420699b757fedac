"""Every JSON output states its version, and is as ``report.schema.json`` says, with no field that it does not name."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.support.places import ROOT
from validator import cli
from validator.adherence.values import Effect, Outcome, RowKind
from validator.checking.report import Quality
from validator.execution.trace import Kind, Origin
from validator.grading.acpbench.grades import Grade
from validator.grading.planbench.grades import Difference
from validator.grading.summary import records_as
from validator.grounding.limits import Status
from validator.reading.annotated import Taken
from validator.reading.plan import Completeness, NoPlan
from validator.reading.traces.recording import Sureness
from validator.recognize.problem import Method, Standing, Verdict
from validator.render.json import SCHEMA, output_schemas, published
from validator.repair.diff import DiffAction
from validator.scaffold import Ending

pytestmark = pytest.mark.planner

BLOCKS = "domains/blocks/domain.pddl domains/blocks/problem.pddl"
FLOOD = " ".join(f"tests/conformance/cases/pddlplus_process_event/{name}" for name in ("domain.pddl", "problem.pddl"))
FILES = {
    "unread.plan": "(take b d)\n(lower b\n",
    "words.plan": "First take b from d. Then do whatever is right.\n",
    "none.plan": "There is no plan.\n",
    "trace.json": '[{"name": "take", "arguments": {"x": "b", "y": "d"}, "result": 3}, {"name": "lift"}]',
    "tools.yaml": "[{name: find, input_parameters: [{name: city}], output_parameters: [{name: hotel}]}]",
    "calls.json": '[{"name": "find", "arguments": {"town": "Rome"}, "label": "var1"}]',
    "rules.policy": "lift before take\nat most 1 take\n",
    "goals.txt": "(on a b)\n(on c d)\n",
    "goal.txt": "(on a b)\n",
    "happened.txt": "(take b d)\nnow (not (clear a))\n(fly b)\n",
    "records.jsonl": "".join(
        f'{{"id": {number}, "domain": "domains/blocks/domain.pddl", "problem": "{problem}", "plan": "{plan}"}}\n'
        for number, (problem, plan) in enumerate(
            [
                ("domains/blocks/problem.pddl", "domains/blocks/good.plan"),
                ("domains/blocks/problem.pddl", "domains/blocks/broken-order.plan"),
                ("nowhere.pddl", "domains/blocks/good.plan"),
            ]
        )
    ),
}

OUTPUTS = output_schemas()
COMMANDS = [
    ("report", f"check {BLOCKS} domains/blocks/good.plan"),
    ("report", f"check {BLOCKS} domains/blocks/broken-order.plan --explain --timeline"),
    ("report", f"check {BLOCKS} domains/blocks/broken-order.plan --quality optimal --certify proof.json"),
    ("report", f"check {BLOCKS} unread.plan"),
    ("report", f"check {BLOCKS} words.plan"),
    ("report", f"check {BLOCKS} none.plan"),
    ("report", f"check {FLOOD} tests/conformance/cases/pddlplus_process_event/bad_flood.plan --no-repair --timeline"),
    ("report", "calls tools.yaml calls.json"),
    ("reading", f"read {BLOCKS} words.plan"),
    ("reading", "read unread.plan"),
    ("traces", "read trace.json"),
    ("solution", f"plan {BLOCKS}"),
    ("answer", f"why-not {BLOCKS} domains/blocks/broken-order.plan"),
    ("answer", f"why-not {BLOCKS} --ask (lift_b)_before_(lift_a) --ask solvable"),
    ("answer", f"why-not {BLOCKS} --plan domains/blocks/good.plan --ask (lift_a)_before_(lift_b)"),
    ("comparison", "compare domains/puzzle/good.plan domains/puzzle/detour.plan"),
    ("comparison", f"compare {BLOCKS} domains/blocks/good.plan domains/blocks/broken-order.plan"),
    ("adherence", "adhere domains/blocks/good.plan trace.json"),
    ("adherence", f"adhere {BLOCKS} domains/blocks/good.plan trace.json"),
    ("conformance", "conform rules.policy trace.json"),
    ("repair_loop", f"repair-loop {BLOCKS} --rounds 1 --command cat"),
    ("recognition", f"recognize {BLOCKS} one.plan --goals goals.txt"),
    ("completion", f"recognize {BLOCKS} one.plan --goals goal.txt"),
    ("domain_repair", f"repair-model {BLOCKS} domains/blocks/broken-order.plan --alternatives 1"),
    ("record", "batch records.jsonl"),
]  # fmt: skip


def strict(schema: Any) -> Any:
    """Return a schema that allows no field but those that it names."""
    if isinstance(schema, list):
        return list(map(strict, schema))
    if not isinstance(schema, Mapping):
        return schema
    inner = {name: strict(value) for name, value in schema.items()}
    return {**inner, "additionalProperties": False} if isinstance(schema.get("properties"), Mapping) else inner


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory with the files of the commands."""
    for name in ("domains", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "one.plan").write_text("(take b d)\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_what_a_command_prints_is_as_the_schema_says(
    name: str, command: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written, _, given = command.partition(" < ")
    words = [word.replace("_", " ") if word.startswith("(") else word for word in written.split()]
    if given:
        monkeypatch.setattr("sys.stdin", io.StringIO(FILES[given]))
    cli.main([*words, *([] if words[0] == "batch" else ["--format", "json"])])
    shown = capsys.readouterr().out
    lines = shown.splitlines() if words[0] == "batch" else [shown]
    assert lines
    for line in lines:
        value = json.loads(line)
        assert value.pop("schema") == SCHEMA
        Draft202012Validator(strict(OUTPUTS[name])).validate(value)


def test_each_output_has_a_command() -> None:
    assert {name for name, _ in COMMANDS} == {name for name in OUTPUTS if not name.endswith("_grade")}


def test_results_of_suites_are_as_the_schema_says() -> None:
    grade = Grade(id="1", task="app", form="bool", model="m", right=None, outcome="missing", why="")
    (value,) = json.loads(records_as("json", [grade], Grade))
    assert value.pop("schema") == SCHEMA
    Draft202012Validator(strict(json.loads(published())["$defs"]["acpbench_grade"])).validate(value)


ENUMS = [
    Quality,
    Kind,
    Origin,
    DiffAction,
    Completeness,
    NoPlan,
    Taken,
    Sureness,
    Outcome,
    RowKind,
    Effect,
    Ending,
    Verdict,
]
ENUMS += [Method, Standing, Status, Difference]


def test_the_published_file_names_the_words_of_each_enumeration(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema"]) == 0
    assert capsys.readouterr().out == published()
    Draft202012Validator.check_schema(json.loads(published()))
    listed = {frozenset(json.loads(found)) - {None} for found in re.findall(r'"enum": (\[[^]]*\])', published())}
    assert listed == {frozenset(member.value for member in kind) for kind in ENUMS}


def test_an_output_of_another_shape_is_refused() -> None:
    schema = Draft202012Validator(json.loads(published()))
    assert not schema.is_valid({"plan": []})
    assert not schema.is_valid({"traces": []})
    assert schema.is_valid({"schema": SCHEMA, "traces": []})
