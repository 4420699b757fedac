"""What a line is: an item of a list by its number, letter, bullet or box; or a heading, by what it says of those below.

Code fences are found here, too.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache, lru_cache

from validator.records import dataclass

__all__ = ["FENCE", "Mark", "Role", "corrects", "heading", "mark_of", "role", "unmarked"]

_MARK = re.compile(
    r"(?P<indent>[^\S\n]*)(?P<around>[\s>|#{,\"'`_]*(?:\*\*+)?)"
    r"(?:(?P<bullet>[-+•‣▪–]|\*(?!\*))\s+(?:\[[ xX]\]\s*)?[*_`]*)?"
    r"(?:\(?(?:step[\s_-]*)?(?P<number>\d{1,6})[\"']?\s*(?:[.):]|-(?=[\s(]))[*_`]*"
    r"|\(?(?P<letter>[a-z])[.)](?=\s))?",
    re.IGNORECASE,
)
FENCE = re.compile(
    r"^[^\S\n]*+```[^\S\n]*+(?P<language>[A-Za-z]*+)[^\n]*+\n(?P<inside>.*?)(?:^[^\S\n]*+```|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""a fenced block; one that is not closed reaches to the end of the text"""
_BESIDE = " \t>*_`#|-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How a line begins: how far it is indented, the bullet of an item, and its number or the place of its letter.

    ``is_bare`` says that nothing stands before these, ``end`` is where the words begin.
    """

    indent: int
    order: int | None
    is_bullet: bool
    is_bare: bool
    end: int

    @property
    def is_item(self) -> bool:
        return self.is_bullet or self.order is not None

    @property
    def is_plain_item(self) -> bool:
        """Return whether nothing stands before the mark: in bold, or behind a hash, it is of a heading."""
        return self.is_bare and self.is_item


def mark_of(line: str) -> Mark:
    """Return how a line begins."""
    found = _MARK.match(line)
    assert found is not None  # each of its parts may be empty
    number, letter = found["number"], found["letter"]
    order = int(number) if number else ord(letter.lower()) - ord("a") + 1 if letter else None
    return Mark(
        indent=len(found["indent"]),
        order=order,
        is_bullet=found["bullet"] is not None,
        is_bare=not found["around"],
        end=found.end(),
    )


def unmarked(line: str) -> str:
    """Return the words of a line without what marks it as an item, a quotation or a cell."""
    return line[mark_of(line).end :].strip(_BESIDE)


class Role(Enum):
    """What a heading says of the steps below it."""

    PLAIN = "plain"
    """nothing of it: ``So we get:``"""
    PLAN = "plan"
    """that they are a plan: ``Plan:``, ``Here are the steps:``"""
    PHASE = "phase"
    """that they are one part of the plan"""
    ANSWER = "answer"
    """that they are the author's answer, or a correction of what stands above"""
    DRAFT = "draft"
    """that they are tried, and not meant"""
    AGAIN = "again"
    """that they say once more, explain or follow up what was said"""
    STATE = "state"
    """that what follows is no plan: facts, goals, conditions"""


_HEADING = re.compile(
    r"^\s{0,8}(?:\#{1,6}\s+(?P<hash>.+?)\s*\#*"
    r"|[>\s]*(?P<bold>(?:\*\*|__)[^*_\n]{1,160}(?:\*\*|__)\s*:?)"
    r"|\\(?:sub)*section\*?\{(?P<latex>[^{}]*)\}"
    r"|={2,}\s*(?P<rule>[^=\n]+?)\s*={2,}"
    r"|\#?[-=*~]{3,}\s*(?P<ruled>[^\W\d_][^=*~|\n]{0,120}?)\s*[-=*~]{3,}\#?"
    r"|(?P<colon>[^\n]{1,400}:)"
    r"|(?P<verb>[^\n]{0,400}\b(?:plan|sequence|solution)\s+(?:is|becomes|would\s+be)(?:\s+as\s+follows)?))\s*[*_]*\s*$",
    re.IGNORECASE,
)
_MOST = 420
_MARKUP = re.compile(r"[*_`#>]+")

