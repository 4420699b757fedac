"""Steps inside of something else: calls of calls, calls with the time at which they happen, names joined to one.

``occurs(stack(a,b),3)``, ``stack(a,b,3)`` and ``happens(stack(a,b),3)`` are what answer sets, the situation and the
event calculus say, in whatever order; ``plan([stack(a,b), ...])`` and ``print(stack(a, b))`` are of programs,
``STACK_A_B`` and ``stack_a_b`` are what Graphplan and grounded models call a step.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from validator.reading.plan import Span, Step, Unparsed
from validator.reading.reading import Candidate, places_of
from validator.reading.tokens.around.inside.drawn import drawn
from validator.reading.tokens.around.inside.linked import linked
from validator.reading.tokens.around.inside.renamed import renamed
from validator.reading.tokens.around.inside.times import timed_steps
from validator.reading.tokens.around.inside.triples import triples
from validator.reading.tokens.around.marks import blanked
from validator.reading.tokens.vocabulary import Vocabulary
from validator.records import dataclass, field, replace

__all__ = ["Unwrapped", "unwrapped"]

_AROUND = re.compile(
    r"(?<![\w-])(?<!\w\.)(?:occurs?|occ|happens?|do|does|done|did|exec|executed?s?|perform(?:s|ed)?|apply|applied|act|actions?|"
    r"steps?|tasks?|plan|solution|seq|sequence|print|run|call|invoke)\s*\(",
    re.IGNORECASE,
)
"""What says of a step that it is done, and nothing else."""
_DENIES = re.compile(r"(?<![\w-])(?:not|never|no)\s{1,9}\Z|[-~¬!]\s{0,9}\Z", re.IGNORECASE)
_CALL = re.compile(r"(?<![\w.-])([^\W\d][\w.-]*+)\(([^()]*+)\)")
_LEFT = re.compile(
    r"(?:\s*+(?:steps|actions|plan|sequence|calls)\s*+=(?=\s*+\[))?+"
    r"[\s,;.\[\]]*+(?:(?:t|time|at|step)\s*+[=:]?\s*+)?(?:(\d{1,6})|s_?0)?[\s,;.\[\]]*+",
    re.IGNORECASE,
)
_FACT = re.compile(
    r"(?<![\w.])-?(?:holds?|fluent|state|init(?:ially)?|goal)\(\s*+-?([^\W\d][\w-]*+)(?:\([^()]*+\))?\s*+(?:,\s*+\d{1,6}\s*+)?\)",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"^Answer: \d+", re.MULTILINE)
"""before each answer set that clingo prints; where it optimizes, each is better than those before"""
_AWAITED = re.compile(r"(?<![\w.])await[^\S\n]++(?=[\w.-]++\()")
_JOINED = re.compile(r"(?<![\w.(-])[\w-]++(?![.(])")
_REACHED = re.compile(r"\(\s*+reach-goal\s*+\)|(?<![\w(-])reach-goal(?![\w-])", re.IGNORECASE)
"""the last step of planners that compile the goal away, FF and its offspring"""
_ENDED = re.compile(
    r"(?<![\w.(-])(?:(?P<call>done|finish(?:ed)?|stop|end|terminate|completed?)\(\s*+\)"
    r"|\(\s*+(?P<group>done|finish(?:ed)?|stop|end|terminate|completed?)\s*+\))(?=[\s.;,`'\"\])}]*+\Z)",
    re.IGNORECASE,
)
"""``done()``, what agents call behind the last step to say that it was"""
_NESTED = re.compile(
    r"(?<![\w-])(?:(?:do|result|res)\s*+\(\s*+[^\W\d][\w.-]*+\([^()]*+\)\s*+,\s*+){2,}+[\w.-]++(?:\s*+\))++",
    re.IGNORECASE,
)
"""``do(stack(a, b), do(pick_up(a), s0))``: a situation, whose last step stands first"""
_DOES = re.compile(r"(?<![\w-])(?:do|result|res)\s*+\(", re.IGNORECASE)
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@", re.MULTILINE)
_CHANGE = re.compile(r"^[-+][^-+\n]", re.MULTILINE)
_LONGEST_END = 40
"""characters at the end of a text in which its end may be said"""
_MOST_PARTS = 16
"""of a name that joins an action and its objects"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwrapped:
    """A text of the same length in which the steps stand by themselves, and when they happen, by their places.

    There are no times where the steps stand in their order. ``missed`` is what is no plan, though steps stand in it.
    """

    text: str
    times: Mapping[int, Fraction] = field(default_factory=dict)
    durations: Mapping[int, Fraction] = field(default_factory=dict)
    missed: tuple[Unparsed, ...] = ()

    def of(self, candidate: Candidate) -> Candidate:
        """Return what was read of the text, with the times of its steps."""
        if self.missed:
            return replace(candidate, missed=(*places_of(self.text, self.missed), *candidate.missed))
        if not self.times:
            return candidate
        parts = (
            replace(part, time=self.times.get(part.span[0]), duration=self.durations.get(part.span[0], part.duration))
            if isinstance(part, Step) and part.time is None
            else part
            for part in candidate.plan.parts
        )
        return replace(candidate, plan=replace(candidate.plan, parts=tuple(parts)))


