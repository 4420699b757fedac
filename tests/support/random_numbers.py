"""Small random models with numbers, and every plan of them up to a length, by an interpreter of its own.

It shares nothing with the package: it executes the models out of tuples, not out of PDDL.
"""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

__all__ = ["LONGEST", "Generator", "Puzzle", "kept_most", "pddl", "solvable", "truth"]

LONGEST = 4
"""steps of the plans that the brute search looks at"""

State: TypeAlias = Mapping[str, Any]
"""truths of atoms and values of numbers; a number that has none is missing"""

COMPARE = {"<": operator.lt, "<=": operator.le, "=": operator.eq, ">=": operator.ge, ">": operator.gt}
COMPUTE = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


class UndefinedError(Exception):
    pass


# --- the interpreter -------------------------------------------------------------------------------


def value(expression: Any, state: State) -> Fraction:
    if isinstance(expression, Fraction):
        return expression
    if isinstance(expression, str):
        if expression not in state:
            raise UndefinedError
        return Fraction(state[expression])
    sign, left, right = expression
    try:
        return Fraction(COMPUTE[sign](value(left, state), value(right, state)))
    except ZeroDivisionError:
        raise UndefinedError from None


def truth(condition: Any, state: State) -> bool | None:
    """Return Kleene's three values."""
    kind, *parts = condition
    if kind == "atom":
        return bool(state[parts[0]])
    if kind == "not":
        inner = truth(parts[0], state)
        return None if inner is None else not inner
    if kind == "or":
        found = [truth(part, state) for part in parts]
        return True if True in found else None if None in found else False
    try:
        return COMPARE[kind](value(parts[0], state), value(parts[1], state))
    except UndefinedError:
        return None


def after(action: Any, state: State) -> State | None:
    """Return the state after an action, None where it cannot take place."""
    conditions, effects = action
    if any(truth(condition, state) is not True for condition in conditions):
        return None
    adds, deletes, changes = set[str](), set[str](), dict[str, list[tuple[str, Fraction]]]()
    try:
        for kind, *parts in effects:
            if kind == "when":
                happens = truth(parts[0], state)
                if happens is None:
                    return None
                if not happens:
                    continue
                kind, *parts = parts[1]
            if kind in ("add", "delete"):
                (adds if kind == "add" else deletes).add(parts[0])
                continue
            if kind != "assign":
                value(parts[0], state)
            changes.setdefault(parts[0], []).append((kind, value(parts[1], state)))
    except UndefinedError:
        return None
    new = {**state, **dict.fromkeys(deletes, False), **dict.fromkeys(adds, True)}
    for name, found in changes.items():
        kinds = {kind for kind, _ in found}
        if kinds <= {"increase", "decrease"}:
            new[name] = state[name] + sum(number if kind == "increase" else -number for kind, number in found)
        elif len(set(found)) > 1:
            return None
        else:
            new[name] = found[0][1]
    return new


@dataclass(frozen=True)
class Puzzle:
    actions: Mapping[str, Any]
    start: State
    goal: Any
    plan: list[str]

    def run(self, names: Any) -> State | None:
        state: State | None = self.start
        for name in names:
            state = None if state is None else after(self.actions[name], state)
        return state

    def valid(self) -> dict[tuple[str, ...], Fraction]:
        """Return the valid plans up to a length, with their costs."""
        found = {}
        for length in range(LONGEST + 1):
            for names in itertools.product(self.actions, repeat=length):
                end = self.run(names)
                if end is not None and truth(self.goal, end) is True:
                    found[names] = end["cost"]
        return found


