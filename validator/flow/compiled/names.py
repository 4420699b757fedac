"""PDDL names for the names of a flow: any text goes in, each gets a name of its own, the same one in every process."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["NO_STEP", "Symbols"]

NO_STEP = " "
"""the name of a step that no model has: what a token is read as that a flow refuses"""

_RESERVED = frozenset(
    (
        *("and", "or", "not", "imply", "when", "forall", "exists", "either", "define", "domain", "problem", "object"),
        *("number", "increase", "decrease", "assign", "scale-up", "scale-down", "total-cost", "minimize", "maximize"),
        *("always", "sometime", "within", "at", "end", "preference"),
    )
)


class Symbols:
    """Hands out names. A text in one ``space`` (item, operator, ...) keeps the name that it got first."""

    def __init__(self) -> None:
        self._taken: set[str] = set(_RESERVED)
        self._names: dict[tuple[str, str], str] = {}

    def name(self, space: str, text: str) -> str:
        """Return the PDDL name of a text: its letters and digits where that is free, else with a number behind."""
        key = (space, text)
        found = self._names.get(key)
        if found is None:
            found = self._names[key] = self._free(_plain(text) or space)
        return found

    def _free(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}-{number}"
        self._taken.add(name)
        return name


def _plain(text: str) -> str:
    """Return a text in lower-case ASCII letters, digits, ``-`` and ``_``, beginning with a letter."""
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9_]+", "-", folded).strip("-")
    return f"x-{plain}" if plain and not plain[0].isalpha() else plain
