"""The steps that a step with arguments left out can be in a state: those that can be executed there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from validator.execution.rules import Rules
from validator.model.conditions import Binding, conjuncts
from validator.model.derived.atoms import Atoms
from validator.model.values import Action, Atom, GroundAtom
from validator.reading.plan import LEFT_OUT, Step
from validator.records import replace

__all__ = ["fillings"]


def fillings(rules: Rules, step: Step, state: Atoms) -> Iterator[Step]:
    """Yield the steps that a step can be in a state whose atoms its conditions ask for, each once.

    Arguments that are ``LEFT_OUT`` are found by joining the positive atoms of the condition with those of the state;
    what else the condition says is not looked at. The action of the step must be one of the model.
    """
    found: set[Step] = set()
    for name in rules.ways[step.name]:
        action = rules.model.domain.actions[name]
        if len(action.parameters) != len(step.args):
            continue
        given = zip(action.parameters, step.args, strict=True)
        binding = {parameter.name: value for parameter, value in given if value != LEFT_OUT}
        asked = [
            part
            for part in conjuncts(action.precondition)
            if isinstance(part, Atom) and not rules.is_derived(part.predicate)
        ]
        for whole in _joined(asked, binding, state):
            for args in _completed(rules, action, whole):
                filled = replace(step, args=args)
                if filled not in found:
                    found.add(filled)
                    yield filled


def _joined(asked: Sequence[Atom], binding: Binding, state: Atoms) -> Iterator[Binding]:
    """Yield the bindings under which all atoms hold; the atom with the fewest open terms comes first."""
    if not asked:
        yield binding
        return
    atom = min(asked, key=lambda part: sum(term[:1] == "?" and term not in binding for term in part.terms))
    rest = [part for part in asked if part is not atom]
    terms = (atom.predicate, *(binding.get(term, term) for term in atom.terms))
    if not any(term[:1] == "?" for term in terms):
        if terms in state.all:
            yield from _joined(rest, binding, state)
        return
    for fact in state.of(atom.predicate):
        more = _unified(terms, fact)
        if more is not None:
            yield from _joined(rest, {**binding, **more}, state)


def _unified(terms: GroundAtom, fact: GroundAtom) -> dict[str, str] | None:
    """Return what makes the open terms of an atom those of a fact."""
    if len(terms) != len(fact):
        return None
    found: dict[str, str] = {}
    for term, value in zip(terms, fact, strict=True):
        if term[:1] != "?":
            if term != value:
                return None
        elif found.setdefault(term, value) != value:
            return None
    return found


def _completed(rules: Rules, action: Action, binding: Binding) -> Iterator[tuple[str, ...]]:
    """Yield the arguments under a binding; what no atom binds is any object of its type."""
    allowed = rules.schema(action.name).allowed
    choices = [
        (binding[parameter.name],) if parameter.name in binding else tuple(sorted(objects))
        for parameter, objects in zip(action.parameters, allowed, strict=True)
    ]
    if all(set(names) <= objects for names, objects in zip(choices, allowed, strict=True)):
        yield from product(*choices)
