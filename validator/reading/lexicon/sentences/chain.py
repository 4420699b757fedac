"""A sentence that is a whole plan, "open a, fetch b and c from a, close a": where each of its clauses begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from validator.reading.lexicon.verbs import Saying
from validator.reading.lexicon.words import MOST_WORDS, Words

__all__ = [
    "LISTS",
    "clauses",
    "has_joints",
    "is_joint",
    "is_remark",
    "lists_more",
    "odd_clause",
    "order_behind",
    "orders",
    "reasons",
]

_JOINTS = frozenset(("and", "then", ",", ";", ".", "&", "+", "->", "→", "=>", "⇒", "before", "next", "finally"))
_SMALL = ADVERBS | frozenset(
    (
        *("after", "afterwards", "agent", "apply", "away", "do", "execute", "finally", "i", "lastly", "let", "must"),
        *("perform", "promptly", "right", "robot", "should", "straight", "subsequently", "that", "the", "thereafter"),
        *("use", "we", "will", "you", "first", "second", "third", "fourth", "fifth"),
    )
)
"""what may stand between a joint and the verb of a clause"""
_MOST_BEFORE = 12
"""words before the verb of a clause"""
_FORMS = ("ing", "ed", "s")
_REMARKS = STOPS | SUBORDINATE | PARTICLES | PREPOSITIONS.keys() | SIGNS | {"which", "who", "it"}
_REASONS = STOPS | {"to", "that"}
_ASIDE = STOPS | SUBORDINATE
LISTS = frozenset(("and", "plus", "&", ","))
"""what may stand between objects of which the same is told"""


def is_joint(word: str) -> bool:
    """Return whether a word or sign parts two steps of one line: "and", "2."."""
    return word in _JOINTS or word.isdigit()


def has_joints(words: Words) -> bool:
    """Return whether a sentence can have more than one clause."""
    return not _JOINTS.isdisjoint(words.texts[:-1])


def clauses(words: Words, verb: int, tongue: Tongue) -> list[Words]:
    """Return the clauses of a sentence with a verb at an index, each with the joints before its own verb."""
    cuts = [0, *_cuts(words, verb, tongue), len(words)]
    return [words.between(first, min(last, first + MOST_WORDS)) for first, last in pairwise(cuts)]


def _cuts(words: Words, verb: int, tongue: Tongue) -> Iterator[int]:
    """Yield where a further clause begins: at joints with a verb behind them, in the form of the first."""
    sayings = _sayings(words, verb, tongue)
    form, keys = _form(words.texts[verb], sayings), _keys(sayings)
    behind = verb + 1
    for index in _outside(words, verb + 1):
        if index < behind or words.texts[index] not in _JOINTS:
            continue
        behind = _behind_number(words, index)
        found = _verb_from(words, behind, tongue)
        if found is None:
            continue
        behind = found + 1
        if words.texts[found] not in keys and _begins(words, found, form, tongue):
            yield index
            keys = _keys(_sayings(words, found, tongue))


def _outside(words: Words, index: int) -> Iterator[int]:
    """Yield the indices from one on that are outside of the brackets which open behind it, closing ones included."""
    depth = 0
    for place in range(index, len(words)):
        word = words.texts[place]
        depth += (word in ("(", "[")) - (word in (")", "]"))
        if depth <= 0:
            yield place


def orders(words: Words, verb: int, tongue: Tongue) -> bool:
    """Return whether a verb tells somebody to do something: it stands in its base."""
    sayings = _sayings(words, verb, tongue)
    return bool(sayings) and not _form(words.texts[verb], sayings)


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


def _sayings(words: Words, index: int, tongue: Tongue) -> list[Saying]:
    """Return what a verb that begins at an index can say; nothing where none does."""
    return [saying for _, sayings in tongue.verbs.at(words, index) for saying in sayings]


def _keys(sayings: Sequence[Saying]) -> frozenset[str]:
    """Return further words that may be said with a verb: lift, of "use {} and lift {}"."""
    return frozenset(word for saying in sayings for key in saying.keys for word in key)


def _form(word: str, sayings: Sequence[Saying]) -> str:
    """Return the ending of a verb; an empty one for its base, and where no verb stands."""
    if not sayings or any(word in (saying.verb[0], "".join(saying.verb)) for saying in sayings):
        return ""
    return next((ending for ending in _FORMS if word.endswith(ending)), word)


def _begins(words: Words, index: int, form: str, tongue: Tongue) -> bool:
    """Return whether a clause begins with a verb at an index, in a form, and has something behind it."""
    found = tongue.verbs.at(words, index)
    sayings = [saying for _, sayings in found for saying in sayings]
    if not found or _form(words.texts[index], sayings) != form:
        return False
    follows = words.at(found[-1][0])
    takes_nothing = any(not saying.order for saying in sayings)
    return takes_nothing or follows == "(" or bool(follows and follows not in SIGNS and follows != "and")


def odd_clause(words: Words, index: int) -> int | None:
    """Return where a part of a clause behind its step begins that is neither a remark nor a state; None without one."""
    for place in _outside(words, index):
        if words.texts[place] not in (",", ";"):
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
    for place in _outside(words, index):
        before = words.texts[place - 1]
        is_followed = before == "by" and words.at(place - 2) == "followed"
        forms = ("", "ing") if is_followed else ("",)
        named = range(place + 1, min(place + 5, len(words)))
        begins = any(_begins(words, place, form, tongue) for form in forms)
        if begins and any(tongue.objects.at(words, at) for at in named):
            return place
        if words.texts[place] in _ASIDE and words.texts[place] != "or" and words.texts[place - 1] != "followed":
            return None
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
    first = index
    while words.at(index) in LISTS:
        index += 1
    word = words.at(index)
    is_said_of_it = word in _REMARKS or word in ADVERBS or word.endswith(("ing", "ed", "ly"))
    return index if index > first and word[:1].isalnum() and not is_said_of_it else None
