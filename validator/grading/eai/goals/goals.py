"""The goal language of the Embodied Agent Interface: reading it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from validator.errors import InputError
from validator.records import dataclass
from validator.resources import resource

if TYPE_CHECKING:
    from lark import Lark

__all__ = ["All", "AtLeast", "Both", "Either", "Goal", "Never", "Primitive", "Some", "Then", "Variable", "parse_goal"]


@dataclass(frozen=True, slots=True)
class Primitive:
    """A state, a relation or an action applied to objects (``couch.352``) and variables."""

    name: str
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Never:
    """Negation."""

    part: Goal


@dataclass(frozen=True, slots=True)
class Both:
    parts: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Either:
    parts: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Then:
    """One part after the other."""

    parts: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, and the class that its objects have, where it is limited to one."""

    name: str
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class All:
    variable: Variable
    part: Goal


@dataclass(frozen=True, slots=True)
class Some:
    variable: Variable
    part: Goal


@dataclass(frozen=True, slots=True)
class AtLeast:
    """``number`` objects, or more, for which the part holds."""

    number: int
    variable: Variable
    part: Goal


Goal: TypeAlias = Primitive | Never | Both | Either | Then | All | Some | AtLeast


@cache
def _grammar() -> Lark:
    from lark import Lark

    text = (resource("grammars") / "eai_goals.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", maybe_placeholders=False, propagate_positions=True)


def parse_goal(text: str, source: str = "goal") -> Goal:
    """Read a goal. Raises InputError with the place of what is no goal.

    ``forpairs`` and ``fornpairs`` come back as the quantifiers that they stand for: every ``a`` has a partner and every
    ``b`` has one; ``n`` of them have.
    """
    from lark import UnexpectedInput

    try:
        return _goal(_grammar().parse(text).children[0])
    except UnexpectedInput as error:
        place = len(text) if error.pos_in_stream is None else error.pos_in_stream
        end = not 0 <= place < len(text) or getattr(getattr(error, "token", None), "type", "") == "$END"
        found = "the end" if end else repr(text[place])
        expected = "a goal such as ON(lamp.5), joined by then, or, and, was expected"
        offset = len(text.rstrip()) if end else place
        raise InputError(f"{expected}, not {found}", source=source, text=text, offset=offset) from None
    except RecursionError:
        raise InputError("the goal is nested too deeply", source=source) from None


def _goal(tree: Any) -> Goal:
    kind, children = tree.data, tree.children
    match kind:
        case "atom":
            return Primitive(str(children[0]), tuple(map(str, children[1:])))
        case "not_":
            return Never(_goal(children[0]))
        case "and_":
            return Both(tuple(map(_goal, children)))
        case "or_":
            return Either(tuple(map(_goal, children)))
        case "then":
            return Then(tuple(map(_goal, children)))
        case "forall":
            return All(_variable(children[0]), _goal(children[1]))
        case "exists":
            return Some(_variable(children[0]), _goal(children[1]))
        case "forn":
            return AtLeast(int(children[0]), _variable(children[1]), _goal(children[2]))
        case "forpairs":
            left, right, part = _variable(children[0]), _variable(children[1]), _goal(children[2])
            return Both((All(left, Some(right, part)), All(right, Some(left, part))))
        case _:
            number, left, right = int(children[0]), _variable(children[1]), _variable(children[2])
            part = _goal(children[3])
            return Both((AtLeast(number, left, Some(right, part)), AtLeast(number, right, Some(left, part))))


def _variable(tree: Any) -> Variable:
    name, *kind = map(str, tree.children)
    return Variable(name, kind[0] if kind else None)
