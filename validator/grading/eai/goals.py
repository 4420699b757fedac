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
from typing import TYPE_CHECKING, Any, TypeAlias

from validator.errors import InputError, ValidatorError, did_you_mean
from validator.grading.eai.execution import State
from validator.model.values import And, Atom, Exists, Forall, Formula, GroundAtom, Not, Or, Parameter
from validator.records import dataclass, replace
from validator.resources import parser

if TYPE_CHECKING:
    from validator.grading.eai.tasks.virtualhome import HouseholdLexicon

# --- the language ---------------------------------------------------------------------------------
# An atom is a state, a relation or an action applied to objects (``couch.352``) and variables; the types of a variable
# are the class that its objects have, where it is limited to one.


@dataclass(frozen=True, slots=True)
class Then:
    """One part after the other."""

    parts: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class AtLeast:
    """``number`` objects, or more, for which the part holds."""

    number: int
    variable: Parameter
    part: Goal


Goal: TypeAlias = Formula | Then | AtLeast
"""A formula of atoms, Then and AtLeast, which may stand inside as well; quantifiers have one variable each."""


def parse_goal(text: str, source: str = "goal") -> Goal:
    """Read a goal. Raises InputError with the place of what is no goal.

    ``forpairs`` and ``fornpairs`` come back as the quantifiers that they stand for: every ``a`` has a partner and every
    ``b`` has one; ``n`` of them have.
    """
    from lark import UnexpectedInput

    try:
        goal: Goal = _goal(parser("eai_goals.lark").parse(text).children[0])
    except UnexpectedInput as error:
        place = len(text) if error.pos_in_stream is None else error.pos_in_stream
        end = not 0 <= place < len(text) or getattr(getattr(error, "token", None), "type", "") == "$END"
        found = "the end" if end else repr(text[place])
        expected = "a goal such as ON(lamp.5), joined by then, or, and, was expected"
        offset = len(text.rstrip()) if end else place
        raise InputError(f"{expected}, not {found}", source=source, text=text, offset=offset) from None
    except RecursionError:
        raise InputError("the goal is nested too deeply", source=source) from None
    return goal


_JOINTS = {"and_": And, "or_": Or, "then": Then}


def _goal(tree: Any) -> Any:
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
            return AtLeast(int(children[0]), _variable(children[1]), _goal(children[2]))
    *number, left, right, part = children
    one, other, inner = _variable(left), _variable(right), _goal(part)
    pairs: Iterable[Any] = (
        AtLeast(int(number[0]), mine, Exists((theirs,), inner)) if number else Forall((mine,), Exists((theirs,), inner))
        for mine, theirs in ((one, other), (other, one))
    )
    return And(tuple(pairs))


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


def satisfaction(
    goal: Goal, lexicon: HouseholdLexicon, states: Sequence[State], actions: Sequence[Happening]
) -> Satisfaction:
    """Return how far an execution satisfies a goal; ``actions[i]`` leads from ``states[i]`` to ``states[i + 1]``.

    Raises ValidatorError for a name that means nothing in the scene.
    """
    scores = _Judge(lexicon, states, actions).scores(goal, {}, 0, last=True)
    return max(scores, key=_order)


