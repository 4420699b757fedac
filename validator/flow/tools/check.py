"""Tool calls as plans: would this list of calls run with these tools, and which nearest list would?

Tools come as any provider, NESTFUL, BFCL or TaskBench publishes them, calls as JSON objects, messages, graphs or texts;
an argument ``$var1.city$`` stands for a result of the call that has the label. Open ``check_tool_calls`` first;
``declared`` reads the tools, ``listed`` says what is wrong with calls, ``mended`` looks for the nearest list that runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from validator.alarms import OutOfTime, alarm
from validator.checking.report import PlannerResponse, Quality, Report
from validator.errors import ModelError, did_you_mean
from validator.execution.trace import Cause, Failure, Kind, Origin, UnmetGoal
from validator.flow.tools.declared.specifications import Tool, operators_from_tools, read_tools
from validator.flow.tools.listed.calls import ToolCall, bound, token
from validator.flow.tools.listed.faults import Fault, Wrong, failures, faults, not_understood
from validator.reading.calls.lists import ListedCalls, read_list
from validator.records import dataclass, replace

if TYPE_CHECKING:
    from validator.flow.tools.mended.search import Found, Mended
    from validator.flow.tools.told import Told

__all__ = ["check_tool_calls", "operators_from_tools"]

_SHOWN = 5
"""repairs that are shown where several are as near"""

_TO_END = 0.1
"""seconds after the deadline in which what looks at the clock comes to its end"""


def check_tool_calls(
    tools: Iterable[Mapping[str, Any]] | Mapping[str, Any],
    calls: Iterable[Mapping[str, Any]] | Mapping[str, Any] | str,
    *,
    goals: Iterable[str] = (),
    quality: Quality | str | None = None,
    repair: bool = True,
    time_limit: float = 30.0,
) -> Report:
    """Say whether calls of tools would run one after the other, what is wrong with them, and what would run.

    ``goals`` are tools that are to be called, or outputs (``TOOL.OUTPUT``) that are to be known; without goals the
    quality is SOUND, else VALID. A call with a fault stays a call: its label, arguments and references count. A repair
    is a list of calls in the form that came in (``repaired_calls``), which is accepted when it is checked; what only
    the user can say is ``$ask.ARGUMENT$`` in it. Raises ModelError for tools and calls that cannot be read.
    """
    known, listed = read_tools(tools), read_list(calls)
    wanted = tuple(dict.fromkeys(_goal(name, known) for name in goals))
    asked = Quality(quality) if quality is not None else Quality.VALID if wanted else Quality.SOUND
    if listed.unread:
        return Report(report_type=asked, determination=None, reason=f"not understood: {listed.unread}", reference=())
    question = _Question(known, listed, bound(listed, known), wanted, asked)
    return question.report(monotonic() + time_limit if repair else None)


@dataclass(frozen=True)
class _Question:
    """What is asked: calls, their tools, the tools to be called."""

    tools: Mapping[str, Tool]
    listed: ListedCalls
    calls: tuple[ToolCall, ...]
    goals: Sequence[str]
    quality: Quality

    def report(self, deadline: float | None) -> Report:
        """Return the report; with a deadline, a repair is looked for until then."""
        found = list(faults(self.calls, self.tools))
        unmet = [] if self.quality is Quality.SOUND else [goal for goal in self.goals if not self._is_called(goal)]
        failed = (*self._of_graph(), *failures(found), *_unmet(unmet))
        if failed and deadline is not None and not self.listed.is_cyclic:
            try:
                with alarm(max(deadline - monotonic(), 0) + _TO_END):
                    return self._repaired(found, failed, unmet, deadline)
            except OutOfTime:  # what is wrong is known all the same
                return self._late(found, failed, unmet)
        return self._plain(found, failed, unmet, is_proven=not (failed and deadline is not None))

    def _is_called(self, goal: str) -> bool:
        return any(call.name == goal for call in self.calls)

    def _of_graph(self) -> Iterator[Failure]:
        if self.listed.is_cyclic:
            yield Failure(step=None, kind=Kind.SYNTAX, detail="the links of the graph go in a circle")

    def _plain(
        self, found: Sequence[Fault], failed: Sequence[Failure], unmet: Sequence[str], *, is_proven: bool
    ) -> Report:
        unclear = () if failed else not_understood(self.calls, self.tools)
        decided = False if failed else None if self.quality is Quality.OPTIMAL or unclear else True
        reason = f"not understood: {'; '.join(unclear)}" if unclear else "which calls are cheapest is not known"
        return Report(
            report_type=self.quality,
            determination=decided,
            reason=_reason(found, failed) if failed else "" if decided else reason,
            reference=tuple(map(token, self.calls)),
            failures=tuple(failed),
            unmet_goals=tuple(UnmetGoal(literal=_called(goal), last_held=None) for goal in unmet),
            proven=is_proven and decided is not None,
        )

    # --- repairs -------------------------------------------------------------------------------

    def _repaired(
        self, found: Sequence[Fault], failed: Sequence[Failure], unmet: Sequence[str], deadline: float
    ) -> Report:
        from validator.flow.tools.mended.search import nearest_lists

        goals = self.goals if self.quality is not Quality.SOUND else ()
        nearest = nearest_lists(self.calls, self.tools, goals, deadline)
        told = ((mended, self._told(mended)) for mended in nearest.lists[:_SHOWN])
        shown = [(mended, each) for mended, each in told if each is not None]
        report = self._plain(found, failed, unmet, is_proven=False)
        if not shown:
            return self._late(found, failed, unmet)
        (mended, first), *others = shown
        unclear = not_understood(mended.calls, self.tools)
        response = _response(first, nearest)
        if unclear:
            notes = (response.note, f"not understood: {'; '.join(unclear)}")
            response = replace(response, note="; ".join(filter(None, notes)))
        return replace(
            report,
            plan_diff_obj=first.diffs,
            plan_diff_str="".join(
                f"{each.diff_type.value if each.diff_type else ' '} {each.step}\n" for each in first.diffs
            ),
            repaired_plan=first.tokens,
            repaired_calls=first.value,
            other_repairs=tuple(each.value for _, each in others),
            repairs_found=len(nearest.lists),
            planner_response=response,
            proven=nearest.is_proven and self.quality is not Quality.OPTIMAL and not unclear,
        )

    def _late(self, found: Sequence[Fault], failed: Sequence[Failure], unmet: Sequence[str]) -> Report:
        response = PlannerResponse(status="time limit", engine=_ENGINE, lower_bound=None)
        report = self._plain(found, failed, unmet, is_proven=False)
        reason = f"{report.reason}; the time limit was met before a repaired list was found"
        return replace(report, reason=reason, planner_response=response)

    def _told(self, mended: Mended) -> Told | None:
        from validator.flow.tools.told import told

        goals = self.goals if self.quality is not Quality.SOUND else ()
        return told(mended, self.calls, self.listed, self.tools, goals)


_ENGINE = "edits of calls"


def _response(first: Told, found: Found) -> PlannerResponse:
    notes = []
    if first.asked:
        notes.append(f"the user has to say {', '.join(first.asked)}")
    if len(found.lists) > 1:
        least = "" if found.is_all else "at least "
        notes.append(f"{least}{len(found.lists)} lists are as near, and this one is the likeliest")
    return PlannerResponse(
        status="solved",
        engine=_ENGINE,
        plan=tuple(map(str, first.tokens)),
        cost=first.changes,
        note="; ".join(notes),
    )


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
