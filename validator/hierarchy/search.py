"""A decomposition of steps where subtasks are partially ordered: a search that takes one step after the other.

What is left to do is a network of open tasks, whose arguments may be variables. A step is taken by a task that is open
and can come first; only the tasks above it are decomposed for it. What comes before that task must come to nothing.
A method stands at the earliest moment since its task is open at which its condition holds; where that depends on
variables, other moments are tried as well. Networks that led nowhere are kept and not tried again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from graphlib import TopologicalSorter
from typing import TypeAlias

from validator.hierarchy.network import Network, Open, Term, Terms, decomposition
from validator.hierarchy.parse import Executed, Parsed
from validator.hierarchy.state_history import narrowed, solutions
from validator.hierarchy.values import ROOT, Method
from validator.reading.plan import Step
from validator.records import dataclass, field, replace

_Above: TypeAlias = tuple[tuple[str, tuple[Term, ...]], ...]
"""tasks with their arguments, each a subtask of the one before it"""


@dataclass(kw_only=True)
class Search(Executed):
    """Looks for a decomposition where subtasks are partially ordered."""

    positions: dict[str, list[int]] = field(default_factory=dict)
    left: list[Counter[str]] = field(init=False)
    tried: set[object] = field(default_factory=set)

    def __post_init__(self) -> None:
        for number, step in enumerate(self.steps):
            self.positions.setdefault(step.name, []).append(number)
        names = [step.name for step in self.steps]
        self.left = [Counter(names[number:]) for number in range(len(names) + 1)]

    def run(self) -> Parsed:
        root = Open(-1, ROOT, (), frozenset(), 0)
        start = Network(0, (root,), {}, {}, (), 0, None)
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
                    return Parsed(decomposition(found, self.steps, self.hierarchy.model.problem.objects), furthest)
            elif self._is_new(network) and self._may_do(network):
                stack.append(self._next(network))
        return Parsed(None, furthest)

    def _next(self, network: Network) -> Iterator[Network]:
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

    def _may_do(self, network: Network) -> bool:
        """Return whether the open tasks may come to the steps that are left, by the names of these alone."""
        left = self.left[network.taken]
        needed: Counter[str] = Counter()
        for task in network.open:
            needed.update(self.lookahead.needs[task.task])
        least = sum(self.lookahead.least[task.task] for task in network.open)
        return least + network.taken <= len(self.steps) and needed <= left

    def _is_new(self, network: Network) -> bool:
        """Return whether no network that is the same but for the names of variables and labels was tried."""
        numbers: dict[int, int] = {}
        labels: dict[int, int] = {}

        def named(term: Term) -> object:
            term = network.resolved(term)
            return term if isinstance(term, str) else (numbers.setdefault(term, len(numbers)), network.allowed[term])

        def rank(task: Open) -> tuple[str, list[str], int]:
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

    def _ready(self, network: Network, label: int) -> Iterator[Network]:
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

    def _vanish(self, network: Network, label: int, above: _Above) -> Iterator[Network]:
        """Yield the networks in which a task has come to nothing; none below itself again, which changes nothing."""
        task = network.get(label)
        if self.lookahead.least[task.task]:
            return
        if self._is_below_itself(network, task, above):
            for bound in self._with_objects(network, task):
                yield from self._vanish(bound, label, above)
            return
        key = (task.task, tuple(map(network.resolved, task.args)))
        if key in above:
            return
        for method in self.hierarchy.methods.get(task.task, ()):
            if self.lookahead.fewest(method, method.places) == 0:
                for found, labels in self._decomposed(network, task, method):
                    yield from self._all_vanish(found, [labels[place] for place in method.places], (*above, key))

    def _all_vanish(self, network: Network, labels: Sequence[int], above: _Above) -> Iterator[Network]:
        if not labels:
            yield network
            return
        for gone in self._vanish(network, labels[0], above):
            yield from self._all_vanish(gone, labels[1:], above)

    def _take(self, network: Network, label: int, above: _Above) -> Iterator[Network]:
        """Yield the networks in which a task that is ready has taken the next step.

        Below itself it is decomposed again no more often than steps are left: each time must leave something to do.
        """
        self.tick()
        task, step = network.get(label), self.steps[network.taken]
        if task.task not in self.hierarchy.tasks:
            if task.task == step.name and len(task.args) == len(step.args):
                found = network.unified(zip(task.args, step.args, strict=True))
                if found is not None:
                    yield found.after_step(task)
            return
        if self._is_below_itself(network, task, above):
            for bound in self._with_objects(network, task):
                yield from self._take(bound, label, above)
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
                if placed is None or not self._may_do(placed):
                    continue
                for place in able:
                    for ready in self._ready(placed, labels[place]):
                        yield from self._take(ready, labels[place], (*above, key))

    def _is_below_itself(self, network: Network, task: Open, above: _Above) -> bool:
        """Return whether a task with variables stands below one of its name: only with objects is it met again."""
        is_open = any(isinstance(network.resolved(term), int) for term in task.args)
        return is_open and any(name == task.task for name, _ in above)

    def _with_objects(self, network: Network, task: Open) -> Iterator[Network]:
        """Yield the networks in which the arguments of a task are objects."""
        free = next((term for term in map(network.resolved, task.args) if isinstance(term, int)), None)
        if free is None:
            yield network
            return
        for name in sorted(network.allowed[free]):
            bound = network.unified(((free, name),))
            bound = None if bound is None else self._conditioned(bound)
            if bound is not None:
                yield from self._with_objects(bound, task)

    def _can_be_first(self, method: Method, place: int) -> bool:
        return all(self.lookahead.least[method.subtasks[one].task] == 0 for one in method.before[place])

    def _decomposed(self, network: Network, task: Open, method: Method) -> Iterator[tuple[Network, tuple[int, ...]]]:
        """Yield the networks in which a method takes the place of a task that is ready, with its subtasks' labels."""
        condition = self.lookahead.conditions[id(method)]
        started = self._parameters(network, task, method)
        if started is None:
            return
        network, terms = started
        binding = network.binding(terms)
        for number in self.history.new_at(condition.fluents, task.since, network.taken):
            found = narrowed(condition, binding, self.history, number)
            if found is None:
                continue
            bound = network.bound(terms, found)
            if bound is None:
                continue
            if len(found) < len(terms):
                bound = replace(bound, pending=(*bound.pending, (method, terms, number)))
            yield bound.decomposed(task, method, terms, number)
            if len(binding) == len(terms):
                return  # an earlier moment leaves the others more room

    # --- variables -----------------------------------------------------------------------------------

    def _parameters(self, network: Network, task: Open, method: Method) -> tuple[Network, Terms] | None:
        """Return what the parameters of a method stand for: the arguments of its task, and new variables."""
        condition = self.lookahead.conditions[id(method)]
        terms: dict[str, Term] = {}
        pairs: list[tuple[Term, Term]] = []
        for term, given in zip(method.args, task.args, strict=True):
            pairs.append((terms.setdefault(term, given) if term[0] == "?" else term, given))
        allowed = {**network.allowed}
        following = max(allowed, default=-1) + 1
        for parameter in method.parameters:
            if parameter.name not in terms:
                terms[parameter.name], allowed[following] = following, condition.allowed[parameter.name]
                following += 1
        found = replace(network, allowed=allowed).unified(pairs)
        wanted = [(terms[name], names) for name, names in condition.allowed.items()]
        wanted += zip(task.args, self.lookahead.allowed[task.task], strict=True)
        for each, names in wanted:
            found = None if found is None else found.restricted(each, names)
        return None if found is None else (found, terms)

    def _settled(self, network: Network) -> Network | None:
        """Return a network with all that leaves no choice done; None where that cannot be."""
        before: Network | None = None
        found: Network | None = network
        while found is not before and found is not None:
            before = found
            found = self._conditioned(found)
            found = None if found is None else self._only_methods(found)
            found = None if found is None else self._placed(found)
        return found

    def _conditioned(self, network: Network) -> Network | None:
        """Bind what pending conditions leave one object for; None where one cannot hold."""
        pending = []
        for method, terms, number in network.pending:
            binding = network.binding(terms)
            found = narrowed(self.lookahead.conditions[id(method)], binding, self.history, number)
            if found is None:
                return None
            bound = network.bound(terms, found)
            if bound is None:
                return None
            network = bound
            if len(found) < len(terms):
                pending.append((method, terms, number))
        return network if len(pending) == len(network.pending) else replace(network, pending=tuple(pending))

    def _only_methods(self, network: Network) -> Network | None:
        """Decompose tasks that have one method, where no step changes a condition below it."""
        for task in network.open:
            methods = self.hierarchy.methods.get(task.task, ())
            if task.task in self.hierarchy.tasks and len(methods) == 1 and task.task not in self.lookahead.waits:
                found = next(self._decomposed(network, task, methods[0]), None)
                return None if found is None else found[0]
        return network

    def _placed(self, network: Network) -> Network | None:
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
            found = network.unified(zip(tasks[label].args, self.steps[number].args, strict=True))
            if found is None:
                return None
            network = found
        return self._covered(network)

    def _steps_of(self, network: Network, task: Open, first: int, end: int) -> list[int] | None:
        """Return the numbers of the steps that an action may be; None for a compound task."""
        if task.task in self.hierarchy.tasks:
            return None
        numbers = self.positions.get(task.task, ())
        return [
            number
            for number in numbers[bisect_left(numbers, first) : bisect_left(numbers, end)]
            if self._may_be(network, task, self.steps[number])
        ]

    def _may_be(self, network: Network, task: Open, step: Step) -> bool:
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

    def _covered(self, network: Network) -> Network | None:
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
                found = network.unified(pairs)
                if found is None:
                    return None
                network = found
        return network

    # --- the end -------------------------------------------------------------------------------------

    def _finished(self, network: Network) -> Iterator[Network]:
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
        condition = self.lookahead.conditions[id(method)]
        for binding in solutions(condition, settled.binding(terms), self.history, number, list(terms)):
            bound = settled.bound(terms, binding)
            if bound is not None:
                yield from self._finished(bound)
