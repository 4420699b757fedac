"""The goal language of the Embodied Agent Interface, and how far an execution satisfies a temporal goal.

A goal stands for simple goals ``a1 then ... then ak then (p1 and ... and pl)``: one for every choice of an alternative
of ``or`` and of the objects of ``exists`` and ``forn``. A simple goal is satisfied as far as its actions occur in this
order (up to the first that does not) and its propositions hold in the last state; a state that stands before a
``then`` must hold at some time between. The goal is satisfied as far as the best of its simple goals,

    PartialSucc(plan, goal) = max over its simple goals of (satisfied parts / parts),

and it is satisfied when that is 1. The maximum is computed part by part, not by listing the simple goals: of all
choices with equal numbers of parts and an equal place where they end, only the best can matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from validator.errors import InputError, ValidatorError, did_you_mean
from validator.grading.eai.execution import State
from validator.model.values import And, Atom, Exists, Forall, Formula, Not, Or, Parameter, walk
from validator.records import dataclass
from validator.resources import parser

if TYPE_CHECKING:
    from validator.grading.eai.tasks.virtualhome import HouseholdLexicon

# --- the language ---------------------------------------------------------------------------------
# A goal is a condition of states, relations or actions that are applied to objects (``couch.352``) and variables. A
# quantifier has one variable, whose types are the class that its objects have, where it is limited to one.


@dataclass(frozen=True, slots=True)
class Then(And):
    """One part after the other."""


@dataclass(frozen=True, slots=True)
class AtLeast(Exists):
    """``number`` objects, or more, for which the part holds."""

    number: int


def parse_goal(text: str, source: str = "goal") -> Formula:
    """Read a goal. Raises InputError with the place of what is no goal.

    ``forpairs`` and ``fornpairs`` come back as the quantifiers that they stand for: every ``a`` has a partner and every
    ``b`` has one; ``n`` of them have.
    """
    from lark import UnexpectedInput

    try:
        return _goal(parser("eai_goals.lark").parse(text).children[0])
    except UnexpectedInput as error:
        place = len(text) if error.pos_in_stream is None else error.pos_in_stream
        end = not 0 <= place < len(text) or getattr(getattr(error, "token", None), "type", "") == "$END"
        found = "the end" if end else repr(text[place])
        expected = "a goal such as ON(lamp.5), joined by then, or, and, was expected"
        offset = len(text.rstrip()) if end else place
        raise InputError(f"{expected}, not {found}", source=source, text=text, offset=offset) from None
    except RecursionError:
        raise InputError("the goal is nested too deeply", source=source) from None


_JOINTS: Mapping[str, type[And | Or]] = {"and_": And, "or_": Or, "then": Then}


def _goal(tree: Any) -> Formula:
    kind, children = tree.data, tree.children
    match kind:
        case "atom":
            return Atom(str(children[0]), tuple(map(str, children[1:])))
        case "not_":
            return Not(_goal(children[0]))
        case "and_" | "or_" | "then":
            return _JOINTS[kind](tuple(map(_goal, children)))
        case "forall":
            return Forall((_variable(children[0]),), _goal(children[1]))
        case "exists":
            return Exists((_variable(children[0]),), _goal(children[1]))
        case "forn":
            return AtLeast((_variable(children[1]),), _goal(children[2]), int(children[0]))
    *number, left, right, part = children
    one, other, inner = _variable(left), _variable(right), _goal(part)
    pairs = ((one, Exists((other,), inner)), (other, Exists((one,), inner)))
    return And(
        tuple(AtLeast((each,), some, int(number[0])) if number else Forall((each,), some) for each, some in pairs)
    )


def _variable(tree: Any) -> Parameter:
    name, *kind = map(str, tree.children)
    return Parameter(name, frozenset(kind or ("object",)))


# --- satisfaction ---------------------------------------------------------------------------------


Happening: TypeAlias = tuple[str, tuple[str, ...]]
"""An executed action: its name in capitals and its objects."""

_Objects: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Satisfaction:
    """The parts of a simple goal: how many are satisfied, how many there are.

    ``end`` is the place after the last action that was needed; None when one did not occur.
    """

    satisfied: int
    parts: int
    end: int | None = None

    @property
    def share(self) -> float:
        return self.satisfied / self.parts if self.parts else 1.0

    def plus(self, other: Satisfaction, end: int | None) -> Satisfaction:
        return Satisfaction(self.satisfied + other.satisfied, self.parts + other.parts, end)


_MISSED = Satisfaction(0, 1)


def satisfaction(
    goal: Formula, lexicon: HouseholdLexicon, states: Sequence[State], actions: Sequence[Happening]
) -> Satisfaction:
    """Return how far an execution satisfies a goal; ``actions[i]`` leads from ``states[i]`` to ``states[i + 1]``.

    Raises ValidatorError for a name that means nothing in the scene.
    """
    return _largest(_Judge(lexicon, states, actions).scores(goal, {}, 0, last=True))


class _Judge:
    def __init__(self, lexicon: HouseholdLexicon, states: Sequence[State], actions: Sequence[Happening]) -> None:
        self.lexicon = lexicon
        self.states = states
        self.actions = actions

    def scores(
        self, goal: Formula, objects: _Objects, place: int | None, *, last: bool, wanted: bool = True
    ) -> list[Satisfaction]:
        """Return the scores of the best choices, from a place of the execution on; ``place`` None: never reached.

        What is not ``wanted`` is to be false. Raises ValidatorError for what has no simple goals then.
        """
        match goal:
            case Atom():
                return [self._literal(goal, objects, place, last, wanted)]
            case Not(part):
                return self.scores(part, objects, place, last=last, wanted=not wanted)
            case Then() | AtLeast() if not wanted:
                raise ValidatorError("'not' before 'then' or 'forn' has no simple goals")
            case Then(parts):
                return self._chain(parts, objects, place, last)
            case AtLeast((variable,), part, number):  # one that is lacking satisfies nothing
                every = (self.scores(part, inner, place, last=last) for inner in self._instances(variable, objects))
                best = sorted(map(_largest, every), key=_order, reverse=True)
                return _together([[score] for score in [*best, *[_MISSED] * number][:number]], place)
        is_all = isinstance(goal, And | Forall) is wanted
        choices = self._parts(goal, objects, is_all)
        found = (self.scores(one, inner, place, last=last, wanted=wanted) for one, inner in choices)
        return _together(found, place) if is_all else _best(chain.from_iterable(found)) or [_MISSED]

    def _chain(self, parts: Sequence[Formula], objects: _Objects, place: int | None, last: bool) -> list[Satisfaction]:
        found = [Satisfaction(0, 0, place)]
        for number, part in enumerate(parts, 1):
            found = _best(
                before.plus(score, score.end)
                for before in found
                for score in self.scores(part, objects, before.end, last=last and number == len(parts))
            )
        return found

    def _parts(self, goal: Formula, objects: _Objects, is_all: bool) -> Iterator[tuple[Formula, _Objects]]:
        """Yield the parts of a junction, or that of a quantifier for each of its objects."""
        match goal:
            case And(parts) | Or(parts):
                yield from ((part, objects) for part in parts)
            case Forall((variable,), part) | Exists((variable,), part):
                about = None if is_all else part
                yield from ((part, inner) for inner in self._instances(variable, objects, about))

    def _instances(self, variable: Parameter, objects: _Objects, about: Formula | None = None) -> Iterator[_Objects]:
        """Yield the objects of a variable.

        With ``about``, of which one object is enough, where it asks for actions of it alone: the objects that take part
        in one, and one other, as all others would score alike.
        """
        is_any = "object" in variable.types
        names = [name for name in self.lexicon.objects if is_any or self.lexicon.kind(name) in variable.types]
        atoms = () if about is None else (atom for atom in walk(about) if isinstance(atom, Atom))
        asked = [atom for atom in atoms if variable.name in atom.terms]
        if about is not None and all(self.lexicon.is_action(atom.predicate, len(atom.terms)) for atom in asked):
            acted = {name for _, args in self.actions for name in args}
            others = [name for name in names if name not in acted]
            names = [name for name in names if name in acted] + others[:1]
        for name in names:
            yield {**objects, variable.name: name}

    def _literal(self, goal: Atom, objects: _Objects, place: int | None, last: bool, wanted: bool) -> Satisfaction:
        args = tuple(self._object(term, objects) for term in goal.terms)
        predicate, action = self.lexicon.predicate(goal.predicate, len(args)), goal.predicate.upper()
        if predicate is not None:
            held = [((predicate, *args) in state) is wanted for state in self.states]
            return Satisfaction(int(held[-1]), 1, place) if last else _first(place, held)
        if not self.lexicon.is_action(action, len(args)):
            raise ValidatorError(f"'{goal.predicate}' with {len(args)} arguments is not a state, relation or action")
        done = [each == (action, args) for each in self.actions]
        return _first(place, done, length=1) if wanted else Satisfaction(int(not any(done)), 1, place)

    def _object(self, name: str, objects: _Objects) -> str:
        found = objects.get(name) or self.lexicon.object(name)
        if found is None:
            raise ValidatorError(f"the goal names no object or variable: '{name}'{did_you_mean(name, objects)}")
        return found


def _first(place: int | None, found: Sequence[bool], length: int = 0) -> Satisfaction:
    """Return the score of what is first found at or after a place, and takes ``length`` places."""
    if place is None or True not in found[place:]:
        return _MISSED
    return Satisfaction(1, 1, found.index(True, place) + length)


def _order(score: Satisfaction) -> tuple[float, int]:
    return score.share, score.parts


def _largest(scores: Iterable[Satisfaction]) -> Satisfaction:
    return max(scores, key=_order)


def _best(scores: Iterable[Satisfaction]) -> list[Satisfaction]:
    """Keep of the scores with equal parts and end the most satisfied one."""
    found: dict[tuple[int, int | None], Satisfaction] = {}
    for score in scores:
        key = (score.parts, score.end)
        if key not in found or found[key].satisfied < score.satisfied:
            found[key] = score
    return list(found.values())


def _together(choices: Iterable[Iterable[Satisfaction]], place: int | None) -> list[Satisfaction]:
    """Add up the scores of parts that are all wanted, in any order."""
    found = [Satisfaction(0, 0, place)]
    for scores in choices:
        found = _best(
            one.plus(other, None if one.end is None or other.end is None else max(one.end, other.end))
            for one in found
            for other in scores
        )
    return found
