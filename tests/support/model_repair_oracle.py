"""A second repairer of domains, by trying every set of edits, on its own values and with its own execution.

Random domains are tiny: two or three actions, a few predicates over two or three objects. Nothing of the package is
used: an action is sets of literals, a literal a tuple of a predicate and terms (``?x`` or a constant).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product

__all__ = ["Act", "Tiny", "Trial", "edited", "edits_of", "is_valid", "random_trial", "reach_trial", "smallest"]

Literal = tuple[str, ...]
Change = tuple[str, str, Literal, bool]
"""(what is done, action, literal, whether it is positive)"""


@dataclass(frozen=True)
class Act:
    """An action: its variables, preconditions by sign, effects by sign."""

    variables: tuple[str, ...]
    conditions: frozenset[tuple[Literal, bool]]
    effects: frozenset[tuple[Literal, bool]]


@dataclass(frozen=True)
class Tiny:
    """A domain: predicates with their number of arguments, constants, actions.

    With ``reach``, ``d`` is derived and stands for itself: two objects between which there is a way over ``s``.
    """

    predicates: Mapping[str, int]
    constants: tuple[str, ...]
    acts: Mapping[str, Act]
    reach: bool = False

    def text(self) -> str:
        """Return the domain as PDDL."""
        lines = ["(define (domain tiny)", f"  (:constants {' '.join(self.constants)})", "  (:predicates"]
        lines += [f"    ({name}{''.join(f' ?a{i}' for i in range(n))})" for name, n in sorted(self.predicates.items())]
        lines.append("    (d ?a ?b))" if self.reach else "  )")
        if self.reach:
            lines.append("  (:derived (d ?a ?b) (or (s ?a ?b) (exists (?c) (and (s ?a ?c) (d ?c ?b)))))")
        for name, act in sorted(self.acts.items()):
            conditions = " ".join(_literal_text(*part) for part in sorted(act.conditions))
            effects = " ".join(_literal_text(*part) for part in sorted(act.effects))
            lines.append(f"  (:action {name} :parameters ({' '.join(act.variables)})")
            lines.append(f"    :precondition (and {conditions})\n    :effect (and {effects}))")
        return "\n".join(lines) + ")\n"


@dataclass(frozen=True)
class Trial:
    """A domain, what holds at first, the goal by sign, plans that must be valid and plans that must not be."""

    domain: Tiny
    objects: tuple[str, ...]
    init: frozenset[Literal]
    goal: frozenset[tuple[Literal, bool]]
    plans: tuple[tuple[Literal, ...], ...]
    must_fail: tuple[tuple[Literal, ...], ...] = field(default=())

    def problem_text(self) -> str:
        facts = " ".join(f"({' '.join(fact)})" for fact in sorted(self.init))
        goal = " ".join(_literal_text(*part) for part in sorted(self.goal))
        objects = " ".join(self.objects)
        return f"(define (problem p) (:domain tiny) (:objects {objects})\n (:init {facts}) (:goal (and {goal})))\n"


def plan_text(plan: Sequence[Literal]) -> str:
    return "".join(f"({' '.join(step)})\n" for step in plan)


def _literal_text(literal: Literal, positive: bool) -> str:
    text = f"({' '.join(literal)})"
    return text if positive else f"(not {text})"


# --- execution -----------------------------------------------------------------------------------


def is_valid(trial: Trial, domain: Tiny, plan: Sequence[Literal]) -> bool:
    """Execute a plan: conditions, then deletions, then additions; the goal at the end."""
    state = set(trial.init)
    for name, *args in plan:
        act = domain.acts[name]
        binding = dict(zip(act.variables, args, strict=True))
        seen = _seen(domain, state)
        if any((_ground(literal, binding) in seen) is not positive for literal, positive in act.conditions):
            return False
        state -= {_ground(literal, binding) for literal, positive in act.effects if not positive}
        state |= {_ground(literal, binding) for literal, positive in act.effects if positive}
    seen = _seen(domain, state)
    return all((literal in seen) is positive for literal, positive in trial.goal)


def _seen(domain: Tiny, state: set[Literal]) -> set[Literal]:
    """Return a state with what is derived of it."""
    ways = {fact[1:] for fact in state if domain.reach and fact[0] == "s"}
    while more := {(a, d) for a, b in ways for c, d in ways if b == c} - ways:
        ways |= more
    return state | {("d", *way) for way in ways}


def _ground(literal: Literal, binding: Mapping[str, str]) -> Literal:
    return (literal[0], *(binding.get(term, term) for term in literal[1:]))


def does_right(trial: Trial, domain: Tiny) -> bool:
    return all(is_valid(trial, domain, plan) for plan in trial.plans) and not any(
        is_valid(trial, domain, plan) for plan in trial.must_fail
    )


# --- every edit ----------------------------------------------------------------------------------


def edits_of(domain: Tiny, *, strengthen: bool) -> list[Change]:
    """Return every edit: literals of actions removed or added; preconditions are added with ``strengthen`` only."""
    found: list[Change] = []
    for name, act in domain.acts.items():
        atoms = list(_atoms(domain, act.variables))
        found += [("remove precondition", name, *part) for part in act.conditions]
        found += [("remove effect", name, *part) for part in act.effects]
        found += [
            ("add effect", name, atom, sign)
            for atom in atoms
            for sign in (True, False)
            if (atom, sign) not in act.effects
        ]
        if strengthen:
            found += [
                ("add precondition", name, atom, sign)
                for atom in atoms
                for sign in (True, False)
                if (atom, sign) not in act.conditions
            ]
    return found


def _atoms(domain: Tiny, variables: Sequence[str]) -> Iterator[Literal]:
    for name, arity in domain.predicates.items():
        for terms in product((*variables, *domain.constants), repeat=arity):
            yield (name, *terms)


def edited(domain: Tiny, changes: Sequence[Change]) -> Tiny:
    acts = dict(domain.acts)
    for what, name, literal, positive in changes:
        act, part = acts[name], frozenset(((literal, positive),))
        acts[name] = {
            "remove precondition": lambda a=act, p=part: replace(a, conditions=a.conditions - p),
            "add precondition": lambda a=act, p=part: replace(a, conditions=a.conditions | p),
            "remove effect": lambda a=act, p=part: replace(a, effects=a.effects - p),
            "add effect": lambda a=act, p=part: replace(a, effects=a.effects | p),
        }[what]()
    return replace(domain, acts=acts)


def smallest(trial: Trial, most: int) -> set[frozenset[Change]] | None:
    """Return all smallest sets of edits that repair a domain; None when they have more than ``most``."""
    every = edits_of(trial.domain, strengthen=bool(trial.must_fail))
    for size in range(most + 1):
        found = {
            frozenset(changes)
            for changes in combinations(every, size)
            if does_right(trial, edited(trial.domain, changes))
        }
        if found:
            return found
    return None


# --- random domains ------------------------------------------------------------------------------


def random_trial(seed: int, *, must_fail: bool) -> Trial:
    """Return a random domain with a random plan or two, which it mostly does not admit."""
    draw = random.Random(seed)
    predicates = dict(draw.sample([("p", 0), ("q", 1), ("r", 1), ("s", 2)], draw.choice((2, 2, 3))))
    constants = ("k",) if draw.random() < 0.3 else ()
    acts = {f"a{i}": _act(draw, predicates, constants) for i in range(draw.choice((1, 2, 2)))}
    domain = Tiny(predicates, constants, acts)
    objects = ("x", "y")
    facts = [(name, *args) for name, n in predicates.items() for args in product((*objects, *constants), repeat=n)]
    init = frozenset(fact for fact in facts if draw.random() < 0.4)
    goal = frozenset(
        (fact, draw.random() < 0.75) for fact in draw.sample(facts, min(len(facts), draw.choice((1, 1, 2))))
    )
    plans = tuple(_plan(draw, domain, objects) for _ in range(draw.choice((1, 1, 2))))
    failing = tuple(_plan(draw, domain, objects) for _ in range(draw.choice((1, 2)))) if must_fail else ()
    return Trial(domain, objects, init, goal, plans, failing)


def _act(draw: random.Random, predicates: Mapping[str, int], constants: Sequence[str]) -> Act:
    variables = ("?x", "?y")[: draw.choice((0, 1, 1, 2))]
    atoms = list(_atoms(Tiny(predicates, tuple(constants), {}), variables))
    conditions = {(atom, draw.random() < 0.7) for atom in draw.sample(atoms, min(len(atoms), draw.choice((0, 1, 2))))}
    effects = {(atom, draw.random() < 0.6) for atom in draw.sample(atoms, min(len(atoms), draw.choice((0, 1, 2))))}
    return Act(variables, frozenset(conditions), frozenset(effects))


def _plan(draw: random.Random, domain: Tiny, objects: Sequence[str]) -> tuple[Literal, ...]:
    steps = []
    for _ in range(draw.choice((1, 2, 3))):
        name = draw.choice(sorted(domain.acts))
        steps.append((name, *(draw.choice((*objects, *domain.constants)) for _ in domain.acts[name].variables)))
    return tuple(steps)


def reach_trial(seed: int) -> Trial:
    """Return a random domain in which conditions and goals ask for a way over ``s``."""
    draw = random.Random(seed)
    predicates, objects = {"s": 2, "p": 0}, ("x", "y", "z")
    ways = [("d", *pair) for pair in product(objects, repeat=2)]
    acts = {name: _act(draw, predicates, ()) for name in ("a0", "a1")}
    for name, act in acts.items():
        if len(act.variables) == 2 or draw.random() < 0.3:
            asked = (("d", *(draw.choice(act.variables or objects[:1]) for _ in range(2))), draw.random() < 0.7)
            acts[name] = replace(act, conditions=act.conditions | {asked} if act.variables else act.conditions)
    domain = Tiny(predicates, (), acts, reach=True)
    facts = [("s", *pair) for pair in product(objects, repeat=2)]
    init = frozenset(fact for fact in facts if draw.random() < 0.3)
    goal = frozenset({(draw.choice(ways), draw.random() < 0.7)})
    return Trial(domain, objects, init, goal, tuple(_plan(draw, domain, objects) for _ in range(draw.choice((1, 2)))))
