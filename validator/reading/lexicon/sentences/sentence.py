"""One sentence to one step: what stands before the verb, the verb, and which reading of what is behind it is best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.reading.lexicon.english import ADVERBS, ARTICLES, PREPOSITIONS, SAYS_NOTHING, SIGNS
from validator.reading.lexicon.sentences.behind import Behind, behind
from validator.reading.lexicon.sentences.chain import (
    LISTS,
    clauses,
    has_joints,
    is_joint,
    is_remark,
    lists_more,
    odd_clause,
    order_behind,
    orders,
    reasons,
)
from validator.reading.lexicon.sentences.opening import Opening, is_denied, opening
from validator.reading.lexicon.sentences.order import Reading, arranged
from validator.reading.lexicon.sentences.phrases import Phrases
from validator.reading.lexicon.sentences.said import Said, Tongue, Unclear
from validator.reading.lexicon.sentences.strange import read_strange, verb_of
from validator.reading.lexicon.verbs import Saying
from validator.reading.lexicon.words import MOST_WORDS, Words
from validator.reading.plan import Span, Step
from validator.records import dataclass, replace

__all__ = ["read_sentence", "read_sentences"]

_MOST_VERBS = 3
"""places of a sentence at which a step is looked for"""
_MOST_STEPS = 10_000
"""of one line"""
_DOING = frozenset(("do", "perform", "execute", "apply", "first", "second", "third", "lastly"))
_MOST_DESCRIBED = 2
"""objects that a sentence names which begins with a noun and describes them: "block a on block b\""""
_MOST_SHARED = 40
"""phrases of a sentence that tells the same of several objects"""


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
    unread: list[Unclear] = []
    for sentence in _sentences(words):
        read = _read_on(sentence, tongue, before)
        if not read and _names_objects(sentence, tongue):
            unread.append(_unread(sentence, 0))
        if found and not (read and (isinstance(read[0], Said) or _is_order(sentence, tongue))):
            continue  # what is said about the steps before
        found += read
        before = next((one.step for one in reversed(read) if isinstance(one, Said)), before)
        if len(found) >= _MOST_STEPS:
            break
    if unread and any(isinstance(one, Said) and one.begins for one in found):
        found = sorted((*found, *unread), key=lambda one: one.span)
    return tuple(found)


def _start(words: Words) -> int:
    """Return where a clause begins, behind joints and words such as "now do"."""
    index = 0
    while is_joint(words.at(index)) or words.at(index) in ADVERBS or words.at(index) in _DOING:
        index += 1
    return index


def _names_objects(words: Words, tongue: Tongue) -> bool:
    """Return whether a sentence of which nothing was read orders something that is done to objects of the model."""
    index = _start(words)
    word, objects = words.at(index), tongue.objects
    if not word[:1].isalpha() or words.at(index + 1) in SIGNS:
        return False
    if ":" in words.texts or "?" in words.texts or is_remark(words, index, len(words)) or is_denied(words, index + 1):
        return False
    if word in ARTICLES or objects.at(words, index) is not None:
        return False
    named = sum(objects.at(words, place) is not None for place in range(index + 1, len(words)))
    return named > (_MOST_DESCRIBED if word in objects.nouns else 0)


def _is_order(words: Words, tongue: Tongue) -> bool:
    """Return whether a sentence begins as a step does, in the form of an order, or looks like one nobody knows."""
    if tongue.verbs.starts.isdisjoint(words.texts):
        return True
    begun = opening(words.between(0, MOST_WORDS), tongue)
    return begun is not None and not begun.phrases and orders(words, begun.verb, tongue)


def _sentences(words: Words) -> Iterator[Words]:
    """Yield the words of each sentence of a line, with its full stop; a number with one is that of an item."""
    first = 0
    for index, word in enumerate(words.texts):
        is_last = index + 1 == len(words)
        is_number = words.at(index - 1).isdigit() and words.is_border(index - 1)
        if is_last or (word == "." and not is_number):
            yield words.between(first, index + 1)
            first = index + 1


