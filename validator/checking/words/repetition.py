"""Steps that a text tells twice: in a title and below it, in a summary, in two ways."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice, takewhile

from validator.reading.lexicon.clauses.clause import Clause, Kind
from validator.reading.lexicon.clauses.patterns import Patterns
from validator.reading.plan import LEFT_OUT, Span, Step
from validator.records import dataclass, replace
from validator.texts import line_around

_SHORTEST_SUMMARY = 3
"""steps; fewer may be done twice in a row"""
_LONGEST_SUMMARY = 200
_LETTERS = re.compile(r"[^\W\d_]{3}")
_LABELS = re.compile(r"[\s*_`\"'.]*(?:[:|–—(]|-\s|->|→)[\s*_`\"'|(:-]*")
"""what stands between a label and what it announces, or between two cells"""
_TITLES = re.compile(
    r"\s*(?:>\s*)?(?:[-*+•]\s+|\(?\d{1,4}[.):]\s*)?"
    r"(?:#+\s.*|(?:\*\*|__|<h\d>|<b>)(?:(?:step|action)\s*\d+[.:)]*\s*)?)",
    re.IGNORECASE,
)
"""what stands before a title on its line"""
_SUMS_UP = re.compile(r"\b(?:summary|overview|recap|explanation|in short|in detail|details|overall)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\W*(?:step\s*)?(\d{1,4})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Repetitions:
    """Which clauses of a text tell a step that another one tells; ``patterns`` say what steps they allow."""

    patterns: Patterns
    text: str

    def without_repeats(self, lines: Sequence[Clause]) -> list[Clause]:
        """Return the clauses without those that only tell the steps of others: titles, and a summary."""
        return self._without_summary(self._without_titles(lines))

    def _without_titles(self, lines: Sequence[Clause]) -> list[Clause]:
        """Return the clauses, each title with the sentence below it that tells the same step as one."""
        found: list[Clause] = []
        for place, line in enumerate(lines):
            if self._is_heading(line) and any(self.is_same(line, other) for other in self._section(lines, place)):
                continue
            if found and self._is_titled(found[-1], line) and self.is_same(found[-1], line):
                found[-1] = _both(found[-1], line)
            else:
                found.append(line)
        return found

    def _is_heading(self, line: Clause) -> bool:
        """Return whether a clause is all of a line that is marked as a title."""
        head, rest = line_around(self.text, line.span)
        return _TITLES.fullmatch(head) is not None and _LETTERS.search(rest) is None

    def _section(self, lines: Sequence[Clause], place: int) -> Iterator[Clause]:
        """Yield the clauses below a heading, up to the next one."""
        below = islice(lines, place + 1, None)
        yield from takewhile(lambda line: not self._is_heading(line), below)

    def _is_titled(self, one: Clause, other: Clause) -> bool:
        """Return whether a clause stands as a title, label, item or cell before another one."""
        text, place = self.text, one.span[1]
        gap = text[place : other.span[0]]
        head, own = (line_around(text, clause.span)[0] for clause in (one, other))
        if _LETTERS.search(gap) or "\n" not in gap:
            return _LABELS.fullmatch(gap) is not None
        is_marked = _TITLES.fullmatch(head) is not None and _TITLES.fullmatch(own) is None
        is_item = bool(head.strip()) and (not own.strip() or _indent(own) > _indent(head))
        return is_marked or is_item

    def is_same(self, one: Clause, other: Clause) -> bool:
        """Return whether two clauses may tell the same step."""
        if one.kind is not Kind.STEP or other.kind is not Kind.STEP:
            return False
        ways = [self.patterns.ways(clause, is_tight=True) for clause in (one, other)]
        return any(agree(first, second) for first in ways[0] for second in ways[1])

    def _without_summary(self, lines: list[Clause]) -> list[Clause]:
        """Return the clauses that tell the plan, without those after them that tell it once more, as a summary does."""
        places = [place for place, one in enumerate(lines) if one.kind is Kind.STEP]
        for count in range(2, min(len(places) // 2, _LONGEST_SUMMARY) + 1):
            told = [lines[place] for place in places[:count]]
            end = count
            while again := self._told_again(told, [lines[place] for place in places[end - 1 : end + count]]):
                told, end = again, end + count
            if end == count:
                continue
            if any(lines[place].is_certain for place in places[end:]):
                return lines
            both = dict(zip(places[:count], told, strict=True))
            return [both.get(place, line) for place, line in enumerate(lines[: places[count]])]
        return lines

    def _told_again(self, told: Sequence[Clause], behind: Sequence[Clause]) -> list[Clause]:
        """Return clauses with what others name, which tell the same steps anew behind the first of them; else none."""
        last, *others = behind
        if len(others) < len(told):
            return []
        sums_up = _SUMS_UP.search(self.text, last.span[1], others[0].span[0]) is not None
        if not sums_up and (len(told) < _SHORTEST_SUMMARY or not self._begins_anew(last, others[0])):
            return []
        pairs = list(zip(told, others, strict=True))
        return [_both(*pair) for pair in pairs] if all(self.is_same(*pair) for pair in pairs) else []

    def _begins_anew(self, last: Clause, first: Clause) -> bool:
        """Return whether the text marks that a list begins anew: by number one, by a blank line or one of words."""
        line = self.text.rfind("\n", 0, first.span[0]) + 1
        number = _NUMBER.match(self.text, line)
        if number is not None and int(number[1]) != 1:
            return False
        gap = self.text[last.span[1] : first.span[0]]
        return number is not None or _LETTERS.search(gap) is not None or gap.count("\n") > 1

    def in_two_ways(self, lines: Sequence[Clause]) -> tuple[frozenset[Span], ...]:
        """Return the first and the second clauses that tell one step in two ways, as a title and a sentence do.

        An item of a list, though explained below, is done where it stands. A summary has the steps in their order.
        """
        lines = self._without_summary([*lines])
        steps = [one for one in lines if one.kind is Kind.STEP and not one.exact][:_LONGEST_SUMMARY]
        pairs = [
            pair
            for pair in combinations(steps, 2)
            if len({self._manner(one) for one in pair}) > 1 and self.is_same(*pair)
        ]
        first = frozenset(one.span for one, _ in pairs if not one.item)
        return (first, frozenset(other.span for _, other in pairs)) if pairs else ()

    def _manner(self, line: Clause) -> tuple[str, bool, bool]:
        """Return in which words and where a clause tells its step: as an item, alone on its line."""
        around = "".join(line_around(self.text, line.span))
        return line.text.lower(), bool(line.item), _LETTERS.search(around) is None


def _both(one: Clause, other: Clause) -> Clause:
    """Return a clause that names what two clauses of one step name."""
    if one.exact or other.exact:
        return one if one.exact else other
    most, least = (one, other) if len(one.mentions) > len(other.mentions) else (other, one)
    named = most.object_names
    more = tuple(mention for mention in least.mentions if named.isdisjoint(mention.objects))
    return replace(most, mentions=(*most.mentions, *more), span=other.span if one.is_possible else one.span)


def agree(one: Step, other: Step) -> bool:
    """Return whether two steps are the same but for what is left out."""
    pairs = zip(one.args, other.args, strict=False)
    return one.name == other.name and all(LEFT_OUT in pair or pair[0] == pair[1] for pair in pairs)


def _indent(head: str) -> int:
    return len(head) - len(head.lstrip())
