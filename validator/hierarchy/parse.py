"""A decomposition of steps where all subtasks are totally ordered: parsing, as Earley's algorithm does it, lifted.

A call asks what a task, of whose arguments some are known, can come to from a step on; its answers are the arguments
and the step behind the last one. Calls are made once and answer all who wait for them, so that tasks may begin with
themselves. The time is polynomial in the steps, where methods leave no variables free.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TypeAlias

from validator.hierarchy.lookahead import Lookahead
from validator.hierarchy.state_history import StateHistory, narrowed, solutions, unified
from validator.hierarchy.values import ROOT, Decomposition, Hierarchy, Method, Node
from validator.model.conditions import Binding
from validator.reading.plan import Step
from validator.records import dataclass, field

_Pattern: TypeAlias = tuple[str | None, ...]
_Answer: TypeAlias = tuple[tuple[str, ...], int]
_Child: TypeAlias = "tuple[_Call, _Answer] | int"
"""an answer of a call, or the number of a step"""
_Back: TypeAlias = "tuple[_Back, _Child] | None"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A decomposition, None where there is none; ``furthest`` is how many steps a part of one has taken at most."""

    decomposition: Decomposition | None
    furthest: int


@dataclass(slots=True, eq=False)
class _Call:
    task: str
    pattern: _Pattern
    start: int
    answers: dict[_Answer, tuple[Method, _Back]] = field(default_factory=dict)
    waiting: list[_Item] = field(default_factory=list)
    seen: set[tuple[int, int, int, tuple[str | None, ...]]] = field(default_factory=set)


@dataclass(frozen=True, slots=True, eq=False)
class _Item:
    """A method of a call, of which as many subtasks as ``done`` have come to the steps up to ``end``."""

    call: _Call
    method: Method
    done: int
    binding: Binding
    end: int
    back: _Back


@dataclass(kw_only=True)
class Executed:
    """Executable steps, of which a decomposition is looked for. ``tick`` is called again and again and may raise."""

    hierarchy: Hierarchy
    steps: Sequence[Step]
    history: StateHistory
    lookahead: Lookahead
    tick: Callable[[], None]


@dataclass(kw_only=True)
class Parser(Executed):
    """Looks for a decomposition where all subtasks are totally ordered."""

    calls: dict[tuple[str, _Pattern, int], _Call] = field(default_factory=dict)
    work: list[_Item] = field(default_factory=list)
    furthest: int = 0

    def run(self) -> Parsed:
        goal = ((), len(self.steps))
        root = self._call(ROOT, (), 0)
        while self.work and goal not in root.answers:
            self.tick()
            item = self.work.pop()
            if item.done == len(item.method.subtasks):
                self._complete(item)
            else:
                self._advance(item)
        found = self._decomposition(root, goal) if goal in root.answers else None
        return Parsed(found, self.furthest)

    # --- items ---------------------------------------------------------------------------------------

    def _call(self, task: str, pattern: _Pattern, start: int) -> _Call:
        key = (task, pattern, start)
        call = self.calls.get(key)
        if call is None:
            call = self.calls[key] = _Call(task, pattern, start)
            for method in reversed(self.hierarchy.methods.get(task, ())):
                binding = _bound(method, pattern)
                if binding is not None:
                    self._push(call, method, 0, binding, start, None)
        return call

    def _push(self, call: _Call, method: Method, done: int, binding: Binding, end: int, back: _Back) -> None:
        """Note that a method has come so far, unless that is known or leads nowhere."""
        rest = method.places[done:]
        if end + self.lookahead.fewest(method, rest) > len(self.steps):
            return
        found = narrowed(self.lookahead.conditions[id(method)], binding, self.history, call.start)
        if found is None:
            return
        key = (id(method), done, end, tuple(found.get(parameter.name) for parameter in method.parameters))
        if key not in call.seen:
            call.seen.add(key)
            self.work.append(_Item(call, method, done, found, end, back))

    def _advance(self, item: _Item) -> None:
        subtask = item.method.subtasks[item.method.places[item.done]]
        step = self.steps[item.end] if item.end < len(self.steps) else None
        if subtask.task not in self.hierarchy.tasks:
            found = unified(subtask.args, step.args, item.binding) if step and step.name == subtask.task else None
            if found is not None:
                self.furthest = max(self.furthest, item.end + 1)
                self._push(item.call, item.method, item.done + 1, found, item.end + 1, (item.back, item.end))
            return
        if self.lookahead.least[subtask.task] and (not step or step.name not in self.lookahead.first[subtask.task]):
            return
        pattern = tuple(item.binding.get(term) if term[0] == "?" else term for term in subtask.args)
        call = self._call(subtask.task, pattern, item.end)
        call.waiting.append(item)
        for answer in tuple(call.answers):
            self._resume(item, call, answer)

    def _resume(self, item: _Item, call: _Call, answer: _Answer) -> None:
        """Go on with an item whose next subtask has an answer."""
        subtask = item.method.subtasks[item.method.places[item.done]]
        found = unified(subtask.args, answer[0], item.binding)
        if found is not None:
            self._push(item.call, item.method, item.done + 1, found, answer[1], (item.back, (call, answer)))

    def _complete(self, item: _Item) -> None:
        call, method = item.call, item.method
        wanted = [term for term in method.args if term[0] == "?"]
        for binding in solutions(self.lookahead.conditions[id(method)], item.binding, self.history, call.start, wanted):
            args = tuple(binding.get(term, term) for term in method.args)
            answer = (args, item.end)
            if answer in call.answers or not all(map(frozenset.__contains__, self.lookahead.allowed[call.task], args)):
                continue
            call.answers[answer] = (method, item.back)
            for waiting in tuple(call.waiting):
                self._resume(waiting, call, answer)

    # --- the decomposition ---------------------------------------------------------------------------

    def _decomposition(self, root: _Call, goal: _Answer) -> Decomposition:
        steps = [(number, Node(task=step.name, args=step.args)) for number, step in enumerate(self.steps)]
        waiting: list[tuple[int, _Call, _Answer]] = [(-1, root, goal)]
        following = len(steps)
        tasks: list[tuple[int, Node]] = []
        while waiting:
            label, call, answer = waiting.pop()
            method, back = call.answers[answer]
            labels = [0] * len(method.subtasks)
            for place in reversed(method.places):
                assert back is not None
                back, child = back
                if isinstance(child, int):
                    labels[place] = child
                else:
                    labels[place], following = following, following + 1
                    waiting.append((labels[place], *child))
            tasks.append((label, Node(task=call.task, args=answer[0], method=method.name, subtasks=tuple(labels))))
        return Decomposition.numbered(steps, sorted(tasks, key=itemgetter(0)))


def _bound(method: Method, pattern: _Pattern) -> Binding | None:
    """Return the variables of a method that a call says; None where it does not fit."""
    found: Binding = {}
    for term, name in zip(method.args, pattern, strict=True):
        if name is not None and (found.setdefault(term, name) if term[0] == "?" else term) != name:
            return None
    return found
