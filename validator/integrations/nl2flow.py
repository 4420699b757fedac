"""NL2Flow (0.1.3): its own flows, planned and checked here, answered in its own values.

    flow.plan_it(PlanValidator())                                            # in place of Kstar()
    Debugger(flow).debug(tokens, report_type=SolutionQuality.VALID)          # in place of BasicDebugger
    with registered(): ...                                                   # Kstar() and BasicDebugger themselves

``Flow``, ``Operator``, ``SignatureItem``, ``MappingItem``, ``GoalItems`` and the printers stay NL2Flow's. Its flow is
read, never changed. What a reader of NL2Flow's plans should know: costs have no hidden actions in them (see
docs/flows.md), and ``determination`` is False for a plan that lacks a question, a mapping or an assertion, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import ndiff
from itertools import groupby
from typing import TYPE_CHECKING, Any

try:
    from nl2flow.compile import schemas as parts
    from nl2flow.compile.flow import Flow as TheirFlow
    from nl2flow.debug import schemas as reports
    from nl2flow.debug.debug import BasicDebugger
    from nl2flow.plan import schemas as plans
    from nl2flow.plan.planner import Planner
    from nl2flow.printers.codelike import CodeLikePrint
except ImportError:
    BasicDebugger = Planner = None

from validator.reading.plan import Constraint, Step, Token, Unparsed

if TYPE_CHECKING:
    from validator.checking.report import Report
    from validator.flow.model import Flow


_OPTIONS = {
    "slot": "slot_options",
    "mapping": "mapping_options",
    "confirm": "confirm_options",
    "life_cycle": "variable_life_cycle",
    "optimization": "optimization_options",
}


def flow_of(flow: Any) -> Flow:
    """Return the flow that an NL2Flow ``Flow`` is, with its options. Raises ModelError for what cannot be compiled."""
    from validator.flow.definition.nl2flow import flow_from_nl2flow

    options = {key: sorted(option.name for option in getattr(flow, name)) for key, name in _OPTIONS.items()}
    options |= {"goal_type": flow.goal_type.name, "lookahead": flow.lookahead}
    return flow_from_nl2flow(flow.flow_definition.model_dump(mode="json"), options)


# --- planning ------------------------------------------------------------------------------------


class PlanValidator(Planner or object):  # type: ignore[misc]
    """A planner for NL2Flow's ``Flow.plan_it``: one plan, a cheapest.

    NL2Flow compiles its own PDDL before it asks any planner; ``registered`` spares that. Raises ImportError without
    NL2Flow.
    """

    def __init__(self) -> None:
        if Planner is None:
            raise ImportError("validator.integrations.nl2flow needs the package nl2flow: pip install nl2flow")
        super().__init__()

    def plan(self, pddl: Any, **kwargs: Any) -> Any:
        """Return NL2Flow's PlannerResponse for the ``flow`` among the arguments."""
        return _planned(kwargs["flow"], self.timeout)


def _planned(flow: Any, timeout: float) -> Any:
    from validator.flow.planning import plan_flow

    own = flow_of(flow)
    found = plan_flow(own, time_limit=timeout)
    return _response(own, found.plan, int(found.cost or 0), found.status)


def _response(flow: Flow, plan: Sequence[Token] | None, cost: int, status: str) -> Any:
    """Return a PlannerResponse; one plan without steps is, as with NL2Flow, no plan but ``no_plan_needed``."""
    from validator.flow.compiled.compile import compile_flow
    from validator.flow.plans.shape import group

    compiled = compile_flow(flow)
    found = plans.ClassicalPlan(plan=[_action(step) for step in group(plan or (), flow.options)])
    found.cost, found.length = float(cost), len(found.plan)  # whole, as NL2Flow sets and prints it
    return plans.PlannerResponse(
        pddl=parts.PDDL(domain=compiled.domain, problem=compiled.problem),
        list_of_plans=[found] if plan else [],
        error_running_planner=False,
        is_no_solution=status == "unsolvable",
        no_plan_needed=plan is not None and not plan,
        is_timeout=status == "time limit",
        is_parse_error=False,
    )


def _action(token: Token) -> Any:
    if isinstance(token, Constraint):
        return parts.Constraint(constraint=token.text, truth_value=token.holds)
    assert isinstance(token, Step)
    args, outputs = list(token.args), list(token.outputs)
    return plans.Action(name=token.name, parameters=args, inputs=args, outputs=outputs)


# --- debugging -----------------------------------------------------------------------------------


