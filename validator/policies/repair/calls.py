"""Calls that could be added to a run: those that a policy asks for, with the arguments that matter to it.

Of an argument only the comparisons that speak of it matter, so that a few values stand for all: the constants that it
is compared with, numbers beside and between them, and one value that is none of these.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, product
from typing import TypeGuard

from validator.policies.conditions import Comparison, Fact, Past, Pattern, Reference, achiever, parts_of
from validator.policies.evaluation import Moment
from validator.policies.events import ABSENT, MESSAGES, UNKNOWN, Event
from validator.policies.policy import Policy
from validator.policies.rules import AtLeast, Before, OnlyIf, Order, Rule, Then
from validator.reading.calls.objects import shown
from validator.reading.values import canonical, equal

_MOST = 256
"""calls that are added, of one pattern and in all"""


@dataclass(frozen=True, slots=True)
class Additions:
    """Calls that may be added; ``is_whole`` says that no other call could do what none of these does."""

    events: tuple[Event, ...]
    is_whole: bool


def additions(policy: Policy, rules: Sequence[Rule], run: Sequence[Event]) -> Additions:
    """Return the calls that some rules of a policy may need beside those of a run, and those that they need in turn."""
    found: dict[tuple[object, ...], Event] = {}
    is_whole, before = True, -1
    while before < len(found) < _MOST:
        before = len(found)
        known = [*run, *found.values()]
        for pattern, given in _wanted(policy, rules, known):
            for name in _names(pattern, policy, run):
                of_facts = _values_of_facts(policy, name, known)
                candidates = list(islice(_candidates(policy, pattern, name, given, of_facts), _MOST + 1))
                is_whole = is_whole and len(candidates) <= _MOST and _is_plain(policy, name)
                is_whole = is_whole and of_facts.keys() <= {*given, *_fixed(pattern)} and _is_alone(pattern, policy)
                for event in candidates:
                    if pattern.matches(event) is True:
                        found.setdefault(_signature(policy, event), event)
    looks_back = any(rule.past for rule in rules)  # in more ways than the values stand for
    return Additions(tuple(found.values()), is_whole and before == len(found) and not looks_back)


def _signature(policy: Policy, event: Event) -> tuple[object, ...]:
    """Return all that a policy sees of a call; of two that are alike to it, one is enough."""
    matches = (pattern.matches(event) for rule in policy.rules for pattern in rule.patterns)
    tests = (comparison.holds(event) for rule in policy.rules for comparison in rule.comparisons)
    asked = (fact.ground(event) for rule in policy.rules for fact in rule.facts)
    changed = (
        (change.pattern.matches(event), *(fact.ground(event) for fact in (*change.gives, *change.ends)))
        for change in policy.changes
    )
    later = tuple(pattern.names(event.name) and str(event) for rule in policy.rules for pattern in rule.past)
    free = tuple((rule.is_free or policy.is_free)(event) for rule in policy.rules if rule.is_closed)
    return tuple(matches), tuple(tests), tuple(asked), tuple(changed), later, free


def _wanted(
    policy: Policy, rules: Iterable[Rule], run: Sequence[Event]
) -> Iterator[tuple[Pattern, Mapping[str, object]]]:
    """Yield the patterns of calls that can bring a rule further, with arguments that a fact needs."""
    for rule in rules:
        match rule:
            case AtLeast():
                yield rule.pattern, {}
            case Before():
                yield rule.first, {}
            case Then():
                yield rule.second, {}
            case Order():
                yield from ((step, {}) for step in rule.steps)
            case OnlyIf():
                asked = (event for event in run if rule.pattern.matches(event) is not False)
                yield from (each for event in asked for each in achievers(policy, rule, event))


def achievers(
    policy: Policy, rule: OnlyIf, event: Event, moment: Moment | None = None
) -> Iterator[tuple[Pattern, Mapping[str, object]]]:
    """Yield the calls that give a part of a rule's condition another truth, with the arguments that they need.

    That is the truth that it lacks at a moment; without one, either.
    """
    for part, wanted in parts_of(rule.when):
        if moment is not None and moment.holds(part) is wanted:
            continue
        if isinstance(part, Fact):
            yield from _changing(policy, part, event, (True, False) if moment is None else (wanted,))
        elif isinstance(part, Past) and (wanted or moment is None):
            yield from _before(part, event)


def _changing(
    policy: Policy, fact: Fact, event: Event, truths: Sequence[bool]
) -> Iterator[tuple[Pattern, Mapping[str, object]]]:
    """Yield the calls that make a fact of a call true or false, with the arguments that they need."""
    atom = fact.ground(event)
    for change in () if atom is None else policy.changes:
        for given in (*(change.gives if True in truths else ()), *(change.ends if False in truths else ())):
            bound = None if atom is None or given.name != fact.name else _bound(given, atom[1:])
            if bound is not None:
                yield change.pattern, bound


def alternatives(rule: Rule, event: Event) -> Iterator[tuple[Comparison, Event]]:
    """Yield a call with another number for one argument that a rule compares, and this argument; the nearest first."""
    compared = (each for pattern in rule.patterns if pattern.names(event.name) for each in pattern.comparisons)
    constants: dict[str, list[object]] = {}
    for each in (*rule.comparisons, *compared):
        values = each.value if isinstance(each.value, tuple) else (each.value,)
        known = (event.value(value.path) if isinstance(value, Reference) else value for value in values)
        constants.setdefault(each.path, []).extend(filter(_is_number, known))
    for path, found in constants.items():
        given = event.values.get(path)
        if found and _is_number(given):
            numbers = filter(_is_number, _representatives(found))
            for value in sorted(numbers, key=lambda number: abs(number - given)):
                yield Comparison(path, "=", value), replace(event, values={**event.values, path: value}, text="")


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _before(part: Past, event: Event) -> Iterator[tuple[Pattern, dict[str, object]]]:
    """Yield the call that makes a condition on the past of a call true, with the arguments that it has in common."""
    pattern = achiever(part)
    if pattern is not None:
        asked = [each for each in pattern.comparisons if isinstance(each.value, Reference)]
        given = {each.path: event.value(each.value.path) for each in asked if isinstance(each.value, Reference)}
        if all(each.operator == "=" and given[each.path] not in (UNKNOWN, ABSENT) for each in asked):
            own = tuple(each for each in pattern.comparisons if not isinstance(each.value, Reference))
            yield replace(pattern, comparisons=own), given


def _bound(fact: Fact, terms: Sequence[str]) -> dict[str, object] | None:
    if len(fact.terms) != len(terms):
        return None
    found: dict[str, object] = {}
    for own, term in zip(fact.terms, terms, strict=True):
        if isinstance(own, Reference):
            value = json.loads(term)
            if not equal(found.setdefault(own.path, value), value):
                return None
        elif canonical(own) != term:
            return None
    return found


def _names(pattern: Pattern, policy: Policy, run: Sequence[Event]) -> list[str]:
    """Return the names of tools that a pattern means: known ones, and with a ``*`` one that is none of them.

    A message is no call that could be added.
    """
    if pattern.name in MESSAGES:
        return []
    if "*" not in pattern.name:
        return [pattern.name]
    known = dict.fromkeys((*policy.names, *(event.name for event in run), *policy.families))
    return [name for name in known if pattern.names(name)]


def _is_alone(pattern: Pattern, policy: Policy) -> bool:
    """Return whether no other name with a ``*`` may mean some of the tools that a pattern does."""
    return "*" not in pattern.name or all(family in (pattern.name, "*") for family in policy.families)


def _values_of_facts(policy: Policy, name: str, run: Sequence[Event]) -> dict[str, list[object]]:
    """Return, by argument of a tool, the values of calls of a run that facts with this argument may have there.

    They are not all that may matter: two calls may have to have values that no call of the run has, one each.
    """
    facts = [(change.pattern, fact) for change in policy.changes for fact in (*change.gives, *change.ends)]
    facts += [(rule.patterns[0], fact) for rule in policy.rules for fact in rule.facts]
    facts += (pair for rule in policy.rules for pair in _in_common(rule))
    found: dict[str, list[object]] = {}
    for pattern, fact in facts:
        for place, term in enumerate(fact.terms):
            if isinstance(term, Reference) and pattern.names(name):
                values = found.setdefault(term.path, [])
                alike = ((one, other) for one, other in facts if other.name == fact.name and place < len(other.terms))
                for own, other in alike:
                    values += (each for each in _values(other.terms[place], own, run) if not _is_in(each, values))
    return found


def _in_common(rule: Rule) -> Iterator[tuple[Pattern, Fact]]:
    """Yield the arguments that a call has in common with one before, as a fact of each of the two."""
    for number, pattern in enumerate(rule.past):
        for each in pattern.comparisons:
            if isinstance(each.value, Reference):
                yield rule.patterns[0], Fact(f"{rule} {number} {each.path}", (each.value,))
                yield pattern, Fact(f"{rule} {number} {each.path}", (Reference(each.path),))


def _values(term: object, pattern: Pattern, run: Sequence[Event]) -> Iterator[object]:
    """Yield what a term of a fact is for the calls of a run that a pattern matches."""
    if not isinstance(term, Reference):
        yield term
        return
    values = (event.value(term.path) for event in run if pattern.matches(event) is not False)
    yield from (value for value in values if value is not UNKNOWN and value is not ABSENT)


def _is_in(value: object, values: Iterable[object]) -> bool:
    return any(equal(value, each) for each in values)


def _candidates(
    policy: Policy,
    pattern: Pattern,
    name: str,
    given: Mapping[str, object],
    of_facts: Mapping[str, Sequence[object]],
) -> Iterator[Event]:
    values: dict[str, list[object]] = {path: [value] for path, value in given.items()}
    for path, value in _fixed(pattern).items():
        values.setdefault(path, [value])
    constants = _constants(policy, name)
    for path in dict.fromkeys((*constants, *of_facts)):
        own = _representatives(constants.get(path, ()))
        values.setdefault(path, [*own, *(value for value in of_facts.get(path, ()) if not _is_in(value, own))])
    paths = list(values)
    for chosen in product(*values.values()):
        all_ = {path: value for path, value in zip(paths, chosen, strict=True) if value is not UNKNOWN}
        said = {path: value for path, value in all_.items() if not isinstance(value, _Other)}
        yield Event(name, all_, text=shown(name, None) if not said else str(Event(name, said).step))


def _fixed(pattern: Pattern) -> dict[str, object]:
    """Return the arguments for which a pattern leaves no choice."""
    equal = (each for each in pattern.comparisons if each.operator == "=" and each.path)
    return {each.path: each.value for each in equal if not isinstance(each.value, Reference)}


class _Other(str):
    """A text that is none of those that a policy names."""


def _constants(policy: Policy, name: str) -> dict[str, list[object]]:
    """Return the values that the arguments of a tool are compared with."""
    found: dict[str, list[object]] = {}
    for each in _comparisons(policy, name):
        if each.path:
            values = each.value if isinstance(each.value, tuple) else (each.value,)
            found.setdefault(each.path, []).extend(value for value in values if not isinstance(value, Reference))
    return found


def _comparisons(policy: Policy, name: str) -> Iterator[Comparison]:
    for pattern in policy.patterns:
        if pattern.names(name):
            yield from pattern.comparisons
    for rule in policy.rules:
        if rule.comparisons and rule.patterns[0].names(name):
            yield from rule.comparisons


def _representatives(constants: Iterable[object]) -> list[object]:
    """Return values of which one stands for each way to compare with constants."""
    values = list(constants)
    numbers = sorted(set(filter(_is_number, values)))
    beside = [*(number - 1 for number in numbers[:1]), *(number + 1 for number in numbers[-1:])]
    between = [(one + other) / 2 for one, other in pairwise(numbers)]
    others = [value for value in values if not _is_in(value, numbers)]
    return [*([] if numbers else [_Other("other")]), *others, *numbers, *beside, *between]


def _is_plain(policy: Policy, name: str) -> bool:
    """Return whether representatives stand for all values: not where texts have patterns or arguments are compared."""
    return not any(each.operator == "~" or isinstance(each.value, Reference) for each in _comparisons(policy, name))
