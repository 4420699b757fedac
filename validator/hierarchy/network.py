"""What is left to do behind some steps: open tasks whose arguments may be variables, values that never change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from validator.hierarchy.values import Decomposition, Method, Node, events_to
from validator.model.conditions import Binding
from validator.reading.plan import Step
from validator.records import dataclass, replace

Term: TypeAlias = str | int
"""an object, or the number of a variable"""
Terms: TypeAlias = Mapping[str, Term]
"""what the parameters of a method stand for"""


@dataclass(frozen=True, slots=True)
class Open:
    """A task that is to be done, not before what is named and not before a state."""

    label: int
    task: str
    args: tuple[Term, ...]
    before: frozenset[int]
    since: int


@dataclass(frozen=True, slots=True)
class Back:
    """How a network came about: a label was decomposed into others, or was the next step."""

    before: Back | None
    label: int
    method: Method | None = None
    terms: Terms | None = None
    subtasks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Network:
    """What is left behind ``taken`` steps.

    ``values`` are those of variables, objects or other variables, ``allowed`` the objects that others may be.
    ``pending`` are conditions of methods that depend on such, each with the state in which it must hold. Labels from
    ``labels`` on are free.
    """

    taken: int
    open: tuple[Open, ...]
    values: Mapping[int, Term]
    allowed: Mapping[int, frozenset[str]]
    pending: tuple[tuple[Method, Terms, int], ...]
    labels: int
    back: Back | None

    def get(self, label: int) -> Open:
        return next(task for task in self.open if task.label == label)

    # --- variables -----------------------------------------------------------------------------------

    def resolved(self, term: Term) -> Term:
        while isinstance(term, int) and term in self.values:
            term = self.values[term]
        return term

    def binding(self, terms: Terms) -> Binding:
        """Return the parameters that stand for objects."""
        resolved = ((name, self.resolved(term)) for name, term in terms.items())
        return {name: value for name, value in resolved if isinstance(value, str)}

    def unified(self, pairs: Iterable[tuple[Term, Term]]) -> Network | None:
        """Return a network in which terms are the same; None where they cannot be."""
        found = self
        for one, other in pairs:
            one, other = found.resolved(one), found.resolved(other)
            if one == other:
                continue
            if isinstance(one, str):
                one, other = other, one
            if isinstance(one, str):
                return None
            bound = replace(found, values={**found.values, one: other}).restricted(other, found.allowed[one])
            if bound is None:
                return None
            found = bound
        return found

    def bound(self, terms: Terms, binding: Binding) -> Network | None:
        """Return a network in which parameters stand for objects; None where they cannot."""
        return self.unified((terms[name], value) for name, value in binding.items())

    def restricted(self, term: Term, names: frozenset[str]) -> Network | None:
        """Return a network in which a term is one of some objects; None where it cannot be."""
        term = self.resolved(term)
        if isinstance(term, str):
            return self if term in names else None
        both = self.allowed[term] & names
        if not both:
            return None
        return self if both == self.allowed[term] else replace(self, allowed={**self.allowed, term: both})

    # --- tasks ---------------------------------------------------------------------------------------

    def after_step(self, task: Open) -> Network:
        """Return a network in which a task has taken the next step."""
        left = self._without(task, self.taken + 1, frozenset())
        return replace(left, taken=self.taken + 1, back=Back(self.back, task.label))

    def decomposed(self, task: Open, method: Method, terms: Terms, number: int) -> tuple[Network, tuple[int, ...]]:
        """Return a network with the subtasks of a method, which stands at a state, in place of a task; their labels."""
        labels = tuple(range(self.labels, self.labels + len(method.subtasks)))
        added = tuple(
            Open(
                label,
                subtask.task,
                tuple(terms.get(term, term) for term in subtask.args),
                frozenset(labels[one] for one in before) or task.before,
                number,
            )
            for label, subtask, before in zip(labels, method.subtasks, method.before, strict=True)
        )
        back = Back(self.back, task.label, method, terms, labels)
        left = self._without(task, number, frozenset(labels))
        return replace(left, open=(*left.open, *added), labels=self.labels + len(labels), back=back), labels

    def _without(self, task: Open, end: int, instead: frozenset[int]) -> Network:
        """Return a network without a task that ends before a state, or with others in its place."""
        left = []
        for one in self.open:
            if one.label == task.label:
                continue
            if task.label in one.before:
                after = instead or task.before
                since = one.since if after else max(one.since, end)
                one = replace(one, before=(one.before - {task.label}) | after, since=since)
            left.append(one)
        return replace(self, open=tuple(left))


def decomposition(network: Network, steps: Sequence[Step], objects: Iterable[str]) -> Decomposition:
    """Return how a network without open tasks came about; a free variable is the first object that it may be."""
    known = tuple(objects)

    def value(term: Term) -> str:
        found = network.resolved(term)
        return found if isinstance(found, str) else next(name for name in known if name in network.allowed[found])

    events = events_to(network.back)
    taken = (event.label for event in events if event.method is None)
    made = ((label, Node(task=step.name, args=step.args)) for label, step in zip(taken, steps, strict=True))
    tasks = []
    for event in events:
        if event.method is not None:
            args = tuple(value((event.terms or {}).get(term, term)) for term in event.method.args)
            node = Node(task=event.method.task, args=args, method=event.method.name, subtasks=event.subtasks)
            tasks.append((event.label, node))
    return Decomposition.numbered(made, tasks)
