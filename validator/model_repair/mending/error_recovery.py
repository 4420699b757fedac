"""A domain that cannot be read, or does not fit its problems and plans, mended fault by fault; each mend is named.

The reader says what it does not understand and where; the fault decides the mend. A name may have been meant in several
ways: then there are several drafts, and what they cost to repair decides. A text is never made readable by leaving out
what it says.

Where a section or a part of an action begins is told by its keyword, whatever the parentheses before it say; so the
parentheses of each are put right by themselves, and a fault in one does not reach into the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import TypeAlias

from validator.errors import InputError, ModelError
from validator.model.pddl import read_domain
from validator.model.pddl.frame import read_text
from validator.model.values import Domain, Problem
from validator.model_repair.cases import Case, Given, read_cases
from validator.model_repair.mending.fit import fitting
from validator.model_repair.mending.names import (
    Change,
    at,
    declared_for,
    near,
    numbers,
    objects,
    predicates,
    replaced,
    section_of,
    types,
    variables,
)
from validator.model_repair.source.tree import groups
from validator.records import dataclass
from validator.texts import no_path

__all__ = ["Draft", "balanced", "drafts"]

_MOST = 30
"""mends of one text"""
_MOST_READ = 300
"""texts that are read to find the drafts"""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that can be read, with its plans, and what was changed in it, in words.

    ``cost`` counts the changes that might have been others. A step that is none of the domain may be left, where
    nothing mends it.
    """

    text: str
    changes: tuple[str, ...]
    cost: int
    domain: Domain
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class _Text:
    """The same before it is known whether it can be read."""

    text: str
    given: tuple[Given, ...]
    changes: tuple[str, ...] = ()
    cost: int = 0

    def mended(self, text: str, said: str, cost: int = 1) -> _Text:
        """Return the text with one more change."""
        return _Text(text, self.given, (*self.changes, said), self.cost + cost)

    @property
    def problems(self) -> list[str]:
        """Return the texts of the problems."""
        return [no_path(read_text(o.problem, "problem")[0]) for o in self.given if not isinstance(o.problem, Problem)]


def drafts(text: str, given: Sequence[Given]) -> Iterator[Draft]:
    """Yield the domains that can be read and fit their problems and plans, the likeliest first.

    The text itself is the only one where nothing is wrong with it. Raises the first ModelError or PlanError where there
    is none.
    """
    longest = 2 * len(text) + 1000  # a text that only grows is not being mended
    heap: list[tuple[int, int, int, _Text]] = [(0, 0, 0, _Text(text, tuple(given)))]
    first: InputError | None = None
    count, found = 0, False
    while heap and count < _MOST_READ:
        unlikely, depth, _, tried = heappop(heap)
        count += 1
        try:
            ways = _read(tried)
        except _FaultError as fault:
            first = first or fault.error
            ways = fault.ways
        if isinstance(ways, Draft):
            found = True
            yield ways
            continue
        for number, way in enumerate(ways):
            if way.text != tried.text and len(way.text) <= longest and -depth < _MOST:
                heappush(heap, (unlikely + number, depth - 1, count * _MOST + number, way))
    if not found:
        raise first or ModelError("the domain cannot be mended")


class _FaultError(Exception):
    """What is wrong with a text, and the texts without that."""

    def __init__(self, error: InputError, ways: Sequence[_Text] = ()) -> None:
        self.error = error
        self.ways = ways


def _read(draft: _Text) -> Draft | Sequence[_Text]:
    """Return a draft with what it reads as, or the ways to make it fit. Raises _FaultError for what cannot be read."""
    try:
        domain = read_domain(no_path(draft.text))
    except ModelError as error:
        raise _FaultError(error, list(_mends(draft, error))) from None
    cases = _cases(draft, domain)
    if any(case.malformed and not case.must_fail for case in cases):
        ways = [draft.mended(*change) for change in fitting(draft.text, domain, cases)]
        if ways:
            return ways
    return Draft(draft.text, draft.changes, draft.cost, domain, tuple(cases))


def _cases(draft: _Text, domain: Domain) -> list[Case]:
    if not draft.given:
        return []
    try:
        return read_cases(domain, draft.given, strict=True)  # or facts of undeclared predicates are passed over
    except ModelError as error:
        if match := _UNDECLARED.search(error.message):
            changes = [change for text in draft.problems for change in _declared(draft.text, text, match[1])]
            if changes:
                raise _FaultError(error, [draft.mended(*change) for change in changes]) from None
    except InputError as error:
        raise _FaultError(error) from None
    try:
        return read_cases(domain, draft.given)
    except InputError as error:
        raise _FaultError(error) from None


_UNDECLARED = re.compile(r"undeclared predicate '([^']+)'")


def _declared(text: str, problem: str, name: str) -> list[tuple[str, str]]:
    return declared_for(text, problem, name) if name in problem.lower() else []


def _mends(draft: _Text, error: ModelError) -> Iterator[_Text]:
    """Yield the drafts without one fault of the text; none for a fault that has no mend."""
    offset = _offset(draft.text, error)
    for cost, table in enumerate((_SPELLING, _FIXES)):
        for pattern, fix in table:
            if match := pattern.search(error.message):
                for text, said in fix(draft.text, offset, match, draft.problems):
                    line = "" if error.line is None or " of line " in said else f"line {error.line}: "
                    yield draft.mended(text, f"{line}{said}", cost)
                return


def _offset(text: str, error: ModelError) -> int:
    """Return the place of an error in a text; its end where none is given."""
    if error.line is None or error.column is None:
        return len(text)
    lines = text.split("\n")[: error.line - 1]
    return sum(map(len, lines)) + len(lines) + error.column - 1


