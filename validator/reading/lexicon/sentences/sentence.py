"""One sentence to one step: what stands before the verb, the verb, and which reading of what is behind it is best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from validator.reading.lexicon.english import (
    ADVERBS,
    ARTICLES,
    BEFORE,
    DENIALS,
    PLACES,
    PREPOSITIONS,
    SIGNS,
    SUBORDINATE,
)
from validator.reading.lexicon.sentences.order import Reading, arranged
from validator.reading.lexicon.sentences.phrases import Phrase, Phrases
from validator.reading.lexicon.sentences.said import Said, Tongue, Unclear
from validator.reading.lexicon.sentences.strange import nothing_behind, read_strange
from validator.reading.lexicon.verbs import Saying
from validator.reading.lexicon.words import Words
from validator.reading.plan import Span, Step

__all__ = ["read_sentence", "read_sentences"]

_MOST_VERBS = 3
"""places of a sentence at which a step is looked for"""
_MOST_STEPS = 20
"""of one line"""
_THEN = frozenset((("that", ","), ("this", ","), ("which", ",")))
_JOINTS = frozenset(("and", "then", ",", ";", ".", "->", "→", "=>", "⇒", "before", "next", "finally"))


@dataclass(frozen=True, slots=True)
class _Verb:
    """The words of a verb, from ``start`` to ``end``, and the ways to say an action that they can be."""

    start: int
    end: int
    sayings: tuple[Saying, ...]


def read_sentence(words: Words, tongue: Tongue, before: Step | None = None) -> Said | Unclear | None:
    """Read the words of a sentence; spans are offsets in its text. None: no step is told here."""
    return _read(words, tongue, before)[0]


def read_sentences(words: Words, tongue: Tongue, before: Step | None = None) -> tuple[Said | Unclear, ...]:
    """Read the steps that a line tells one behind the other: "unstack a from b, then put it down"."""
    found: list[Said | Unclear] = []
    while len(found) < _MOST_STEPS:
        read, index = _read(words, tongue, before)
        if read is None:
            break
        found.append(read)
        before = read.step if isinstance(read, Said) else None
        if not isinstance(read, Said) or not read.begins or words.at(index) not in _JOINTS:
            break
        words = words.behind(index)
        if not _goes_on(words, tongue):
            break
    return tuple(found)


def _goes_on(words: Words, tongue: Tongue) -> bool:
    """Return whether the next thing behind joints is a verb."""
    index = 0
    while words.at(index) in _JOINTS or words.at(index) in ADVERBS:
        index += 1
    return index < len(words) and bool(tongue.verbs.at(words, index))


def _read(words: Words, tongue: Tongue, before: Step | None) -> tuple[Said | Unclear | None, int]:
    """Return what a sentence says first, and the index behind it."""
    if not len(words) or words.texts[-1] == "?":
        return None, 0
    if tongue.verbs.starts.isdisjoint(words.texts):
        return read_strange(words, tongue), len(words)
    opening = _opening(words, tongue)
    if opening is not None:
        fronts, index = opening
        return (None, 0) if _is_denied(words, index) else _best(words, index, fronts, tongue, before)
    return _mentioned(words, tongue), len(words)


def _mentioned(words: Words, tongue: Tongue) -> Said | None:
    """Return the step that a sentence tells behind other words, where nothing about it is open."""
    tried = 0
    for index in range(len(words)):
        if tongue.verbs.at(words, index):
            tried += 1
            if tried > _MOST_VERBS or _is_denied(words, index):
                return None
            read, _ = _best(words, index, (), tongue, None)
            if isinstance(read, Said) and not read.warnings:
                return replace(read, begins=False)
    return None


def _is_denied(words: Words, index: int) -> bool:
    """Return whether what follows is said not to be done."""
    for place in range(index):
        if words.texts[place] in DENIALS and words.at(place + 1) != ",":
            return True
        if words.texts[place] == "t" and words.glued[place]:
            return True  # don't
    return False


def _opening(words: Words, tongue: Tongue) -> tuple[tuple[Phrase, ...], int] | None:
    """Return the arguments before the verb with which a sentence begins, and where that is; None: nowhere."""
    index, fronts = 0, list[Phrase]()
    while index < len(words):
        if tongue.verbs.at(words, index):
            return tuple(fronts), index
        word = words.texts[index]
        is_small = word in SIGNS or word.isdigit() or (word in BEFORE and word not in PREPOSITIONS)
        front = None if is_small else _front(words, index, tongue)
        if front is not None:
            fronts += front.found
            index = front.index
        elif _is_actor(words, index, tongue):
            index += 2  # "the elevator goes up"
        elif words.texts[index + 1 : index + 3] in _THEN:
            index += 3  # "after that, pick up b"
        elif word in SUBORDINATE and not _is_said_before(words, index):
            return None
        elif word in BEFORE or word in ADVERBS or word in SIGNS or word.isdigit() or word in ARTICLES:
            index += 1
        else:
            return None
    return None


def _is_actor(words: Words, index: int, tongue: Tongue) -> bool:
    """Return whether somebody acts whom the model does not name: "the crane lifts"."""
    if words.texts[index] not in ARTICLES or index + 2 >= len(words) or not words.texts[index + 2].endswith("s"):
        return False
    following = words.texts[index + 2]
    return following in BEFORE or bool(tongue.verbs.at(words, index + 2))


def _is_said_before(words: Words, index: int) -> bool:
    """Return whether a small word belongs to another one before it: "we need to"."""
    return index > 0 and words.texts[index - 1] not in SIGNS


def _front(words: Words, index: int, tongue: Tongue) -> Phrases | None:
    """Return the phrase that begins at an index: who acts, or where."""
    phrases = Phrases(words, index, tongue.objects, most=1)
    while phrases.index < len(words) and not phrases.found and phrases.step():
        pass
    if phrases.is_odd or any(phrase.problem for phrase in phrases.found):
        return None
    is_place = phrases.index > index and words.texts[phrases.index - 1] in PLACES
    return phrases if phrases.found or is_place else None


def _best(
    words: Words, index: int, fronts: Sequence[Phrase], tongue: Tongue, before: Step | None
) -> tuple[Said | Unclear | None, int]:
    """Return what a verb and all behind it say, by the longest verb with which that is clear, and where that ends."""
    unclear: tuple[Said | Unclear | None, int] | None = None
    for end, sayings in tongue.verbs.at(words, index):
        rest = frozenset(word for saying in sayings for word in saying.rest)
        most = max(len(saying.order) for saying in sayings) - len(fronts)
        phrases = Phrases(words, end, tongue.objects, rest=rest, most=most, before=before).read()
        if phrases.is_stated:
            return None, phrases.index
        read = _chosen(words, _Verb(index, end, sayings), fronts, phrases, tongue)
        if isinstance(read, Said):
            return read, phrases.index
        unclear = unclear or (read, phrases.index)
    return unclear or (None, index)


def _chosen(
    words: Words, verb: _Verb, fronts: Sequence[Phrase], phrases: Phrases, tongue: Tongue
) -> Said | Unclear | None:
    """Return the best reading of a verb with its phrases, or what is not clear about it."""
    behind = frozenset(words.texts[verb.end : phrases.index])
    found = (*fronts, *phrases.found)
    ranked: list[tuple[tuple[int, ...], Reading, Saying]] = []
    for saying in verb.sayings:
        reading = arranged(saying, found, tongue.model, tongue.objects)
        ranked.append(((*reading.costs[:3], saying.unsaid(behind), *reading.costs[3:]), reading, saying))
    ranked.sort(key=lambda entry: entry[0])
    costs, best, saying = ranked[0]
    rivals = {reading.step: reading for cost, reading, _ in ranked if cost == costs}
    span = (min(words.starts[verb.start], *(phrase.span[0] for phrase in found), words.ends[-1]), phrases.end)
    if best.problem or len(rivals) > 1:
        return _unclear(words, verb, tuple(rivals.values()), span, phrases, fronts)
    warnings = best.warnings
    if saying.unsaid(behind):
        warnings = (f"'{_text(words, verb)}' was read as {best.step.name}", *warnings)
    exact = not phrases.is_odd and nothing_behind(words, phrases.index)
    first = words.texts[verb.start]
    begins = exact or first == saying.verb[0] or not first.endswith(("ing", "ed"))
    return Said(step=replace(best.step, span=span), span=span, exact=exact, begins=begins, warnings=warnings)


def _unclear(
    words: Words, verb: _Verb, rivals: Sequence[Reading], span: Span, phrases: Phrases, fronts: Sequence[Phrase]
) -> Unclear | None:
    """Say what is not clear; None for a sentence that speaks of no object in particular, or only tells of one."""
    named = any(phrase.objects for phrase in phrases.found)
    if not named and (phrases.is_indefinite or words.at(phrases.index) == "actions"):
        return None
    if any(not phrase.relation for phrase in fronts):
        return None
    names = " or ".join(dict.fromkeys(reading.step.name for reading in rivals))
    reason = rivals[0].problem or f"'{_text(words, verb)}' can be {names}"
    candidates = dict.fromkeys(replace(step, span=span) for reading in rivals for step in reading.candidates)
    return Unclear(reason=reason, nearest=rivals[0].step.name, span=span, candidates=tuple(candidates))


def _text(words: Words, verb: _Verb) -> str:
    return " ".join(words.texts[verb.start : verb.end])
