"""Which plans a text may mean: its runs of lines with steps, and which of them are the same plan.

A *run* is a stretch of lines with steps that nothing parts: no heading between them, no list that begins again. The
runs that may be the plan, each by itself or together, are the selections; the likeliest comes first. What a heading
says of the steps below it is in ``phrases``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from validator.reading.plan import Step, Unparsed
from validator.reading.tokens.phrases import Role, heading, role
from validator.reading.tokens.rows import Row, taken_back
from validator.records import dataclass, field

_THE_PLAN = re.compile(
    r"\W*(?:so\W+)?(?:here\s+is\s+)?(?:the\s+|my\s+|your\s+)?(?:complete\s+|full\s+|whole\s+|overall\s+|valid\s+)?"
    r"(?:plan|action\s+plan|action\s+sequence|sequence\s+of\s+actions|plan\s+of\s+actions?)(?:\s+is)?\W*",
    re.IGNORECASE,
)
_SUMMARY = re.compile(r"\b(?:summar\w+|recap\w*|in\s+short|overall|to\s+sum)\b", re.IGNORECASE)
_TOTAL = re.compile(r"^[^\S\n]*;+[^\S\n]*(?:cost|makespan)[^\S\n]*[=:][^\S\n]*\d", re.IGNORECASE | re.MULTILINE)
_PROBLEM = re.compile(r"\W*(?:problem|task|example|instance|question|query|scenario)\s*#?\d{1,4}\W*", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_QUOTED = re.compile(r"\s*>\s")
_OR = re.compile(r"\W*or\W*", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(?i:plan|solution|option|alternative|candidate|approach|variant|version)\s*#?\s*"
    r"(?:[A-Z]|\d{1,2}|(?i:[b-e]|two|three))(?:\W*$|(?=\s*[:(–-]))"
)
"""a heading with a name of a plan among several; "a" is an article"""
_OTHER_PLAN = re.compile(
    r"\W*(?:or|alternatively|alternative(?:\s+(?:plan|solution|option)s?)?|"
    r"an?other\s+(?:plan|option|solution|alternative|possibility|way)|"
    r"(?:the\s+)?(?:second|third|other)\s+(?:plan|option|solution|alternative|possibility))\W*$",
    re.IGNORECASE,
)


@dataclass(slots=True, kw_only=True)
class _Run:
    head: str
    role: Role
    rows: list[Row] = field(default_factory=list)
    until: int = 0
    """where the next run begins, or the text ends"""
    is_another: bool = False
    """whether it is no part of the plan before it: its cost stands between, as planners write it, another problem
    begins there, or one of both is quoted"""

    @property
    def steps(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(token.name, token.args) for row in self.rows for token in row.tokens if isinstance(token, Step)]

    @property
    def is_the_plan(self) -> bool:
        """Return whether a heading calls this, and nothing else, the plan: ``**Plan:**``."""
        return self.role is Role.PLAN and _THE_PLAN.fullmatch(self.head) is not None

    @property
    def is_named(self) -> bool:
        """Return whether a heading tells it from other plans: ``Plan B``, ``Alternatively:``."""
        return _NAMED.search(self.head) is not None or _OTHER_PLAN.match(self.head) is not None

    @property
    def unread(self) -> int:
        return sum(isinstance(token, Unparsed) for row in self.rows for token in row.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Lines that may be the plan, and where they stand in words."""

    rows: tuple[Row, ...]
    said: str
    is_marked: bool = False
    is_joined: bool = False
    """whether it is several stretches in a row, of which each is a selection too"""
    warnings: tuple[str, ...] = ()


def has_totals(text: str) -> bool:
    """Return whether several lines tell what a plan costs or takes, as planners write it: ``; cost = 8 (unit cost)``.

    One of several plans stands between them, as where the files of an anytime planner were joined.
    """
    found = _TOTAL.finditer(text)
    return next(found, None) is not None and next(found, None) is not None


