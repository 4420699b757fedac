"""Accuracy, spread, precision and convergence of many recognitions, by group and by observability."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import mean, median

from validator.recognize.many.run import Result
from validator.records import dataclass

__all__ = ["Row", "by_group", "by_level", "summary_text", "summary_value"]

_COLUMNS = ("problems", "accuracy", "spread", "precision", "converged", "unproven", "cpu s", "median", "most")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Means over some problems; None where no problem says anything.

    ``precision`` is the share of the true goal among the best, 0 where it is not among them; ``converged`` is over the
    problems in which the goal stays among the best. ``errors`` are those without an answer: nothing else counts them.
    """

    name: str
    problems: int
    errors: int
    accuracy: float | None
    spread: float | None
    precision: float | None
    converged: float | None
    unproven: float | None
    cpu: float
    median: float
    most: float


def by_group(results: Sequence[Result]) -> tuple[Row, ...]:
    """Return a row for each group, and one for all."""
    rows = [_row(group or "-", [one for one in results if one.group == group]) for group in _of(results, "group")]
    return (*rows, _row("all", results))


def by_level(results: Sequence[Result]) -> tuple[Row, ...]:
    """Return a row for each observability."""
    levels = sorted({one.level for one in results if one.level is not None})
    return tuple(_row(f"{level} %", [one for one in results if one.level == level]) for level in levels)


def _of(results: Iterable[Result], name: str) -> list[str]:
    return sorted({getattr(one, name) for one in results})


def _row(name: str, results: Sequence[Result]) -> Row:
    answered = [one for one in results if not one.error]
    judged = [one for one in answered if one.hit is not None]
    seconds = [one.cpu for one in results] or [0.0]
    return Row(
        name=name,
        problems=len(results),
        errors=len(results) - len(answered),
        accuracy=_mean(judged, lambda one: bool(one.hit)),
        spread=_mean(answered, lambda one: one.spread),
        precision=_mean(judged, lambda one: 1 / one.spread if one.hit else 0.0),
        converged=_mean([one for one in judged if one.converged is not None], lambda one: one.converged or 0.0),
        unproven=_mean(answered, lambda one: not one.exact),
        cpu=mean(seconds),
        median=median(seconds),
        most=max(seconds),
    )


def _mean(results: Sequence[Result], value: Callable[[Result], float]) -> float | None:
    return mean(value(one) for one in results) if results else None


def summary_text(results: Sequence[Result]) -> str:
    """Return two tables, and the problems without an answer."""
    lines = _table("group", by_group(results))
    if levels := by_level(results):
        lines += ["", *_table("observed", levels)]
    failed = [one for one in results if one.error]
    lines += [f"no answer: {one.name}: {one.error}" for one in failed]
    return "\n".join(lines) + "\n"


def _table(head: str, rows: Sequence[Row]) -> list[str]:
    cells = [(head, *_COLUMNS), *(cells_of(row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return [
        "  ".join(
            (row[0].ljust(widths[0]), *(one.rjust(width) for one, width in zip(row[1:], widths[1:], strict=True)))
        )
        for row in cells
    ]


def cells_of(row: Row) -> tuple[str, ...]:
    """Return a row as it is shown."""
    shares = (row.accuracy, row.spread, row.precision, row.converged, row.unproven, row.cpu, row.median, row.most)
    return (row.name, str(row.problems), *("" if one is None else f"{one:.3f}" for one in shares))


def summary_value(results: Sequence[Result]) -> dict[str, object]:
    """Return the tables as plain values."""
    return {
        "groups": [_value(row) for row in by_group(results)],
        "levels": [_value(row) for row in by_level(results)],
        "errors": [{"name": one.name, "error": one.error} for one in results if one.error],
    }


def _value(row: Row) -> dict[str, object]:
    return {name: getattr(row, name) for name in Row.__dataclass_fields__}
