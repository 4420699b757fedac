"""The texts checked, and what was said of them: by level, style, voice and mutation."""

from __future__ import annotations

import json
import operator
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import mean, median
from typing import Any

from benchmarks.free_texts.generate import LEVELS, Told, texts
from benchmarks.options import Options
from benchmarks.table import Cell, Goal, Table, absent
from validator import check, prepare
from validator.checking.prepared import Prepared

__all__ = ["of_generated", "of_shared"]

_COUNT, _RIGHT, _BROKEN, _CPU = 5_000, 95.0, 0.3, 4.0

_VERDICTS = {True: "valid", False: "invalid", None: "unknown"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    told: Told
    said: str
    ms: float

    @property
    def is_right(self) -> bool:
        return self.said == self.told.truth or (self.told.truth == "open" and self.said not in self.told.wrong)

    @property
    def is_false(self) -> bool:
        return self.said in self.told.wrong

    def __str__(self) -> str:
        told = self.told
        return (
            f"{told.world}, {told.level}, {told.style}, {told.voice}: {told.truth}, called {self.said}; "
            f"meant {' '.join(told.plan)}\n{told.text}\n"
        )


def of_generated(options: Options) -> Iterator[Table]:
    """Yield the tables of the generated texts."""
    count = _COUNT if options.count is None else options.count
    yield from _tables("free texts", f"generated texts, seed {options.seed}", _judge(texts(count, options.seed)))


def of_shared(options: Options) -> Iterator[Table]:
    """Yield the tables of texts that were made by others; a row repeats what it does not say of the row before it."""
    path = options.data / "free_texts" / "texts.jsonl"
    if missing := absent("free texts: given", path):
        yield from missing
        return
    rows = accumulate(map(json.loads, path.read_text(encoding="utf-8").splitlines()), operator.or_)
    yield from _tables("free texts: given", f"texts of {path.name}", _judge(map(_given, rows)))


def _given(row: Any) -> Told:
    own = {name: row[name] for name in ("world", "domain", "problem", "text", "level", "style")}
    wrong = ("invalid",) if row["verdict"] == "valid" else ("valid",)
    return Told(**own, voice="mixed", plan=tuple(row["plan"]), truth=row["verdict"], wrong=wrong)


def _judge(told: Iterable[Told]) -> list[_Judged]:
    """Check each text with its model, which is prepared once; the time is that of the check alone."""
    models: dict[tuple[str, str], Prepared] = {}
    judged: list[_Judged] = []
    for each in told:
        key = (each.domain, each.problem)
        if key not in models:
            models[key] = prepare(*key)
            check(models[key], None, "", repair=False)
        begun = time.process_time()
        report = check(models[key], None, each.text, repair=False)
        spent = time.process_time() - begun
        judged.append(_Judged(told=each, said=_VERDICTS[report.determination], ms=spent * 1000))
    return judged


_COLUMNS = (
    "of",
    "texts",
    "right",
    "right %",
    "unknown",
    "valid called NOT VALID",
    "broken called VALID",
    "CPU ms",
    "mean",
)


def _tables(title: str, about: str, judged: Sequence[_Judged]) -> Iterator[Table]:
    every = _row("all", judged)
    plain = [each for each in judged if each.told.level in LEVELS]
    decided = [each for each in plain if each.told.truth != "open"]
    false = [each for each in judged if each.is_false]
    invalid = sum(each.told.truth == "invalid" for each in judged)
    made_valid = 100 * sum(each.said == "valid" for each in false) / max(1, invalid)
    yield Table(
        title=title,
        about=f"{about}; right of an open one: no verdict that is wrong; CPU ms of a check: median and mean",
        columns=_COLUMNS,
        rows=(*_rows(judged, lambda told: told.level), every),
        goals=(
            Goal(
                what="valid plans called NOT VALID",
                measured=sum(each.said == "invalid" for each in false),
                limit=0,
                unit="texts",
            ),
            Goal(what="broken plans called VALID", measured=made_valid, limit=_BROKEN, unit="%"),
            Goal(
                what="right, mutations and open ones left out",
                measured=_share(decided or judged),
                limit=_RIGHT,
                unit="%",
                at_least=True,
            ),
            Goal(what="CPU of a text, mean", measured=mean(each.ms for each in judged), limit=_CPU, unit="ms"),
        ),
        wrong=tuple(map(str, false)),
    )


def _share(judged: Sequence[_Judged]) -> float:
    return 100 * sum(each.is_right for each in judged) / max(1, len(judged))


def _rows(judged: Sequence[_Judged], by: Callable[[Told], str]) -> list[tuple[Cell, ...]]:
    names = dict.fromkeys(by(each.told) for each in judged)
    ordered = sorted(names, key=lambda name: (name not in LEVELS, LEVELS.index(name) if name in LEVELS else 0, name))
    return [_row(name, [each for each in judged if by(each.told) == name]) for name in ordered]


def _row(name: str, judged: Sequence[_Judged]) -> tuple[Cell, ...]:
    false = [each.said for each in judged if each.is_false]
    times = [each.ms for each in judged]
    return (
        name,
        len(judged),
        sum(each.is_right for each in judged),
        _share(judged),
        sum(each.said == "unknown" for each in judged),
        false.count("invalid"),
        false.count("valid"),
        median(times),
        mean(times),
    )
