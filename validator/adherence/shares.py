"""What a step and a call of one name have in common: the share of equal arguments over the union of their keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from validator.reading.arguments import named_places
from validator.reading.calls import Argument, Arguments, same
from validator.reading.traces.recording import folded

Schemas: TypeAlias = Mapping[str, tuple[str, ...]]
"""The parameters of each tool, in order, as far as they are known."""


def share(planned: Arguments | None, executed: Arguments | None, order: Sequence[str] = ()) -> Fraction:
    """Return the share of equal arguments over the union of their keys.

    What is unknown is not wrong: arguments that one side does not tell, and placeholders of the plan, count neither
    way. A value by position stands for the parameter at its place: in ``order``, or in the order in which the other
    side writes its names where ``order`` is not known. Values whose names are not in it have no place.
    """
    if planned is None or executed is None:
        return _ONE
    if planned == executed and not any(argument.is_open for argument in planned):
        return _ONE
    ours, theirs = _by_key(planned, executed, order), _by_key(executed, planned, order)
    named = [set(_names(planned)), set(_names(executed))]
    if order and not all(named) and not named[0] | named[1] <= {*order}:
        ours, theirs = _by_value(_by_parameter(planned, order), _by_parameter(executed, order))
    equal, union = 0, len(theirs)
    for key, argument in ours.items():
        other = theirs.get(key)
        if argument.is_open:
            union -= other is not None
        elif other is None:
            union += 1
        else:
            equal += same(argument, other)
    return Fraction(equal, union) if equal != union else _ONE


_ONE = Fraction(1)


def _names(arguments: Arguments) -> list[str]:
    return [argument.name for argument in arguments if argument.name is not None]


def _by_key(arguments: Arguments, others: Arguments, order: Sequence[str]) -> Mapping[str | int | None, Argument]:
    """Return arguments by the name of their parameter, or by their position where that has no name."""
    found: dict[str | int | None, Argument] = {argument.name: argument for argument in arguments}
    if found.pop(None, None) is None:
        return found
    theirs = _names(others)
    if not order or not {*found, *theirs} <= {*order}:  # no schema, or not that of these arguments
        order = theirs
    free = iter([name for name in order if name not in found])
    for place, argument in enumerate(each for each in arguments if each.name is None):
        found[next(free, place)] = argument
    return found


def _by_parameter(arguments: Arguments, order: Sequence[str]) -> dict[str | int | None, Argument]:
    """Return arguments by their parameters; those that name none by their names, those beyond all by their places."""
    places = named_places([argument.name for argument in arguments], order, folded)
    found: dict[str | int | None, Argument] = {order[place]: arguments[number] for place, number in places.items()}
    free = iter([name for name in order if name not in found])
    for number, argument in enumerate(arguments):
        if number not in places.values():
            found[next(free, number) if argument.name is None else argument.name] = argument
    return found


def _by_value(
    ours: dict[str | int | None, Argument], theirs: dict[str | int | None, Argument]
) -> tuple[Mapping[str | int | None, Argument], Mapping[str | int | None, Argument]]:
    """Return both with equal keys for values under names that say no place, first of all where they are equal."""
    for key in [key for key in theirs if key not in ours]:
        equal = (other for other, each in ours.items() if other not in theirs and same(each, theirs[key]))
        if (other := next(equal, None)) is not None:
            theirs[other] = theirs.pop(key)
    left = [key for key in theirs if key not in ours]
    for key, other in zip(left, [key for key in ours if key not in theirs], strict=False):
        theirs[other] = theirs.pop(key)
    return ours, theirs
