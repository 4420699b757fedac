"""Answers in words: yes or no, a letter, a number, lists of steps and facts; the last that is said counts.

What is found in none of these forms is not understood: None, which is not the same as wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["effects", "final", "groups", "index", "is_none", "letter", "yes_no"]

_FINAL = re.compile(
    r"(?:final\s+answer|(?:the\s+|my\s+)?answer)\s*(?:\*+)?\s*(?:is|:)\s*\**\s*:?\s*|\\boxed\{|simplified plan\s*:\s*",
    re.IGNORECASE,
)
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_GROUP = re.compile(r"\(([^()]+)\)")
_NONE = re.compile(r"\bnone\b", re.IGNORECASE)


def final(text: str) -> str:
    """Return what stands behind the last mark of an answer, or all of the text without thoughts."""
    visible = _THOUGHTS.sub(" ", text)
    found = list(_FINAL.finditer(visible))
    return visible[found[-1].end() :] if found and visible[found[-1].end() :].strip() else visible


def _is_marked(text: str) -> bool:
    return _FINAL.search(_THOUGHTS.sub(" ", text)) is not None


def yes_no(text: str) -> bool | None:
    """Return a yes or a no: the first behind the mark of the answer, or the only one that is said."""
    words = re.findall(r"\b(yes|no)\b", final(text), re.IGNORECASE)
    said = {word.lower() for word in words}
    if not said:
        return None
    starts = re.match(r"\W*(yes|no)\b", final(text), re.IGNORECASE)
    if len(said) > 1 and not (_is_marked(text) or starts):
        return None
    return str(words[0]).lower() == "yes"


def letter(text: str, choices: Sequence[str]) -> int | None:
    """Return the place of the choice that is said, by its letter or, alone, by its words."""
    said, last = final(text), chr(ord("A") + len(choices) - 1)
    bare = re.match(rf"\W*([A-{last}])\b(?!\s+[a-z])", said) or re.match(rf"\W*([A-{last}])\W*$", said, re.IGNORECASE)
    marked = {found.upper() for found in re.findall(rf"(?:^|[\s(\[*])([A-{last}])(?:[.)\]*]|$)", said, re.MULTILINE)}
    if bare is not None and (len(marked) <= 1 or _is_marked(text)):
        return ord(bare[1].upper()) - ord("A")
    if len(marked) == 1:
        return ord(marked.pop()) - ord("A")
    folded = " ".join(said.lower().split())
    told = [place for place, choice in enumerate(choices) if " ".join(choice.lower().split()).rstrip(".") in folded]
    return told[0] if len(told) == 1 and not marked else None


def index(text: str) -> int | None:
    """Return a number; -1 for none. None where none or several are said."""
    said = final(text)
    numbers = set(map(int, re.findall(r"(?<![\w.-])\d+(?![\w-]|\.\d)", said)))
    if len(numbers) == 1:
        return numbers.pop()
    starts = re.match(r"\W*(\d+)\b", said)
    if starts is not None:
        return int(starts[1])
    return -1 if not numbers and is_none(said) else None


def is_none(text: str) -> bool:
    """Return whether an answer is that there is none."""
    return _NONE.search(final(text)) is not None and not groups(text)


def groups(text: str) -> tuple[tuple[str, ...], ...]:
    """Return what stands in parentheses, each as words in lower case: ``(board c2 l0)``."""
    return tuple(words for found in _GROUP.findall(final(text)) if (words := tuple(found.lower().split())))


def effects(text: str) -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]] | None:
    """Return the positive and the negative effects of ``[...] [...]``, or of two headed lists."""
    said = final(text)
    lists = re.findall(r"\[([^\[\]]*)\]", said)
    if len(lists) == 2:
        return frozenset(groups(lists[0])), frozenset(groups(lists[1]))
    headed = re.split(r"(?:positive|negative)\s+effects?[^\w(]*", said, flags=re.IGNORECASE)
    if len(headed) == 3 and re.search(r"positive.*negative", said, re.IGNORECASE | re.DOTALL):
        return frozenset(groups(headed[1])), frozenset(groups(headed[2]))
    return None
