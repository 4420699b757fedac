"""Recorded answers, and what is found in them: read, judged, and timed on models that are warm."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare
from validator.reading.lexicon import read_templates
from validator.reading.tokens import Vocabulary, tokenize

__all__ = ["SHORT", "Judged", "Pass", "Said", "answers_of", "judge", "named", "percent"]

SHORT = 600
"""characters below which an answer counts as short"""
_NAMED = 20
"""ids that are named of what was said wrongly"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An answer and what others say of it: ``truth`` and ``extracted`` None where that is not known."""

    id: str
    domain: str
    files: tuple[str, str]
    text: str
    plan: tuple[str, ...] | None
    truth: bool | None
    extracted: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What is found: ``has`` None for UNKNOWN, False for a text without a plan.

    ``is_claim`` is one that says that there is none.
    """

    said: Said
    has: bool | None
    steps: tuple[str, ...]
    is_claim: bool


@dataclass(slots=True, kw_only=True)
class Pass:
    """All answers of a folder judged in one way; rates are answers a CPU second, on models that are warm."""

    judged: list[Judged] = field(default_factory=list)
    short: float = 0.0
    every: float = 0.0
    shorts: int = 0


def answers_of(path: Path, truth: str, extracted: str | None) -> Iterator[Said]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        plan = row.get("plan")
        yield Said(
            id=str(row["id"]),
            domain=str(row.get("benchmark_domain", "")),
            files=(str(row["domain_file"]), str(row["problem_file"])),
            text=str(row.get("raw_response") or ""),
            plan=None if plan is None else tuple(step.lower() for step in plan),
            truth=_is_valid(row.get(truth)),
            extracted=None if extracted is None else _is_valid(row.get(extracted)),
        )


def _is_valid(verdict: object) -> bool | None:
    return None if verdict is None else verdict == "valid"


def judge(folder: Path, rows: Sequence[Said], templates: Path | None) -> Pass:
    """Judge all answers once, then a second time to take the time, when the models are read and warm."""
    models: dict[tuple[str, ...], Prepared] = {}
    found = Pass()
    for said in rows:
        key = (*said.files, said.domain)
        if key not in models:
            models[key] = _model(folder, said, templates)
        found.judged.append(_answer(models[key], said))
    # A claim that there is no plan is decided by a planner, in processes of its own.
    timed = [each.said for each in found.judged if not each.is_claim]
    short = [said for said in timed if len(said.text) < SHORT]
    found.shorts, found.short = len(short), _rate(models, short)
    found.every = _rate(models, timed)
    return found


def _model(folder: Path, said: Said, templates: Path | None) -> Prepared:
    prepared = prepare(folder / said.files[0], folder / said.files[1])
    path = None if templates is None else templates / f"{said.domain}.yaml"
    if path is None or not path.is_file():
        return prepared
    return replace(prepared, vocabulary=Vocabulary.of(prepared.model, read_templates(path)))


def _answer(model: Prepared, said: Said) -> Judged:
    report = check(model, plan=tokenize(said.text, model.vocabulary), repair=False)
    steps = tuple(str(token).lower() for token in report.reference)
    has = report.determination if report.no_plan is None else False
    return Judged(said=said, has=has, steps=steps, is_claim=report.claims_no_plan)


def _rate(models: Mapping[tuple[str, ...], Prepared], rows: Sequence[Said]) -> float:
    """Return how many answers are read and executed in a CPU second of this process."""
    begun = time.process_time()
    for said in rows:
        model = models[(*said.files, said.domain)]
        check(model, plan=tokenize(said.text, model.vocabulary), repair=False)
    spent = time.process_time() - begun
    return len(rows) / spent if spent > 0 else 0.0


def percent(judged: Sequence[Judged], holds: Any) -> float | None:
    return 100 * sum(map(holds, judged)) / len(judged) if judged else None


def named(judged: Sequence[Judged]) -> str:
    """Return the ids of the first answers, and how many more there are."""
    more = f" and {len(judged) - _NAMED} more" if len(judged) > _NAMED else ""
    return f"{', '.join(each.said.id for each in judged[:_NAMED])}{more}"
