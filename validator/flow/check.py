"""``check_flow``: whether the plan of a flow is sound, valid or optimal, and the nearest plan that is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeGuard

from validator.diff import DiffAction, StepDiff
from validator.edit import Policy
from validator.execute import Failure, Kind, Simulator
from validator.flow.analysis import Analysis
from validator.flow.compile import Compiled, compile_flow
from validator.flow.faults import Faults, is_part
from validator.flow.model import Flow
from validator.flow.shape import Expanded, collapse, expand_groups, expand_maps, group
from validator.flow.terms import inputs_of
from validator.flow.tokens import BASIC, Call, FlowTokenizer, Tokenizer, read_lines
from validator.flow.words import Words
from validator.plan import Constraint, Dialect, Plan, Step, Token, Unparsed
from validator.prepared import prepare
from validator.repair import Progress
from validator.report import Quality, Report
from validator.validate import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT, check

__all__ = ["Printer", "check_flow"]

Printer = Callable[[Token], str]
"""Prints one step of a plan as a line."""


def check_flow(
    flow: Flow,
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
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Say whether a flow's plan has a quality, what is wrong with it, and which nearest plan has the quality.

    ``plan`` is a text with a step a line, a list of lines (each of which is a token, whatever it holds), or tokens.
    ``policy`` is by default KEEP: what can stay stays, and what is missing is added as cheaply as possible.

    ``show_output`` True compares the outputs of calls; False and None neither compare nor print them.
    ``collapse_maps`` reads and prints calls by the items that stand for their inputs, without the mappings.
    ``tokenizer`` reads and ``printer`` prints one line in place of the code-like ones.

    The steps of the report are ``Call`` and ``Constraint``; ``plan_diff_str`` shows the whole plan, a line for each
    step with ``  ``, ``- `` or ``+ `` before it. Raises as ``validator.check`` does.
    """
    written, warnings = _written(plan, tokenizer or FlowTokenizer(flow))
    shape = _Shape(flow, bool(show_output), collapse_maps, printer)
    expanded = shape.expanded(written)
    checked = _Checked(flow, expanded, compare_outputs=bool(show_output))
    report = check(
        prepare(checked.compiled.model),
        None,
        checked.plan,
        quality=quality,
        policy=policy or Policy.KEEP,
        repair=repair,
        time_limit=time_limit,
        memory_limit=memory_limit,
        cache=cache,
        progress=progress,
    )
    return checked.report(report, written, shape, warnings)


def _written(plan: str | Iterable[str | Token], read: Tokenizer) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    """Return the tokens of a plan, each of which takes a place in it, and warnings about what was passed over."""
    lines: Iterable[str | Token] = plan
    warnings: tuple[str, ...] = ()
    if isinstance(plan, str):
        lines, warnings = read_lines(plan)
    tokens = (read(line) if isinstance(line, str) else line for line in lines)
    return tuple(replace(each, reading=Call(name=each.text)) if _is_lost(each) else each for each in tokens), warnings


def _is_lost(token: Token) -> TypeGuard[Unparsed]:
    return isinstance(token, Unparsed) and token.reading is None


@dataclass(frozen=True)
class _Shape:
    """How the plan is written: which outputs are shown, what is collapsed and grouped, how a line is printed."""

    flow: Flow
    outputs: bool
    collapsed: bool
    printer: Printer

    @property
    def is_plain(self) -> bool:
        """Return whether each line is one step."""
        options = self.flow.options
        return not (self.collapsed or options.group_slots or options.group_maps or options.group_confirms)

    def expanded(self, tokens: Sequence[Token]) -> Expanded:
        first = expand_groups(tokens, self.flow.options)
        if not self.collapsed:
            return first
        second = expand_maps(first.tokens, Analysis(self.flow))
        return Expanded(second.tokens, tuple(first.origins[index] for index in second.origins))

    def line(self, token: Token) -> str:
        if isinstance(token, Unparsed):
            return str(token)
        return self.printer(token if self.outputs or not isinstance(token, Call) else replace(token, outputs=()))

    def diffs(self, written: Sequence[Token], repaired: Sequence[Token]) -> Iterator[StepDiff]:
        shown = collapse(repaired) if self.collapsed else repaired
        return _by_lines(written, group(shown, self.flow.options), self.line)


