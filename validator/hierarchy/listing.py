"""Plans as PANDA prints them: numbered steps between ``==>`` and ``root``, methods from there to ``<==``."""

from __future__ import annotations

from typing import NoReturn

from validator.errors import PlanError
from validator.hierarchy.values import Decomposition, Node

__all__ = ["is_listing", "read_listing"]


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
        return Decomposition(nodes=self.nodes, steps=tuple(steps), root=root or ())

    def _node(self, words: list[str], is_compound: bool, offset: int) -> Node:
        if not words or words[0] == "->":
            self._fail("a task with its arguments was expected behind the number", offset)
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
