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
from typing import Any, Protocol, TypeAlias

from validator.errors import InputError, ValidatorError, did_you_mean
from validator.grading.eai.execution import State
from validator.model.values import GroundAtom
from validator.records import dataclass
from validator.resources import parser

# --- the language ---------------------------------------------------------------------------------


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


def parse_goal(text: str, source: str = "goal") -> Goal:
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


# --- satisfaction ---------------------------------------------------------------------------------


Happening: TypeAlias = tuple[str, tuple[str, ...]]
"""An executed action: its name in capitals and its objects."""

_Objects: TypeAlias = Mapping[str, str]


class Lexicon(Protocol):
    """What the names of a goal mean in a scene."""

    @property
    def objects(self) -> Sequence[str]: ...

    def kind(self, name: str) -> str:
        """Return the class of an object."""
        ...

    def object(self, name: str) -> str | None:
        """Return the object that a goal calls ``couch.352``."""
        ...

    def is_action(self, name: str, arity: int) -> bool: ...

    def predicate(self, name: str, arity: int) -> str | None:
        """Return the predicate of a state or relation; None when there is none of that name."""
        ...


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


def satisfaction(goal: Goal, lexicon: Lexicon, states: Sequence[State], actions: Sequence[Happening]) -> Satisfaction:
    """Return how far an execution satisfies a goal; ``actions[i]`` leads from ``states[i]`` to ``states[i + 1]``.

    Raises ValidatorError for a name that means nothing in the scene.
    """
    scores = _Judge(lexicon, states, actions).scores(goal, {}, 0, last=True)
    return max(scores, key=_order)


