"""Answers in English: with the templates of their domain and without any, beside a truth that two readers agree on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.answers.said import SHORT, Judged, Pass, answers_of, judge, named, percent
from benchmarks.table import Cell, Goal, Table

RECALL, RECALL_EXTRACTED, WRONG, UNKNOWN, RATE = 99.0, 97.0, 0.5, 10.0, 1_000.0


def in_words(folder: Path) -> list[Table]:
    """Return the tables of a folder with ``answers.jsonl``, and none of another one."""
    path = folder / "answers.jsonl"
    if not path.is_file():
        return []
    rows = list(answers_of(path, "verdict", "extracted_verdict"))
    ways = {"with": judge(folder, rows, folder / "templates"), "without": judge(folder, rows, None)}
    return [_summary(ways)]


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


def _summary(ways: Mapping[str, Pass]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    goals: list[Goal] = []
    notes: list[str] = []
    for way, found in ways.items():
        shares = _shares(found.judged)
        rows.append((way, len(found.judged), *shares, found.every, found.short))
        goals += _goals(way, shares, found.short)
        notes += _wrong(way, found.judged)
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
        percent(valid, lambda each: each.has is True),
        percent(called, lambda each: each.said.truth is True),
        percent([each for each in judged if each.said.extracted], lambda each: each.has is True),
        percent(valid, lambda each: each.has is False),
        percent(invalid, lambda each: each.has is True),
        percent(judged, lambda each: each.has is None),
        percent(with_plan, lambda each: each.steps == each.said.plan),
    )


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


def _wrong(way: str, judged: Sequence[Judged]) -> Iterator[str]:
    """Yield the ids of what was said wrongly, by the truth that is agreed on."""
    wrong = {"valid, called NOT VALID": (True, False), "invalid, called VALID": (False, True)}
    for what, (truth, has) in wrong.items():
        if found := [each for each in judged if each.said.truth is truth and each.has is has]:
            yield f"{way} templates, {what}: {named(found)}"
