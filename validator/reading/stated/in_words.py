"""Sentences that mean a known tool: ``Search for flights`` is ``search_flight``, by the stems of its words.

A tool is meant when all words of its name are in the sentence and no other tool can be, else when most of the sentence
is in what is declared of one tool alone. Nothing here knows synonyms: what is not said is not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from validator.reading.stated.items import Known
from validator.records import dataclass

__all__ = ["Meant", "meant"]

_MOST = 400
"""characters of a sentence"""
_WORDS = re.compile(r"[^\W\d_]+")
_JOINTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")
_STOPS = frozenset(
    (
        *("a", "an", "the", "this", "that", "these", "those", "your", "my", "its", "our", "their", "his", "her", "it"),
        *("i", "we", "you", "they", "to", "of", "for", "in", "on", "at", "by", "from", "with", "into", "and", "or"),
        *("then", "first", "next", "finally", "will", "shall", "should", "can", "if", "all", "any", "as", "be", "is"),
        *("are", "using", "use", "call", "tool", "step", "please", "need", "based", "about", "them", "so", "up"),
    )
)
_ENOUGH, _LEAD = 0.6, 1.4
"""the share of a sentence that a declaration has to have, and how much more than any other one's"""


@dataclass(frozen=True, slots=True)
class Meant:
    """The tools that a sentence may mean: one, or several between which it leaves open."""

    tools: tuple[str, ...]

    @property
    def is_clear(self) -> bool:
        return len(self.tools) == 1


def meant(text: str, known: Known, described: Mapping[str, str]) -> Meant | None:
    """Return the tools that a sentence may mean; None for one that speaks of none. ``described`` is by name."""
    said = _stems(text) if len(text) <= _MOST else frozenset()
    if not said:
        return None
    named = {name: _name_stems(name) for name in known.values()}
    whole = {name: stems for name, stems in named.items() if stems and stems <= said}
    widest = [name for name, stems in whole.items() if not any(stems < other for other in whole.values())]
    first = _first(text)
    widest = [name for name in widest if len(named[name]) > 1 or first in named[name]]
    if widest:
        return Meant(tuple(widest))
    return _by_declaration(said, named, described)


def _by_declaration(
    said: frozenset[str], named: Mapping[str, frozenset[str]], described: Mapping[str, str]
) -> Meant | None:
    about = {
        name: stems | _stems(described[name]) for name, stems in named.items() if described.get(name) and stems & said
    }
    if not about:
        return None
    rarity = {stem: 1 / max(1, sum(stem in stems for stems in about.values())) for stem in said}
    whole = sum(rarity.values())
    shares = {name: sum(rarity[stem] for stem in said & stems) / whole for name, stems in about.items()}
    best = max(shares.values())
    if best < _ENOUGH:
        return None
    return Meant(tuple(name for name, share in shares.items() if share * _LEAD > best))


def _first(text: str) -> str:
    words = (word for word in _WORDS.findall(text.lower()) if word not in _STOPS)
    return _stem(next(words, ""))


def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in _WORDS.findall(text.lower()) if word not in _STOPS)


@lru_cache(maxsize=4096)
def _name_stems(name: str) -> frozenset[str]:
    return frozenset(_stem(part.lower()) for part in _JOINTS.split(name) if part and part.lower() not in _STOPS)


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    """Return a word without the endings of verbs and of the plural: ``booking``, ``books``, ``booked`` are ``book``."""
    for ending, least in (("ing", 3), ("ied", 2), ("ies", 2), ("ed", 3), ("es", 3), ("s", 3)):
        if word.endswith(ending) and len(word) - len(ending) >= least and not word.endswith("ss"):
            stem = word.removesuffix(ending)
            if ending in ("ied", "ies"):
                return f"{stem}y"
            if ending == "es" and not stem.endswith(("s", "x", "z", "ch", "sh")):
                stem = f"{stem}e"
            if len(stem) > 2 and stem[-1] == stem[-2] and ending in ("ing", "ed") and stem[-1] not in "lsz":
                stem = stem[:-1]
            return stem.removesuffix("e") if len(stem) > 3 else stem
    return word.removesuffix("e") if len(word) > 3 else word
