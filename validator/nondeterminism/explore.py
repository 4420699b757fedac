"""Following a strategy through every outcome, and the judgement of all runs: in all, in some, in none.

A policy is strong where every run ends in the goal, and strong cyclic where every run can still reach it from wherever
it is (Cimatti, Pistore, Roveri and Traverso 2003).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias

from validator.nondeterminism.policy import RunEnd, Strategy
from validator.nondeterminism.transitions import MOST, State, TooManyStatesError, Transitions
from validator.reading.plan import Step
from validator.records import cached_property, dataclass, field
from validator.texts import counted

Node: TypeAlias = tuple[Hashable, State]
"""what a strategy remembers, and the state"""


@dataclass(slots=False, kw_only=True)
class Explored:
    """The nodes that a strategy reaches, nearest first, each with its outcomes, or with why a run ends there.

    ``cut`` says why some are missing; what was found by then stands.
    """

    edges: dict[Node, tuple[tuple[Step, Node], ...]] = field(default_factory=dict)
    ends: dict[Node, RunEnd] = field(default_factory=dict)
    steps: dict[Node, Step] = field(default_factory=dict)
    """the step of each node that has one, as the strategy says it"""
    before: dict[Node, tuple[Node, Step] | None] = field(default_factory=dict)
    cut: str = ""

    def run_to(self, node: Node) -> tuple[State, list[tuple[Node, Step]]]:
        """Return a shortest run to a node: its initial state, and each node on it with the outcome that follows."""
        found: list[tuple[Node, Step]] = []
        while (last := self.before[node]) is not None:
            found.append(last)
            node = last[0]
        return node[1], found[::-1]

    def first(self, *kinds: RunEnd) -> Node | None:
        """Return the nearest node at which a run ends so."""
        return next((node for node in self.before if self.ends.get(node) in kinds), None)

    @cached_property
    def hopeful(self) -> set[Node]:
        """Return the nodes from which some run reaches the goal."""
        into: dict[Node, list[Node]] = {}
        for node, outcomes in self.edges.items():
            for _, following in outcomes:
                into.setdefault(following, []).append(node)
        found = {node for node, end in self.ends.items() if end is RunEnd.GOAL}
        waiting = list(found)
        while waiting:
            for node in into.get(waiting.pop(), ()):
                if node not in found:
                    found.add(node)
                    waiting.append(node)
        return found

    @cached_property
    def trap(self) -> Node | None:
        """Return the nearest node from which no run reaches the goal, though none ends."""
        return next((node for node in self.before if node in self.edges and node not in self.hopeful), None)

    @cached_property
    def is_cyclic(self) -> bool:
        """Return whether a run may come back to where it was."""
        following = {node: [after for _, after in outcomes] for node, outcomes in self.edges.items()}
        try:
            TopologicalSorter(following).prepare()
        except CycleError:
            return True
        return False

    def below(self, node: Node) -> Iterator[Node]:
        """Yield a node and all that runs from it reach."""
        seen, waiting = {node}, [node]
        while waiting:
            found = waiting.pop()
            yield found
            for _, following in self.edges.get(found, ()):
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)


def explore(transitions: Transitions, strategy: Strategy, is_over: Callable[[], None]) -> Explored:
    """Follow a strategy from the initial states, in sets of states that are as many steps away.

    ``is_over`` raises where the time is. Too large a set cuts the rest off.
    """
    found = Explored()
    try:
        layer = [(strategy.start, state) for state in transitions.initial()]
        found.before.update(dict.fromkeys(layer))
        while layer:
            waiting, layer = deque(layer), []
            while waiting:
                is_over()
                node = waiting.popleft()
                for outcome, following in _outcomes(transitions, strategy, node, found):
                    if following not in found.before:
                        found.before[following] = node, outcome
                        layer.append(following)
                if len(layer) > MOST:
                    raise TooManyStatesError(f"there are more than {MOST:,} states after {_after(found, layer[-1])}")
    except TooManyStatesError as error:
        found.cut = str(error)
    return found


def _after(found: Explored, node: Node) -> str:
    return counted(len(found.run_to(node)[1]), "step")


def _outcomes(
    transitions: Transitions, strategy: Strategy, node: Node, found: Explored
) -> tuple[tuple[Step, Node], ...]:
    """Return what a strategy leads to from a node; note where a run ends there."""
    memory, state = node
    if strategy.stops_at_goal and transitions.is_goal(state):
        found.ends[node] = RunEnd.GOAL
        return ()
    step = strategy.next(memory, state)
    if isinstance(step, RunEnd):
        is_goal = step in (RunEnd.SHORT, RunEnd.UNHANDLED) and transitions.is_goal(state)
        found.ends[node] = {RunEnd.SHORT: RunEnd.GOAL, RunEnd.UNHANDLED: RunEnd.OPEN}[step] if is_goal else step
        return ()
    found.steps[node] = step
    following = transitions.after(step, state)
    if not following:
        found.ends[node] = RunEnd.FAULT
        return ()
    edges = tuple((outcome, (strategy.remembered(memory, state, after), after)) for outcome, after in following)
    found.edges[node] = edges
    return edges
