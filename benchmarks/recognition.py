"""Goal recognition on a sample of the public data set, beside figures and costs that were found before.

A folder of problems in the data set's format with an ``index.json`` (``path``, ``domain``, ``noisy``, ``level``) and an
``expected.json``: for each path ``real`` (the index of the true goal), ``unmatched_obs``, ``base`` (cheapest costs),
and cost differences ``delta_strict``, ``delta_soft1``, ``delta_soft2``, each a list with an entry for each goal: a
number that was proven, "inf", or ``{"ge": bound}``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.measure import Cost, cost_of
from benchmarks.options import Options
from benchmarks.table import Cell, Goal, Table, skipped
from validator.grounding.planner import Limits
from validator.recognize import (
    Method,
    Posterior,
    Recognition,
    RecognitionProblem,
    Settings,
    Standing,
    read_problem_set,
    recognize,
)
from validator.recognize.problem import Order
from validator.recognize.search.grounded import Grounded, ground_once
from validator.recognize.search.landmarks import find_landmarks
from validator.recognize.search.observed import observed

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
    "exact (rg2010)": Settings(posterior=Posterior.RG2010),
    "linear programs": Settings(method=Method.LINEAR),
    "landmarks": Settings(method=Method.LANDMARKS),
    "landmarks (uniqueness)": Settings(method=Method.UNIQUENESS),
}
_INDEXED = {"soft (price 2)": "delta_soft2", "soft (price 1)": "delta_soft1", "exact": "delta_strict"}

_PUBLISHED = (
    "published, means over the whole data set (Santos et al. 2021), accuracy / spread, clean and noisy: "
    "Ramirez and Geffner 2009 0.95 / 2.54 and 0.49 / 1.35; landmarks 0.76 / 1.35 and 0.73 / 1.30; "
    "linear programs 0.93 / 1.88 and 0.89 / 1.89"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one method said of one problem; ``hit`` says that the true goal is among the best."""

    entry: Mapping[str, Any]
    found: Recognition
    hit: bool
    cost: Cost


def run(options: Options) -> list[Table]:
    """Measure every method on every problem, and compare all costs with those that were proven before."""
    folder = options.data / "recognition"
    index, expected = folder / "index.json", folder / "expected.json"
    if not index.is_file() or not expected.is_file():
        return [skipped("recognition", f"no index.json and expected.json in {folder} (see --data)")]
    entries = [
        entry
        for entry in json.loads(index.read_text(encoding="utf-8"))
        if options.only in (None, entry["domain"].removesuffix("-noisy"))
    ]
    known = json.loads(expected.read_text(encoding="utf-8"))
    answers: dict[str, list[Answer]] = {}
    tables = []
    for name, settings in METHODS.items():
        answers[name] = [_answer(folder, entry, known, settings) for entry in entries]
        print(f"recognition: {name} done", file=sys.stderr)
    landmarks = _landmark_seconds(folder, entries)
    tables += [_summary(answers, landmarks, whole=options.only is None), _landmarks(landmarks)]
    tables.append(_by_level(answers))
    tables += [_agreement(folder, name, answers[name], known, key) for name, key in _INDEXED.items()]
    return tables


def _answer(folder: Path, entry: Mapping[str, Any], known: Mapping[str, Any], settings: Settings) -> Answer:
    limited = replace(settings, search_limit=SEARCH_LIMIT, time_limit=TIME_LIMIT)
    cost, found = cost_of(lambda: recognize(read_problem_set(folder / entry["path"]), limited))
    return Answer(entry=entry, found=found, hit=known[entry["path"]]["real"] in found.best, cost=cost)


# --- accuracy --------------------------------------------------------------------------------------


