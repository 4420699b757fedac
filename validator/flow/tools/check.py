"""Tool calls as plans: would this list of calls run with these tools, and which nearest list would?

Tools come as any provider, NESTFUL, BFCL or TaskBench publishes them, calls as JSON objects, messages, graphs or texts;
an argument ``$var1.city$`` stands for a result of the call that has the label. Open ``check_tool_calls`` first;
``specifications`` reads the tools, ``faults`` says what is wrong with calls, ``repair`` looks for the nearest list that
runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Any

from validator.alarms import OutOfTime, alarm
from validator.checking.report import PlannerResponse, Quality, Report
from validator.errors import ModelError, did_you_mean
from validator.execution.trace import Cause, Failure, Kind, Origin, UnmetGoal
from validator.flow.tools.calls import ASKED, Labels, ToolCall, bound, token, within
from validator.flow.tools.faults import Fault, Wrong, failures, faults, not_understood
from validator.flow.tools.specifications import Tool, read_tools
from validator.grounding.limits import DEFAULT_TIME_LIMIT, deadline_of
from validator.reading.calls.lists import ListedCalls, read_list
from validator.reading.values import equal
from validator.records import dataclass, replace
from validator.repair.diff import DiffAction, StepDiff

if TYPE_CHECKING:
    from validator.flow.tools.repair import Repaired


def check_tool_calls(
    tools: Iterable[Mapping[str, Any]] | Mapping[str, Any],
    calls: Iterable[Mapping[str, Any]] | Mapping[str, Any] | str,
    *,
    goals: Iterable[str] = (),
    quality: Quality | str | None = None,
    repair: bool = True,
    time_limit: float = DEFAULT_TIME_LIMIT,
) -> Report:
    """Say whether calls of tools would run one after the other, what is wrong with them, and what would run.

    ``goals`` are tools that are to be called, or outputs (``TOOL.OUTPUT``) that are to be known; without goals the
    quality is SOUND, else VALID. A call with a fault stays a call: its label, arguments and references count. A repair
    is a list of objects with ``name``, ``arguments`` and ``label`` (``repaired_calls``), which is accepted when it is
    checked; what only the user can say is ``$ask.ARGUMENT$`` in it. Raises ModelError for what cannot be read.
    """
    known, listed = read_tools(tools), read_list(calls)
    wanted = tuple(dict.fromkeys(_goal(name, known) for name in goals))
    asked = Quality(quality) if quality is not None else Quality.VALID if wanted else Quality.SOUND
    if listed.unread:
        return Report(report_type=asked, determination=None, reason=f"not understood: {listed.unread}", reference=())
    question = _Question(known, listed, bound(listed, known), () if asked is Quality.SOUND else wanted, asked)
    return question.report(deadline_of(time_limit) if repair else None)


@dataclass(frozen=True)
class _Question:
    """Calls, their tools, the tools to be called, and the quality that the calls are asked to have."""

    tools: Mapping[str, Tool]
    listed: ListedCalls
    calls: tuple[ToolCall, ...]
    goals: Sequence[str]
    quality: Quality

    @cached_property
    def found(self) -> list[Fault]:
        return list(faults(self.calls, self.tools))

    @cached_property
    def unmet(self) -> list[str]:
        return [goal for goal in self.goals if all(call.name != goal for call in self.calls)]

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        circle = Failure(step=None, kind=Kind.SYNTAX, detail="the links of the graph go in a circle")
        return (*([circle] if self.listed.is_cyclic else ()), *failures(self.found), *_unmet(self.unmet))

    def report(self, deadline: float | None) -> Report:
        """Return the report; with a deadline, a repair is looked for until then."""
        if not self.failures or deadline is None or self.listed.is_cyclic:
            return self._report(is_proven=not (self.failures and deadline is not None))
        try:
            with alarm(max(deadline - monotonic(), 0)):
                return self._repaired() or self._unrepaired("unsolved", "no repaired list was found")
        except OutOfTime:  # what is wrong is known all the same
            return self._unrepaired("time limit", "the time limit was met before a repaired list was found")

    def _unrepaired(self, status: str, why: str) -> Report:
        report = self._report(is_proven=False)
        response = PlannerResponse(status=status, engine=_ENGINE)
        return replace(report, reason=f"{report.reason}; {why}", planner_response=response)

    def _report(self, *, is_proven: bool) -> Report:
        unclear = () if self.failures else not_understood(self.calls, self.tools)
        decided = False if self.failures else None if self.quality is Quality.OPTIMAL or unclear else True
        if self.failures:
            reason = _reason(self.found, self.failures)
        elif decided is None:
            reason = f"not understood: {'; '.join(unclear)}" if unclear else "which calls are cheapest is not known"
        return Report(
            report_type=self.quality,
            determination=decided,
            reason=reason if decided is not True else "",
            reference=tuple(map(token, self.calls)),
            failures=self.failures,
            unmet_goals=tuple(UnmetGoal(literal=_called(goal), last_held=None) for goal in self.unmet),
            proven=is_proven and decided is not None,
        )

    def _repaired(self) -> Report | None:
        """Return the report with a near list that runs, also once it is written and read again; None without one."""
        from validator.flow.tools.repair import repaired_list

        repaired = repaired_list(self.calls, self.tools, self.goals)
        if repaired is None:
            return None
        value = list(_written(repaired.calls, self.listed))
        again = bound(read_list(value), self.tools)
        if not _are_same(again, repaired.calls) or next(faults(again, self.tools), None) is not None:
            return None
        unclear, questions = not_understood(repaired.calls, self.tools), _questions(repaired.calls)
        notes = [f"the user has to say {', '.join(questions)}"] if questions else []
        notes += [f"not understood: {'; '.join(unclear)}"] if unclear else []
        kept = _kept(repaired, self.calls)
        diffs, tokens = tuple(_diffs(repaired, self.calls, kept)), tuple(map(token, repaired.calls))
        signs = ((each.diff_type.value if each.diff_type else " ", each.step) for each in diffs)
        gone = len({*range(len(self.calls))}.difference(call.place for call in repaired.calls))
        changes = gone + len(repaired.calls) - len(kept)  # one that is changed and moved counts once
        return replace(
            self._report(is_proven=False),
            plan_diff_obj=diffs,
            plan_diff_str="".join(f"{sign} {step}\n" for sign, step in signs),
            repaired_plan=tokens,
            repaired_calls=value,
            planner_response=PlannerResponse(
                status="solved", engine=_ENGINE, plan=tuple(map(str, tokens)), cost=changes, note="; ".join(notes)
            ),
            proven=changes <= repaired.least and self.quality is not Quality.OPTIMAL and not unclear,
        )


_ENGINE = "edits of calls"


def _reason(found: Sequence[Fault], failed: Sequence[Failure]) -> str:
    if any(each.wrong is not Wrong.LATER for each in found):
        return "some calls do not fit the tools"
    if found:
        return "some calls use results that come later"
    return "the goal is not reached" if failed[0].kind is Kind.GOAL else "the calls have no order"


def _unmet(goals: Iterable[str]) -> Iterator[Failure]:
    causes = tuple(Cause(literal=_called(goal), origin=Origin.NEVER_ADDED) for goal in goals)
    if causes:
        yield Failure(step=None, kind=Kind.GOAL, unmet=tuple(each.literal for each in causes), causes=causes)


def _called(goal: str) -> str:
    return f'"{goal} is called"'


def _goal(name: str, tools: Mapping[str, Tool]) -> str:
    """Return the tool that a goal asks for: by its name, or by something that it yields."""
    if name in tools:
        return name
    tool, _, output = name.rpartition(".")
    if tool in tools and output in (tools[tool].outputs or ("result",)):
        return tool
    outputs = [f"{each.name}.{output}" for each in tools.values() for output in each.outputs or ("result",)]
    raise ModelError(f"goals: no tool is or yields '{name}'{did_you_mean(name, (*tools, *outputs))}")


# --- a repaired list ------------------------------------------------------------------------------


def _written(calls: Sequence[ToolCall], listed: ListedCalls) -> Iterator[dict[str, object]]:
    """Yield calls as objects, with the labels that they were given, and those that other calls refer to.

    The nodes of a graph were given none.
    """
    used = Labels(calls).used()
    for call in calls:
        source = None if call.place is None else listed.calls[call.place].label
        found: dict[str, object] = {"name": call.name, "arguments": dict(call.arguments)}
        if not call.is_answer and (call.label in used or (call.has_label and not listed.is_graph)):
            found["label"] = source if source is not None and source.strip("$ ") == call.label else call.label
        yield found


def _are_same(some: Sequence[ToolCall], others: Sequence[ToolCall]) -> bool:
    pairs = zip(some, others, strict=False)
    return len(some) == len(others) and all(a.name == b.name and equal(a.arguments, b.arguments) for a, b in pairs)


def _questions(calls: Sequence[ToolCall]) -> tuple[str, ...]:
    """Return what the user has to say, each as ``TOOL.ARGUMENT``."""
    named = ((f"{call.name}.{name}", value) for call in calls for name, value in call.arguments.items())
    asked = (name for name, each in named if any(one.label == ASKED for one in within(each, (ASKED,))))
    return tuple(dict.fromkeys(asked))


def _kept(repaired: Repaired, given: Sequence[ToolCall]) -> set[int]:
    """Return the places of the calls that stay as they are, where they are."""
    pairs = ((call, call.place) for call in repaired.calls if call.place is not None)
    return {place for call, place in pairs if place not in repaired.moved and _is_equal(call, given[place])}


def _is_equal(one: ToolCall, other: ToolCall) -> bool:
    """Return whether two calls are written alike: a label for a call's place alone is not written."""
    plain = (replace(each, arguments={}, label=each.label if each.has_label else "") for each in (one, other))
    return next(plain) == next(plain) and equal(one.arguments, other.arguments)


def _diffs(repaired: Repaired, given: Sequence[ToolCall], kept: set[int]) -> Iterator[StepDiff]:
    """Yield the lines of both lists: a call that is changed or moved is deleted where it was and added where it is."""
    place = 0
    for call in repaired.calls:
        if call.place is not None and call.place not in repaired.moved:
            while place <= call.place:
                if place not in kept:
                    yield StepDiff(diff_type=DiffAction.DELETE, step=token(given[place]))
                place += 1
        yield StepDiff(diff_type=None if call.place in kept else DiffAction.ADD, step=token(call))
    yield from (StepDiff(diff_type=DiffAction.DELETE, step=token(gone)) for gone in given[place:])
