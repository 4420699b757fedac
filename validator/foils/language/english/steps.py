"""Steps and objects in words, as far as a question needs them: "load p1 into truck2", "drive truck1", "use truck2".

What is left open is open in the pattern. Every word must be understood: a step that is read of half a sentence would be
the answer to another question.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import permutations

from validator.automata.pattern import Pattern
from validator.errors import InputError
from validator.foils.language.asked import Asked
from validator.foils.language.patterns import read_pattern
from validator.reading.lexicon import Lexicon, Said
from validator.reading.lexicon.english import ARTICLES, INDEFINITE, PARTICLES, PLACES, PREPOSITIONS, singular
from validator.reading.lexicon.verbs import Saying
from validator.reading.lexicon.words import Words, words_of
from validator.records import dataclass, replace

__all__ = ["any_of", "objects_said", "step_said", "step_with"]

_LABEL = re.compile(r"^(?:to |doing |do |doing the |the )?(?:action|step|move|operation) (?=\S)", re.IGNORECASE)
_USE = re.compile(
    r"^(?:to )?(?:us(?:e|es|ed|ing)|employ(?:s|ed|ing)?|utili[sz](?:e|es|ed|ing)|mak(?:e|es|ing) use of)\s+(?=\S)",
    re.IGNORECASE,
)
_TO = re.compile(r"^to\s+(?=\S)", re.IGNORECASE)


def step_said(text: str, asked: Asked, *, is_bare: bool = False) -> Pattern:
    """Return the step, or the steps, that a text names; with ``is_bare`` the name of an object is any step with it.

    Raises InputError for what is none, and for what can be two of them.
    """
    plain = text.strip()
    labelled = _LABEL.sub("", plain, count=1)
    if labelled != plain:
        with suppress(InputError):  # "the action move a b", but "move to b" where move is a verb
            return step_said(labelled, asked)
    if "(" in plain or _is_formal(plain, asked):
        return asked.step(plain)
    used = _USE.sub("", plain, count=1)
    names = objects_said(used, asked) if used != plain or is_bare else ()
    if names:
        return any_of(Pattern(name="_", args=(name,)) for name in names)
    if not asked.has_facts:
        return asked.step(plain)
    text = _TO.sub("", plain if used == plain else used, count=1)
    bare = _bare(text, asked)
    if bare != text:  # "create a block", of which a and block are one verb with create
        with suppress(InputError):
            return _in_words(text, asked.lexicon)
    return _in_words(bare, asked.lexicon)


def _bare(text: str, asked: Asked) -> str:
    """Return a text without articles that are no object's name."""
    articles = "|".join(word for word in ("a", "an", "the") if word not in asked.model.problem.objects)
    return re.sub(rf"(?<![\w-])(?:{articles}) (?=\w)", "", text, flags=re.IGNORECASE) if articles else text


def _is_formal(text: str, asked: Asked) -> bool:
    try:
        read_pattern(text, asked.names)
    except InputError:
        return False
    return True


def any_of(patterns: Iterator[Pattern] | Sequence[Pattern]) -> Pattern:
    """Return the steps of all patterns as one."""
    first, *others = dict.fromkeys(patterns)
    return replace(first, others=tuple(others))


def objects_said(text: str, asked: Asked) -> tuple[str, ...]:
    """Return the objects that a text names and nothing beside, by their name or all of a kind; else none."""
    words = text.strip().split()
    if not asked.has_facts:
        return tuple(name for name in asked.names.objects if name.lower() == text.strip().lower())
    named = asked.lexicon.objects.named(text)
    if named:
        if len(named) > 1:
            raise InputError(f"'{text}' can be {' or '.join(named[:3])}; say which", source="question")
        return tuple(name for name in named if name in asked.model.problem.objects)
    if len(words) not in (1, 2) or (len(words) == 2 and words[0].lower() not in ARTICLES | INDEFINITE):
        return ()
    noun = words[-1].lower()
    return asked.lexicon.objects.only(singular(noun)) or _of_kind(noun, asked.lexicon)


def step_with(text: str, name: str, asked: Asked) -> Pattern:
    """Return the step that a text names, with an object in place of the one of the same kind: p2, of "load p1".

    Raises InputError where none of its objects is of that kind, or two are.
    """
    words = text.split()
    found: list[Pattern] = []
    for place, word in enumerate(words):
        if objects_said(word, asked):
            with suppress(InputError):
                found.append(step_said(" ".join((*words[:place], name, *words[place + 1 :])), asked))
    if len(set(found)) != 1:
        raise InputError(f"it is not clear what '{name}' stands for in '{text}'; write the step", source="question")
    return found[0]


