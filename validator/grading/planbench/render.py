"""Grades as text, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields

from validator.grading.planbench.grades import Grade
from validator.grading.summary.tables import Cell, Table
from validator.grading.summary.text import tables_text

__all__ = ["RENDER"]


def _text(grades: Sequence[Grade]) -> str:
    """Return the counts by task, domain and model, then every difference with its reason."""
    lines = [tables_text([_counts(grades)])]
    judged = [grade for grade in grades if grade.theirs is not None]
    differ = [grade for grade in judged if grade.why]
    right = sum(grade.ours is True for grade in differ)
    wrong = sum(grade.ours is False for grade in differ)
    missed = sum(map(_is_missed, differ))
    others = {"not understood": missed, "without an answer": len(differ) - right - wrong - missed}
    more = "".join(f", {count:,} {name}" for name, count in others.items() if count)
    lines.append(
        f"\n{len(judged):,} answers that PlanBench judged, {len(differ):,} otherwise than we do: "
        f"{right:,} right ones marked wrong, {wrong:,} wrong ones marked right{more}\n"
    )
    for grade in differ:
        said = {True: "right", False: "wrong", None: "not understood" if _is_missed(grade) else "no answer"}
        lines.append(f"  {grade.id} ({grade.read}): PlanBench {said[grade.theirs]}, here {said[grade.ours]}\n")
        lines.append("".join(f"    {line}\n" for line in grade.why.splitlines()))
    return "".join(lines)


def _is_missed(grade: Grade) -> bool:
    return grade.ours is None and grade.verdict == "not_understood"


def _counts(grades: Iterable[Grade]) -> Table:
    groups: dict[tuple[str, ...], list[Grade]] = {}
    for grade in grades:
        groups.setdefault((grade.task, grade.benchmark, grade.model), []).append(grade)
    rows: list[tuple[Cell, ...]] = []
    for group, found in sorted(groups.items()):
        judged = [grade for grade in found if grade.theirs is not None]
        rows.append(
            (
                *group,
                len(found),
                sum(grade.ours is True for grade in found),
                sum(map(_is_missed, found)),
                sum(grade.theirs is True for grade in judged),
                len(judged),
                sum(bool(grade.why) for grade in judged),
            )
        )
    counted = ("answers", "right", "not understood", "PlanBench's right", "of judged", "differ")
    columns = ("task", "domain", "model", *counted)
    return Table(title="Answers", columns=columns, rows=tuple(rows), keys=3)


def _csv(grades: Sequence[Grade]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([field.name for field in fields(Grade)])
    writer.writerows(["" if cell is None else cell for cell in asdict(grade).values()] for grade in grades)
    return out.getvalue()


def _json(grades: Sequence[Grade]) -> str:
    return json.dumps([asdict(grade) for grade in grades], indent=1) + "\n"


RENDER: Mapping[str, Callable[[Sequence[Grade]], str]] = {"text": _text, "csv": _csv, "json": _json}
"""Format -> the function that makes it."""
