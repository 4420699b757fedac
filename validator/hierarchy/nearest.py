"""The nearest plan that has a decomposition: A* over states, places of the observed plan, and networks of open tasks.

A task that is ready is decomposed by a method whose condition holds, with all its arguments known, at no price. An
action that is ready and applicable keeps the next observed step where it is that one, or is inserted (1); an observed
step is skipped (1). The lower bound counts what the open tasks need beyond the observed steps that they may come to, by
the arguments that they hand on, and observed steps to which no open task comes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple, TypeAlias

from validator.execution.simulator import Simulator
from validator.hierarchy.lookahead import NEVER, Lookahead
from validator.hierarchy.state_history import StateHistory, solutions, unified
from validator.hierarchy.values import ROOT, Decomposition, Hierarchy, Method, Node, events_to
from validator.model.values import GroundAtom
from validator.reading.plan import Step, Token
from validator.records import dataclass, field
from validator.repair.edit import Edit, Move

_State: TypeAlias = frozenset[GroundAtom]


class _Task(NamedTuple):
    """An open task; ``before`` are the labels of those that come before it."""

    label: int
    task: str
    args: tuple[str, ...]
    before: frozenset[int]


_Network: TypeAlias = tuple[_Task, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a search is: how it came there stands in ``way``, the latest event first."""

    state: _State
    seen: int
    network: _Network
    labels: int
    way: _Way | None


@dataclass(frozen=True, slots=True)
class _Way:
    """An edit, a decomposition, or with the label of a task a step of it."""

    before: _Way | None
    edit: Edit | None = None
    label: int = -1
    node: Node | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """The edits to the nearest plan and its decomposition, or None where no plan is; ``least`` is a proven bound."""

    edits: tuple[Edit, ...] | None
    decomposition: Decomposition | None
    least: int
    is_proven: bool


def nearest(
    hierarchy: Hierarchy,
    simulator: Simulator,
    tokens: Sequence[Token],
    lookahead: Lookahead,
    *,
    with_goal: bool,
    is_over: Callable[[], bool],
) -> Nearest:
    """Return the fewest edits of an observed plan that lead to one with a decomposition."""
    return _Nearest(hierarchy, simulator, tokens, lookahead, with_goal).run(is_over)