def _read_on(words: Words, tongue: Tongue, before: Step | None) -> list[Said | Unclear]:
    """Read the steps of one sentence."""
    first = words.between(0, MOST_WORDS)
    if not has_joints(words):
        return _alone(first, tongue, before)
    begun = opening(first, tongue)
    parts = clauses(words, 0 if begun is None else begun.verb, tongue)
    if len(parts) == 1:
        return _alone(first, tongue, before)
    found = _chained(parts, tongue, before)
    if begun is None:  # it does not begin as a plan does, and may only speak of these steps
        found = [replace(one, begins=False) if isinstance(one, Said) else one for one in found]
    return found


def _alone(words: Words, tongue: Tongue, before: Step | None) -> list[Said | Unclear]:
    """Read a sentence of one clause, and what may be more behind it."""
    told, index = _clause(words, tongue, before)
    first = told[0] if told else None
    more = order_behind(words, index, tongue) if isinstance(first, Said) and first.begins else None
    return told if more is None else [*told, _unread(words, more)]


def _clause(words: Words, tongue: Tongue, before: Step | None) -> tuple[list[Said | Unclear], int]:
    """Return what a clause says: one step, or one for each of several objects; and the index behind it."""
    read, index = _read(words, tongue, before)
    more = None if read is None else lists_more(words, index)
    if isinstance(read, Unclear) or more is not None:
        shared = _shared(words, tongue, before)
        if shared:
            return [*shared], len(words)
    if isinstance(read, Said) and read.begins and more is not None and not is_remark(words, more, len(words)):
        return [read, _unread(words, more)], len(words)
    return [] if read is None else [read], index


def _chained(parts: Sequence[Words], tongue: Tongue, before: Step | None) -> list[Said | Unclear]:
    """Read the clauses of a sentence, each a step of its own."""
    found: list[Said | Unclear] = []
    is_open = False  # reasons were given, to which the next clause may belong
    for words in parts[:_MOST_STEPS]:
        told, index = _clause(words, tongue, before)
        is_open = is_open and words.texts[0] not in (";", ".") and "then" not in words.texts[:3]
        doubtful = [one for one in told if isinstance(one, Said) and (is_open or (found and not one.begins))]
        found += [_doubted(one) if one in doubtful else one for one in told or _lost(words, tongue)]
        odd = odd_clause(words, index) if told else None
        odd = order_behind(words, index, tongue) if odd is None and told else odd
        if odd is not None:
            found.append(_unread(words, odd))
        is_open = reasons(words, index)
        before = next((one.step for one in reversed(told) if isinstance(one, Said)), None)
    if len(parts) > _MOST_STEPS:
        found.append(_unread(parts[_MOST_STEPS], 0))
    return found


def _doubted(said: Said) -> Unclear:
    reason = "it may be a step, or only speak of one"
    return Unclear(reason=reason, nearest=said.step.name, span=said.span)


def _unread(words: Words, first: int) -> Unclear:
    span = (words.starts[first], words.ends[-1])
    return Unclear(reason="no step could be read from this part of the sentence", span=span)


def _shared(words: Words, tongue: Tongue, before: Step | None) -> tuple[Said, ...]:
    """Return the steps of a sentence that tells the same of several objects: "load p0 and p1 into t0"."""
    begun = opening(words, tongue)
    if begun is None or LISTS.isdisjoint(words.texts[begun.verb :]):
        return ()
    for end, sayings in tongue.verbs.at(words, begun.verb):
        phrases = _phrases(words, end, sayings, begun, tongue, before, most=_MOST_SHARED)
        whole = phrases.found
        joined = [index for index, phrase in enumerate(whole) if phrase.is_joined]
        is_list = bool(joined) and joined == list(range(joined[0], joined[-1] + 1))
        if not is_list or phrases.is_stated or phrases.is_odd or lists_more(words, phrases.index) is not None:
            continue
        group = whole[joined[0] - 1 : joined[-1] + 1]
        text = " and ".join(phrase.text for phrase in group)
        found: list[Said | Unclear | None] = []
        for phrase in group:
            alone = replace(phrase, relation=group[0].relation, warning=f"'{text}' was read as a step each")
            phrases.found = [*whole[: joined[0] - 1], alone, *whole[joined[-1] + 1 :]]
            found.append(_chosen(words, _Verb(begun.verb, end, sayings), begun, phrases, tongue))
        said = tuple(read for read in found if isinstance(read, Said) and read.begins)
        if len({one.step for one in said}) == len(group):
            return said
    return ()


