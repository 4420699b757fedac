"""Steps without parentheses, told from prose by the names that the model knows; or with some behind a sentence.

pick-up a
Fill the cup at the tap (fill cup tap).       the step itself
Fill the cup (cup tap).                       its arguments; the verb of the sentence says of what
Fill the cup at the tap (c=cup, t=tap)        the same by the names of its parameters

Where the sentence tells another step than its parentheses, which of both is meant is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from validator.reading.lexicon import Lexicon, Said, Unclear
from validator.reading.lexicon.clauses import Clause, Kind
from validator.reading.lexicon.english import BETWEEN, SAYING_WORDS
from validator.reading.plan import LEFT_OUT, Span, Step, Unparsed
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = [
    "bracketed",
    "is_plain",
    "is_sentence",
    "read_chain",
    "read_known",
    "read_named",
    "read_words",
]

_PLAIN = re.compile(r"[^\W\d_][\w-]*(?:[ \t]+[\w-]+)*", re.ASCII)
_WORD = re.compile(r"[^\s`*]+")
_TRIM = " \t.,;:!*`\"'"
_JOINTS = re.compile(r"[-_]+")
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
    if len(args) - len(others) == wanted and BETWEEN.union(vocabulary.types).issuperset(others):
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
    return token if SAYING_WORDS.isdisjoint({*token.args} - vocabulary.objects) else None


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


# --- steps in parentheses behind a sentence --------------------------------------------------------

_BEHIND = re.compile(
    r"(?P<said>[^()\n]++)(?<!\w)(?P<whole>\((?P<given>[^()\n]++(?:\([^()\n]*+\)[^()\n]*+)?+)\))[\s.,;!*_`\"']*+"
)
_LETTER = re.compile(r"[^\W\d_]")
_CALL = re.compile(r"\s*(?P<name>[^\s(),]+)\s*\((?P<given>[^()]*)\)\s*")
_APART = re.compile(r"\s*,\s*|\s+")
_KEYED = re.compile(r"\??([\w-]+)\s*[=:]\s*([^\s,=:]+)")
_LONGEST = 1000
"""characters of a line in which such a sentence is looked for"""


def bracketed(lexicon: Lexicon, words: str, start: int) -> Said | Unclear | None:
    """Return the step that a line says in parentheses behind its sentence; None where it says none."""
    if len(words) > _LONGEST or ")" not in words:
        return None
    match = _BEHIND.fullmatch(words)
    if match is None or _LETTER.search(match["said"]) is None:
        return None
    sentence, span = match["said"], (start, start + match.end("whole"))
    step = _whole(lexicon, match["given"], span)
    steps = _of_arguments(lexicon, match["given"], sentence, span) if step is None else (step,)
    if not steps:
        return None
    told = lexicon.sentences(sentence, start)  # what "it" is, the parentheses say
    said = {(one.step.name, one.step.args) for one in told if isinstance(one, Said)}
    meant = [one for one in steps if (one.name, one.args) in said] or list(steps)
    if len(meant) > 1:
        names = " or ".join(dict.fromkeys(one.name for one in meant))
        return Unclear(reason=f"'{sentence.strip()}' can be {names}", nearest=meant[0].name, span=span)
    (one,) = meant
    fits = said <= {(one.name, one.args)} and all(_allows(clause, one, lexicon) for clause in lexicon.clauses(sentence))
    if not fits or (step is None and not _names_of(lexicon, sentence) <= {*one.args}):
        reason = f"the sentence tells something else than {one}, which stands behind it in parentheses"
        return Unclear(reason=reason, nearest=one.name, span=span)
    return Said(step=one, span=span)


def _whole(lexicon: Lexicon, given: str, span: Span) -> Step | None:
    """Return the step that stands in parentheses with its action."""
    call = _CALL.fullmatch(given)
    name, *args = (call["name"], *_parted(call["given"])) if call is not None else _parted(given) or [""]
    if len(lexicon.action(name)) != 1 or (call is None and lexicon.objects.exact.get(name.lower())):
        return None
    return _step(lexicon, name, args, span)


def _of_arguments(lexicon: Lexicon, given: str, sentence: str, span: Span) -> tuple[Step, ...]:
    """Return the steps that the arguments in parentheses can make with the verb of a sentence, the likeliest only."""
    keyed = _KEYED.findall(given)
    is_keyed = bool(keyed) and not _KEYED.sub("", given).strip(" ,;")
    args: Sequence[str] | Mapping[str, str] = dict(keyed) if is_keyed else _parted(given)
    values = list(args.values()) if isinstance(args, Mapping) else args
    if len(values) not in lexicon.numbers or not all(value.lower() in lexicon.objects.exact for value in values):
        return ()
    found = [_step(lexicon, name, args, span) for name in lexicon.verb_of(sentence)]
    return tuple(dict.fromkeys(step for step in found if step is not None))


def _parted(given: str) -> list[str]:
    return [part for part in _APART.split(given.strip()) if part]


def _step(lexicon: Lexicon, name: str, args: Sequence[str] | Mapping[str, str], span: Span) -> Step | None:
    """Return a step of the model's own names, which takes such objects."""
    values = args.values() if isinstance(args, Mapping) else args
    if not all(value.lower() in lexicon.objects.exact for value in values):
        return None
    step = lexicon.step(name, args, span)
    return step if isinstance(step, Step) and lexicon.takes(step) else None


def _allows(clause: Clause, step: Step, lexicon: Lexicon) -> bool:
    """Return whether a clause can mean a step, or tells none."""
    if clause.kind is not Kind.STEP or not clause.actions:
        return True
    return any(
        way.name == step.name and all(one in (LEFT_OUT, other) for one, other in zip(way.args, step.args, strict=True))
        for way in lexicon.patterns.ways(clause, is_tight=False)
    )


def _names_of(lexicon: Lexicon, sentence: str) -> set[str]:
    """Return the objects that a sentence names as the model does."""
    words = (word.strip(".,;:!\"'`*") for word in sentence.lower().split())
    return {lexicon.objects.exact[word] for word in words if word in lexicon.objects.exact and word not in ("a", "an")}