@dataclass
class _Nearest:
    hierarchy: Hierarchy
    simulator: Simulator
    tokens: Sequence[Token]
    lookahead: Lookahead
    with_goal: bool
    courses: dict[_State, StateHistory] = field(default_factory=dict)
    after: dict[tuple[_State, str, tuple[str, ...]], _State | None] = field(default_factory=dict)
    reaches: dict[tuple[str, tuple[str, ...]], int] = field(default_factory=dict)
    named: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    """which observed steps have a name, as bits"""

    def __post_init__(self) -> None:
        self.every = (1 << len(self.tokens)) - 1
        for number, token in enumerate(self.tokens):
            if isinstance(token, Step):
                self.named[token.name] |= 1 << number

    def run(self, is_over: Callable[[], bool]) -> Nearest:
        root = _Task(0, ROOT, (), frozenset())
        start = _Place(self.hierarchy.model.problem.init, 0, (root,), 1, None)
        order = count()
        is_hopeless = self.lookahead.least[ROOT] >= NEVER
        waiting = [] if is_hopeless else [(self._least(start), 0, next(order), 0, start)]
        known: dict[object, int] = {}
        least = 0
        while waiting:
            bound, _, _, price, place = heappop(waiting)
            least = max(least, bound)
            if not place.network and place.seen == len(self.tokens) and self._is_goal(place.state):
                return self._found(place, price)
            for step, following in self._next(place):
                if is_over():
                    return Nearest(edits=None, decomposition=None, least=least, is_proven=False)
                cost = price + step
                key = (following.state, following.seen, _shape(following.network))
                if cost < known.get(key, cost + 1):
                    known[key] = cost
                    heappush(waiting, (cost + self._least(following), -following.seen, next(order), cost, following))
        return Nearest(edits=None, decomposition=None, least=least, is_proven=True)

    def _is_goal(self, state: _State) -> bool:
        return not self.with_goal or not self.simulator.goal_parts(state)

    def _least(self, place: _Place) -> int:
        """Return how many edits are needed at least from a place on.

        Observed steps that no open task may come to are skipped. Of each action, a task inserts what it needs beyond
        the observed steps that it may come to, and all tasks together what they need beyond all of these.
        """
        left = self.every >> place.seen << place.seen
        able = steps = alone = 0
        needed: Counter[str] = Counter()
        lacking: Counter[str] = Counter()
        for task in place.network:
            may_be, needs = self._reach(task)
            able |= may_be
            steps += self.lookahead.least[task.task]
            for name, number in needs.items():
                needed[name] += number
                lacking[name] += max(0, number - (may_be & left & self.named[name]).bit_count())
        able &= left
        for name, number in needed.items():
            alone += max(lacking[name], number - (able & self.named[name]).bit_count())
        return (left & ~able).bit_count() + max(alone, steps - able.bit_count())

    def _reach(self, task: _Task) -> tuple[int, Counter[str]]:
        """Return which observed steps a task may come to, as bits, and how often it needs each action."""
        key = task.task, task.args
        found = self.reaches.get(key)
        if found is None:
            sources = self.lookahead.sources[task.task]
            found = self.reaches[key] = sum(
                1 << number
                for number, token in enumerate(self.tokens)
                if isinstance(token, Step) and _hands_on(sources.get(token.name), task.args, token.args)
            )
        return found, self.lookahead.needs[task.task]

    # --- moves ---------------------------------------------------------------------------------------

    def _next(self, place: _Place) -> Iterator[tuple[int, _Place]]:
        ready = [task for task in place.network if not task.before]
        for task in ready:
            if task.task in self.hierarchy.tasks and task.task not in self.lookahead.waits:
                yield from ((0, each) for each in self._decomposed(place, task))
                return  # when it is decomposed changes nothing
        token = self.tokens[place.seen] if place.seen < len(self.tokens) else None
        if token is not None:
            yield 1, self._edited(place, token, Move.SKIP)
        for task in ready:
            if task.task in self.hierarchy.tasks:
                yield from ((0, each) for each in self._decomposed(place, task))
                continue
            state = self._state_after(place.state, task)
            if state is not None:
                step = Step(name=task.task, args=task.args)
                done = _Place(state, place.seen, _without(place.network, task), place.labels, place.way)
                if isinstance(token, Step) and (token.name, token.args) == (step.name, step.args):
                    yield 0, self._edited(done, token, Move.KEEP, task.label)
                yield 1, self._edited(done, step, Move.INSERT, task.label)

    def _edited(self, place: _Place, token: Token, move: Move, label: int = -1) -> _Place:
        seen = place.seen + (move is not Move.INSERT)
        way = _Way(place.way, Edit(move=move, token=token), label)
        return _Place(place.state, seen, place.network, place.labels, way)

    def _decomposed(self, place: _Place, task: _Task) -> Iterator[_Place]:
        """Yield the places in which a task is decomposed now."""
        history = self._history(place.state)
        for method in self.hierarchy.methods.get(task.task, ()):
            binding = unified(method.args, task.args, {})
            if binding is None or self.lookahead.fewest(method, method.places) >= NEVER:
                continue
            wanted = [term for one in method.subtasks for term in one.args if term[0] == "?"]
            done = set()
            for found in solutions(self.lookahead.conditions[id(method)], binding, history, 0, wanted):
                args = tuple(tuple(found.get(term, term) for term in one.args) for one in method.subtasks)
                if args not in done and self._fit(method, args):
                    done.add(args)
                    yield self._opened(place, task, method, args)

    def _fit(self, method: Method, args: Sequence[tuple[str, ...]]) -> bool:
        """Return whether the arguments of subtasks have the types of their tasks."""
        has_type = self.hierarchy.model.has_type
        return all(
            has_type(name, parameter.types)
            for one, given in zip(method.subtasks, args, strict=True)
            for name, parameter in zip(given, self.hierarchy.parameters(one.task), strict=True)
        )

    def _opened(self, place: _Place, task: _Task, method: Method, args: Sequence[tuple[str, ...]]) -> _Place:
        labels = range(place.labels, place.labels + len(args))
        added = tuple(
            _Task(label, one.task, given, frozenset(labels[each] for each in before))
            for label, one, given, before in zip(labels, method.subtasks, args, method.before, strict=True)
        )
        network = (*_without(place.network, task, frozenset(labels)), *added)
        node = Node(task=task.task, args=task.args, method=method.name, subtasks=tuple(labels))
        return _Place(place.state, place.seen, network, labels.stop, _Way(place.way, label=task.label, node=node))

    # --- states --------------------------------------------------------------------------------------

    def _history(self, state: _State) -> StateHistory:
        found = self.courses.get(state)
        if found is None:
            found = self.courses[state] = StateHistory(self.hierarchy.model, state, ())
        return found

    def _state_after(self, state: _State, task: _Task) -> _State | None:
        key = (state, task.task, task.args)
        if key not in self.after:
            self.after[key] = self.simulator.after(state, Step(name=task.task, args=task.args))
        return self.after[key]

    # --- what was found ------------------------------------------------------------------------------

    def _found(self, place: _Place, price: int) -> Nearest:
        events = events_to(place.way)
        edits = tuple(event.edit for event in events if event.edit is not None)
        done = ((event.label, event.edit.token) for event in events if event.edit is not None and event.label >= 0)
        steps = ((label, Node(task=token.name, args=token.args)) for label, token in done if isinstance(token, Step))
        tasks = ((event.label, event.node) for event in events if event.node is not None)
        decomposition = Decomposition.numbered(steps, tasks)
        return Nearest(edits=edits, decomposition=decomposition, least=price, is_proven=True)


def _hands_on(given: tuple[int | None, ...] | None, args: tuple[str, ...], step: tuple[str, ...]) -> bool:
    """Return whether a step has the arguments that a task hands on to it; ``given`` is None where it comes to none."""
    if given is None or len(given) != len(step):
        return False
    return all(place is None or args[place] == name for place, name in zip(given, step, strict=True))


def _without(network: _Network, task: _Task, instead: frozenset[int] = frozenset()) -> _Network:
    """Return a network without a task, or with others in its place."""
    return tuple(
        one._replace(before=(one.before - {task.label}) | instead) if task.label in one.before else one
        for one in network
        if one.label != task.label
    )


def _shape(network: _Network) -> object:
    """Return what tells two networks apart but for their labels."""
    tasks = sorted(network, key=lambda one: (one.task, one.args, len(one.before), one.label))
    labels = {one.label: number for number, one in enumerate(tasks)}
    return tuple((one.task, one.args, frozenset(map(labels.__getitem__, one.before))) for one in tasks)
