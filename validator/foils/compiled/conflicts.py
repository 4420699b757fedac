"""Minimal conflicts: which of several wishes cannot hold together.

One conflict by deletion (Chinneck and Dravnieks 1991): each wish is left out in turn, and stays out when the rest is
still impossible. All of them by looking at the largest sets that no answer so far decides (Liffiton, Previti, Malik and
Marques-Silva 2016): such a set is possible, and so are its parts, or it holds a conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from validator.records import dataclass

__all__ = ["Conflicts", "minimal_conflicts"]

_MOST_WISHES = 10
"""Wishes up to which all conflicts are looked for; 10 have 1024 sets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicts:
    """Sets of wishes, by number, that cannot hold together.

    ``minimal`` says that each set is proven to lose nothing: without any one of its wishes the rest can hold.
    ``complete`` says that there are no others.
    """

    sets: tuple[frozenset[int], ...]
    minimal: bool
    complete: bool


def minimal_conflicts(number: int, possible: Callable[[frozenset[int]], bool | None]) -> Conflicts:
    """Return the minimal conflicts among wishes ``0 .. number - 1``, all of which together are impossible.

    ``possible`` says whether a set of wishes can hold together; None when that is not known. An empty set as the
    conflict means that nothing can hold, whatever is wished.
    """
    search = _Search(possible)
    search.shrink(frozenset(range(number)))
    undecided = [seed for seed in _seeds(number) if not search.look(seed)] if number <= _MOST_WISHES else [frozenset()]
    return Conflicts(
        sets=tuple(sorted(search.conflicts, key=lambda found: (len(found), sorted(found)))),
        minimal=search.is_certain,
        complete=not undecided and search.is_certain,
    )


def _seeds(number: int) -> Iterator[frozenset[int]]:
    for size in range(number, -1, -1):
        yield from map(frozenset, combinations(range(number), size))


class _Search:
    """What is known: sets that are possible, with their parts, and conflicts, with all that holds them."""

    def __init__(self, possible: Callable[[frozenset[int]], bool | None]) -> None:
        self._possible = possible
        self._known: dict[frozenset[int], bool | None] = {}
        self.conflicts: set[frozenset[int]] = set()
        self.is_certain = True

    def look(self, seed: frozenset[int]) -> bool:
        """Decide a set of wishes; return whether that could be done."""
        answer = self._ask(seed)
        if answer is False and not any(conflict <= seed for conflict in self.conflicts):
            self.shrink(seed)
        return answer is not None

    def shrink(self, wishes: frozenset[int]) -> None:
        """Leave out of an impossible set what is not needed for that, and keep the rest as a conflict."""
        for wish in sorted(wishes):
            answer = self._ask(wishes - {wish})
            if answer is False:
                wishes = wishes - {wish}
            elif answer is None:
                self.is_certain = False
        self.conflicts.add(wishes)

    def _ask(self, wishes: frozenset[int]) -> bool | None:
        if any(conflict <= wishes for conflict in self.conflicts):
            return False
        if any(answer and wishes <= known for known, answer in self._known.items()):
            return True
        if any(answer is False and known <= wishes for known, answer in self._known.items()):
            return False
        if wishes not in self._known:
            self._known[wishes] = self._possible(wishes)
        return self._known[wishes]
