"""Two models on the same tasks: the difference of their success with its interval, and McNemar's test."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from validator.errors import ValidatorError, did_you_mean
from validator.grading.summary.rows import Row
from validator.records import dataclass, replace

_RESAMPLES = 10_000
_SEED = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two values of a tag on the tasks that both have.

    A task's success is the share of its records that have the quality; no answer is no success, and neither is one
    that was not understood, of which each side has so many records. ``difference`` is
    mean success of ``first`` less that of ``second``, with its 95 % bootstrap interval over tasks. ``only_first`` and
    ``only_second`` are tasks on which just one succeeds every time, and ``p_value`` is that of McNemar's exact test
    on them (McNemar 1947). ``unpaired`` are tasks that only one of the two has.
    """

    tag: str
    first: str
    second: str
    tasks: int
    unpaired: int
    success_first: float
    success_second: float
    difference: float
    low: float
    high: float
    both: int
    only_first: int
    only_second: int
    neither: int
    p_value: float
    not_understood_first: int = 0
    not_understood_second: int = 0


def compare(rows: Iterable[Row], tag: str, first: str, second: str) -> Comparison:
    """Compare two values of a tag; records of one task have the same model and the same other tags.

    Raises ValidatorError when a value does not occur or no task is common to both.
    """
    values: set[str] = set()
    scores: dict[str, dict[str, list[int]]] = {first: {}, second: {}}
    missed: Counter[str] = Counter()
    for row in rows:
        value = row.value(tag)
        values.add(value)
        if value in scores:
            score = scores[value].setdefault(_task(row, tag), [0, 0])
            score[0] += row.has is True
            score[1] += 1
            missed[value] += row.verdict == "not_understood"
    for name in (first, second):
        if name not in values:
            raise ValidatorError(f"no result has {tag} '{name}'{did_you_mean(name, values)}")
    shares = [{task: has / number for task, (has, number) in scores[name].items()} for name in (first, second)]
    common = shares[0].keys() & shares[1].keys()
    if not common:
        raise ValidatorError(f"no task has results of both '{first}' and '{second}': their other tags differ")
    pairs = [(shares[0][task], shares[1][task]) for task in sorted(common)]
    found = _comparison(tag, first, second, pairs, len(shares[0].keys() ^ shares[1].keys()))
    return replace(found, not_understood_first=missed[first], not_understood_second=missed[second])


def _task(row: Row, tag: str) -> str:
    other = {name: value for name, value in row.tags.items() if name != tag}
    return json.dumps([row.task, other], sort_keys=True)


def _comparison(tag: str, first: str, second: str, pairs: list[tuple[float, float]], unpaired: int) -> Comparison:
    number = len(pairs)
    means = [sum(pair[side] for pair in pairs) / number for side in (0, 1)]
    low, high = _interval([one - other for one, other in pairs])
    full = Counter((one == 1, other == 1) for one, other in pairs)
    return Comparison(
        tag=tag,
        first=first,
        second=second,
        tasks=number,
        unpaired=unpaired,
        success_first=means[0],
        success_second=means[1],
        difference=means[0] - means[1],
        low=low,
        high=high,
        both=full[True, True],
        only_first=full[True, False],
        only_second=full[False, True],
        neither=full[False, False],
        p_value=_mcnemar(full[True, False], full[False, True]),
    )


def _interval(differences: list[float]) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of a mean (Efron 1979).

    Equal differences are drawn together, as counts: a resample costs as many draws as there are different ones.
    """
    import numpy

    counts = Counter(differences)
    values = numpy.array(sorted(counts))
    shares = numpy.array([counts[value] for value in values]) / len(differences)
    drawn = numpy.random.default_rng(_SEED).multinomial(len(differences), shares, size=_RESAMPLES)
    low, high = numpy.quantile(drawn @ values / len(differences), (0.025, 0.975))
    return float(low), float(high)


def _mcnemar(one: int, other: int) -> float:
    if one + other == 0:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(one, one + other).pvalue)
