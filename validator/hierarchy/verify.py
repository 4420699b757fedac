"""Whether a stated decomposition is one of the hierarchy, and every fault of it, at its method and its step.

Each compound task has a method that achieves it; the subtasks of the method are those that are listed, in some
matching, and stand in its order; each step belongs to one task. A method stands at a moment between what comes before
its task and its first step, where its condition holds; what it consists of follows. The earliest such moment leaves the
others the most room, so it is the only one to be tried.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Generator, Iterator, Sequence, Set
from fractions import Fraction
from itertools import chain, islice
from typing import TypeAlias

from validator.errors import did_you_mean
from validator.hierarchy.state_history import Condition, StateHistory, solutions, unified
from validator.hierarchy.values import ROOT, Decomposition, Hierarchy, Method, Node
from validator.model.conditions import Binding, holds
from validator.model.formulas import free
from validator.model.pddl.write import formula_text
from validator.records import dataclass, field

_MOST_MATCHINGS = 1_000
"""of listed subtasks with those of a method, that are tried"""

_Moment: TypeAlias = int | Fraction
_Span: TypeAlias = tuple[_Moment, _Moment]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """When the states of a history begin, and when each step of a plan begins and ends.

    With ``is_timed`` conditions of methods must hold where their first step begins, too, or nothing is said of them.
    """

    moments: Sequence[_Moment]
    spans: Sequence[_Span]
    is_timed: bool = False

    @classmethod
    def of_sequence(cls, size: int) -> Timeline:
        """Return that of a sequence: state ``i`` begins at ``2i``, step ``i`` takes from ``2i + 1`` to ``2i + 2``."""
        return cls(moments=range(0, 2 * size + 1, 2), spans=[(2 * i + 1, 2 * i + 2) for i in range(size)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is wrong, and at which step of the plan, from 0; None where no step is to blame."""

    text: str
    step: int | None = None


@dataclass(slots=True, kw_only=True)
class Verified:
    """The faults of a decomposition, and for what reasons it is not decided."""

    faults: list[Fault] = field(default_factory=list)
    open: list[str] = field(default_factory=list)


def verify(
    hierarchy: Hierarchy, decomposition: Decomposition, history: StateHistory, timeline: Timeline | None = None
) -> Verified:
    """Judge a decomposition of steps that can be executed, whose states are ``state_history``."""
    return _Verifier(hierarchy, decomposition, history, timeline or Timeline.of_sequence(history.size)).run()


@dataclass(slots=True, kw_only=True)
class _Placed:
    """Where a task ends, and what is wrong in it."""

    end: _Moment
    faults: list[Fault] = field(default_factory=list)
    open: list[str] = field(default_factory=list)


_Window: TypeAlias = tuple[_Moment, _Moment]
"""when what comes before a task has ended, and when what comes after it begins"""
_Placing: TypeAlias = Generator[tuple[int, _Window], _Placed, _Placed]
"""asks for labels to be placed in a window"""


