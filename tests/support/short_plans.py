"""Small random models of which all plans of a few steps are tried: with numbers, or with constraints and preferences.

Actions have no parameters, and some steps of a plan may not exist. Every plan is executed by the second executor of
``naive_reference``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from random import Random

from tests.support.naive_reference import Act, Reference, World

LONGEST = 4
"""steps of the longest plans that are tried"""

Names = tuple[str, ...]


@dataclass(frozen=True)
class Short:
    """A model, what each action adds to its cost, and a plan."""

    domain: str
    problem: str
    prices: Mapping[str, Fraction]
    plan: Names
    start: World | None = None
    """what the model begins with in place of what its text says"""

    @cached_property
    def reference(self) -> Reference:
        return Reference(self.domain, self.problem, self.start)

    def verdict(self, names: Sequence[str]) -> tuple[bool, Fraction | None]:
        """Return whether a plan is valid, and what it costs."""
        found = self.reference.verdict(text_of(names))
        assert found is not None, names  # without times nothing is left open
        return found[0], found[1]

    def end(self, names: Sequence[str]) -> World | None:
        """Return the state behind steps, whatever the constraints say; None where they cannot be executed."""
        world: World | None = self.reference.initial()
        for name in names:
            if world is not None:
                world = self.after(name, world)
        return world

    def is_sound(self, names: Sequence[str]) -> bool:
        return self.end(names) is not None

    def after(self, name: str, world: World) -> World | None:
        return self.reference.after(self._acts[name,], world) if (name,) in self._acts else None

    @cached_property
    def _acts(self) -> Mapping[Names, Act]:
        return self.reference.ground()

    def valid(self) -> dict[Names, Fraction | None]:
        """Return all valid plans of a few steps, with what they cost."""
        plans = (names for size in range(LONGEST + 1) for names in product(self.prices, repeat=size))
        judged = ((names, self.verdict(names)) for names in plans)
        return {names: cost for names, (is_valid, cost) in judged if is_valid}

    def begun(self, world: World, plan: Sequence[str]) -> Short:
        """Return the model that begins in a state, its cost from 0 on, with another plan."""
        return replace(self, plan=tuple(plan), start=World(world.atoms, {**world.values, ("cost",): Fraction(0)}))

    @property
    def text(self) -> str:
        return text_of(self.plan)


def text_of(names: Sequence[str]) -> str:
    return "".join(f"({name})\n" for name in names) or "; empty plan"


# --- numbers -----------------------------------------------------------------------------------------


class Numbers:
    """What draws models with numbers, some of them without a value."""

    def __init__(self, seed: int, scale: Fraction = Fraction(1)) -> None:
        self.random, self.scale = Random(seed), scale

    def expression(self) -> str:
        number = self.random.choice(["1", "1", "2", "0.5", "0.1"])
        return self.random.choice([number, number, number, "(x)", "(y)", "(- (x) 1)", "(/ 2 (y))"])

    def literal(self) -> str:
        atom = f"({self.random.choice('pq')})"
        return atom if self.random.random() < 0.6 else f"(not {atom})"

    def condition(self) -> str:
        sign = self.random.choice(["<", "<=", "=", ">=", ">"])
        comparison = f"({sign} ({self.random.choice('xy')}) {self.random.randint(0, 2)})"
        either = f"(or {self.literal()} (not {comparison}))"
        return self.random.choice([self.literal(), comparison, comparison, either])

    def effect(self) -> str:
        if self.random.random() < 0.5:
            return self.random.choice(["({})", "({})", "(not ({}))"]).format(self.random.choice("pq"))
        change = self.random.choice(["increase", "increase", "decrease", "assign"])
        return f"({change} ({self.random.choice('xy')}) {self.expression()})"

    def action(self, name: str) -> tuple[str, Fraction]:
        """Return an action, and what it costs."""
        conditions = [self.condition() for _ in range(self.random.choice([0, 1, 1, 2]))]
        conditions += [f"(<= ({fluent}) 3) (>= ({fluent}) -1)" for fluent in "xy"]
        effects = [self.effect() for _ in range(self.random.choice([1, 2, 2]))]
        effects += [f"(when {self.condition()} {self.effect()})" for _ in range(self.random.choice([0, 0, 1]))]
        cost = self.scale * Fraction(self.random.choice(["0", "1", "2", "1/10", "1/4"]))
        return (
            f"(:action {name} :parameters () :precondition (and {' '.join(conditions)})"
            f" :effect (and {' '.join(effects)} (increase (cost) {float(cost)})))"
        ), cost

    def model(self) -> Short:
        actions = {name: self.action(name) for name in "abc"}
        init = [f"({atom})" for atom in "pq" if self.random.random() < 0.4]
        if self.random.random() < 0.9:
            init.append(f"(= (y) {self.random.randint(0, 1)})")
        goals = ["(p)", "(q)", "(>= (x) 2)", "(= (y) 2)", "(or (> (x) 2) (= (x) (y)))"]
        plan = tuple(self.random.choice("abc") for _ in range(self.random.randint(0, 3)))
        texts = " ".join(text for text, _ in actions.values())
        domain = f"(define (domain d) (:predicates (p) (q)) (:functions (x) (y) (cost)) {texts})"
        problem = (
            f"(define (problem n) (:domain d) (:init {' '.join(init)} (= (x) 0) (= (cost) 0))"
            f" (:goal {self.random.choice(goals)}) (:metric minimize (cost)))"
        )
        return Short(domain, problem, {name: cost for name, (_, cost) in actions.items()}, plan)


def solvable(seed: int, scale: Fraction = Fraction(1)) -> Short:
    """Return a model that has a short valid plan, but for every fifth seed; its costs may be scaled."""
    numbers = Numbers(seed, scale)
    while not ((model := numbers.model()).valid() or seed % 5 == 0):
        pass
    return model


# --- constraints and preferences ---------------------------------------------------------------------

_PRICES = ("0", "1", "2", "0.5", "1.25")
_WEIGHTS = ("1", "3", "0.5")


def constrained(seed: int, *, is_hard: bool | None = None) -> Short:
    """Return a random model; ``is_hard`` says whether all constraints are hard or all are preferences."""
    draw = Random(f"constrained {seed}")
    has_derived = draw.random() < 0.3

    def literal(*, derived: bool = False) -> str:
        atom = draw.choice("pqrd" if derived and has_derived else "pqr")
        return f"({atom})" if draw.random() < 0.65 else f"(not ({atom}))"

    def condition() -> str:
        kind = draw.random()
        if kind < 0.7:
            return literal(derived=True)
        return f"({draw.choice(('and', 'or', 'imply'))} {literal(derived=True)} {literal()})"

    def modal() -> str:
        one, other = condition(), condition()
        return draw.choice(
            (
                f"(always {one})",
                f"(sometime {one})",
                f"(at-most-once {one})",
                f"(sometime-after {one} {other})",
                f"(sometime-before {one} {other})",
                f"(at end {one})",
            )
        )

    weights = dict[str, str]()

    def soft(body: str) -> str:
        name = draw.choice("mn")
        weights[name] = draw.choice(_WEIGHTS)
        return f"(preference {name} {body})"

    prices = {name: draw.choice(_PRICES) for name in ("a", "b", "c")}
    actions = []
    for name, price in prices.items():
        conditions = [literal(derived=True) for _ in range(draw.choice((0, 1, 1, 2)))]
        conditions += [soft(literal())] if is_hard is not True and draw.random() < 0.15 else []
        effects = [literal() for _ in range(draw.choice((1, 1, 2)))]
        effects += [f"(when {literal()} {literal()})"] if draw.random() < 0.25 else []
        actions.append(
            f"(:action {name} :parameters () :precondition (and {' '.join(conditions)})"
            f" :effect (and {' '.join(effects)} (increase (total-cost) {price})))"
        )
    goal = [literal(derived=True) for _ in range(draw.choice((0, 1, 1)))]
    goal += [soft(condition())] if is_hard is not True and draw.random() < 0.4 else []
    constraints = []
    for _ in range(draw.choice((1, 1, 2))):
        hard = is_hard if is_hard is not None else draw.random() < 0.5
        constraints.append(modal() if hard else soft(modal()))
    costs = ["(total-cost)", *(f"(* {weight} (is-violated {name}))" for name, weight in sorted(weights.items()))]
    metric = costs[0]
    for cost in costs[1:]:
        metric = f"(+ {metric} {cost})"
    derived = "(:derived (d) (and (p) (not (q))))" if has_derived else ""
    domain = f"""(define (domain d) (:requirements :adl :action-costs :constraints :preferences :derived-predicates)
      (:predicates (p) (q) (r){" (d)" if has_derived else ""}) (:functions (total-cost)) {derived}
      {" ".join(actions)})"""
    init = " ".join(f"({atom})" for atom in "pqr" if draw.random() < 0.4)
    problem = f"""(define (problem n) (:domain d) (:init {init} (= (total-cost) 0)) (:goal (and {" ".join(goal)}))
      (:constraints (and {" ".join(constraints)})) (:metric minimize {metric}))"""
    plan = tuple(draw.choice("abc" if draw.random() < 0.95 else "x") for _ in range(draw.randint(0, 4)))
    return Short(domain, problem, {name: Fraction(price) for name, price in prices.items()}, plan)
