"""What a hierarchical problem and a decomposition are made of (Hoeller et al. 2020, HDDL)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from graphlib import TopologicalSorter
from itertools import pairwise
from typing import NoReturn, Protocol, TypeVar

from validator.errors import PlanError
from validator.model.values import Formula, Model, Parameter
from validator.records import cached_property, dataclass, replace


class _Follows(Protocol):
    @property
    def before(self: _Event) -> _Event | None: ...


_Event = TypeVar("_Event", bound=_Follows)

ROOT = ""
"""the name of the task whose only method is the initial task network"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subtask:
    """A task or an action in a network; ``name`` is its label there, ``args`` are variables and objects."""

    name: str
    task: str
    args: tuple[str, ...]

    def __str__(self) -> str:
        return f"({' '.join((self.task, *self.args))})"


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to do ``task``: subtasks in a partial order, under a condition that holds before the first of them.

    ``order`` has pairs of places such that the first subtask ends before the second one begins. ``condition`` has the
    constraints on variables as well.
    """

    name: str
    task: str
    args: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    condition: Formula
    subtasks: tuple[Subtask, ...]
    order: frozenset[tuple[int, int]]

    @cached_property
    def before(self) -> tuple[tuple[int, ...], ...]:
        """Return for each subtask the places of those that the order names as coming before it."""
        found: list[list[int]] = [[] for _ in self.subtasks]
        for one, other in sorted(self.order):
            found[other].append(one)
        return tuple(map(tuple, found))

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Return the places of the subtasks, each behind those that come before it. Raises CycleError for a circle."""
        return tuple(TopologicalSorter(dict(enumerate(self.before))).static_order())

    @property
    def is_total(self) -> bool:
        return all(map(self.order.__contains__, pairwise(self.places)))


