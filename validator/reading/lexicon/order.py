"""Which argument is which: by the order in the sentence, by prepositions, by kinds; what is not said, by the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from validator.model.values import Action, Model
from validator.reading.lexicon.kinds import Kinds
from validator.reading.lexicon.verbs import Saying
from validator.reading.plan import Span, Step

__all__ = ["Phrase", "Reading", "arranged"]

_MOST_PARAMETERS = 6
"""of an action whose arguments are looked for in other orders than the one they are said in"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """What stands for an argument: the objects it can mean, and what the prepositions before it say.

    ``problem`` tells why no object is meant, ``warning`` how a word was read.
    """

    text: str
    span: Span
    objects: tuple[str, ...] = ()
    relation: str = ""
    problem: str = ""
    warning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A step with what speaks against it: ``problem`` says what is not clear, ``costs`` which reading is better."""

    step: Step
    problem: str = ""
    warnings: tuple[str, ...] = ()
    costs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Placement:
    """For each phrase the place of its parameter."""

    places: tuple[int, ...]
    misfits: int
    agreement: int
    turned: int

    @property
    def rank(self) -> tuple[int, int, int]:
        return self.misfits, -self.agreement, self.turned


def arranged(saying: Saying, phrases: Sequence[Phrase], model: Model, kinds: Kinds) -> Reading:
    """Return the step that phrases are the arguments of, under one way to say an action."""
    action = model.domain.actions[saying.action]
    kept = _without_strangers(action, phrases, len(saying.order), kinds)
    warnings = [f"'{phrase.text}' was passed over" for phrase in phrases if phrase not in kept]
    extra = max(0, len(kept) - len(saying.order))
    best, others = _placed(saying, action, kept[: len(saying.order)], kinds)
    args, problem = _arguments(action, kept, best, kinds)
    if best.turned and (best.agreement or not best.misfits):
        by = "prepositions" if best.agreement else "kinds of objects"
        warnings.append(f"the order of the arguments was taken from the {by}")
    inferred = len(action.parameters) - len(args)
    if extra or (inferred and others):
        problem = problem or _count_problem(action, len(kept))
    if inferred:
        warnings += _inferred(action, args, kinds)
    missing = len(action.parameters) - len(args)
    if missing:
        problem = problem or _count_problem(action, len(kept))
    said = tuple(args.get(place, "?") for place in range(len(action.parameters)))
    return Reading(
        step=Step(name=action.step or action.name, args=said),
        problem=problem,
        warnings=(*warnings, *(phrase.warning for phrase in kept if phrase.warning)),
        costs=(extra + missing, best.misfits, bool(problem), not saying.is_template, inferred - missing, best.turned),
    )


def _without_strangers(action: Action, phrases: Sequence[Phrase], wanted: int, kinds: Kinds) -> list[Phrase]:
    """Leave out what can be no argument of an action, where more is said than it takes."""
    if len(phrases) <= wanted:
        return list(phrases)
    places = range(len(action.parameters))
    return [
        phrase
        for phrase in phrases
        if not phrase.objects or any(kinds.fits(action, place, name) for place in places for name in phrase.objects)
    ]


def _placed(
    saying: Saying, action: Action, phrases: Sequence[Phrase], kinds: Kinds
) -> tuple[_Placement, tuple[_Placement, ...]]:
    """Return the best placement of phrases, and others that are as good but for their order."""
    if len(phrases) == len(saying.order):
        straight = _placement(saying, action, phrases, saying.order, kinds)
        if not straight.misfits and all(
            not phrase.relation or phrase.relation in saying.relations[place] or not any(saying.relations)
            for phrase, place in zip(phrases, saying.order, strict=True)
        ):
            return straight, ()
    else:
        straight = _placement(saying, action, phrases, saying.order[: len(phrases)], kinds)
    if len(saying.order) > _MOST_PARAMETERS:
        return straight, ()
    found = sorted(_placements(saying, action, phrases, kinds), key=lambda placement: placement.rank)
    best = found[0]
    if best.misfits and len(phrases) == len(saying.order):
        return straight, ()
    return best, tuple(other for other in found[1:] if other.rank == best.rank)


def _placements(saying: Saying, action: Action, phrases: Sequence[Phrase], kinds: Kinds) -> Iterator[_Placement]:
    for places in permutations(saying.order, len(phrases)):
        yield _placement(saying, action, phrases, places, kinds)


def _placement(
    saying: Saying, action: Action, phrases: Sequence[Phrase], places: tuple[int, ...], kinds: Kinds
) -> _Placement:
    pairs = list(zip(phrases, places, strict=True))
    said = [saying.order.index(place) for place in places]
    return _Placement(
        places=places,
        misfits=sum(bool(phrase.objects) and not _fitting(action, place, phrase, kinds) for phrase, place in pairs),
        agreement=sum(bool(phrase.relation) and phrase.relation in saying.relations[place] for phrase, place in pairs),
        turned=sum(said[i] > said[j] for i in range(len(said)) for j in range(i + 1, len(said))),
    )


def _fitting(action: Action, place: int, phrase: Phrase, kinds: Kinds) -> tuple[str, ...]:
    return tuple(name for name in phrase.objects if kinds.fits(action, place, name))


def _arguments(
    action: Action, phrases: Sequence[Phrase], placement: _Placement, kinds: Kinds
) -> tuple[dict[int, str], str]:
    """Return the arguments by their places, and what is not clear about them."""
    args: dict[int, str] = {}
    problem = ""
    for phrase, place in zip(phrases, placement.places, strict=False):
        objects = _fitting(action, place, phrase, kinds) or phrase.objects
        if phrase.problem or len(objects) != 1:
            names = " and ".join(objects[:3])
            problem = problem or phrase.problem or f"'{phrase.text}' can be {names}"
        args[place] = objects[0] if len(objects) == 1 else "?"
    return args, problem


def _inferred(action: Action, args: dict[int, str], kinds: Kinds) -> list[str]:
    """Put in the arguments that are not said where the model allows one value only; say so."""
    warnings: list[str] = []
    for place, parameter in enumerate(action.parameters):
        if place not in args:
            known = {action.parameters[other].name: name for other, name in args.items()}
            values = kinds.values(action, place, known)
            if len(values) == 1:
                args[place] = values[0]
                warnings.append(f"{parameter.name} is not said: only {values[0]} can be meant")
    return warnings


def _count_problem(action: Action, said: int) -> str:
    wanted = len(action.parameters)
    return f"'{action.step or action.name}' takes {wanted} argument{'s' * (wanted != 1)}, {said} were understood"
