"""Reports in words: the steps and facts of a report as a lexicon says them."""

from __future__ import annotations

import re

from validator.checking.report import Report
from validator.execution.trace import Cause, Failure
from validator.reading.lexicon import Lexicon
from validator.reading.plan import Step, TimedStep, Token
from validator.records import dataclass, field, replace
from validator.repair.diff import StepDiff

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


def in_words(report: Report, lexicon: Lexicon) -> Report:
    """Return a report whose steps and facts are told in words."""
    diffs = {
        str(diff): StepDiff(diff_type=diff.diff_type, step=_step(diff.step, lexicon)) for diff in report.plan_diff_obj
    }
    lines = report.plan_diff_str.splitlines()
    return replace(
        report,
        reason=text_in_words(report.reason, lexicon),
        reference=said_plan(report.reference, lexicon),
        failures=tuple(_failure(failure, lexicon) for failure in report.failures),
        unmet_goals=tuple(replace(goal, literal=text_in_words(goal.literal, lexicon)) for goal in report.unmet_goals),
        plan_diff_obj=tuple(diffs[str(diff)] for diff in report.plan_diff_obj),
        plan_diff_str="".join(f"{diffs.get(line, line)}\n" for line in lines),
        repaired_plan=None if report.repaired_plan is None else said_plan(report.repaired_plan, lexicon),
        explanations=tuple(text_in_words(text, lexicon) for text in report.explanations),
    )


def text_in_words(text: str, lexicon: Lexicon) -> str:
    """Return a text in which every step and fact in parentheses is told in words."""
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
