"""Headings and asides: what an author says of the lines below or before, and of single steps."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from validator.reading.tokens.blocks.marks import mark_of

__all__ = ["Role", "abridges", "heading", "is_denied", "role", "takes_back"]


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
_PHASES = re.compile(
    r"(?<![\w-])(?:phase|part|stage|sub-?goals?|goal\s*\d+|milestone|section|first|second(?:ly)?|third(?:ly)?|fourth|next|"
    r"then|after\s+that|finally|lastly|now)\b(?!-\w)",
    re.IGNORECASE,
)
_ROLES = (
    (Role.ANSWER, _CORRECTS),
    (Role.STATE, _STATE),
    (Role.ANSWER, _ANSWERS),
    (Role.DRAFT, _DRAFTS),
    (Role.AGAIN, _AGAIN),
    (Role.PHASE, _PHASES),
)
"""Role -> the words that tell it, in the order of precedence."""


_NOT_DONE = (
    r"(?:(?:not|n't|never|no\s+longer)\s+(?:\w+\s+)?(?:allowed|permitted|possible|correct|right|valid|legal|applicable|"
    r"executable|necessary|needed|required)|(?:in(?:correct|valid|applicable)|wrong|illegal|impossible|unnecessary|redundant))"
)
_DENIED = re.compile(rf"\b(?:is|are|was|were|would\s+be)\s*{_NOT_DONE}\b", re.IGNORECASE)
_TAKES_BACK = re.compile(
    rf"(?:^|[(\[;.])[\W\d]*(?:no|wait|oops|sorry|hold\s+on)\s*[,.!:;–—-]"
    rf"|\b(?:this|that|the)(?:\s+(?:action|step|move))?\s+(?:is|was)\s*{_NOT_DONE}\b"
    rf"|\b(?:this|that|the)\s+(?:action|step|move)\s+(?:cannot|can\s+not|can't)\s+be\s+"
    r"(?:performed|executed|done|applied|taken|carried\s+out)\b",
    re.IGNORECASE,
)
_OF_STEPS = re.compile(r"\bsteps?\s*\d|\d\s+steps?\b", re.IGNORECASE)


def is_denied(words: str) -> bool:
    """Return whether a sentence says of a step that it is none: ``Put down c is not necessary``."""
    return _DENIED.search(words) is not None


_ABRIDGES = re.compile(
    r"^[\s>*_`#(-]*(?:(?:step\s+)?\d+\s*[.):]\s*)?[*_`]*(?:(?:and|then|now|next|finally|after\s+that)[,\s]+)*"
    r"(?:repeat(?:ing)?\b|continue\b.*\b(?:until|this|same|rest|other|remaining)\b|do\s+the\s+same\b|so\s+on\b|"
    r"proceed\s+(?:similarly|likewise|in\s+the\s+same)|(?:perform|follow|use|apply)\s+the\s+same\b|"
    r"(?:\.{3,}|…|etc\.?)\W*$)",
    re.IGNORECASE,
)


def abridges(words: str) -> bool:
    """Return whether a line stands for steps that are not written out: ``Repeat steps 1-4 for shot2``, ``...``."""
    return _ABRIDGES.match(words) is not None


def takes_back(words: str, *, is_item: bool = False) -> bool:
    """Return whether the author takes back, or corrects, a step before these words: ``No, that is not allowed``.

    Those behind other words of an item (``is_item``) are about what the item itself says.
    """
    match = _TAKES_BACK.search(words)
    if match is not None:
        return not is_item or not re.search(r"[^\W\d_]", words[: match.start()])
    return _OF_STEPS.search(words) is not None and _CORRECTS.search(heading(words)) is not None


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
    if _OF_STEPS.search(words) and _CORRECTS.search(words):
        return Role.PLAIN
    is_plan = _PLANS.search(words) is not None
    return next((found for found, pattern in _ROLES if pattern.search(words)), Role.PLAN if is_plan else Role.PLAIN)
