"""What a text says that has no steps: that there is no plan, or that none of them is needed."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from validator.reading.plan import Span

__all__ = ["claims_empty_plan", "claims_no_plan", "speaks_of_plans"]


@cache
def _claims() -> re.Pattern[str]:
    return re.compile(
        r"""\bno\s(?:(?:valid|possible|feasible|known|such|executable|legal|correct|sound)\s)*(?:plan|solution)\b
            (?=\W*\Z|\s*[^\w\s]|\s+(?:and|as|at|because|but|can|could|due|exist\w*|for|from|given|has|have|here|however|
            i[ns]|found|may|of|or|possible|available|satisf\w+|reach\w+|since|so|solv\w+|that|there|to|under|was|were|where|
            which|will|with\w*|would|achiev\w+|are|be|after|by|if|unless|until|when|yet|it|we|I|the)\b)
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


def speaks_of_plans(text: str) -> bool:
    """Return whether a text has any of the words in lower case without which it cannot say that there is no plan."""
    return any(map(text.__contains__, _WHAT))


def claims_no_plan(text: str) -> Span | None:
    """Return where a text says that there is no plan, or None."""
    return _claim(text) if len(text) <= _SHORT else _claim.__wrapped__(text)


_SHORT = 65_536
"""characters of a text whose claim is kept, since each of its readers asks for it"""


@lru_cache(maxsize=2)
def _claim(text: str) -> Span | None:
    lower = text.lower()
    if _DENIES.search(lower) is None or not speaks_of_plans(lower):
        return None
    for match in _claims().finditer(text):
        if _SUPPOSES.search(text, max(0, match.start() - _CLAUSE), match.start()) is None:
            return match.span()
    return None


_CLAUSE = 80
_SUPPOSES = re.compile(r"\b(?:if|when|whenever|whether|unless|until|in\scase)\b[^.!?,;:\n]{0,60}\Z", re.IGNORECASE)
"""a clause that only supposes what it says: "if no plan exists, the exit code is 2\""""


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
