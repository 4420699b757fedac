"""One sentence to one step: the verb, what stands before it, the phrases behind it, and where the step ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from validator.errors import Names
from validator.model.values import Model
from validator.reading.lexicon.english import (
    ADVERBS,
    ARTICLES,
    BEFORE,
    DENIALS,
    INDEFINITE,
    MODIFIERS,
    PARTICLES,
    PLACES,
    PREPOSITIONS,
    PRONOUNS,
    STATES,
    STOPS,
    SUBORDINATE,
    relation,
)
from validator.reading.lexicon.kinds import Kinds
from validator.reading.lexicon.names import Found, Objects
from validator.reading.lexicon.order import Phrase, Reading, arranged
from validator.reading.lexicon.verbs import Saying, Verbs
from validator.reading.lexicon.words import Words
from validator.reading.plan import Span, Step

__all__ = ["Said", "Unclear", "read_sentence"]

_SIGNS = frozenset("()[]{},;:!?=&.") | {"->", "=>", "→", "⇒", "—", "–", "-"}
_ARROWS = frozenset(("->", "=>", "→", "⇒"))
_MOST_VERBS = 3
"""places of a sentence at which a step is looked for"""
_MOST_STRANGE = 14
"""words of a line that may be a step with a verb that nobody knows"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A step that was understood. Its arguments are the names of the model.

    ``exact``: nothing but the names, articles, nouns and prepositions stands in the sentence, remarks in parentheses
    left aside. ``begins``: the sentence begins with the action. ``warnings`` say what was read with a grain of salt.
    """

    step: Step
    span: Span
    exact: bool = True
    begins: bool = True
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """What names an action or looks like a step, and which step it is cannot be told."""

    reason: str
    span: Span
    nearest: str | None = None
    candidates: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Tongue:
    """What sentences are read by."""

    model: Model
    kinds: Kinds
    objects: Objects
    verbs: Verbs
    names: Names


def read_sentence(words: Words, tongue: Tongue, before: Step | None = None) -> Said | Unclear | None:
    """Read the words of a sentence; spans are offsets in its text. None: no step is told here."""
    if not len(words) or words.texts[-1] == "?":
        return None
    if tongue.verbs.starts.isdisjoint(words.texts):
        return _strange(words, tongue)
    begins, fronts, index = _opening(words, tongue)
    tried = 0
    while index < len(words) and tried < _MOST_VERBS:
        found = tongue.verbs.at(words, index)
        if found:
            tried += 1
            if _is_denied(words, index):
                return None
            read = _best(words, index, found, fronts if begins else (), tongue, before)
            if begins:
                return read
            if isinstance(read, Said) and read.exact is not None and _is_strict(words, read):
                return replace(read, begins=False)
        begins = False
        index += 1
    return None


def _is_strict(words: Words, said: Said) -> bool:
    return not said.warnings


def _is_denied(words: Words, index: int) -> bool:
    """Return whether what follows is said not to be done."""
    for place in range(index):
        if words.texts[place] in DENIALS and words.at(place + 1) != ",":
            return True
        if words.texts[place] == "t" and words.glued[place]:
            return True  # don't
    return False


# --- before the verb -----------------------------------------------------------------------------


def _opening(words: Words, tongue: Tongue) -> tuple[bool, tuple[Phrase, ...], int]:
    """Return whether a sentence begins with a step, what stands before its verb as an argument, and where that is."""
    index, fronts = 0, list[Phrase]()
    first = next((word for word in words.texts if word not in _SIGNS and not word.isdigit()), "")
    if first in SUBORDINATE:
        return False, (), 0
    while index < len(words):
        word = words.texts[index]
        if tongue.verbs.at(words, index):
            return True, tuple(fronts), index
        scan = _Scan(words, index, tongue, frozenset(), 1)
        if word in PREPOSITIONS or word not in BEFORE:
            scan.read(only=True)
            if len(scan.phrases) == 1 and not scan.phrases[0].problem:
                fronts += scan.phrases
                index = scan.index
                continue
        if word not in BEFORE and word not in ADVERBS and word not in _SIGNS and not word.isdigit():
            return False, (), 0
        index += 1
    return False, (), 0


# --- behind the verb -----------------------------------------------------------------------------


def _best(
    words: Words,
    index: int,
    found: Sequence[tuple[int, tuple[Saying, ...]]],
    fronts: Sequence[Phrase],
    tongue: Tongue,
    before: Step | None,
) -> Said | Unclear | None:
    """Return what a verb and all behind it say, by the longest verb with which that is clear."""
    unclear: Unclear | None = None
    for end, sayings in found:
        rest = frozenset(word for saying in sayings for word in saying.rest)
        scan = _Scan(words, end, tongue, rest, max(len(saying.order) for saying in sayings) - len(fronts), before)
        scan.read()
        if scan.states:
            return None
        read = _chosen(words, (index, end), sayings, (*fronts, *scan.phrases), scan, tongue)
        if isinstance(read, Said):
            return read
        unclear = unclear or read
    return unclear


def _chosen(
    words: Words,
    verb: tuple[int, int],
    sayings: Sequence[Saying],
    phrases: Sequence[Phrase],
    scan: _Scan,
    tongue: Tongue,
) -> Said | Unclear | None:
    said = frozenset(words.texts[verb[1] : scan.index])
    ranked: list[tuple[tuple[int, ...], Reading, Saying]] = []
    for saying in sayings:
        reading = arranged(saying, phrases, tongue.model, tongue.kinds)
        ranked.append(((*reading.costs[:3], saying.unsaid(said), *reading.costs[3:]), reading, saying))
    ranked.sort(key=lambda found: found[0])
    costs, best, saying = ranked[0]
    span = (words.starts[verb[0]], scan.end_of_step)
    if phrases and phrases[0].span[0] < span[0]:
        span = (phrases[0].span[0], span[1])
    steps = tuple(dict.fromkeys(reading.step for cost, reading, _ in ranked if cost == costs))
    if best.problem or len(steps) > 1:
        if scan.indefinite and not any(phrase.objects for phrase in phrases):
            return None
        names = " or ".join(dict.fromkeys(step.name for step in steps))
        reason = best.problem or f"'{' '.join(words.texts[slice(*verb)])}' can be {names}"
        whole = tuple(replace(step, span=span) for step in steps if "?" not in step.args)
        return Unclear(reason=reason, nearest=best.step.name, span=span, candidates=whole)
    warnings = best.warnings
    if saying.unsaid(said):
        warnings = (f"'{' '.join(words.texts[slice(*verb)])}' was read as {best.step.name}", *warnings)
    exact = not scan.odd and _nothing_behind(words, scan.index)
    begins = exact or words.texts[verb[0]] == saying.verb[0] or not words.texts[verb[0]].endswith(("ing", "ed"))
    return Said(step=replace(best.step, span=span), span=span, exact=exact, begins=begins, warnings=warnings)


def _nothing_behind(words: Words, index: int) -> bool:
    """Return whether nothing follows but signs and remarks in parentheses."""
    depth = 0
    for word in words.texts[index:]:
        depth += (word in "([{") - (word in ")]}") if len(word) == 1 else 0
        if depth <= 0 and word not in _SIGNS:
            return False
    return True


class _Scan:
    """Goes through what follows a verb, and collects the phrases that can be its arguments."""

    def __init__(
        self, words: Words, index: int, tongue: Tongue, rest: frozenset[str], most: int, before: Step | None = None
    ) -> None:
        self.words = words
        self.index = index
        self.end_of_step = words.ends[index - 1] if index else 0
        self.tongue = tongue
        self.rest = rest
        self.most = most
        self.before = before
        self.phrases: list[Phrase] = []
        self.prepositions: list[str] = []
        self.odd = False
        self.states = False
        self.indefinite = False
        self.opened = False
        self.article = False
        self.relative = False

    @property
    def is_complete(self) -> bool:
        return len(self.phrases) >= self.most

    def read(self, only: bool = False) -> None:
        """Go on until the step ends; with ``only``, to the end of the first phrase."""
        start = self.index
        while self.index < len(self.words) and not (only and self.phrases):
            if not self._word(self.words.texts[self.index], self.index == start):
                break

    def _word(self, word: str, is_first: bool) -> bool:
        """Take a word; return False where the step ends."""
        if word in _SIGNS:
            return self._sign(word, is_first)
        if word in STATES:
            self.states = not self.relative and bool(self.phrases or is_first)
            return self.relative and self._pass(odd=True)
        if word in STOPS and not self._is_name(word):
            return False
        if word in ("that", "which", "who") and self.words.at(self.index + 1) in STATES:
            self.relative = True
            return self._pass(odd=True)
        if word in ("and", "plus"):
            return self._names_follow(self.index + 1) and self._pass()
        if word in ARTICLES and not self._is_name(word):
            self.article = True
            self.indefinite |= word in INDEFINITE
            return self._pass()
        found = self.tongue.objects.at(self.words, self.index)
        if found is not None and (word not in PREPOSITIONS or self._is_name(word)):
            return self._take(found)
        return self._other(word)

    def _other(self, word: str) -> bool:
        """Take a word that names no object."""
        if word in PREPOSITIONS:
            if self.is_complete and not self._names_follow(self.index + 1):
                return self._is_place() and self._pass()
            self.prepositions.append(word)
            return self._pass(behind=not self.is_complete)
        if word in self.rest or word in PARTICLES:
            self.end_of_step = self.words.ends[self.index]
            return self._pass(odd=word not in self.rest)
        if word in PRONOUNS:
            return not self.is_complete and self._pronoun(word)
        if word in MODIFIERS or word in ("action", "operation", "step"):
            return self._pass(odd=True)
        if word in PLACES:
            self.prepositions.clear()
            return self._pass(behind=True)
        return not self.is_complete and self._unknown()

    def _pass(self, *, odd: bool = False, behind: bool = False) -> bool:
        self.odd |= odd
        if behind and not odd:
            self.end_of_step = self.words.ends[self.index]
        self.index += 1
        return True

    def _is_place(self) -> bool:
        """Return whether prepositions lead to what is no object: "on the table"."""
        index = self.index
        while self.words.at(index) in PREPOSITIONS or self.words.at(index) in ARTICLES:
            index += 1
        return self.words.at(index) in PLACES

    def _is_name(self, word: str) -> bool:
        """Return whether a small word, ``a``, stands here for the object of that name."""
        if word not in self.tongue.objects.exact:
            return False
        if self.index and self.words.texts[self.index - 1] in self.tongue.objects.nouns:
            return True
        follows = self.words.at(self.index + 1)
        closed = (_SIGNS, PREPOSITIONS, PARTICLES, STOPS, STATES, ADVERBS, {"and", ""}, self.tongue.objects.exact)
        return len(word) == 1 and any(follows in known for known in closed)

    def _names_follow(self, index: int) -> bool:
        """Return whether the next thing that counts is an object."""
        objects = self.tongue.objects
        while index < len(self.words):
            word = self.words.texts[index]
            if word not in PREPOSITIONS and objects.at(self.words, index) is not None:
                return True
            if word not in ARTICLES and word not in PREPOSITIONS and word not in objects.nouns and word != "and":
                return False
            index += 1
        return False

    def _take(self, found: Found) -> bool:
        """Take the name of an object, with the nouns behind it."""
        start, end = self.index, found.end
        objects = self.tongue.objects
        while self.words.at(end) in objects.nouns and objects.at(self.words, end) is None and self.words.is_border(end):
            end += 1
        said = " ".join(self.words.texts[start:end])
        warnings = (
            f"'{' '.join(self.words.texts[start : found.end])}' was read as '{found.read_as}'" if found.read_as else ""
        )
        self._add(Phrase(text=said, span=self._span(start, end), objects=found.objects, warning=warnings), end)
        return True

    def _add(self, phrase: Phrase, end: int) -> None:
        if self.opened and self.phrases and phrase.objects == self.phrases[-1].objects:
            pass  # "package_0 (p0)"
        else:
            self.phrases.append(replace(phrase, relation=relation(tuple(self.prepositions))))
        self.prepositions.clear()
        self.article = self.relative = False
        self.end_of_step = phrase.span[1]
        self.index = end

    def _span(self, start: int, end: int) -> Span:
        return self.words.starts[start], self.words.ends[end - 1]

    def _pronoun(self, word: str) -> bool:
        index = self.index
        meant = self.before.args[:1] if self.before is not None and word == "it" else ()
        problem = "" if meant else f"it is not clear what '{word}' stands for"
        self._add(Phrase(text=word, span=self._span(index, index + 1), objects=meant, problem=problem), index + 1)
        return True

    def _unknown(self) -> bool:
        """Take nouns without a name, and words that nobody knows."""
        objects, start, index = self.tongue.objects, self.index, self.index
        while index < len(self.words) and self.words.texts[index] in objects.nouns:
            index += 1
            if index < len(self.words) and objects.at(self.words, index) is not None:
                self.index = index
                return True
        if index == start:
            found = objects.like(self.words, index)
            if found is not None:
                return self._take(found)
            index = self.words.whole(index)
            while index < len(self.words) and self.words.texts[index] in objects.nouns:
                index += 1
            after = objects.at(self.words, index) if index < len(self.words) else None
            if after is not None and self.words.texts[index] not in PREPOSITIONS and self._is_sure(index, after):
                self.index, self.odd = index, True
                return True
        if self.relative:
            self.index, self.odd = index, True
            return True
        said = " ".join(self.words.texts[start:index])
        problem = f"no object of the model is called '{said}'"
        if all(word in objects.nouns for word in self.words.texts[start:index]):
            problem = f"it is not clear which object '{said}' is"
        self._add(Phrase(text=said, span=self._span(start, index), problem=problem), index)
        return True

    def _is_sure(self, index: int, found: Found) -> bool:
        """Return whether a name is an object's own, so that a strange word before it changes nothing."""
        own = self.tongue.objects.named(" ".join(self.words.texts[index : found.end]))
        return not self.tongue.objects.aliases and own == found.objects

    def _sign(self, sign: str, is_first: bool) -> bool:
        if sign in "([{":
            return self._bracket(is_first)
        if sign in ")]}" and self.opened:
            self.opened = False
            return self._pass(behind=not self.phrases or self.is_complete) and not self.is_complete
        if sign in _ARROWS and not self.is_complete:
            self.prepositions.append("to")
            return self._pass()
        if sign == ":" and not self.phrases:
            return self._pass()
        if sign in (",", "&") and not self.is_complete:
            return self._names_follow(self.index + 1) and self._pass()
        return False

    def _bracket(self, is_first: bool) -> bool:
        """Go into parentheses with arguments, around those with a remark."""
        close = _closing(self.words, self.index)
        found = self.tongue.objects.named(" ".join(self.words.texts[self.index + 1 : close]))
        if is_first or found:
            if found and self.phrases and self.phrases[-1].problem and not is_first:
                self.phrases.pop()  # "the package (p0)"
            self.opened = True
            return self._pass()
        if self.is_complete:
            return False
        self.index = close + 1
        return True


