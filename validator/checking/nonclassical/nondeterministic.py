"""Plans of models with several outcomes, and policies: executed as sets of states, in every outcome."""

from __future__ import annotations

import time
from collections.abc import Callable

from validator.checking.question import Question
from validator.checking.report import PlannerResponse, Quality, Report
from validator.execution.trace import Failure, Kind
from validator.grounding.limits import Status
from validator.model.conditions import holds
from validator.model.values import Formula, Model, features_text
from validator.nondeterminism.edits import fewest_edits
from validator.nondeterminism.explore import Explored, Node, explore
from validator.nondeterminism.outcomes import Outcomes, run_to
from validator.nondeterminism.policy import PolicyTable, RunEnd, Steps, Strategy, read_listing
from validator.nondeterminism.transitions import OPEN_FEATURES, State, Transitions
from validator.reading.plan import Step, Token
from validator.records import dataclass, replace

_ENGINE = "deepening over edits of the table"


def check_policy(model: Model, text: str, source: str, quality: Quality, deadline: float, *, repair: bool) -> Report:
    """Return the report on a policy as a planner prints it. Raises PlanError."""
    asked = Report(report_type=quality, determination=None, warnings=model.warnings)
    if why := unsupported(model):
        return replace(asked, reason=why)
    transitions = Transitions(model)
    strategy = replace(read_listing(text, model, source), view=transitions.simulator.view)
    return check_strategy(transitions, strategy, asked, deadline, repair=repair)


def truth_in(transitions: Transitions) -> Callable[[Formula, State], bool]:
    """Return what tells whether a condition holds in a state."""
    model, view = transitions.model, transitions.simulator.view
    return lambda formula, state: holds(model, formula, {}, view(state))


def unsupported(model: Model) -> str:
    """Return why the outcomes of a model are not followed; empty where they are."""
    others = {name: place for name, place in model.features.items() if name not in OPEN_FEATURES}
    said = features_text(others)
    return f"outcomes are followed in classical models, not in one with {said}" if others else ""


def check_sequence(question: Question) -> Report:
    """Return the report on a sequence of steps in a model with several outcomes."""
    model, plan, simulator = question.model, question.plan, question.simulator
    asked = Report(
        report_type=question.quality,
        determination=None,
        reference=question.tokens,
        warnings=(*model.warnings, *plan.warnings),
        claims_no_plan=plan.claims_no_plan is not None,
    )
    placed = zip(plan.places, question.tokens, strict=True)
    faults = [fault for place, token in placed for fault in simulator.malformed(place, simulator.resolve(token))]
    if faults:
        why = "some steps do not fit the model"
        return replace(asked, determination=False, reason=why, failures=tuple(faults), proven=True)
    steps = tuple(token for token in question.tokens if isinstance(token, Step))
    if any(step.time is not None or step.concurrent is not None for step in steps):
        return replace(asked, reason="steps at one time are not followed through several outcomes")
    deadline = time.monotonic() + question.limits.seconds
    with question.clock("execution"):
        report = check_strategy(Transitions(model), Steps(steps), asked, deadline)
    return replace(report, timings=question.clock.seconds)


# --- judgement -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Where a strategy goes wrong: a node, why, and how to say it; ``reaching`` is a node at which a run is right."""

    wrong: Node | None
    why: str = ""
    reaching: Node | None = None


def check_strategy(
    transitions: Transitions, strategy: Strategy, asked: Report, deadline: float, *, repair: bool = False
) -> Report:
    """Return the report on a strategy; ``asked`` is one without an answer."""

    def is_over() -> None:
        if time.monotonic() > deadline:
            raise TimeoutError

    quality = asked.report_type
    try:
        explored = explore(transitions, strategy, is_over)
    except TimeoutError:
        return replace(asked, reason="the time limit was met while the outcomes were followed")
    if not explored.before and not explored.cut:
        return replace(asked, reason="no initial state is as the problem says that it is")
    found = _judged(explored, quality)
    report = replace(asked, outcomes=_outcomes(transitions, strategy, quality, explored, found))
    if found.wrong is not None:
        report = _refused(transitions, strategy, explored, found, report)
        if repair and isinstance(strategy, PolicyTable) and quality is not Quality.SOUND and not explored.cut:
            return _edited(transitions, strategy, report, is_over)
        return report
    why = explored.cut or _open(transitions, strategy, explored)
    if not why and quality is Quality.OPTIMAL:
        why = "the cheapest plan of a model with several outcomes is not looked for"
    return replace(report, determination=None if why else True, proven=not why, reason=why)


