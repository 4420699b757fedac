"""What a text says that has no steps: that there is no plan, or that none of them is needed."""

from __future__ import annotations

import re
from functools import cache

from validator.reading.plan import Span

__all__ = ["claims_empty_plan", "claims_no_plan"]


@cache
def _claims() -> re.Pattern[str]:
    return re.compile(
        r"""\bno\s(?:(?:valid|possible|feasible|known|such|executable|legal|correct|sound)\s)*(?:plan|solution)\b
            (?!\s(?:text|file|format))
          | \bno\s(?:possible\s|valid\s)?(?:sequence|series)\sof\s(?:actions|steps)\b
          | \b(?:cannot|can\snot|can't|could\snot|couldn't|unable\sto|not\spossible\sto)\s
            (?:find|generate|produce|construct|create)\s(?:a|any)\s(?:\w+\s)?(?:plan|solution)\b
          | \b(?:plan|solution)\s(?:does\snot|doesn't)\sexist\b
          | \b(?:problem|task|goal)\sis\s(?:\w+\s)?(?:unsolvable|unreachable|impossible)\b
          | \b(?:problem|task|goal)\s(?:cannot|can't)\sbe\s(?:\w+\s)?(?:solved|reached|achieved)\b
        """,
        re.IGNORECASE | re.VERBOSE,
    )


# One of the first, and one of the second, is in whatever claims it; to look for them takes a tenth of the time.
_DENIES = re.compile(r"no[\st]|n't|unable|unsolvable|unreachable|impossible")
_WHAT = ("plan", "solution", "sequence", "series", "problem", "task", "goal")


def claims_no_plan(text: str) -> Span | None:
    """Return where a text says that there is no plan, or None."""
    lower = text.lower()
    if _DENIES.search(lower) is None or not any(word in lower for word in _WHAT):
        return None
    match = _claims().search(text)
    return match.span() if match else None


@cache
def _nothing_to_do() -> re.Pattern[str]:
    return re.compile(
        r"""\bno\s(?:(?:further|more|additional|other)\s)?(?:actions?|steps?|moves?)\s(?:at\sall\s)?
            (?:(?:are|is|need\sto|needs\sto|have\sto|has\sto|must)\s)?(?:be\s)?
            (?:required|needed|necessary|taken|performed|executed)\b
          | \bno\sneed\s(?:for|to\s(?:take|perform|do|execute))\s(?:any\s)?(?:actions?|steps?|moves?|anything)\b
          | \b(?:plan|solution)\b[^.\n]{0,40}\bis\s(?:simply\s|just\s)?(?:to\sdo\snothing|empty|the\sempty|an\sempty)\b
          | \b(?:nothing\s(?:needs|has)\sto\sbe\sdone|need\snot\sdo\sanything)\b
        """,
        re.IGNORECASE | re.VERBOSE,
    )


def claims_empty_plan(text: str) -> bool:
    """Return whether a text says that the goal holds already, so that nothing has to be done."""
    return _nothing_to_do().search(text) is not None
