"""Answers to prompts in PDDL, and the plans that were extracted from them, beside a simulator's verdict."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.answers.said import Judged, Said, answers_of, judge, named, percent
from benchmarks.table import Cell, Goal, Table
from validator.checking.check import check
from validator.checking.prepared import prepare
from validator.reading.plan import Dialect
from validator.reading.tokens import tokenize

__all__ = ["in_pddl"]

PDDL_VERDICTS, PDDL_STEPS = 99.9, 97.7


def in_pddl(folder: Path) -> list[Table]:
    """Return the tables of a folder with ``plans.jsonl``, and none of another one."""
    path = folder / "plans.jsonl"
    if not path.is_file():
        return []
    asked = _asked_for_pddl(path)
    rows = [row for row in answers_of(path, "referee_verdict", None) if row.id in asked and row.truth is not None]
    found = judge(folder, rows, None)
    literal = [_literal(folder, row) for row in rows]
    ways = {"the answer": found.judged, "the extraction": literal}
    table: list[tuple[Cell, ...]] = []
    for way, judged in ways.items():
        same = percent(judged, lambda each: each.has is each.said.truth)
        steps = percent(judged, lambda each: each.steps == each.said.plan)
        rates = (found.every, found.short) if judged is found.judged else (None, None)
        unknown = sum(each.has is None for each in judged)
        wrong = [sum(each.has is has and each.said.truth is not has for each in judged) for has in (False, True)]
        table.append((way, len(judged), same, steps, *wrong, unknown, *rates))
    differ = [each for each in found.judged if each.has is not each.said.truth]
    return [
        Table(
            title="answers in PDDL",
            about="answers to prompts in PDDL beside the simulator's verdict on the plan that was extracted from them",
            columns=(
                "read",
                "answers",
                "same verdict %",
                "same steps %",
                "valid, called NOT VALID",
                "invalid, called VALID",
                "UNKNOWN",
                "answers/cpu s",
                "short answers/cpu s",
            ),
            rows=tuple(table),
            goals=(
                *_at_least("same verdict on the extraction", table[1][2], PDDL_VERDICTS),
                *_at_least("same verdict on the answer", table[0][2], PDDL_VERDICTS),
                *_at_least("same steps in the answer", table[0][3], PDDL_STEPS),
            ),
            notes=(
                "where the extraction lost a part of an answer, its plan and the verdict on it are not the answer's",
                *([f"another verdict on the answer: {named(differ)}"] if differ else []),
            ),
        ),
    ]


def _at_least(what: str, measured: Cell, limit: float) -> Iterator[Goal]:
    if isinstance(measured, float):
        yield Goal(what=what, measured=measured, limit=limit, unit="%", at_least=True)


def _asked_for_pddl(path: Path) -> frozenset[str]:
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return frozenset(str(row["id"]) for row in rows if "pddl" in str(row.get("prompt_type", "pddl")))


def _literal(folder: Path, said: Said) -> Judged:
    """Return the verdict on the plan that was extracted, read as PDDL and nothing else."""
    model = prepare(folder / said.files[0], folder / said.files[1])
    plan = tokenize("\n".join(said.plan or ()), model.vocabulary, Dialect.PDDL)
    report = check(model, plan=plan, repair=False)
    steps = tuple(str(token).lower() for token in report.reference)
    return Judged(said=said, has=report.determination, steps=steps, is_claim=False)
