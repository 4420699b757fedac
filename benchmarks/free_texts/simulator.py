"""A small simulator of typed STRIPS with negative preconditions, which decides what is true of a plan told in words.

It shares no code with the package: a reader of PDDL of twenty lines, ground operators, states as sets of facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias

__all__ = ["Fact", "Model", "Operator", "State", "has_valid_completion", "reaches"]

Fact: TypeAlias = tuple[str, ...]
State: TypeAlias = frozenset[Fact]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A ground action; ``str`` is the step as PDDL."""

    name: str
    args: tuple[str, ...]
    needs: State
    forbids: State
    adds: State
    deletes: State

    def __str__(self) -> str:
        return f"({' '.join((self.name, *self.args))})"

    def after(self, state: State) -> State | None:
        """Return the next state, None where the operator is not applicable."""
        if not self.needs <= state or self.forbids & state:
            return None
        return (state - self.deletes) | self.adds


@dataclass(frozen=True, kw_only=True)
class Model:
    """A domain with objects and an initial state; ``domain`` is PDDL, ``objects`` maps names to types."""

    domain: str
    objects: dict[str, str]
    init: State

    def problem(self, goal: Iterable[Fact]) -> str:
        """Return the problem with a goal as PDDL."""
        objects = " ".join(f"{name} - {kind}" for name, kind in self.objects.items())
        return (
            f"(define (problem one) (:domain {self._tree[1][1]})\n (:objects {objects})\n"
            f" (:init {_facts(self.init)})\n (:goal (and {_facts(goal)})))"
        )

    @cached_property
    def _tree(self) -> Any:
        return _tree(self.domain)

    @cached_property
    def parents(self) -> dict[str, str]:
        return dict(next((_typed(part[1:]) for part in self._tree[1:] if part[0] == ":types"), []))

    @cached_property
    def parameters(self) -> dict[str, list[tuple[str, str]]]:
        """action -> its parameters, each a name without the question mark and a type"""
        return {
            part[1]: [(name.lstrip("?"), kind) for name, kind in _typed(part[part.index(":parameters") + 1])]
            for part in self._tree[1:]
            if part[0] == ":action"
        }

    @cached_property
    def operators(self) -> dict[str, Operator]:
        """step -> operator; those that a static fact forbids are there too, so that wrong steps can be told"""
        return {str(operator): operator for operator in self._ground()}

    @cached_property
    def possible(self) -> list[Operator]:
        """operators that no static fact forbids"""
        changed = {fact[0] for each in self.operators.values() for fact in each.adds | each.deletes}
        return [
            each
            for each in self.operators.values()
            if all(fact[0] in changed or fact in self.init for fact in each.needs)
            and not any(fact[0] not in changed and fact in self.init for fact in each.forbids)
        ]

    def of_type(self, kind: str) -> list[str]:
        """Return the objects of a type and of those below it."""
        return [name for name, own in self.objects.items() if self._is(own, kind)]

    def _is(self, own: str, kind: str) -> bool:
        return own == kind or kind == "object" or (own in self.parents and self._is(self.parents[own], kind))

    def _ground(self) -> Iterator[Operator]:
        for part in self._tree[1:]:
            if part[0] != ":action":
                continue
            fields = {part[index]: part[index + 1] for index in range(2, len(part), 2)}
            typed = _typed(fields[":parameters"])
            for args in product(*(self.of_type(kind) for _, kind in typed)):
                if len(set(args)) < len(args):
                    continue
                bound = dict(zip((name for name, _ in typed), args, strict=True))
                needs, forbids = _signed(fields[":precondition"], bound)
                adds, deletes = _signed(fields[":effect"], bound)
                yield Operator(name=part[1], args=args, needs=needs, forbids=forbids, adds=adds, deletes=deletes)


def reaches(model: Model, goal: State, steps: Iterable[Operator]) -> bool:
    """Say whether the steps can be executed and end in the goal."""
    state = model.init
    for step in steps:
        after = step.after(state)
        if after is None:
            return False
        state = after
    return goal <= state


def has_valid_completion(model: Model, goal: State, patterns: Sequence[Sequence[Operator]]) -> tuple[bool, bool]:
    """Say whether some, and whether every executable choice of one operator for each pattern reaches the goal."""
    layer = {model.init}
    for pattern in patterns:
        layer = {after for state in layer for step in pattern if (after := step.after(state)) is not None}
    ends = [goal <= state for state in layer]
    return any(ends), bool(ends) and all(ends)


def _facts(facts: Iterable[Fact]) -> str:
    return " ".join(f"({' '.join(fact)})" for fact in sorted(facts))


def _tree(text: str) -> Any:
    stack: list[Any] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0][0]


def _typed(items: Sequence[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    names: list[str] = []
    rest = iter(items)
    for item in rest:
        if item == "-":
            kind = next(rest)
            found += [(name, kind) for name in names]
            names = []
        else:
            names.append(item)
    return found + [(name, "object") for name in names]


def _signed(formula: Any, bound: dict[str, str]) -> tuple[State, State]:
    """Return the facts of a conjunction, and those that it denies."""
    parts = formula[1:] if formula and formula[0] == "and" else [formula] if formula else []
    positive = {tuple(bound.get(word, word) for word in part) for part in parts if part[0] != "not"}
    negative = {tuple(bound.get(word, word) for word in part[1]) for part in parts if part[0] == "not"}
    return frozenset(positive), frozenset(negative)