def _lost(words: Words, tongue: Tongue) -> tuple[Unclear, ...]:
    """Return a clause behind a step that begins as a step does and names an object, though no step could be read."""
    first = _start(words)
    if first == len(words) or is_remark(words, first, len(words)):
        return ()
    is_named = any(tongue.objects.at(words, index) is not None for index in range(first + 1, len(words)))
    if not is_named or is_denied(words, first + 1):
        return ()
    return (_unread(words, first),)


def _read(words: Words, tongue: Tongue, before: Step | None) -> tuple[Said | Unclear | None, int]:
    """Return what a sentence says first, and the index behind it."""
    if not len(words) or words.texts[-1] == "?":
        return None, 0
    if tongue.verbs.starts.isdisjoint(words.texts):
        return _unknown(words, tongue, before), len(words)
    begun = opening(words, tongue)
    if begun is not None:
        read = (None, 0) if is_denied(words, begun.verb) else _best(words, begun, tongue, before)
        return read if read[0] is not None else _instead(words, begun.verb, tongue, before)
    return _mentioned(words, tongue), len(words)


def _unknown(words: Words, tongue: Tongue, before: Step | None) -> Said | Unclear | None:
    """Read a line without any verb of the model: by its only verb but for a typo, or as one with a strange verb."""
    index = verb_of(words, tongue)
    if index is None:
        return None
    said = words.texts[index]
    known = tongue.verbs.like(said)
    read = _read(words.replaced(index, known), tongue, before)[0] if known else None
    if isinstance(read, Said):
        return replace(read, exact=False, warnings=(f"'{said}' was read as '{known}'", *read.warnings))
    return read_strange(words, index, tongue)


def _instead(words: Words, index: int, tongue: Tongue, before: Step | None) -> tuple[Said | Unclear | None, int]:
    """Return what is done in the place of what is not: "stack a on b is not possible, so put down a"."""
    for place in range(index + 1, len(words)):
        if words.texts[place] in ("so", "instead", "therefore"):
            while words.at(place) in ADVERBS or words.at(place) in SIGNS or words.at(place) in ("so", "therefore"):
                place += 1
            if place < len(words) and tongue.verbs.at(words, place):
                return _best(words, Opening(place, ()), tongue, before)
    return None, 0


def _mentioned(words: Words, tongue: Tongue) -> Said | None:
    """Return the step that a sentence tells behind other words, where nothing about it is open."""
    tried = 0
    for index in range(len(words)):
        if tongue.verbs.at(words, index):
            tried += 1
            if tried > _MOST_VERBS or is_denied(words, index):
                return None
            read, _ = _best(words, Opening(index, ()), tongue, None)
            if isinstance(read, Said) and not read.warnings:
                return replace(read, begins=False)
    return None


