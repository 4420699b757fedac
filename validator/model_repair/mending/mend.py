"""A domain that cannot be read, mended fault by fault until it can be; each mend is named.

The reader says what it does not understand and where; the fault decides the mend. A text is never made readable by
leaving out what it says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from validator.errors import ModelError
from validator.model.pddl import read_domain, read_problem
from validator.model_repair.mending.fixes import FIXES, declared_for
from validator.records import dataclass

__all__ = ["Mended", "mended", "suited"]

_MOST = 30
"""mends of one text"""


@dataclass(frozen=True, slots=True)
class Mended:
    """A text that can be read, and what was changed in it, in words."""

    text: str
    changes: tuple[str, ...] = ()


def mended(text: str, problems: Sequence[str] = ()) -> Mended:
    """Return a domain that can be read. ``problems`` are texts that say how its predicates are used.

    Raises ModelError, the first one, where some fault has no mend.
    """
    changes: list[str] = []
    first: ModelError | None = None
    longest = 2 * len(text) + 1000  # a text that only grows is not being mended
    for _ in range(_MOST):
        try:
            read_domain(text if "\n" in text else f"{text}\n")
        except ModelError as error:
            first = first or error
            change = _mend(text, error, problems)
            if change is None or change[0] == text or len(change[0]) > longest:
                raise first from None
            text, said = change
            line = "" if error.line is None or " of line " in said else f"line {error.line}: "
            changes.append(f"{line}{said}")
        else:
            return Mended(text, tuple(changes))
    assert first is not None
    raise first


def suited(text: str, problem: str) -> tuple[str, tuple[str, ...]]:
    """Return a domain that declares the predicates of a problem, and what was changed.

    Raises ModelError where the problem cannot be read with it for another reason.
    """
    changes: list[str] = []
    for _ in range(_MOST):
        try:
            read_problem(problem, read_domain(text), strict=True)  # or facts of undeclared predicates are passed over
        except ModelError as error:
            match = _UNDECLARED.search(error.message)
            change = None if match is None else declared_for(text, problem, match[1])
            if change is None:
                read_problem(problem, read_domain(text))
                break
            text = change[0]
            changes.append(change[1])
        else:
            break
    return text, tuple(changes)


_UNDECLARED = re.compile(r"undeclared predicate '([^']+)'")


def _mend(text: str, error: ModelError, problems: Sequence[str]) -> tuple[str, str] | None:
    """Return the text without one fault and what was changed; None for a fault that has no mend."""
    offset = _offset(text, error)
    for pattern, fix in FIXES:
        if match := pattern.search(error.message):
            return fix(text, offset, match, problems)
    return None


def _offset(text: str, error: ModelError) -> int:
    """Return the place of an error in a text; its end where none is given."""
    if error.line is None or error.column is None:
        return len(text)
    lines = text.split("\n")[: error.line - 1]
    return sum(map(len, lines)) + len(lines) + error.column - 1