class _Judge:
    def __init__(self, lexicon: Lexicon, states: Sequence[State], actions: Sequence[Happening]) -> None:
        self.lexicon = lexicon
        self.states = states
        self.actions = actions

    def scores(self, goal: Goal, objects: _Objects, place: int | None, *, last: bool) -> list[Satisfaction]:
        """Return the scores of the best choices, from a place of the execution on; ``place`` None: never reached."""
        match goal:
            case Primitive() | Never(Primitive()):
                return [self._literal(goal, objects, place, last)]
            case Never(part):
                return self.scores(_negated(part), objects, place, last=last)
            case Both(parts):
                return _together((self.scores(part, objects, place, last=last) for part in parts), place)
            case Either(parts):
                return _best(score for part in parts for score in self.scores(part, objects, place, last=last))
            case Then(parts):
                return self._chain(parts, objects, place, last)
            case All(variable, part):
                instances = self._instances(variable, objects, part)
                return _together((self.scores(part, inner, place, last=last) for inner in instances), place)
            case Some(variable, part):
                instances = self._instances(variable, objects, part, only_relevant=True)
                found = _best(score for inner in instances for score in self.scores(part, inner, place, last=last))
                return found or [Satisfaction(0, 1, None)]
            case AtLeast(number, variable, part):
                return self._at_least(number, variable, part, objects, place, last)

    def _chain(self, parts: Sequence[Goal], objects: _Objects, place: int | None, last: bool) -> list[Satisfaction]:
        found = [Satisfaction(0, 0, place)]
        for number, part in enumerate(parts):
            at_end = last and number == len(parts) - 1
            found = _best(
                Satisfaction(before.satisfied + score.satisfied, before.parts + score.parts, score.end)
                for before in found
                for score in self.scores(part, objects, before.end, last=at_end)
            )
        return found

    def _at_least(
        self, number: int, variable: Variable, part: Goal, objects: _Objects, place: int | None, last: bool
    ) -> list[Satisfaction]:
        """Score the ``number`` objects that satisfy the part best; one that is lacking satisfies nothing."""
        best = sorted(
            (
                max(self.scores(part, inner, place, last=last), key=_order)
                for inner in self._instances(variable, objects, part)
            ),
            key=_order,
            reverse=True,
        )[:number]
        return _together([[score] for score in best] + [[Satisfaction(0, 1, None)]] * (number - len(best)), place)

    def _instances(
        self, variable: Variable, objects: _Objects, part: Goal, *, only_relevant: bool = False
    ) -> Iterator[_Objects]:
        """Yield the objects of a variable.

        With ``only_relevant``, of the objects of which only actions are asked those that take part in one, and one
        other: all others would score alike.
        """
        names = [name for name in self.lexicon.objects if variable.kind in (None, self.lexicon.kind(name))]
        if only_relevant and all(self.lexicon.is_action(p.name, len(p.args)) for p in _about(variable.name, part)):
            acted = {name for _, args in self.actions for name in args}
            others = [name for name in names if name not in acted]
            names = [name for name in names if name in acted] + others[:1]
        for name in names:
            yield {**objects, variable.name: name}

    def _literal(self, goal: Primitive | Never, objects: _Objects, place: int | None, last: bool) -> Satisfaction:
        primitive = goal.part if isinstance(goal, Never) else goal
        assert isinstance(primitive, Primitive)
        wanted = goal is primitive
        args = tuple(self._object(arg, objects) for arg in primitive.args)
        predicate = self.lexicon.predicate(primitive.name, len(args))
        if predicate is None:
            return self._action(primitive, args, wanted, place)
        atom: GroundAtom = (predicate, *args)
        if last:
            return Satisfaction(int((atom in self.states[-1]) is wanted), 1, place)
        if place is not None:
            for index in range(place, len(self.states)):
                if (atom in self.states[index]) is wanted:
                    return Satisfaction(1, 1, index)
        return Satisfaction(0, 1, None)

    def _action(self, primitive: Primitive, args: tuple[str, ...], wanted: bool, place: int | None) -> Satisfaction:
        name = primitive.name.upper()
        if not self.lexicon.is_action(name, len(args)):
            raise ValidatorError(f"'{primitive.name}' with {len(args)} arguments is no state, relation or action")
        if not wanted:
            return Satisfaction(int((name, args) not in self.actions), 1, place)
        if place is not None:
            for index in range(place, len(self.actions)):
                if self.actions[index] == (name, args):
                    return Satisfaction(1, 1, index + 1)
        return Satisfaction(0, 1, None)

    def _object(self, name: str, objects: _Objects) -> str:
        found = objects.get(name) or self.lexicon.object(name)
        if found is None:
            raise ValidatorError(f"the goal names no object or variable: '{name}'{did_you_mean(name, objects)}")
        return found


def _negated(goal: Goal) -> Goal:
    """Return the negation with ``not`` before primitives only. Raises ValidatorError for what has no such form."""
    match goal:
        case Primitive():
            return Never(goal)
        case Never(part):
            return part
        case Both(parts):
            return Either(tuple(map(_negated, parts)))
        case Either(parts):
            return Both(tuple(map(_negated, parts)))
        case All(variable, part):
            return Some(variable, _negated(part))
        case Some(variable, part):
            return All(variable, _negated(part))
        case _:
            raise ValidatorError("'not' before 'then' or 'forn' has no simple goals")


def _about(name: str, goal: Goal) -> Iterator[Primitive]:
    """Yield the primitives in which a free variable occurs."""
    match goal:
        case Primitive():
            if name in goal.args:
                yield goal
        case Never(part):
            yield from _about(name, part)
        case Both(parts) | Either(parts) | Then(parts):
            for part in parts:
                yield from _about(name, part)
        case All(variable, part) | Some(variable, part) | AtLeast(_, variable, part):
            if variable.name != name:
                yield from _about(name, part)


def _order(score: Satisfaction) -> tuple[float, int]:
    return score.share, score.parts


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
            Satisfaction(
                before.satisfied + score.satisfied,
                before.parts + score.parts,
                None if before.end is None or score.end is None else max(before.end, score.end),
            )
            for before in found
            for score in scores
        )
    return found
