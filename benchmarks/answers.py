"""Answers of language models read and judged: how many valid plans are recognised, and what is said wrongly.

Reads folders in one of two formats, and copies nothing of them:

- ``answers.jsonl``: answers in English to PlanBench's prompts, with ``pddl/`` and with ``templates/DOMAIN.yaml``. The
  truth is ``verdict`` where two independent readers agree, else null; ``extracted_verdict`` judges the plan that the
  benchmark extracted. Measured with the templates and without any.
- ``plans.jsonl``: answers with the plan that was extracted and the verdict of an independent simulator on it
  (``referee_verdict``). Of these, the answers to prompts in PDDL are measured.

Both are graded by ``eval planbench`` besides.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.options import Options
from benchmarks.table import Cell, Goal, Table, skipped
from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare
from validator.grading.batch import Settings
from validator.grading.planbench import Grade, Layout, grade_answers, read_answers
from validator.grading.planbench.corrected import corrected, differences
from validator.grading.summary.tables import Table as Counted
from validator.reading.lexicon import read_templates
from validator.reading.plan import Dialect
from validator.reading.tokens import Vocabulary, tokenize

__all__ = ["Judged", "Said", "run"]

SHORT = 600
"""characters below which an answer counts as short"""
NAMED = 20
"""ids that are named of what was said wrongly"""

RECALL, RECALL_EXTRACTED, WRONG, UNKNOWN, RATE = 99.0, 97.0, 0.5, 10.0, 1_000.0
PDDL_VERDICTS, PDDL_STEPS = 99.9, 97.7


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
class _Pass:
    """All answers of a folder judged in one way; rates are answers a CPU second, on models that are warm."""

    judged: list[Judged] = field(default_factory=list)
    short: float = 0.0
    every: float = 0.0
    shorts: int = 0


def run(options: Options) -> list[Table]:
    """Measure the folder that is asked for, or those of the public data."""
    if options.folder is not None:
        tables = [*_words(options.folder), *_pddl(options.folder)]
        return tables or [_absent("answers", options.folder, "answers.jsonl", "plans.jsonl")]
    words, pddl = options.data / "answers", options.data / "planbench"
    if not words.is_dir() and not pddl.is_dir():
        return [_absent("answers", options.data, "answers", "planbench")]
    return [
        *(_words(words) or [_absent("answers", words, "answers.jsonl")]),
        *(_pddl(pddl) or [_absent("answers in PDDL", pddl, "plans.jsonl")]),
    ]


def _absent(title: str, folder: Path, *names: str) -> Table:
    what = f"no {' and no '.join(names)} in it" if folder.is_dir() else "there is no such folder"
    return skipped(title, f"{folder}: {what} (see --data)")


# --- answers in words ----------------------------------------------------------------------------


def _words(folder: Path) -> list[Table]:
    path = folder / "answers.jsonl"
    if not path.is_file():
        return []
    rows = list(_rows(path, "verdict", "extracted_verdict"))
    ways = {"with": _judge(folder, rows, folder / "templates"), "without": _judge(folder, rows, None)}
    graded = _graded(path, folder / "templates")
    by = [_of(f"PlanBench: answers by {key}", _TAKEN, corrected(graded, (key,))) for key in ("domain", "model")]
    return [_summary(ways), _by_domain(ways), *by, _of("PlanBench: differences", _TAKEN, differences(graded))]


_TAKEN = "what eval planbench counts over the answers in English, beside the plans that PlanBench took from them"
_JUDGED = "what eval planbench counts over the answers with PlanBench's verdict"


def _graded(path: Path, templates: Path) -> list[Grade]:
    layout = Layout(templates=templates if templates.is_dir() else None)
    return grade_answers(list(read_answers([path], layout)), settings=Settings(repair=False), workers=1)


def _of(title: str, about: str, table: Counted) -> Table:
    return Table(title=title, about=about, columns=table.columns, rows=table.rows)


def _rows(path: Path, truth: str, extracted: str | None) -> Iterator[Said]:
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


def _judge(folder: Path, rows: Sequence[Said], templates: Path | None) -> _Pass:
    """Judge all answers once, then a second time to take the time, when the models are read and warm."""
    models: dict[tuple[str, ...], Prepared] = {}
    found = _Pass()
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


_SUMMARY = (
    "templates",
    "answers",
    "recall %",
    "precision %",
    "recall, extraction %",
    "valid, called NOT VALID %",
    "invalid, called VALID %",
    "UNKNOWN %",
    "same steps %",
    "answers/cpu s",
    "short answers/cpu s",
)


def _summary(ways: Mapping[str, _Pass]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    goals: list[Goal] = []
    notes: list[str] = []
    for way, found in ways.items():
        shares = _shares(found.judged)
        rows.append((way, len(found.judged), *shares, found.every, found.short))
        goals += _goals(way, shares, found.short)
        notes += _named(way, found.judged)
    short = next(iter(ways.values())).shorts
    agreed = sum(each.said.truth is not None for each in next(iter(ways.values())).judged)
    return Table(
        title="answers",
        about=f"answers in English; the truth is agreed on {agreed:,}, by which recall, precision and wrong verdicts "
        f"are counted; {short:,} are short (< {SHORT} characters)",
        columns=_SUMMARY,
        rows=tuple(rows),
        goals=tuple(goals),
        notes=tuple(notes),
    )


def _shares(judged: Sequence[Judged]) -> tuple[float | None, ...]:
    """Return in per cent what ``_SUMMARY`` has between the answers and the rates; None where there is nothing."""
    valid = [each for each in judged if each.said.truth]
    invalid = [each for each in judged if each.said.truth is False]
    called = [each for each in judged if each.has and each.said.truth is not None]
    with_plan = [each for each in judged if each.said.plan is not None]
    return (
        _percent(valid, lambda each: each.has is True),
        _percent(called, lambda each: each.said.truth is True),
        _percent([each for each in judged if each.said.extracted], lambda each: each.has is True),
        _percent(valid, lambda each: each.has is False),
        _percent(invalid, lambda each: each.has is True),
        _percent(judged, lambda each: each.has is None),
        _percent(with_plan, lambda each: each.steps == each.said.plan),
    )


def _percent(judged: Sequence[Judged], holds: Any) -> float | None:
    return 100 * sum(map(holds, judged)) / len(judged) if judged else None


def _goals(way: str, shares: Sequence[float | None], rate: float) -> Iterator[Goal]:
    """Yield the goals of reading: those that hold with templates, and those that hold without them too."""
    recall, precision, extraction, lost, made, unknown, _ = shares
    every = [("valid plans called NOT VALID", lost, WRONG, False), ("invalid plans called VALID", made, WRONG, False)]
    with_templates = [
        ("recall", recall, RECALL, True),
        ("precision", precision, RECALL, True),
        ("recall of what the extraction calls valid", extraction, RECALL_EXTRACTED, True),
        ("UNKNOWN", unknown, UNKNOWN, False),
    ]
    for what, measured, limit, at_least in [*(with_templates if way == "with" else []), *every]:
        if measured is not None:
            yield Goal(what=f"{way} templates, {what}", measured=measured, limit=limit, unit="%", at_least=at_least)
    yield Goal(what=f"{way} templates, short", measured=rate, limit=RATE, unit="answers a CPU second", at_least=True)


def _named(way: str, judged: Iterable[Judged]) -> Iterator[str]:
    """Yield the ids of what was said wrongly, by the truth that is agreed on."""
    wrong = {"valid, called NOT VALID": (True, False), "invalid, called VALID": (False, True)}
    each = list(judged)
    for what, (truth, has) in wrong.items():
        ids = [one.said.id for one in each if one.said.truth is truth and one.has is has]
        if ids:
            more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
            yield f"{way} templates, {what}: {', '.join(ids[:NAMED])}{more}"


_BY_DOMAIN = (
    "domain",
    "templates",
    "answers",
    "valid",
    "recognised",
    "called NOT VALID",
    "invalid",
    "called VALID",
    "UNKNOWN",
    "extraction valid",
    "of these recognised",
)


def _by_domain(ways: Mapping[str, _Pass]) -> Table:
    domains = sorted({each.said.domain for found in ways.values() for each in found.judged})
    rows: list[tuple[Cell, ...]] = []
    for domain in domains:
        for way, found in ways.items():
            rows.append((domain, way, *_counts([each for each in found.judged if each.said.domain == domain])))
    if len(domains) > 1:
        rows += [("all", way, *_counts(found.judged)) for way, found in ways.items()]
    return Table(
        title="answers: domains",
        about="valid and invalid: by the truth where it is agreed; UNKNOWN: of all answers",
        columns=_BY_DOMAIN,
        rows=tuple(rows),
    )


def _counts(judged: Sequence[Judged]) -> tuple[Cell, ...]:
    valid = [each.has for each in judged if each.said.truth]
    invalid = [each.has for each in judged if each.said.truth is False]
    extracted = [each.has for each in judged if each.said.extracted]
    return (
        len(judged),
        len(valid),
        valid.count(True),
        valid.count(False),
        len(invalid),
        invalid.count(True),
        sum(each.has is None for each in judged),
        len(extracted),
        extracted.count(True),
    )


# --- answers in PDDL -----------------------------------------------------------------------------


def _pddl(folder: Path) -> list[Table]:
    path = folder / "plans.jsonl"
    if not path.is_file():
        return []
    asked = _asked_for_pddl(path)
    rows = [row for row in _rows(path, "referee_verdict", None) if row.id in asked and row.truth is not None]
    found = _judge(folder, rows, None)
    literal = [_literal(folder, row) for row in rows]
    ways = {"the answer": found.judged, "the extraction": literal}
    table: list[tuple[Cell, ...]] = []
    for way, judged in ways.items():
        same = _percent(judged, lambda each: each.has is each.said.truth)
        steps = _percent(judged, lambda each: each.steps == each.said.plan)
        rates = (found.every, found.short) if judged is found.judged else (None, None)
        unknown = sum(each.has is None for each in judged)
        wrong = [sum(each.has is has and each.said.truth is not has for each in judged) for has in (False, True)]
        table.append((way, len(judged), same, steps, *wrong, unknown, *rates))
    differ = [each.said.id for each in found.judged if each.has is not each.said.truth]
    more = f" and {len(differ) - NAMED} more" if len(differ) > NAMED else ""
    graded = _graded(path, folder.parent / "answers" / "templates")
    return [
        _of("PlanBench: judged answers by domain", _JUDGED, corrected(graded, ("domain",))),
        _of("PlanBench: judged answers, differences", _JUDGED, differences(graded)),
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
                *([f"another verdict on the answer: {', '.join(differ[:NAMED])}{more}"] if differ else []),
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
