"""Where in a text the plan may stand: blocks, fences, lists, sections; and which of them mean the same plan.

A *run* is a stretch of lines with steps that nothing parts: no heading between them, no list that begins again. The
runs that may be the plan, each by itself or together, are the selections; the likeliest comes first.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from validator.reading.plan import Plan, Span, Step, Token, Unparsed
from validator.reading.tokens.around.headings import Role, abridges, heading, is_denied, role, takes_back
from validator.records import dataclass, field

__all__ = [
    "Row",
    "Selection",
    "abridged",
    "backwards",
    "gaps",
    "rows_of",
    "selections",
    "taken_back",
    "told_again",
    "zone",
]

_ORDER = re.compile(
    r"[\s>*_`|#{,\"']*(?:\*\*|__)?\(?(?:step[\s_-]*)?(\d{1,6})[\"']?\s*(?:[.):]|-(?=[\s(]))", re.IGNORECASE
)
_FENCE = re.compile(r"[^\S\n]*(?:```|~~~)")
_MARK = re.compile(r"\[\s*(/?)\s*(?:query_)?plan([ _]?end)?\s*\]", re.IGNORECASE)
_THE_PLAN = re.compile(
    r"\W*(?:so\W+)?(?:here\s+is\s+)?(?:the\s+|my\s+|your\s+)?(?:complete\s+|full\s+|whole\s+|overall\s+|valid\s+)?"
    r"(?:plan|action\s+plan|action\s+sequence|sequence\s+of\s+actions|plan\s+of\s+actions?)(?:\s+is)?\W*",
    re.IGNORECASE,
)
_SUMMARY = re.compile(r"\b(?:summar\w+|recap\w*|in\s+short|overall|to\s+sum)\b", re.IGNORECASE)
_TELLS_NO_STEP = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|can|will|now|goals?|done|end|stop|reach\w*|achiev\w*|complet\w*|finish\w*|"
    r"satisf\w*|verif\w*|check\w*|confirm\w*|ensur\w*|result\w*|no\s+(?:further|more))\b",
    re.IGNORECASE,
)
_FEWEST_WORDS = 3
_LABEL_END = re.compile(r":[\s*_`\"']*$")


@dataclass(slots=True, kw_only=True)
class Row:
    """One line of a text: what was read on it, and how it stands among the others."""

    start: int
    end: int
    text: str
    tokens: list[Token] = field(default_factory=list)
    fence: int = 0
    """the number of the fence that it stands in, from 1; 0 outside"""

    @property
    def order(self) -> int | None:
        """Return the number of an item of a numbered list."""
        if any(isinstance(token, Step) and token.time is not None for token in self.tokens):
            return None  # what looks like a number is a time
        match = _ORDER.match(self.text)
        return int(match[1]) if match else None

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())

    @property
    def label(self) -> str:
        """Return what stands before the first step, where it ends with a colon."""
        before = self.text[: self.tokens[0].span[0] - self.start] if self.tokens else ""
        return before if _LABEL_END.search(before) else ""


@dataclass(slots=True, kw_only=True)
class _Run:
    head: str
    role: Role
    rows: list[Row] = field(default_factory=list)
    until: int = 0
    """where the next run begins, or the text ends"""

    @property
    def steps(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(token.name, token.args) for row in self.rows for token in row.tokens if isinstance(token, Step)]

    @property
    def is_the_plan(self) -> bool:
        """Return whether a heading calls this, and nothing else, the plan: ``**Plan:**``."""
        return self.role is Role.PLAN and _THE_PLAN.fullmatch(self.head) is not None

    @property
    def unread(self) -> int:
        return sum(isinstance(token, Unparsed) for row in self.rows for token in row.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Lines that may be the plan: what is to be left out, and where it stands in words."""

    left_out: tuple[Span, ...]
    said: str
    is_marked: bool = False
    warnings: tuple[str, ...] = ()


def rows_of(text: str, plan: Plan) -> list[Row]:
    """Return the lines of a text with the tokens that begin on each."""
    rows: list[Row] = []
    place = number = 0
    inside = False
    for line in text.split("\n"):
        is_fence = _FENCE.match(line) is not None and line.count("```") != 2
        if is_fence and not inside:
            number += 1
        rows.append(Row(start=place, end=place + len(line), text=line, fence=number if inside or is_fence else 0))
        if is_fence:
            inside = not inside
        place += len(line) + 1
    starts = [row.start for row in rows]
    for part in plan.parts:
        if isinstance(part, Token):
            rows[bisect_right(starts, part.span[0]) - 1].tokens.append(part)
    return rows