class _Checked:
    """A plan beside what it is compiled to."""

    def __init__(self, flow: Flow, expanded: Expanded, *, compare_outputs: bool) -> None:
        self.flow = flow
        self.expanded = expanded
        tokens = expanded.tokens
        self.compiled: Compiled = compile_flow(flow, dict.fromkeys(self._given(tokens)))
        faults = Faults(flow, frozenset(self.compiled.items), outputs=compare_outputs)
        self.faults = {place: found for place, token in enumerate(tokens) if (found := faults.of(place, token))}
        self.words = Words(self.compiled.words)

    def _given(self, tokens: Iterable[Token]) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield the calls that say which optional inputs they are given."""
        for token in tokens:
            operator = self.flow.by_name.get(token.name) if isinstance(token, Step) else None
            if operator is not None and isinstance(token, Step) and is_part(token.args, inputs_of(operator)):
                optional = {entry.item for entry in operator.inputs if not entry.required}
                if optional and {entry.item for entry in operator.inputs} - optional <= set(token.args):
                    yield operator.name, frozenset(optional.intersection(token.args))

    @cached_property
    def plan(self) -> Plan:
        """Return the plan in the steps of the model; a token at fault takes its place and cannot be kept."""
        return Plan(parts=tuple(map(self._inner, range(len(self.expanded.tokens)))), dialect=Dialect.CODE)

    def _inner(self, place: int) -> Token:
        token = self.expanded.tokens[place]
        if place not in self.faults and not isinstance(token, Unparsed):
            inner = self.compiled.inner(_bare(token))
            if inner is not None:
                return inner
            self.faults[place] = (Failure(step=place, kind=Kind.UNKNOWN_ACTION, detail=str(token)),)
        return Unparsed(text=str(token), reason="not a step of the flow", reading=Step(name=" ", args=()))

    # --- the way back --------------------------------------------------------------------------

    def report(self, report: Report, written: Sequence[Token], shape: _Shape, warnings: tuple[str, ...]) -> Report:
        """Return the report in the steps that people see."""
        repaired = self._repaired(report)
        diffs: tuple[StepDiff, ...] = ()
        if repaired is not None and report.determination is False:
            changed = report.plan_diff_obj
            whole = _by_steps(changed, written, repaired) if shape.is_plain else shape.diffs(written, repaired)
            diffs = tuple(whole)
        said = report.planner_response
        return replace(
            report,
            reference=tuple(written),
            failures=tuple(self._failures(report.failures)),
            unmet_goals=tuple(map(self.words.unmet_goal, report.unmet_goals)),
            plan_diff_obj=diffs,
            plan_diff_str="".join(f"{_sign(diff)}{shape.line(diff.step)}\n" for diff in diffs),
            repaired_plan=repaired,
            planner_response=replace(said, plan=tuple(map(shape.line, repaired)) if repaired and said.plan else ()),
            warnings=report.warnings + warnings,
        )

    def _failures(self, failures: Iterable[Failure]) -> Iterator[Failure]:
        """Yield the faults of tokens as they are seen, each once, in the order of the written plan."""
        told = set()
        for failure in failures:
            if failure.step is None:
                yield self.words.failure(failure)
                continue
            origin = self.expanded.origins[failure.step]
            if failure.step not in self.faults:
                yield replace(self.words.failure(self._moved(failure)), step=origin)
            elif failure.step not in told:
                told.add(failure.step)
                yield from (replace(fault, step=origin) for fault in self.faults[failure.step])

    def _moved(self, failure: Failure) -> Failure:
        """Return a failure whose causes name the steps of the written plan."""
        origins = self.expanded.origins
        causes = (cause if cause.step is None else replace(cause, step=origins[cause.step]) for cause in failure.causes)
        return replace(failure, causes=tuple(causes))

    def _repaired(self, report: Report) -> tuple[Token, ...] | None:
        """Return the repaired plan as it is seen: what stays as it was written, what is added as the flow has it."""
        if report.repaired_plan is None:
            return None
        simulator = Simulator(self.compiled.model)
        plan = Plan(parts=tuple(report.repaired_plan))
        states = simulator.run(plan).states()
        seen: list[Token] = []
        for state, step in zip(states, plan.tokens, strict=False):
            assert isinstance(step, Step)
            known = {atom[1] for atom in state if atom[0] == "known"}
            seen.append(self._outer(step, known))
        return tuple(seen)

    def _outer(self, step: Step, known: set[str]) -> Token:
        shown = self.compiled.outer(step)
        if isinstance(shown, Constraint) or shown.name in BASIC:
            return shown if isinstance(shown, Constraint) else Call(name=shown.name, args=shown.args)
        operator = self.flow.by_name[shown.name]
        required = {entry.item for entry in operator.inputs if entry.required}
        args = tuple(arg for arg in shown.args if arg in required or self.compiled.items[arg] in known)
        return Call(name=shown.name, args=args, outputs=tuple(entry.item for entry in operator.outputs))


def _bare(token: Step | Constraint) -> Step | Constraint:
    if isinstance(token, Constraint):
        return Constraint(text=token.text, holds=token.holds)
    return Step(name=token.name, args=token.args)


def _sign(diff: StepDiff) -> str:
    return f"{diff.diff_type.value if diff.diff_type else ' '} "


# --- the diff ------------------------------------------------------------------------------------


def _by_steps(diffs: Iterable[StepDiff], written: Sequence[Token], repaired: Sequence[Token]) -> Iterator[StepDiff]:
    """Yield the diffs of the model's steps in the steps that people see, one for one."""
    old, new = iter(written), iter(repaired)
    for diff in diffs:
        before = next(old) if diff.diff_type is not DiffAction.ADD else None
        after = next(new) if diff.diff_type is not DiffAction.DELETE else None
        step = after or before
        assert step is not None
        yield StepDiff(diff_type=diff.diff_type, step=step)


def _by_lines(written: Sequence[Token], repaired: Sequence[Token], line: Printer) -> Iterator[StepDiff]:
    """Yield the diffs of two plans as they are printed, by a longest common subsequence of their lines."""
    old, new = [line(token) for token in written], [line(token) for token in repaired]
    lengths = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            same = old[i] == new[j]
            lengths[i][j] = lengths[i + 1][j + 1] + 1 if same else max(lengths[i + 1][j], lengths[i][j + 1])
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and old[i] == new[j]:
            yield StepDiff(diff_type=None, step=repaired[j])
            i, j = i + 1, j + 1
        elif j == len(new) or (i < len(old) and lengths[i + 1][j] >= lengths[i][j + 1]):
            yield StepDiff(diff_type=DiffAction.DELETE, step=written[i])
            i += 1
        else:
            yield StepDiff(diff_type=DiffAction.ADD, step=repaired[j])
            j += 1
