"""The parameters of an action in the text of a domain: read with their types as they are written, and written anew."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TypeAlias

from validator.model_repair.source.tree import Item, actions_of, groups, part_of

__all__ = ["Signature", "action_named", "is_used", "new_variable", "parameters_of", "with_parameters"]

Signature: TypeAlias = tuple[tuple[str, str], ...]
"""(variable, its type as it is written, or "") in order"""


def action_named(text: str, name: str) -> Item:
    """Return the group of an action."""
    return next(item for item in actions_of(groups(text)[0]) if item.children[1].word == name)


def parameters_of(text: str, name: str) -> Signature:
    """Return the parameters of an action."""
    listed = part_of(action_named(text, name), ":parameters")
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


def with_parameters(text: str, name: str, parameters: Signature) -> str:
    """Return the text with the parameters of an action written anew; what stands beside them stays."""
    action = action_named(text, name)
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


def is_used(text: str, name: str, variable: str) -> bool:
    """Return whether a parameter stands in the condition or the effect of an action."""
    action = action_named(text, name)
    parts = [part_of(action, key) for key in (":precondition", ":effect")]
    return any(_holds(part, variable.lower()) for part in parts if part is not None)


def _holds(item: Item, variable: str) -> bool:
    return item.word == variable or any(_holds(child, variable) for child in item.children)


def new_variable(taken: Sequence[str]) -> str:
    """Return a name that no variable has."""
    return next(name for number in range(1, len(taken) + 2) if (name := f"?x{number}") not in taken)
