"""Costs that recognition proves, beside those that were proven before: a number that differs is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.recognition.asked import METHODS, SEARCH_LIMIT, Answer
from benchmarks.table import Table
from validator.recognize import (
    Recognition,
    Settings,
    Standing,
    read_problem_set,
    recognize,
)

__all__ = ["agreement", "compared_with"]


def agreement(name: str, answers: Sequence[Answer], key: str) -> Table:
    """Add up the comparisons with costs that were proven before."""
    wrong = tuple(text for answer in answers for text in answer.wrong)
    notes = ["more: proven here only; open: a bound here, proven before"]
    if reread := sum(answer.reread for answer in answers):
        notes.append(
            f"{reread} problems were compared with their steps without arguments taken as unmatchable, which is "
            "how the index reads them; everywhere else such a step is the action of that name"
        )
    counts = tuple(sum(getattr(answer, count) for answer in answers) for count in ("same", "more", "open"))
    return Table(
        title=f"recognition: proven costs, {name}",
        about=f"costs without observations, and the difference that they make, beside {key}",
        columns=("same", "more", "open", "wrong"),
        rows=((*counts, len(wrong)),),
        notes=tuple(notes),
        wrong=wrong,
    )


def compared_with(
    answer: Answer, found: Recognition, folder: Path, known: Mapping[str, Any], method: str, key: str
) -> Answer:
    """Compare proven costs; a number that both proved and that differs is wrong."""
    reread = len(found.unmatchable) != known["unmatched_obs"]
    if reread:
        found = _as_indexed(folder / answer.path, METHODS[method])
    wrong: list[str] = []
    said: Counter[str] = Counter()
    for place, one in enumerate(found.candidates):
        bounds: tuple[Fraction | None, Fraction | None] = (None, None)
        if one.standing is Standing.UNSOLVABLE:
            pairs = [(known["base"][place], bounds)]
        else:
            assert one.base is not None
            delta = bounds if one.delta is None else (one.delta.lower, one.delta.upper)
            pairs = [(known["base"][place], (one.base.lower, one.base.upper)), (known[key][place], delta)]
        for before, (lower, upper) in pairs:
            said[_compared(before, lower, upper)] += 1
            if _compared(before, lower, upper) == "wrong":
                wrong.append(f"{answer.path}, goal {place}: {before} before, {lower} to {upper} now")
    return replace(answer, same=said["same"], more=said["more"], open=said["open"], wrong=tuple(wrong), reread=reread)


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
