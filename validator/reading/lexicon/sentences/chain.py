"""A sentence that is a whole plan, "open a, fetch b and c from a, close a": where each of its clauses begins."""

from __future__ import annotations

from collections.abc import Iterator

from validator.reading.lexicon.english import (
    ADVERBS,
    ARTICLES,
    PARTICLES,
    PREPOSITIONS,
    SIGNS,
    STATES,
    STOPS,
    SUBORDINATE,
)
from validator.reading.lexicon.sentences.said import Tongue
from validator.reading.lexicon.words import Words

__all__ = ["clauses", "is_joint", "lists_more", "odd_clause", "reasons"]

_JOINTS = frozenset(("and", "then", ",", ";", ".", "->", "→", "=>", "⇒", "before", "next", "finally"))
_SMALL = ADVERBS | frozenset(("finally", "lastly", "afterwards", "after", "that"))
_FORMS = ("ing", "ed", "s")
_REMARKS = (
    STOPS | SUBORDINATE | ADVERBS | ARTICLES | PARTICLES | PREPOSITIONS.keys() | SIGNS | {"which", "who", "it", "and"}
)
_REASONS = STOPS | {"to", "that"}


def is_joint(word: str) -> bool:
    """Return whether a word or sign parts two steps of one line: "and", "2."."""
    return word in _JOINTS or word.isdigit()


def clauses(words: Words, verb: int, tongue: Tongue) -> list[Words]:
    """Return the clauses of a sentence with a verb at an index, each with the joints before its own verb."""
    cuts = list(_cuts(words, verb, tongue))
    return [words.between(first, last) for first, last in zip((0, *cuts), (*cuts, len(words)), strict=True)]


def _cuts(words: Words, verb: int, tongue: Tongue) -> Iterator[int]:
    """Yield where a further clause begins: at joints with a verb behind them, in the form of the first."""
    form = _form(words, verb, tongue)
    keys = _keys(words, verb, tongue)
    index, depth = verb + 1, 0
    while index < len(words):
        word = words.texts[index]
        depth += (word in ("(", "[")) - (word in (")", "]"))
        if depth > 0 or word not in _JOINTS:
            index += 1
            continue
        behind = index
        while is_joint(words.at(behind)) or words.at(behind) in _SMALL:
            behind += 1
        if behind < len(words) and words.texts[behind] not in keys and _begins(words, behind, form, tongue):
            yield index
            keys = _keys(words, behind, tongue)
        index = max(behind, index + 1)


def _keys(words: Words, verb: int, tongue: Tongue) -> frozenset[str]:
    """Return further words that may be said with a verb: lift, of "use {} and lift {}"."""
    return frozenset(
        word for _, sayings in tongue.verbs.at(words, verb) for one in sayings for key in one.keys for word in key
    )


def _form(words: Words, verb: int, tongue: Tongue) -> str:
    """Return the ending of a verb; an empty one for its base."""
    word = words.texts[verb]
    sayings = (saying for _, sayings in tongue.verbs.at(words, verb) for saying in sayings)
    if any(word in (saying.verb[0], "".join(saying.verb)) for saying in sayings):
        return ""
    return next((ending for ending in _FORMS if word.endswith(ending)), word)


def _begins(words: Words, index: int, form: str, tongue: Tongue) -> bool:
    """Return whether a clause begins with a verb at an index, in a form, and has something behind it."""
    found = tongue.verbs.at(words, index)
    if not found or _form(words, index, tongue) != form:
        return False
    follows = words.at(found[-1][0])
    takes_nothing = any(not saying.order for _, sayings in found for saying in sayings)
    return takes_nothing or bool(follows and follows not in SIGNS and follows != "and")


def odd_clause(words: Words, index: int) -> int | None:
    """Return where a part of a clause behind its step begins that is neither a remark nor a state; None without one."""
    depth = 0
    for place in range(index, len(words)):
        word = words.texts[place]
        depth += (word in ("(", "[")) - (word in (")", "]"))
        follows = words.at(place + 1)
        if depth or word not in (",", ";") or not follows or follows in _REMARKS or not follows[0].isalnum():
            continue
        end = next((at for at in range(place + 1, len(words)) if words.texts[at] in (",", ";")), len(words))
        is_remark = follows.endswith(("ing", "ed", "ly")) or not STATES.isdisjoint(words.texts[place + 1 : end])
        if not is_remark:
            return place + 1
    return None


def reasons(words: Words, index: int) -> bool:
    """Return whether words behind a step give reasons or conditions, so that what is joined to them may be one more."""
    return not _REASONS.isdisjoint(words.texts[index:])


def lists_more(words: Words, index: int) -> bool:
    """Return whether a list goes on behind an index with what is no remark: ", c", ", and the other ones"."""
    while words.at(index) in (",", "and", "plus", "&"):
        index += 1
        follows = words.at(index)
        if follows and follows not in (",", "and", "plus", "&"):
            is_remark = follows in _REMARKS - ARTICLES or follows.endswith(("ing", "ed", "ly"))
            return not is_remark and follows[0].isalnum()
    return False
