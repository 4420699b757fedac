"""Small random models over time, and an oracle: all plans at whole times, executed by the second executor.

Epsilon is 1, so that parts which interfere may not be at one time and all else may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, combinations_with_replacement, islice, product
from random import Random
from typing import TypeAlias

from tests.support.naive_reference import InvalidError, Reference

State: TypeAlias = tuple[frozenset[str], int]
Timed: TypeAlias = tuple[int, str, int]
"""Start, name, duration; 0 for an action without one."""

Keeps: TypeAlias = Callable[[Sequence[Timed]], bool]

LAST = 5
"""The latest start that the oracle tries."""


@dataclass(frozen=True)
class Action:
    """``durations`` is None for an instantaneous action, all of which is ``at start``."""

    durations: tuple[int, int] | None
    conditions: tuple[tuple[str, str], ...]
    effects: tuple[tuple[str, str], ...]

    def text(self, name: str) -> str:
        if self.durations is None:
            condition, effect = (" ".join(text for _, text in part) for part in (self.conditions, self.effects))
            return f"(:action {name} :parameters () :precondition (and {condition}) :effect (and {effect}))"
        low, high = self.durations
        duration = f"(= ?duration {low})" if low == high else f"(and (>= ?duration {low}) (<= ?duration {high}))"
        condition, effect = (
            " ".join(f"({when} {text})" for when, text in part) for part in (self.conditions, self.effects)
        )
        return (
            f"(:durative-action {name} :parameters () :duration {duration}"
            f" :condition (and {condition}) :effect (and {effect}))"
        )


@dataclass(frozen=True)
class Sample:
    actions: dict[str, Action]
    start: State
    timed: tuple[tuple[int, str], ...]
    goal: tuple[str, ...]
    plan: tuple[Timed, ...]

    @property
    def domain(self) -> str:
        actions = " ".join(action.text(name) for name, action in self.actions.items())
        return f"(define (domain d) (:predicates (p) (q) (r)) (:functions (x)) {actions})"

    @property
    def problem(self) -> str:
        atoms, value = self.start
        init = " ".join(f"({atom})" for atom in sorted(atoms))
        timed = " ".join(f"(at {time} {literal})" for time, literal in self.timed)
        goal = " ".join(self.goal)
        return f"(define (problem n) (:domain d) (:init {init} {timed} (= (x) {value})) (:goal (and {goal})))"

    @property
    def text(self) -> str:
        return text_of(self.plan)

    @cached_property
    def reference(self) -> Reference:
        return Reference(self.domain, self.problem, epsilon=Fraction(1))


def text_of(plan: Sequence[Timed]) -> str:
    lines = (f"{time}: ({name}) [{duration}]" for time, name, duration in plan)
    return "\n".join(lines) or "; empty plan"


# --- random models -------------------------------------------------------------------------------


def literal(atom: str, holds: bool = True) -> str:
    return f"({atom})" if holds else f"(not ({atom}))"


def sample(seed: int) -> Sample:
    random = Random(seed)
    actions = {name: _action(random) for name in ("a", "b", "c")[: random.choice((2, 2, 3))]}
    timed = tuple(
        (random.randint(1, 4), literal(atom, random.random() < 0.6)) for atom in "pqr" if random.random() < 0.2
    )
    steps = ((random.randint(0, 4), random.choice(list(actions))) for _ in range(random.choice((0, 1, 2, 2, 3))))
    plan = ((time, name, 0 if actions[name].durations is None else random.randint(1, 3)) for time, name in steps)
    return Sample(
        actions=actions,
        start=(frozenset(atom for atom in "pqr" if random.random() < 0.4), random.randint(0, 2)),
        timed=timed,
        goal=tuple(_formula(random, 0.1) for _ in range(random.randint(1, 2))),
        plan=tuple(sorted(plan)),
    )


def shared(seed: int) -> Sample:
    """Return a model whose durative actions mostly hold ``r`` while they run, so that they follow each other."""
    random = Random(seed)
    actions = {name: _holding(random) for name in ("a", "b", "c")}
    if random.random() < 0.3:
        actions["c"] = _action(random)
    return Sample(
        actions=actions,
        start=(frozenset("r" if random.random() < 0.9 else ""), 0),
        timed=((random.randint(1, 4), "(r)"),) if random.random() < 0.1 else (),
        goal=("(p)", "(q)"),
        plan=(),
    )


def _holding(random: Random) -> Action:
    low, made = random.randint(1, 2), random.choice("pq")
    conditions = [("at start", "(r)")] if random.random() < 0.9 else []
    if random.random() < 0.3:
        conditions.append((random.choice(("at start", "over all", "at end")), _formula(random, 0.0)))
    effects = [("at start", "(not (r))")] if random.random() < 0.9 else []
    effects += [("at end", "(r)")] if random.random() < 0.9 else []
    effects.append((random.choice(("at end", "at end", "at start")), literal(made)))
    if random.random() < 0.3:
        effects.append(("at end", literal(random.choice("pq"), random.random() < 0.5)))
    return Action(durations=(low, low + random.choice((0, 1))), conditions=tuple(conditions), effects=tuple(effects))


def _action(random: Random) -> Action:
    low = random.randint(0, 3)
    whens = ("at start", "over all", "at end") if random.random() < 0.85 else ("at start",)
    conditions = [(when, _formula(random, 0.3)) for when in whens if random.random() < 0.5]
    effects = list[tuple[str, str]]()
    for when in whens:
        if when != "over all":
            atoms = random.sample("pqr", random.randint(0, 2))
            effects += [(when, literal(atom, random.random() < 0.6)) for atom in atoms]
            effects += (
                [(when, random.choice(("(increase (x) 1)", "(decrease (x) 1)")))] if random.random() < 0.25 else []
            )
    return Action(
        durations=(low, low + random.choice((0, 0, 1))) if len(whens) > 1 else None,
        conditions=tuple(conditions),
        effects=tuple(effects) or (("at start", "(p)"),),
    )


def _formula(random: Random, share: float) -> str:
    """Return a disjunction of literals, or a comparison of the value ``x``."""
    if random.random() < share / 2:
        return f"({random.choice(('>=', '<=', '='))} (x) {random.randint(0, 2)})"
    atoms = random.sample("pqr", 2 if random.random() < share else 1)
    parts = [literal(atom, random.random() < 0.75) for atom in atoms]
    return parts[0] if len(parts) == 1 else f"(or {' '.join(parts)})"


# --- executing -----------------------------------------------------------------------------------


def valid(model: Sample, plan: Sequence[Timed], reference: Reference | None = None) -> bool:
    """Return whether a plan is valid; False as well where timed literals after its end decide."""
    found = (reference or model.reference).verdict(text_of(plan))
    return found is not None and found[0]


def behind(model: Sample, plan: Sequence[Timed]) -> State | None:
    """Return the state in which all steps of a plan have just ended, None where it cannot be executed until then."""
    try:
        states, _, _ = model.reference.run(text_of(plan))
    except InvalidError:
        return None
    _, world = states[-1]
    return frozenset(name for (name,) in world.atoms), int(world.values["x",])


# --- the oracle ----------------------------------------------------------------------------------


def nearer(
    model: Sample, bound: tuple[int, int], most: int, latest: Fraction | None = None, keeps: Keeps | None = None
) -> list[Timed] | None:
    """Return a valid plan with fewer steps dropped and inserted, or as many and fewer moved, than a bound says.

    With ``latest``, only plans that end by then count, with ``keeps`` only those that it says so of.
    None where there is none at whole times, or none among the first ``most`` plans. Steps that move or are new have
    durations within the bounds of the model.
    """
    plans = (
        plan
        for changes in range(bound[0] + 1)
        for kept, inserted in _edits(model, changes)
        for moves in range(len(kept) + 1)
        if (changes, moves) < bound
        for plan in _placed(model, kept, inserted, moves)
        if latest is None or makespan(plan) <= latest
    )
    return _first(model, plans, most, keeps)


def _first(model: Sample, plans: Iterator[list[Timed]], most: int, keeps: Keeps | None) -> list[Timed] | None:
    """Return the first plan, among so many, that is valid."""
    return next(
        (plan for plan in islice(plans, most) if (keeps is None or keeps(plan)) and valid(model, plan)),
        None,
    )


def _edits(model: Sample, changes: int) -> Iterator[tuple[list[Timed], tuple[str, ...]]]:
    for drops in range(min(changes, len(model.plan)) + 1):
        for dropped in combinations(range(len(model.plan)), drops):
            kept = [step for number, step in enumerate(model.plan) if number not in dropped]
            for inserted in combinations_with_replacement(model.actions, changes - drops):
                yield kept, inserted


def _placed(model: Sample, kept: list[Timed], inserted: tuple[str, ...], moves: int) -> Iterator[list[Timed]]:
    for moved in combinations(range(len(kept)), moves):
        fixed = [step for number, step in enumerate(kept) if number not in moved]
        if not all(_is_tolerated(model.actions[name], duration) for _, name, duration in fixed):
            continue
        free = [*(kept[number][1] for number in moved), *inserted]
        for places in product(*(_places(model.actions[name]) for name in free)):
            yield fixed + [(time, name, duration) for name, (time, duration) in zip(free, places, strict=True)]


def _is_tolerated(action: Action, duration: int) -> bool:
    """Return whether a duration that is stated keeps the bounds, with epsilon as the tolerance."""
    return action.durations is None or action.durations[0] - 1 <= duration <= action.durations[1] + 1


def _places(action: Action) -> list[tuple[int, int]]:
    low, high = action.durations or (0, 0)
    return [(time, duration) for time in range(LAST + 1) for duration in range(low, high + 1)]


def makespan(plan: Sequence[Timed]) -> int:
    return max((time + duration for time, _, duration in plan), default=0)


def quicker(model: Sample, bound: int | None, steps: int, most: int, keeps: Keeps | None = None) -> list[Timed] | None:
    """Return a valid plan of so many steps that ends before a time, None where there is none among the first."""
    plans = (
        [(time, name, duration) for name, (time, duration) in zip(names, places, strict=True)]
        for size in range(steps + 1)
        for names in combinations_with_replacement(model.actions, size)
        for places in product(*(_places(model.actions[name]) for name in names))
    )
    sooner = (plan for plan in plans if bound is None or makespan(plan) < bound)
    return _first(model, sooner, most, keeps)