def _best(words: Words, begun: Opening, tongue: Tongue, before: Step | None) -> tuple[Said | Unclear | None, int]:
    """Return what a verb and all behind it say, by the longest verb with which that is clear, and where that ends."""
    unclear: tuple[Said | Unclear | None, int] | None = None
    doubtful: tuple[Said, int] | None = None
    longest = 0
    for end, sayings in tongue.verbs.at(words, begun.verb):
        is_other = tongue.objects.nouns.issuperset(words.texts[end:longest]) or any(s.is_template for s in sayings)
        if (doubtful or unclear) is not None and not is_other:
            break
        longest = longest or end
        most = max(len(saying.order) for saying in sayings)
        phrases = _phrases(words, end, sayings, begun, tongue, before, most=most)
        if phrases.is_stated:
            return None, phrases.index
        read = _chosen(words, _Verb(begun.verb, end, sayings), begun, phrases, tongue)
        if isinstance(read, Said) and not read.warnings:
            return read, phrases.index
        if isinstance(read, Said):
            doubtful = doubtful or (read, phrases.index)  # "move car c1 to the curb" need not be move-car-to-curb
        if unclear is None or (isinstance(read, Unclear) and read.ways and not _leaves_out(unclear[0])):
            unclear = (read, phrases.index)
    return doubtful or unclear or (None, begun.verb)


def _leaves_out(read: Said | Unclear | None) -> bool:
    return isinstance(read, Unclear) and bool(read.ways)


def _phrases(
    words: Words,
    end: int,
    sayings: tuple[Saying, ...],
    begun: Opening,
    tongue: Tongue,
    before: Step | None,
    *,
    most: int,
) -> Phrases:
    """Return the phrases behind a verb, of which so many can be arguments with those before it."""
    rest = frozenset(word for saying in sayings for word in saying.rest)
    rest |= {SAYS_NOTHING[saying.verb[0]] for saying in sayings if saying.verb[0] in SAYS_NOTHING}
    keys = frozenset(word for saying in sayings for key in saying.keys for word in key)
    most -= len(begun.phrases)
    return Phrases(words, end, tongue.objects, rest=rest, keys=keys, most=most, before=before).read()


def _chosen(words: Words, verb: _Verb, begun: Opening, phrases: Phrases, tongue: Tongue) -> Said | Unclear | None:
    """Return the best reading of a verb with its phrases, or what is not clear about it."""
    said = frozenset(words.texts[verb.end : phrases.index])
    found = (*begun.phrases, *phrases.found)
    ranked: list[tuple[tuple[int, ...], Reading, Saying]] = []
    clear: set[str] = set()
    for saying in verb.sayings:
        if saying.action not in clear and saying.is_said(said):
            reading = arranged(saying, found, tongue.model, tongue.objects)
            costs = (*reading.costs[:3], -len(saying.keys), saying.unsaid(said), *reading.costs[3:])
            ranked.append((costs, reading, saying))
            if not any(costs[:3]) and not costs[4]:
                clear.add(saying.action)
    if not ranked:
        return None
    ranked.sort(key=lambda entry: entry[0])
    _, best, saying = ranked[0]
    rivals = _rivals(ranked)
    span = (min(words.starts[verb.start], *(phrase.span[0] for phrase in found), words.ends[-1]), phrases.end)
    if best.problem or len(rivals) > 1:
        unclear = _unclear(words, verb, tuple(rivals.values()), span, phrases, begun)
        if unclear is None:
            return None
        ways = _ways(words, phrases, ranked)
        return replace(unclear, ways=tuple(replace(way, span=span) for way in ways)) if ways else unclear
    if best.costs[1] and _may_be_several(phrases):
        reason = f"'{saying.action}' does not take such objects together, and each by itself may be meant"
        return Unclear(reason=reason, nearest=best.step.name, span=span)
    step = replace(best.step, span=span)
    follows = behind(words, phrases.index)
    if follows in (Behind.STATEMENT, Behind.REFUSAL):
        return None
    if follows is Behind.REMARK and begun.has_subject and words.texts[phrases.index] in PREPOSITIONS:
        return None  # "the robot walks to the kitchen", where it can as well be what is walked to
    if follows is Behind.STRANGE:
        reason = f"it is not clear what '{words.at(phrases.index)}' says of the step"
        return Unclear(reason=reason, nearest=step.name, span=span)
    warnings = best.warnings
    if saying.unsaid(said):
        warnings = (f"'{_text(words, verb)}' was read as {best.step.name}", *warnings)
    exact = not phrases.is_odd and follows is Behind.NOTHING
    return Said(
        step=step, span=span, exact=exact, begins=_is_told(words, verb, saying, begun, exact), warnings=warnings
    )