# --- random models -----------------------------------------------------------------------------------


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def expression(self) -> Any:
        number = Fraction(self.random.choice(["1", "1", "2", "1/2", "1/10"]))
        return self.random.choice([number, number, number, "x", "y", ("-", "x", Fraction(1)), ("/", Fraction(2), "y")])

    def literal(self) -> Any:
        atom = ("atom", self.random.choice("pq"))
        return atom if self.random.random() < 0.6 else ("not", atom)

    def condition(self) -> Any:
        comparison = (self.random.choice(list(COMPARE)), self.random.choice("xy"), Fraction(self.random.randint(0, 2)))
        either = ("or", self.literal(), ("not", comparison))
        return self.random.choice([self.literal(), comparison, comparison, either])

    def effect(self) -> Any:
        if self.random.random() < 0.5:
            return self.random.choice(["add", "add", "delete"]), self.random.choice("pq")
        return self.random.choice(["increase", "increase", "decrease", "assign"]), *self._change()

    def _change(self) -> tuple[str, Any]:
        return self.random.choice("xy"), self.expression()

    def action(self) -> Any:
        conditions = [self.condition() for _ in range(self.random.choice([0, 1, 1, 2]))]
        conditions += [part for name in "xy" for part in (("<=", name, Fraction(3)), (">=", name, Fraction(-1)))]
        effects = [self.effect() for _ in range(self.random.choice([1, 2, 2]))]
        effects += [("when", self.condition(), self.effect()) for _ in range(self.random.choice([0, 0, 1]))]
        cost = Fraction(self.random.choice(["0", "1", "2", "1/10", "1/4"]))
        return conditions, [*effects, ("increase", "cost", cost)]

    def puzzle(self) -> Puzzle:
        actions = {name: self.action() for name in "abc"}
        start = {
            "p": self.random.random() < 0.4,
            "q": self.random.random() < 0.4,
            "x": Fraction(0),
            "cost": Fraction(0),
        }
        if self.random.random() < 0.9:
            start["y"] = Fraction(self.random.randint(0, 1))
        two = Fraction(2)
        goals = [
            ("atom", "p"),
            ("atom", "q"),
            (">=", "x", two),
            ("=", "y", two),
            ("or", (">", "x", two), ("=", "x", "y")),
        ]
        plan = [self.random.choice("abc") for _ in range(self.random.randint(0, 3))]
        return Puzzle(actions, start, self.random.choice(goals), plan)


def text(part: Any) -> str:
    """Return a part of a model as PDDL."""
    if isinstance(part, Fraction):
        return str(float(part))
    if isinstance(part, str):
        return f"({part})"
    kind, *parts = part
    if kind in ("atom", "add"):
        return f"({parts[0]})"
    if kind == "delete":
        return f"(not ({parts[0]}))"
    return f"({kind} {' '.join(map(text, parts))})"


def pddl(puzzle: Puzzle) -> tuple[str, str]:
    actions = [
        f"(:action {name} :parameters () :precondition (and {' '.join(map(text, conditions))})"
        f" :effect (and {' '.join(map(text, effects))}))"
        for name, (conditions, effects) in puzzle.actions.items()
    ]
    domain = f"(define (domain d) (:predicates (p) (q)) (:functions (x) (y) (cost)) {' '.join(actions)})"
    init = [
        f"(= ({name}) {float(it)})" if isinstance(it, Fraction) else f"({name})"
        for name, it in puzzle.start.items()
        if it is not False
    ]
    goal = f"(:goal {text(puzzle.goal)}) (:metric minimize (cost))"
    problem = f"(define (problem n) (:domain d) (:init {' '.join(init)}) {goal})"
    return domain, problem


def solvable(seed: int) -> Puzzle:
    """Return a puzzle that has a short valid plan, but for every fifth seed."""
    generator = Generator(seed)
    while not ((puzzle := generator.puzzle()).valid() or seed % 5 == 0):
        pass
    return puzzle


def kept_most(puzzle: Puzzle, other: tuple[str, ...]) -> tuple[int, Fraction]:
    """Return the fewest skips on the way to another plan, then the least that the inserted steps cost, each at least 1.

    By the textbook's recursion over the beginnings of both plans.
    """
    prices = {
        name: max(Fraction(1), sum((part[2] for part in effects if part[1] == "cost"), Fraction(0)))
        for name, (_, effects) in puzzle.actions.items()
    }
    best = {(0, 0): (0, Fraction(0))}
    for i, j in itertools.product(range(len(puzzle.plan) + 1), range(len(other) + 1)):
        ways = [best[0, 0]] if (i, j) == (0, 0) else []
        if i:
            ways.append((best[i - 1, j][0] + 1, best[i - 1, j][1]))
        if j:
            ways.append((best[i, j - 1][0], best[i, j - 1][1] + prices[other[j - 1]]))
        if i and j and puzzle.plan[i - 1] == other[j - 1]:
            ways.append(best[i - 1, j - 1])
        best[i, j] = min(ways)
    return best[len(puzzle.plan), len(other)]
