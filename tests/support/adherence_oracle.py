"""What an adherence is by its definition: every order of every set, every chain of pairs, in fractions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import groupby, permutations, product
from typing import Any, Literal, TypeAlias

from tests.support.written_traces import Made

Types: TypeAlias = Literal["all", "quoted", "none"]

OPEN = object()
"""the value of an argument that the plan leaves open"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A planned step. ``arguments`` are by name, or by place where the keys are numbers; None leaves all of them open.

    ``types`` says which values its source tells the types of: all of them (JSON), texts in quotes, lists and objects (a
    written call), or none (words). Those of one ``batch`` have no order.
    """

    name: str
    arguments: Mapping[str | int, Any] | None
    types: Types
    batch: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The weight of a heaviest chain, the most equal pairs that one has, and how many steps and calls there are."""

    weight: Fraction
    equal: int
    steps: int
    calls: int


def counted(calls: Sequence[Made], policy: str) -> list[Made]:
    """Return the calls that count, of those some of which failed."""
    if policy == "drop":
        return [call for call in calls if call.error is None]
    if policy == "count":
        return list(calls)
    sets = [list(made) for _, made in groupby(calls, key=lambda call: call.batch)]
    kept = list[Made]()
    for number, made in enumerate(sets):
        after = sets[number + 1] if number + 1 < len(sets) else []
        for place, call in enumerate(made):
            again = [*(each for each in made[:place] if each.error is None), *made[place + 1 :], *after]
            if not (call.error and any((call.name, _typed(call)) == (each.name, _typed(each)) for each in again)):
                kept.append(call)
    return kept


def compared(plan: Sequence[Wanted], calls: Sequence[Made], declared: Mapping[str, Sequence[str]]) -> Compared:
    """Compare a plan with calls; parameters are ``declared`` in their order where a trace declares its tools."""
    weights = [[_share(step, call, declared.get(call.name, ())) for call in calls] for step in plan]
    best = (Fraction(0), 0)
    for steps in _orders([step.batch for step in plan]):
        for made in _orders([call.batch for call in calls]):
            best = max(best, _heaviest(steps, made, weights))
    return Compared(weight=best[0], equal=best[1], steps=len(plan), calls=len(calls))


def _orders(batches: Sequence[int | None]) -> Iterator[list[int]]:
    """Yield the orders of members; those of one batch that stand behind each other have none among them."""
    groups: list[list[int]] = []
    for batch, members in groupby(range(len(batches)), key=lambda place: batches[place]):
        places = list(members)
        groups += [places] if batch is not None else [[place] for place in places]
    for chosen in product(*map(permutations, groups)):
        yield [place for group in chosen for place in group]


def _heaviest(
    steps: Sequence[int], calls: Sequence[int], weights: Sequence[Sequence[Fraction | None]]
) -> tuple[Fraction, int]:
    """Return the heaviest chain of pairs that do not cross, and of those the most equal pairs."""

    @cache
    def best(step: int, call: int) -> tuple[Fraction, int]:
        if step == len(steps) or call == len(calls):
            return Fraction(0), 0
        found = max(best(step + 1, call), best(step, call + 1))
        weight = weights[steps[step]][calls[call]]
        if weight is not None:
            rest, equal = best(step + 1, call + 1)
            found = max(found, (weight + rest, equal + (weight == 1)))
        return found

    return best(0, 0)


def _share(step: Wanted, call: Made, order: Sequence[str]) -> Fraction | None:
    """Return the share of equal arguments over the union of their names; None for another tool."""
    if step.name != call.name:
        return None
    if step.arguments is None:
        return Fraction(1)
    theirs = dict(call.arguments)
    known = order if theirs.keys() <= set(order) and _names(step) <= set(order) else list(theirs)
    ours: dict[Any, Any] = {}
    free = [name for name in known if name not in step.arguments]
    for key, value in step.arguments.items():
        ours[key if isinstance(key, str) else free.pop(0) if free else key] = value
    closed = [name for name, value in ours.items() if value is not OPEN]
    union = {*closed, *(name for name in theirs if ours.get(name) is not OPEN)}
    equal = sum(name in theirs and _is_equal(ours[name], theirs[name], step.types) for name in closed)
    return Fraction(equal, len(union)) if union else Fraction(1)


def _names(step: Wanted) -> set[str]:
    return {key for key in step.arguments or () if isinstance(key, str)}


def _is_equal(one: Any, other: Any, types: Types) -> bool:
    if types == "all" or (types == "quoted" and isinstance(one, str | list | Mapping)):
        return _key(one) == _key(other)
    return _text(one) == _text(other)


def _text(value: Any) -> object:
    """Return a value as a text of a plan says it: without its type, and without case."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int | float):
        return Fraction(str(value))
    if isinstance(value, str):
        try:
            return Fraction(value)
        except ValueError:
            return value.casefold()
    return _key(value)


def _key(value: Any) -> object:
    """Return a JSON value so that it is equal to others of its type only; 1.0 is 1."""
    if isinstance(value, Mapping):
        return frozenset((name, _key(each)) for name, each in value.items())
    if isinstance(value, list):
        return tuple(map(_key, value))
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return type(value).__name__, value
    return Fraction(str(value))


def _typed(call: Made) -> object:
    return tuple(call.arguments), _key(dict(call.arguments))
