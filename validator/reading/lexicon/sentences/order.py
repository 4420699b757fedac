"""Which phrase is which argument: by the order in the sentence, by prepositions, by kinds; the unsaid, by the model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations, product
from typing import TypeAlias

from validator.model.values import Action, Model
from validator.reading.lexicon.english import PREPOSITIONS
from validator.reading.lexicon.names import Objects
from validator.reading.lexicon.sentences.phrases import Phrase
from validator.reading.lexicon.verbs import Saying
from validator.reading.lexicon.words import parts
from validator.reading.plan import LEFT_OUT, Step
from validator.records import dataclass, replace

__all__ = ["Reading", "arranged"]

_MOST_PARAMETERS = 6
"""of an action whose arguments are looked for in other orders than the one they are said in"""
_MOST_WAYS = 12
_ASIDE = ("in", "at", "with")
"""what prepositions say before what may be told of a step and be none of its arguments"""
_LOCATIVE = ("in", "on", "at")
_Scores: TypeAlias = list[dict[int, tuple[bool, bool]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A step with what speaks against it.

    ``problem`` says what is not clear. ``ways`` are the steps that it can be with what is not said left out, where all
    that is said is understood. ``costs`` tell which reading is better: arguments too few or too many, kinds that do not
    fit, problems, what was passed over, what was turned round.
    """

    step: Step
    problem: str = ""
    ways: tuple[Step, ...] = ()
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


def arranged(saying: Saying, phrases: Sequence[Phrase], model: Model, objects: Objects) -> Reading:
    """Return the step that phrases are the arguments of, under one way to say an action."""
    return _Arrangement(saying, model.domain.actions[saying.action], objects).of(_shared(phrases))


def _shared(phrases: Sequence[Phrase]) -> list[Phrase]:
    """Return phrases in which the preposition before the first of several stands before each: "with a, b and c"."""
    found: list[Phrase] = []
    for phrase in phrases:
        found.append(replace(phrase, relation=found[-1].relation) if phrase.is_joined and found else phrase)
    return found