def zone(rows: Sequence[Row]) -> tuple[list[Row], str, bool]:
    """Return the rows that count alone, how their place is called, and whether the author marked it.

    A ``[PLAN]`` block counts alone: the first one, or what stands before the first ``[PLAN END]``. Without one, code
    fences that hold steps count alone. Without those, everything counts.
    """
    block = _block(rows)
    if block is not None:
        return block, "[PLAN] block", True
    if any(row.fence and row.tokens for row in rows):
        return [row for row in rows if row.fence], "code block", False
    return list(rows), "", False


def _block(rows: Sequence[Row]) -> list[Row] | None:
    first, last = -1, len(rows)
    for number, row in enumerate(rows):
        mark = _MARK.search(row.text) if "[" in row.text else None
        if mark is None:
            continue
        if mark[1] or mark[2] or first >= 0:  # an end, or a second block without an end before it
            last = number
            break
        first = number
    if first < 0 and last == len(rows):
        return None
    return list(rows[max(first, 0) : last + 1])


def gaps(rows: Sequence[Row]) -> list[Row]:
    """Return the items of numbered lists from which no step was read, between items that are steps.

    Before the first and behind the last such item only those that do not look like a remark.
    """
    found: list[Row] = []
    numbered = [(row, order) for row in rows if (order := row.order) is not None]
    last: tuple[Row, int] | None = None
    waiting: list[tuple[Row, int]] = []
    for row, order in numbered:
        is_next = bool(waiting) and order == waiting[-1][1] + 1
        if row.tokens:
            if last is not None and waiting and order == last[1] + len(waiting) + 1:
                found += (one for one, _ in waiting)
            elif last is None and is_next and row.indent == waiting[-1][0].indent:
                found += (one for one, _ in waiting if _may_be_a_step(one.text))
            last, waiting = (row, order), []
        elif last is not None and row.indent == last[0].indent and order == last[1] + len(waiting) + 1:
            waiting.append((row, order))
        elif last is None:
            if not (is_next and row.indent == waiting[-1][0].indent):
                waiting = []
            waiting.append((row, order))
    if last is not None:
        found += (row for row, _ in waiting if _may_be_a_step(row.text))
    return [row for row in found if not is_denied(row.text)]


def _may_be_a_step(text: str) -> bool:
    """Return whether an item at the end of a list of steps is more than a remark on them."""
    return len(re.findall(r"[^\W\d_]{2,}", text)) >= _FEWEST_WORDS and not _TELLS_NO_STEP.search(text)


def abridged(rows: Sequence[Row]) -> list[Row]:
    """Return the lines behind the first step that stand for steps which are not written out."""
    first = next((number for number, row in enumerate(rows) if row.tokens), len(rows))
    return [row for row in rows[first:] if not row.tokens and abridges(row.text)]


def backwards(rows: Sequence[Row]) -> list[Row]:
    """Return the first item of a list of steps that counts down to 1: its author may mean the other order."""
    items = [(row, order) for row in rows if row.tokens and (order := row.order) is not None]
    orders = [order for _, order in items]
    return [items[0][0]] if len(orders) > 1 and orders == list(range(len(orders), 0, -1)) else []


def taken_back(rows: Sequence[Row]) -> list[tuple[Row, Token]]:
    """Return the lines whose words take back a step, with the last step before those words."""
    found: list[tuple[Row, Token]] = []
    before: Token | None = None
    for row in rows:
        place = row.start
        for token in (*row.tokens, None):
            words = row.text[place - row.start : (row.end if token is None else token.span[0]) - row.start]
            is_item = not row.tokens and row.order is not None
            if before is not None and words and takes_back(words, is_item=is_item):
                found.append((row, before))
            if token is not None:
                before, place = token, token.span[1]
    return found


_BEGAN = re.compile(
    r"\b(?:execut\w+|start\w*|begin\w*|began|dispatch\w*|perform\w*|running|send\w*|request\w*|doing|next|action|act|call\w*|"
    r"try\w*|applying)\b",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"\b(?:complet\w+|finish\w*|done|succe\w+|achiev\w+|end(?:ed|s)?|executed|performed|applied|confirmed|ok(?:ay)?)\b",
    re.IGNORECASE,
)
_OFFERED = re.compile(
    r"\W*(?:(?:all\s+)?(?:the\s+)?(?:possible|available|applicable|legal|valid|admissible|feasible|alternative|candidate|other)\s+"
    r"(?:next\s+)?(?:actions?|moves?|steps?|commands?|options?|choices?)|candidates?|options?|alternatives?|choices?)"
    r"(?:\s+are)?\W*:",
    re.IGNORECASE,
)


