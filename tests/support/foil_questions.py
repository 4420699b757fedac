"""Questions of every kind about random small models, beside every plan there is up to a length."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from validator import prepare
from validator.foils import Answer, why_not
from validator.foils.language.context import Context
from validator.foils.language.read import read_question
from validator.reading.plan import Plan, Step
from validator.repair.sequences import lcs_length

__all__ = [
    "Action",
    "Tiny",
    "asked_of",
    "compare_answer",
    "compare_budget",
    "compare_change",
    "compare_excuse",
    "compare_numbers",
]

LONGEST = 6

_ENOUGH = 60.0
"""seconds in which every question is answered; with fewer, an answer may be open"""
State = frozenset[str]
Steps = tuple[str, ...]


@dataclass(frozen=True)
class Action:
    name: str
    needs: State
    needs_not: State
    adds: State
    deletes: State
    cost: int


@dataclass(frozen=True)
class Tiny:
    facts: tuple[str, ...]
    actions: tuple[Action, ...]
    init: State
    goal: State

    @property
    def texts(self) -> tuple[str, str]:
        def all_of(holds: State, holds_not: State = frozenset()) -> str:
            return f"(and {' '.join(f'({each})' for each in sorted(holds))} " + (
                f"{' '.join(f'(not ({each}))' for each in sorted(holds_not))})"
            )

        actions = "".join(
            f"(:action {each.name} :parameters () :precondition {all_of(each.needs, each.needs_not)} :effect (and "
            f"{all_of(each.adds, each.deletes - each.adds)} (increase (total-cost) {each.cost})))"
            for each in self.actions
        )
        predicates = " ".join(f"({fact})" for fact in self.facts)
        domain = (
            "(define (domain d) (:requirements :strips :negative-preconditions :action-costs) "
            f"(:predicates {predicates}) (:functions (total-cost) - number) {actions})"
        )
        init = " ".join(f"({fact})" for fact in sorted(self.init))
        problem = (
            f"(define (problem p) (:domain d) (:init {init} (= (total-cost) 0)) (:goal {all_of(self.goal)}) "
            "(:metric minimize (total-cost)))"
        )
        return domain, problem

    def courses(self) -> Iterator[tuple[Steps, tuple[State, ...]]]:
        """Yield every executable sequence of steps up to a length, with its states."""

        def walk(steps: Steps, states: tuple[State, ...]) -> Iterator[tuple[Steps, tuple[State, ...]]]:
            yield steps, states
            for action in self.actions if len(steps) < LONGEST else ():
                if action.needs <= states[-1] and not action.needs_not & states[-1]:
                    after = (states[-1] - action.deletes) | action.adds
                    yield from walk((*steps, action.name), (*states, after))

        return walk((), (self.init,))

    def cost(self, steps: Steps) -> int:
        costs = {action.name: action.cost for action in self.actions}
        return sum(costs[step] for step in steps)


def random_model(draw: random.Random) -> Tiny:
    facts = tuple(f"f{number}" for number in range(5))

    def some(most: int, least: int = 0) -> State:
        return frozenset(draw.sample(facts, draw.randint(least, most)))

    actions = []
    for number in range(4):
        needs = some(2)
        actions.append(Action(f"a{number}", needs, some(1) - needs, some(2, 1), some(2), draw.randint(1, 3)))
    return Tiny(facts, tuple(actions), some(2), some(2, 1))


Holds = Callable[[Steps, tuple[State, ...]], bool]


def random_question(draw: random.Random, model: Tiny, plan: Steps = ()) -> tuple[str, Holds]:
    """Return a question about a plan and, in plain Python, which plans keep to it."""
    a, b, c = (draw.choice(model.actions).name for _ in range(3))
    f, g = draw.sample(model.facts, 2)
    n = draw.randint(0, 2)

    def before(steps: Sequence[str]) -> bool:
        return all(a in steps[:place] for place, step in enumerate(steps) if step == b)

    def fact_before(states: Sequence[State]) -> bool:
        return all(any(g in earlier for earlier in states[:place]) for place, state in enumerate(states) if f in state)

    def between(steps: Sequence[str]) -> bool:
        return any(a == x and b == y and c == z for x, y, z in combinations(steps, 3))

    def stretches(states: Sequence[State]) -> int:
        return sum(f in now and (place == 0 or f not in states[place - 1]) for place, now in enumerate(states))

    kinds: list[tuple[str, Holds]] = [
        (f"must ({a})", lambda steps, states: a in steps),
        (f"must not ({a})", lambda steps, states: a not in steps),
        (f"at least {n + 1} ({a})", lambda steps, states: steps.count(a) > n),
        (f"at most {n} ({a})", lambda steps, states: steps.count(a) <= n),
        (f"({a}) before ({b})", lambda steps, states: before(steps)),
        (f"({b}) directly after ({a})", lambda steps, states: (a, b) in pairwise(steps)),
        (f"({b}) between ({a}) and ({c})", lambda steps, states: between(steps)),
        (f"({a}) only if ({f})", lambda steps, states: all(f in states[i] for i, s in enumerate(steps) if s == a)),
        (f"always (or ({f}) ({g}))", lambda steps, states: all(f in state or g in state for state in states)),
        (f"never (and ({f}) ({g}))", lambda steps, states: not any(f in state and g in state for state in states)),
        (f"sometime (and ({f}) (not ({g})))", lambda steps, states: any(f in s and g not in s for s in states)),
        (f"at end (imply ({f}) ({g}))", lambda steps, states: f not in states[-1] or g in states[-1]),
        (f"at most once ({f})", lambda steps, states: stretches(states) <= 1),
        (
            f"(sometime-after ({f}) ({g}))",
            lambda steps, states: all(any(g in s for s in states[i:]) for i, now in enumerate(states) if f in now),
        ),
        (f"(sometime-before ({f}) ({g}))", lambda steps, states: fact_before(states)),
        (f"must ({a}) or ({b})", lambda steps, states: a in steps or b in steps),
        (f"at most {n} ({a}) or ({b})", lambda steps, states: steps.count(a) + steps.count(b) * (a != b) <= n),
    ]
    if plan:
        place = draw.randrange(len(plan))

        def behind(steps: Steps) -> str | None:
            return steps[place] if steps[:place] == plan[:place] and len(steps) > place else None

        kinds += [
            (f"({a}) not at step {place + 1}", lambda steps, states: behind(steps) not in (a, None)),
            (f"({a}) or ({b}) instead of step {place + 1}", lambda steps, states: behind(steps) in (a, b)),
        ] * 2
    return draw.choice(kinds)


def asked_of(model: Tiny, plan: Steps | None = None) -> Context:
    prepared = prepare(*model.texts)
    steps = None if plan is None else Plan(parts=tuple(Step(name=name) for name in plan))
    return Context(simulator=prepared.simulator, plan=steps)


def _steps(side: object) -> Steps:
    return tuple(step.name for step in side.steps)  # type: ignore[attr-defined]


def _edits(one: Steps, other: Steps) -> int:
    return len(one) + len(other) - 2 * lcs_length(one, other)


def compare_answer(draw: random.Random, seconds: float = _ENOUGH) -> str:
    """Ask a random model random questions, and compare with every plan; return how the answer is."""
    model = random_model(draw)
    plans = [(steps, states) for steps, states in model.courses() if model.goal <= states[-1]]
    if not plans:
        return "no plan"
    plan = draw.choice(plans)[0]
    chosen = [*dict(random_question(draw, model, plan) for _ in range(draw.randint(1, 3))).items()]
    asked = asked_of(model, plan)
    wishes = [wish for text, _ in chosen for wish in read_question(text, asked).constraints]
    answer = why_not(prepare(*model.texts), plan=asked.plan, constraints=wishes, time_limit=seconds)

    def keeping(numbers: Sequence[int]) -> list[Steps]:
        return [steps for steps, states in plans if all(chosen[number][1](steps, states) for number in numbers)]

    good = keeping(range(len(chosen)))
    told = (model.texts, plan, [text for text, _ in chosen], answer.sentences)
    if answer.possible is None and seconds < _ENOUGH:
        return None
    if not answer.possible:
        assert answer.possible is False and not good, told
        _compare_conflicts(answer, wishes, keeping, told, is_limited=seconds < _ENOUGH)
        return "impossible"
    if seconds < _ENOUGH:
        return _compare_what_is_told(model, plan, answer, good, told)
    assert answer.best is not None and answer.foil is not None and answer.best.plan.cost is not None, told
    _compare_plans(model, plan, answer, good, told)
    return "possible"


def _compare_what_is_told(model: Tiny, plan: Steps, answer: Answer, good: list[Steps], told: object) -> str | None:
    """Compare plans of which some may be missing, or not proven, as the time was over before."""
    if answer.best is not None:
        best = _steps(answer.best.plan)
        assert len(best) > LONGEST or best in good, told
        cheapest = min(map(model.cost, good), default=model.cost(best))
        assert not answer.best.proven or model.cost(best) <= cheapest, told
        as_cheap = [_edits(plan, other) for other in good if model.cost(other) == model.cost(best)]
        assert not answer.best.nearest or answer.best.edits <= min(as_cheap, default=answer.best.edits), told
    for bounds, plans in ((answer.cheapest, good),):
        assert bounds is None or bounds.lower <= min(map(model.cost, plans), default=bounds.lower), told
        assert bounds is None or bounds.upper is None or not plans or bounds.upper >= min(map(model.cost, plans)), told
    if answer.foil is not None:
        near = _steps(answer.foil)
        assert len(near) > LONGEST or near in good, told
        least = min((_edits(plan, other) for other in good), default=answer.edits)
        assert answer.edits == _edits(plan, near) and (not answer.nearest or answer.edits <= least), told
    is_settled = answer.best is not None and answer.best.proven and answer.best.nearest and answer.nearest
    return "possible" if is_settled else None


def _compare_plans(model: Tiny, plan: Steps, answer: Answer, good: list[Steps], told: object) -> None:
    best, near = _steps(answer.best.plan), _steps(answer.foil)  # type: ignore[union-attr]
    assert answer.best.proven and answer.best.nearest and answer.nearest, told  # type: ignore[union-attr]
    cheapest = min(map(model.cost, good), default=None)
    for found in (best, near):
        assert len(found) > LONGEST or found in good, told
    assert cheapest is None or model.cost(best) <= cheapest, told
    assert len(best) > LONGEST or model.cost(best) == cheapest, told
    as_cheap = [_edits(plan, other) for other in good if model.cost(other) == model.cost(best)]
    assert answer.best.edits == _edits(plan, best), told  # type: ignore[union-attr]
    assert not as_cheap or answer.best.edits <= min(as_cheap), told  # type: ignore[union-attr]
    assert answer.edits == _edits(plan, near) <= min((_edits(plan, other) for other in good), default=99), told


def _compare_conflicts(
    answer: Answer,
    wishes: Sequence[object],
    keeping: Callable[[Sequence[int]], list[Steps]],
    told: object,
    *,
    is_limited: bool,
) -> None:
    numbers = {id(wish): number for number, wish in enumerate(wishes)}

    def of(wished: Sequence[object]) -> list[int]:
        return [wishes.index(wish) for wish in wished]

    assert is_limited or (numbers and answer.conflicts and answer.all_conflicts), told
    for conflict in answer.conflicts:
        assert not keeping(of(conflict)), told
        assert is_limited or any(reason.conflict == conflict for reason in answer.reasons), told
    if not answer.all_conflicts:
        return
    for size in range(len(wishes) + 1):
        for part in combinations(range(len(wishes)), size):
            if keeping(part):
                assert not any(set(of(conflict)) <= set(part) for conflict in answer.conflicts), told
                assert any(set(part) <= set(of(fitting)) for fitting in answer.fitting), told


# --- a budget ------------------------------------------------------------------------------------


def compare_budget(draw: random.Random, seconds: float = _ENOUGH) -> bool | None:
    model = random_model(draw)
    most = draw.randint(1, 5)
    goals = sorted(model.goal)
    courses = [(steps, states[-1]) for steps, states in model.courses() if model.cost(steps) <= most]
    wish = read_question(f"within cost {most}", asked_of(model)).constraints
    answer = why_not(prepare(*model.texts), constraints=wish, time_limit=seconds)
    reached = [frozenset(part) for size in range(len(goals) + 1) for part in combinations(goals, size)]
    fitting = [part for part in reached if any(part <= last for _, last in courses)]
    if answer.possible is None and seconds < _ENOUGH:
        return None
    assert answer.possible is (model.goal in fitting), (model.texts, most, answer.sentences)
    if not answer.possible:
        said = {frozenset(str(goal)[10:-1] for goal in part) for part in answer.fitting}
        largest = {part for part in fitting if not any(part < other for other in fitting)}
        conflicts = [part for part in reached if part not in fitting]
        smallest = {part for part in conflicts if not any(other < part for other in conflicts)}
        in_conflict = {frozenset(str(goal)[10:-1] for goal in part) for part in answer.conflicts}
        told = (model.texts, most, answer.sentences)
        if not answer.all_conflicts and seconds < _ENOUGH:
            assert said <= set(fitting) and in_conflict <= set(conflicts), told
            return None
        assert said == largest, told
        assert in_conflict == smallest, told
    return answer.possible is False


# --- other models --------------------------------------------------------------------------------


def compare_change(draw: random.Random, seconds: float = _ENOUGH) -> bool | None:
    model = random_model(draw)
    f = draw.choice(model.facts)
    with_fact = f not in model.init
    other = Tiny(model.facts, model.actions, model.init ^ {f}, model.goal)
    text = f"{'with' if with_fact else 'without'} fact ({f})"
    if draw.random() < 0.4:
        other = Tiny(model.facts, model.actions, model.init, model.goal | {f})
        text = f"with goal ({f})"
    costs = [model.cost(steps) for steps, states in other.courses() if other.goal <= states[-1]]
    wishes = read_question(text, asked_of(model)).constraints
    answer = why_not(prepare(*model.texts), constraints=wishes, time_limit=seconds)
    told = (model.texts, text, answer.sentences)
    if seconds < _ENOUGH and (answer.possible is None or (answer.possible and not _is_exact(answer))):
        assert answer.cheapest is None or answer.cheapest.lower <= min(costs, default=99), told
        return None
    if answer.possible:
        assert answer.cheapest is not None and answer.cheapest.is_exact, told
        assert answer.cheapest.lower <= min(costs, default=99), told
        assert not costs or answer.cheapest.lower == min(costs) or answer.cheapest.lower > LONGEST, told
    else:
        assert not costs and answer.possible is False, told
    return answer.possible


def _is_exact(answer: Answer) -> bool:
    return answer.cheapest is not None and answer.cheapest.is_exact


# --- excuses -------------------------------------------------------------------------------------


def _reached(model: Tiny) -> bool:
    seen, waiting = {model.init}, [model.init]
    while waiting:
        state = waiting.pop()
        if model.goal <= state:
            return True
        for action in model.actions:
            if action.needs <= state and not action.needs_not & state:
                after = (state - action.deletes) | action.adds
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
    return False


def compare_excuse(draw: random.Random, seconds: float = _ENOUGH) -> int | None:
    """Return the number of changes of the excuse of a model without a plan."""
    model = random_model(draw)
    if _reached(model):
        return 0
    wishes = read_question("why unsolvable", asked_of(model)).constraints
    answer = why_not(prepare(*model.texts), constraints=wishes, time_limit=seconds)
    added = frozenset().union(*(action.adds for action in model.actions))
    single = [fact for fact in model.facts if fact not in added and (fact not in model.goal or fact in model.init)]
    solving = [f for f in single if _reached(Tiny(model.facts, model.actions, model.init ^ {f}, model.goal))]
    if answer.possible is None and seconds < _ENOUGH:
        return None
    told = (model.texts, answer.sentences)
    assert answer.possible is False and (answer.conflicts == ((),) or seconds < _ENOUGH), told
    if answer.excuse is None:
        assert not solving or seconds < _ENOUGH, told
        return 0
    changed = model.init
    for change in answer.excuse.changes:
        changed = changed ^ {change.fact[0]}
    assert _reached(Tiny(model.facts, model.actions, changed, model.goal)), told
    assert answer.excuse.proven or seconds < _ENOUGH, told
    assert not answer.excuse.proven or not solving or len(answer.excuse.changes) == 1, told
    return len(answer.excuse.changes)


# --- numbers -------------------------------------------------------------------------------------


def _with_fuel(model: Tiny) -> tuple[str, str]:
    """Return the model with a tank of 5, of which each step takes its cost."""
    domain, problem = model.texts
    for action in model.actions:
        taken = f"(increase (total-cost) {action.cost})"
        domain = domain.replace(taken, f"(decrease (fuel) {action.cost})", 1)
    for action in model.actions:
        start = f"(:action {action.name} :parameters () :precondition (and "
        domain = domain.replace(start, f"{start}(>= (fuel) {action.cost}) ", 1)
    domain = domain.replace("(total-cost) - number", "(fuel)").replace(":action-costs", ":numeric-fluents")
    return domain, problem.replace("(= (total-cost) 0)", "(= (fuel) 5)").replace(" (:metric minimize (total-cost))", "")


def compare_numbers(draw: random.Random, seconds: float = 20) -> bool | str | None:
    model = random_model(draw)
    courses = [(steps, states) for steps, states in model.courses() if model.cost(steps) <= 5]
    plans = [(steps, states) for steps, states in courses if model.goal <= states[-1]]
    if not plans:
        return "no plan"
    plan = draw.choice(plans)[0]
    text, keeps = random_question(draw, model, plan)
    good = [steps for steps, states in plans if keeps(steps, states)]
    prepared = prepare(*_with_fuel(model))
    observed = Plan(parts=tuple(Step(name=name) for name in plan))
    answer = why_not(prepared, plan=observed, constraints=[text], time_limit=seconds)
    told = (*_with_fuel(model), plan, text, answer.sentences)
    if not answer.possible:
        assert not good or answer.possible is None, told
        return answer.possible
    assert answer.foil is None or _steps(answer.foil) in good, told
    if answer.foil is not None and answer.nearest:
        assert answer.edits == min(_edits(plan, other) for other in good), told
    if answer.best is not None:
        assert _steps(answer.best.plan) in good, told
        assert not answer.best.proven or answer.best.plan.cost == min(map(len, good)), told
    return True
