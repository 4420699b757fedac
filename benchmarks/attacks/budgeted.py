"""Attacks on what does not fit into a budget: questions of other kinds and goals, of which every set is tried."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, Oracle, State, random_case
from tests.support.edit_oracle import KINDS as MODELS
from tests.support.naive_reference import parse
from tests.support.random_schemas import Texts, random_schema
from tests.support.random_worlds import states_of
from tests.support.wish_oracle import Planning, Wish, about_states, drawn
from validator import prepare
from validator.foils import Answer, why_not
from validator.foils.changes import Goal

__all__ = ["KINDS"]

_MOST = 3_000
"""states, with what is remembered of the wishes, that are looked at; a question with more is left out"""

_ENOUGH = 60.0
"""seconds in which every question is answered; with fewer, an answer may be open"""


@dataclass(frozen=True)
class _Part:
    """A question: a wish about plans, or initial facts that are added or taken away, or goals that are."""

    text: str
    wish: Wish | None = None
    added: State = frozenset()
    gone: State = frozenset()
    goal: str = ""
    """a goal as well"""
    dropped: str = ""
    """a goal that is none any more"""


class _Models:
    """A model in the states that it may begin in: the best plans that keep to wishes, for goals that are chosen."""

    def __init__(self, texts: Texts, oracle: Oracle) -> None:
        self.oracle, self._texts = oracle, texts
        self._known: dict[State, Oracle] = {oracle.init: oracle}
        goal = oracle.reference.goal()
        parts = goal[1:] if goal[:1] == ["and"] else [goal] if goal else []
        self.goals = [_shown(part) for part in parts]

    def planning(
        self, parts: Sequence[_Part], goals: Sequence[str], price: Callable[[str], int] | None = None
    ) -> Planning[str]:
        """Return all plans for goals in the model that parts change, with prices of steps other than its own."""
        init = self.oracle.init
        for part in parts:
            init = (init | part.added) - part.gone
        if init not in self._known:
            self._known[init] = Oracle(*self._texts, init)
        own, wanted = self._known[init], [parse(goal) for goal in goals]

        def moves(state: Any) -> Iterator[tuple[str, Hashable, Fraction | int]]:
            for step, after, cost in own.successors(state):
                yield str(step), after, cost if price is None else price(str(step))

        return Planning(init, moves, lambda state: all(own.has(goal, state) for goal in wanted))

    def goals_of(self, parts: Sequence[_Part]) -> list[str]:
        """Return the goals of the model that parts change."""
        kept = [goal for goal in self.goals if all(goal != part.dropped for part in parts)]
        return [*kept, *(part.goal for part in parts if part.goal)]

    def can(self, parts: Sequence[_Part], goals: Sequence[str], most: Fraction | None) -> bool | None:
        """Return whether a plan keeps to parts and reaches goals within a budget; None for too many states."""
        wishes = [part.wish for part in parts if part.wish is not None]
        if most is not None:
            wishes.append(Wish("", lambda n, line: 0, most=most - self.oracle.begun))
        found = self.planning(parts, goals).least(wishes, None, "cost", _MOST)
        return None if found == "too many states" else found != "none"


def _shown(tree: Any) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(_shown, tree))})"


def _budgets(seed: int) -> Iterator[str]:
    """Ask what does not fit into a budget, together with questions of other kinds, and try every set."""
    draw = Random(f"budgets {seed}")
    texts, oracle = _model(seed)
    states = states_of(oracle, _MOST // 10)
    if states is None or not oracle.steps:
        return
    models = _Models(texts, oracle)
    drawn_parts = [_part(draw, models, states) for _ in range(draw.randint(0, 3))]
    asked = list({part.text: part for part in drawn_parts}.values())
    budgets = sorted({_budget(draw, models, asked) for _ in range(draw.choice((1, 1, 1, 2)))})
    most = min(budgets)
    if most < 0:
        return
    seconds = _ENOUGH if draw.random() < 0.8 else 10 ** draw.uniform(-1.5, 0)
    texts_asked = [*(part.text for part in asked), *(f"within cost {_decimal(each)}" for each in budgets)]
    draw.shuffle(texts_asked)
    answer = why_not(prepare(*texts), constraints=texts_asked, time_limit=seconds)
    told = (texts, texts_asked, answer.sentences)
    expected = models.can(asked, models.goals_of(asked), most)
    if expected is None or answer.possible is None:
        assert expected is None or seconds < _ENOUGH, told
        yield outcome(False)
        return
    assert answer.possible is expected, told
    if not expected:
        _Sets(models, asked, texts_asked, most, answer, told).compare()
    yield outcome(expected or answer.all_conflicts)


def _model(seed: int) -> tuple[Texts, Oracle]:
    prices = (CHEAP, DEAR)[seed // 5 % 2]
    if seed % 5 == 4:
        texts = random_schema(seed, prices)
    else:
        domain, problem, _ = random_case(MODELS[seed % 5], seed, prices)
        texts = domain, problem
    return texts, Oracle(*texts)


def _part(draw: Random, models: _Models, states: Sequence[State]) -> _Part:
    oracle = models.oracle
    atoms = sorted({atom for state in states for atom in state})
    if not atoms or draw.random() < 0.5:
        wish = drawn(draw, [_pattern(draw, oracle) for _ in range(3)])
        return _Part(wish.text, wish)
    atom = draw.choice(atoms)
    said = f"({' '.join(atom)})"
    match draw.randrange(6):
        case 0 if atom in oracle.init:
            return _Part(f"without fact {said}", gone=frozenset({atom}))
        case 0:
            return _Part(f"with fact {said}", added=frozenset({atom}))
        case 1 if said not in models.goals:
            return _Part(f"with goal {said}", goal=said)
        case 2 if models.goals:
            goal = draw.choice(models.goals)
            return _Part(f"without goal {goal}", dropped=goal)
    said = said if draw.random() < 0.7 else f"(or {said} (not ({' '.join(draw.choice(atoms))})))"
    condition = parse(said)
    wish = about_states(draw, said, lambda state: oracle.has(condition, state))
    return _Part(wish.text, wish)


def _pattern(draw: Random, oracle: Oracle) -> tuple[str, Callable[[str], bool]]:
    step = draw.choice(oracle.steps)
    args = ["_" if draw.random() < 0.4 else arg for arg in step.args]

    def matches(text: str) -> bool:
        name, *given = text.strip("()").split()
        return name == step.name and all(arg in ("_", own) for arg, own in zip(args, given, strict=True))

    return f"({' '.join((step.name, *args))})", matches


def _budget(draw: Random, models: _Models, asked: Sequence[_Part]) -> Fraction:
    """Return a budget that is about what a plan costs that keeps to everything, or to nothing."""
    parts = asked if draw.random() < 0.7 else ()
    wishes = [part.wish for part in parts if part.wish is not None]
    least = models.planning(parts, models.goals_of(parts)).least(wishes, None, "cost", _MOST)
    base = models.oracle.begun + (least[0] if isinstance(least, tuple) else draw.choice((0, 1, 3)))
    most = draw.choice((base, base - Fraction(1, 10_000), base / 2, base * 2 / 3, base + 1))
    return Fraction(most).limit_denominator(10_000)


def _decimal(number: Fraction) -> str:
    return f"{float(number):.4f}"


@dataclass
class _Sets:
    """The sets of wishes of an answer beside what each set of wishes comes to."""

    models: _Models
    asked: Sequence[_Part]
    texts: Sequence[str]
    most: Fraction
    answer: Answer
    told: object

    def __post_init__(self) -> None:
        self.most = Fraction(_decimal(self.most))
        by_text = {part.text: part for part in self.asked}
        parts = [by_text.get(text) for text in self.texts]
        self.parts = dict(zip(self.answer.constraints, parts, strict=True))
        self.goals = self.models.goals_of(self.asked)

    def compare(self) -> None:
        answer = self.answer
        conflicts, fitting = ([self._of(each) for each in sets] for sets in (answer.conflicts, answer.fitting))
        for parts, goals in conflicts:
            assert self._can(parts, goals) is not True, (self.told, parts, goals)
        for parts, goals in fitting:
            assert self._can(parts, goals) is not False, (self.told, parts, goals)
        for reason in answer.reasons:
            self._compare_reason(reason.text, *self._of(reason.conflict))
        if answer.all_conflicts:
            self._compare_all(*([{*map(_key, sets)} for sets in (conflicts, fitting)]))

    def _of(self, wishes: Sequence[object]) -> tuple[list[_Part], list[str]]:
        """Return the questions and the goals of a set; a budget, and what changes the goals, belongs to none."""
        goals = [str(wish).removeprefix("the goal ") for wish in wishes if isinstance(wish, Goal)]
        parts = [self.parts[wish] for wish in wishes if not isinstance(wish, Goal)]  # type: ignore[index]
        assert all(part is not None and not part.goal and not part.dropped for part in parts), (self.told, wishes)
        return [part for part in parts if part is not None], goals

    def _can(self, parts: Sequence[_Part], goals: Sequence[str], *, within: bool = True) -> bool | None:
        return self.models.can(parts, goals, self.most if within else None)

    def _compare_all(self, conflicts: set[Any], fitting: set[Any]) -> None:
        """Compare with every set: which cannot be met and hold no other such one, which can and are in no other."""
        wishes = [part for part in self.asked if not (part.goal or part.dropped)]
        every = [*wishes, *dict.fromkeys(map(_normal, self.goals))]
        sets = [frozenset(part) for size in range(len(every) + 1) for part in combinations(every, size)]
        can = {
            chosen: self._can(
                [part for part in chosen if isinstance(part, _Part)], [part for part in chosen if isinstance(part, str)]
            )
            for chosen in sets
        }
        if None in can.values():
            return
        impossible = {chosen for chosen in sets if not can[chosen]}
        possible = {chosen for chosen in sets if can[chosen]}
        assert conflicts == {each for each in impossible if not any(other < each for other in impossible)}, self.told
        assert fitting == {each for each in possible if not any(each < other for other in possible)}, self.told

    # --- sentences -----------------------------------------------------------------------------

    def _compare_reason(self, text: str, parts: Sequence[_Part], goals: Sequence[str]) -> None:
        told = (self.told, text)
        if match := re.match(r"The goals? (.*?)( alone| together| then)? costs? more", text):
            named = self._named(match[1], goals)
            beside = () if match[2] in (" alone", " together") else parts
            assert self._can(beside, named) is not True, told
            if "not without any one" in text:
                assert all(self._can(parts, [x for x in named if x != goal]) is not False for goal in named), told
        elif text in ("This alone costs more, whatever the goal is.", "Together these cost more."):
            assert self._can(parts, ()) is not True and self._can(parts, (), within=False) is not False, told
        elif text.startswith("These exclude each other"):
            assert self._can(parts, (), within=False) is not True, told
        elif match := re.match(r"No step ever makes (.*) true, whatever the goal is", text):
            for fact in match[1].split(" or "):
                wish = Wish("", lambda n, line: n, bool, seeing=self._once(fact))
                assert self._can([*self._changes(parts), _Part("", wish)], (), within=False) is not True, told
        elif match := re.match(r"Every plan.* does (\(.*\)) at least (\d+) times?", text):
            self._compare_count(match[1], int(match[2]), parts, goals, told)

    def _named(self, text: str, goals: Sequence[str]) -> list[str]:
        """Return the goals that a sentence names."""
        named = [goal for goal in goals if goal in text]
        assert " and ".join(named) == text, (self.told, text)
        return named

    @staticmethod
    def _changes(parts: Sequence[_Part]) -> list[_Part]:
        return [part for part in parts if part.wish is None]

    def _once(self, fact: str) -> Callable[[int, Any], int]:
        condition = parse(fact)
        return lambda n, state: max(n, int(self.models.oracle.has(condition, state)))

    def _compare_count(self, said: str, least: int, parts: Sequence[_Part], goals: Sequence[str], told: object) -> None:
        """Count a step in the plan that takes it least often, of those that keep to the others."""
        (own,) = (part for part in parts if re.fullmatch(rf"at most \d+ {re.escape(said)}", part.text))
        assert own.wish is not None
        others = [part for part in parts if part is not own]
        allowed = own.wish.behind

        def counts(text: str) -> int:
            return int(allowed(0, text) != 0)

        wishes = [part.wish for part in others if part.wish is not None]
        found = self.models.planning(parts, goals, counts).least(wishes, None, "cost", _MOST)
        assert isinstance(found, str) or least <= found[0], (told, found)


def _key(chosen: tuple[Sequence[_Part], Sequence[str]]) -> frozenset[_Part | str]:
    return frozenset((*chosen[0], *map(_normal, chosen[1])))


def _normal(goal: str) -> str:
    return _shown(parse(goal))


KINDS = (
    Kind(
        name="foils: conflicts within budgets",
        against="Dijkstra over all states, with what is remembered of each question",
        attack=_budgets,
        share=5,
    ),
)
