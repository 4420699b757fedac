"""Calls of tools against the expected ones: what DeepEval's ToolCorrectness asks, without a language model.

Where that metric (4.3.1) is wrong, this one is right: three equal calls against three equal expected ones score 1, not
1/3; calls without arguments are compared, not a crash; calls and expected calls are matched best, not one after the
other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Any

from validator.metrics.assignment import heaviest_assignment
from validator.reading.calls.objects import read_object
from validator.reading.values import equal
from validator.records import dataclass


class Matching(StrEnum):
    """Which calls stand for which expected ones."""

    ANY = "any"
    """in any order; further calls cost nothing"""
    ORDERED = "ordered"
    """in the expected order; further calls cost nothing"""
    EXACT = "exact"
    """one for one, and nothing else: 1 or 0"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCorrectness:
    """``score`` is the sum of the matches' weights over the number of expected calls.

    ``missing`` are the names of expected calls that nothing stands for, ``extra`` those of calls that stand for
    nothing, ``partial`` names with the weight of a match that is not whole.
    """

    score: float
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    partial: tuple[tuple[str, float], ...] = ()

    @property
    def reason(self) -> str:
        """Return a sentence for each deviation."""
        found = [f"{name} was expected and not called." for name in self.missing]
        found += [f"{name} was called, with a share of {weight:.3g} as expected." for name, weight in self.partial]
        found += [f"{name} was called and not expected." for name in self.extra]
        return " ".join(found) or "Every expected tool was called, and no other."


@dataclass(frozen=True, slots=True)
class _Call:
    name: str
    kind: str
    arguments: Any
    output: Any


def tool_correctness(
    called: Iterable[Any],
    expected: Iterable[Any],
    *,
    matching: Matching | str = Matching.ANY,
    with_arguments: bool = False,
    with_outputs: bool = False,
) -> ToolCorrectness:
    """Return how far the called tools are the expected ones.

    A call is a name, a mapping or an object with ``name`` and, where they are known, ``type``, ``input_parameters`` (or
    ``inputParameters``, ``arguments``) and ``output``. Calls of one name and type match with weight 1;
    ``with_arguments`` by the share of equal arguments over the union of their keys, mappings inside likewise, arguments
    that are not given being none; ``with_outputs`` only with equal outputs. Nothing expected and nothing called scores
    1, nothing expected and something called 0. Raises ValueError for what has no name.
    """
    ours, theirs = [_call(call) for call in called], [_call(call) for call in expected]
    weights = [[_weight(call, wanted, with_arguments, with_outputs) for call in ours] for wanted in theirs]
    pairs = heaviest_assignment(weights) if Matching(matching) is Matching.ANY else _chain(weights)
    score = _share(weights, pairs, len(ours))
    if Matching(matching) is Matching.EXACT:
        score = Fraction(len(ours) == len(theirs) and all(row[place] == 1 for place, row in enumerate(weights)))
    shares = [(theirs[row].name, float(weights[row][column])) for row, column in pairs]
    return ToolCorrectness(
        score=float(score),
        missing=_left(theirs, (row for row, _ in pairs)),
        extra=_left(ours, (column for _, column in pairs)),
        partial=tuple((name, weight) for name, weight in shares if weight < 1),
    )


def _share(weights: Sequence[Sequence[Fraction]], pairs: Sequence[tuple[int, int]], called: int) -> Fraction:
    if not weights:
        return Fraction(not called)
    return sum((weights[row][column] for row, column in pairs), Fraction(0)) / len(weights)


def _left(calls: Sequence[_Call], matched: Iterable[int]) -> tuple[str, ...]:
    used = Counter(matched)
    return tuple(call.name for index, call in enumerate(calls) if index not in used)


def _call(call: Any) -> _Call:
    if isinstance(call, str):
        return _Call(call, "FUNCTION", {}, None)
    value = call if isinstance(call, Mapping) else {name: getattr(call, name, None) for name in _FIELDS}
    read = read_object({name: each for name, each in value.items() if name != "type"})
    if isinstance(read, str):
        raise ValueError(f"a call needs a name: {call!r:.80}")
    kind = value.get("type")
    return _Call(read.name, str(getattr(kind, "value", kind) or "FUNCTION"), read.given or {}, value.get("output"))


_FIELDS = ("name", "type", "input_parameters", "output")
"""of a call that is an object of a class, such as DeepEval's"""


def _weight(call: _Call, wanted: _Call, with_arguments: bool, with_outputs: bool) -> Fraction:
    if (call.name, call.kind) != (wanted.name, wanted.kind) or (with_outputs and not equal(call.output, wanted.output)):
        return Fraction(0)
    return _equal_share(call.arguments, wanted.arguments) if with_arguments else Fraction(1)


def _equal_share(one: Any, other: Any) -> Fraction:
    if equal(one, other):
        return Fraction(1)
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return Fraction(0)
    keys = one.keys() | other.keys()
    return sum((_equal_share(one[key], other[key]) for key in one.keys() & other.keys()), Fraction(0)) / len(keys)


def _chain(weights: Sequence[Sequence[Fraction]]) -> list[tuple[int, int]]:
    """Return the pairs of a heaviest match that keeps the order of both sides, those of weight 0 left out."""
    if not weights:
        return []
    columns = len(weights[0])
    best = [[Fraction(0)] * (columns + 1)]
    for row in weights:
        line = [Fraction(0)]
        for column, weight in enumerate(row):
            line.append(max(best[-1][column + 1], line[column], best[-1][column] + weight))
        best.append(line)
    pairs = []
    last, column = len(weights), columns
    while last and column:
        if best[last][column] == best[last - 1][column]:
            last -= 1
        elif best[last][column] == best[last][column - 1]:
            column -= 1
        else:
            last, column = last - 1, column - 1
            pairs.append((last, column))
    return pairs[::-1]