def _closing(words: Words, index: int) -> int:
    """Return where the parenthesis that opens at an index is closed."""
    depth = 0
    for place in range(index, len(words)):
        depth += (words.texts[place] in ("(", "[", "{")) - (words.texts[place] in (")", "]", "}"))
        if not depth:
            return place
    return len(words)


# --- verbs that nobody knows ---------------------------------------------------------------------


def _strange(words: Words, tongue: Tongue) -> Unclear | None:
    """Say that a line looks like a step whose action is not known: a word, then objects and nothing else."""
    if len(words) > _MOST_STRANGE + 10:
        return None
    index = next(_plain(words), -1)
    if index < 0 or words.texts[index] in STATES | ARTICLES | SUBORDINATE or words.texts[index] in PREPOSITIONS:
        return None
    word, end = words.texts[index], words.whole(index)
    objects = tongue.objects
    if word in objects.nouns or word in tongue.model.domain.predicates or objects.at(words, index) is not None:
        return None
    scan = _Scan(words, end, tongue, frozenset(), 3)
    scan.read()
    if scan.states or scan.odd or not scan.phrases or not _nothing_behind(words, scan.index):
        return None
    if any(phrase.problem for phrase in scan.phrases):
        return None
    said = "".join(words.texts[index:end])
    span = (words.starts[index], scan.end_of_step)
    return Unclear(reason=f"no action is called '{said}'", nearest=tongue.names.nearest(said), span=span)


def _plain(words: Words) -> Iterator[int]:
    """Yield where the words of a line begin that are no words before a step."""
    for index, word in enumerate(words.texts):
        if word not in BEFORE and word not in ADVERBS and word not in _SIGNS and not word.isdigit():
            yield index
