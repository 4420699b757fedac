"""Reading BEHAVIOR's subgoals: the states that an answer wants to come about, each with its alternatives."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, TypeAlias

from validator.errors import InputError
from validator.grading.eai.goals.goals import Both, Either, Goal, Never, Primitive, parse_goal
from validator.grading.eai.reading import read_object
from validator.records import dataclass

__all__ = ["UPON", "Literal", "Options", "belong", "joined", "read_subgoals"]

_BESIDE, UPON = ("nextto", "touching"), ("ontop", "onfloor")
_OTHER_NAMES = re.compile(r"toggle(d?)[._]?on", re.IGNORECASE)

_BLANK = re.compile(r"^\s*$")
_PASSED_OVER = re.compile(r"^\s*$|agent|forall|exists|forpairs|forn")
"""What the benchmark leaves out of an answer."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A state that is to hold or not."""

    name: str
    args: tuple[str, ...]
    holds: bool = True

    def __str__(self) -> str:
        return f"{'' if self.holds else 'not '}{self.name}({', '.join(self.args)})"


Options: TypeAlias = tuple[tuple[Literal, ...], ...]
"""The alternatives of a subgoal, each of states that are brought about in their order."""


def read_subgoals(text: str, compat: bool) -> list[Options] | str:
    """Read ``{"output": ["open(jar.0)", "inside(tea.1, jar.0) or inside(tea.1, jar.1)"]}``; a text says why not."""
    content = _innermost(text.replace("t-shirt", "shirt")) if compat else read_object(text, ("output",))
    if isinstance(content, str):
        return content
    entries = content.get("output")
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        return 'an object {"output": [...]} with subgoals was expected'
    passed = _PASSED_OVER if compat else _BLANK
    try:
        return [_options(entry) for entry in entries if not passed.search(entry)]
    except InputError as error:
        return error.message


def _innermost(text: str) -> dict[str, Any] | str:
    """Return the first object without others in it, as the benchmark looks for it, or why there is none."""
    found = re.search(r"\{[^{}]*\}", text.replace("}}", "}"))
    try:
        return dict(json.loads(found[0])) if found else "no object { ... } was found"
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"


def _options(text: str) -> Options:
    plain = _OTHER_NAMES.sub("toggledon", text).replace("&&", " and ").replace("||", " or ")
    return tuple(_alternatives(parse_goal(plain, text), True))


def _alternatives(goal: Goal, holds: bool) -> Iterator[tuple[Literal, ...]]:
    """Yield the conjunctions that a subgoal is an alternative of. Raises InputError for quantifiers and sequences."""
    match goal:
        case Primitive(name, args):
            yield (Literal(name.lower(), args, holds),)
        case Never(part):
            yield from _alternatives(part, not holds)
        case Both(parts) | Either(parts) if isinstance(goal, Both) == holds:
            for chosen in product(*(tuple(_alternatives(part, holds)) for part in parts)):
                yield tuple(literal for some in chosen for literal in some)
        case Both(parts) | Either(parts):
            for part in parts:
                yield from _alternatives(part, holds)
        case _:
            raise InputError("a subgoal has a quantifier or 'then'")


def joined(subgoals: Sequence[Options]) -> list[Options]:
    """Take conjunctions apart, and put together again what is to stand next to one thing and on another."""
    single = [part for options in subgoals for part in (_taken_apart(options[0]) if len(options) == 1 else (options,))]
    found: list[Options] = []
    for options in single:
        last = found[-1] if found else None
        if last is not None and _are_single(last, options) and len(last[0]) == 1 and belong(last[0][0], options[0][0]):
            found[-1] = ((last[0][0], options[0][0]),)
        else:
            found.append(options)
    return found


def _taken_apart(option: Sequence[Literal]) -> list[Options]:
    return [((literal,),) for literal in option]


def _are_single(*subgoals: Options) -> bool:
    return all(len(options) == 1 for options in subgoals)


def belong(first: Literal, second: Literal) -> bool:
    """Return whether one of two says on what a thing is to stand, the other next to what."""
    upon, beside = (first, second) if first.name in UPON else (second, first)
    both = upon.name in UPON and beside.name in _BESIDE and upon.holds and beside.holds
    return both and upon.args[0] in beside.args
