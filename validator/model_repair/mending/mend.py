"""A domain that cannot be read, or does not fit its problems and plans, mended fault by fault; each mend is named.

The reader says what it does not understand and where; the fault decides the mend. A name may have been meant in several
ways: then there are several drafts, and what they cost to repair decides. A text is never made readable by leaving out
what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

from validator.errors import InputError, ModelError
from validator.model.pddl import read_domain
from validator.model.pddl.frame import read_text
from validator.model.values import Domain, Problem
from validator.model_repair.cases import Case, Given, read_cases
from validator.model_repair.mending.fit import fitting, missing_object
from validator.model_repair.mending.fixes import FIXES, SPELLING
from validator.model_repair.mending.names import declared_for
from validator.model_repair.source.facts import with_object
from validator.records import dataclass, replace
from validator.texts import no_path

__all__ = ["Draft", "drafts"]

_MOST = 30
"""mends of one text"""
_MOST_READ = 300
"""texts that are read to find the drafts"""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that can be read, with its problems and plans, and what was changed in it, in words.

    ``cost`` counts the changes that might have been others. A step that is none of the domain may be left, where
    nothing mends it.
    """

    text: str
    given: tuple[Given, ...]
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


def drafts(text: str, given: Sequence[Given], *, facts: bool = False) -> Iterator[Draft]:
    """Yield the domains that can be read and fit their problems and plans, the likeliest first.

    The text itself is the only one where nothing is wrong with it. With ``facts`` problems may get objects. Raises
    the first ModelError or PlanError where there is none.
    """
    longest = 2 * len(text) + 1000  # a text that only grows is not being mended
    heap: list[tuple[int, int, int, _Text]] = [(0, 0, 0, _Text(text, tuple(given)))]
    first: InputError | None = None
    count, found = 0, False
    while heap and count < _MOST_READ:
        unlikely, depth, _, tried = heappop(heap)
        count += 1
        try:
            ways = _read(tried, facts=facts)
        except _FaultError as fault:
            first = first or fault.error
            ways = fault.ways
        if isinstance(ways, Draft):
            found = True
            yield ways
            continue
        for number, way in enumerate(ways):
            if (way.text, way.given) != (tried.text, tried.given) and len(way.text) <= longest and -depth < _MOST:
                heappush(heap, (unlikely + number, depth - 1, count * _MOST + number, way))
    if not found:
        raise first or ModelError("the domain cannot be mended")


class _FaultError(Exception):
    """What is wrong with a text, and the texts without that."""

    def __init__(self, error: InputError, ways: Sequence[_Text] = ()) -> None:
        self.error = error
        self.ways = ways


def _read(draft: _Text, *, facts: bool) -> Draft | Sequence[_Text]:
    """Return a draft with what it reads as, or the ways to make it fit. Raises _FaultError for what cannot be read."""
    try:
        domain = read_domain(no_path(draft.text))
    except ModelError as error:
        raise _FaultError(error, list(_mends(draft, error))) from None
    cases = _cases(draft, domain)
    if any(case.malformed and not case.must_fail for case in cases):
        ways = [draft.mended(*change) for change in fitting(draft.text, domain, cases)]
        if not ways and facts:
            ways = list(_with_object(draft, cases))
        if ways:
            return ways
    return Draft(draft.text, draft.given, draft.changes, draft.cost, domain, tuple(cases))


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
    for cost, table in enumerate((SPELLING, FIXES)):
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


def _with_object(draft: _Text, cases: Sequence[Case]) -> Iterator[_Text]:
    """Yield the draft whose problem has an object that a plan names, of each type that it may have."""
    found = missing_object(cases)
    if found is None:
        return
    number, name, types = found
    one = draft.given[number]
    if isinstance(one.problem, Problem):
        return
    text, _ = read_text(one.problem, "problem")
    for kind in types:
        after = replace(one, problem=with_object(text, name, kind))
        given = (*draft.given[:number], after, *draft.given[number + 1 :])
        said = f"problem: the object {name}{'' if kind == 'object' else f' - {kind}'} is missing"
        yield replace(draft.mended(draft.text, said), given=given)