# --- what each fault is mended by ------------------------------------------------------------------

_Fix: TypeAlias = Callable[[str, int, re.Match[str], Sequence[str]], Sequence[Change]]
"""the text, the place of a fault, what was said of it, texts of problems -> the ways to mend it, if there are any"""

_SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action", ":derived")
_KEYS = (":parameters", ":precondition", ":effect")


def _balance(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> list[Change]:
    after, said = balanced(text)
    return [(after, said)] if said else []


def _keyword(known: Sequence[str], cutoff: float) -> _Fix:
    def fix(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> list[Change]:
        name = match[1]
        found = near(name if name.startswith(":") else f":{name}", known, cutoff)
        return [] if found is None else [(replaced(text, offset, name, found), f"'{name}' becomes '{found}'")]

    return fix


def _question_mark(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> list[Change]:
    name = match[1]
    return [(replaced(text, offset, name, f"?{name}"), f"parameter '{name}' becomes '?{name}'")]


def _twice(text: str, offset: int, match: re.Match[str], _: Sequence[str]) -> list[Change]:
    """Take out a declaration or an action that says word for word what stands before."""
    item = at(text, offset)
    holder = groups(text)[0] if match[1] == "action" else section_of(text, ":predicates")
    if item is None or holder is None:
        return []
    said = text[item.start : item.end].lower().split()
    if not any(text[one.start : one.end].lower().split() == said for one in holder.children if one.start < item.start):
        return []
    after = f"{text[: item.start].rstrip()}{text[item.end :]}"
    return [(after, f"{match[1]} '{match[2]}' is declared twice, alike")]


_SPELLING: Sequence[tuple[re.Pattern[str], _Fix]] = [
    (
        re.compile(r"'\(' is not closed before the section|'\(' is never closed|text after the end of|'\(define' was"),
        _balance,
    ),
    (re.compile(r"'(\S+)' is not a section of a domain"), _keyword(_SECTIONS, 0.6)),
    (re.compile(r"'(\S+)' is not a part of action"), _keyword(_KEYS, 0.5)),
    (re.compile(r"a variable such as \?x was expected, not '([^'?]+)'"), _question_mark),
    (re.compile(r"one of :\S+, .* was expected|a section such as .* was expected"), _balance),
    (re.compile(r"duplicate (predicate|action) '([^']+)'"), _twice),
]
"""what the reader says -> the mend, of which there is one: what it means is not in question, and it costs nothing"""
_FIXES: Sequence[tuple[re.Pattern[str], _Fix]] = [
    (re.compile(r"undeclared predicate '([^']+)'"), predicates),
    (re.compile(r"undeclared type '([^']+)'"), types),
    (re.compile(r"unbound variable '([^']+)'"), variables),
    (re.compile(r"undeclared object '([^']+)'"), objects),
    (re.compile(r"predicate '([^']+)' takes (\d+) arguments, got (\d+)"), numbers),
]
"""the same for names and numbers of arguments, which may have been meant in several ways"""


# --- parentheses -----------------------------------------------------------------------------------

_SECTION = re.compile(
    r"\(\s*:(?:requirements|types|constants|predicates?|functions?|action|derived|constraints)\b", re.IGNORECASE
)
_ACTION = re.compile(r"\(\s*:action\b", re.IGNORECASE)
_KEY = re.compile(r"(?<=[\s()]):[a-z][\w-]*", re.IGNORECASE)
_COMMENT = re.compile(r";[^\n]*")


def balanced(text: str) -> tuple[str, str]:
    """Return the text of a domain with balanced parentheses, and what was changed, in words."""
    plain = _COMMENT.sub(lambda match: " " * len(match[0]), text)
    said: list[str] = []
    for start, end, wanted in reversed(list(_parts(plain))):
        surplus = wanted - (plain.count("(", start, end) - plain.count(")", start, end))
        if surplus:
            text = _put_right(text, plain, start, end, surplus)
            line = text.count("\n", 0, start + len(plain[start:end].rstrip())) + 1
            kind = "too many" if surplus > 0 else "missing"
            said.append(f"{abs(surplus)} ')' {kind} before the end of line {line}")
    return text, "; ".join(reversed(said))


def _parts(plain: str) -> Iterator[tuple[int, int, int]]:
    """Yield the parts of a text, each with the number of parentheses that it must leave open."""
    starts = [match.start() for match in _SECTION.finditer(plain)]
    if not starts:
        yield 0, len(plain), 0
        return
    yield 0, starts[0], 1
    for start, end in pairwise((*starts, len(plain))):
        closing = -1 if end == len(plain) else 0
        if not _ACTION.match(plain, start):
            yield start, end, closing
            continue
        first = plain.index(":", start) + 1
        keys = [start, *(match.start() for match in _KEY.finditer(plain, first, end)), end]
        for number, (begin, stop) in enumerate(pairwise(keys)):
            is_last = stop == end
            yield begin, stop, (1 if number == 0 else 0) + (closing - 1 if is_last else 0)


def _put_right(text: str, plain: str, start: int, end: int, surplus: int) -> str:
    """Take so many ``)`` from the end of a part, or put them there."""
    if surplus < 0:
        at = start + len(plain[start:end].rstrip())
        return f"{text[:at]}{')' * -surplus}{text[at:]}"
    for _ in range(surplus):
        at = plain.rfind(")", start, end)
        text, plain = f"{text[:at]}{text[at + 1 :]}", f"{plain[:at]}{plain[at + 1 :]}"
        end -= 1
    return text
