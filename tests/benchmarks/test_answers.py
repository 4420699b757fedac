"""The suite ``answers`` on folders of its two formats, in small."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.answers import run
from benchmarks.options import Options
from benchmarks.table import Table, as_data
from tests.support.models import HANDS, HANDS_ON

WORDS = """
actions: {grasp: "pick up the {}", stack: "stack the {} on top of the {}"}
encoded_objects: {a: red block, b: blue block}
"""
GOOD, BAD = ["(grasp a)", "(stack a b)"], ["(grasp b)", "(stack b a)"]
SAID = {
    "words": ("1. Pick up the red block.\n2. Stack the red block on top of the blue block.", GOOD, "valid"),
    "pddl": ("(grasp a)\n(stack a b)", GOOD, "valid"),
    "wrong": ("(grasp b)\n(stack b a)", BAD, "goal_not_satisfied"),
    "open": ("(grasp a)\n(stack a b)", None, None),
}


def folder(path: Path, name: str) -> Path:
    (path / "pddl").mkdir(parents=True)
    (path / "templates").mkdir()
    (path / "pddl" / "d.pddl").write_text(HANDS, encoding="utf-8")
    (path / "pddl" / "p.pddl").write_text(HANDS_ON, encoding="utf-8")
    (path / "templates" / "hands.yaml").write_text(WORDS, encoding="utf-8")
    files = {"domain_file": "pddl/d.pddl", "problem_file": "pddl/p.pddl", "benchmark_domain": "hands", "model": "m"}
    verdicts = ("verdict", "extracted_verdict", "referee_verdict")
    rows = [
        {"id": key, **files, "raw_response": text, "plan": plan, **dict.fromkeys(verdicts, verdict)}
        for key, (text, plan, verdict) in SAID.items()
    ]
    (path / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def tables(path: Path) -> dict[str, Table]:
    return {table.title: table for table in run(Options(folder=path))}


def rows(table: Table) -> list[dict[str, object]]:
    found = as_data(table)["rows"]
    assert isinstance(found, list)
    return found


def test_answers_in_words_are_measured_with_templates_and_without(tmp_path: Path) -> None:
    found = tables(folder(tmp_path, "answers.jsonl"))
    with_them, without = rows(found["answers"])
    assert (with_them["recall %"], with_them["precision %"], with_them["same steps %"]) == (100.0, 100.0, 100.0)
    assert (without["recall %"], without["precision %"], without["UNKNOWN %"]) == (50.0, 100.0, 25.0)
    assert not found["answers"].notes


def test_answers_in_pddl_are_measured_beside_the_simulator(tmp_path: Path) -> None:
    found = tables(folder(tmp_path, "plans.jsonl"))
    answers, extractions = rows(found["answers in PDDL"])
    assert (answers["answers"], answers["UNKNOWN"], answers["valid, called NOT VALID"]) == (3, 1, 0)
    assert (extractions["same verdict %"], extractions["same steps %"]) == (100.0, 100.0)
