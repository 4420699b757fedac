"""Reports in words: the steps and facts of a report as a lexicon says them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from validator.checking.report import Report
from validator.execution.trace import Cause, Failure
from validator.reading.lexicon import Lexicon
from validator.reading.plan import Step, TimedStep, Token
from validator.reading.understood import is_formal
from validator.records import dataclass, field, replace
from validator.repair.diff import DiffAction, StepDiff, unified

__all__ = ["SaidStep", "in_words", "said_plan", "text_in_words"]

_NEGATED = re.compile(r"\(not \(([^()]*)\)\)")
_GROUP = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidStep(Step):
    """A step that is printed in words."""

    said: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.said


def said_plan(steps: tuple[Token, ...], lexicon: Lexicon) -> tuple[Token, ...]:
    """Return the steps of a plan such that they are printed in words; read again, these are the steps."""
    return tuple(_step(step, lexicon) for step in steps)


def in_words(report: Report, lexicon: Lexicon, context: int | None = None) -> Report:
    """Return a report whose steps and facts are in words.

    Steps that the text tells in words keep these, and the diff is then one of the text, by its lines, with ``context``
    unchanged lines around a change; None shows all.
    """
    text = "" if report.reading is None else report.reading.plan.text
    steps = [step for step in report.reference if isinstance(step, Step) and not isinstance(step, TimedStep)]
    if all(is_formal(text[slice(*step.span)], step) for step in steps):
        text = ""  # and so nothing of it is in words
    said = [
        StepDiff(diff_type=diff.diff_type, step=_own(diff.step, text) or _step(diff.step, lexicon))
        for diff in report.plan_diff_obj
    ]
    lines = _of_lines(said, text)
    told = dict(zip(map(str, report.plan_diff_obj), map(str, said), strict=True))
    shown = [told.get(line, line) for line in report.plan_diff_str.splitlines()]
    return replace(
        report,
        reason=text_in_words(report.reason, lexicon),
        reference=tuple(_own(step, text, with_line=True) or _step(step, lexicon) for step in report.reference),
        failures=tuple(_failure(failure, lexicon) for failure in report.failures),
        unmet_goals=tuple(replace(goal, literal=text_in_words(goal.literal, lexicon)) for goal in report.unmet_goals),
        plan_diff_obj=tuple(said),
        plan_diff_str=unified(lines, context) if lines else "".join(f"{line}\n" for line in shown),
        repaired_plan=None if report.repaired_plan is None else said_plan(report.repaired_plan, lexicon),
        explanations=tuple(text_in_words(text, lexicon) for text in report.explanations),
    )


def _own(step: Token, text: str, *, with_line: bool = False) -> SaidStep | None:
    """Return a step in its author's words; None for one that the text does not have."""
    start, end = step.span
    if not isinstance(step, Step) or isinstance(step, TimedStep) or not text or start == end:
        return None
    line = text.count("\n", 0, start)
    said = text[start:end] if end - start > 1 else text.split("\n")[line].strip()  # a clause of several steps is cut
    shown = f"'{said.rstrip(' .,;:!')}' (line {line + 1})" if with_line else said
    return SaidStep(name=step.name, args=step.args, span=step.span, said=shown)


def _of_lines(diffs: Sequence[StepDiff], text: str) -> list[StepDiff]:
    """Return the diff of a text by its lines; empty without a text, and where its steps are not in order of its lines.

    A line with a step that stays and one that goes, or with a new one between its steps, is said anew.
    """
    old = [diff.step for diff in diffs if diff.diff_type is not DiffAction.ADD]
    spans = [step.span for step in old]
    places = [text.count("\n", 0, start) for start, _ in spans]
    is_in_order = places == sorted(places) and not any("\n" in text[slice(*span)] for span in spans)
    if not (text and old and is_in_order) or all(diff.diff_type is None for diff in diffs):
        return []
    parts: dict[int, list[StepDiff]] = {}
    added: dict[int, list[StepDiff]] = {}
    waiting, place = iter([*places, None]), -1
    following = next(waiting)
    for diff in diffs:
        if diff.diff_type is not DiffAction.ADD:
            assert following is not None
            place, following = following, next(waiting)
            parts.setdefault(place, []).append(diff)
        elif place == following:
            parts[place].append(diff)
        else:
            added.setdefault(places[0] - 1 if place < 0 else place, []).append(diff)
    found = [*added.pop(-1, ())]
    for number, line in enumerate(text.rstrip("\n").split("\n")):
        here = parts.get(number, ())
        is_same = all(diff.diff_type is None for diff in here)
        shown = SaidStep(name="", args=(), said=line.rstrip("\r"))
        found.append(StepDiff(diff_type=None if is_same else DiffAction.DELETE, step=shown))
        anew = () if is_same else (diff.step for diff in here if diff.diff_type is not DiffAction.DELETE)
        found += [StepDiff(diff_type=DiffAction.ADD, step=step) for step in anew]
        found += added.get(number, ())
    return found


def text_in_words(text: str, lexicon: Lexicon) -> str:
    """Return a text in which every step and fact in parentheses is in words."""
    negated = _NEGATED.sub(lambda match: _said(match, lexicon, "not "), text)
    return _GROUP.sub(lambda match: _said(match, lexicon), negated)


def _said(match: re.Match[str], lexicon: Lexicon, before: str = "") -> str:
    """Return what stands in parentheses in words; what is no step and no fact stays."""
    name, *args = match.group(1).split() or [""]
    domain = lexicon.model.domain
    if len(domain.predicates.get(name, ())) == len(args) and name in domain.predicates:
        return f"{before}'{lexicon.say_fact((name, *args))}'"
    if len(lexicon.action(name)) == 1 and name in domain.actions:
        return f"{before}'{lexicon.say(Step(name=name, args=tuple(args)))}'"
    return match.group()


def _step(step: Token, lexicon: Lexicon) -> Token:
    """Return a step in words; one over time, whose stamps words do not say, stays as it is."""
    if not isinstance(step, Step) or isinstance(step, TimedStep):
        return step
    shown = lexicon.say(step)
    return SaidStep(name=step.name, args=step.args, time=step.time, duration=step.duration, span=step.span, said=shown)


def _failure(failure: Failure, lexicon: Lexicon) -> Failure:
    def told(cause: Cause) -> Cause:
        return replace(cause, literal=text_in_words(cause.literal, lexicon))

    return replace(
        failure,
        unmet=tuple(text_in_words(literal, lexicon) for literal in failure.unmet),
        causes=tuple(map(told, failure.causes)),
    )
