"""What the benchmark gets wrong, as switches: none is on unless its own figures are to be met."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from validator.errors import ValidatorError, did_you_mean


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
    REVERSED = "reversed"
    """action goals are matched in another order of the set, that of the published figures: GRAB comes last"""
    RUNS = "runs"
    """goals are counted in another run than successes, one that happened to match them in the annotated order"""
    NEIGHBORS = "neighbors"
    """the character stays near one neighbour only of what it grabs, the first of a set, which may be itself"""
    NUMBERS = "numbers"
    """arguments are read as names and numbers that take turns; an odd number of them cannot be read"""


_SEED_0 = frozenset(Defect) - {Defect.REVERSED, Defect.RUNS, Defect.NUMBERS}
_SEED_3 = _SEED_0 - {Defect.ORDER} | {Defect.REVERSED}

PRESETS: Mapping[str, frozenset[Defect]] = MappingProxyType(
    {
        "published": _SEED_3 | {Defect.RUNS},
        "seed0": _SEED_0,
        "seed3": _SEED_3,
        "1.0.5": _SEED_0 | {Defect.NUMBERS},
        "default": frozenset(),
    }
)
"""The defects of the published figures, of the original with the hash seeds 0 and 3, of its version 1.0.5, and none."""


def defects(text: str) -> frozenset[Defect]:
    """Read the name of a preset, or a list of defects. Raises ValidatorError with the nearest name."""
    if text in PRESETS:
        return PRESETS[text]
    known = [defect.value for defect in Defect]
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            every = [*PRESETS, *known]
            raise ValidatorError(
                f"no defect is called '{name}'{did_you_mean(name, every)}; there are {', '.join(every)}"
            )
    return frozenset(map(Defect, names))