@dataclass(frozen=True, slots=True)
class _Arrangement:
    saying: Saying
    action: Action
    objects: Objects

    def of(self, phrases: Sequence[Phrase]) -> Reading:
        kept = self._without_strangers(phrases)
        placed = kept[: len(self.saying.order)]
        best, rivals = self._placed(placed)
        choices = {
            place: self._fitting(place, phrase) or phrase.objects
            for phrase, place in zip(placed, best.places, strict=True)
        }
        problem = _first_problem(placed, best.places, choices) or self._reversed(placed, best.places)
        untold = self._untold(placed, best.places)
        if untold is not None:
            one, other = untold
            said = f"'{placed[one].text}' and which '{placed[other].text}'"
            problem = problem or f"'{self.action.name}' does not say which argument is {said}"
            rivals = (*rivals, _exchanged(best, best.places[one], best.places[other]))
        warnings = [f"'{phrase.text}' was passed over" for phrase in phrases if phrase not in kept]
        warnings += [phrase.warning for phrase in placed if phrase.warning]
        if best.turned:
            straight = self._placement(self.saying.order[: len(placed)], self._scores(placed))
            by = "kinds of objects" if straight.misfits > best.misfits else "prepositions"
            warnings.append(f"the order of the arguments was taken from the {by}")
        unsaid = len(self.action.parameters) - len(choices)
        inferred = self._inferred(choices) if unsaid and not rivals and not problem else []
        missing = unsaid - len(inferred)
        extra = len(kept) - len(placed)
        if missing or extra:
            problem = problem or self._miscounted(len(kept))
        return Reading(
            step=self._steps([choices.get(place, ())[:1] or (LEFT_OUT,) for place in self._all_places])[0],
            problem=problem,
            ways=() if extra or best.misfits else self._ways(placed, (best, *rivals)),
            warnings=(*warnings, *inferred),
            costs=(
                *(extra + missing, best.misfits, bool(problem), len(phrases) - len(kept)),
                *(not self.saying.is_template, len(inferred), -best.agreement, best.turned),
            ),
        )

    def _reversed(self, phrases: Sequence[Phrase], places: Sequence[int]) -> str:
        """Tell of a phrase behind "under" that its action takes to be on top, where both may stand: no step is sure."""
        for phrase, place in zip(phrases, places, strict=True):
            is_strange = phrase.relation == "under" and "under" not in self.saying.relations[place]
            if is_strange and not self._is_under and self._fits_elsewhere(phrase, place):
                return f"'{phrase.text}' stands behind 'under', and '{self.action.name}' is not said so"
        return ""

    def _untold(self, phrases: Sequence[Phrase], places: Sequence[int]) -> tuple[int, int] | None:
        """Return which phrases may as well stand for each other's parameter.

        They are those of "from a to b" where nothing says which parameter is which, and of "lift it in a from b": it
        is lifted from a where what lifts it is at b.
        """
        if self.saying.is_template:
            return None
        agrees = [
            phrase.relation in self.saying.relations[place] for phrase, place in zip(phrases, places, strict=True)
        ]
        for one, other in permutations(range(len(phrases)), 2):
            relation = phrases[other].relation
            if phrases[one].relation != "from" or relation not in ("to", *_LOCATIVE) or agrees[other]:
                continue
            is_open = relation != "to" or not agrees[one]
            if is_open and self._fitting(places[other], phrases[one]) and self._fitting(places[one], phrases[other]):
                return one, other
        return None

    @property
    def _is_under(self) -> bool:
        return any(PREPOSITIONS.get(word) == "under" for word in parts(self.action.name))

    def _fits_elsewhere(self, phrase: Phrase, place: int) -> bool:
        return any(self._fitting(other, phrase) for other in self.saying.order if other != place)

    def _without_strangers(self, phrases: Sequence[Phrase]) -> list[Phrase]:
        """Leave out where it happens or with what, when that is no argument: "unload p from t at l in city c"."""
        kept = list(phrases)
        while len(kept) > len(self.saying.order) and kept[-1].relation in _ASIDE and self._is_stranger(kept[-1]):
            kept.pop()
        return kept

    def _is_stranger(self, phrase: Phrase) -> bool:
        return bool(phrase.objects) and not any(self._fitting(place, phrase) for place in self._all_places)

    def _fitting(self, place: int, phrase: Phrase) -> tuple[str, ...]:
        return tuple(name for name in phrase.objects if self.objects.fits(self.action, place, name))

    def _placed(self, phrases: Sequence[Phrase]) -> tuple[_Placement, tuple[_Placement, ...]]:
        """Return the best placement of phrases, and the others that are as good."""
        order, is_whole = self.saying.order, len(phrases) == len(self.saying.order)
        if is_whole and self._is_straight(phrases):
            return _Placement(places=order, misfits=0, agreement=0, turned=0), ()
        scores = self._scores(phrases)
        straight = self._placement(order[: len(phrases)], scores)
        if len(order) > _MOST_PARAMETERS or not phrases:
            return straight, () if is_whole else (straight,)
        found = sorted((self._placement(places, scores) for places in permutations(order, len(phrases))), key=_rank)
        if is_whole and (found[0].misfits or not self._is_told(found[0], straight, phrases)):
            return straight, ()
        vague = sum(phrase.relation == "at" for phrase in phrases)  # which may be who acts, or what is done
        return found[0], tuple(other for other in found[1:] if _is_as_good(other, found[0], vague))

    def _ways(self, phrases: Sequence[Phrase], placements: Sequence[_Placement]) -> tuple[Step, ...]:
        """Return the steps that phrases in such places can be, without what is not said."""
        is_searched = len(self.saying.order) <= _MOST_PARAMETERS or not phrases
        if not is_searched or any(phrase.problem for phrase in phrases):
            return ()
        found: dict[Step, None] = {}
        for placement in placements[:_MOST_WAYS]:
            choices = dict(zip(placement.places, phrases, strict=True))
            values = [
                self._fitting(place, choices[place]) if place in choices else (LEFT_OUT,) for place in self._all_places
            ]
            found |= dict.fromkeys(self._steps(values)[:_MOST_WAYS])
        return tuple(found)

    def _scores(self, phrases: Sequence[Phrase]) -> _Scores:
        """Return for each phrase and place whether the kind does not fit, and whether the preposition does."""
        relations = self.saying.relations
        return [
            {
                place: (
                    bool(phrase.objects) and not self._fitting(place, phrase),
                    bool(phrase.relation) and phrase.relation in relations[place],
                )
                for place in self.saying.order
            }
            for phrase in phrases
        ]

    def _placement(self, places: tuple[int, ...], scores: _Scores) -> _Placement:
        chosen = [score[place] for score, place in zip(scores, places, strict=True)]
        ranks = [self.saying.order.index(place) for place in places]
        return _Placement(
            places=places,
            misfits=sum(misfits for misfits, _ in chosen),
            agreement=sum(agrees for _, agrees in chosen),
            turned=sum(one > other for one, other in combinations(ranks, 2)),
        )

    def _is_told(self, turned: _Placement, straight: _Placement, phrases: Sequence[Phrase]) -> bool:
        """Return whether kinds ask for another order, or prepositions do: two of them, or one in front."""
        if straight.misfits:
            return True
        return turned.agreement > straight.agreement + 1 or bool(phrases[0].relation)

    def _is_straight(self, phrases: Sequence[Phrase]) -> bool:
        """Return whether kinds fit in the order of the sentence, and no preposition asks for another one."""
        relations = self.saying.relations
        is_learnt = any(relations)
        for phrase, place in zip(phrases, self.saying.order, strict=True):
            if is_learnt and phrase.relation and phrase.relation not in relations[place]:
                return False
            if phrase.objects and not self._fitting(place, phrase):
                return False
        return True

    def _inferred(self, choices: dict[int, tuple[str, ...]]) -> list[str]:
        """Put in the arguments that are not said where the model allows one value only; say so."""
        warnings: list[str] = []
        for place, parameter in enumerate(self.action.parameters):
            if place not in choices:
                known = {self.action.parameters[other].name: names[0] for other, names in choices.items()}
                values = self.objects.kinds.values(self.action, place, known)
                if len(values) == 1:
                    choices[place] = values
                    warnings.append(f"{parameter.name} is not said: only {values[0]} can be meant")
        return warnings

    def _miscounted(self, said: int) -> str:
        wanted = len(self.action.parameters)
        name = self.action.step or self.action.name
        return f"'{name}' takes {wanted} argument{'s' * (wanted != 1)}, {said} were understood"

    @property
    def _all_places(self) -> range:
        return range(len(self.action.parameters))

    def _steps(self, values: Sequence[tuple[str, ...]]) -> list[Step]:
        name = self.action.step or self.action.name
        return [Step(name=name, args=args) for args in product(*values)]


def _is_as_good(other: _Placement, best: _Placement, vague: int) -> bool:
    """Return whether a placement is as good as the best one but for some prepositions that say little."""
    return (other.misfits, other.turned) == (best.misfits, best.turned) and other.agreement + vague >= best.agreement


def _exchanged(placement: _Placement, one: int, other: int) -> _Placement:
    """Return a placement with two places exchanged."""
    places = {one: other, other: one}
    return replace(placement, places=tuple(places.get(place, place) for place in placement.places))


def _rank(placement: _Placement) -> tuple[int, int, int]:
    return placement.rank


def _first_problem(phrases: Sequence[Phrase], places: Sequence[int], choices: dict[int, tuple[str, ...]]) -> str:
    """Return what is not clear about the phrases, and take out of the choices what is none."""
    problem = ""
    for phrase, place in zip(phrases, places, strict=True):
        if phrase.problem:
            del choices[place]
        if phrase.problem or len(choices[place]) != 1:
            names = " and ".join(phrase.objects[:3])
            problem = problem or phrase.problem or f"'{phrase.text}' can be {names}"
    return problem