@dataclass(frozen=True, kw_only=True)
class Hierarchy:
    """A model of actions, with compound tasks, the methods of each, and the initial network as the method of ROOT."""

    model: Model
    tasks: Mapping[str, tuple[Parameter, ...]]
    methods: Mapping[str, tuple[Method, ...]]

    @property
    def root(self) -> Method:
        return self.methods[ROOT][0]

    @cached_property
    def is_total(self) -> bool:
        """Return whether the subtasks of each method are totally ordered."""
        return all(method.is_total for methods in self.methods.values() for method in methods)

    def parameters(self, task: str) -> tuple[Parameter, ...]:
        """Return the parameters of a task or an action."""
        return self.tasks[task] if task in self.tasks else self.model.domain.actions[task].parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A task of a decomposition with its arguments; ``method`` and ``subtasks`` (labels) for a compound one.

    With ``values`` of the method's parameters the subtasks stand in the method's order; without, in any.
    """

    task: str
    args: tuple[str, ...]
    method: str = ""
    subtasks: tuple[int, ...] = ()
    values: Mapping[str, str] | None = None

    def __str__(self) -> str:
        return f"({' '.join((self.task, *self.args))})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    """Nodes by their labels: ``steps`` are those of the plan in order, ``root`` those of the initial network.

    With ``is_placed`` the latter stand in the order in which the network has them.
    """

    nodes: Mapping[int, Node]
    steps: tuple[int, ...]
    root: tuple[int, ...]
    is_placed: bool = False

    @classmethod
    def numbered(cls, steps: Iterable[tuple[int, Node]], tasks: Iterable[tuple[int, Node]]) -> Decomposition:
        """Return one of labelled nodes with labels from 0 on, those of the steps first; the first task is the root."""
        taken, (root, *others) = list(steps), tasks
        numbers = {label: number for number, (label, _) in enumerate([*taken, *others])}

        def numbered(node: Node) -> Node:
            return replace(node, subtasks=tuple(numbers[label] for label in node.subtasks))

        nodes = {numbers[label]: numbered(node) for label, node in (*taken, *others)}
        return cls(nodes=nodes, steps=tuple(range(len(taken))), root=numbered(root[1]).subtasks)

    def lines(self) -> Iterator[str]:
        """Yield the listing that PANDA prints."""
        yield "==>"
        for label in self.steps:
            yield f"{label} {_words(self.nodes[label])}"
        yield " ".join(("root", *map(str, self.root)))
        for label, node in self.nodes.items():
            if node.method:
                yield " ".join((f"{label} {_words(node)} -> {node.method}", *map(str, node.subtasks)))
        yield "<=="


def events_to(last: _Event | None) -> list[_Event]:
    """Return an event and those before it, the first one first."""
    found: list[_Event] = []
    while last is not None:
        found.append(last)
        last = last.before
    return found[::-1]


def _words(node: Node) -> str:
    return " ".join((node.task, *node.args))


# --- listings: numbered steps between ``==>`` and ``root``, methods from there to ``<==`` ------------

_TOP = "__top"
"""the task that PANDA makes of the initial network"""
_COMPILED = re.compile("[<%]|_!|__method_precondition_")
"""how names begin that PANDA makes of methods and tasks, and that its converter takes out"""


def is_listing(text: str) -> bool:
    """Return whether a text lists a plan with its decomposition."""
    lines = [line.strip() for line in text.splitlines()]
    return "==>" in lines and any(line.split()[:1] == ["root"] for line in lines[lines.index("==>") :])


def read_listing(text: str, source: str = "") -> Decomposition:
    """Read the first plan that a text lists. Raises PlanError for a line that is none of a listing."""
    return _Listing(text, source).read()


class _Listing:
    def __init__(self, text: str, source: str) -> None:
        self.text, self.source = text, source
        self.nodes: dict[int, Node] = {}

    def read(self) -> Decomposition:
        steps: list[int] = []
        root: tuple[int, ...] | None = None
        started = False
        offset = 0
        for line in self.text.splitlines(keepends=True):
            words = line.lower().split()
            if not started:
                started = words == ["==>"]
            elif words == ["<=="]:
                break
            elif words and words[0] == "root":
                if root is not None:
                    self._fail("a second line 'root'", offset)
                root = tuple(self._label(word, offset) for word in words[1:])
            elif words:
                label = self._label(words[0], offset)
                if label in self.nodes:
                    self._fail(f"{label} is the number of two tasks", offset)
                if root is None:
                    steps.append(label)
                self.nodes[label] = self._node(words[1:], root is not None, offset)
            offset += len(line)
        if root is not None and len(root) == 1 and (top := self.nodes.get(root[0])) and top.task == _TOP:
            del self.nodes[root[0]]
            root = top.subtasks
        return Decomposition(nodes=self.nodes, steps=tuple(steps), root=root or ())

    def _node(self, words: list[str], is_compound: bool, offset: int) -> Node:
        if not words or words[0] == "->":
            self._fail("a task with its arguments was expected after the number", offset)
        if any(map(_COMPILED.match, words)):
            self._fail("this is a name of PANDA's compiled model; 'pandaPIparser -c' converts the plan", offset)
        if not is_compound:
            return Node(task=words[0], args=tuple(words[1:]))
        if "->" not in words or words.index("->") + 1 == len(words):
            self._fail("'NUMBER TASK ARGUMENT ... -> METHOD NUMBER ...' was expected", offset)
        arrow = words.index("->")
        subtasks = tuple(self._label(word, offset) for word in words[arrow + 2 :])
        return Node(task=words[0], args=tuple(words[1:arrow]), method=words[arrow + 1], subtasks=subtasks)

    def _label(self, word: str, offset: int) -> int:
        if not (word.isascii() and word.isdigit() and len(word) < 10):
            self._fail(f"the number of a task was expected, not '{word}'", offset)
        return int(word)

    def _fail(self, message: str, offset: int) -> NoReturn:
        raise PlanError(message, source=self.source, text=self.text, offset=offset)
