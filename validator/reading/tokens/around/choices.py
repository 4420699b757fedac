"""What headings call one of several plans, "Plan B", "Alternatively:", and which of them an author chooses."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["NAMED", "chosen", "is_another"]

_KINDS = "plan|solution|option|alternative|candidate|approach|variant|version"
_NAME = r"(?:[A-Z]|\d{1,2}|(?i:[b-e]|two|three))"
NAMED = re.compile(rf"\b(?i:{_KINDS})\s*#?\s*(?P<name>{_NAME})(?:(?P<end>\W*$)|(?=\s*[:(–-]))")
"""a heading with a name of a plan among several; "a" is an article"""

_OTHER_PLAN = re.compile(
    r"\W*(?:or|alternatively|alternative(?:\s+(?:plan|solution|option)s?)?|"
    r"an?other\s+(?:plan|option|solution|alternative|possibility|way)|"
    r"(?:the\s+)?(?:second|third|other)\s+(?:plan|option|solution|alternative|possibility))\W*$",
    re.IGNORECASE,
)
_FIRST = ("A", "I", "1")


def is_another(head: str) -> bool:
    """Return whether a heading says, and nothing else, that its steps are done in place of those above it."""
    named = NAMED.search(head)
    is_alone = named is not None and named["end"] is not None and not any(map(str.isalnum, head[: named.start()]))
    return (is_alone and named is not None and named["name"] not in _FIRST) or _OTHER_PLAN.match(head) is not None


_PLAN = rf"(?i:{_KINDS})\s*#?\s*(?P<name>{_NAME})\b"
_CHOOSES = re.compile(
    rf"\b(?i:cho(?:o|0)?s(?:e|es|en|ing)|select(?:s|ed|ing)?|pick(?:s|ed|ing)?|prefer(?:s|red)?|recommend(?:s|ed)?|"
    rf"(?:go|going|went)\s+(?:\w+\s+)?with|opt(?:s|ed|ing)?\s+for|settled?\s+(?:on|for)|best|answer|choice|decision|selection|"
    rf"recommendation)\b(?:\s+(?i:plan|one|option|is|would|be|the|my|for|therefore|to|use))*\W{{1,6}}(?i:the\s+)?{_PLAN}"
)
_IS_CHOSEN = re.compile(
    rf"\b{_PLAN}\W{{1,4}}(?i:is|was|will\s+be)\s+(?:\w+\s+){{0,3}}?(?i:best|better|chosen|selected|preferred|preferable|recommended|"
    rf"choice|(?:final\s+)?answer|final|one\s+(?:i|we)\b)"
)
_OPEN = re.compile(
    r"\b(?:not|never|no(?!\s*+[,:;.–-])|cannot|if|when|unless|whether|should|could|can|may|might|would|why|either|or)\b|n't|\?",
    re.IGNORECASE,
)
"""what makes of a choice none, or one among others"""
_SENTENCE = re.compile(r"[^.;!?\n]*+[.;!?\n]?")
_LONGEST = 400


def chosen(lines: Iterable[str]) -> str | None:
    """Return the name, in capitals, of the plan that lines beside the plans say is meant; None without one, or two."""
    found = set()
    for line in lines:
        if len(line) <= _LONGEST:
            for sentence in _SENTENCE.findall(line):
                match = _CHOOSES.search(sentence) or _IS_CHOSEN.search(sentence)
                if match is not None and _OPEN.search(sentence) is None:
                    found.add(match["name"].upper())
    return found.pop() if len(found) == 1 else None
