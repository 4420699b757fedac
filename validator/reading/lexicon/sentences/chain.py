"""A sentence that is a whole plan, "open a, fetch b and c from a, close a": where each of its clauses begins."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from validator.reading.lexicon.english import (
    ADVERBS,
    LABELS,
    PARTICLES,
    PREPOSITIONS,
    SIGNS,
    STATES,
    STOPS,
    SUBORDINATE,
)
from validator.reading.lexicon.sentences.said import Tongue
from validator.reading.lexicon.words import MOST_WORDS, Words

__all__ = ["clauses", "is_joint", "is_remark", "lists_more", "odd_clause", "order_behind", "orders", "reasons"]

_JOINTS = frozenset(("and", "then", ",", ";", ".", "&", "+", "->", "→", "=>", "⇒", "before", "next", "finally"))
_SMALL = ADVERBS | frozenset(
    (
        *("after", "afterwards", "agent", "apply", "do", "execute", "finally", "i", "lastly", "let", "must", "perform"),
        *("robot", "should", "that", "the", "use", "we", "will", "you", "first", "second", "third", "fourth", "fifth"),
    )
)
"""what may stand between a joint and the verb of a clause"""
_MOST_BEFORE = 12
"""words before the verb of a clause"""
_FORMS = ("ing", "ed", "s")
_REMARKS = STOPS | SUBORDINATE | PARTICLES | PREPOSITIONS.keys() | SIGNS | {"which", "who", "it"}
_REASONS = STOPS | {"to", "that"}


def is_joint(word: str) -> bool:
    """Return whether a word or sign parts two steps of one line: "and", "2."."""
    return word in _JOINTS or word.isdigit()


def clauses(words: Words, verb: int, tongue: Tongue) -> list[Words]:
    """Return the clauses of a sentence with a verb at an index, each with the joints before its own verb."""
    cuts = [0, *_cuts(words, verb, tongue), len(words)]
    return [words.between(first, min(last, first + MOST_WORDS)) for first, last in pairwise(cuts)]


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
        behind = _behind_number(words, index)
        found = _verb_from(words, behind, tongue)
        if found is not None and words.texts[found] not in keys and _begins(words, found, form, tongue):
            yield index
            keys = _keys(words, found, tongue)
        index = max(behind, index + 1) if found is None else found + 1


def orders(words: Words, verb: int, tongue: Tongue) -> bool:
    """Return whether a verb tells somebody to do something: it stands in its base."""
    return bool(tongue.verbs.at(words, verb)) and not _form(words, verb, tongue)


def _behind_number(words: Words, index: int) -> int:
    """Return where a clause begins behind its joints and its number: ", (2)", "; Step 3:"."""
    while is_joint(words.at(index)) or _is_number(words, index):
        index += 1
    return index


def _is_number(words: Words, index: int) -> bool:
    """Return whether a sign or word belongs to the number of a clause."""
    word = words.at(index)
    if word in LABELS:
        return words.at(index + 1).isdigit()
    return (word == "(" and words.at(index + 1).isdigit()) or (word in (")", ":") and words.texts[index - 1].isdigit())


def _verb_from(words: Words, index: int, tongue: Tongue) -> int | None:
    """Return where the verb of a clause stands, behind who acts and words such as "perform"; None without one."""
    has_subject = False
    for _ in range(_MOST_BEFORE):
        if index >= len(words):
            break
        if tongue.verbs.at(words, index):
            return index
        subject = None if has_subject else tongue.objects.at(words, index)
        if subject is not None:
            index, has_subject = subject.end, True
        elif words.texts[index] in _SMALL or (has_subject and words.texts[index] == "to"):
            index += 1  # "use h to lift b"
        else:
            return None
    return None


def _keys(words: Words, verb: int, tongue: Tongue) -> frozenset[str]:
    """Return further words that may be said with a verb: lift, of "use {} and lift {}"."""
    return frozenset(
        word for _, sayings in tongue.verbs.at(words, verb) for one in sayings for key in one.keys for word in key
    )


def _form(words: Words, verb: int, tongue: Tongue) -> str:
    """Return the ending of a verb; an empty one for its base, and where no verb stands."""
    word = words.texts[verb]
    sayings = [saying for _, sayings in tongue.verbs.at(words, verb) for saying in sayings]
    if not sayings or any(word in (saying.verb[0], "".join(saying.verb)) for saying in sayings):
        return ""
    return next((ending for ending in _FORMS if word.endswith(ending)), word)


def _begins(words: Words, index: int, form: str, tongue: Tongue) -> bool:
    """Return whether a clause begins with a verb at an index, in a form, and has something behind it."""
    found = tongue.verbs.at(words, index)
    if not found or _form(words, index, tongue) != form:
        return False
    follows = words.at(found[-1][0])
    takes_nothing = any(not saying.order for _, sayings in found for saying in sayings)
    return takes_nothing or follows == "(" or bool(follows and follows not in SIGNS and follows != "and")


def odd_clause(words: Words, index: int) -> int | None:
    """Return where a part of a clause behind its step begins that is neither a remark nor a state; None without one."""
    depth = 0
    for place in range(index, len(words)):
        word = words.texts[place]
        depth += (word in ("(", "[")) - (word in (")", "]"))
        if depth or word not in (",", ";"):
            continue
        first = place + 1
        while (behind := _behind_number(words, first)) > first or words.at(first) in _SMALL:
            first = max(behind, first + 1)
        end = next((at for at in range(first, len(words)) if words.texts[at] in (",", ";", ".")), len(words))
        if first < end and not is_remark(words, first, end):
            return first
    return None


def order_behind(words: Words, index: int, tongue: Tongue) -> int | None:
    """Return where a clause goes on, behind its step, with another order that no known joint parts from it."""
    depth = 0
    for place in range(index, len(words)):
        word = words.texts[place]
        depth += (word in ("(", "[")) - (word in (")", "]"))
        if word in STOPS or word in SUBORDINATE:
            return None
        is_order = not depth and _begins(words, place, "", tongue)
        if is_order and any(tongue.objects.at(words, at) for at in range(place + 1, min(place + 5, len(words)))):
            return place
    return None


def is_remark(words: Words, first: int, end: int) -> bool:
    """Return whether words between signs only say something of a step: a reason, a state, where, with what."""
    word = words.texts[first]
    if word in _REMARKS or not word[0].isalnum() or word.endswith(("ing", "ed", "ly")):
        return True
    return not STATES.isdisjoint(words.texts[first:end])


def reasons(words: Words, index: int) -> bool:
    """Return whether words behind a step give reasons or conditions, so that what is joined to them may be one more."""
    return not _REASONS.isdisjoint(words.texts[index:])


def lists_more(words: Words, index: int) -> int | None:
    """Return where a list goes on behind an index with what is no remark: ", c", ", and the other ones"; or None."""
    while words.at(index) in (",", "and", "plus", "&"):
        index += 1
        follows = words.at(index)
        if follows and follows not in (",", "and", "plus", "&"):
            is_said_of_it = follows in _REMARKS | ADVERBS or follows.endswith(("ing", "ed", "ly"))
            return None if is_said_of_it or not follows[0].isalnum() else index
    return None
