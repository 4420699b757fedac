"""A policy and a run as a planning problem with PDDL 3 constraints, so that any validator of PDDL decides them.

Each call of the run is an action, and each rule the states of its automaton (De Giacomo and Vardi 2013), but for
conditions, which are those of the calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from validator.errors import InputError
from validator.policies.conditions import And, Condition, Fact, Not, Or
from validator.policies.events import Event
from validator.policies.policy import Policy
from validator.policies.rules import BROKEN, OnlyIf, Rule, Seen, State

__all__ = ["Compiled", "compile_run"]

_MOST_STATES = 2000
_REQUIREMENTS = ":strips :negative-preconditions :disjunctive-preconditions :conditional-effects :constraints"


@dataclass(frozen=True, slots=True)
class Compiled:
    """A domain and a problem, and the run as a plan; ``constraints`` are those of each rule, in the policy's order."""

    domain: str
    problem: str
    plan: str
    constraints: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """What a rule becomes: its facts, those that hold at first, for each call its effects, and its constraints."""

    facts: tuple[str, ...]
    first: tuple[str, ...]
    effects: tuple[tuple[str, ...], ...]
    constraints: tuple[str, ...]


def compile_run(policy: Policy, run: Sequence[Event]) -> Compiled:
    """Return a policy and a run as PDDL. Raises InputError for a policy of which something is not known in the run."""
    names = _Names()
    rules = [_part(policy, number, rule, run, names) for number, rule in enumerate(policy.rules)]
    changed = [list(_changes(policy, event, names)) for event in run]
    facts = [*dict.fromkeys((*(fact for part in rules for fact in part.facts), *names.facts)), "(done)"]
    actions = [
        f"(:action call-{place + 1} :parameters () :effect (and (done)"
        f"{''.join(f' {effect}' for part in rules for effect in part.effects[place])}"
        f"{''.join(f' {effect}' for effect in changed[place])}))"
        for place in range(len(run))
    ]
    constraints = [each for part in rules for each in part.constraints]
    domain = "\n".join(
        (
            "(define (domain policy)",
            f"(:requirements {_REQUIREMENTS})",
            f"(:predicates {' '.join(facts)})",
            *actions,
            ")",
        )
    )
    first = " ".join(fact for part in rules for fact in part.first)
    problem = (
        f"(define (problem run) (:domain policy)\n(:init {first})\n(:goal (and))\n"
        f"(:constraints (and {' '.join(constraints)})))"
    )
    plan = "".join(f"(call-{place + 1})\n" for place in range(len(run)))
    return Compiled(domain, problem, plan, tuple(part.constraints for part in rules))


class _Names:
    """The names of the policy's own facts with their terms, which may be any texts."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], str] = {}

    def of(self, atom: tuple[str, ...]) -> str:
        return self._known.setdefault(atom, f"(fact-{len(self._known) + 1})")

    @property
    def facts(self) -> tuple[str, ...]:
        return tuple(self._known.values())


def _part(policy: Policy, number: int, rule: Rule, run: Sequence[Event], names: _Names) -> _Part:
    seen = [_seen(policy, number, event) for event in run]
    own = f"rule-{number + 1}"
    return _only_if(rule, own, run, seen, names) if isinstance(rule, OnlyIf) else _automaton(rule, own, seen)


def _seen(policy: Policy, number: int, event: Event) -> Seen:
    rule = policy.rules[number]
    matches = tuple(pattern.matches(event) for pattern in rule.patterns)
    if None in matches:
        raise InputError(f"it is not known whether {event} is one that '{rule}' means")
    return Seen(matches, True, event.failed, policy.is_free(event))


def _only_if(rule: OnlyIf, own: str, run: Sequence[Event], seen: Sequence[Seen], names: _Names) -> _Part:
    effects = [
        (f"(when (not {_formula(rule.when, event, names)}) ({own}-wrong))",) if each.matches[0] else ()
        for event, each in zip(run, seen, strict=True)
    ]
    return _Part((f"({own}-wrong)",), (), tuple(effects), (f"(always (not ({own}-wrong)))",))


def _formula(condition: Condition, event: Event, names: _Names) -> str:
    match condition:
        case Not():
            return f"(not {_formula(condition.part, event, names)})"
        case And() | Or():
            word = "and" if isinstance(condition, And) else "or"
            return f"({word} {' '.join(_formula(part, event, names) for part in condition.parts)})"
        case Fact():
            atom = condition.ground(event)
            if atom is not None:
                return names.of(atom)
            raise InputError(f"the terms of {condition} are not known in {event}")
    holds = condition.holds(event, lambda _: None)
    if holds is None:
        raise InputError(f"it is not known whether {condition} in {event}")
    return "(and)" if holds else "(or)"


def _changes(policy: Policy, event: Event, names: _Names) -> Iterator[str]:
    for change in () if event.failed else policy.changes:
        if change.pattern.matches(event):
            given = [fact.ground(event) for fact in change.gives]
            ended = [fact.ground(event) for fact in change.ends]
            yield from (f"(not {names.of(atom)})" for atom in ended if atom is not None and atom not in given)
            yield from (names.of(atom) for atom in given if atom is not None)


def _automaton(rule: Rule, own: str, seen: Sequence[Seen]) -> _Part:
    """Return the states of a rule as facts, of which one holds at a time."""
    states: dict[State, str] = {rule.start: f"({own}-state-0)"}
    ways: list[dict[State, State]] = [{} for _ in seen]
    waiting = [rule.start]
    while waiting:
        state = waiting.pop()
        for place, each in enumerate(seen):
            after = BROKEN if state == BROKEN else rule.step(state, each)
            if after != state:
                ways[place][state] = after
            if after not in states:
                states[after] = f"({own}-state-{len(states)})"
                waiting.append(after)
        if len(states) > _MOST_STATES:
            raise InputError(f"'{rule}' has more than {_MOST_STATES} states in this run")
    effects = tuple(
        tuple(f"(when {states[state]} (and (not {states[state]}) {states[after]}))" for state, after in way.items())
        for way in ways
    )
    met = [name for state, name in states.items() if state != BROKEN and rule.is_met(state)]
    kept = [f"(always (not {states[BROKEN]}))"] if BROKEN in states else []
    if len(met) + len(kept) < len(states):
        kept.append(f"(at end (or {' '.join(met)}))")
    return _Part(tuple(states.values()), (states[rule.start],), effects, tuple(kept))
