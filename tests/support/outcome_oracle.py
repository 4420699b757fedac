"""Random models with several outcomes, and all their runs by brute force: nothing of the package is used."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

Atom: TypeAlias = tuple[str, ...]
State: TypeAlias = frozenset[Atom]
Tree: TypeAlias = tuple
"""("lit", atom, sign), ("and" | "oneof" | "chance" | "forall", [tree ...]), ("when", [(atom, sign)], tree)"""
Literals: TypeAlias = list[tuple[Atom, bool]]

OBJECTS = ("a", "b")
FACTS = (("p",), ("q",), ("r",), ("s", "a"), ("s", "b"))


@dataclass
class Act:
    """``?x`` in the atoms of an act is its argument; what is observed are atoms."""

    condition: Literals
    effect: Tree
    observed: tuple[Atom, ...] = ()
    has_parameter: bool = False


@dataclass
class Case:
    """A model: actions, facts, what is uncertain (kind, options), a goal; a step is a name, with its argument."""

    acts: dict[str, Act]
    init: set[Atom]
    uncertain: list[tuple[str, list[Literals]]]
    goal: Literals

    def act(self, step: str) -> Act:
        """Return what a step does and observes."""
        name, _, argument = step.partition(" ")
        act = self.acts[name]
        if not argument:
            return act
        condition, effect, observed = bound((act.condition, act.effect, act.observed), argument)
        return Act(condition, effect, observed)

    # --- runs --------------------------------------------------------------------------------------

    def starts(self) -> set[State]:
        """Return all states that agree with what is said of the initial one."""
        named = {atom for _, options in self.uncertain for option in options for atom, _ in option} - self.init
        found = set()
        for values in product((False, True), repeat=len(named)):
            state = frozenset(self.init.union(a for a, v in zip(sorted(named), values, strict=True) if v))
            held = [sum(holds(option, state) for option in options) for _, options in self.uncertain]
            kinds = [kind for kind, _ in self.uncertain]
            if all(
                n == 1 if kind == "oneof" else n > 0 for kind, n in zip(kinds, held, strict=True) if kind != "unknown"
            ):
                found.add(state)
        return found

    def after(self, step: str, state: State) -> set[State]:
        """Return the states that a step may lead to; none where it cannot be executed."""
        if step.split()[0] not in self.acts or not holds((act := self.act(step)).condition, state):
            return set()
        return {(state - gone) | new for new, gone in changes(act.effect, state)}

    def is_goal(self, state: State) -> bool:
        return holds(self.goal, state)

    def sequence(self, plan: list[str]) -> tuple[str, int | None]:
        """Return whether a plan is right in all runs, in some or in none, and after how many steps one goes wrong."""
        states, wrong, is_short = self.starts(), None, False
        for place, act in enumerate(plan):
            if any(not self.after(act, state) for state in states) and wrong is None:
                wrong = place
            states = set().union(*(self.after(act, state) for state in states))
        is_short = any(not self.is_goal(state) for state in states)
        if wrong is None and is_short:
            wrong = len(plan)
        reached = any(map(self.is_goal, states))
        return ("all" if wrong is None else "some" if reached else "none"), wrong

    def policy(self, act_in: Callable[[State], str | None], starts: set[State] | None = None) -> str:
        """Return what a policy is: strong, strong cyclic, or whether some run reaches the goal."""
        starts = self.starts() if starts is None else starts
        reached, waiting = set(starts), list(starts)
        following: dict[State, set[State]] = {}
        while waiting:
            state = waiting.pop()
            act = None if self.is_goal(state) else act_in(state)
            following[state] = set() if act is None else self.after(act, state)
            waiting += following[state] - reached
            reached |= following[state]
        strong = {state for state in reached if self.is_goal(state)}
        weak = set(strong)
        while True:
            more = {s for s in reached - strong if following[s] and following[s] <= strong}
            hopeful = {s for s in reached - weak if following[s] & weak}
            if not more and not hopeful:
                break
            strong |= more
            weak |= hopeful
        if strong == reached:
            return "strong"
        if weak == reached:
            return "strong cyclic"
        return "some" if weak & starts else "none"

    # --- texts -------------------------------------------------------------------------------------

    def domain(self, requirements: str = ":adl :non-deterministic") -> str:
        acts = "\n".join(
            f"(:action {name} :parameters ({'?x' * act.has_parameter}) :precondition (and {texts(act.condition)})"
            f" :effect {text(act.effect)}"
            f"{f' :observe (and {chr(32).join(map(shown, act.observed))})' if act.observed else ''})"
            for name, act in self.acts.items()
        )
        head = f"(define (domain d) (:requirements {requirements}) (:constants a b)"
        return f"{head} (:predicates (p) (q) (r) (s ?x))\n{acts})"

    def problem(self) -> str:
        facts = " ".join(map(shown, sorted(self.init)))
        said = " ".join(f"({kind} {' '.join(map(joined, options))})" for kind, options in self.uncertain)
        return f"(define (problem x) (:domain d) (:init {facts} {said}) (:goal (and {texts(self.goal)})))"


def holds(literals: Literals, state: State) -> bool:
    return all((atom in state) is sign for atom, sign in literals)


def changes(tree: Tree, state: State) -> set[tuple[State, State]]:
    """Return what an effect may add and delete in a state."""
    kind = tree[0]
    if kind == "lit":
        atom = frozenset([tree[1]])
        return {(atom, frozenset()) if tree[2] else (frozenset(), atom)}
    if kind == "when":
        return changes(tree[2], state) if holds(tree[1], state) else {(frozenset(), frozenset())}
    parts = tree[1]
    if kind == "forall":
        parts = [bound(tree[1], name) for name in OBJECTS]
    if kind in ("oneof", "chance"):
        found = set().union(*(changes(part, state) for part in parts))
        return found | {(frozenset(), frozenset())} if kind == "chance" else found
    found = {(frozenset(), frozenset())}
    for part in parts:
        found = {(a | c, b | d) for a, b in found for c, d in changes(part, state)}
    return found


def bound(tree: Any, name: str) -> Any:
    """Return a tree with an object for ``?x``."""
    if isinstance(tree, tuple):
        return tuple(bound(part, name) for part in tree)
    if isinstance(tree, list):
        return [bound(part, name) for part in tree]
    return name if tree == "?x" else tree


def shown(atom: Atom) -> str:
    return f"({' '.join(atom)})"


def texts(literals: Literals) -> str:
    return " ".join(shown(atom) if sign else f"(not {shown(atom)})" for atom, sign in literals)


def joined(literals: Literals) -> str:
    return texts(literals) if len(literals) == 1 else f"(and {texts(literals)})"


def text(tree: Tree) -> str:
    match tree[0]:
        case "lit":
            return texts([(tree[1], tree[2])])
        case "when":
            return f"(when (and {texts(tree[1])}) {text(tree[2])})"
        case "forall":
            return f"(forall (?x) {text(tree[1])})"
        case "chance":
            share = 0.5 / len(tree[1])
            return f"(probabilistic {' '.join(f'{share:.3f} {text(part)}' for part in tree[1])})"
        case kind:
            return f"({kind} {' '.join(map(text, tree[1]))})"


# --- random ones -----------------------------------------------------------------------------------


def random_case(draw: random.Random, acts: int = 4) -> Case:
    named = {f"act{number}": Act(_literals(draw, 0, 2), _effect(draw, 3)) for number in range(acts)}
    atoms = draw.sample(FACTS, len(FACTS))
    uncertain: list[tuple[str, list[Literals]]] = []
    for _ in range(draw.choice((0, 0, 1, 1, 2))):
        kind = draw.choice(("oneof", "or", "unknown"))
        chosen = draw.sample(FACTS, 1 if kind == "unknown" else draw.randint(2, 3))
        signs = (kind == "unknown" or draw.random() < 0.8 for _ in chosen)
        uncertain.append((kind, [[(atom, sign)] for atom, sign in zip(chosen, signs, strict=True)]))
    return Case(named, set(atoms[: draw.randint(1, 3)]), uncertain, _literals(draw, 1, 2))


def random_plan(draw: random.Random, case: Case) -> list[str]:
    """Return steps, most of which can be executed in some run."""
    states, plan = case.starts(), list[str]()
    for _ in range(draw.randint(0, 5)):
        able = [act for act in case.acts if any(case.after(act, state) for state in states)]
        act = draw.choice(able if able and draw.random() < 0.9 else list(case.acts))
        plan.append(act)
        states = set().union(*(case.after(act, state) for state in states))
        if any(map(case.is_goal, states)) and draw.random() < 0.6:
            break
    return plan


def random_table(draw: random.Random, case: Case) -> list[tuple[Literals, str]]:
    """Return a table that is often right: for states backwards from the goal, a step that may come nearer."""
    states = [frozenset(a for a, v in zip(FACTS, vs, strict=True) if v) for vs in product((False, True), repeat=5)]
    known = {state for state in states if case.is_goal(state)}
    found: dict[State, str] = {}
    is_new = True
    while is_new:
        is_new = False
        for state in states:
            for act in draw.sample(list(case.acts), len(case.acts)):
                if state not in known and case.after(act, state) & known:
                    known.add(state)
                    found[state] = act
                    is_new = True
    return [([(atom, atom in state) for atom in FACTS], act) for state, act in found.items() if draw.random() < 0.98]


def _literals(draw: random.Random, least: int, most: int) -> Literals:
    return [(atom, draw.random() < 0.7) for atom in draw.sample(FACTS, draw.randint(least, most))]


def _effect(draw: random.Random, depth: int, in_forall: bool = False) -> Tree:
    kind = draw.choice(("lit", "and", "oneof", "oneof", "chance", "when", "forall")) if depth else "lit"
    if kind == "forall" and in_forall:
        kind = "lit"
    if kind == "lit":
        atom = ("s", "?x") if in_forall and draw.random() < 0.7 else draw.choice(FACTS)
        return "lit", atom, draw.random() < 0.6
    if kind == "when":
        return "when", _literals(draw, 1, 2), _effect(draw, depth - 1, in_forall)
    if kind == "forall":
        return "forall", _effect(draw, depth - 1, True)
    return kind, [_effect(draw, depth - 1, in_forall) for _ in range(draw.randint(1, 3))]
