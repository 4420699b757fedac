"""Lower bounds for the edits that a run needs: each rule alone, with a move as half a dropped and half an added call.

Where the order of the calls does not matter to a rule, moves do not help it, and dropping or adding counts whole.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence

from validator.policies.rules import BROKEN, AtLeast, AtMost, Budget, Rule, State

__all__ = ["UNORDERED", "Bound", "bound"]

UNORDERED = AtMost | AtLeast | Budget
"""the rules to which the order of the calls does not matter, as far as they look at no facts"""

_MOST_STATES = 3000
_FAR = 10**6

Step = Callable[[State, int], State]
"""the state of a rule after a call, which is given by its number"""


class Bound:
    """The fewest half edits behind each place of a run, by the state of one rule."""

    def __init__(self, layers: Sequence[dict[State, int]]) -> None:
        self._layers = layers

    def of(self, place: int, state: State) -> int:
        return self._layers[place].get(state, 0 if state != BROKEN else _FAR)


def bound(rule: Rule, worlds: Iterable[State], step: Step, calls: int, added: Sequence[int]) -> Bound | None:
    """Return the bounds of a rule, which is in some states, on a run of ``calls`` calls; others may be added by number.

    None where the rule has too many states, or looks at facts.
    """
    if rule.condition is not None:
        return None
    states = _reachable(worlds, step, range(calls), added)
    if states is None:
        return None
    weight = 2 if isinstance(rule, UNORDERED) else 1
    ways = {state: [after for each in added if (after := step(state, each)) != BROKEN] for state in states}
    back: dict[State, list[State]] = {state: [] for state in states}
    for state, following in ways.items():
        for after in set(following):
            back[after].append(state)
    layers = [_spread({state: 0 for state in states if rule.is_met(state)}, back, weight)]
    for place in reversed(range(calls)):
        behind = layers[-1]
        known = {}
        for state in states:
            kept = behind.get(step(state, place), _FAR)
            known[state] = min(kept, behind.get(state, _FAR) + weight)
        layers.append(_spread(known, back, weight))
    return Bound(layers[::-1])


def _reachable(worlds: Iterable[State], step: Step, calls: Sequence[int], added: Sequence[int]) -> set[State] | None:
    found = set(worlds)
    waiting = list(found)
    while waiting:
        state = waiting.pop()
        for number in (*calls, *added):
            after = step(state, number)
            if after != BROKEN and after not in found:
                found.add(after)
                waiting.append(after)
        if len(found) > _MOST_STATES:
            return None
    return found


def _spread(known: dict[State, int], back: dict[State, list[State]], weight: int) -> dict[State, int]:
    """Return the distances where calls may be added as well (Dijkstra)."""
    found = dict(known)
    queue = [(distance, number, state) for number, (state, distance) in enumerate(known.items()) if distance < _FAR]
    heapq.heapify(queue)
    count = len(queue)
    while queue:
        distance, _, state = heapq.heappop(queue)
        if distance > found.get(state, _FAR):
            continue
        for before in back[state]:
            if distance + weight < found.get(before, _FAR):
                found[before] = distance + weight
                count += 1
                heapq.heappush(queue, (distance + weight, count, before))
    return {state: found.get(state, _FAR) for state in back}
