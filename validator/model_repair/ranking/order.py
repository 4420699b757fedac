"""Repairs of the same size in order, the likeliest first, each with what speaks for it and against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from validator.model.values import Atom, Domain, Not
from validator.model_repair.cases import Case
from validator.model_repair.edits import Edit, Kind
from validator.model_repair.ranking.context import Context, Entry, Place
from validator.model_repair.ranking.features import features
from validator.model_repair.ranking.runs import run_features
from validator.model_repair.ranking.weights import WEIGHTS

__all__ = ["ranked", "seen"]

_PLACES = {
    Kind.REMOVE_PRECONDITION: (Place.PRECONDITION, -1),
    Kind.ADD_PRECONDITION: (Place.PRECONDITION, 1),
    Kind.ADD_ADD: (Place.ADD, 1),
    Kind.REMOVE_ADD: (Place.ADD, -1),
    Kind.ADD_DELETE: (Place.DELETE, 1),
    Kind.REMOVE_DELETE: (Place.DELETE, -1),
}


_MOST_RUN = 10
"""sets, the likeliest by their literals, of which is also looked how the first plan runs"""


def ranked(
    sets: Sequence[frozenset[Edit]], domain: Domain, cases: Sequence[Case]
) -> list[tuple[frozenset[Edit], tuple[str, ...]]]:
    """Return sets of edits in order; those that are equally likely stand in order of their words."""
    if len(sets) == 1:
        return [(sets[0], ())]
    context = Context(domain, [case.model.problem.init for case in cases], [case.model.problem.goal for case in cases])
    found = {edit: seen(context, edit) for edit in frozenset.union(*sets)}
    values = {edits: sum(_value(found[edit]) for edit in edits) for edits in sets}
    runs = _runs(sorted(sets, key=lambda edits: _place(values, edits))[:_MOST_RUN], domain, cases)
    values |= {edits: values[edits] + _value(run) for edits, run in runs.items()}
    order = [*sorted(runs, key=lambda edits: _place(values, edits))]
    order += sorted(values.keys() - runs.keys(), key=lambda edits: _place(values, edits))
    common = frozenset.intersection(*sets)
    return [
        (edits, tuple(_reasons({edit: found[edit] for edit in edits - common}, runs.get(edits, {})))) for edits in order
    ]


def _place(values: Mapping[frozenset[Edit], float], edits: frozenset[Edit]) -> tuple[float, list[str]]:
    return -round(values[edits], 6), sorted(map(str, edits))


def _runs(
    sets: Sequence[frozenset[Edit]], domain: Domain, cases: Sequence[Case]
) -> dict[frozenset[Edit], Mapping[str, float]]:
    """Return what is seen of each set where the first plan runs, less what is seen of all."""
    case = next((case for case in cases if not case.must_fail), None)
    found = {edits: run_features(domain, case, edits) if case else {} for edits in sets}
    least = {name: min(run.get(name, 0.0) for run in found.values()) for run in found.values() for name in run}
    return {edits: {name: value - least[name] for name, value in run.items()} for edits, run in found.items()}


_TOLD, _LEAST = 3, 0.5


def _reasons(edits: Mapping[Edit, Mapping[str, float]], run: Mapping[str, float]) -> Iterator[str]:
    """Yield what speaks most for a set of edits and against it, of those that other sets do not have."""
    for name, value in run.items():
        if WEIGHTS.get(name, 0.0) * value <= -_LEAST / 2:
            yield f"against it: {_RUN_PHRASES[name]}"
    found = [
        (WEIGHTS.get(name, 0.0) * value, edit, name.partition(" ")[2])
        for edit, what in edits.items()
        for name, value in what.items()
        if " " in name and name != edit.kind.value and not name.endswith("has no arguments")
    ]
    for weight, edit, name in sorted(found, key=lambda one: (-abs(one[0]), str(one[1])))[:_TOLD]:
        if abs(weight) >= _LEAST:
            yield f"{'for' if weight > 0 else 'against'} it: {edit}: the literal {_PHRASES.get(name, name)}"


_RUN_PHRASES = {
    "run breaks a mutex group": "along the plan two atoms hold at once of which initially at most one does",
    "run admits its steps elsewhere": "more steps can be executed in states in which the plan has others",
    "run has steps without effect": "more steps of the plan change nothing",
}

_PHRASES = {
    "alone": "is the only condition",
    "in actions like this": "stands, or does not, in actions like this",
    "over variables of other kinds": "is over variables of other kinds than elsewhere",
    "types differ": "is over variables of other types than declared",
    "nothing else is added": "is the only one that is added",
    "nothing else is deleted": "is the only one that is deleted",
    "added with other arguments": "is added with other arguments",
    "deleted with other arguments": "is deleted with other arguments",
    "asked with other arguments": "is asked for with other arguments",
    "is asked here": "is a condition of the action",
    "is added here": "is an effect of the action",
    "is deleted here": "is deleted by the action",
    **{
        f"of a predicate {what}": f"is of a predicate {what}"
        for what in (
            "that nothing changes",
            "that nothing adds",
            "that nothing deletes",
            "that nothing asks for",
            "that never holds",
            "of the goal",
        )
    },
}


def seen(context: Context, edit: Edit) -> Mapping[str, float]:
    """Return what is seen of the literal that an edit puts in, or with the sign turned of the one that it removes."""
    place, sign = _PLACES.get(edit.kind, (None, 0))
    inner = edit.formula.part if isinstance(edit.formula, Not) else edit.formula
    if place is None or not isinstance(inner, Atom):
        return {f"{edit.kind.value} of another kind": 1.0}
    entry = Entry(edit.action, place, inner, isinstance(edit.formula, Not))
    found = {name: sign * value for name, value in features(context, entry).items()}
    return {**found, edit.kind.value: 1.0}


def _value(found: Mapping[str, float]) -> float:
    return sum(WEIGHTS.get(name, 0.0) * value for name, value in found.items())