_PLANS = re.compile(
    r"\b(?:plan|sequence|solution|steps|moves|(?<!available\s)actions(?!\s+available)|step[-\s]by[-\s]step)\b",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"^(?!.*\b(?:plan|sequence|solution|steps|moves)\b).*\b(?:(?:initial|resulting|current|final|goal|new|end|start(?:ing)?)\s+(?:state|conditions?|facts?|situation)|goals?|"
    r"state|facts|preconditions?|effects?|conditions?|restrictions?|rules?|requirements?|actions\s+available|"
    r"available\s+actions|objects?|predicates?)\W*$",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:correct(?:ed|ion|ing)|revis\w+|fix(?:ed|es|ing)?|instead|improved|adjust\w*|updated?|amended|"
    r"optimi[sz]ed|simplified|streamlined|short(?:er|ened)|(?:more|most)\s+(?:efficient|optimal|direct)|"
    r"(?:let(?:'s|\sme|\sus)\s+)?(?:try|start|begin)\s+(?:\w+\s+)?(?:again|over)|better|rectif\w+)\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"\b(?:final|actual|definitive)\b.{0,40}\b(?:plan|sequence|answer|solution|steps|actions|list|version)\b"
    r"|^\W*(?:the\s+)?(?:final\s+)?(?:answer|solution)\b",
    re.IGNORECASE,
)
_DRAFTS = re.compile(
    r"\b(?:draft|tentative|(?:first|initial|another|possible|naive)\s+(?:attempt|idea|try|guess|approach)|attempt(?:\s*\d+)?|"
    r"(?:if|should|unless)\s+(?:you|we)\s+(?:\w+\s+)?(?:need|want|wish|prefer|like)|optional(?:ly)?|"
    r"tr(?:y|ying)\b|incorrect|invalid|wrong|fail(?:s|ed|ing)?|bad|mistaken)\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:expla\w+|break\s?down|details?|detailed|reason\w*|rationale|verif\w+|check\w*|trac\w+|simulat\w+|walk\w*|"
    r"summar\w+|recap\w*|in\s+short|to\s+sum|justif\w+|analysis|analy[sz]\w+|illustrat\w+|again|once\s+more|"
    r"equivalent\w*|translat\w+|notation|syntax|format(?:ted)?|pddl|in\s+words|execut\w+|outcomes?|results?|"
    r"demonstrat\w+|understanding|mechanics|overview|works(?=\s+(?:as|because|by)\b))\b",
    re.IGNORECASE,
)
_ROLES = (
    (Role.ANSWER, _CORRECTS),
    (Role.STATE, _STATE),
    (Role.ANSWER, _ANSWERS),
    (Role.DRAFT, _DRAFTS),
    (Role.AGAIN, _AGAIN),
)
"""Role -> the words that tell it, in the order of precedence; behind them come the words of parts, and of plans"""

_OF_STEPS = re.compile(r"\bsteps?\s*\d|\d\s+steps?\b", re.IGNORECASE)


@cache
def _phases() -> re.Pattern[str]:
    from validator.reading.lexicon.english import SEQUENCE  # which few texts need

    joints = "|".join(sorted(SEQUENCE))
    parts = rf"phase|part|stage|sub-?goals?|goal\s*\d+|milestone|section|fourth|after\s+that|{joints}"
    return re.compile(rf"(?<![\w-])(?:{parts})\b(?!-\w)", re.IGNORECASE)


def corrects(words: str) -> bool:
    """Return whether a heading corrects single steps of those before it, so that it says nothing of the whole."""
    return _OF_STEPS.search(words) is not None and _CORRECTS.search(words) is not None


def heading(line: str) -> str:
    """Return the words of a line that is a heading, or an empty text.

    A heading is marked as one, stands alone in bold, or ends with a colon.
    """
    if not line or len(line) > _MOST or line.isspace() or mark_of(line).is_plain_item:
        return ""
    match = _HEADING.match(line)
    if match is None:
        return ""
    words = next(group for group in match.groups() if group is not None)
    return _MARKUP.sub("", words).strip()


def role(words: str) -> Role:
    """Return what a heading says of what follows; one that corrects single steps says nothing of the whole."""
    return _role(words) if len(words) <= _MOST else _role.__wrapped__(words)


@lru_cache(maxsize=1024)  # a line is asked for by several readers, and answers have their headings in common
def _role(words: str) -> Role:
    if corrects(words):
        return Role.PLAIN
    found = next((role for role, pattern in _ROLES if pattern.search(words)), None)
    if found is None and _phases().search(words):
        return Role.PHASE
    return found or (Role.PLAN if _PLANS.search(words) else Role.PLAIN)