def _summary(answers: Mapping[str, Sequence[Answer]], landmarks: Sequence[float], *, whole: bool) -> Table:
    """Return accuracy and spread of each method; the goals are for the whole sample."""
    rows: list[tuple[Cell, ...]] = []
    for name, found in answers.items():
        for noisy in (False, True):
            some = [answer for answer in found if answer.entry["noisy"] is noisy]
            if some:
                rows.append((name, _kind(noisy), len(some), *_figures(some)))
    soft = answers["soft (price 2)"]
    return Table(
        title="recognition",
        about=f"the true goal among the best; the whole pipeline from files, at most {SEARCH_LIMIT} CPU s a search",
        columns=(*("method", "observations", "problems", "accuracy", "spread", "cpu s", "median", "most", "unproven"),),
        rows=tuple(rows),
        goals=tuple(_goals(soft, landmarks)) if whole else (),
        notes=("unproven: problems with a goal that might be better than, or as good as, the best", _PUBLISHED),
    )


def _figures(answers: Sequence[Answer]) -> tuple[Cell, ...]:
    seconds = [answer.cost.cpu for answer in answers]
    open_ones = sum(not answer.found.exact for answer in answers)
    return (*_quality(answers), mean(seconds), median(seconds), max(seconds), open_ones)


def _quality(answers: Sequence[Answer]) -> tuple[float, float]:
    return mean(answer.hit for answer in answers), mean(len(answer.found.best) for answer in answers)


def _goals(soft: Sequence[Answer], landmarks: Sequence[float]) -> Iterable[Goal]:
    for noisy, least, most in ((False, 0.98, 1.5), (True, 0.92, 1.7)):
        some = [answer for answer in soft if answer.entry["noisy"] is noisy]
        if some:
            accuracy, spread = _quality(some)
            yield Goal(what=f"accuracy, {_kind(noisy)}", measured=accuracy, limit=least, unit="", at_least=True)
            yield Goal(what=f"spread, {_kind(noisy)}", measured=spread, limit=most, unit="goals")
    yield Goal(what="a problem", measured=mean(answer.cost.cpu for answer in soft), limit=0.35, unit="CPU s on average")
    seconds = [answer.cost.cpu for answer in soft]
    yield Goal(what="a problem, median", measured=median(seconds), limit=1.0, unit="CPU s")
    yield Goal(what="a problem, at most", measured=max(seconds), limit=10.0, unit="CPU s")
    unproven = mean(not answer.found.exact for answer in soft)
    yield Goal(what="problems whose best goals are not proven", measured=unproven, limit=0.1, unit="")
    answered = mean(bool(answer.found.best) for answer in soft)
    yield Goal(what="problems with an answer", measured=answered, limit=1.0, unit="", at_least=True)
    slowest = max(answer.cost.wall for answer in soft)
    yield Goal(what="the slowest problem", measured=slowest, limit=TIME_LIMIT, unit="s of the clock")
    yield Goal(what="landmarks of a problem", measured=1000 * mean(landmarks), limit=10, unit="CPU ms on average")


def _kind(noisy: bool) -> str:
    return "noisy" if noisy else "clean"


def _by_level(answers: Mapping[str, Sequence[Answer]]) -> Table:
    groups: dict[tuple[bool, int], dict[str, list[Answer]]] = {}
    for name, found in answers.items():
        for answer in found:
            group = groups.setdefault((answer.entry["noisy"], answer.entry["level"]), {})
            group.setdefault(name, []).append(answer)
    rows: list[tuple[Cell, ...]] = []
    for (noisy, level), methods in sorted(groups.items()):
        cells = []
        for found in methods.values():
            accuracy, spread = _quality(found)
            cells.append(f"{accuracy:.2f} / {spread:.2f} / {mean(answer.cost.cpu for answer in found):.2f}")
        rows.append((_kind(noisy), f"{level} %", len(next(iter(methods.values()))), *cells))
    return Table(
        title="recognition by observability",
        about="accuracy / spread / CPU s",
        columns=("observations", "observed", "problems", *answers),
        rows=tuple(rows),
    )


