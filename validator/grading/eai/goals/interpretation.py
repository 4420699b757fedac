"""Grading goals that were read from an instruction: states, relations and actions against the annotated ones."""

from __future__ import annotations

from validator.records import dataclass, field

__all__ = ["Confusion", "Interpretation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """What was predicted and is right (``hits``), is wrong (``false``), and what was missed."""

    hits: int = 0
    false: int = 0
    missed: int = 0

    def __add__(self, other: Confusion) -> Confusion:
        return Confusion(hits=self.hits + other.hits, false=self.false + other.false, missed=self.missed + other.missed)

    @property
    def precision(self) -> float:
        return self.hits / (self.hits + self.false) if self.hits + self.false else 0.0

    @property
    def recall(self) -> float:
        return self.hits / (self.hits + self.missed) if self.hits + self.missed else 0.0

    @property
    def f1(self) -> float:
        whole = 2 * self.hits + self.false + self.missed
        return 2 * self.hits / whole if whole else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """The grade of one answer; ``fault`` says why it could not be read, ``unknown`` are goals about nothing known."""

    identifier: str
    state: Confusion = field(default_factory=Confusion)
    relation: Confusion = field(default_factory=Confusion)
    action: Confusion = field(default_factory=Confusion)
    other: Confusion = field(default_factory=Confusion)
    """goals of no known kind, which are always wrong"""
    fault: str | None = None
    unknown: tuple[str, ...] = ()

    @property
    def all(self) -> Confusion:
        return self.state + self.relation + self.action + self.other

    @property
    def is_right(self) -> bool | None:
        """Return whether the goals are exactly those of the annotation; None for an answer that cannot be read."""
        return None if self.fault is not None else not self.unknown and self.all.false + self.all.missed == 0
