"""The nearest run that keeps a policy: which call to drop, to add, to move; proven where the search was exhaustive.

What one call breaks by itself (``never``, ``allow``, a condition on its arguments) can only be dropped. The other rules
are repaired in groups that have no call and no fact in common, so that the edits of all groups together are the fewest.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from validator.policies.conditions import Pattern
from validator.policies.events import FOLLOWING, Event
from validator.policies.policy import Policy
from validator.policies.product import Position, Product
from validator.policies.repair.calls import additions
from validator.policies.repair.search import search
from validator.policies.rules import Allow, Never, OnlyIf, Rule
from validator.policies.values import Truth
from validator.repair.alignment import common_pairs
from validator.repair.diff import line_diffs, unified


class EditKind(StrEnum):
    """What is done with a call."""

    KEEP = "keep"
    DROP = "drop"
    ADD = "add"
    MOVE = "move"


@dataclass(frozen=True, slots=True)
class Edit:
    """What becomes of a call. ``call`` is its index in the run, None for one that is added.

    A moved call stands at its new place, and ``before`` says in front of which call of the run that is; None is the
    end. The same goes for one that is added, which is made at the time of the next call that is kept.
    """

    kind: EditKind
    event: Event
    call: int | None = None
    before: int | None = None

    @property
    def said(self) -> str:
        where = "the end" if self.before is None else f"before call {self.before + 1}"
        match self.kind:
            case EditKind.DROP:
                return f"drop call {_number(self.call)} {self.event}"
            case EditKind.ADD:
                return f"add {self.event} {'at ' * (self.before is None)}{where}"
            case EditKind.MOVE:
                return f"move call {_number(self.call)} {self.event} {'to ' * (self.before is None)}{where}"
        return f"keep call {_number(self.call)} {self.event}"


def _number(call: int | None) -> int:
    return -1 if call is None else call + 1


@dataclass(frozen=True, slots=True)
class Repair:
    """A run that keeps the policy, as edits of the run that was: every call of it once, and those that are added.

    ``edits`` is None where there is none; then ``reason`` says why, and ``proven`` whether that is certain.
    """

    edits: tuple[Edit, ...] | None
    proven: bool
    reason: str = ""

    @property
    def cost(self) -> int | None:
        """Return the number of calls that are dropped, added or moved."""
        return None if self.edits is None else sum(edit.kind is not EditKind.KEEP for edit in self.edits)

    @property
    def run(self) -> tuple[Event, ...]:
        """Return the calls of the repaired run."""
        return tuple(edit.event for edit in self.edits or () if edit.kind is not EditKind.DROP)

    @property
    def diff(self) -> str:
        """Return the way from the run to the repaired one, in the unified format."""
        calls = {edit.call: edit.event for edit in self.edits or () if edit.call is not None}
        given = [calls[number].step for number in sorted(calls)]
        return unified(tuple(line_diffs(given, [event.step for event in self.run])), name="run")


def nearest_run(product: Product, begun: Position, run: Sequence[Event], time_limit: float) -> Repair:
    """Return the nearest run that keeps a policy; nothing is reported that was not followed again.

    ``begun`` is how far it was before: what came before stays as it is. ``time_limit`` is in seconds. With a model
    every call of the repaired run can be executed on it too, and calls of the model may be added; all rules are one
    group then, as all calls meet there.
    """
    deadline, policy = time.monotonic() + time_limit, product.policy
    local = replace(policy, rules=tuple(filter(_is_local, policy.rules)))
    others = [rule for rule in policy.rules if not _is_local(rule)]
    kept = [place for place, event in enumerate(run) if not local.after(local.start, event)[1]]
    calls = [(place, run[place]) for place in kept]
    parts: list[_Part] = []
    proven = True
    for rules in _groups(policy, others, run, kept) if product.executor is None else [others]:
        part, is_proven = _repaired_group(product, local, rules, calls, deadline, begun)
        proven = proven and is_proven
        if part is None:
            said = "" if is_proven else "was found in time that "
            is_alone = product.executor is None
            which = f"keeps {'; '.join(map(str, rules))}" if is_alone else "keeps all, and can be executed"
            return Repair(None, is_proven, f"no run {said}{which}")
        parts.append(part)
    edits = tuple(_timed(list(_merged(run, kept, parts))))
    is_kept = keeps(product, begun, [edit.event for edit in edits if edit.kind is not EditKind.DROP])
    if is_kept is False:
        return Repair(None, False, "something that is not known decides")
    return Repair(edits, proven and is_kept is True)


@dataclass(frozen=True, slots=True)
class _Part:
    """How a group of rules is repaired: its calls of the run, and those of the repaired run in order."""

    own: tuple[int, ...]
    run: tuple[int | Event, ...]


def _repaired_group(
    product: Product,
    local: Policy,
    rules: Sequence[Rule],
    calls: Sequence[tuple[int, Event]],
    deadline: float,
    begun: Position,
) -> tuple[_Part | None, bool]:
    """Return how one group is repaired, None where no way was found, and whether that is proven."""
    policy, executor = product.policy, product.executor
    has_conditions = any(isinstance(rule, OnlyIf) for rule in rules)
    own = replace(policy, rules=tuple(rules), changes=policy.changes if has_conditions else ())
    patterns = [pattern for rule in rules for pattern in (*rule.patterns, *rule.past)]
    patterns += [change.pattern for change in own.changes]
    is_closed = executor is not None or any(rule.is_closed for rule in rules)
    mine = [(place, event) for place, event in calls if is_closed or _speaks_of(patterns, event)]
    possible = additions(policy, rules, [event for _, event in calls])
    events, is_whole = possible.events, possible.is_whole
    if executor is not None:
        wanted = [event for event in events if not _stands_for_one(event, executor.tools.values())]
        events, is_known = executor.calls(wanted, policy)
        is_whole = is_whole and is_known
    added = [event for event in events if not local.after(local.start, event)[1]]
    states = {id(rule): each for rule, each in zip(policy.rules, begun.progress.rules, strict=True)}
    start = replace(begun, progress=replace(begun.progress, rules=tuple(states[id(rule)] for rule in rules)))
    found = search(replace(product, policy=own), start, [event for _, event in mine], added, deadline)
    if found.calls is None:
        return None, found.is_proven and is_whole
    places: list[int | Event] = [*(place for place, _ in mine), *added]
    run = tuple(places[number] for number in found.calls)
    # one edit is needed, of whatever calls, as the rules are broken
    return _Part(tuple(place for place, _ in mine), run), found.is_proven and (is_whole or found.edits <= 1)


def _stands_for_one(event: Event, tools: Iterable[str]) -> bool:
    """Return whether a call is of any tool with a name like its own, of which the model has one."""
    return "*" in event.name and any(map(Pattern(event.name).names, tools))


def keeps(product: Product, position: Position, run: Iterable[Event]) -> Truth:
    """Return whether a run keeps a policy and can be executed on a model; None where a call is none that it knows."""
    is_known = True
    for event in run:
        found = product.after(position, event)
        if found.broken or found.executable is False:
            return False
        is_known, position = is_known and found.executable is True, found.after
    if not product.may_end(position):
        return False
    return True if is_known else None


# --- groups of rules -----------------------------------------------------------------------------


def _groups(policy: Policy, rules: Sequence[Rule], run: Sequence[Event], kept: Sequence[int]) -> list[list[Rule]]:
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
        patterns = [*rule.patterns, *rule.past]
        if isinstance(rule, OnlyIf):
            yield from (fact.name for fact in rule.facts)
            patterns += (change.pattern for change in policy.changes)
        yield from (place for place in kept if rule.is_closed or _speaks_of(patterns, run[place]))
    for event in additions(policy, rules, run).events:
        yield str(event)
        spoken = ((other, (*other.patterns, *other.past)) for other in policy.rules)
        yield from (str(other) for other, patterns in spoken if other.is_closed or _speaks_of(patterns, event))


def _speaks_of(patterns: Iterable[Pattern], event: Event) -> bool:
    return any(pattern.matches(event) is not False for pattern in patterns)


def _is_local(rule: Rule) -> bool:
    """Return whether one call alone decides: whatever the run, it must not be in it."""
    if isinstance(rule, OnlyIf):
        return not rule.facts and not rule.past
    return isinstance(rule, Never | Allow)


def _merged(run: Sequence[Event], kept: Sequence[int], parts: Sequence[_Part]) -> Iterator[Edit]:
    """Yield the edits of all groups, in the order of the repaired run; what is dropped stands where it was."""
    concerned = {place for part in parts for place in part.own}
    stays = set(kept) - concerned
    waiting: dict[int | None, list[int | Event]] = {}
    for part in parts:
        places = [each for each in part.run if isinstance(each, int)]
        fixed = {places[at] for _, at in common_pairs(sorted(places), places)}  # the most that stay in order
        stays |= fixed
        pending: list[int | Event] = []
        for each in part.run:
            if isinstance(each, int) and each in fixed:
                waiting.setdefault(each, []).extend(pending)
                pending = []
            else:
                pending.append(each)
        waiting.setdefault(None, []).extend(pending)
    moved = {each for group in waiting.values() for each in group if isinstance(each, int)}
    for place, event in enumerate(run):
        yield from (_placed(run, each, place) for each in waiting.get(place, ()))
        if place in stays:
            yield Edit(EditKind.KEEP, event, place)
        elif place not in moved:
            yield Edit(EditKind.DROP, event, place)
    yield from (_placed(run, each, None) for each in waiting.get(None, ()))


def _timed(edits: Sequence[Edit]) -> Iterator[Edit]:
    """Yield edits whose added calls have the time of the next call that is kept."""
    time: int | None = FOLLOWING
    times = []
    for edit in reversed(edits):
        time = edit.event.time if edit.kind is EditKind.KEEP else time
        times.append(time)
    for edit, time in zip(edits, reversed(times), strict=True):
        yield replace(edit, event=replace(edit.event, time=time)) if edit.kind is EditKind.ADD else edit


def _placed(run: Sequence[Event], each: int | Event, before: int | None) -> Edit:
    if isinstance(each, int):
        return Edit(EditKind.MOVE, run[each], each, before)
    return Edit(EditKind.ADD, each, None, before)
