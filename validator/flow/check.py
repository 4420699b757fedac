"""``check_flow``: whether the plan of a flow is sound, valid or optimal, and the nearest plan that is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from validator.alarms import OutOfTime, alarm
from validator.checking.check import check
from validator.checking.report import PlannerResponse, Quality, Report
from validator.checking.verdict import certain, claim_decided, not_understood, without_repair
from validator.flow.compiled.analysis import ANY, Analysis, Instances, calls_of, wide_operators
from validator.flow.definition.integrity import misspelt_items
from validator.flow.definition.reader import read_flow
from validator.flow.model import Flow
from validator.flow.plans.checked import Checked, is_executed
from validator.flow.plans.shape import Expanded, by_steps, collapse, expand_groups, expand_maps, group
from validator.flow.plans.tokens import Call, Tokenizer, Written, written
from validator.grounding.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT, Status, deadline_of, hard_limit
from validator.reading.plan import NoPlan, Plan, Token, Unparsed
from validator.reading.understood import understood
from validator.records import dataclass, replace
from validator.repair import Policy
from validator.repair.diff import StepDiff, line_diffs
from validator.repair.incumbent import Progress

Printer = Callable[[Token], str]
"""Prints one step of a plan as a line."""


def check_flow(
    flow: Flow | str | Path,
    plan: str | Iterable[str | Token],
    *,
    quality: Quality | str = Quality.VALID,
    policy: Policy | str | None = None,
    repair: bool = True,
    show_output: bool | None = True,
    collapse_maps: bool = False,
    tokenizer: Tokenizer | None = None,
    printer: Printer = str,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    progress: Progress | None = None,
    strict: bool = False,
) -> Report:
    """Say whether a flow's plan has a quality, what is wrong with it, and which nearest plan has the quality.

    ``flow`` is a flow, or the path of its file. ``plan`` is a text with one step per line, a list of lines (each of
    which is a token, whatever it holds), or tokens. ``policy`` is by default MOVE: what can stay stays, at its place
    or, as one change, at another, and what is missing is added as cheaply as possible.

    ``show_output`` True compares the outputs of calls; False and None neither compare nor print them.
    ``collapse_maps`` reads and prints calls by the items that stand for their inputs, without the mappings.
    ``tokenizer`` reads and ``printer`` prints one line in place of the code-like ones. What cannot be read is a fault
    of a plan of lines or tokens, of one that is read by a tokenizer, or with ``strict``; of any other text it is a
    reason to say nothing of the plan.

    The steps of the report are ``Call`` and ``Constraint``; ``plan_diff_str`` shows the whole plan, a line for each
    step with ``  ``, ``- `` or ``+ `` before it. Raises as ``validator.check`` does.
    """
    flow = read_flow(flow)
    asked = _Check(
        flow=flow,
        outputs=bool(show_output),
        collapsed=collapse_maps,
        printer=printer,
        latest=deadline_of(time_limit, memory_limit),
        options={"policy": policy or Policy.MOVE, "memory_limit": memory_limit, "progress": progress},
    )
    text, wanted = written(plan, flow, tokenizer, strict=strict), Quality(quality)
    try:
        with alarm(hard_limit(time_limit)):
            report = _understood(text, asked.report, wanted, repair)
    except OutOfTime:
        report = Report(
            report_type=wanted,
            determination=None,
            reason="the time limit was met while the flow was compiled and its plan was read",
            reference=text.tokens,
            planner_response=PlannerResponse(status=Status.TIME_LIMIT.value),
        )
    warnings = (*report.warnings, *text.warnings, *misspelt_items(flow))
    return replace(report, warnings=warnings, reading=text.reading)


def _understood(
    text: Written, checked: Callable[[tuple[Token, ...], Quality, bool], Report], quality: Quality, repair: bool
) -> Report:
    """Return the report on what was understood of a plan, or say that it was not."""
    reading, tokens = text.reading, text.tokens
    if reading is None:
        return checked(tokens, quality, repair)
    if reading.no_plan is NoPlan.CLAIM and quality is not Quality.SOUND:
        decided = claim_decided(checked((), quality, True))
        return decided if repair else without_repair(decided)

    def fails_before(plan: Plan, offset: int) -> bool:
        before = tuple(token for token in plan.tokens if token.span[0] < offset)
        return checked(before, Quality.SOUND, False).determination is False

    found = understood(reading, lambda plan: checked(plan.tokens, quality, False).determination, fails_before)
    if found.why_not:
        return not_understood(quality, replace(found.plan, reading=reading), tokens, found.why_not)
    report = checked(tokens, quality, repair and not found.is_partial)
    return certain(report, found.plan, found.until) if found.is_partial else report


@dataclass(frozen=True, kw_only=True)
class _Check:
    """What is asked of plans of a flow, and how they are written.

    ``outputs``: outputs are compared and printed; ``collapsed``: mappings are left out; ``printer`` prints a line.
    """

    flow: Flow
    outputs: bool
    collapsed: bool
    printer: Printer
    latest: float
    options: dict[str, Any]

    def report(self, tokens: tuple[Token, ...], quality: Quality, repair: bool) -> Report:
        """Return the report on a plan; one of a flow with wide operators is decided by its own calls."""
        expanded = self._expanded(tokens)
        if not wide_operators(self.flow):
            return self._report(tokens, expanded, quality, None, repair=repair)
        least = Quality.SOUND if quality is Quality.SOUND else Quality.VALID
        own = self._report(tokens, expanded, least, calls_of(self.flow, expanded.tokens), repair=False)
        if quality is not Quality.OPTIMAL and (own.determination or not repair):
            return own
        try:
            found = self._of_any(tokens, expanded, quality, own, repair=repair)
            found = found or self._report(tokens, expanded, quality, None, repair=repair)
        except OutOfTime:  # where the calls are distinguished otherwise, which does not look at the clock
            return _as_known(own, quality)
        return _as_known(own, quality) if found.determination is None and own.determination is False else found

    def _of_any(
        self, tokens: tuple[Token, ...], expanded: Expanded, quality: Quality, own: Report, *, repair: bool
    ) -> Report | None:
        """Return what is nearest, or cheapest, where any call may be any other, which counts when the flow executes it.

        None where all calls have to be distinguished.
        """
        found = self._report(tokens, expanded, quality, ANY, repair=repair)
        if found.determination and not own.determination:
            return None
        plan, with_goal = found.repaired_plan, quality is not Quality.SOUND
        if plan is not None and not is_executed(self.flow, plan, found.repaired_cost, with_goal=with_goal):
            return None
        return replace(found, failures=own.failures, unmet_goals=own.unmet_goals, cost=own.cost)

    def _report(
        self,
        tokens: tuple[Token, ...],
        expanded: Expanded,
        quality: Quality,
        distinct: Instances | None,
        *,
        repair: bool,
    ) -> Report:
        """Return the report, where the calls of wide operators in ``distinct`` are actions of their own."""
        checked = Checked(self.flow, expanded, compare_outputs=self.outputs, distinct=distinct)
        left = max(self.latest - monotonic(), 0.0)  # what compiled the flow took its part
        report = check(
            checked.compiled.prepared,
            None,
            checked.plan,
            quality=quality,
            repair=repair,
            time_limit=left,
            **self.options,
        )
        return checked.report(report, tokens, partial(self._diffs, tokens), self._line)

    def _expanded(self, tokens: Sequence[Token]) -> Expanded:
        first = expand_groups(tokens, self.flow.options)
        if not self.collapsed:
            return first
        second = expand_maps(first.tokens, Analysis(self.flow))
        return replace(second, origins=tuple(first.origins[index] for index in second.origins))

    def _line(self, token: Token) -> str:
        if isinstance(token, Unparsed):
            return str(token)
        return self.printer(token if self.outputs or not isinstance(token, Call) else replace(token, outputs=()))

    def _diffs(
        self, written: Sequence[Token], diffs: Iterable[StepDiff], repaired: Sequence[Token]
    ) -> Iterator[StepDiff]:
        """Return the diffs: step by step where each line is one, else by the lines of both plans."""
        options = self.flow.options
        if not (self.collapsed or options.group_slots or options.group_maps or options.group_confirms):
            return by_steps(diffs, written, repaired)
        return line_diffs(written, group(collapse(repaired) if self.collapsed else repaired, options), self._line)


def _as_known(own: Report, quality: Quality) -> Report:
    """Return what a plan's own calls tell where the time limit was met before more was known."""
    response = PlannerResponse(status=Status.TIME_LIMIT.value)
    met = "the time limit was met before"
    if own.determination is False:
        reason = f"{own.reason}; {met} a repaired plan was found"
        return replace(own, report_type=quality, proven=False, reason=reason, planner_response=response)
    reason = own.reason or f"{met} the cheapest cost was proven"
    return replace(own, report_type=quality, determination=None, reason=reason, planner_response=response)
