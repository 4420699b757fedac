"""One item of a stated plan, read by grammar: a call, the name of a tool, or words that name exactly one known tool."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

from validator.reading.arguments import Argument, read_arguments
from validator.reading.calls import folded
from validator.reading.calls.written import CALL, Named, read_call_at

__all__ = ["Known", "read_item"]

Known: TypeAlias = Mapping[str, str]
"""Tools that are known from the trace or a model: folded name to name."""

_NAME = re.compile(r"[^\W\d][\w./-]*")
_ALONE = re.compile(r"\W*([^\W\d][\w./-]*)\W*")
_LABEL = re.compile(r"([^\W\d][\w./-]*)[`*\s]*(?::|=>|->|→|–|—|\s-\s|,|\.\s)\s*")
_GROUP = re.compile(r"\(\s*([^\s()]+(?:\s+[^\s()]+)*)\s*\)")
_JOINED = re.compile(r"[a-z0-9][A-Z]|\w[-_./]\w")
_QUOTED = re.compile(r"`([^\W\d][\w./-]*)`")
_CHAIN = re.compile(r"\s*(?:;|->|=>|→)\s*")
_THEN = re.compile(r",?\s+(?:and\s+)?then\s+", re.IGNORECASE)
_SPLIT = re.compile(r"[;→]|->|=>|\bthen\b", re.IGNORECASE)
"""What the patterns that part an item begin with."""
_LABELLED = re.compile(r"\)\s*(?:$|:|-|–|—|=>|->|→|,|;|\bto\b|\bthen\b)")
_WORD = re.compile(r"[^\W\d_]+")
_MOST = 2_000
"""characters of an item; a longer one is no item of a plan"""


def read_item(text: str, known: Known) -> tuple[Named, ...]:
    """Return the tools that an item names, in order; none when it names no tool, or leaves open which.

    An item may chain steps by ``then``, ``->`` or ``;``: then each part names one.
    """
    text = text.strip()
    if len(text) > _MOST:
        return ()
    if text.endswith(")") and text.count("(") == text.count(")") == 1 and _SPLIT.search(text) is None:
        begins = CALL.match(text)  # as most items are, told faster
        if begins is not None and (call := _read_whole(text)) is not None and _may_be_a_name(call[0], known):
            return (call,)
    parts = [part for part in _CHAIN.split(text) if part.strip()]
    if len(parts) == 1:
        parts = [part for part in _THEN.split(text) if part.strip()]
        if any(_WORD.fullmatch(part.strip()) and folded(part) not in known for part in parts):
            parts = [text]  # `then choose` tells of no tool, as `-> choose` does
    if len(parts) > 1:
        chained = [named for part in parts if (named := _read_one(part, known)) is not None]
        if len(chained) == len(parts):
            return tuple(chained)
    one = _read_one(text, known)
    return () if one is None else (one,)


@lru_cache(maxsize=4096)
def _read_whole(text: str) -> Named | None:
    """Return the call that an item is; plans of many runs have the same items."""
    return read_call_at(text, 0)


def _read_one(text: str, known: Known) -> Named | None:
    bare = text.strip(" \t*`\"'.").removeprefix("[ ]").strip()
    if group := _GROUP.fullmatch(bare):
        name, *args = group[1].split()
        return name, tuple(Argument(None, arg) for arg in args)
    calls = [
        call
        for match in CALL.finditer(text)
        if _may_be_called(match, bare, known) and (call := read_call_at(text, match.start())) is not None
    ]
    calls = [call for call in calls if _may_be_a_name(call[0], known)]
    if calls:
        return calls[0] if len(calls) == 1 else None
    if (alone := _ALONE.fullmatch(text)) and _may_be_a_name(alone[1], known):
        return alone[1].rstrip("."), None
    if (label := _LABEL.match(bare)) and (_JOINED.search(label[1]) or folded(label[1]) in known):
        rest = bare[label.end() :]
        return label[1], read_arguments(rest) if rest.startswith("{") and _is_json(rest) else None
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


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _mentioned(text: str, known: Known) -> Named | None:
    """Return the one known tool of a sentence: in backticks, by a name that is no word, or by its first words."""
    if not known:
        return None
    quoted = {known.get(folded(name), "") for name in _QUOTED.findall(text)} - {""}
    names = (name.rstrip(".") for name in _NAME.findall(text))
    found = quoted | {known[folded(name)] for name in names if _JOINED.search(name) and folded(name) in known}
    if not found:
        words = re.findall(r"\w+", text.lower())
        spoken = ("_".join(words[:length]) for length in range(min(len(words), 6), 0, -1))
        first = next((known[name] for name in spoken if name in known), None)
        return None if first is None else (first, None)
    return (found.pop(), None) if len(found) == 1 else None
