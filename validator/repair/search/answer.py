"""What a search for a nearest plan comes to."""

from __future__ import annotations

from collections.abc import Mapping

from validator.grounding.limits import Status
from validator.reading.plan import Step
from validator.records import dataclass, field
from validator.repair.edit import Edit, kept_steps

__all__ = ["Repair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """The best way found from the observed plan to one with the quality.

    ``edits`` is None when none was found: with ``status`` UNSOLVABLE there is none, with a limit there may be.
    ``cost`` and ``lower_bound`` are costs of the modified task; ``proven`` says that they meet. ``seconds`` are those
    of each phase, by the clock; phases run side by side.
    """

    status: Status
    edits: tuple[Edit, ...] | None = None
    cost: int | None = None
    lower_bound: int = 0
    proven: bool = False
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def plan(self) -> tuple[Step, ...] | None:
        """Return the repaired plan, without times and outputs."""
        return None if self.edits is None else kept_steps(self.edits)