def _role_beside(words: str, own: frozenset[str]) -> Role:
    """Return what a heading says of what follows by the words that are none of the model's."""
    found = role(words)
    if found is Role.PLAIN or not own:
        return found
    from validator.reading.lexicon.english import bases  # which few texts need

    return role(_WORD.sub(lambda word: word[0] if own.isdisjoint(bases(word[0].lower())) else "", words))


def _runs(rows: Sequence[Row], own: frozenset[str]) -> Iterator[_Run]:
    run: _Run | None = None
    head, is_new = "", False
    last: Row | None = None
    is_inner = False  # the list that begins again is that of another item around it
    is_told = False  # what a plan costs, or that there is another problem
    labels = [row.label for row in rows]
    times = Counter(labels)
    is_quoted = any(_QUOTED.match(row.text) for row in rows if row.tokens)
    for row, label in zip(rows, labels, strict=True):
        if not row.tokens:
            is_told = is_told or _PROBLEM.fullmatch(row.text) is not None or _TOTAL.match(row.text) is not None
            words = heading(row.text) or (row.text if _OR.fullmatch(row.text) else "")
            if words:
                head, is_new = words, True
            is_inner = is_inner or (last is not None and row.order is not None and row.mark.indent < last.mark.indent)
            continue
        if times[label] == 1 and _role_beside(label, own) in (Role.ANSWER, Role.DRAFT, Role.AGAIN):
            head, is_new = label, True
        if is_quoted and last is not None and bool(_QUOTED.match(row.text)) is not bool(_QUOTED.match(last.text)):
            is_told = True
        if run is None or is_told or _parts(last, row, head if is_new else "", own, is_inner=is_inner):
            if run is not None:
                run.until = row.start
                yield run
            run = _Run(
                head=head if is_new else "",
                role=_role_beside(head, own) if is_new else Role.PLAIN,
                is_another=is_told and run is not None,
            )
        run.rows.append(row)
        last, is_new, is_inner, is_told = row, False, False, False
    if run is not None:
        run.until = rows[-1].end
        yield run


def _parts(last: Row | None, row: Row, head: str, own: frozenset[str], *, is_inner: bool) -> bool:
    """Return whether a line begins another run than the one before it; ``head`` is a heading between them, if any."""
    before, now = last.order if last else None, row.order
    if last is not None and last.fence != row.fence:
        return True
    if last is None or before is None or now is None:
        return bool(head)
    goes_on = now == before + 1 and last.mark.indent == row.mark.indent
    return (bool(head) and not (goes_on and _role_beside(head, own) is not Role.DRAFT)) or (
        now < before and now <= 1 and not is_inner
    )


# --- selections ------------------------------------------------------------------------------------

_DROPPED = {
    Role.AGAIN: "say once more or explain what stands elsewhere",
    Role.DRAFT: "are tried only",
    Role.STATE: "are facts or conditions",
}
_MOST_BLOCKS = 8
"""code fences of which each may be a plan; more are its parts"""


def selections(rows: Sequence[Row], name: Callable[[Row], str], own: frozenset[str]) -> list[Selection]:
    """Return the selections of lines that may be the plan, the likeliest first; ``name`` says where a line stands.

    ``own`` are the words of the model, which are none of a heading's.
    """
    runs = list(_runs(rows, own))
    if len(runs) <= 1:
        return []

    def selected(kept: Sequence[_Run], warnings: Sequence[str], **marks: bool) -> Selection:
        others = [run for run in runs if run not in kept]
        left = tuple(row for row in rows if not any(_stands_in(row, run) for run in others))
        said = "; ".join(run.head.strip(" :*") or name(run.rows[0]) for run in kept[:3]) or "the text"
        return Selection(rows=left, said=said, warnings=tuple(warnings), **marks)

    plans = _cut(runs, lambda run: run.is_another)
    if len(plans) > 1:
        found: dict[object, Selection] = {}  # those that say the same steps are one
        for plan in reversed(plans):
            kept, warnings, _ = _kept(plan)
            found.setdefault(tuple(step for run in kept for step in run.steps), selected(kept, warnings))
        return list(found.values())
    kept, warnings, is_marked = _kept(runs)
    kept, said_again = _once(kept)
    if said_again:
        warnings.append(f"{said_again} steps are said once more and counted once")
    if not is_marked and (summary := _other_summary(runs, kept)) is not None:
        if any(True for _ in taken_back([row for row in rows if any(_stands_in(row, run) for run in kept)])):
            return [selected([summary], warnings, is_marked=True)]  # what is summed up is what was decided in the end
        return [selected(chosen, warnings) for chosen in (kept, [summary])]
    has_phases = any(run.role is Role.PHASE for run in kept)
    plans = _cut(kept, lambda run: run.is_named)
    if len(plans) > 1 and not (has_phases and all(_OTHER_PLAN.match(run.head) is None for run in kept)):
        return [selected(plan, warnings) for plan in plans]
    each = [] if is_marked or has_phases else _alone(kept)
    return [
        selected(kept, warnings, is_marked=is_marked, is_joined=bool(each)),
        *(selected(plan, warnings) for plan in each),
    ]