def _judged(explored: Explored, quality: Quality) -> _Found:
    reaching = explored.first(RunEnd.GOAL, RunEnd.SHORT) if quality is Quality.SOUND else explored.first(RunEnd.GOAL)
    fault = explored.first(RunEnd.FAULT)
    if quality is Quality.SOUND:
        return _Found(wrong=fault, why="a step cannot be executed" if fault is not None else "", reaching=reaching)
    wrong = explored.first(RunEnd.FAULT, RunEnd.SHORT, RunEnd.UNHANDLED)
    if wrong is not None:
        return _Found(wrong=wrong, why=str(explored.ends[wrong]), reaching=reaching)
    trap = None if explored.cut or explored.first(RunEnd.OPEN) is not None else explored.trap
    return _Found(wrong=trap, why="the goal cannot be reached any more", reaching=reaching)


def _outcomes(
    transitions: Transitions, strategy: Strategy, quality: Quality, explored: Explored, found: _Found
) -> Outcomes:
    is_whole = not explored.cut and explored.first(RunEnd.OPEN) is None
    if found.wrong is None:
        is_open = not is_whole or explored.first(RunEnd.UNHANDLED) is not None
        is_plan = quality is Quality.SOUND or not isinstance(strategy, PolicyTable)
        kind = "all" if is_plan else "strong cyclic" if explored.is_cyclic else "strong"
        right = "unknown" if is_open else kind
    elif found.reaching is not None:
        right = "some"
    else:
        right = "none" if is_whole else "not all"
    failing = reaching = None
    if found.wrong is not None:
        failing = run_to(transitions, explored, found.wrong, _end(explored, found.wrong, found.why))
        if found.reaching is not None:
            reaching = run_to(transitions, explored, found.reaching, str(explored.ends[found.reaching]))
    return Outcomes(right=right, nodes=len(explored.before), failing=failing, reaching=reaching)


def _end(explored: Explored, node: Node, why: str) -> str:
    step = explored.steps.get(node) if node in explored.ends else None
    return why if step is None else f"{step} cannot be executed"


def _open(transitions: Transitions, strategy: Strategy, explored: Explored) -> str:
    """Return why a strategy that nowhere goes wrong may not be right after all; empty where it is."""
    node = explored.first(RunEnd.OPEN, RunEnd.UNHANDLED)
    if node is not None:
        initial = run_to(transitions, explored, node, "").initial
        where = f" where {', '.join(initial)}" if initial else ""
        return f"{node[0] or RunEnd.UNHANDLED}{where}"
    if isinstance(strategy, PolicyTable) and any(
        action.observed for action in transitions.model.domain.actions.values()
    ):
        return "the table reads the whole state, and the model has actions that observe it"
    return ""


def _refused(transitions: Transitions, strategy: Strategy, explored: Explored, found: _Found, report: Report) -> Report:
    """Return the report on a strategy that goes wrong, with the faults of the run that shows it."""
    assert found.wrong is not None and report.outcomes is not None
    start, before = explored.run_to(found.wrong)
    steps = [explored.steps[node] for node, _ in before]
    outcomes = [outcome for _, outcome in before]
    end = explored.ends.get(found.wrong)
    if end is RunEnd.FAULT:
        steps.append(explored.steps[found.wrong])
        outcomes.append(transitions.outcomes(steps[-1])[0])
    trace = transitions.run(start, outcomes, with_goal=end is RunEnd.SHORT)
    failures = trace.failures
    if not failures:
        where = f"after step {len(steps)}" if steps else "in the initial state"
        failures = (Failure(step=None, kind=Kind.CONSTRAINT, detail=f"{found.why} {where}"),)
    reference: tuple[Token, ...] = strategy.steps if isinstance(strategy, Steps) else tuple(steps)
    quality = report.report_type.value if report.report_type is Quality.SOUND else Quality.VALID.value
    said = {"some": f"{quality} in some outcomes, not in all", "none": f"{quality} in no outcome"}
    why = said.get(report.outcomes.right, f"not {quality} in all outcomes")
    if explored.cut:
        why = f"{why}; {explored.cut}"
    return replace(
        report,
        determination=False,
        proven=True,
        reason=why,
        reference=reference,
        failures=failures,
        unmet_goals=trace.unmet_goals if end is RunEnd.SHORT else (),
    )


def _edited(transitions: Transitions, policy: PolicyTable, report: Report, is_over: Callable[[], None]) -> Report:
    """Return the report on a table that is not right, with the fewest edits that make it so."""
    if policy.forbidden:
        why = "no edits are looked for in a table that forbids entries"
        return replace(report, warnings=(*report.warnings, why))
    edits, table = fewest_edits(transitions, policy, is_over)
    if table is not None:
        explored = explore(transitions, table, lambda: None)
        if explored.cut or _judged(explored, Quality.VALID).wrong is not None:
            raise AssertionError("the table that was found is not right")
    assert report.outcomes is not None
    status = Status.TIME_LIMIT
    if edits.proven:
        status = Status.UNSOLVABLE if table is None else Status.SOLVED
    cost = None if table is None else edits.least
    response = PlannerResponse(status=status.value, engine=_ENGINE, cost=cost, lower_bound=edits.least)
    outcomes = replace(report.outcomes, edits=edits)
    return replace(report, outcomes=outcomes, planner_response=response, proven=edits.proven)
