"""A flow's plan beside what it is compiled to: into the model's steps, and a report back in the flow's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property

from validator.checking.report import Report
from validator.errors import Names
from validator.execution.simulator import Simulator
from validator.execution.trace import Failure, Kind
from validator.flow.compiled.analysis import Instances, calls_of
from validator.flow.compiled.compile import Compiled, compile_flow
from validator.flow.compiled.language import NO_STEP, Words
from validator.flow.model import Flow, Operator
from validator.flow.plans.shape import Expanded
from validator.flow.plans.tokens import BASIC, Call
from validator.reading.plan import Constraint, Dialect, Plan, Step, Token, Unparsed, bare
from validator.records import replace
from validator.repair.diff import StepDiff


class Checked:
    """A plan beside what it is compiled to."""

    def __init__(
        self,
        flow: Flow,
        expanded: Expanded,
        *,
        compare_outputs: bool,
        distinct: Instances | None = None,
    ) -> None:
        self.flow = flow
        self.expanded = expanded
        tokens = expanded.tokens
        self.compiled: Compiled = compile_flow(flow, frozenset(_given_inputs(flow, tokens)), distinct)
        own = Faults(flow, frozenset(self.compiled.items), outputs=compare_outputs)
        self.faults = {place: found for place, token in enumerate(tokens) if (found := own.of(place, token))}
        self.words = Words(self.compiled.words)

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
        return Unparsed(text=str(token), reason="not a step of the flow", reading=Step(name=NO_STEP, args=()))

    # --- the way back --------------------------------------------------------------------------

    def report(
        self,
        report: Report,
        written: Sequence[Token],
        diffs: Callable[[Iterable[StepDiff], Sequence[Token]], Iterator[StepDiff]],
        line: Callable[[Token], str],
    ) -> Report:
        """Return the report in the steps that people see.

        ``diffs`` turns the diffs of the model's steps into those that are shown, given the repaired plan as it is
        seen; ``line`` prints a step.
        """
        found = report.repaired_plan
        own = (step for step in found or () if isinstance(step, Step))
        repaired = None if found is None else self.seen(Simulator(self.compiled.model), own)
        shown: tuple[StepDiff, ...] = ()
        if repaired is not None and report.determination is False:
            shown = tuple(diffs(report.plan_diff_obj, repaired))
        said = report.planner_response
        return replace(
            report,
            reference=tuple(written),
            failures=tuple(self.failures(report.failures)),
            unmet_goals=tuple(map(self.words.unmet_goal, report.unmet_goals)),
            plan_diff_obj=shown,
            plan_diff_str="".join(f"{diff.diff_type or ' '} {line(diff.step)}\n" for diff in shown),
            repaired_plan=repaired,
            planner_response=replace(said, plan=tuple(map(line, repaired)) if repaired and said.plan else ()),
        )

    def failures(self, failures: Iterable[Failure]) -> Iterator[Failure]:
        """Yield the faults of tokens as they are seen, each once, in the order of the written plan."""
        reported = set()
        for failure in failures:
            if failure.step is None:
                yield self.words.failure(failure)
                continue
            origin = self.expanded.origins[failure.step]
            if failure.step not in self.faults:
                yield replace(self.words.failure(self._moved(failure)), step=origin)
            elif failure.step not in reported:
                reported.add(failure.step)
                yield from (replace(fault, step=origin) for fault in self.faults[failure.step])

    def _moved(self, failure: Failure) -> Failure:
        """Return a failure whose causes name the steps of the written plan."""
        origins = self.expanded.origins
        causes = (cause if cause.step is None else replace(cause, step=origins[cause.step]) for cause in failure.causes)
        return replace(failure, causes=tuple(causes))

    def seen(self, simulator: Simulator, steps: Iterable[Step]) -> tuple[Token, ...]:
        """Return steps of the model as people see them: calls with the optional inputs that are known then."""
        plan = Plan(parts=tuple(steps))
        states = simulator.run(plan).states()
        found: list[Token] = []
        for before, step in zip(states, plan.tokens, strict=False):
            assert isinstance(step, Step)
            found.append(_outer(self.compiled, step, {atom[1] for atom in before if atom[0] == "known"}))
        return tuple(found)


def _given_inputs(flow: Flow, tokens: Iterable[Token]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the calls that say which optional inputs they are given."""
    for token in tokens:
        operator = flow.by_name.get(token.name) if isinstance(token, Step) else None
        if operator is not None and isinstance(token, Step) and _is_part(token.args, operator.input_items):
            optional = operator.optional_items
            if optional and set(operator.input_items) - optional <= set(token.args):
                yield operator.name, optional.intersection(token.args)


def _outer(compiled: Compiled, step: Step, known: set[str]) -> Token:
    shown = compiled.outer(step)
    if isinstance(shown, Constraint) or shown.name in BASIC:
        return shown if isinstance(shown, Constraint) else Call(name=shown.name, args=shown.args)
    operator = compiled.flow.by_name[shown.name]
    required = operator.required_items
    args = tuple(arg for arg in shown.args if arg in required or compiled.items[arg] in known)
    return Call(name=shown.name, args=args, outputs=operator.output_items)


