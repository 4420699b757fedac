"""Why each line of a diff is there, told by what happens without it.

An added step serves the later condition that is false when the step is left out of the repaired plan; a deleted step is
told by the condition that is false when it is put back. Both are executions, so that what they tell is true for every
kind of condition, where a causal link (McAllester and Rosenblitt 1991) only speaks of atoms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.checking.prepared import Prepared
from validator.checking.report import Quality, Report
from validator.execution.faults import sentences
from validator.execution.simulator import Simulator
from validator.execution.time.execution import execute
from validator.reading.plan import Plan, Step, TimedStep, Token, Unparsed, bare
from validator.repair.diff import DiffAction, StepDiff

__all__ = ["explain"]


def explain(prepared: Prepared, report: Report, happened: Sequence[Token] = ()) -> tuple[str, ...]:
    """Return a sentence for each changed line of a report's diff, in order, with the number of its step in its plan.

    Steps that have ``happened`` before the plan of the report are counted in the numbers of its steps.
    """
    return tuple(_sentences(prepared.simulator, report, happened))


def _sentences(simulator: Simulator, report: Report, happened: Sequence[Token]) -> Iterator[str]:
    diffs, costs_more = report.plan_diff_obj, "the plan costs more"
    moves = _moves(diffs)
    old = new = len(happened)
    for index, diff in enumerate(diffs):
        old, new = old + (diff.diff_type is not DiffAction.ADD), new + (diff.diff_type is not DiffAction.DELETE)
        if diff.diff_type is None or index in moves.values():
            continue
        removed = f"-{old} {diff.step}"
        if index in moves:
            stays = StepDiff(diff_type=None, step=diff.step)
            plan = _plan(
                [stays if place == index else other for place, other in enumerate(diffs) if place != moves[index]]
            )
            said = _first(simulator, plan, report, happened) or costs_more
            yield f"{removed} becomes {diffs[moves[index]].step}: as it was, {said}"
            continue
        without = [*diffs[:index], *diffs[index + 1 :]]
        if diff.diff_type is DiffAction.ADD:
            plan = _plan(without)
            yield f"+{new} {diff.step} is needed: without it, {_first(simulator, plan, report, happened) or costs_more}"
        elif isinstance(diff.step, Unparsed):
            yield f"{removed} cannot be read"
        else:
            plan = _plan([*diffs[:index], StepDiff(diff_type=None, step=diff.step), *diffs[index + 1 :]])
            yield f"{removed} is in the way: with it, {_first(simulator, plan, report, happened) or costs_more}"


def _moves(diffs: Sequence[StepDiff]) -> dict[int, int]:
    """Return the deleted steps of a plan over time that come back at another time, each with the added one."""
    found: dict[int, int] = {}
    for index, diff in enumerate(diffs):
        if diff.diff_type is DiffAction.DELETE and isinstance(diff.step, TimedStep):
            for place, other in enumerate(diffs):
                is_added = other.diff_type is DiffAction.ADD and place not in found.values()
                if is_added and isinstance(other.step, Step) and bare(other.step) == bare(diff.step):
                    found[index] = place
                    break
    return found


def _plan(diffs: Sequence[StepDiff]) -> list[Token]:
    """Return the new side of a diff: a sequence, or steps over time."""
    steps = (diff.step for diff in diffs if diff.diff_type is not DiffAction.DELETE)
    return [_plain(step) if isinstance(step, Step) else step for step in steps]


def _plain(step: Step) -> Step:
    if isinstance(step, TimedStep):
        return Step(name=step.name, args=step.args, time=step.time, duration=step.duration)
    return bare(step)


def _first(simulator: Simulator, tokens: Sequence[Token], report: Report, happened: Sequence[Token]) -> str:
    """Return the first fault of a sequence in words, or an empty text."""
    plan = Plan(parts=tuple(tokens))
    failures = execute(simulator, plan).failures if simulator.model.features else simulator.run(plan).failures
    if report.report_type is Quality.SOUND:
        failures = tuple(failure for failure in failures if failure.is_of_steps)
    if not failures:
        return ""
    (sentence,) = sentences([failures[0].later(len(happened))], (*happened, *plan.tokens))
    return sentence[0].lower() + sentence[1:]
