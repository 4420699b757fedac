"""The suite: every method asked of every problem, and tables of how often each is right, at what cost."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.measure import cost_of
from benchmarks.options import Options
from benchmarks.table import Cell, Goal, Table, absent
from validator.recognize import Method, Settings, read_problem_set, recognize

__all__ = ["run"]

SEARCH_LIMIT = 0.5
"""CPU seconds of each search"""
TIME_LIMIT = 120.0
"""seconds of the clock for each problem: far more than is needed, unless the machine is very busy"""

_TWO, _ONE = Fraction(2), Fraction(1)
METHODS: Mapping[str, Settings] = {
    "soft (price 2)": Settings(method=Method.SOFT, discard_cost=_TWO),
    "soft (price 1)": Settings(method=Method.SOFT, discard_cost=_ONE),
    "exact": Settings(method=Method.EXACT),
    "linear programs": Settings(method=Method.LINEAR),
}
_DEFAULT = "soft (price 2)"
_PART = 3
"""Every such problem is asked of the methods that are not the default"""

_PUBLISHED = (
    "published, means over the whole data set (Santos et al. 2021), accuracy / spread, clean and noisy: "
    "Ramirez and Geffner 2009 0.95 / 2.54 and 0.49 / 1.35; landmarks 0.76 / 1.35 and 0.73 / 1.30; "
    "linear programs 0.93 / 1.88 and 0.89 / 1.89"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one method said of one problem; ``hit`` says that the true goal is among the ``size`` best."""

    noisy: bool
    hit: bool
    size: int
    exact: bool
    cpu: float
    wall: float


def run(options: Options) -> list[Table]:
    """Measure every method: the one that is the default on every problem, the others on every third."""
    folder = options.data / "recognition"
    index, expected = folder / "index.json", folder / "expected.json"
    if missing := absent("recognition", index, expected):
        return missing
    entries = [
        entry
        for entry in json.loads(index.read_text(encoding="utf-8"))
        if options.only in (None, entry["domain"].removesuffix("-noisy"))
    ]
    known = json.loads(expected.read_text(encoding="utf-8"))
    answers: dict[str, list[Answer]] = {}
    for name in METHODS:
        part = entries if name == _DEFAULT else entries[::_PART]
        answers[name] = [_answer(folder, entry, known[entry["path"]], name) for entry in part]
        print(f"recognition: {name} done", file=sys.stderr, flush=True)
    return [_summary(answers, whole=options.only is None)]


def _answer(folder: Path, entry: Mapping[str, Any], known: Mapping[str, Any], method: str) -> Answer:
    limited = replace(METHODS[method], search_limit=SEARCH_LIMIT, time_limit=TIME_LIMIT)
    cost, found = cost_of(lambda: recognize(read_problem_set(folder / entry["path"]), limited))
    return Answer(
        noisy=entry["noisy"],
        hit=known["real"] in found.best,
        size=len(found.best),
        exact=found.exact,
        cpu=cost.cpu,
        wall=cost.wall,
    )


def _summary(answers: Mapping[str, Sequence[Answer]], *, whole: bool) -> Table:
    """Return accuracy and spread of each method; the goals are for the whole sample."""
    rows: list[tuple[Cell, ...]] = []
    for name, found in answers.items():
        for noisy in (False, True):
            some = [answer for answer in found if answer.noisy is noisy]
            if some:
                rows.append((name, _kind(noisy), len(some), *_figures(some)))
    soft = answers[_DEFAULT]
    return Table(
        title="recognition",
        about=f"the true goal among the best; the whole pipeline from files, at most {SEARCH_LIMIT} CPU s a search",
        columns=(*("method", "observations", "problems", "accuracy", "spread", "cpu s", "median", "most", "unproven"),),
        rows=tuple(rows),
        goals=tuple(_goals(soft)) if whole else (),
        notes=("unproven: problems with a goal that might be better than, or as good as, the best", _PUBLISHED),
    )


def _figures(answers: Sequence[Answer]) -> tuple[Cell, ...]:
    seconds = [answer.cpu for answer in answers]
    open_ones = sum(not answer.exact for answer in answers)
    return (*_quality(answers), mean(seconds), median(seconds), max(seconds), open_ones)


def _quality(answers: Sequence[Answer]) -> tuple[float, float]:
    return mean(answer.hit for answer in answers), mean(answer.size for answer in answers)


def _goals(soft: Sequence[Answer]) -> Iterable[Goal]:
    for noisy, least, most in ((False, 0.98, 1.6), (True, 0.92, 1.8)):
        some = [answer for answer in soft if answer.noisy is noisy]
        if some:
            accuracy, spread = _quality(some)
            yield Goal(what=f"accuracy, {_kind(noisy)}", measured=accuracy, limit=least, unit="", at_least=True)
            yield Goal(what=f"spread, {_kind(noisy)}", measured=spread, limit=most, unit="goals")
    yield Goal(what="a problem", measured=mean(answer.cpu for answer in soft), limit=0.35, unit="CPU s on average")
    seconds = [answer.cpu for answer in soft]
    yield Goal(what="a problem, median", measured=median(seconds), limit=1.0, unit="CPU s")
    yield Goal(what="a problem, at most", measured=max(seconds), limit=10.0, unit="CPU s")
    unproven = mean(not answer.exact for answer in soft)
    yield Goal(what="problems whose best goals are not proven", measured=unproven, limit=0.1, unit="")
    answered = mean(answer.size > 0 for answer in soft)
    yield Goal(what="problems with an answer", measured=answered, limit=1.0, unit="", at_least=True)
    slowest = max(answer.wall for answer in soft)
    yield Goal(what="the slowest problem", measured=slowest, limit=TIME_LIMIT, unit="s of the clock")


def _kind(noisy: bool) -> str:
    return "noisy" if noisy else "clean"
