"""Plans that a text tells beside the one that was read: an answer below a draft, a list in words below one of calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, pairwise

from validator.reading.lexicon.clauses.patterns import Said
from validator.reading.plan import Plan, Span, Step, tiled
from validator.reading.tokens.asides import tagged
from validator.reading.tokens.phrases import Role, heading, role, takes_back_all
from validator.reading.tokens.vocabulary import Vocabulary
from validator.reading.understood import overlaps
from validator.records import replace

_MOST_LINES = 1_000
"""behind the first step of a plan"""
_LONGEST = 400
"""characters of a heading, and of a line that takes back steps"""
_OTHERS = (Role.ANSWER, Role.DRAFT)
"""what a heading may call steps that are another plan than the one above them"""
_MOST_PARTS = 8
"""of a text, from its end on"""
_NAME = re.compile(r"[^\W\d][\w-]*")


def answer_at(text: str) -> int:
    """Return where the author's last word begins: by a heading, a tag, or words that take back; 0 where none does."""
    found, start = max((start for start, _ in tagged(text)), default=0), 0
    for line in text.split("\n"):
        if len(line) < _LONGEST and (role(heading(line)) in _OTHERS or takes_back_all(line)):
            found = max(found, start)
        start += len(line) + 1
    return found


def other_answer(plan: Plan, known: Vocabulary) -> int:
    """Return where an answer begins that names an action and tells other steps than the plan above it; else 0."""
    spans = sorted(step.span for step in plan.steps)
    if not spans or not any(map(str.isalpha, plan.text[spans[-1][1] :])):
        return 0
    start, own = answer_at(plan.text), [(step.name, step.args) for step in plan.steps]
    if not spans[0][0] < start >= spans[-1][1]:
        return 0
    names = (match for match in _NAME.finditer(plan.text, start) if known.written(match[0]))
    cuts = [match.start() for match in islice(names, len(own) + 1)]
    in_a_row = (_told(plan.text[one:other], one, known) for one, other in pairwise((*cuts, len(plan.text))))
    told = chain(_runs(plan, known, start), ([step for steps in in_a_row for step in steps],) if cuts else ())
    return start if cuts and all([(step.name, step.args) for step in steps] != own for steps in told) else 0


def parts_behind(text: str, spans: Sequence[Span]) -> Iterator[int]:
    """Yield where the last steps of a text begin behind lines that tell none, the shortest part first."""
    gaps = ((text[one[1] : other[0]].split("\n")[1:-1], other[0]) for one, other in pairwise(spans))
    starts = [start for lines, start in gaps if any(map(str.isalpha, "".join(lines)))]
    yield from reversed(starts[-_MOST_PARTS:])


def other_runs(plan: Plan, known: Vocabulary) -> Iterator[Plan]:
    """Yield the plans of two steps or more that lines in a row, none of them a plan's, tell behind its first step."""
    first = min((step.span[0] for step in plan.steps), default=0)
    for steps in _runs(plan, known, plan.text.find("\n", first) + 1):
        if len(steps) > 1:
            yield replace(plan, parts=tiled(plan.text, steps), claims_no_plan=None)


def _runs(plan: Plan, known: Vocabulary, start: int) -> Iterator[list[Step]]:
    """Yield the steps of lines in a row that tell some in words and are none of a plan's, from the start of one on."""
    spans, steps = sorted(token.span for token in plan.tokens), list[Step]()
    for line in (*plan.text[start:].split("\n")[:_MOST_LINES], "-"):
        end = start + len(line)
        if line.strip():
            told = [] if overlaps((start, end), spans) else _told(line, start, known)
            if steps and not told:
                yield steps
            steps = [*steps, *told] if told else []
        start = end + 1


def _told(words: str, start: int, known: Vocabulary) -> list[Step]:
    """Return the steps that words tell; none where some of them may be another one."""
    said = () if known.lexicon is None else known.lexicon.sentences(words, start)
    told = [one.step for one in said if isinstance(one, Said)]
    return told if len(told) == len(said) else []
