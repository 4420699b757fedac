"""A domain made to fit the steps of plans: names of actions, numbers, order and types of their parameters, objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import chain, groupby, permutations
from typing import TypeAlias

from validator.model.values import Domain, Model
from validator.model_repair.cases import Case
from validator.model_repair.mending.names import Change, replaced
from validator.model_repair.source.tree import Item, actions_of, groups, part_of

__all__ = ["fitting"]

_Signature: TypeAlias = tuple[tuple[str, str], ...]
"""(variable, its type as it is written, or "") in order"""
_Step: TypeAlias = tuple[Model, str, tuple[str, ...]]
"""a model, and a step of it: an action and its arguments"""

_MOST_NAMES = 4
_MOST_PERMUTED = 5
"""parameters of which every order is tried"""


def fitting(text: str, domain: Domain, cases: Sequence[Case]) -> list[Change]:
    """Return the ways to make one thing fit that keeps steps from being steps of the domain, the likeliest first."""
    steps = _steps(cases)
    for model, name, args in steps:
        action = domain.actions.get(name)
        if action is None:
            return list(_names(text, domain, steps, name, len(args)))
        if len(args) != len(action.parameters):
            return list(_lengths(text, domain, steps, name, len(args)))
        if any(True for _ in _refused(model, name, args)):
            return list(_types(text, domain, steps, name))
    return []


def _steps(cases: Sequence[Case]) -> list[_Step]:
    every = ((case.model, name, args) for case in cases if not case.must_fail for name, args in case.steps)
    return list({(id(model), name, args): (model, name, args) for model, name, args in every}.values())


# --- names ---------------------------------------------------------------------------------------


def _names(text: str, domain: Domain, steps: Sequence[_Step], name: str, number: int) -> Iterator[Change]:
    """Yield the text with an action that no plan uses called as a plan calls it."""
    used = {name for _, name, _ in steps}
    free = sorted(one for one in domain.actions if one not in used)
    alike = [one for one in free if len(domain.actions[one].parameters) == number]
    others = [one for one in free if one not in alike]
    likely = get_close_matches(name, alike, n=_MOST_NAMES, cutoff=0.5)
    for old in dict.fromkeys(chain(likely, alike[:_MOST_NAMES], get_close_matches(name, others, n=1, cutoff=0.75))):
        place = _action_named(text, old).children[1].start
        yield replaced(text, place, old, name), f"action '{old}' becomes '{name}', as in the plan"


# --- numbers and order of parameters -------------------------------------------------------------


def _lengths(text: str, domain: Domain, steps: Sequence[_Step], name: str, number: int) -> Iterator[Change]:
    """Yield the text with one parameter of an action more, or one less that nothing reads."""
    parameters = _parameters_of(text, name)
    if number > len(parameters):
        variable = _new_variable([one.lower() for one, _ in parameters])
        for place in reversed(range(len(parameters) + 1)):
            kind = _written(_covering(domain, _types_at(steps, name, place, number)))
            anew = (*parameters[:place], (variable, kind), *parameters[place:])
            yield _with_parameters(text, name, anew), f"action '{name}': a parameter {variable} - {kind} is missing"
    else:
        for place, (variable, _) in enumerate(parameters):
            if not _is_used(text, name, variable):
                anew = (*parameters[:place], *parameters[place + 1 :])
                yield _with_parameters(text, name, anew), f"action '{name}': the parameter {variable} is superfluous"


def _types_at(steps: Sequence[_Step], name: str, place: int, number: int) -> frozenset[str]:
    """Return the types of all objects that stand at a place of the steps of an action."""
    args = [(model, args[place]) for model, own, args in steps if own == name and len(args) == number]
    known = [model.problem.objects[arg] for model, arg in args if arg in model.problem.objects]
    return frozenset().union(*known) or frozenset(("object",))


def _types(text: str, domain: Domain, steps: Sequence[_Step], name: str) -> Iterator[Change]:
    """Yield the text with the parameters of an action in another order, or of other types, so that all steps fit.

    Steps with another number of arguments are left aside: no order and no types make them fit.
    """
    parameters = _parameters_of(text, name)
    own = [(model, args) for model, one, args in steps if one == name and len(args) == len(parameters)]
    for order in _orders(domain, own, name):
        anew: _Signature = tuple(parameters[place] for place in order)
        listed = " ".join(variable for variable, _ in anew)
        yield _with_parameters(text, name, anew), f"action '{name}': the parameters are, in order, {listed}"
    said, anew = [], parameters
    for index, types in sorted(_lacking(own, name).items()):
        taken = _covering(domain, domain.actions[name].parameters[index].types | types)
        said.append(f"{parameters[index][0]} takes {' or '.join(taken)}")
        anew = (*anew[:index], (parameters[index][0], _written(taken)), *anew[index + 1 :])
    yield _with_parameters(text, name, anew), f"action '{name}': {', '.join(said)}"


def _orders(domain: Domain, steps: Sequence[tuple[Model, tuple[str, ...]]], name: str) -> Iterator[tuple[int, ...]]:
    """Yield the orders of an action's parameters in which they take all steps; those that move fewest come first."""
    parameters = domain.actions[name].parameters
    if len(parameters) > _MOST_PERMUTED:
        return
    orders = sorted(
        permutations(range(len(parameters))), key=lambda order: sum(at != to for at, to in enumerate(order))
    )
    for order in orders:
        types = [parameters[place].types for place in order]
        if all(
            model.has_type(arg, kind)
            for model, args in steps
            for arg, kind in zip(args, types, strict=True)
            if arg in model.problem.objects
        ):
            yield order


