"""The fewest calls that have to be moved so that each stands after those it refers to.

Of the calls that stay, none may come before one that it needs, directly or through others: the most that can stay are a
largest antichain of "comes before, and needs", which is a partial order (Dilworth), found by matchings (König).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import pairwise

__all__ = ["conflicts", "cycle", "fewest_moves", "kept_sets", "linear"]


def cycle(needs: Sequence[set[int]]) -> list[int] | None:
    """Return calls that need each other in a circle; None when there are none."""
    try:
        TopologicalSorter(dict(enumerate(needs))).prepare()
    except CycleError as error:
        return list(dict.fromkeys(error.args[1]))
    return None


def conflicts(needs: Sequence[set[int]], given: Sequence[int]) -> dict[int, set[int]]:
    """Return for each of the ``given`` calls the places of later ones of them that it needs, also through others."""
    reach: dict[int, int] = {}  # a bit for each call: of thousands of calls, sets would be too large
    for node in TopologicalSorter(dict(enumerate(needs))).static_order():
        reach[node] = 0
        for each in needs[node]:
            reach[node] |= reach[each] | (1 << each)
    found: dict[int, set[int]] = {}
    later = 0
    for node in reversed(given):
        found[node] = _members(reach[node] & later)
        later |= 1 << node
    return {node: found[node] for node in given}


def _members(bits: int) -> set[int]:
    found = set()
    while bits:
        low = bits & -bits
        found.add(low.bit_length() - 1)
        bits ^= low
    return found


def _matching(pairs: Mapping[int, set[int]]) -> tuple[dict[int, int], dict[int, int]]:
    """Return a largest matching of a bipartite graph, from left to right and back."""
    left: dict[int, int] = {}
    right: dict[int, int] = {}
    for start in pairs:
        parents: dict[int, int] = {}
        stack = [start]
        free = None
        while stack and free is None:
            node = stack.pop()
            for each in sorted(pairs[node]):
                if each not in parents:
                    parents[each] = node
                    if each not in right:
                        free = each
                        break
                    stack.append(right[each])
        while free is not None:
            node = parents[free]
            left[node], right[free], free = free, node, left.get(node)
    return left, right


def fewest_moves(pairs: Mapping[int, set[int]]) -> int:
    """Return how many calls have to be moved at least."""
    return len(_matching(pairs)[0])


_MOST = 6
"""moves of which all ways to choose them are looked at"""


def kept_sets(pairs: Mapping[int, set[int]], most: int) -> Iterator[frozenset[int]]:
    """Yield sets of calls to be moved, as few as possible; one alone where they are many."""
    moves = fewest_moves(pairs)
    if moves > _MOST:
        yield _cover(pairs)
        return
    edges = [(one, other) for one, others in pairs.items() for other in sorted(others)]
    seen: set[frozenset[int]] = set()
    for moved in _covers(edges, frozenset(), moves):
        if moved not in seen:
            seen.add(moved)
            yield moved
            if len(seen) >= most:
                return


def _covers(edges: Sequence[tuple[int, int]], moved: frozenset[int], left: int) -> Iterator[frozenset[int]]:
    open_edge = next((edge for edge in edges if moved.isdisjoint(edge)), None)
    if open_edge is None:
        yield moved
    elif left:
        for each in open_edge:
            yield from _covers(edges, moved | {each}, left - 1)


def _cover(pairs: Mapping[int, set[int]]) -> frozenset[int]:
    """Return a smallest set of calls without which no conflict is left, by König's construction."""
    left, right = _matching(pairs)
    reached = [node for node, others in pairs.items() if others and node not in left]
    seen_left, seen_right = set(reached), set()
    while reached:
        for each in pairs[reached.pop()]:
            if each not in seen_right:
                seen_right.add(each)
                if each in right and right[each] not in seen_left:
                    seen_left.add(right[each])
                    reached.append(right[each])
    return frozenset({node for node in left if node not in seen_left} | seen_right)


# --- the order -----------------------------------------------------------------------------------

_NUMBER = re.compile(r"(.*?)(\d+)")


def linear(needs: Sequence[set[int]], kept: Sequence[int], places: Sequence[float], labels: Sequence[str]) -> list[int]:
    """Return all calls in an order that has each after those it needs and the kept ones in theirs.

    Where that leaves a choice, calls stand as their labels count, var2 between var1 and var3; else where they stood.
    """
    before = [set(each) for each in needs]
    for one, other in pairwise(kept):
        before[other].add(one)
    keys = _keys(places, labels)
    sorter = TopologicalSorter(dict(enumerate(before)))
    sorter.prepare()
    ready: list[tuple[float, int]] = []
    found: list[int] = []
    while sorter.is_active():
        for node in sorter.get_ready():
            heappush(ready, (keys[node], node))
        found.append(heappop(ready)[1])
        sorter.done(found[-1])
    return found


def _keys(places: Sequence[float], labels: Sequence[str]) -> list[float]:
    matches = [_NUMBER.fullmatch(label) for label in labels]
    stems = {match[1] for match in matches if match}
    numbers = [float(match[2]) if match else float("inf") for match in matches]
    named = [number for number in numbers if number < float("inf")]
    if len(stems) != 1 or len(set(named)) < len(named) or len(labels) - len(named) > 1:
        return list(places)
    return numbers
