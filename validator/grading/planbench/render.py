"""Grades and the corrected table as text, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields

from validator.grading.planbench.corrected import corrected, differences, is_gained, is_lost, reasons
from validator.grading.planbench.differences import Difference
from validator.grading.planbench.grades import Grade
from validator.grading.summary.tables import Table
from validator.grading.summary.text import tables_text

__all__ = ["RENDER", "RENDER_TABLE"]

_Render = Callable[[Sequence[Grade], Sequence[str]], str]
"""grades and what tables are by -> text"""


def _text(grades: Sequence[Grade], by: Sequence[str]) -> str:
    """Return the tables, then every difference with its reason."""
    return "".join((_table_text(grades, by), "\n", *map(_difference, grades)))


def _difference(grade: Grade) -> str:
    if not grade.difference:
        return ""
    other = "PlanBench" if grade.theirs is not None else "its extraction"
    missed = "not understood" if grade.difference is Difference.NOT_UNDERSTOOD else "no answer"
    said = {True: "right", False: "wrong", None: missed}
    lines = "".join(f"    {line}\n" for line in grade.why.splitlines())
    return (
        f"  {grade.id} ({grade.read}): {other} {said[grade.judged]}, here {said[grade.ours]}: "
        f"{grade.difference}\n{lines}"
    )


def _table_text(grades: Sequence[Grade], by: Sequence[str]) -> str:
    tables = [table for table in _tables(grades, by) if table.rows]
    return f"{tables_text(tables)}\n{_sum(grades)}"


def _tables(grades: Sequence[Grade], by: Sequence[str]) -> tuple[Table, ...]:
    return corrected(grades, by), differences(grades), reasons(grades, by)


def _sum(grades: Sequence[Grade]) -> str:
    """Return in a sentence with what our verdicts were compared, and how many differ."""
    judged = sum(grade.theirs is not None for grade in grades)
    compared = sum(grade.judged is not None for grade in grades) - judged
    differ = [grade for grade in grades if grade.difference]
    gained, lost = sum(map(is_gained, differ)), sum(map(is_lost, differ))
    missed = sum(grade.difference is Difference.NOT_UNDERSTOOD for grade in differ)
    others = {"not understood": missed, "without an answer": len(differ) - gained - lost - missed}
    more = "".join(f", {count:,} {name}" for name, count in others.items() if count)
    both = [f"{judged:,} answers that PlanBench judged"] if judged or not compared else []
    both += [f"{compared:,} without its verdict, beside ours on what it extracted"] if compared else []
    return (
        f"{' and '.join(both)}, {len(differ):,} otherwise than we do: "
        f"{gained:,} right ones marked wrong, {lost:,} wrong ones marked right{more}\n"
    )


def _csv(grades: Sequence[Grade], _: Sequence[str]) -> str:
    return _rows([field.name for field in fields(Grade)], (asdict(grade).values() for grade in grades))


def _table_csv(grades: Sequence[Grade], by: Sequence[str]) -> str:
    table = corrected(grades, by)
    return _rows(table.columns, table.rows)


def _rows(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return out.getvalue()


def _json(grades: Sequence[Grade], _: Sequence[str]) -> str:
    return json.dumps([asdict(grade) for grade in grades], indent=1) + "\n"


def _table_json(grades: Sequence[Grade], by: Sequence[str]) -> str:
    value = {table.title.lower(): _objects(table) for table in _tables(grades, by)}
    return json.dumps(value, indent=1) + "\n"


def _objects(table: Table) -> list[dict[str, object]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


RENDER: Mapping[str, _Render] = {"text": _text, "csv": _csv, "json": _json}
"""Format -> the function that makes it, of every answer."""
RENDER_TABLE: Mapping[str, _Render] = {"text": _table_text, "csv": _table_csv, "json": _table_json}
"""Format -> the function that makes it, of the corrected table alone."""