def unwrapped(text: str, vocabulary: Vocabulary) -> Unwrapped:
    """Take the steps of a text out of what stands around them, as far as the names of the model tell them."""
    if vocabulary.has_time and (timed := timed_steps(text)) is not None:
        return Unwrapped(text=blanked(text, list(timed.hidden)), times=timed.times, durations=timed.durations)
    if (drawing := drawn(text, vocabulary)) is not None:
        return Unwrapped(text=drawing.text, times=drawing.times, missed=drawing.missed)
    if (joined := linked(text, vocabulary)) is not None:
        if joined.missed:
            return Unwrapped(text=blanked(text, list(joined.links)), missed=joined.missed)
        text = blanked(joined.text, list(joined.links))
    hunk = _HUNK.search(text)
    if hunk is not None and _CHANGE.search(text, hunk.end()) is not None:
        reason = "it is a change of a plan, and no plan: 'apply' makes one of both"
        return Unwrapped(text=text, missed=(Unparsed(text=hunk[0], reason=reason, span=hunk.span()),))
    if (stated := triples(text)) is not None:
        return Unwrapped(text=blanked(text, [stated.span]), missed=(stated,))
    text = renamed(text, vocabulary)
    if "await" in text:
        text = _AWAITED.sub(lambda match: " " * len(match[0]), text)
    if vocabulary.parted is not None:
        text = vocabulary.parted.sub(lambda match: _in_one(match, vocabulary), text)
    if "reach-goal" in text.lower() and "reach-goal" not in vocabulary.actions:
        text = _REACHED.sub(lambda match: " " * len(match[0]), text)
    ended = _ENDED.search(text, max(0, len(text) - _LONGEST_END))
    if ended is not None and vocabulary.written(ended["call"] or ended["group"]) is None:
        text = blanked(text, [ended.span()])
    if "_" in text:
        text = _JOINED.sub(lambda match: _split(match[0], vocabulary) or match[0], text)
    calls = _calls(text, vocabulary) if "(" in text else []
    answers = list(_ANSWER.finditer(text)) if calls else []
    if len(answers) > 1 and "\nOptimization" not in text:
        reason = f"it is one of {len(answers)} answers, and which one is the plan is not said"
        return Unwrapped(text=text, missed=(Unparsed(text=answers[0][0], reason=reason, span=answers[0].span()),))
    if len(answers) > 1:
        text = blanked(text, [(0, answers[-1].start())])
        calls = [(call, action) for call, action in calls if call.start() > answers[-1].start()]
    hidden, times = _situation(text, calls) or _wrappers(text, calls, vocabulary)
    if not hidden:
        hidden, times = _last_arguments(calls, vocabulary)
    if hidden:
        text = _FACT.sub(lambda fact: fact[0] if vocabulary.action_of(fact[1]) else " " * len(fact[0]), text)
    is_told = all(one < other for one, other in pairwise(times.values()))
    return Unwrapped(text=blanked(text, hidden), times={} if is_told else times)


def _calls(text: str, vocabulary: Vocabulary) -> list[tuple[re.Match[str], str]]:
    """Return the calls that are steps, each with its action."""
    actions: dict[str, str | None] = {}
    found = []
    for call in _CALL.finditer(text):
        if call[1] not in actions:
            name = call[1].removeprefix("default_api.")  # as Gemini calls the tools that it is given
            actions[call[1]] = vocabulary.action_of(name)
        action = actions[call[1]]
        if action is not None:
            found.append((call, action))
    return found


def _in_one(match: re.Match[str], vocabulary: Vocabulary) -> str:
    """Return the name of an action for its words; those of a parenthesis that says more than objects stay."""
    said = (match["given"] or "").lower().split()
    return vocabulary.spoken[tuple(match[0].lower().split(" "))] if vocabulary.objects.issuperset(said) else match[0]


def _situation(text: str, calls: Sequence[tuple[re.Match[str], str]]) -> tuple[list[Span], dict[int, Fraction]] | None:
    """Return what stands around the steps of one situation, and the times of these; None for another text."""
    opened = _DOES.search(text) if calls else None
    nested = _NESTED.match(text, opened.start()) if opened is not None else None
    if nested is None:
        return None
    start, end = nested.span()
    inside = [call.span() for call, _ in calls if start <= call.start() < end]
    if len(inside) != len(calls) or len(inside) != len(_DOES.findall(text)):
        return None
    times = {span[0]: Fraction(len(inside) - place) for place, span in enumerate(inside)}
    return list(_between(start, inside, end)), times


# --- calls of calls ------------------------------------------------------------------------------


