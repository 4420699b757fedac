"""What stands before the verb of a sentence: small words, a label, who acts, where; or what makes it no step."""

from __future__ import annotations

from validator.reading.lexicon.english import (
    ADVERBS,
    ARTICLES,
    BEFORE,
    DENIALS,
    LABELS,
    PLACES,
    PREPOSITIONS,
    SIGNS,
    SUBORDINATE,
)
from validator.reading.lexicon.sentences.phrases import Phrase, Phrases
from validator.reading.lexicon.sentences.said import Tongue
from validator.reading.lexicon.words import Words
from validator.records import dataclass, replace

__all__ = ["Opening", "is_denied", "opening"]

_LINKS = frozenset(("then", "we", "you", "i"))
_USES = ("use", "uses", "using")
_THEN = frozenset((("that", ","), ("this", ","), ("which", ",")))
_TICK = ("[", "x", "]")
_LABEL = 5
"""words and signs, of what stands before a step with a colon: "Sub-action 2:\""""


@dataclass(frozen=True, slots=True)
class Opening:
    """Where the verb of a sentence is, and the arguments before it."""

    verb: int
    phrases: tuple[Phrase, ...]

    @property
    def has_subject(self) -> bool:
        """Return whether an object acts: "truck_0 drives"."""
        return any(not phrase.relation for phrase in self.phrases)


def opening(words: Words, tongue: Tongue) -> Opening | None:
    """Return how a sentence begins that begins with a step; None for any other."""
    phrases: list[Phrase] = []
    index = _label(words)
    while index < len(words):
        if tongue.verbs.at(words, index):
            return Opening(index, tuple(phrases))
        front = _front(words, index, tongue)
        tool = _tool(words, index, tongue) if front is None else None
        if front is not None:
            phrases += front.found
            index = front.index
        elif tool is not None:
            phrase, index = tool
            phrases.append(phrase)
        else:
            skipped = _skipped(words, index, tongue)
            if not skipped:
                return None
            index += skipped
    return None


def _label(words: Words) -> int:
    """Return where a sentence begins behind its label, "Action C:", or behind the tick of a list of things to do."""
    start = words.texts[:_LABEL]
    if start[:3] == _TICK:
        return 3
    return start.index(":") + 1 if ":" in start and not LABELS.isdisjoint(start[: start.index(":")]) else 0


def _skipped(words: Words, index: int, tongue: Tongue) -> int:
    """Return how many small words can be passed over, none where the sentence does not begin with a step."""
    word = words.texts[index]
    if _is_actor(words, index, tongue):
        return 2  # "the elevator goes up"
    if words.texts[index + 1 : index + 3] in _THEN:
        return 3  # "after that, pick up b"
    if word == "as" and words.at(index + 1) in ARTICLES and "step" in words.texts[index + 2 : index + 4]:
        return words.texts.index("step", index) + 1 - index  # "as the next step, pick up b"
    if word in SUBORDINATE and not (index and words.texts[index - 1] not in SIGNS):
        return 0  # "to pick up b", and not "we need to pick up b"
    return int(word in BEFORE or word in ADVERBS or word in SIGNS or word.isdigit() or word in ARTICLES)


def _is_actor(words: Words, index: int, tongue: Tongue) -> bool:
    """Return whether somebody acts whom the model does not name: "the crane lifts"."""
    if words.texts[index] not in ARTICLES or not words.at(index + 2).endswith("s"):
        return False
    return words.texts[index + 2] in BEFORE or bool(tongue.verbs.at(words, index + 2))


def _front(words: Words, index: int, tongue: Tongue) -> Phrases | None:
    """Return the phrase that begins at an index: who acts, or where."""
    word = words.texts[index]
    is_small = word in BEFORE and word not in PREPOSITIONS and tongue.objects.at(words, index) is None
    if word in SIGNS or word.isdigit() or is_small:
        return None
    phrases = Phrases(words, index, tongue.objects, most=1)
    while phrases.index < len(words) and not phrases.found and phrases.step():
        pass
    if phrases.is_odd or any(phrase.problem for phrase in phrases.found):
        return None
    is_place = phrases.index > index and words.texts[phrases.index - 1] in PLACES
    return phrases if phrases.found or is_place else None


def _tool(words: Words, index: int, tongue: Tongue) -> tuple[Phrase, int] | None:
    """Return with what something is done, where that stands first, and the index behind: "uses the left gripper to"."""
    front = _front(words, index + 1, tongue) if words.texts[index] in _USES and index + 1 < len(words) else None
    if front is None or len(front.found) != 1 or words.at(front.index) != "to":
        return None
    return replace(front.found[0], relation="with"), front.index + 1


def is_denied(words: Words, index: int) -> bool:
    """Return whether what begins at an index is said not to be done."""
    for place in range(_clause(words, index), index):
        if words.texts[place] in DENIALS and words.at(place + 1) != ",":
            return True
        if words.texts[place] == "t" and words.glued[place]:
            return True  # don't
    return False


def _clause(words: Words, index: int) -> int:
    """Return where the clause of a verb begins: behind the comma of "since a is not clear, lift b"."""
    first = next((place for place in range(index) if words.texts[place].isalpha()), index)
    if words.at(first) not in SUBORDINATE:
        return 0
    last = index - 1 if words.at(index - 1) in _LINKS else index
    return last if last > first and words.at(last - 1) == "," else 0
