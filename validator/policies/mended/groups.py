"""Rules in groups that have no call and no fact in common, each mended by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from validator.policies.conditions import Pattern, facts_in
from validator.policies.events import Event
from validator.policies.mended.calls import additions
from validator.policies.mended.search import search
from validator.policies.policy import Policy, Progress
from validator.policies.rules import Rule

__all__ = ["Part", "groups", "mended_group"]


def groups(policy: Policy, rules: Sequence[Rule], run: Sequence[Event], kept: Sequence[int]) -> list[list[Rule]]:
    """Return the rules in groups without a call or a fact in common.

    What one rule of a group may add can be what another one asks for facts of, so that both together need more calls
    than each: groups are put together until none grows.
    """
    found_groups = [[rule] for rule in rules]
    while True:
        found: list[tuple[set[object], list[Rule]]] = []
        for group in found_groups:
            own = set(_concern(policy, group, run, kept))
            near = [other for other in found if other[0] & own]
            merged = (own.union(*(other[0] for other in near)), [each for other in near for each in other[1]] + group)
            found = [*(other for other in found if other not in near), merged]
        if len(found) == len(found_groups):
            return found_groups
        found_groups = [group for _, group in found]


def _concern(policy: Policy, rules: Sequence[Rule], run: Sequence[Event], kept: Sequence[int]) -> Iterator[object]:
    """Yield what rules have to do with: calls of the run, calls that may be added, facts."""
    for rule in rules:
        yield id(rule)
        yield str(rule)
        patterns = list(rule.patterns)
        if rule.condition is not None:
            yield from (fact.name for fact in facts_in(rule.condition))
            patterns += (change.pattern for change in policy.changes)
        yield from (place for place in kept if rule.is_closed or _speaks_of(patterns, run[place]))
    for event in additions(policy, rules, run).events:
        yield str(event)
        yield from (str(other) for other in policy.rules if other.is_closed or _speaks_of(other.patterns, event))


def _speaks_of(patterns: Iterable[Pattern], event: Event) -> bool:
    return any(pattern.matches(event) is not False for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Part:
    """How a group of rules is mended: its calls of the run, and of its mended run all calls and added ones in order."""

    own: tuple[int, ...]
    run: tuple[int | Event, ...]


def mended_group(
    policy: Policy,
    local: Policy,
    rules: Sequence[Rule],
    calls: Sequence[tuple[int, Event]],
    deadline: float,
    begun: Progress,
) -> tuple[Part | None, bool]:
    """Return how one group is mended, None where no way was found, and whether that is proven."""
    reads_facts = any(rule.condition is not None for rule in rules)
    own = replace(policy, rules=tuple(rules), changes=policy.changes if reads_facts else ())
    patterns = [pattern for rule in rules for pattern in rule.patterns]
    patterns += [change.pattern for change in own.changes]
    is_closed = any(rule.is_closed for rule in rules)
    mine = [(place, event) for place, event in calls if is_closed or _speaks_of(patterns, event)]
    possible = additions(policy, rules, [event for _, event in calls])
    added = [event for event in possible.events if not local.after(local.start, event)[1]]
    worlds = {id(rule): each for rule, each in zip(policy.rules, begun.rules, strict=True)}
    start = replace(begun, rules=tuple(worlds[id(rule)] for rule in rules))
    found = search(own, start, [event for _, event in mine], added, deadline)
    if found.way is None:
        return None, found.is_proven and possible.is_whole
    places: list[int | Event] = [*(place for place, _ in mine), *added]
    run = tuple(places[number] for number in found.way.calls)
    is_whole = possible.is_whole or found.way.edits <= 1  # one is needed, of whatever calls, as the rules are broken
    return Part(tuple(place for place, _ in mine), run), found.is_proven and is_whole
