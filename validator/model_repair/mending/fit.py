"""A domain made to fit the steps of plans: names of actions, types of parameters. What is changed is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from validator.model.values import Domain, Model
from validator.model_repair.cases import Case
from validator.model_repair.mending.fixes import replaced
from validator.model_repair.source.tree import Item, actions_of, parse, part_of

__all__ = ["fitted"]


def fitted(text: str, domain: Domain, cases: Sequence[Case]) -> tuple[str, tuple[str, ...]]:
    """Return the text with what keeps steps from being steps of the domain changed, and the changes in words."""
    changes: list[str] = []
    for old, new in _renamed(domain, cases):
        action = next(item for item in actions_of(parse(text)) if item.children[1].word == old)
        text = replaced(text, action.children[1].start, old, new)
        changes.append(f"action '{old}' is called '{new}' by the plan")
    for owner, index, types in _widened(domain, cases):
        text = _with_types(text, owner, index, types)
        name = domain.actions[owner].parameters[index].name
        changes.append(f"action '{owner}': {name} takes {' or '.join(types)}")
    return text, tuple(changes)


def _steps(cases: Sequence[Case]) -> list[tuple[str, tuple[str, ...]]]:
    return list(dict.fromkeys(step for case in cases if not case.must_fail for step in case.steps))


def _renamed(domain: Domain, cases: Sequence[Case]) -> Iterator[tuple[str, str]]:
    """Yield (action, name in the plan): the action of a like name and as many parameters that no plan uses."""
    steps = _steps(cases)
    used = {name for name, _ in steps}
    free = {name for name in domain.actions if name not in used}
    for name, number in dict.fromkeys((name, len(args)) for name, args in steps if name not in domain.actions):
        fitting = sorted(one for one in free if len(domain.actions[one].parameters) == number)
        near = get_close_matches(name, fitting, n=1, cutoff=0.5) or (fitting if len(fitting) == 1 else [])
        if near:
            free.discard(near[0])
            yield near[0], name


def _widened(domain: Domain, cases: Sequence[Case]) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """Yield parameters (action, index) with the types that they need to take the objects of all plans."""
    needed: dict[tuple[str, int], set[str]] = {}
    for case in cases:
        for name, args in () if case.must_fail else case.steps:
            for index, types in _refused(case.model, name, args):
                needed.setdefault((name, index), set()).update(types)
    for (name, index), lacking in needed.items():
        own = domain.actions[name].parameters[index].types
        yield name, index, _covering(domain, own | lacking)


def _refused(model: Model, name: str, args: tuple[str, ...]) -> Iterator[tuple[int, frozenset[str]]]:
    action = model.domain.actions.get(name)
    if action is None or len(args) != len(action.parameters):
        return
    for index, (arg, parameter) in enumerate(zip(args, action.parameters, strict=True)):
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


def _with_types(text: str, action: str, index: int, types: tuple[str, ...]) -> str:
    """Give one parameter types of its own; the others of its group keep theirs."""
    item = next(one for one in actions_of(parse(text)) if one.children[1].word == action)
    listed = part_of(item, ":parameters")
    assert listed is not None
    variables = [child for child in listed.children if child.word.startswith("?")]
    target = variables[index]
    said = types[0] if len(types) == 1 else f"(either {' '.join(types)})"
    before = [child for child in listed.children if child.end <= target.start]
    own = _type_behind(text, listed, target)
    waiting = _waiting(before)
    kept = f" - {own}" if waiting and own else ""
    follows = listed.children[listed.children.index(target) + 1 :][:1]
    end = target.end
    if follows and follows[0].word == "-":
        end = listed.children[listed.children.index(target) + 2].end  # its own type is exchanged
    start = before[-1].end if kept else target.start
    gap = " " if kept else ""
    return f"{text[:start]}{kept}{gap}{text[target.start : target.end]} - {said}{text[end:]}"


def _waiting(before: Sequence[Item]) -> bool:
    """Return whether the variables before one have no type yet: they share the next one."""
    return bool(before) and before[-1].word.startswith("?")


def _type_behind(text: str, listed: Item, target: Item) -> str:
    """Return the type of the group that a variable belongs to, as it is written; empty where there is none."""
    rest = listed.children[listed.children.index(target) :]
    dash = next((number for number, child in enumerate(rest) if child.word == "-"), None)
    return "object" if dash is None else text[rest[dash + 1].start : rest[dash + 1].end]