def _wrappers(
    text: str, calls: Sequence[tuple[re.Match[str], str]], vocabulary: Vocabulary
) -> tuple[list[Span], dict[int, Fraction]]:
    """Return what stands around the calls inside of others, and the times of these, where all have one."""
    found = list(_AROUND.finditer(text)) if calls else []
    ends = _closed(text) if found else {}
    starts = [call.start() for call, _ in calls]
    hidden: list[Span] = []
    times: dict[int, Fraction] = {}
    wrapped, place = 0, 0
    for match in found:
        end = ends.get(match.end() - 1)
        if end is None or match.start() < place or vocabulary.action_of(match[0][:-1].strip()) is not None:
            continue
        inside = [call.span() for call, _ in calls[bisect_left(starts, match.end()) : bisect_left(starts, end)]]
        if not inside:
            continue
        left = _LEFT.fullmatch("".join(text[one:other] for one, other in _between(match.end(), inside, end)))
        is_denied = _DENIES.search(text, max(0, match.start() - 16), match.start())
        if left is None or (left[1] and len(inside) > 1) or is_denied:
            return [], {}  # where one of them says something else, no order is known
        place = match.start()
        for start, behind in inside:
            hidden.append((place, start))
            place = behind
        hidden.append((place, end + 1))
        place = end + 1
        wrapped += len(inside)
        if left[1]:
            times[inside[0][0]] = Fraction(left[1])
    return _without_separators(text, hidden), times if len(times) == wrapped else {}


def _between(start: int, inside: Sequence[Span], end: int) -> Iterator[Span]:
    """Yield what stands around spans."""
    for one, other in inside:
        yield start, one
        start = other
    yield start, end


def _without_separators(text: str, hidden: list[Span]) -> list[Span]:
    """Return spans without the commas between steps, which part them."""
    return [(start, start) if text[start:end].strip() == "," else (start, end) for start, end in hidden]


def _closed(text: str) -> dict[int, int]:
    """Return where each parenthesis is closed."""
    opened: list[int] = []
    found: dict[int, int] = {}
    for match in re.finditer(r"[()]", text):
        if match[0] == "(":
            opened.append(match.start())
        elif opened:
            found[opened.pop()] = match.start()
    return found


# --- times as arguments --------------------------------------------------------------------------


def _last_arguments(
    calls: Sequence[tuple[re.Match[str], str]], vocabulary: Vocabulary
) -> tuple[list[Span], dict[int, Fraction]]:
    """Return the numbers that all calls have behind, or before, what their actions take, where they count the steps."""
    for place in (-1, 0):
        numbers: dict[int, Fraction] = {}
        hidden = []
        for call, action in calls:
            arguments = call[2].split(",")
            number = arguments[place].strip()
            if (
                len(arguments) - 1 != vocabulary.actions[action]
                or not number.isdecimal()
                or number in vocabulary.objects
            ):
                break
            numbers[call.start()] = Fraction(number)
            start, end = call.span(2)
            comma = len(arguments) > 1
            hidden.append(
                (end - len(arguments[-1]) - comma, end) if place else (start, start + len(arguments[0]) + comma)
            )
        else:
            counted = sorted(set(map(int, numbers.values())))
            if counted and counted[0] in (0, 1) and counted == list(range(counted[0], counted[0] + len(counted))):
                return hidden, numbers
    return [], {}


# --- names joined to one -------------------------------------------------------------------------


def _split(word: str, vocabulary: Vocabulary) -> str | None:
    """Return the action and the objects that a word joins, with blanks between; None where it is not just one step."""
    parts = word.lower().replace("-", "_").split("_")
    if (
        not 1 < len(parts) <= _MOST_PARTS
        or word.lower() in vocabulary.objects
        or vocabulary.action_of(word) is not None
    ):
        return None
    actions, objects = _spelled(vocabulary)
    found = set()
    for count in range(1, len(parts)):
        action = actions.get("_".join(parts[:count]))
        if action is not None:
            wanted = vocabulary.actions[action]
            found |= {f"{action} {' '.join(args)}" for args in _objects(tuple(parts[count:]), wanted, objects)}
    return found.pop() if len(found) == 1 else None


def _objects(parts: tuple[str, ...], wanted: int, objects: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """Yield the ways in which parts are joined to so many objects."""
    if not wanted:
        if not parts:
            yield ()
        return
    for count in range(1, len(parts) - wanted + 2):
        name = objects.get("_".join(parts[:count]))
        if name is not None:
            yield from ((name, *rest) for rest in _objects(parts[count:], wanted - 1, objects))


@lru_cache(maxsize=8)
def _names(names: frozenset[str]) -> Mapping[str, str]:
    """Return names by how they are written with underscores alone."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.replace("-", "_"), []).append(name)
    return {written: same[0] for written, same in found.items() if len(same) == 1}


def _spelled(vocabulary: Vocabulary) -> tuple[Mapping[str, str], Mapping[str, str]]:
    return _names(frozenset(vocabulary.actions)), _names(vocabulary.objects)
