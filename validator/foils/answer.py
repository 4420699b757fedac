"""The answer to a question about a plan: what was found, and the same in words."""

from __future__ import annotations

from validator.foils.findings import Findings
from validator.foils.words import sentences
from validator.records import dataclass

__all__ = ["Answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Findings):
    """What was found, as ``Findings`` has it."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the answer in words, one fact each."""
        return tuple(sentences(self))

    def _repr_html_(self) -> str:
        """Return the answer as a notebook shows it."""
        from validator.foils.render import answer_text  # which imports this module
        from validator.render.html.page import preformatted

        return preformatted(answer_text(self))
