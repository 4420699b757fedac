"""The plans that a text may mean which has values: JSON and its like, records, lines of commas."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise

from validator.reading.calls.commas import read_commas
from validator.reading.plan import Dialect, Ignored, Part, Plan, Step, Unparsed
from validator.reading.reading import Candidate
from validator.reading.tokens.around.denials import claims_no_plan
from validator.reading.tokens.around.marks import blanked
from validator.reading.tokens.candidates.candidate import candidate_of, warned, with_missed
from validator.reading.tokens.candidates.lines import by_lines
from validator.reading.tokens.limits import MAX_CHARACTERS, MAX_STEPS
from validator.reading.tokens.notations.records import Found, found_steps, joined
from validator.reading.tokens.notations.structured import looks_like_json
from validator.reading.tokens.notations.words import SAYING_WORDS
from validator.reading.tokens.vocabulary import Vocabulary
from validator.records import replace

__all__ = ["by_values", "commas_of", "may_be_values", "no_values", "of_values"]

_MAY_BE_VALUES = re.compile(
    r"""[\[{(]\s*+[\[{("']|^[^\S\n]*+\|?[^\S\n]*+:?--|^[^\S\n]*+-[^\S\n]++\w++[^\S\n]*+:|=["']|[\[{]\s*+\w++\s*+:|</\w|"""
    r"""(?:^[^\S\n]*+(?:[-*+][^\S\n]++)?+|[,;|][^\S\n]*+)[*_`]*+(?:param|arg|object)[a-z]*+(?:[ _]\w++)?[*_`]*+"""
    r"""[^\S\n]*+:""",
    re.MULTILINE | re.IGNORECASE,
)
_OF_STATEMENTS = (
    "]\n",
    "{\n",
    "INSERT ",
    "insert ",
    "POST ",
    "PUT ",
    "PATCH ",
    "action,",
    "action;",
    "action\t",
    "action_name",
    'action"',
    ",action",
    ";action",
    "\taction",
    "action ",
)
"""one of which stands in whatever ``_MAY_BE_STATEMENTS`` finds; to look for them takes a tenth of the time"""
_MAY_BE_STATEMENTS = re.compile(
    r"""^[^\S\n]*+(?:\[{1,2}[\w.\- ]{1,80}\]{1,2}[^\S\n]*+\n\s*+[\w.-]++[^\S\n]*+=|\w++[^\S\n]*+\{[^\S\n]*+$)|"""
    r"""\bINSERT[ ]INTO\b|(?-i:\b(?:POST|PUT|PATCH)[ ]++["']?(?:/|http))|"""
    r"""(?:^|[,;\t])"?action(?:[_ ]name)?+"?[,;\t]\w|[\w"][,;\t][ ]?"?action(?:[_ ]name)?+"?[^\S\n]*+$|"""
    r"""^[^\S\n]++(?:\w++[^\S\n]++){0,9}?action(?:_name)?+(?:[^\S\n]++\w++){1,9}+[^\S\n]*+\n[^\S\n]*+0[^\S\n]""",
    re.MULTILINE | re.IGNORECASE,
)


def may_be_values(text: str) -> bool:
    """Return whether a text has signs of values, for which it takes longer to look."""
    if _MAY_BE_VALUES.search(text) is not None:
        return True
    return any(map(text.__contains__, _OF_STATEMENTS)) and _MAY_BE_STATEMENTS.search(text) is not None


def by_values(text: str, visible: str, known: Vocabulary, dialect: Dialect | None = None) -> list[Candidate]:
    """Return the plans that stand in JSON and its like, and what the rest of the text says besides."""
    if dialect is None and looks_like_json(visible) is Dialect.EAI_LIST:
        return []
    lists = [found for found in found_steps(visible, known) if found.steps]
    if not lists:
        return []
    if dialect is Dialect.JSON:
        return [candidate_of(of_values(found, text)) for found in lists]
    lists = [_repeated(found, visible) for found in lists]
    rest = by_lines(text, blanked(visible, sorted(found.span for found in lists)), known, None)
    lists, named = _apart(lists, visible)
    if _are_one(lists, visible):
        lists = [joined(lists)]
    if len(lists) > _MOST_LISTS:
        reason = f"it is one of {len(lists)} lists of steps, and which of them are the plan is not said"
        first = Unparsed(text=text[slice(*lists[0].span)], reason=reason, span=lists[0].span)
        return [with_missed(candidate_of(of_values(joined(lists), text)), [first])]
    several = (
        f"{named} list{'s' * (named > 1)} of steps in sentences {'are' if named > 1 else 'is'} not part of the plan"
    )
    plans = [warned(of_values(found, text), [several] if named else []) for found in lists]
    answers = [found for found in lists if _ANSWER.search(found.key)]
    candidates = [
        candidate_of(plan, f"the values of {found.key or 'a list'}", is_marked=answers == [found])
        for plan, found in zip(plans, lists, strict=True)
    ]
    candidates = [one for each in candidates for one in (each, *_in_a_row(each))]
    known_steps = {(step.name, step.args) for plan in plans for step in plan.steps}
    candidates += (one for one in rest if not _says_again(one.plan, known_steps))
    return _distinct(candidates)


_ANSWER = re.compile(r"(?:^|_)(?:final|corrected|revised|answer)(?:_|$)", re.IGNORECASE)
"""what a key calls the plan that its author means in the end"""
_NODE = re.compile(r"\w{0,6}")
_ADDS = re.compile(
    r"[\s);]*(?:(?:#|//)[^\n]*\n\s*)*(?:(?:for|while|if|elif|else)\b[^\n]*:\s*)?"
    r"(?:\+\s*|\w[\w.]*\s*\+=\s*|\w[\w.]*\.(?:append|extend|push|push_back|add)\(?\s*)"
)
"""what a program has between the steps that it adds to a list: ``plan.append(("lift", "b"))``, ``plan += [...]``"""
_LONGEST_GAP = 400
_REPEATED = re.compile(r"\s*+(?:\*(?!\*)\s*+\d|for\s++\w++(?:\s*+,\s*+\w++)*+\s++in\s++\w)")
"""what a program has behind steps that it repeats: ``[("lift", "b")] * 3``, ``[f(x) for x in y]``"""
_MOST_LISTS = 100
"""lists of steps of which each may be the plan"""


def _are_one(lists: Sequence[Found], text: str) -> bool:
    """Return whether lists follow each other like the nodes of a graph or the lines of a log, or a program joins them.

    Nodes and lines are lists of one step each.
    """
    gaps = [text[one.span[1] : other.span[0]] for one, other in pairwise(lists)]
    if gaps and all(len(gap) < _LONGEST_GAP and _ADDS.fullmatch(gap) for gap in gaps):
        return True
    if len(lists) < 2 or not all(found.steps == len(found.tokens) == 1 for found in lists):
        return False
    steps = {str(found.tokens[0]) for found in lists}
    are_near = all(_NODE.fullmatch(label := gap.strip(" \t\n,;")) and ("\n" in gap or not label) for gap in gaps)
    return len(steps) == len(lists) and are_near


_FENCED = re.compile(r"^[^\S\n]*+```[^\n]*+\n.*?(?:^[^\S\n]*+```|\Z)", re.DOTALL | re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_FEWEST_WORDS = 3
"""words on a line before a list that a sentence names"""


def _apart(lists: list[Found], text: str) -> tuple[list[Found], int]:
    """Return the lists without those that sentences name, where others stand in code fences; and how many these are."""
    fences = [match.span() for match in _FENCED.finditer(text)] if len(lists) > 1 and "```" in text else []
    inside = [found for found in lists if any(start <= found.span[0] < end for start, end in fences)]
    kept = [found for found in lists if found in inside or not _is_named(text, found.span[0])]
    return (kept, len(lists) - len(kept)) if inside else (lists, 0)


def _is_named(text: str, place: int) -> bool:
    """Return whether a sentence goes on where a list begins, and does not end there with a colon."""
    before = text[text.rfind("\n", 0, place) + 1 : place].rstrip()
    return len(_WORD.findall(before)) >= _FEWEST_WORDS and before[-1:] not in ":=("


def _repeated(found: Found, text: str) -> Found:
    """Return a list of steps, the first of which is not understood where a program repeats it."""
    behind = _REPEATED.match(text, found.span[1])
    if behind is None:
        return found
    first, *others = found.tokens
    reason = f"it depends on '{behind[0].strip()}'"
    return replace(found, tokens=(Unparsed(text=str(first), reason=reason, span=first.span), *others))


def _in_a_row(candidate: Candidate) -> Iterator[Candidate]:
    """Yield the plan whose lists in lists are stretches of one sequence, and no sets of steps that happen at once."""
    sizes = Counter(step.concurrent for step in candidate.plan.steps if step.concurrent is not None)
    if max(sizes.values(), default=0) > 1:
        parts = (replace(part, concurrent=None) if isinstance(part, Step) else part for part in candidate.plan.parts)
        plan = replace(candidate.plan, parts=tuple(parts))
        yield replace(candidate, plan=plan, said=f"{candidate.said}, one after the other")


def _says_again(plan: Plan, steps: Container[tuple[str, tuple[str, ...]]]) -> bool:
    """Return whether what stands beside values is no plan: one step, or sentences that tell their steps again."""
    is_told = plan.dialect is Dialect.WORDS and all((step.name, step.args) in steps for step in plan.steps)
    return len(plan.steps) <= 1 or is_told


_SEPARATED = re.compile(r"[,{;→]|->|=>")


def commas_of(text: str, known: Vocabulary) -> Plan | None:
    """Return a plan that is a line of commas; a text of one element is left to the lines."""
    if len(text) > MAX_CHARACTERS or _SEPARATED.search(text) is None or text.count(",") > MAX_STEPS:
        return None
    plan = read_commas(text, known)
    least = 1 if "{" in text else 2
    if plan is None or len(plan.tokens) < least or any(_is_said(step, text, known) for step in plan.steps):
        return None
    return plan


def _is_said(step: Step, text: str, known: Vocabulary) -> bool:
    """Return whether a step of bare words has other words than names, or not as many as its action takes."""
    wanted = known.actions.get(step.name.lower())
    said = text[slice(*step.span)].strip("\"'` \t")
    if wanted is None or step.concurrent is not None or said[:1] == "(" or said[-1:] == ")":
        return False
    return len(step.args) != wanted or any(arg in SAYING_WORDS and arg not in known.objects for arg in step.args)


def no_values(text: str) -> Plan:
    """Return what a text without a list of steps is when values are asked for: the empty list, or not readable."""
    parts: tuple[Part, ...] = ()
    if text:
        is_empty = text.strip() in ("", "[]", "{}")
        reason = 'a list of steps as values was expected, such as [{"action": "NAME", "args": [...]}]'
        span = (0, len(text))
        nothing = Ignored(kind="markup", text=text, span=span)
        parts = (nothing if is_empty else Unparsed(text=text, reason=reason, span=span),)
    return Plan(parts=parts, dialect=Dialect.JSON, text=text)


def of_values(found: Found, text: str) -> Plan:
    """Return the plan that a list of steps in a text is."""
    parts: list[Part] = []
    place = 0
    for token in (*found.tokens, None):
        start = len(text) if token is None else token.span[0]
        if place < start:
            parts.append(Ignored(kind="prose", text=text[place:start], span=(place, start)))
        if token is not None:
            parts.append(token)
            place = token.span[1]
    return Plan(parts=tuple(parts), dialect=Dialect.JSON, text=text, claims_no_plan=claims_no_plan(text))


def _distinct(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates without those that say the steps of another one."""
    kept: list[Candidate] = []
    for candidate in candidates:
        if all(one.plan.tokens != candidate.plan.tokens for one in kept):
            kept.append(candidate)
    return kept
