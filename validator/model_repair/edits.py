"""The edits of a domain that a repair is made of, as values."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from validator.model.pddl.write import formula_text
from validator.model.values import Formula
from validator.records import dataclass, field

__all__ = ["LITERALS", "Edit", "Kind", "Path"]

Path: TypeAlias = tuple[int, ...]
"""Where a part stands: the index of a child at each level, from the whole precondition or effect inwards."""


class Kind(StrEnum):
    """What an edit does. Effects add an atom or delete it; both can be missing or too many."""

    REMOVE_PRECONDITION = "remove precondition"
    ADD_PRECONDITION = "add precondition"
    ADD_ADD = "add effect"
    REMOVE_ADD = "remove add effect"
    ADD_DELETE = "add delete effect"
    REMOVE_DELETE = "remove delete effect"
    REMOVE_CONDITION = "remove effect condition"
    """of a conditional effect, which then happens more often"""
    ADD_FACT = "add initial fact"
    REMOVE_FACT = "remove initial fact"
    MEND = "mend"
    """of a name, a number of arguments, a parameter or its type, before that the text can be read or fits the plans"""


LITERALS = frozenset(list(Kind)[:7])
"""the kinds that take a condition or an effect out of an action, or put one in"""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of an action, however many steps it touches.

    ``formula`` is the condition, or the atom of an effect. ``scope`` is the place of what holds it: ``()`` for the
    precondition or effect itself, else that of a quantified or conditional part. ``places`` are those of the copies
    that are removed. An edit of an initial fact has no action, and as its scope the number of the problem.
    """

    kind: Kind
    action: str
    formula: Formula
    scope: Path = ()
    places: tuple[Path, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return (
            f"{self.action}: {self.kind.value} {self.literal}" if self.action else f"{self.kind.value} {self.literal}"
        )

    @property
    def literal(self) -> str:
        """Return the condition or the atom as PDDL text."""
        return formula_text(self.formula, {})