class _Judge:
    def __init__(self, lexicon: HouseholdLexicon, states: Sequence[State], actions: Sequence[Happening]) -> None:
        self.lexicon = lexicon
        self.states = states
        self.actions = actions

    def scores(
        self, goal: Goal, objects: _Objects, place: int | None, *, last: bool, wanted: bool = True
    ) -> list[Satisfaction]:
        """Return the scores of the best choices, from a place of the execution on; ``place`` None: never reached.

        What is not ``wanted`` is to be false. Raises ValidatorError for what has no simple goals then.
        """
        match goal:
            case Atom():
                return [self._literal(goal, objects, place, last, wanted)]
            case Not(part):
                return self.scores(part, objects, place, last=last, wanted=not wanted)
            case And(parts) | Or(parts):
                found = (self.scores(part, objects, place, last=last, wanted=wanted) for part in parts)
                is_all = isinstance(goal, And) is wanted
                return _together(found, place) if is_all else _best(score for scores in found for score in scores)
            case Forall((variable,), part) | Exists((variable,), part):
                is_all = isinstance(goal, Forall) is wanted
                instances = self._instances(variable, objects, part, only_relevant=not is_all)
                found = (self.scores(part, inner, place, last=last, wanted=wanted) for inner in instances)
                if is_all:
                    return _together(found, place)
                return _best(score for scores in found for score in scores) or [Satisfaction(0, 1, None)]
            case Then(parts) if wanted:
                return self._chain(parts, objects, place, last)
            case AtLeast(number, variable, part) if wanted:
                return self._at_least(number, variable, part, objects, place, last)
        raise ValidatorError("'not' before 'then' or 'forn' has no simple goals")

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
        self, number: int, variable: Parameter, part: Goal, objects: _Objects, place: int | None, last: bool
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
        self, variable: Parameter, objects: _Objects, part: Goal, *, only_relevant: bool = False
    ) -> Iterator[_Objects]:
        """Yield the objects of a variable.

        With ``only_relevant``, of the objects of which only actions are asked those that take part in one, and one
        other: all others would score alike.
        """
        names: Sequence[str] = self.lexicon.objects
        if "object" not in variable.types:
            names = [name for name in names if self.lexicon.kind(name) in variable.types]
        about = [atom for atom in _atoms(part) if variable.name in atom.terms]
        if only_relevant and all(self.lexicon.is_action(atom.predicate, len(atom.terms)) for atom in about):
            acted = {name for _, args in self.actions for name in args}
            others = [name for name in names if name not in acted]
            names = [name for name in names if name in acted] + others[:1]
        for name in names:
            yield {**objects, variable.name: name}

    def _literal(self, goal: Atom, objects: _Objects, place: int | None, last: bool, wanted: bool) -> Satisfaction:
        args = tuple(self._object(term, objects) for term in goal.terms)
        predicate = self.lexicon.predicate(goal.predicate, len(args))
        if predicate is None:
            return self._action(goal.predicate, args, wanted, place)
        atom: GroundAtom = (predicate, *args)
        if last:
            return Satisfaction(int((atom in self.states[-1]) is wanted), 1, place)
        return _first(place, ((atom in state) is wanted for state in self.states[place or 0 :]))

    def _action(self, name: str, args: tuple[str, ...], wanted: bool, place: int | None) -> Satisfaction:
        if not self.lexicon.is_action(name.upper(), len(args)):
            raise ValidatorError(f"'{name}' with {len(args)} arguments is not a state, relation or action")
        done = name.upper(), args
        if not wanted:
            return Satisfaction(int(done not in self.actions), 1, place)
        found = _first(place, (each == done for each in self.actions[place or 0 :]))
        return found if found.end is None else replace(found, end=found.end + 1)

    def _object(self, name: str, objects: _Objects) -> str:
        found = objects.get(name) or self.lexicon.object(name)
        if found is None:
            raise ValidatorError(f"the goal names no object or variable: '{name}'{did_you_mean(name, objects)}")
        return found


def _first(place: int | None, found: Iterable[bool]) -> Satisfaction:
    """Return the score of what is first found at or after a place."""
    if place is not None:
        for index, is_there in enumerate(found, place):
            if is_there:
                return Satisfaction(1, 1, index)
    return Satisfaction(0, 1, None)


def _atoms(goal: Goal) -> Iterator[Atom]:
    match goal:
        case Atom():
            yield goal
        case And(parts) | Or(parts) | Then(parts):
            for each in parts:
                yield from _atoms(each)
        case Not(part) | Forall(_, part) | Exists(_, part) | AtLeast(_, _, part):
            yield from _atoms(part)


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
