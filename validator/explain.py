"""Why each line of a diff is there, told by what happens without it.

An added step serves the later condition that is false when the step is left out of the repaired plan; a deleted step is
told by the condition that is false when it is put back. Both are executions, so that what they tell is true for every
kind of condition, where a causal link (McAllester and Rosenblitt 1991) only speaks of atoms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.diff import DiffAction, StepDiff
from validator.execute import Failure, Kind, Simulator
from validator.plan import Plan, Step, Token, Unparsed
from validator.prepared import Prepared
from validator.report import Quality, Report, sentences

__all__ = ["explain"]


def explain(prepared: Prepared, report: Report, happened: Sequence[Token] = ()) -> tuple[str, ...]:
    """Return a sentence for each changed line of a report's diff, in order; none without a diff.

    Steps that have ``happened`` before the plan of the report are counted in the numbers of its steps.
    """
    return tuple(_sentences(prepared.simulator, report, happened))


def _sentences(simulator: Simulator, report: Report, happened: Sequence[Token]) -> Iterator[str]:
    diffs, costs_more = report.plan_diff_obj, "the plan costs more"
    for index, diff in enumerate(diffs):
        if diff.diff_type is None:
            continue
        without = [*diffs[:index], *diffs[index + 1 :]]
        if diff.diff_type is DiffAction.ADD:
            plan = _plan(without)
            yield f"+{diff.step} is needed: without it, {_first(simulator, plan, report, happened) or costs_more}"
        elif isinstance(diff.step, Unparsed):
            yield f"-{diff.step} cannot be read"
        else:
            plan = _plan([*diffs[:index], StepDiff(diff_type=None, step=diff.step), *diffs[index + 1 :]])
            yield f"-{diff.step} is in the way: with it, {_first(simulator, plan, report, happened) or costs_more}"


def _plan(diffs: Sequence[StepDiff]) -> list[Token]:
    """Return the new side of a diff as a sequence."""
    steps = (diff.step for diff in diffs if diff.diff_type is not DiffAction.DELETE)
    return [Step(name=step.name, args=step.args) if isinstance(step, Step) else step for step in steps]


def _first(simulator: Simulator, tokens: Sequence[Token], report: Report, happened: Sequence[Token]) -> str:
    """Return the first fault of a sequence in words, or an empty text."""
    plan = Plan(parts=tuple(tokens))
    failures: tuple[Failure, ...] = simulator.run(plan).failures
    if report.report_type is Quality.SOUND:
        failures = tuple(failure for failure in failures if failure.kind is not Kind.GOAL)
    if not failures:
        return ""
    (sentence,) = sentences([failures[0].later(len(happened))], (*happened, *plan.tokens))
    return sentence[0].lower() + sentence[1:]
