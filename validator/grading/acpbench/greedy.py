"""One plan where there are too many states to look at all: greedy search, by plans in which nothing is ever lost.

A state is as good as its relaxed plan is short, whose steps are tried first (Hoffmann and Nebel 2001; facts cost as
much as all that they need, Bonet and Geffner 2001). What is limited is work, not time, so that all machines find the
same. A plan that is found is shortened by the steps that it can do without (Nakhost and Mueller 2010).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from heapq import heappop, heappush

from validator.grading.acpbench.operators import Clause, bits_in
from validator.grading.acpbench.space import Space
from validator.records import dataclass, field

_AXIOM = -1


@dataclass
class Greedy:
    """Searches in one space. ``work`` was done: rules that make facts true, times states that were looked at."""

    space: Space
    work: int = 0

    def path(self, wanted: Clause, most: int, avoiding: int = 0) -> list[int] | None:
        """Return operators that lead from the initial state to a condition, through no state with some facts.

        None where none was found with so much work.
        """
        search, until = _Search(self, wanted, avoiding), self.work + most
        while self.work < until and not search.is_over:
            found = search.step()
            self.work += len(self.rules)
            if found is not None:
                return self._shortened(found, wanted, avoiding)
        return None

    @cached_property
    def rules(self) -> list[tuple[tuple[int, ...], tuple[int, ...], int]]:
        """Return what makes facts true: the places of what it needs, of what it adds, and the number of its step."""
        found = []
        for number, each in enumerate(self.space.operators):
            found.append((_places(each.condition.needs), _places(each.adds), number))
            for when, adds, _ in each.effects:
                found.append((_places(each.condition.needs | when.needs), _places(adds), number))
        axioms = self.space.relaxation.axioms
        return found + [(_places(condition.needs), _places(adds), _AXIOM) for condition, adds in axioms]

    @cached_property
    def waiting(self) -> dict[int, list[int]]:
        """Return the rules by what they need."""
        found: dict[int, list[int]] = defaultdict(list)
        for rule, (needs, _, _) in enumerate(self.rules):
            for place in needs:
                found[place].append(rule)
        return found

    def estimate(self, state: int, wanted: Sequence[int], avoiding: int) -> tuple[int, set[int]] | None:
        """Return the length of a relaxed plan and its steps; None where there is none."""
        made = self._made(state, set(wanted), avoiding)
        if made is None:
            return None
        steps: set[int] = set()
        seen: set[int] = set()
        open_ = list(wanted)
        while open_:
            place = open_.pop()
            rule = made.get(place)
            if rule is not None and place not in seen:
                seen.add(place)
                needs, _, number = self.rules[rule]
                open_ += needs
                steps.add(number)
        steps.discard(_AXIOM)
        return len(steps), steps

    def _made(self, state: int, wanted: set[int], avoiding: int) -> dict[int, int] | None:
        """Return for facts the rule that makes each at the least cost, the costs of what it needs added."""
        rules, waiting = self.rules, self.waiting
        left = [len(needs) for needs, _, _ in rules]
        total = [0 if number == _AXIOM else 1 for _, _, number in rules]
        cost = dict.fromkeys(_places(state), 0)
        made: dict[int, int] = {}
        queue = [(0, place) for place in cost]
        missing = wanted - cost.keys()
        done: set[int] = set()

        def fire(rule: int) -> None:
            for place in rules[rule][1]:
                if total[rule] < cost.get(place, total[rule] + 1) and not avoiding >> place & 1:
                    cost[place] = total[rule]
                    made[place] = rule
                    heappush(queue, (total[rule], place))

        for rule, number in enumerate(left):
            if not number:
                fire(rule)
        while queue and missing:
            price, place = heappop(queue)
            if place in done:
                continue
            done.add(place)
            missing.discard(place)
            for rule in waiting.get(place, ()):
                left[rule] -= 1
                total[rule] += price
                if not left[rule]:
                    fire(rule)
        return None if missing else made

    def _shortened(self, path: list[int], wanted: Clause, avoiding: int) -> list[int]:
        """Leave out each step, with those behind it that cannot be executed then, where that does no harm."""
        place = 0
        while place < len(path):
            rest = self._without(path, place)
            if self._leads(rest, wanted, avoiding):
                path = rest
            else:
                place += 1
        return path

    def _without(self, path: Sequence[int], gone: int) -> list[int]:
        state, kept = self.space.init, []
        for place, number in enumerate(path):
            operator = self.space.operators[number]
            if place != gone and operator.is_applicable(state):
                state = operator.apply(state)
                kept.append(number)
        return kept

    def _leads(self, path: Iterable[int], wanted: Clause, avoiding: int) -> bool:
        state = self.space.init
        for number in path:
            state = self.space.operators[number].apply(state)
            if state & avoiding:
                return False
        return wanted.holds(state)


@dataclass
class _Search:
    """States to be looked at, in two queues that take turns: those behind steps of a relaxed plan, and all."""

    greedy: Greedy
    wanted: Clause
    avoiding: int
    _queues: tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]] = field(default_factory=lambda: ([], []))
    _parents: dict[int, tuple[int, int]] = field(default_factory=dict)
    _looked_at: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        init = self.greedy.space.init
        self._goals = _places(self.wanted.needs)
        self._parents[init] = (init, -1)
        self._turn = 0
        if not init & self.avoiding:
            heappush(self._queues[1], (0, 0, init))

    @property
    def is_over(self) -> bool:
        return not any(self._queues)

    def step(self) -> list[int] | None:
        """Look at the next state; return the way to one with what is wanted."""
        self._turn += 1
        queue = self._queues[self._turn % 2] or self._queues[1 - self._turn % 2]
        if not queue:
            return None
        state = heappop(queue)[2]
        if self.wanted.holds(state):
            return self._way(state)
        if state in self._looked_at:
            return None
        self._looked_at.add(state)
        found = self.greedy.estimate(state, self._goals, self.avoiding)
        if found is None:
            return None
        length, helpful = found
        for number, after in self.greedy.space.successors(state):
            if after not in self._parents and not after & self.avoiding:
                self._parents[after] = (state, number)
                for each in (0, 1) if number in helpful else (1,):
                    heappush(self._queues[each], (length, len(self._parents), after))
        return None

    def _way(self, state: int) -> list[int]:
        found: list[int] = []
        while self._parents[state][1] >= 0:
            state, number = self._parents[state]
            found.append(number)
        return found[::-1]


def _places(facts: int) -> tuple[int, ...]:
    return tuple(bit.bit_length() - 1 for bit in bits_in(facts))