def _landmark_seconds(folder: Path, entries: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return for each problem the CPU seconds of landmarks and scores, the model being grounded."""
    seconds = []
    for entry in entries:
        problem = read_problem_set(folder / entry["path"])
        grounded = ground_once(problem, (), Limits(deadline=time.monotonic() + TIME_LIMIT, memory=4 * 2**30))
        assert isinstance(grounded, Grounded)
        cost, _ = cost_of(_scoring(problem, grounded))
        seconds.append(cost.cpu)
    return seconds


def _landmarks(seconds: Sequence[float]) -> Table:
    return Table(
        title="recognition: landmarks",
        about="landmarks and scores alone, the model being grounded",
        columns=("problems", "cpu ms", "most ms"),
        rows=((len(seconds), 1000 * mean(seconds), 1000 * max(seconds)),),
    )


def _scoring(problem: RecognitionProblem, grounded: Grounded) -> Callable[[], object]:
    def score() -> list[float | None]:
        seen = observed(
            problem, grounded, problem.observations, price=_TWO, missing=Fraction(0), order=Order.TOTAL
        ).seen
        landmarks = find_landmarks(grounded)
        return [landmarks.score(goal, seen) for goal in grounded.goals]

    return score


# --- proven costs ----------------------------------------------------------------------------------


def _agreement(folder: Path, name: str, answers: Sequence[Answer], known: Mapping[str, Any], key: str) -> Table:
    """Compare proven costs; a number that both proved and that differs is wrong."""
    same = more = open_ones = 0
    wrong, reread = [], []
    for answer in answers:
        path = answer.entry["path"]
        found, entry = answer.found, known[path]
        if len(found.unmatchable) != entry["unmatched_obs"]:
            reread.append(path)
            found = _as_indexed(folder / path, METHODS[name])
        for place, one in enumerate(found.candidates):
            if one.standing is Standing.UNSOLVABLE:
                bounds: tuple[Fraction | None, Fraction | None] = (None, None)
                pairs = [(entry["base"][place], bounds)]
            else:
                assert one.base is not None
                pairs = [(entry["base"][place], (one.base.lower, one.base.upper))]
                delta = (None, None) if one.delta is None else (one.delta.lower, one.delta.upper)
                pairs.append((entry[key][place], delta))
            for before, (lower, upper) in pairs:
                verdict = _compared(before, lower, upper)
                same += verdict == "same"
                more += verdict == "more"
                open_ones += verdict == "open"
                if verdict == "wrong":
                    wrong.append(f"{path}, goal {place}: {before} before, {lower} to {upper} now")
    notes = ["more: proven here only; open: a bound here, proven before"]
    if reread:
        notes.append(
            f"{len(reread)} problems were compared with their steps without arguments taken as unmatchable, which is "
            "how the index reads them; everywhere else such a step is the action of that name"
        )
    return Table(
        title=f"recognition: proven costs, {name}",
        about=f"costs without observations, and the difference that they make, beside {key}",
        columns=("same", "more", "open", "wrong"),
        rows=((same, more, open_ones, len(wrong)),),
        notes=tuple(notes),
        wrong=tuple(wrong),
    )


def _compared(before: object, lower: Fraction | None, upper: Fraction | None) -> str:
    """Compare a cost of the index with bounds of ours; both None when we proved that there is no plan."""
    infinite, exact = lower is None, lower is not None and lower == upper
    if before == "inf":
        return "same" if infinite else "wrong" if upper is not None else "open"
    if isinstance(before, dict):
        contradicts = upper is not None and upper < before["ge"]
        return "wrong" if contradicts else "more" if infinite or exact else "bound"
    if infinite or before is None:
        return "wrong" if infinite else "more"
    if exact:
        return "same" if lower == before else "wrong"
    assert isinstance(before, int) and lower is not None
    return "open" if lower <= before and (upper is None or before <= upper) else "wrong"


def _as_indexed(path: Path, settings: Settings) -> Recognition:
    """Recognise with the steps without arguments taken as unmatchable, and time enough to prove everything."""
    problem = read_problem_set(path)
    seen = tuple(
        replace(one, fault="without arguments") if one.step is not None and not one.step.args else one
        for one in problem.observations
    )
    return recognize(replace(problem, observations=seen), replace(settings, search_limit=10 * SEARCH_LIMIT))