def _of_kind(noun: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return all objects of a type or a static property that a noun names, in the singular or the plural."""
    for name in (noun, singular(noun)):
        if name in lexicon.model.domain.types and name != "object":
            return tuple(lexicon.model.objects_of(frozenset((name,))))
        if name in lexicon.kinds.properties:
            return tuple(sorted(lexicon.kinds.properties[name]))
    return ()


@dataclass(frozen=True, slots=True)
class _Mention:
    """What is said of an argument: the objects that it can be, and what the preposition before it says."""

    objects: tuple[str, ...]
    relation: str


def _in_words(text: str, lexicon: Lexicon) -> Pattern:
    whole = lexicon.sentence(text)
    if isinstance(whole, Said) and whole.exact and whole.begins and not whole.warnings and "(" not in text:
        return Pattern(name=whole.step.name, args=whole.step.args)
    words = words_of(text)
    problems: list[str] = []
    for start in range(len(words)):
        for end, sayings in lexicon.verbs.at(words, start):
            small = {word for saying in sayings for word in saying.rest}
            mentions, strange = _mentions(words, start, end, lexicon, small)
            if strange:
                problems.append(f"'{strange}' was not understood")
                continue
            is_placed = any(word in PLACES for word in words.texts[end:])
            found = _patterns(sayings, mentions, lexicon, is_placed=is_placed)
            doubtful = next((ways for ways in found.values() if len(ways) > 1), None)
            if doubtful:
                ways = " or ".join(map(str, doubtful[:3]))
                raise InputError(f"'{text}' can be {ways}; say which", source="question")
            if found:
                return any_of([ways[0] for ways in found.values()])
            problems.append("no action takes these objects so")
    problem = f": {problems[0]}" if problems else ""
    raise InputError(f"'{text}' names no step of the model{problem}", source="question")


def _patterns(
    sayings: Sequence[Saying], mentions: Sequence[_Mention], lexicon: Lexicon, *, is_placed: bool
) -> dict[str, list[Pattern]]:
    """Return what is meant by each action; where all arguments of one are said, no other action is.

    ``is_placed`` says that a place is named that is no object: "stack b on the table" is no stacking on anything.
    """
    found = [pattern for saying in sayings for pattern in _ways(saying, mentions, lexicon)]
    whole = [pattern for pattern in found if not pattern.is_open]
    by_name: dict[str, list[Pattern]] = {}
    for pattern in dict.fromkeys(whole or ([] if is_placed else found)):
        by_name.setdefault(pattern.name, []).append(pattern)
    return by_name


def _mentions(
    words: Words, start: int, end: int, lexicon: Lexicon, small: Collection[str]
) -> tuple[list[_Mention], str]:
    """Return the objects that are named beside the verb, and the first word that is nothing known.

    ``small`` are words of the verb that may stand behind an object: down, of "put b down".
    """
    found: list[_Mention] = []
    relation, index = "", 0
    while index < len(words):
        word = words.texts[index]
        if index == start:
            index, relation = end, ""
            continue
        named = lexicon.objects.at(words, index)
        if named is not None and named.objects and not start < named.end <= end:
            found.append(_Mention(named.objects, relation))
            index, relation = named.end, ""
        elif word in small and word in PARTICLES and not _is_before_name(words, index, lexicon):
            index += 1
        elif word in PLACES and relation:
            index, relation = index + 1, ""
        elif word in PREPOSITIONS:
            relation = PREPOSITIONS[word] or relation
            index += 1
        elif word in ARTICLES or (word in lexicon.objects.nouns and not _ends_open(words, index, lexicon)):
            index += 1
        elif only := lexicon.objects.only(word):
            found.append(_Mention(only, relation))
            index, relation = index + 1, ""
        else:
            return found, word
    return found, relation and "no object behind a preposition"


def _ends_open(words: Words, index: int, lexicon: Lexicon) -> bool:
    """Return whether a noun stands for an object by itself: neither before a name nor behind one."""
    behind = _is_before_name(words, index, lexicon)
    before = index and any(
        (named := lexicon.objects.at(words, place)) is not None and named.end == index for place in range(index)
    )
    return not behind and not before


def _is_before_name(words: Words, index: int, lexicon: Lexicon) -> bool:
    return index + 1 < len(words) and lexicon.objects.at(words, index + 1) is not None


def _ways(saying: Saying, mentions: Sequence[_Mention], lexicon: Lexicon) -> Iterator[Pattern]:
    """Yield the patterns in which each object has a place that it fits; of all arguments, the straight order."""
    action = lexicon.model.domain.actions[saying.action]
    size = len(action.parameters)
    if len(mentions) > size or size > 8:
        return
    allowed = [_places(saying, mention, lexicon) for mention in mentions]
    ways = [way for way in permutations(range(size), len(mentions)) if all(map(_is_in, way, allowed))]
    if len(mentions) == size and tuple(range(size)) in ways:
        ways = [tuple(range(size))]
    for way in ways:
        args = ["_"] * size
        for place, mention in zip(way, mentions, strict=True):
            fitting = [name for name in mention.objects if lexicon.kinds.fits(action, place, name)]
            args[place] = fitting[0]
        yield Pattern(name=action.step or action.name, args=tuple(args))


def _is_in(place: int, places: Sequence[int]) -> bool:
    return place in places


def _places(saying: Saying, mention: _Mention, lexicon: Lexicon) -> list[int]:
    """Return the parameters that an object may be: those that the preposition speaks of, where there are such.

    Without a preposition, those are meant that need none.
    """
    action = lexicon.model.domain.actions[saying.action]
    fitting = [
        place
        for place in range(len(action.parameters))
        if sum(
            name in lexicon.model.problem.objects and lexicon.kinds.fits(action, place, name)
            for name in mention.objects
        )
        == 1
    ]
    relations = saying.relations
    said = [
        place
        for place in fitting
        if (mention.relation in relations[place] if mention.relation else not relations[place])
    ]
    return said or fitting