def _cut(runs: Sequence[_Run], begins: Callable[[_Run], bool]) -> list[list[_Run]]:
    """Return runs in groups, each of which begins with the first run or with one that begins another plan."""
    groups: list[list[_Run]] = []
    for run in runs:
        if not groups or begins(run):
            groups.append([])
        groups[-1].append(run)
    return groups


def _alone(runs: Sequence[_Run]) -> list[list[_Run]]:
    """Return the runs that may be a plan each, or parts of one: drafts, lists that begin again, a few code fences."""
    are_drafts = all(run.role is Role.DRAFT for run in runs)
    if len(runs) > 1 and (are_drafts or sum(run.rows[0].order in (0, 1) for run in runs) > 1):
        return [[run] for run in runs]
    fences: dict[int, list[_Run]] = {}
    for run in runs:
        fences.setdefault(run.rows[0].fence, []).append(run)
    long = sum(sum(len(run.steps) for run in block) > 1 for block in fences.values())
    return [] if 0 in fences or len(fences) > _MOST_BLOCKS or long < 2 else list(fences.values())


def _kept(runs: list[_Run]) -> tuple[list[_Run], list[str], bool]:
    """Return the runs that may be the plan, what is said of the others, and whether the author marked them."""
    names = [place for place, run in enumerate(runs) if _NAMED.search(run.head)]
    answers = [place for place, run in enumerate(runs) if run.role is Role.ANSWER or (place and run.is_the_plan)]
    if len(names) > 1:  # "Solution 1" and "Solution 2" are two
        answers = [place for place in answers if place not in names]
    if answers:
        first = answers[-1]
        behind = [run for run in runs[first + 1 :] if run.role is Role.PHASE]
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


def _once(runs: list[_Run]) -> tuple[list[_Run], int]:
    """Return the runs without those that say the same steps once more, and how many steps those have.

    Of two that say the same, the one is kept in which less could not be read.
    """
    kept: list[_Run] = []
    again = 0
    for run in runs:
        is_long = len(run.steps) > 1
        twin = next((place for place, other in enumerate(kept) if is_long and other.steps == run.steps), None)
        if twin is not None:
            again += len(run.steps)
            if run.unread < kept[twin].unread:
                kept[twin] = run
        elif len(kept) > 1 and run.steps == [step for other in kept for step in other.steps]:
            again += len(run.steps)
        else:
            kept.append(run)
    return kept, again


def _stands_in(row: Row, run: _Run) -> bool:
    return run.rows[0].start <= row.start < run.until


def _other_summary(runs: Sequence[_Run], kept: Sequence[_Run]) -> _Run | None:
    """Return the last run that sums up the plan in other steps than those that are kept."""
    steps = [step for run in kept for step in run.steps]
    for run in reversed(runs):
        if run not in kept and run.role is Role.AGAIN and _SUMMARY.search(run.head):
            return run if run.steps != steps and len(run.steps) > 1 and not run.unread else None
    return None