def _bare(token: Step | Constraint) -> Step | Constraint:
    """Return a token without its outputs and its place, by which a compiled flow knows it."""
    if isinstance(token, Constraint):
        return Constraint(text=token.text, holds=token.holds)
    return bare(token)


def is_executed(flow: Flow, steps: tuple[Token, ...], cost: Fraction | int | None, *, with_goal: bool = True) -> bool:
    """Return whether steps can be executed, and reach the goal, at a cost, when their calls are distinguished."""
    expanded = Expanded(steps, tuple(range(len(steps))))
    checked = Checked(flow, expanded, compare_outputs=False, distinct=calls_of(flow, steps))
    trace = checked.compiled.prepared.simulator.run(checked.plan)
    return not checked.faults and trace.cost == cost and (trace.is_valid if with_goal else trace.is_sound)


# --- what is wrong before any state is looked at --------------------------------------------------


class Faults:
    """Checks tokens against a flow. ``outputs`` says whether the outputs of a call are looked at."""

    def __init__(self, flow: Flow, items: frozenset[str], *, outputs: bool) -> None:
        self.flow = flow
        self.items = items
        self.outputs = outputs
        self._operators = Names((*flow.by_name, *BASIC))
        self._items = Names(sorted(items))
        self._constraints = Names(flow.constraints)

    def of(self, place: int, token: Token) -> tuple[Failure, ...]:
        """Return the faults of a token, none for one that is a step of the flow."""
        if isinstance(token, Unparsed):
            return (Failure(step=place, kind=Kind.SYNTAX, detail=f"{token}: {token.reason}", nearest=token.nearest),)
        if isinstance(token, Constraint):
            return tuple(self._of_constraint(place, token))
        if token.name in BASIC:
            return tuple(self._of_basic(place, token))
        operator = self.flow.by_name.get(token.name)
        if operator is None:
            near = self._operators.nearest(token.name)
            return (Failure(step=place, kind=Kind.UNKNOWN_ACTION, detail=token.name, nearest=near),)
        return (*self._of_inputs(place, token, operator), *self._of_outputs(place, token, operator))

    def _of_constraint(self, place: int, token: Constraint) -> Iterator[Failure]:
        if token.text not in self.flow.constraints:
            near = self._constraints.nearest(token.text)
            detail = f"the flow has no constraint '{token.text}'"
            yield Failure(step=place, kind=Kind.CONSTRAINT, detail=detail, nearest=near)

    def _of_basic(self, place: int, step: Step) -> Iterator[Failure]:
        wanted, given = BASIC[step.name], len(step.args)
        if wanted != given if wanted else not given:
            detail = f"{step.name} takes {wanted or 'at least 1'}, got {given}"
            yield Failure(step=place, kind=Kind.WRONG_ARITY, detail=detail)
        yield from self._unknown_items(place, step)
        if step.outputs:
            detail = f"{step.name} has no outputs, got {', '.join(step.outputs)}"
            yield Failure(step=place, kind=Kind.WRONG_OUTPUT, detail=detail)

    def _unknown_items(self, place: int, step: Step) -> Iterator[Failure]:
        for name in step.args:
            if name not in self.items:
                near = self._items.nearest(name)
                yield Failure(step=place, kind=Kind.UNKNOWN_OBJECT, detail=name, nearest=near)

    def _of_inputs(self, place: int, step: Step, operator: Operator) -> Iterator[Failure]:
        wanted = operator.input_items
        required = operator.required_items
        if len(set(step.args)) == len(step.args) and _is_part(step.args, wanted) and required <= set(step.args):
            return
        unknown = list(self._unknown_items(place, step))
        yield from unknown
        signature = ", ".join(item if item in required else f"[{item}]" for item in wanted) or "nothing"
        if not len(required) <= len(step.args) <= len(wanted):
            detail = f"{step.name} takes {signature}, got {len(step.args)}"
            yield Failure(step=place, kind=Kind.WRONG_ARITY, detail=detail)
        elif not unknown:
            order = ", in this order" if set(step.args) <= set(wanted) else ""
            detail = f"{step.name} takes {signature}{order}, got {', '.join(step.args)}"
            yield Failure(step=place, kind=Kind.WRONG_ARGUMENT, detail=detail)

    def _of_outputs(self, place: int, step: Step, operator: Operator) -> Iterator[Failure]:
        wanted = operator.output_items
        if self.outputs and step.outputs != wanted:
            order = ", in this order" if len(wanted) > 1 else ""
            given = ", ".join(step.outputs) or "none"
            detail = f"{step.name} yields {', '.join(wanted) or 'nothing'}{order}, got {given}"
            yield Failure(step=place, kind=Kind.WRONG_OUTPUT, detail=detail)


def _is_part(args: Iterable[str], wanted: Iterable[str]) -> bool:
    """Return whether arguments are inputs of an operator, in their order."""
    rest = iter(wanted)
    return all(arg in rest for arg in args)