def _lacking(steps: Sequence[tuple[Model, tuple[str, ...]]], name: str) -> dict[int, frozenset[str]]:
    """Return for each parameter that refuses objects the types that these have."""
    found: dict[int, frozenset[str]] = {}
    for model, args in steps:
        for index, types in _refused(model, name, args):
            found[index] = found.get(index, frozenset()) | types
    return found


def _refused(model: Model, name: str, args: tuple[str, ...]) -> Iterator[tuple[int, frozenset[str]]]:
    for index, (arg, parameter) in enumerate(zip(args, model.domain.actions[name].parameters, strict=True)):
        if arg in model.problem.objects and not model.has_type(arg, parameter.types):
            yield index, model.problem.objects[arg]


def _covering(domain: Domain, types: frozenset[str]) -> tuple[str, ...]:
    """Return the lowest type that all of some types are, or these themselves where only ``object`` is."""
    above = [domain.types.ancestors((name,)) for name in types]
    common = frozenset.intersection(*above) - {"object"}
    lowest = [
        name for name in common if not any(name in domain.types.ancestors(domain.types.parents[o]) for o in common)
    ]
    return (lowest[0],) if len(lowest) == 1 else tuple(sorted(types))


def _written(types: Sequence[str]) -> str:
    return types[0] if len(types) == 1 else f"(either {' '.join(types)})"


# --- the parameters of an action in the text -------------------------------------------------------


def _action_named(text: str, name: str) -> Item:
    """Return the group of an action."""
    return next(item for item in actions_of(groups(text)[0]) if item.children[1].word == name)


def _parameters_of(text: str, name: str) -> _Signature:
    """Return the parameters of an action."""
    listed = part_of(_action_named(text, name), ":parameters")
    found: list[tuple[str, str]] = []
    waiting: list[str] = []
    children = [] if listed is None else listed.children
    for number, child in enumerate(children):
        if number and children[number - 1].word == "-":
            found += [(variable, text[child.start : child.end]) for variable in waiting]
            waiting = []
        elif child.word != "-":
            waiting.append(text[child.start : child.end])
    return (*found, *((variable, "") for variable in waiting))


def _with_parameters(text: str, name: str, parameters: _Signature) -> str:
    """Return the text with the parameters of an action written anew; what stands beside them stays."""
    action = _action_named(text, name)
    listed = part_of(action, ":parameters")
    groups_of_type = [(kind, [one for one, _ in group]) for kind, group in groupby(parameters, key=lambda one: one[1])]
    written = " ".join(
        " ".join(variables) + (f" - {kind or 'object'}" if kind or number < len(groups_of_type) else "")
        for number, (kind, variables) in enumerate(groups_of_type, 1)
    )
    if listed is None:
        end = action.children[1].end
        return f"{text[:end]} :parameters ({written}){text[end:]}"
    return f"{text[: listed.start]}({written}){text[listed.end :]}"


def _is_used(text: str, name: str, variable: str) -> bool:
    """Return whether a parameter stands in the condition or the effect of an action."""
    action = _action_named(text, name)
    parts = [part_of(action, key) for key in (":precondition", ":effect")]
    return any(_holds(part, variable.lower()) for part in parts if part is not None)


def _holds(item: Item, variable: str) -> bool:
    return item.word == variable or any(_holds(child, variable) for child in item.children)


def _new_variable(taken: Sequence[str]) -> str:
    """Return a name that no variable has."""
    return next(name for number in range(1, len(taken) + 2) if (name := f"?x{number}") not in taken)