_SEVERAL = frozenset(("all", "any", "both", "each", "every", "everything", "other", "rest", "some", "several"))
_MOST_WAYS = 24


def _ways(
    words: Words, phrases: Phrases, ranked: Sequence[tuple[tuple[int, ...], Reading, Saying]]
) -> tuple[Step, ...]:
    """Return the steps that a sentence can be which leaves something out, where it says nothing that is not understood.

    Of the actions that share a verb those are meant of whose names the most is said: "move up" is not move-down.
    """
    follows = behind(words, phrases.index)
    if follows not in (Behind.NOTHING, Behind.REMARK) or not _SEVERAL.isdisjoint(words.texts) or phrases.is_indefinite:
        return ()
    if phrases.is_odd or phrases.is_placed or _may_be_several(phrases):
        return ()
    fitting = [(costs[3:5], reading) for costs, reading, _ in ranked if reading.ways]
    least = min((costs for costs, _ in fitting), default=())
    ways = dict.fromkeys(way for costs, reading in fitting if costs == least for way in reading.ways)
    return tuple(ways) if len(ways) <= _MOST_WAYS else ()


def _may_be_several(phrases: Phrases) -> bool:
    """Return whether objects are listed, but for what it is done with: "fetch a, b and c"."""
    follows = phrases.index if phrases.words.at(phrases.index) in (",", "and") else None
    if follows is not None and phrases.ahead.names_follow(follows + 1):
        return True
    relation = ""
    for phrase in phrases.found:
        if phrase.is_joined and relation != "with":
            return True
        relation = relation if phrase.is_joined else phrase.relation
    return False


def _rivals(ranked: Sequence[tuple[tuple[int, ...], Reading, Saying]]) -> dict[Step, Reading]:
    """Return the readings between which nothing decides, the best first.

    A verb that several actions share, "clean" of clean-shot and clean-shaker, does not make objects of other kinds
    arguments of the one while those of the other are only not all said.
    """
    costs, best, saying = ranked[0]
    rivals = {reading.step: reading for cost, reading, _ in ranked if cost == costs}
    if best.problem:
        rivals |= {reading.step: reading for cost, reading, _ in ranked if cost[:3] == costs[:3]}
    if costs[1]:
        others = (entry for entry in ranked if not entry[0][1] and entry[2].action != saying.action)
        rivals |= {reading.step: reading for _, reading, _ in others}
    return rivals


def _is_told(words: Words, verb: _Verb, saying: Saying, begun: Opening, exact: bool) -> bool:
    """Return whether the form of a verb tells a step: a past or a gerund may as well speak of one."""
    first = words.texts[verb.start]
    if first == saying.verb[0]:
        return True
    if first.endswith("ed"):
        return exact and not begun.has_subject
    return exact or not first.endswith("ing") or (verb.start > 0 and words.texts[verb.start - 1] == "by")


def _unclear(
    words: Words, verb: _Verb, rivals: Sequence[Reading], span: Span, phrases: Phrases, begun: Opening
) -> Unclear | None:
    """Say what is not clear; None for a sentence that speaks of no object in particular, or only tells of one."""
    named = any(phrase.objects for phrase in phrases.found)
    if not named and (phrases.is_indefinite or words.at(phrases.index) == "actions"):
        return None
    is_used = words.at(verb.start - 1) == "to"  # "robot1 uses its left gripper to pick"
    if begun.has_subject and not (is_used or words.texts[verb.start].endswith("s")):
        return None
    names = " or ".join(dict.fromkeys(reading.step.name for reading in rivals))
    reason = rivals[0].problem or f"'{_text(words, verb)}' can be {names}"
    return Unclear(reason=reason, nearest=rivals[0].step.name, span=span)


def _text(words: Words, verb: _Verb) -> str:
    return " ".join(words.texts[verb.start : verb.end])
