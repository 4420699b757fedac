"""Steps in words: by the names that the model knows, or as the clauses of a text tell them.

pick-up a
Fill the cup at the tap.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence

from validator.reading.lexicon import Lexicon, Said, Unclear
from validator.reading.lexicon.english import BETWEEN
from validator.reading.plan import Dialect, Plan, Step, Token, Unparsed, reading_note, tiled
from validator.reading.tokens.phrases import Mark, claims_no_plan, mark_of
from validator.reading.tokens.vocabulary import Vocabulary
from validator.records import dataclass

_PLAIN = re.compile(r"[^\W\d_][\w-]*(?:[ \t]+[\w-]+)*", re.ASCII)
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
    first = start + line.index(trimmed)
    span = (first, first + len(trimmed))
    spoken = [part for word in words[: vocabulary.longest_spoken] for part in _JOINTS.sub(" ", word).split()]
    named = (words[0], 1) if words[0] in vocabulary.actions else vocabulary.spoken_action(spoken)
    if named is None or (words[0] != named[0] and spoken[: named[1]] != words[: named[1]]):
        args = tuple(words[1:])  # ``lok a`` is a step of an unknown action
        is_misspelt = args and vocabulary.objects.issuperset(args) and is_plain(line)
        return Step(name=words[0], args=args, span=span) if is_misspelt and vocabulary.names.nearest(words[0]) else None
    action, length = named
    args = tuple(words[length:])
    wanted = vocabulary.actions[action]
    others = [arg for arg in args if arg not in vocabulary.objects]
    if len(args) - len(others) == wanted and BETWEEN.union(vocabulary.types).issuperset(others):
        return Step(name=action, args=tuple(arg for arg in args if arg in vocabulary.objects), span=span)
    if words[0] == action and is_plain(line) and 2 * len(others) <= len(args):
        return Step(name=action, args=args, span=span)
    reason = f"'{action}' and its {wanted} arguments were expected, as in ({' '.join([action, *['?'] * wanted])})"
    return Unparsed(text=trimmed, reason=reason, nearest=action, span=span)


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


# --- what the clauses of a text tell ---------------------------------------------------------------

_UNENDED = re.compile(r"(?:[,;]|\b(?:and|then))[\s*_`]*$", re.IGNORECASE)


def told_plan(text: str, marked: str, lexicon: Lexicon) -> Plan | None:
    """Return the plan that the clauses of a text tell, which is given with its marks as well; None for nothing.

    A line of a list tells a step where its sentence does. Below an item that tells one stand its reasons, not further
    steps; beside a list, other lines are steps only where they say nothing else. A step of these lines that no other
    line tells may be one more.
    """
    lines = _Lines(text, marked, lexicon.told(marked))
    tokens = [token for line in lines.told for token in lines.tokens(line)]
    steps = {(token.name, token.args) for token in tokens if isinstance(token, Step)}
    if not tokens:
        return None
    tokens += (
        Unparsed.at(text, said.span, "it may be a step, or only speak of one")
        for said in lines.passed_over
        if steps and (said.step.name, said.step.args) not in steps
    )
    return Plan(
        parts=tiled(text, sorted(tokens, key=lambda token: token.span), "prose"),
        dialect=Dialect.WORDS,
        text=text,
        claims_no_plan=claims_no_plan(text),
        warnings=tuple(lines.warnings),
    )


@dataclass(slots=True)
class _Line:
    """A line with what its clauses tell; ``is_below`` an item that tells a step."""

    mark: Mark
    told: list[Said | Unclear]
    is_below: bool = False

    @property
    def steps(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple((one.step.name, one.step.args) for one in self.told if isinstance(one, Said))


class _Lines:
    """The lines of a text that tell something; ``passed_over`` are what they speak of and is taken for no step."""

    def __init__(self, text: str, marked: str, told: Sequence[Said | Unclear]) -> None:
        self.text = text
        self.told: list[_Line] = []
        self.passed_over: list[Said] = []
        self.warnings: list[str] = []
        items: list[tuple[int, bool, int | None]] = []
        rest, place, last = deque(told), 0, ""
        for written in marked.split("\n"):
            line = _Line(mark_of(written), [])
            while rest and rest[0].span[0] <= place + len(written):
                line.told.append(rest.popleft())
            if line.mark.is_item or (line.mark.indent == 0 and written.strip()):
                items = [item for item in items if item[0] < line.mark.indent]
            above = [item for item in items if item[0] < line.mark.indent]
            before = next((item for item in above if item[2] is not None and line.mark.order == item[2] + 1), None)
            is_below = any(tells for _, tells, _ in above) and before is None
            line.is_below = is_below and _UNENDED.search(last) is None
            if before is not None:  # "step 0: a", "     1: b" are one list
                items[items.index(before)] = (before[0], before[1] or bool(line.steps), line.mark.order)
            elif line.mark.is_item:
                items.append((line.mark.indent, bool(line.steps), line.mark.order))
            self.told += [line] * bool(line.told)
            place, last = place + len(written) + 1, written.strip() or last
        self.is_listed = sum(line.mark.is_item and bool(line.steps) for line in self.told) > 1
        self.times = Counter(step for line in self.told for step in {*line.steps})
        self.alike = Counter(line.steps for line in self.told)

    def tokens(self, line: _Line) -> Iterator[Token]:
        """Yield the steps that a line tells, and what of it was not understood."""
        is_item = line.mark.is_item or not self.is_listed
        is_again = not line.mark.is_item and not self.is_listed and self._is_told_elsewhere(line)
        if is_again and self._is_summary(line):
            line.told.clear()
        said = [place for place, one in enumerate(line.told) if isinstance(one, Said)]
        for place, one in enumerate(line.told):
            if isinstance(one, Unclear):
                is_inside = bool(said) and said[0] < place < said[-1]
                if is_item and not line.is_below and (is_inside or not one.names_nothing):
                    yield Unparsed.at(self.text, one.span, one.reason, one.nearest)
            elif is_again:
                reason = "other lines tell these steps too: they may be said or done again"
                yield Unparsed.at(self.text, one.span, reason, is_of_structure=True)
            elif line.is_below or not (is_item or (one.exact and len(line.told) == 1)):
                self.passed_over += [one] * one.exact
            else:
                if one.warnings:
                    number, words = self.text.count("\n", 0, one.span[0]) + 1, self.text[slice(*one.span)]
                    self.warnings.append(reading_note(number, words, one.step, "; ".join(one.warnings)))
                yield one.step

    def _is_told_elsewhere(self, line: _Line) -> bool:
        """Return whether other lines tell all steps of one that has several; two lines of two may be done twice."""
        steps = line.steps
        is_like_another = len(steps) == 2 and self.alike[steps] > 1
        return len(steps) > 1 and not is_like_another and all(self.times[step] > 1 for step in steps)

    def _is_summary(self, line: _Line) -> bool:
        """Return whether a line says the steps of all others once more."""
        if len(line.steps) < 3 or 2 * len(line.steps) != sum(len(other.steps) for other in self.told):
            return False
        return line.steps == tuple(step for other in self.told if other is not line for step in other.steps)
