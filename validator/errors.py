"""The errors of the package, and the one way in which they show a place in a text.

    ValidatorError                  anything this package raises on purpose
    ├── InputError                  a text that cannot be understood; carries source, line, column
    │   ├── ModelError              a PDDL domain or problem, a unified-planning problem
    │   └── PlanError               a plan text beyond a stated limit, or an unreadable diff
    ├── PlannerError                a planner that failed: it crashed, or its output cannot be read
    │   ├── UnsupportedError        a planner that says it does not support the problem
    │   └── NotInstalledError       a package that is needed and not installed
    └── WorkerError                 the workers of a batch cannot be had

An invalid plan is not an error: it is the result of a check.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NoReturn


class ValidatorError(Exception):
    """Base of every error that this package raises on purpose."""


class InputError(ValidatorError):
    """A text that cannot be understood.

    ``line`` and ``column`` count from 1; both are None when no single place is to blame.
    ``str(error)`` names the place and shows its line with a caret.
    """

    def __init__(self, message: str, *, source: str = "", text: str | None = None, offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.line: int | None = None
        self.column: int | None = None
        self.excerpt = ""
        if text is not None and offset is not None:
            self.line, self.column, self.excerpt = locate(text, offset)

    def __str__(self) -> str:
        place = [part for part in (self.source, self.line, self.column) if part not in ("", None)]
        head = ":".join(map(str, place))
        body = f"{head}: {self.message}" if head else self.message
        return f"{body}\n{self.excerpt}" if self.excerpt else body


class ModelError(InputError):
    """A model that cannot be read or contradicts itself."""


class HierarchicalModelError(ModelError):
    """A model in HDDL, whose plans are decompositions of tasks, where one of actions alone is read."""


class UndeclaredObjectError(ModelError):
    """A domain that names an object which it does not declare; a problem of it may."""


class PlanError(InputError):
    """A plan text or a diff that is refused: over a stated limit, or not the shape that was asked for."""


class PlannerError(ValidatorError):
    """A planner process that failed in a way that is not an answer."""


class UnsupportedError(PlannerError):
    """A problem that a planner says it does not support, or that cannot be written for it."""


class NotInstalledError(PlannerError):
    """A package that is needed and not installed; the text says what to install, the package itself or an extra."""

    def __init__(self, package: str, wanted: str = "") -> None:
        super().__init__(package, wanted or package)  # as it is pickled

    def __str__(self) -> str:
        package, wanted = self.args
        return f"this needs the package '{package}', which is not installed: pip install {wanted}"


class WorkerError(ValidatorError):
    """Workers of a batch that cannot be started or reached; what is done by then is kept."""


_EXCERPT = 100  # characters of a long line shown around the caret


def locate(text: str, offset: int) -> tuple[int, int, str]:
    """Return line and column (both from 1) of an offset and that line with a caret below it."""
    offset = min(offset, len(text))
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    line = text[start : end if end >= 0 else len(text)].rstrip("\r")
    column = offset - start
    first = max(0, column - _EXCERPT // 2)
    shown = _printable(line[first : first + _EXCERPT])
    return text.count("\n", 0, start) + 1, column + 1, f"    {shown}\n    {' ' * (column - first)}^"


def _printable(line: str) -> str:
    """Replace what would move the caret or drive a terminal (tabs, escapes) by one blank each."""
    return "".join(character if character.isprintable() else " " for character in line)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like ``name``; None if nothing is near, or if the name is known itself."""
    if len(name) > 200:
        return None
    from difflib import get_close_matches  # needed for faults only, and slow to import

    matches = get_close_matches(name, known, n=1, cutoff=0.6)
    return matches[0] if matches and matches[0] != name else None


class Names:
    """Known names, and which of them an unknown one is most like.

    Answers are kept, and the comparisons are limited: a plan with thousands of unknown names gets its first
    suggestions, and an answer in time.
    """

    _MOST_COMPARISONS = 200_000

    def __init__(self, known: Iterable[str]) -> None:
        self._known = tuple(known)
        self._found: dict[str, str | None] = {}
        self._left = self._MOST_COMPARISONS

    def nearest(self, name: str) -> str | None:
        """Return the known name that is most like ``name``; None when nothing is near or the limit is met."""
        if name not in self._found:
            self._left -= len(self._known)
            self._found[name] = nearest(name, self._known) if self._left >= 0 else None
        return self._found[name]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the nearest known name, or an empty text."""
    match = nearest(name, known)
    return f" (did you mean '{match}'?)" if match else ""


class Choice(StrEnum):
    """One of some words; any other is a ValueError that lists them."""

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise ValueError(f"{value!r} is not one of {', '.join(cls)}{did_you_mean(str(value), cls)}")
