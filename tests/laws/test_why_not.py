"""Answers to "why not": questions, budgets and times, beside all states with what is remembered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import ceil
from random import Random
from typing import Any

from hypothesis import assume

from tests.laws.test_numbers_and_time import PLANS, fits, over_time, steps_of
from tests.support.dijkstra import TOO_MANY
from tests.support.edit_oracle import Oracle, State
from tests.support.laws import Case, case_of, is_in, law
from tests.support.naive_reference import World as Values
from tests.support.naive_reference import parse, shown
from tests.support.random_times import Sample, nearer, quicker
from tests.support.short_plans import Short, solvable
from tests.support.wish_oracle import Planning, Wish, about_place, about_states, about_two, drawn
from validator import check, prepare, tokenize
from validator.checking.prepared import Prepared
from validator.foils import Answer, why_not
from validator.foils.changes import Goal
from validator.reading.plan import Plan
from validator.repair.diff import DiffAction

MOST = 3_000
"""states, with what is remembered of the wishes, that are looked at; a question with more is left out"""

ENOUGH = 60.0
"""seconds in which every question is answered; with fewer, an answer may be open"""

Lines = list[Hashable]
Patterns = Sequence[tuple[str, Callable[[Any], bool]]]


@dataclass(frozen=True)
class World:
    """What is asked about: how the program sees it, all its plans, and how wishes about it are said."""

    prepared: Prepared
    planning: Planning[Any]
    patterns: Patterns
    read: Callable[[Any], Hashable]
    plan: Lines | None
    text: Callable[[Lines], list[str]]
    holds: Callable[[Random], tuple[str, Callable[[Any], bool]]] | None = None
    """draws how a condition is said, and in which states it holds"""
    seconds: float = ENOUGH

    def wish(self, draw: Random) -> Wish:
        kind = draw.random()
        if kind < 0.15:
            least = self.planning.least((), None, "cost", MOST)
            base = float(least[0] if isinstance(least, tuple) else 10) * draw.choice((0.9, 1, 1.2, 2))
            return Wish(f"within cost {base:.2f}", lambda n, line: 0, most=Fraction(f"{base:.2f}"))
        if kind < 0.3 and self.plan and self.holds is not None:
            return about_place(draw, self.plan, draw.choice(self.patterns))
        if kind < 0.45 and self.holds is not None:
            return about_two(draw, self.holds(draw), self.holds(draw), draw.choice(self.patterns))
        if kind < 0.6 and self.holds is not None:
            return about_states(draw, *self.holds(draw))
        return drawn(draw, self.patterns)


# --- what is asked about ---------------------------------------------------------------------------


def is_like(pattern: Sequence[str], move: Sequence[str]) -> bool:
    """Return whether a step is meant by a pattern, in which ``_`` is anything."""
    return len(move) == len(pattern) and all(arg in ("_", own) for arg, own in zip(pattern, move, strict=True))


def model_world(draw: Random) -> World:
    """Return a classical model, whose steps are told by their lines, with a plan or without."""
    texts, oracle, _, _ = case = case_of(draw.randrange(10**6), "ps", 150)
    plan = case.walk(4) if draw.random() < 0.8 else None
    assume(plan != [] and not oracle.begun)  # else an answer counts what was paid before

    def moves(state: Any) -> list[tuple[str, State, Fraction]]:
        return [(str(step), after, cost) for step, after, cost in oracle.successors(state)]

    patterns: list[tuple[str, Callable[[Any], bool]]] = []
    for _ in range(6):
        some = [step_pattern(draw, oracle) for _ in range(draw.choice((1, 1, 2)))]
        said = " or ".join(dict.fromkeys(text for text, _ in some))
        patterns.append((said, lambda line, some=some: any(is_meant(line) for _, is_meant in some)))  # type: ignore[misc]
    return World(
        prepared=prepare(*texts),
        planning=Planning(oracle.init, moves, oracle.is_goal),
        patterns=patterns,
        read=str,
        plan=None if plan is None else list(plan),
        text=lambda lines: list(map(str, lines)),
        holds=partial(condition_of, Models(case)),
    )


def step_pattern(draw: Random, oracle: Oracle) -> tuple[str, Callable[[str], bool]]:
    step = draw.choice(oracle.steps)
    pattern = (step.name, *("_" if draw.random() < 0.4 else arg for arg in step.args))
    return f"({' '.join(pattern)})", lambda line: is_like(pattern, line.strip("()").split())


def numbers_world(draw: Random) -> World:
    """Return a model with numbers and a plan of it."""
    model = solvable(draw.randrange(10**6))
    assume(model.plan)

    def has(condition: Any, state: Any) -> bool:
        return model.reference.truth(condition, values_of(state)) is True

    def holds(draw: Random) -> tuple[str, Callable[[Any], bool]]:
        said = draw.choice(("(p)", "(not (q))", "(or (p) (q))"))
        return said, partial(has, parse(said))

    return World(
        prepared=prepare(model.domain, model.problem),
        planning=Planning(
            free_of_cost(model.reference.initial()), partial(moves_of, model), partial(has, model.reference.goal())
        ),
        patterns=[(f"({name})", name.__eq__) for name in model.prices],
        read=lambda token: token.name,
        plan=list(model.plan),
        text=lambda names: [f"({name})" for name in names],
        holds=holds,
        seconds=4.0,
    )


def free_of_cost(world: Values) -> Hashable:
    """Return a state as a value, whatever was paid on the way to it."""
    return frozenset(world.atoms), frozenset(each for each in world.values.items() if "cost" not in each[0][0])


def values_of(state: Any) -> Values:
    return Values(state[0], {**dict(state[1]), ("cost",): Fraction(0)})


def moves_of(model: Short, state: Any) -> Iterator[tuple[str, Hashable, Fraction]]:
    for name, price in model.prices.items():
        if (end := model.after(name, values_of(state))) is not None:
            yield name, free_of_cost(end), price


# --- questions -------------------------------------------------------------------------------------


@law(4, quick=2)
def test_every_answer_is_what_all_states_say(seed: int) -> None:
    draw = Random(f"questions {seed}")
    world = (model_world, numbers_world)[seed % 2](draw)
    planning, plan = world.planning, world.plan
    wishes = [world.wish(draw) for _ in range(draw.choice((1, 1, 2, 3)))]
    wishes = list({wish.text: wish for wish in wishes}.values())
    seconds = world.seconds if draw.random() < 0.8 else 10 ** draw.uniform(-2, 0)
    foil = None
    if plan is not None and draw.random() < 0.3:  # the user's own plan: the plan without a line, or with one twice
        place = draw.randrange(len(plan))
        foil = plan[:place] + (plan[place + 1 :] if draw.random() < 0.5 else [plan[place], *plan[place:]])
        assume(foil)

    def read(lines: Lines | None) -> Plan | None:
        return None if lines is None else tokenize("\n".join(world.text(lines)), world.prepared.vocabulary)

    answer = why_not(
        world.prepared,
        read(foil),
        plan=read(plan),
        constraints=[wish.text for wish in wishes],
        time_limit=seconds,
    )
    if plan is None and answer.plan is not None:  # one that it found by itself
        plan = list(map(world.read, answer.plan.steps))
        least = planning.least((), None, "cost", MOST)
        assert planning.keeps(plan, ()) and (least == TOO_MANY or is_in(answer.optimum, least[0])), answer
    if foil is not None and answer.possible is not None:
        assert answer.has_own_foil and ("The foil is not valid." in answer.facts) is not planning.keeps(foil, ()), (
            answer
        )
    compare_answer(world, wishes, plan if foil is None else foil, answer, is_limited=seconds < ENOUGH)


def compare_answer(
    world: World, wishes: Sequence[Wish], plan: Lines | None, answer: Answer, *, is_limited: bool
) -> None:
    planning, told = world.planning, (plan, [wish.text for wish in wishes], answer)
    best = planning.least(wishes, plan, "cost", MOST)
    if best == TOO_MANY:
        return
    if answer.possible is None:
        assert is_limited, told
        return
    assert answer.possible is (best is not None), (told, best)
    if best is None:
        compare_conflicts(planning, wishes, answer, told)
        return
    compare_sides(planning, wishes, plan, answer, best, world.read, told)


def compare_sides(
    planning: Planning[Any],
    wishes: Sequence[Wish],
    given: Lines | None,
    answer: Answer,
    best: tuple[Fraction | int, int],
    read: Callable[[Any], Hashable],
    told: object,
) -> None:
    """Compare the plan nearest to what is given, the cheapest one, and what each question costs."""
    assert is_in(answer.cheapest, best[0]), (told, best)
    for side in (answer.foil, None if answer.best is None else answer.best.plan):
        if side is not None:
            steps = list(map(read, side.steps))
            end = planning.run(steps)
            assert planning.keeps(steps, wishes) and end is not None and end[1] == side.cost, (told, steps, end)
    if answer.best is not None and answer.best.proven:
        assert answer.best.plan.cost == best[0], (told, best)
        assert not answer.best.nearest or given is None or answer.best.edits == best[1], (told, best)
    if answer.foil is not None and given is not None:
        near = planning.least([wish for wish in wishes if wish.most is None], given, "edits", MOST)
        # A budget may leave only dearer changes: what is proven nearest is nearest of all, or is not said to be.
        assert near == TOO_MANY or answer.edits is None or answer.edits >= near[1], (told, near)
        assert near == TOO_MANY or not answer.nearest or answer.edits == near[1], (told, near)


def compare_conflicts(planning: Planning[Any], wishes: Sequence[Wish], answer: Answer, told: object) -> None:
    """Compare which sets of questions exclude each other; with a budget those that all goals or none belong to."""
    if len(answer.constraints) != len(wishes):
        return
    fixed = [wish for wish in wishes if wish.most is not None]
    pairs = [pair for pair in zip(wishes, answer.constraints, strict=True) if pair[0].most is None]
    anywhere: Planning[Any] = Planning(planning.start, planning.moves, lambda state: True)
    goals = {each for part in (*answer.conflicts, *answer.fitting) for each in part if isinstance(each, Goal)}

    def can(chosen: Any) -> bool | None:
        # Goals that no set names are not told apart, as those of models with numbers, and belong to all.
        on = planning if not goals or goals.intersection(chosen) or not fixed else anywhere
        part = [wish for wish, constraint in pairs if constraint in chosen]
        least = on.least([*part, *fixed], None, "cost", MOST)
        return None if least == TOO_MANY else least is not None

    for sets, is_possible in ((answer.conflicts, False), (answer.fitting, True)):
        for some in sets:
            if not fixed or goals.intersection(some) in (set(), goals):
                assert can(some) in (is_possible, None), (told, some)
    if answer.all_conflicts and not fixed:
        for size in range(len(pairs) + 1):
            for chosen in combinations([constraint for _, constraint in pairs], size):
                is_said = any(set(chosen).issuperset(conflict) for conflict in answer.conflicts)
                assert is_said or can(chosen) is not False, (told, chosen)


# --- time ------------------------------------------------------------------------------------------


@law(9)
def test_an_answer_about_a_plan_over_time_holds_for_all_plans_at_whole_times(seed: int) -> None:
    model, draw = over_time(seed)
    assume(model.plan)
    asked, keeps_to, changed = question(draw, model)

    def keeps(plan: Sequence[Any]) -> bool:
        return keeps_to(plan) and fits(model, plan)

    def is_right(plan: str) -> bool:
        steps = steps_of(tokenize(plan, prepared.vocabulary).tokens)
        return check(changed.domain, changed.problem, plan, repair=False).determination is True and keeps(steps)

    prepared: Prepared = prepare(model.domain, model.problem)
    answer = why_not(prepared, plan=tokenize(model.text, prepared.vocabulary), constraints=[asked], time_limit=4)
    told = (model, asked, answer)
    search = partial(quicker, changed, steps=3, most=PLANS, keeps=keeps)
    if answer.possible is False:
        assert search(bound=None) is None, told
        return
    for side in (answer.foil, None if answer.best is None else answer.best.plan):
        assert side is None or is_right("\n".join(map(str, side.steps)) or "; empty plan"), (told, side)
    if answer.foil is not None and answer.nearest:
        dropped, added = (
            Counter(diff.step.name for diff in answer.changes if diff.diff_type is kind)  # type: ignore[union-attr]
            for kind in (DiffAction.DELETE, DiffAction.ADD)
        )
        moved = (dropped & added).total()
        changes = dropped.total() + added.total() - 2 * moved
        assert nearer(changed, (changes, moved), PLANS, keeps=keeps) is None, told
    assert answer.cheapest is None or search(bound=ceil(answer.cheapest.lower)) is None, told


def question(draw: Random, model: Sample) -> tuple[str, Callable[[Sequence[Any]], bool], Sample]:
    """Return a question, which plans at times keep to it, and the model with what it asks of steps."""
    (a, b), number, start = (draw.choice(list(model.actions)) for _ in range(2)), draw.randint(0, 2), draw.randint(0, 3)
    end, limit, fact = start + draw.randint(1, 4), draw.randint(1, 5), draw.choice("pqr")

    def begins(plan: Sequence[Any], name: str) -> list[Any]:
        return [time for time, other, _ in plan if other == name]

    def is_within(time: Any) -> bool:
        return (time > start or start == 0) and time < end

    own = model.actions[a]
    own = replace(own, conditions=(*own.conditions, ("at start", f"({fact})")))
    guarded = replace(model, actions={**model.actions, a: own})
    said: list[tuple[str, Callable[[Sequence[Any]], bool]]] = [
        (f"must ({a})", lambda plan: bool(begins(plan, a))),
        (f"must not ({a})", lambda plan: not begins(plan, a)),
        (f"at least {number} ({a})", lambda plan: len(begins(plan, a)) >= number),
        (f"at most {number} ({a})", lambda plan: len(begins(plan, a)) <= number),
        (f"({a}) before ({b})", lambda plan: all(min(begins(plan, a), default=99) < t for t in begins(plan, b))),
        (f"({a}) only if ({fact})", lambda plan: True),
        (f"({a}) from {start} to {end}", lambda plan: any(map(is_within, begins(plan, a)))),
        (
            f"({a}) only from {start} to {end}",
            lambda plan: all(is_within(time) and is_within(time + lasts) for time, name, lasts in plan if name == a),
        ),
        (f"within cost {limit}", lambda plan: max((t + d for t, _, d in plan), default=0) <= limit),
    ]
    asked, keeps = draw.choice(said)
    return asked, keeps, guarded if " only if " in asked else model


# --- budgets ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """A question: a wish about plans, or initial facts that are added or taken away, or goals that are."""

    text: str
    wish: Wish | None = None
    added: State = frozenset()
    gone: State = frozenset()
    goal: str = ""
    dropped: str = ""


class Models:
    """A model in the states that it may begin in: the best plans that keep to wishes, for goals that are chosen."""

    def __init__(self, case: Case) -> None:
        self.case, self.oracle = case, case.oracle
        self._known: dict[State, Oracle] = {self.oracle.init: self.oracle}
        goal = self.oracle.reference.goal()
        self.goals = list(map(shown, goal[1:] if goal[:1] == ["and"] else [goal] if goal else []))
        self.atoms = sorted({atom for state in case.states for atom in state})
        self.seen = sorted({atom for state in case.states for atom in self.oracle.view(state)})

    def planning(
        self, parts: Sequence[Part], goals: Sequence[str], price: Callable[[str], int] | None = None
    ) -> Planning[str]:
        """Return all plans for goals in the model that parts change, with prices of steps other than its own."""
        init = self.oracle.init
        for part in parts:
            init = (init | part.added) - part.gone
        own = self._known.setdefault(init, Oracle(*self.case.texts, init))
        wanted = [parse(goal) for goal in goals]

        def moves(state: Any) -> Iterator[tuple[str, Hashable, Fraction | int]]:
            for step, end, cost in own.successors(state):
                yield str(step), end, cost if price is None else price(str(step))

        return Planning(init, moves, lambda state: all(own.has(goal, state) for goal in wanted))

    def goals_of(self, parts: Sequence[Part]) -> list[str]:
        kept = [goal for goal in self.goals if all(goal != part.dropped for part in parts)]
        return [*kept, *(part.goal for part in parts if part.goal)]

    def can(self, parts: Sequence[Part], goals: Sequence[str], most: Fraction | None) -> bool | None:
        """Return whether a plan keeps to parts and reaches goals within a budget; None for too many states."""
        wishes = [part.wish for part in parts if part.wish is not None]
        if most is not None:
            wishes.append(Wish("", lambda n, line: 0, most=most - self.oracle.begun))
        found = self.planning(parts, goals).least(wishes, None, "cost", MOST)
        return None if found == TOO_MANY else found is not None


def condition_of(models: Models, draw: Random) -> tuple[str, Callable[[Any], bool]]:
    atoms = models.seen or [("p0",)]
    said = f"({' '.join(draw.choice(atoms))})"
    if draw.random() < 0.3:
        said = f"(or {said} (not ({' '.join(draw.choice(atoms))})))"
    condition = parse(said)
    return said, lambda state: models.oracle.has(condition, state)


def part_of(draw: Random, models: Models) -> Part:
    if not models.atoms or draw.random() < 0.5:
        wish = drawn(draw, [step_pattern(draw, models.oracle) for _ in range(3)])
        return Part(wish.text, wish)
    atom = draw.choice(models.atoms)
    said = f"({' '.join(atom)})"
    match draw.randrange(6):
        case 0 if atom in models.oracle.init:
            return Part(f"without fact {said}", gone=frozenset({atom}))
        case 0:
            return Part(f"with fact {said}", added=frozenset({atom}))
        case 1 if said not in models.goals:
            return Part(f"with goal {said}", goal=said)
        case 2 if models.goals:
            goal = draw.choice(models.goals)
            return Part(f"without goal {goal}", dropped=goal)
    wish = about_states(draw, *condition_of(models, draw))
    return Part(wish.text, wish)


def budget_of(draw: Random, models: Models, asked: Sequence[Part]) -> Fraction:
    """Return a budget that is about what a plan costs that keeps to everything, or to nothing."""
    parts = asked if draw.random() < 0.7 else ()
    wishes = [part.wish for part in parts if part.wish is not None]
    least = models.planning(parts, models.goals_of(parts)).least(wishes, None, "cost", MOST)
    base = models.oracle.begun + (least[0] if isinstance(least, tuple) else draw.choice((0, 1, 3)))
    most = draw.choice((base, base - Fraction(1, 10_000), base / 2, base * 2 / 3, base + 1))
    return Fraction(f"{float(most):.4f}")


@law(4)
def test_what_does_not_fit_into_a_budget_is_told_of_every_set_of_questions_and_goals(seed: int) -> None:
    case = case_of(seed, "pps")
    draw, models = case.draw, Models(case)
    asked = list({part.text: part for part in [part_of(draw, models) for _ in range(draw.randint(0, 3))]}.values())
    budgets = sorted({budget_of(draw, models, asked) for _ in range(draw.choice((1, 1, 1, 2)))})
    assume(budgets[0] >= 0)
    seconds = ENOUGH if draw.random() < 0.8 else 10 ** draw.uniform(-1.5, 0)
    texts = [*(part.text for part in asked), *(f"within cost {float(each):.4f}" for each in budgets)]
    draw.shuffle(texts)
    answer = why_not(prepare(*case.texts), constraints=texts, time_limit=seconds)
    told = (case.texts, texts, answer.sentences)
    expected = models.can(asked, models.goals_of(asked), budgets[0])
    if expected is None or answer.possible is None:
        assert expected is None or seconds < ENOUGH, told
        return
    assert answer.possible is expected, told
    if not expected:
        by_text = {part.text: part for part in asked}
        parts = dict(zip(answer.constraints, map(by_text.get, texts), strict=True))
        Sets(models, asked, parts, budgets[0], told).compare(answer)


@dataclass
class Sets:
    """The sets of questions and goals of an answer beside what each set comes to."""

    models: Models
    asked: Sequence[Part]
    parts: dict[Any, Part | None]
    most: Fraction
    told: object

    def can(self, parts: Sequence[Part], goals: Sequence[str], *, within: bool = True) -> bool | None:
        return self.models.can(parts, goals, self.most if within else None)

    def of(self, wishes: Sequence[Any]) -> tuple[list[Part], list[str]]:
        """Return the questions and the goals of a set; a budget, and what changes the goals, belongs to none."""
        goals = [str(wish).removeprefix("the goal ") for wish in wishes if isinstance(wish, Goal)]
        parts = [self.parts[wish] for wish in wishes if not isinstance(wish, Goal)]
        assert all(part is not None and not part.goal and not part.dropped for part in parts), (self.told, wishes)
        return [part for part in parts if part is not None], goals

    def compare(self, answer: Answer) -> None:
        conflicts, fitting = ([self.of(each) for each in sets] for sets in (answer.conflicts, answer.fitting))
        for parts, goals in conflicts:
            assert self.can(parts, goals) is not True, (self.told, parts, goals)
        for parts, goals in fitting:
            assert self.can(parts, goals) is not False, (self.told, parts, goals)
        for reason in answer.reasons:
            self.compare_reason(reason.text, *self.of(reason.conflict))
        if not answer.all_conflicts:
            return
        goals = list(dict.fromkeys(map(normal, self.models.goals_of(self.asked))))
        every = [*(part for part in self.asked if not (part.goal or part.dropped)), *goals]
        can = {}
        for size in range(len(every) + 1):
            for some in combinations(every, size):
                parts, goals = [x for x in some if isinstance(x, Part)], [x for x in some if isinstance(x, str)]
                can[frozenset(some)] = self.can(parts, goals)
        if None in can.values():
            return
        impossible, possible = ({some for some in can if can[some] is value} for value in (False, True))
        least = {each for each in impossible if not any(other < each for other in impossible)}
        most = {each for each in possible if not any(each < other for other in possible)}
        for said, true in ((conflicts, least), (fitting, most)):
            assert {frozenset((*parts, *map(normal, goals))) for parts, goals in said} == true, self.told

    def compare_reason(self, said: str, parts: Sequence[Part], goals: Sequence[str]) -> None:
        """Compare a sentence with the plans that it speaks of."""
        told = (self.told, said)
        if match := re.match(r"The goals? (.*?)( alone| together| then)? costs? more", said):
            named = [goal for goal in goals if goal in match[1]]
            assert " and ".join(named) == match[1], told
            beside = () if match[2] in (" alone", " together") else parts
            assert self.can(beside, named) is not True, told
            if "not without any one" in said:
                assert all(self.can(parts, [x for x in named if x != goal]) is not False for goal in named), told
        elif said in ("This alone costs more, whatever the goal is.", "Together these cost more."):
            assert self.can(parts, ()) is not True and self.can(parts, (), within=False) is not False, told
        elif said.startswith("These exclude each other"):
            assert self.can(parts, (), within=False) is not True, told
        elif match := re.match(r"No step ever makes (.*) true, whatever the goal is", said):
            changes = [part for part in parts if part.wish is None]
            for fact in match[1].split(" or "):
                condition = parse(fact)
                seeing = lambda n, state, own=condition: max(n, int(self.models.oracle.has(own, state)))  # noqa: E731
                wish = Wish("", lambda n, line: n, bool, seeing=seeing)
                assert self.can([*changes, Part("", wish)], (), within=False) is not True, told
        elif match := re.match(r"Every plan.* does (\(.*\)) at least (\d+) times?", said):
            (own,) = (part for part in parts if re.fullmatch(rf"at most \d+ {re.escape(match[1])}", part.text))
            assert own.wish is not None
            behind = own.wish.behind
            others = [part.wish for part in parts if part is not own and part.wish is not None]
            counted = self.models.planning(parts, goals, lambda line: int(behind(0, line) != 0))
            found = counted.least(others, None, "cost", MOST)
            assert not isinstance(found, tuple) or int(match[2]) <= found[0], (told, found)


def normal(goal: str) -> str:
    return shown(parse(goal))
