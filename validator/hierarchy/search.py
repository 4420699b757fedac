"""A decomposition of steps where subtasks are partially ordered: a search that takes one step after the other.

What is left to do is a network of open tasks, whose arguments may be variables. A step is taken by a task that is open
and can come first; only the tasks above it are decomposed for it. What comes before that task must come to nothing.
A method stands at the earliest moment since its task is open at which its condition holds; where that depends on
variables, other moments are tried as well. Networks that led nowhere are kept and not tried again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from typing import TypeAlias

from validator.hierarchy.course import Condition, Course, narrowed, solutions
from validator.hierarchy.lookahead import Lookahead
from validator.hierarchy.parse import Parsed
from validator.hierarchy.values import ROOT, Decomposition, Hierarchy, Method, Node
from validator.model.conditions import Binding
from validator.reading.plan import Step
from validator.records import dataclass, replace

__all__ = ["search"]

_Term: TypeAlias = str | int
"""an object, or the number of a variable"""
_Terms: TypeAlias = Mapping[str, _Term]
"""what the parameters of a method stand for"""


@dataclass(frozen=True, slots=True)
class _Open:
    """A task that is to be done, not before what is named and not before a state."""

    label: int
    task: str
    args: tuple[_Term, ...]
    before: frozenset[int]
    since: int


@dataclass(frozen=True, slots=True)
class _Network:
    """What is left behind ``taken`` steps.

    ``values`` are those of variables, objects or other variables, ``allowed`` the objects that others may be.
    ``pending`` are conditions of methods that depend on such, each with the state in which it must hold.
    """

    taken: int
    open: tuple[_Open, ...]
    values: Mapping[int, _Term]
    allowed: Mapping[int, frozenset[str]]
    pending: tuple[tuple[Method, _Terms, int], ...]
    labels: int
    back: _Back | None

    def get(self, label: int) -> _Open:
        return next(task for task in self.open if task.label == label)

    def resolved(self, term: _Term) -> _Term:
        while isinstance(term, int) and term in self.values:
            term = self.values[term]
        return term


@dataclass(frozen=True, slots=True)
class _Back:
    """How a network came about: a label was decomposed into others, or was the next step."""

    before: _Back | None
    label: int
    method: Method | None
    terms: _Terms
    subtasks: tuple[int, ...]


def search(
    hierarchy: Hierarchy, steps: Sequence[Step], course: Course, lookahead: Lookahead, tick: Callable[[], None]
) -> Parsed:
    """Return a decomposition of executable steps. ``tick`` is called again and again and may raise."""
    return _Search(hierarchy, steps, course, lookahead, tick).run()


class _Search:
    def __init__(
        self,
        hierarchy: Hierarchy,
        steps: Sequence[Step],
        course: Course,
        lookahead: Lookahead,
        tick: Callable[[], None],
    ) -> None:
        self.hierarchy, self.steps, self.course, self.lookahead, self.tick = hierarchy, steps, course, lookahead, tick
        model = hierarchy.model
        self.conditions = {
            id(method): Condition.of(model, method.condition, method.parameters, lookahead.changed)
            for methods in hierarchy.methods.values()
            for method in methods
        }
        self.allowed = {
            task: [frozenset(model.objects_of(one.types)) for one in parameters]
            for task, parameters in hierarchy.tasks.items()
        }
        self.positions: dict[str, list[int]] = {}
        for number, step in enumerate(steps):
            self.positions.setdefault(step.name, []).append(number)
        self.left = [Counter(step.name for step in steps[number:]) for number in range(len(steps) + 1)]
        self.tried: set[object] = set()

    def run(self) -> Parsed:
        root = _Open(-1, ROOT, (), frozenset(), 0)
        start = _Network(0, (root,), {}, {}, (), 0, None)
        stack = [iter((start,))]
        furthest = 0
        while stack:
            self.tick()
            network = next(stack[-1], None)
            if network is None:
                stack.pop()
                continue
            furthest = max(furthest, network.taken)
            if network.taken == len(self.steps):
                found = next(self._finished(network), None)
                if found is not None:
                    return Parsed(self._decomposition(found), furthest)
            elif self._is_new(network) and self._may_do(network):
                stack.append(self._next(network))
        return Parsed(None, furthest)

    def _next(self, network: _Network) -> Iterator[_Network]:
        """Yield the networks behind the next step."""
        name = self.steps[network.taken].name
        able = [
            task
            for task in network.open
            if name in self.lookahead.first[task.task] and self._may_be(network, task, self.steps[network.taken])
        ]
        for task in sorted(able, key=lambda task: (task.task in self.hierarchy.tasks, -task.label)):
            for ready in self._ready(network, task.label):
                for found in self._take(ready, task.label, ()):
                    settled = self._settled(found)
                    if settled is not None:
                        yield settled

    # --- what cannot lead anywhere -------------------------------------------------------------------

    def _may_do(self, network: _Network) -> bool:
        """Return whether the open tasks may come to the steps that are left, by the names of these alone."""
        left = self.left[network.taken]
        needed: Counter[str] = Counter()
        for task in network.open:
            needed.update(self.lookahead.needs[task.task])
        least = sum(self.lookahead.least[task.task] for task in network.open)
        return least + network.taken <= len(self.steps) and needed <= left

    def _is_new(self, network: _Network) -> bool:
        """Return whether no network that is the same but for the names of variables and labels was tried."""
        numbers: dict[int, int] = {}
        labels: dict[int, int] = {}

        def named(term: _Term) -> object:
            term = network.resolved(term)
            return term if isinstance(term, str) else (numbers.setdefault(term, len(numbers)), network.allowed[term])

        def rank(task: _Open) -> tuple[str, list[str], int]:
            shown = [term if isinstance(term, str) else "" for term in map(network.resolved, task.args)]
            return task.task, shown, task.label

        tasks = sorted(network.open, key=rank)
        for task in tasks:
            labels[task.label] = len(labels)
        key = (
            network.taken,
            tuple(
                (
                    task.task,
                    tuple(map(named, task.args)),
                    frozenset(map(labels.__getitem__, task.before)),
                    task.since if task.task in self.lookahead.waits else 0,
                )
                for task in tasks
            ),
            tuple(
                (id(method), tuple(named(terms[name]) for name in sorted(terms)), number)
                for method, terms, number in network.pending
            ),
        )
        is_new = key not in self.tried
        self.tried.add(key)
        return is_new

    # --- tasks ---------------------------------------------------------------------------------------

    def _ready(self, network: _Network, label: int) -> Iterator[_Network]:
        """Yield the networks in which all that comes before a task has come to nothing."""
        before = network.get(label).before
        if not before:
            yield network
            return
        first = min(before)
        if self.lookahead.least[network.get(first).task] == 0:
            for ready in self._ready(network, first):
                for gone in self._vanish(ready, first, ()):
                    yield from self._ready(gone, label)

    def _vanish(self, network: _Network, label: int, above: tuple[object, ...]) -> Iterator[_Network]:
        """Yield the networks in which a task has come to nothing; none below itself again, which changes nothing."""
        task = network.get(label)
        key = (task.task, tuple(map(network.resolved, task.args)))
        if key in above or self.lookahead.least[task.task]:
            return
        for method in self.hierarchy.methods.get(task.task, ()):
            if self.lookahead.fewest(method, method.places) == 0:
                for found, labels in self._decomposed(network, task, method):
                    yield from self._all_vanish(found, [labels[place] for place in method.places], (*above, key))

    def _all_vanish(self, network: _Network, labels: Sequence[int], above: tuple[object, ...]) -> Iterator[_Network]:
        if not labels:
            yield network
            return
        for gone in self._vanish(network, labels[0], above):
            yield from self._all_vanish(gone, labels[1:], above)

    def _take(self, network: _Network, label: int, above: tuple[object, ...]) -> Iterator[_Network]:
        """Yield the networks in which a task that is ready has taken the next step.

        Below itself it is decomposed again no more often than steps are left: each time must leave something to do.
        """
        self.tick()
        task, step = network.get(label), self.steps[network.taken]
        if task.task not in self.hierarchy.tasks:
            if task.task == step.name and len(task.args) == len(step.args):
                found = self._unified(network, zip(task.args, step.args, strict=True))
                if found is not None:
                    yield self._without(found, task, found.taken + 1, _Back(found.back, label, None, {}, ()), 1)
            return
        key = (task.task, tuple(map(network.resolved, task.args)))
        if above.count(key) > len(self.steps) - network.taken:
            return
        for method in self.hierarchy.methods.get(task.task, ()):
            able = [place for place in method.places if step.name in self.lookahead.first[method.subtasks[place].task]]
            able = [place for place in able if self._can_be_first(method, place)]
            if not able:
                continue
            for found, labels in self._decomposed(network, task, method):
                placed = self._placed(found)
                if placed is None:
                    continue
                for place in able:
                    for ready in self._ready(placed, labels[place]):
                        yield from self._take(ready, labels[place], (*above, key))

    def _can_be_first(self, method: Method, place: int) -> bool:
        return all(self.lookahead.least[method.subtasks[one].task] == 0 for one in method.before[place])

    def _decomposed(self, network: _Network, task: _Open, method: Method) -> Iterator[tuple[_Network, tuple[int, ...]]]:
        """Yield the networks in which a method takes the place of a task that is ready, with its subtasks' labels."""
        condition = self.conditions[id(method)]
        started = self._parameters(network, task, method)
        if started is None:
            return
        network, terms = started
        binding = self._binding(network, terms)
        for number in self.course.new_at(condition.fluents, task.since, network.taken):
            found = narrowed(condition, binding, self.course, number)
            if found is None:
                continue
            bound = self._unified(network, ((terms[name], value) for name, value in found.items()))
            if bound is None:
                continue
            if len(found) < len(terms):
                bound = replace(bound, pending=(*bound.pending, (method, terms, number)))
            yield self._opened(bound, task, method, terms, number)
            if len(binding) == len(terms):
                return  # an earlier moment leaves the others more room

    def _opened(
        self, network: _Network, task: _Open, method: Method, terms: _Terms, number: int
    ) -> tuple[_Network, tuple[int, ...]]:
        """Return a network with the subtasks of a method, which stands at a state, in place of a task."""
        first = network.labels
        labels = tuple(range(first, first + len(method.subtasks)))
        added = tuple(
            _Open(
                label,
                subtask.task,
                tuple(terms.get(term, term) for term in subtask.args),
                frozenset(labels[one] for one in before) or task.before,
                number,
            )
            for label, subtask, before in zip(labels, method.subtasks, method.before, strict=True)
        )
        back = _Back(network.back, task.label, method, terms, labels)
        kept = replace(network, labels=first + len(labels))
        left = self._without(kept, task, number, back, 0, frozenset(labels))
        return replace(left, open=(*left.open, *added)), labels

    def _without(
        self, network: _Network, task: _Open, end: int, back: _Back, steps: int, instead: frozenset[int] = frozenset()
    ) -> _Network:
        """Return a network without a task that ends before a state, or with others in its place."""
        left = []
        for one in network.open:
            if one.label == task.label:
                continue
            if task.label in one.before:
                after = instead or task.before
                since = one.since if after else max(one.since, end)
                one = replace(one, before=(one.before - {task.label}) | after, since=since)
            left.append(one)
        return replace(network, open=tuple(left), taken=network.taken + steps, back=back)

    # --- variables -----------------------------------------------------------------------------------

    def _parameters(self, network: _Network, task: _Open, method: Method) -> tuple[_Network, _Terms] | None:
        """Return what the parameters of a method stand for: the arguments of its task, and new variables."""
        condition = self.conditions[id(method)]
        terms: dict[str, _Term] = {}
        pairs: list[tuple[_Term, _Term]] = []
        for term, given in zip(method.args, task.args, strict=True):
            pairs.append((terms.setdefault(term, given) if term[0] == "?" else term, given))
        allowed = {**network.allowed}
        following = max(allowed, default=-1) + 1
        for parameter in method.parameters:
            if parameter.name not in terms:
                terms[parameter.name], allowed[following] = following, condition.allowed[parameter.name]
                following += 1
        found = self._unified(replace(network, allowed=allowed), pairs)
        wanted = [(terms[name], names) for name, names in condition.allowed.items()]
        wanted += zip(task.args, self.allowed[task.task], strict=True)
        for each, names in wanted:
            found = None if found is None else _restricted(found, each, names)
        return None if found is None else (found, terms)

    def _unified(self, network: _Network, pairs: Iterable[tuple[_Term, _Term]]) -> _Network | None:
        """Return a network in which terms are the same; None where they cannot be."""
        for one, other in pairs:
            one, other = network.resolved(one), network.resolved(other)
            if one == other:
                continue
            if isinstance(one, str):
                one, other = other, one
            if isinstance(one, str):
                return None
            names = network.allowed[one]
            network = replace(network, values={**network.values, one: other})
            found = _restricted(network, other, names)
            if found is None:
                return None
            network = found
        return network

    def _binding(self, network: _Network, terms: _Terms) -> Binding:
        resolved = ((name, network.resolved(term)) for name, term in terms.items())
        return {name: value for name, value in resolved if isinstance(value, str)}

    def _settled(self, network: _Network) -> _Network | None:
        """Return a network with all that leaves no choice done; None where that cannot be."""
        before: _Network | None = None
        found: _Network | None = network
        while found is not before and found is not None:
            before = found
            found = self._conditioned(found)
            found = None if found is None else self._only_methods(found)
            found = None if found is None else self._placed(found)
        return found

    def _conditioned(self, network: _Network) -> _Network | None:
        """Bind what pending conditions leave one object for; None where one cannot hold."""
        pending = []
        for method, terms, number in network.pending:
            binding = self._binding(network, terms)
            found = narrowed(self.conditions[id(method)], binding, self.course, number)
            if found is None:
                return None
            bound = self._unified(network, ((terms[name], value) for name, value in found.items()))
            if bound is None:
                return None
            network = bound
            if len(found) < len(terms):
                pending.append((method, terms, number))
        return network if len(pending) == len(network.pending) else replace(network, pending=tuple(pending))

    def _only_methods(self, network: _Network) -> _Network | None:
        """Decompose tasks that have one method, where no step changes a condition below it."""
        for task in network.open:
            methods = self.hierarchy.methods.get(task.task, ())
            if task.task in self.hierarchy.tasks and len(methods) == 1 and task.task not in self.lookahead.waits:
                found = next(self._decomposed(network, task, methods[0]), None)
                return None if found is None else found[0]
        return network

    def _placed(self, network: _Network) -> _Network | None:
        """Bind the arguments of actions that only one step can be; None where one can be none.

        An action comes behind what is before it and leaves room for what is behind it.
        """
        tasks = {task.label: task for task in network.open}
        order = list(TopologicalSorter({task.label: task.before for task in network.open}).static_order())
        low: dict[int, int] = {}
        for label in order:
            task = tasks[label]
            first = max((low[one] for one in task.before), default=network.taken)
            able = self._steps_of(network, task, first, len(self.steps))
            if able is not None and not able:
                return None
            low[label] = first + self.lookahead.least[task.task] if able is None else able[0] + 1
        high = dict.fromkeys(order, len(self.steps))
        only: dict[int, int] = {}
        for label in reversed(order):
            task = tasks[label]
            first = max((low[one] for one in task.before), default=network.taken)
            able = self._steps_of(network, task, first, high[label])
            if able is not None and not able:
                return None
            end = high[label] - self.lookahead.least[task.task] if able is None else able[-1]
            if end < first:
                return None
            for one in task.before:
                high[one] = min(high[one], end)
            if able is not None and len(able) == 1 and only.setdefault(able[0], label) != label:
                return None
        for number, label in only.items():
            found = self._unified(network, zip(tasks[label].args, self.steps[number].args, strict=True))
            if found is None:
                return None
            network = found
        return self._covered(network)

    def _steps_of(self, network: _Network, task: _Open, first: int, end: int) -> list[int] | None:
        """Return the numbers of the steps that an action may be; None for a compound task."""
        if task.task in self.hierarchy.tasks:
            return None
        numbers = self.positions.get(task.task, ())
        return [
            number
            for number in numbers[bisect_left(numbers, first) : bisect_left(numbers, end)]
            if self._may_be(network, task, self.steps[number])
        ]

    def _may_be(self, network: _Network, task: _Open, step: Step) -> bool:
        """Return whether a task may come to a step, by the arguments that it hands on."""
        given = self.lookahead.sources[task.task].get(step.name)
        if given is None:
            return False
        for place, name in zip(given, step.args, strict=True):
            if place is not None:
                term = network.resolved(task.args[place])
                if term != name and (isinstance(term, str) or name not in network.allowed[term]):
                    return False
        return True

    def _covered(self, network: _Network) -> _Network | None:
        """Bind the arguments of tasks that alone can come to some step; None where no task can."""
        for step in dict.fromkeys(self.steps[network.taken :]):
            able = [task for task in network.open if self._may_be(network, task, step)]
            if not able:
                return None
            if len(able) == 1:
                given = self.lookahead.sources[able[0].task][step.name]
                pairs = [
                    (able[0].args[place], name)
                    for place, name in zip(given, step.args, strict=True)
                    if place is not None
                ]
                found = self._unified(network, pairs)
                if found is None:
                    return None
                network = found
        return network

    # --- the end -------------------------------------------------------------------------------------

    def _finished(self, network: _Network) -> Iterator[_Network]:
        """Yield the networks in which nothing is left to do, and all conditions hold."""
        if network.open:
            task = next(task for task in network.open if not task.before)
            for gone in self._vanish(network, task.label, ()):
                yield from self._finished(gone)
            return
        settled = self._settled(network)
        if settled is None:
            return
        if not settled.pending:
            if all(settled.allowed[number] for number in settled.allowed if number not in settled.values):
                yield settled
            return
        method, terms, number = settled.pending[0]
        condition = self.conditions[id(method)]
        for binding in solutions(condition, self._binding(settled, terms), self.course, number, list(terms)):
            bound = self._unified(settled, ((terms[name], value) for name, value in binding.items()))
            if bound is not None:
                yield from self._finished(bound)

    def _decomposition(self, network: _Network) -> Decomposition:
        size = len(self.steps)
        nodes = {number: Node(task=step.name, args=step.args) for number, step in enumerate(self.steps)}
        names: dict[int, int] = {}
        events: list[_Back] = []
        back = network.back
        while back is not None:
            events.append(back)
            back = back.before
        events.reverse()
        taken = following = 0
        for event in events:
            if event.method is None:
                names[event.label], taken = taken, taken + 1
            else:
                names[event.label], following = size + following, following + 1
        root: tuple[int, ...] = ()
        for event in events:
            if event.method is None:
                continue
            inner = tuple(names[label] for label in event.subtasks)
            if event.label == -1:
                root = inner
                continue
            args = tuple(self._object(network, event.terms.get(term, term)) for term in event.method.args)
            nodes[names[event.label]] = Node(
                task=event.method.task, args=args, method=event.method.name, subtasks=inner
            )
        return Decomposition(nodes=nodes, steps=tuple(range(size)), root=root)

    def _object(self, network: _Network, term: _Term) -> str:
        """Return what a term stands for, of a variable that nothing speaks of the first object of its type."""
        found = network.resolved(term)
        if isinstance(found, str):
            return found
        return next(name for name in self.hierarchy.model.problem.objects if name in network.allowed[found])


def _restricted(network: _Network, term: _Term, names: frozenset[str]) -> _Network | None:
    """Return a network in which a term is one of some objects; None where it cannot be."""
    term = network.resolved(term)
    if isinstance(term, str):
        return network if term in names else None
    both = network.allowed[term] & names
    if not both:
        return None
    return network if both == network.allowed[term] else replace(network, allowed={**network.allowed, term: both})
