"""Steps that stand in parentheses behind a sentence: whole, or only their arguments, beside which the sentence tells.

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
from validator.reading.plan import LEFT_OUT, Span, Step

__all__ = ["bracketed"]

_BEHIND = re.compile(
    r"(?P<said>[^()\n]++)(?<!\w)(?P<whole>\((?P<given>[^()\n]++(?:\([^()\n]*+\)[^()\n]*+)?+)\))[\s.,;!*_`\"']*+"
)
_LETTER = re.compile(r"[^\W\d_]")
_CALL = re.compile(r"\s*(?P<name>[^\s(),]+)\s*\((?P<given>[^()]*)\)\s*")
_APART = re.compile(r"\s*,\s*|\s+")
_KEYED = re.compile(r"\??([\w-]+)\s*[=:]\s*([^\s,=:]+)")
_ARTICLES = frozenset(("a", "an"))
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
    steps = _named(lexicon, match["given"], sentence, span) if step is None else (step,)
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


def _named(lexicon: Lexicon, given: str, sentence: str, span: Span) -> tuple[Step, ...]:
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
    return {lexicon.objects.exact[word] for word in words if word in lexicon.objects.exact and word not in _ARTICLES}