def told_again(rows: Sequence[Row]) -> list[Row]:
    """Return the lines that say of the step of the line before that it is done, and those that offer steps.

    ``Executing lift(b)`` and ``Finished lift(b)`` are one step; behind ``Candidates:`` stands what may be chosen, where
    other lines say what is.
    """
    told = [row for row in rows if row.tokens]
    offers = [row for row in told if _OFFERED.match(row.text)]
    found = offers if len(offers) < len(told) and len(offers) > 1 else []
    for one, other in pairwise(told):
        if len(one.tokens) == len(other.tokens) == 1 and isinstance(one.tokens[0], Step):
            is_same = one.tokens[0] == other.tokens[0]
            if is_same and _BEGAN.search(_around(one)) and _ENDED.search(_around(other)):
                found.append(other)
    return sorted(found, key=lambda row: row.start)


def _around(row: Row) -> str:
    """Return what stands around the step of a line."""
    start, end = row.tokens[0].span
    return f"{row.text[: start - row.start]} {row.text[end - row.start :]}"


# --- runs ----------------------------------------------------------------------------------------


_OR = re.compile(r"\W*or\W*", re.IGNORECASE)


def _runs(rows: Sequence[Row]) -> Iterator[_Run]:
    run: _Run | None = None
    head, is_new = "", False
    last: Row | None = None
    is_inner = False  # the list that begins again is that of another item around it
    labels = [row.label for row in rows]
    times = Counter(labels)
    for row, label in zip(rows, labels, strict=True):
        if not row.tokens:
            words = heading(row.text) or (row.text if _OR.fullmatch(row.text) else "")
            if words:
                head, is_new = words, True
            is_inner = is_inner or (last is not None and row.order is not None and row.indent < last.indent)
            continue
        if times[label] == 1 and role(label) in (Role.ANSWER, Role.DRAFT, Role.AGAIN):
            head, is_new = label, True
        if run is None or _parts(last, row, head if is_new else "", is_inner=is_inner):
            if run is not None:
                yield run
            run = _Run(head=head if is_new else "", role=role(head) if is_new else Role.PLAIN)
        run.rows.append(row)
        last, is_new, is_inner = row, False, False
    if run is not None:
        yield run


def _parts(last: Row | None, row: Row, head: str, *, is_inner: bool) -> bool:
    """Return whether a line begins another run than the one before it; ``head`` is a heading between them, if any."""
    is_new = bool(head)
    before, now = last.order if last else None, row.order
    if last is not None and last.fence != row.fence:
        return True
    if before is not None and now is not None:
        goes_on = now == before + 1 and last is not None and last.indent == row.indent
        return (is_new and not (goes_on and role(head) is not Role.DRAFT)) or (
            now < before and now <= 1 and not is_inner
        )
    return is_new


_DROPPED = {
    Role.AGAIN: "say once more or explain what stands elsewhere",
    Role.DRAFT: "are tried only",
    Role.STATE: "are facts or conditions",
}


def selections(rows: Sequence[Row], name: Callable[[Row], str]) -> list[Selection]:
    """Return the selections of lines that may be the plan, the likeliest first; ``name`` says where a line stands."""
    runs = list(_runs(rows))
    if len(runs) <= 1:
        return []
    for run, following in pairwise(runs):
        run.until = following.rows[0].start
    runs[-1].until = rows[-1].end
    kept, warnings, is_marked = _kept(runs)
    kept, said_again = _once(kept)
    if said_again:
        warnings.append(f"{said_again} steps are said once more and counted once")
    if not is_marked and (summary := _other_summary(runs, kept)) is not None:
        if taken_back([row for row in rows if any(_stands_in(row, run) for run in kept)]):
            return [
                _selection(runs, [summary], warnings, True, name)
            ]  # what is summed up is what was decided in the end
        return [_selection(runs, chosen, warnings, False, name) for chosen in (kept, [summary])]
    are_tried = all(run.role is Role.DRAFT for run in kept)
    if len(kept) == 1 or not (are_tried or _may_be_several(kept)):
        return [_selection(runs, kept, warnings, is_marked, name)]
    each = [_selection(runs, [run], warnings, False, name) for run in kept]
    return [_selection(runs, kept, warnings, False, name), *each]


