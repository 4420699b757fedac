"""What the benchmark gets wrong, as switches: none is on unless its own figures are to be met."""

from __future__ import annotations

from enum import StrEnum

from validator.errors import ValidatorError, did_you_mean

__all__ = ["Defect", "defects"]


class Defect(StrEnum):
    """A defect of the Embodied Agent Interface that changes grades."""

    PARSING = "parsing"
    """answers are read by a pattern that drops actions without arguments; some faults count twice"""
    VOCABULARY = "vocabulary"
    """PLUGIN, PLUGOUT and RELEASE count as unknown actions"""
    RELATIONS = "relations"
    """at most one relation goal is counted, so that tasks with more are left out"""
    IDENTICAL = "identical"
    """an answer that equals the recorded program counts as executable and reaches nothing"""
    ORDER = "order"
    """action goals are matched in the order of a set: here the order of the alphabet"""


def defects(text: str) -> frozenset[Defect]:
    """Read a list of defects, ``all`` for all of them. Raises ValidatorError with the nearest name."""
    if text == "all":
        return frozenset(Defect)
    known = [defect.value for defect in Defect]
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            known_names = ", ".join(known)
            raise ValidatorError(f"no defect is called '{name}'{did_you_mean(name, known)}; there are {known_names}")
    return frozenset(map(Defect, names))
