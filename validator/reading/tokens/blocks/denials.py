"""What a text denies: that there is a plan, that a step is one, or was done; and that steps are needed at all.

The words are those of ``validator.reading.lexicon.english``; they are fetched where a text may deny something.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from validator.reading.plan import Span

__all__ = [
    "abridges",
    "claims_empty_plan",
    "claims_no_plan",
    "has_failed",
    "is_denied",
    "refuses",
    "speaks_of_plans",
    "takes_back",
]


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


# --- steps -----------------------------------------------------------------------------------------


@cache
def _pattern(written: str) -> re.Pattern[str]:
    """Return a pattern in which NOT_DONE stands for what denies a step, JOINT for words between two steps."""
    from validator.reading.lexicon.english import ALLOWED, JOINTS, REFUSED  # which few texts need

    allowed, refused, joint = ("|".join(sorted(words)) for words in (ALLOWED, REFUSED, JOINTS))
    not_done = rf"(?:(?:not|n['’]?t|never|no\s+longer)\s+(?:\w+\s+)?(?:{allowed})|{refused})"
    return re.compile(written.replace("NOT_DONE", not_done).replace("JOINT", joint), re.IGNORECASE)


_TAKES_BACK = (
    r"(?:^|[(\[;.])[\W\d]{0,40}(?:no|wait|oops|sorry|hold\s+on)\s*[,.!:;–—-]"
    r"|\b(?:this|that|the)(?:\s+(?:action|step|move))?\s+(?:is|was)\s*NOT_DONE\b"
    r"|\b(?:this|that|the)\s+(?:action|step|move)\s+(?:cannot|can\s+not|can't)\s+be\s+"
    r"(?:performed|executed|done|applied|taken|carried\s+out)\b"
)
_REFUSES = (
    r"\W*(?:(?:you|i|we|it|the|robot|agent|this|that|action|step|command|result|status|sorry|is|was|has|are)\W+)*"
    r"(?:nothing\s+happen|can\s*not\b|can['’]?t\b|could\s*(?:not|n['’]?t)\b|unable\b|NOT_DONE\b|"
    r"unknown\s+(?:command|action)\b|(?:do|did)\s*n['’]?t\s+understand\b)"
)
_ANSWER = re.compile(
    r"\W*(?:observations?|obs|results?|responses?|outputs?|feedback|environment|env|status|outcome)[\s*_`]*:",
    re.IGNORECASE,
)
"""before what the world says of a step"""
_ABRIDGES = (
    r"^[\s>*_`#(-]*(?:(?:step\s+)?\d+\s*[.):]\s*)?[*_`]*(?:(?:JOINT)[,\s]+)*"
    r"(?:repeat(?:ing)?\b|continue\b.*\b(?:until|this|same|rest|other|remaining)\b|do\s+the\s+same\b|so\s+on\b|"
    r"proceed\s+(?:similarly|likewise|in\s+the\s+same)|(?:perform|follow|use|apply)\s+the\s+same\b|"
    r"(?:\.{3,}|…|etc\.?)\W*$)"
)


def is_denied(words: str) -> bool:
    """Return whether a sentence says of a step that it is none: ``Put down c is not necessary``."""
    return _pattern(r"\b(?:is|are|was|were|would\s+be)\s*NOT_DONE\b").search(words) is not None


def has_failed(words: str) -> bool:
    """Return whether words behind a step begin with its failure: ``- failed``, ``(not applicable)``."""
    return _pattern(r"\W*(?:\w+\s+)?NOT_DONE\b").match(words) is not None


def takes_back(words: str, *, is_item: bool = False) -> bool:
    """Return whether words take back or refuse the step before them: ``No, that is not allowed``, ``Result: error``.

    Those behind other words of an item (``is_item``) are about what the item itself says.
    """
    answer = _ANSWER.match(words)
    if answer is not None and refuses(words[answer.end() :]):
        return True
    match = _pattern(_TAKES_BACK).search(words)
    return match is not None and not (is_item and re.search(r"[^\W\d_]", words[: match.start()]))


def refuses(answer: str) -> bool:
    """Return whether an answer refuses what was asked: "You can't ...", "Error: ..."."""
    return _pattern(_REFUSES).match(answer) is not None


def abridges(words: str) -> bool:
    """Return whether a line stands for steps that are not written out: ``Repeat steps 1-4 for shot2``, ``...``."""
    return _pattern(_ABRIDGES).match(words) is not None