def _kept(runs: list[_Run]) -> tuple[list[_Run], list[str], bool]:
    """Return the runs that may be the plan, what is said of the others, and whether the author marked them."""
    answers = [place for place, run in enumerate(runs) if run.role is Role.ANSWER or (place and run.is_the_plan)]
    if answers:
        first = answers[-1]
        behind = [run for run in runs[first + 1 :] if run.role is Role.PHASE or _continues(runs[first], run)]
        before = sum(len(run.steps) for run in runs[:first])
        said = f"{before} steps before {runs[first].head.strip()!r:.60} are not part of the plan"
        return [runs[first], *behind], [said] if before else [], True
    has_plan = any(run.role in (Role.PLAN, Role.PHASE, Role.PLAIN) for run in runs)
    kept = [run for run in runs if run.role not in _DROPPED] if has_plan else runs
    if kept and kept[0] is not runs[0] and not any(run.role is Role.PLAN for run in kept):
        # What stands first under a heading such as "Step-by-step explanation" is the plan; nothing was said before it.
        kept = [runs[0], *kept] if runs[0].role is Role.AGAIN else kept
    if not has_plan and any(run.role is Role.AGAIN for run in runs):
        kept = [next(run for run in runs if run.role is Role.AGAIN)]
    warnings = []
    for dropped, why in _DROPPED.items():
        count = sum(len(run.steps) for run in runs if run.role is dropped and run not in kept)
        if count:
            warnings.append(f"{count} steps {why} and are not part of the plan")
    return kept, warnings, False


def _continues(run: _Run, other: _Run) -> bool:
    """Return whether a numbered list goes on in another run."""
    last, first = run.rows[-1].order, other.rows[0].order
    return last is not None and first is not None and first == last + 1


def _once(runs: list[_Run]) -> tuple[list[_Run], int]:
    """Return the runs without those that say the same steps once more, and how many steps those have.

    Of two that say the same, the one is kept in which less could not be read.
    """
    kept: list[_Run] = []
    again = 0
    for run in runs:
        twin = next((place for place, other in enumerate(kept) if _same(other, run)), None)
        if twin is not None:
            again += len(run.steps)
            if run.unread < kept[twin].unread:
                kept[twin] = run
        elif len(kept) > 1 and run.steps == [step for other in kept for step in other.steps]:
            again += len(run.steps)
        else:
            kept.append(run)
    return kept, again


def _same(run: _Run, other: _Run) -> bool:
    return len(run.steps) > 1 and run.steps == other.steps


def _stands_in(row: Row, run: _Run) -> bool:
    return run.rows[0].start <= row.start < run.until


def _other_summary(runs: Sequence[_Run], kept: Sequence[_Run]) -> _Run | None:
    """Return the last run that sums up the plan in other steps than those that are kept."""
    steps = [step for run in kept for step in run.steps]
    for run in reversed(runs):
        if run not in kept and run.role is Role.AGAIN and _SUMMARY.search(run.head):
            return run if run.steps != steps and len(run.steps) > 1 and not run.unread else None
    return None


def _may_be_several(runs: Sequence[_Run]) -> bool:
    """Return whether runs may be several plans: a heading says so, or their lists begin again.

    The latter not where a heading calls them parts of one.
    """
    if any(_OTHER_PLAN.match(run.head) for run in runs[1:]):
        return True
    if any(run.role is Role.PHASE for run in runs):
        return False
    return sum(run.rows[0].order in (0, 1) for run in runs) > 1


_OTHER_PLAN = re.compile(
    r"\W*(?:or|alternatively|alternative(?:\s+(?:plan|solution|option)s?)?|"
    r"an?other\s+(?:plan|option|solution|alternative|possibility|way)|"
    r"(?:the\s+)?(?:second|third|other)\s+(?:plan|option|solution|alternative|possibility)|"
    r"(?:plan|option|solution|alternative)\s*#?\s*(?:[2-9]|[b-e]|two|three))\W*$",
    re.IGNORECASE,
)
"""a heading of steps that are done in place of those above it"""


def _selection(
    runs: Sequence[_Run], kept: Sequence[_Run], warnings: Sequence[str], is_marked: bool, name: Callable[[Row], str]
) -> Selection:
    left_out = tuple((run.rows[0].start, run.until) for run in runs if run not in kept)
    said = "; ".join(run.head.strip(" :*") or name(run.rows[0]) for run in kept[:3])
    return Selection(
        left_out=tuple(sorted(left_out)), said=said or "the text", is_marked=is_marked, warnings=tuple(warnings)
    )
