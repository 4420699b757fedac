"""Steps without parentheses, ``pick-up a``: told from prose by the names that the model knows."""

from __future__ import annotations

import re

from validator.reading.lexicon.english import MODIFIERS, PARTICLES, PLACES, PRONOUNS, STATES, STOPS
from validator.reading.plan import Span, Step, Unparsed
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["SAYING_WORDS", "is_plain", "is_sentence", "read_chain", "read_known", "read_named", "read_words"]

_PLAIN = re.compile(r"[^\W\d_][\w-]*(?:[ \t]+[\w-]+)*", re.ASCII)
_WORD = re.compile(r"[^\s`*]+")
_TRIM = " \t.,;:!*`\"'"
_JOINTS = re.compile(r"[-_]+")
_ARTICLES = ("the", "this", "that", "object")
_PREPOSITIONS = (
    *("at", "by", "from", "in", "inside", "into", "of", "off", "on", "onto", "out", "over", "through", "to"),
    *("top", "toward", "towards", "using", "via", "with"),
)
_FILLERS = frozenset((*_ARTICLES, *_PREPOSITIONS))
SAYING_WORDS = _FILLERS | PRONOUNS | PARTICLES | PLACES | STATES | STOPS | MODIFIERS
_MOST_WORDS = 12  # a line with more words than this is a sentence


def is_plain(line: str) -> bool:
    """Return whether a line consists of names and nothing else, as ``pick-up a`` does."""
    return _PLAIN.fullmatch(line.strip(" \t")) is not None and len(line.split()) <= _MOST_WORDS


def read_words(line: str, start: int, vocabulary: Vocabulary) -> Step | Unparsed | None:
    """Read a line without parentheses; None says that it is prose.

    A line is a step when it names a known action and then only names, or the right number of known objects among
    articles, prepositions and types (``overcome object c from object b``). A line that begins with an action and goes
    on in other prose is Unparsed: it may be a step in words.
    """
    trimmed = line.strip(_TRIM)
    words = [word.strip(_TRIM) for word in trimmed.lower().split()]
    if not words:
        return None
    named = _named(words, vocabulary)
    first = start + line.index(trimmed)
    span = (first, first + len(trimmed))
    if named is None:
        return _misspelt(line, words, span, vocabulary)
    action, length = named
    args = tuple(words[length:])
    wanted = vocabulary.actions[action]
    others = [arg for arg in args if arg not in vocabulary.objects]
    if len(args) - len(others) == wanted and _FILLERS.union(vocabulary.types).issuperset(others):
        return Step(name=action, args=tuple(arg for arg in args if arg in vocabulary.objects), span=span)
    if words[0] == action and is_plain(line) and _are_names(args, vocabulary):
        return Step(name=action, args=args, span=span)
    reason = f"'{action}' and its {wanted} arguments were expected, as in ({' '.join([action, *['?'] * wanted])})"
    return Unparsed(text=trimmed, reason=reason, nearest=action, span=span)


def is_sentence(words: str, step: Step) -> bool:
    """Return whether the words that a step was read from have more than its names."""
    names = {step.name, *_JOINTS.sub(" ", step.name).split(), *step.args}
    return not names.issuperset(word.strip(_TRIM) for word in words.lower().split())


def read_known(line: str, start: int, vocabulary: Vocabulary) -> Step | None:
    """Read a line that is a known action with the right number of known objects, or ends so behind a label."""
    for begin in (0, line.rfind(": ") + 1):
        token = read_words(line[begin:], start + begin, vocabulary)
        if (
            isinstance(token, Step)
            and vocabulary.actions.get(token.name) == len(token.args)
            and vocabulary.objects.issuperset(token.args)
        ):
            return token
    return None


def read_named(line: str, start: int, vocabulary: Vocabulary) -> Step | None:
    """Read a line that is an action as the model spells it and as many names as it takes, one of them unknown."""
    if not is_plain(line):
        return None
    token = read_words(line, start, vocabulary)
    if not isinstance(token, Step) or len(token.args) != vocabulary.actions.get(token.name):
        return None
    return token if SAYING_WORDS.isdisjoint(token.args) else None


def read_chain(line: str, start: int, vocabulary: Vocabulary) -> list[Step]:
    """Read a line in which steps stand one behind the other with nothing between, ``lift a stack a b``; or nothing."""
    words = list(_WORD.finditer(line))
    found: list[Step] = []
    place = 0
    while place < len(words):
        name = words[place][0].lower()
        last = place + vocabulary.actions.get(name, len(words))
        if last >= len(words):
            return []
        span = (start + words[place].start(), start + words[last].end())
        step = vocabulary.step(name, [word[0].lower() for word in words[place + 1 : last + 1]], span)
        if not isinstance(step, Step) or not vocabulary.objects.issuperset(step.args):
            return []
        found.append(step)
        place = last + 1
    return found if len(found) > 1 else []


def _named(words: list[str], vocabulary: Vocabulary) -> tuple[str, int] | None:
    if words[0] in vocabulary.actions:
        return words[0], 1
    spoken = [part for word in words[: vocabulary.longest_spoken] for part in _JOINTS.sub(" ", word).split()]
    found = vocabulary.spoken_action(spoken)
    # The words of the line and the words of the name are the same only where no word was split.
    return found if found is not None and spoken[: found[1]] == words[: found[1]] else None


def _are_names(args: tuple[str, ...], vocabulary: Vocabulary) -> bool:
    """Return whether arguments are more likely objects, known or mistaken, than words of a sentence."""
    return not args or 2 * sum(arg in vocabulary.objects for arg in args) >= len(args)


def _misspelt(line: str, words: list[str], span: Span, vocabulary: Vocabulary) -> Step | None:
    """Read ``lok a`` as a step with an unknown action: something like a name, then known objects only."""
    args = tuple(words[1:])
    if not args or not vocabulary.objects.issuperset(args) or not is_plain(line):
        return None
    return Step(name=words[0], args=args, span=span) if vocabulary.names.nearest(words[0]) else None