class Debugger(BasicDebugger or object):  # type: ignore[misc]
    """NL2Flow's ``BasicDebugger``, whose ``debug`` is answered here. Raises ImportError without NL2Flow."""

    def __init__(self, instance: Any) -> None:
        if BasicDebugger is None:
            raise ImportError("validator.integrations.nl2flow needs the package nl2flow: pip install nl2flow")
        super().__init__(instance)

    def debug(
        self,
        list_of_tokens: list[str],
        report_type: Any,
        debug_flag: Any = None,
        timeout: float = 1800,
        printer: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Return NL2Flow's Report on a plan; ``debug_flag``, which of its encodings to use, changes nothing here."""
        return _debugged(self.flow, list_of_tokens, report_type, timeout, printer or CodeLikePrint(), kwargs)


def _debugged(
    flow: Any, lines: Sequence[str], report_type: Any, timeout: float, printer: Any, options: dict[str, Any]
) -> Any:
    from validator.flow.check import check_flow

    own = flow_of(flow)
    told: dict[str, Any] = {key: options[key] for key in ("show_output", "collapse_maps") if key in options}
    if not isinstance(printer, CodeLikePrint):
        told |= {"tokenizer": _reader(own, printer, options), "printer": _writer(printer, options)}
    report = check_flow(own, list(lines), quality=report_type.value.lower(), time_limit=timeout, **told)
    shown = report.plan_diff_str.splitlines()
    steps = [_step(token) for token in report.reference if not isinstance(token, Unparsed)]
    return reports.Report(
        report_type=report_type,
        determination=report.determination,
        planner_response=_of_report(own, report),
        reference=parts.ClassicalPlanReference(plan=steps),
        plan_diff_str=hinted(shown) if shown or not report.determination else [f"  {line}" for line in lines],
        plan_diff_obj=_diff_obj(report),
    )


def _of_report(flow: Flow, report: Report) -> Any:
    """Return what NL2Flow's planner would have said: the repaired plan, or the plan itself when it has the quality."""
    plan, cost = report.repaired_plan, report.repaired_cost
    if report.determination:
        plan, cost = report.reference, report.cost
    return _response(flow, plan, int(cost or 0), report.planner_response.status)


def hinted(diff: Sequence[str]) -> list[str]:
    """Return the lines of a diff, with difflib's marks ("? ") below those of which characters changed."""
    found: list[str] = []
    for is_kept, lines in groupby(diff, key=lambda line: line.startswith(" ")):
        block = list(lines)
        old, new = ([line[2:] for line in block if line[:1] == sign] for sign in "-+")
        if is_kept or set(old) & set(new):  # what moves is told by its own lines
            found += block
        else:
            found += [line.rstrip("\n") for line in ndiff(old, new)]
    return found


def _diff_obj(report: Report) -> list[Any]:
    diffs = [(diff.diff_type.value if diff.diff_type else None, diff.step) for diff in report.plan_diff_obj]
    if report.determination:
        diffs = [(None, token) for token in report.reference]
    return [reports.StepDiff(diff_type=kind, step=_step(token)) for kind, token in diffs]


def _step(token: Token) -> Any:
    if isinstance(token, Unparsed):
        return token.text
    if isinstance(token, Constraint):
        return parts.Constraint(constraint=token.text, truth_value=token.holds)
    return parts.Step(name=token.name, parameters=list(token.args))


# --- printers of NL2Flow as tokenizer and printer ------------------------------------------------


def _reader(flow: Flow, printer: Any, options: dict[str, Any]) -> Callable[[str], Token]:
    """Return a tokenizer; NL2Flow's printers do not read outputs, so that a call is taken to have its operator's."""
    from validator.flow.plans.tokens import Call

    def read(line: str) -> Token:
        try:
            found = printer.parse_token(line, **options)
        except Exception as error:  # whatever a user's printer raises for a line that it cannot read
            return Unparsed(text=line, reason=str(error) or type(error).__name__)
        if found is None or not (getattr(found, "name", "") or hasattr(found, "constraint")):
            return Unparsed(text=line, reason="the printer cannot read it")
        if hasattr(found, "constraint"):
            return Constraint(text=found.constraint, holds=found.truth_value is not False)
        args = tuple(found.parameter(place) for place in range(len(found.parameters)))
        operator = flow.by_name.get(found.name)
        outputs = tuple(output.item for output in operator.outputs) if operator else ()
        return Call(name=found.name, args=args, outputs=outputs)

    return read


def _writer(printer: Any, options: dict[str, Any]) -> Callable[[Token], str]:
    kept = {**options, "line_numbers": False}

    def write(token: Token) -> str:
        text: str = printer.pretty_print_plan(plans.ClassicalPlan(plan=[_action(token)]), **kept)
        return text

    return write


# --- in place of NL2Flow's own -------------------------------------------------------------------


@contextmanager
def registered() -> Iterator[None]:
    """Let NL2Flow's own ``Flow.plan_it`` and ``BasicDebugger.debug`` be answered here, whatever planner is given.

    Raises ImportError without NL2Flow.
    """
    PlanValidator()
    kept = TheirFlow.plan_it, BasicDebugger.debug
    TheirFlow.plan_it = lambda flow, planner, *_, **__: _planned(flow, planner.timeout)
    BasicDebugger.debug = Debugger.debug
    try:
        yield
    finally:
        TheirFlow.plan_it, BasicDebugger.debug = kept
