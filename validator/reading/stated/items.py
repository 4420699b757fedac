"""One item of a stated plan: the tools that it names by a call, by name, or in words that mean one known tool.

Nothing here knows synonyms: what is not said is not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

from validator.reading.arguments import Argument, read_arguments
from validator.reading.calls import folded
from validator.reading.calls.written import CALL, Named, read_call_at
from validator.reading.lexicon.english import FUNCTION, stem
from validator.reading.lexicon.words import parts
from validator.reading.values import whole_value

__all__ = ["Known", "meant", "read_item"]

Known: TypeAlias = Mapping[str, str]
"""Tools that are known from the trace or a model: folded name to name."""

_NAME = re.compile(r"[^\W\d][\w./-]*")
_ALONE = re.compile(r"\W*([^\W\d][\w./-]*)\W*")
_LABEL = re.compile(r"([^\W\d][\w./-]*)[`*\s]*(?::|=>|->|→|–|—|\s-\s|,|\.\s)\s*")
_GROUP = re.compile(r"\(\s*([^\s()]+(?:\s+[^\s()]+)*)\s*\)")
_JOINED = re.compile(r"[a-z0-9][A-Z]|\w[-_./]\w")
_QUOTED = re.compile(r"`([^\W\d][\w./-]*)`")
_SIGNS = re.compile(r"\s*(?:;|->|=>|→)\s*")
_THEN = re.compile(r",?\s+(?:and\s+)?then\s+", re.IGNORECASE)
_LABELLED = re.compile(r"\)\s*(?:$|:|-|–|—|=>|->|→|,|;|\bto\b|\bthen\b)")
_WORD = re.compile(r"[^\W\d_]+")
_MOST = 2_000
"""characters of an item; a longer one is no item of a plan"""
_LONGEST = 400
"""characters of a sentence that may mean a tool"""
_ENOUGH, _LEAD = 0.6, 1.4
"""the share of a sentence that a declaration has to have, and how much more than any other one's"""


def read_item(text: str, known: Known) -> tuple[Named, ...]:
    """Return the tools that an item names, in order; none when it names no tool, or leaves open which.

    An item may chain steps by ``then``, ``->`` or ``;``: then each part names one.
    """
    text = text.strip()
    if len(text) > _MOST:
        return ()
    chain = [part for part in _SIGNS.split(text) if part.strip()]
    if len(chain) == 1:
        chain = [part for part in _THEN.split(text) if part.strip()]
        if any(_WORD.fullmatch(part.strip()) and folded(part) not in known for part in chain):
            chain = [text]  # `then choose` tells of no tool, as `-> choose` does
    if len(chain) > 1:
        chained = [named for part in chain if (named := _read_one(part, known)) is not None]
        if len(chained) == len(chain):
            return tuple(chained)
    one = _read_one(text, known)
    return () if one is None else (one,)


@lru_cache(maxsize=4096)
def _call_at(text: str, start: int) -> Named | None:
    """Return a call; plans of many runs have the same items."""
    return read_call_at(text, start)


def _read_one(text: str, known: Known) -> Named | None:
    bare = text.strip(" \t*`\"'.").removeprefix("[ ]").strip()
    if group := _GROUP.fullmatch(bare):
        name, *args = group[1].split()
        return name, tuple(Argument(None, arg) for arg in args)
    starts = (match.start() for match in CALL.finditer(text) if _may_be_called(match, bare, known))
    calls = [call for start in starts if (call := _call_at(text, start)) and _may_be_a_name(call[0], known)]
    if calls:
        return calls[0] if len(calls) == 1 else None
    if (alone := _ALONE.fullmatch(text)) and _may_be_a_name(alone[1], known):
        return alone[1].rstrip("."), None
    if (label := _LABEL.match(bare)) and (_JOINED.search(label[1]) or folded(label[1]) in known):
        given = whole_value(rest) if (rest := bare[label.end() :]).startswith("{") else None
        return label[1], None if given is None else read_arguments(given)
    return _mentioned(text, known)


def _may_be_called(match: re.Match[str], item: str, known: Known) -> bool:
    """Return whether a name with a parenthesis is a call: in a sentence, ``method(s)`` is none unless it is a tool."""
    name = match[0][:-1]
    if folded(name) in known or not _WORD.fullmatch(name):
        return True
    return item.startswith(match[0]) and (item.endswith(")") or _LABELLED.search(item) is not None)


def _may_be_a_name(word: str, known: Known) -> bool:
    """Return whether a word can be a tool's name: where sentences are written without blanks, only a known one can."""
    return word[0].isascii() or folded(word) in known


def _mentioned(text: str, known: Known) -> Named | None:
    """Return the one known tool of a sentence: in backticks, by a name that is no word, or by its first words."""
    quoted = {known.get(folded(name), "") for name in _QUOTED.findall(text)} - {""}
    names = (name.rstrip(".") for name in _NAME.findall(text))
    found = quoted | {known[folded(name)] for name in names if _JOINED.search(name) and folded(name) in known}
    if not found:
        words = re.findall(r"\w+", text.lower())
        spoken = ("_".join(words[:length]) for length in range(min(len(words), 6), 0, -1))
        found = {known[name] for name in spoken if name in known}
        return (next(iter(found)), None) if len(found) == 1 else None
    return (found.pop(), None) if len(found) == 1 else None


# --- words ---------------------------------------------------------------------------------------


def meant(text: str, known: Known, described: Mapping[str, str]) -> tuple[str, ...]:
    """Return the tools that a sentence may mean; ``described`` is what is declared of them, by name.

    A tool is meant when all words of its name are in the sentence and no other tool can be, else when most of the
    sentence is in what is declared of one tool alone.
    """
    said = _stems(text) if len(text) <= _LONGEST else {}
    named = {name: frozenset(_stems(name)) for name in known.values()}
    whole = {name: stems for name, stems in named.items() if stems and stems <= said.keys()}
    widest = [name for name, stems in whole.items() if not any(stems < other for other in whole.values())]
    first = next(iter(said), "")
    if widest := [name for name in widest if len(named[name]) > 1 or first in named[name]]:
        return tuple(widest)
    about = {
        name: {*stems, *_stems(described[name])}
        for name, stems in named.items()
        if described.get(name) and not stems.isdisjoint(said)
    }
    rarity = {each: 1 / max(1, sum(each in stems for stems in about.values())) for each in said}
    shares = {name: sum(rarity[each] for each in said if each in stems) for name, stems in about.items()}
    best = max(shares.values(), default=0)
    if best < _ENOUGH * sum(rarity.values()) or not shares:
        return ()
    return tuple(name for name, share in shares.items() if share * _LEAD > best)


@lru_cache(maxsize=4096)
def _stems(text: str) -> dict[str, None]:
    """Return the stems of what a text or a name says, in order."""
    return dict.fromkeys(stem(word) for word in parts(text) if word not in FUNCTION and word.isalpha())