class _Verifier:
    def __init__(self, hierarchy: Hierarchy, given: Decomposition, history: StateHistory, timeline: Timeline) -> None:
        self.hierarchy, self.given, self.history, self.timeline = hierarchy, given, history, timeline
        self.step_of = {label: number for number, label in enumerate(given.steps)}
        self.faults: list[Fault] = []
        self.spans: dict[int, _Span | None] = {}
        self.conditions: dict[str, Condition] = {}

    def run(self) -> Verified:
        order = self._reached()
        self._unused(set(order))
        for label in reversed(order):
            self._span(label)
        values: Binding | None = {} if self.given.is_placed else None
        root = Node(task=ROOT, args=(), method=self.hierarchy.root.name, subtasks=self.given.root, values=values)
        window = (self.timeline.moments[0], self.timeline.moments[-1])
        placed = self._run(self._compound(root, "", window))
        return Verified(faults=[*self.faults, *placed.faults], open=list(dict.fromkeys(placed.open)))

    # --- the shape -----------------------------------------------------------------------------------

    def _reached(self) -> list[int]:
        """Return the labels below the root, each behind the one that lists it; note what is listed wrongly."""
        found: dict[int, str] = {}
        waiting = [(label, "the initial task network") for label in reversed(self.given.root)]
        while waiting:
            label, where = waiting.pop()
            node = self.given.nodes.get(label)
            if node is None:
                self.faults.append(Fault(text=f"{where} lists {label}, which is the number of no task"))
            elif label in found:
                used = f"{where} lists {label} {node}, which {found[label]} lists already"
                self.faults.append(Fault(text=used, step=self.step_of.get(label)))
            else:
                found[label] = where
                here = f"method '{node.method}' of {label} {node}"
                waiting += ((each, here) for each in reversed(node.subtasks))
        return list(found)

    def _unused(self, used: set[int]) -> None:
        for label, node in self.given.nodes.items():
            if label not in used:
                said = "the step belongs to no task" if label in self.step_of else "it is not listed as a subtask"
                self.faults.append(Fault(text=f"{label} {node}: {said}", step=self.step_of.get(label)))

    def _span(self, label: int) -> None:
        """Note when the first step below a label begins and the last one ends."""
        if label in self.step_of:
            self.spans[label] = self.timeline.spans[self.step_of[label]]
            return
        inner = [span for each in self.given.nodes[label].subtasks if (span := self.spans.get(each)) is not None]
        self.spans[label] = (min(first for first, _ in inner), max(last for _, last in inner)) if inner else None

    # --- tasks ---------------------------------------------------------------------------------------

    def _run(self, first: _Placing) -> _Placed:
        """Place a task and all below it, however deep."""
        stack: list[_Placing] = [first]
        answer: _Placed | None = None
        while stack:
            try:
                asked = stack[-1].send(answer)  # type: ignore[arg-type]
            except StopIteration as stopped:
                stack.pop()
                answer = stopped.value
            else:
                stack.append(self._place(*asked))
                answer = None
        assert answer is not None
        return answer

    def _place(self, label: int, window: _Window) -> _Placing:
        node = self.given.nodes[label]
        if label in self.step_of:
            if node.task in self.hierarchy.tasks:
                return self._failed(label, node, "this is a task, which a method has to decompose")
            return self._step(label)
        if node.task not in self.hierarchy.tasks:
            if node.task in self.hierarchy.model.domain.actions:
                return self._failed(label, node, "this is an action, which no method decomposes")
            hint = did_you_mean(node.task, self.hierarchy.tasks)
            return self._failed(label, node, f"unknown task '{node.task}'{hint}")
        return self._compound(node, f"{label} {node}, ", window)

    def _step(self, label: int) -> _Placing:
        yield from ()
        return _Placed(end=self.timeline.spans[self.step_of[label]][1])

    def _failed(self, label: int, node: Node, said: str) -> _Placing:
        yield from ()
        span = self.spans[label]
        return _Placed(end=span[1] if span else 0, faults=[self._fault(f"{label} {node}: {said}", node, label)])

    def _fault(self, text: str, node: Node, label: int | None = None) -> Fault:
        """Return a fault of a task, at its first step."""
        waiting, steps = [*node.subtasks] if label is None else [label], list[int]()
        seen: set[int] = set()
        while waiting:
            each = waiting.pop()
            if each in self.step_of:
                steps.append(self.step_of[each])
            elif each in self.given.nodes and each not in seen:
                seen.add(each)
                waiting += self.given.nodes[each].subtasks
        return Fault(text=text, step=min(steps, default=None))

    def _compound(self, node: Node, where: str, window: _Window) -> _Placing:
        """Place a compound task: in the matching that has the fewest faults and ends first."""
        named = [method for method in self.hierarchy.methods.get(node.task, ()) if method.name == node.method]
        here = f"{where}method '{node.method}'" if where else node.method
        best: _Placed | None = None
        tried = 0
        for method in named:
            for binding, labels in islice(self._matchings(method, node), _MOST_MATCHINGS):
                tried += 1
                placed = yield from self._matched(method, node, here, binding, labels, window)
                if best is None or (len(placed.faults), placed.end) < (len(best.faults), best.end):
                    best = placed
                if not placed.faults and all(self.spans.get(label) is not None for label in labels):
                    return placed
        if best is None:
            best = _Placed(end=window[0], faults=[self._fault(f"{here}: {self._why(named, node)}", node)])
            for label in node.subtasks:
                if label in self.spans:
                    placed = yield label, window
                    best.faults += placed.faults
        if best.faults and tried >= _MOST_MATCHINGS:
            best.open.append(f"{here}: its subtasks may be those listed in more than {_MOST_MATCHINGS:,} ways")
        return best

    def _matched(
        self, method: Method, node: Node, here: str, binding: Binding, labels: Sequence[int], window: _Window
    ) -> _Placing:
        faults = list(self._wrong_types(method, node, here, binding))
        opened: list[str] = []
        numbers = self._numbers(labels, window)
        moment = self._moment(method, binding, numbers, window[0])
        if moment is None:
            if not faults:
                faults.append(self._fault(f"{here}: {self._unmet(method, binding, numbers)}", node))
            moment = window[0]
        elif self.timeline.is_timed and not self._holds(method, binding, numbers[-1]):
            opened.append(f"{here}: whether its condition holds where it stands is not decided")
        ends: dict[int, _Moment] = {}
        latest = self._latest(method, labels, window[1])
        for place in method.places:
            label = labels[place]
            last = max(method.before[place], key=ends.__getitem__, default=None)
            after = moment if last is None else ends[last]
            span = self.spans.get(label)
            if last is not None and span is not None and span[0] < after:
                first, second = (f"{each} {self.given.nodes[each]}" for each in (labels[last], label))
                faults.append(self._fault(f"{here}: {first} is not before {second}", self.given.nodes[label], label))
                after = moment
            elif self.timeline.is_timed and last is not None and span is not None and span[0] == after:
                opened.append(f"{here}: {self.given.nodes[label]} begins as what comes before it ends")
            placed = yield label, (after, latest[place])
            ends[place] = placed.end
            faults += placed.faults
            opened += placed.open
        return _Placed(end=max(ends.values(), default=moment), faults=faults, open=opened)

    # --- subtasks ------------------------------------------------------------------------------------

    def _matchings(self, method: Method, node: Node) -> Iterator[tuple[Binding, list[int]]]:
        """Yield the ways in which the listed subtasks are those of a method, as they are listed first."""
        if len(node.subtasks) != len(method.subtasks) or any(one not in self.given.nodes for one in node.subtasks):
            return
        start = unified(method.args, node.args, node.values or {})
        if start is None:
            return
        taken: list[int] = []
        used: set[int] = set()
        choices = [self._fitting(method, node, 0, start, used)]
        bindings = [start]
        while choices:
            found = next(choices[-1], None)
            if found is None:
                choices.pop()
                bindings.pop()
                if taken:
                    used.discard(taken.pop())
            elif len(taken) == len(method.subtasks):
                yield bindings[-1], list(taken)
            else:
                label, binding = found
                taken.append(label)
                used.add(label)
                bindings.append(binding)
                choices.append(self._fitting(method, node, len(taken), binding, used))

    def _fitting(
        self, method: Method, node: Node, number: int, binding: Binding, used: Set[int]
    ) -> Iterator[tuple[int, Binding]]:
        """Yield the listed subtasks that may be the one at a place, the one listed there first; one for the end."""
        if number == len(method.subtasks):
            yield -1, binding
            return
        subtask = method.subtasks[number]
        at_place = node.subtasks[number]
        others = (label for label in node.subtasks if label != at_place and node.values is None)
        for label in chain((at_place,), others):
            child = self.given.nodes[label]
            if label not in used and child.task == subtask.task:
                found = unified(subtask.args, child.args, binding)
                if found is not None:
                    yield label, found

    def _why(self, named: Sequence[Method], node: Node) -> str:
        """Say why no method of the name fits the subtasks that are listed."""
        if not named:
            others = {one.name: task for task, methods in self.hierarchy.methods.items() for one in methods}
            if node.method in others:
                return f"it decomposes ({others[node.method]} ...), not {node}"
            return f"there is no such method{did_you_mean(node.method, others)}"
        method = named[0]
        if unified(method.args, node.args, {}) is None:
            return f"it decomposes ({' '.join((method.task, *method.args))}), not {node}"
        children = [self.given.nodes[label] for label in node.subtasks if label in self.given.nodes]
        wanted, given = (Counter(one.task for one in ones) for ones in (method.subtasks, children))
        missing, more = list((wanted - given).elements()), list((given - wanted).elements())
        if missing or more:
            subtasks = "subtask" if len(missing) == 1 else "subtasks"
            said = [f"its {subtasks} {_names(missing)} {_is(missing)} missing"] if missing else []
            return "; ".join([*said, f"{_names(more)} {_is(more)} not a subtask of it"] if more else said)
        binding = unified(method.args, node.args, node.values or {}) or {}
        for subtask in method.subtasks:
            same = next(child for child in children if child.task == subtask.task)
            children.remove(same)
            found = unified(subtask.args, same.args, binding)
            if found is None:
                wants = " ".join((subtask.task, *(binding.get(term, term) for term in subtask.args)))
                return f"its subtask {subtask} is {same}, where ({wants}) is needed"
            binding = found
        return "its subtasks are other ones than those listed"

    def _wrong_types(self, method: Method, node: Node, here: str, binding: Binding) -> Iterator[Fault]:
        model = self.hierarchy.model
        for parameter in method.parameters:
            name = binding.get(parameter.name)
            if name is None:
                continue
            wanted = " or ".join(sorted(parameter.types))
            if name not in model.problem.objects:
                yield self._fault(f"{here}: unknown object '{name}'", node)
            elif not model.has_type(name, parameter.types):
                actual = " or ".join(sorted(model.problem.objects[name]))
                yield self._fault(f"{here}: {name} is {actual}, {parameter.name} needs {wanted}", node)

    # --- conditions ----------------------------------------------------------------------------------

    def _condition(self, method: Method) -> Condition:
        key = f"{method.task} {method.name} {id(method)}"
        found = self.conditions.get(key)
        if found is None:
            model = self.hierarchy.model
            changed = frozenset(model.domain.predicates)
            found = self.conditions[key] = Condition.of(model, method.condition, method.parameters, changed)
        return found

    def _latest(self, method: Method, labels: Sequence[int], latest: _Moment) -> list[_Moment]:
        """Return for each subtask when the first step behind it begins."""
        found = [latest] * len(labels)
        for place in reversed(method.places):
            span = self.spans.get(labels[place])
            begin = found[place] if span is None else span[0]
            for one in method.before[place]:
                found[one] = min(found[one], begin)
        return found

    def _numbers(self, labels: Sequence[int], window: _Window) -> range:
        """Return the numbers of the states in which a method may stand: at least one."""
        moments = self.timeline.moments
        begins = [span[0] for label in labels if (span := self.spans.get(label)) is not None]
        end = min([window[1], *begins])
        first, last = bisect_right(moments, window[0]) - 1, bisect_right(moments, end) - 1
        if begins and moments[last] == end and last > first:
            last -= 1
        return range(first, max(first, last) + 1)

    def _moment(self, method: Method, binding: Binding, numbers: range, earliest: _Moment) -> _Moment | None:
        """Return the earliest moment at which a method may stand; None where there is none."""
        for number in self.history.new_at(self._condition(method).fluents, numbers[0], numbers[-1]):
            if self._holds(method, binding, number):
                return max(earliest, self.timeline.moments[number])
        return None

    def _holds(self, method: Method, binding: Binding, number: int) -> bool:
        return next(solutions(self._condition(method), binding, self.history, number, ()), None) is not None

    def _unmet(self, method: Method, binding: Binding, numbers: range) -> str:
        when = "before its first step" if len(numbers) == 1 else "wherever it may stand"
        condition, model, state = self._condition(method), self.hierarchy.model, self.history.state(numbers[-1])
        parts = (*condition.atoms, *(part for part, _ in condition.others))
        known = [part for part in parts if free(part) <= binding.keys()]
        unmet = [part for part in known if not holds(model, part, binding, state)] if len(numbers) == 1 else []
        shown = ", ".join(formula_text(part, binding) for part in unmet or [method.condition])
        return f"its condition {shown} is false {when}"


def _is(names: Sequence[str]) -> str:
    return "are" if len(names) > 1 else "is"


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
