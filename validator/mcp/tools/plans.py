"""Plans of PDDL models: to check, to repair, to read, to find and to compare them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from validator.errors import PlanError
from validator.mcp.shapes import (
    Bounds,
    Check,
    Compared,
    Course,
    Dialects,
    DomainText,
    Epsilon,
    PlanText,
    ProblemText,
    Quality,
    Seconds,
    Shown,
    Solution,
    SomeDomain,
    SomeProblem,
    Strict,
    Tolerance,
    Words,
)
from validator.mcp.told import check_value
from validator.mcp.tools.given import text_of
from validator.service.given import epsilon_of, model_of, some_model

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared
    from validator.checking.solve import Solution as Found
    from validator.metrics import Comparison

__all__ = ["check_plan", "compare_plans", "read", "repair_plan", "solve"]


def check_plan(
    bounds: Bounds,
    domain: DomainText,
    problem: ProblemText,
    plan: PlanText,
    quality: Quality = "valid",
    epsilon: Epsilon = None,
    tolerance: Tolerance = None,
    trace: Course = False,
    strict: Strict = False,
    templates: Words = None,
    time_limit: Seconds = None,
) -> Check:
    """Check a plan of a PDDL model: say whether it has a quality, and every fault with its step and the reason.

    What could not be read is no fault: 'reading' tells each piece that was not understood.
    """
    apart = {"epsilon": epsilon_of(epsilon), "tolerance": epsilon_of(tolerance, "tolerance")}
    asked = {"quality": quality, "repair": False, **apart, "trace": trace, "strict": strict}
    return _checked(bounds, model_of(domain, problem, templates), plan, time_limit, asked)


def repair_plan(
    bounds: Bounds,
    domain: DomainText,
    problem: ProblemText,
    plan: PlanText,
    quality: Quality = "valid",
    policy: Annotated[
        Literal["edits", "keep", "move"],
        "edits: change the fewest lines; keep: keep each step that can be kept; move: keep or move each",
    ] = "edits",
    epsilon: Epsilon = None,
    trace: Course = False,
    strict: Strict = False,
    templates: Words = None,
    time_limit: Seconds = None,
) -> Check:
    """Check a plan of a PDDL model, and return the nearest plan that has the quality, also as a diff."""
    asked = {"quality": quality, "policy": policy, "epsilon": epsilon_of(epsilon), "trace": trace, "strict": strict}
    return _checked(bounds, model_of(domain, problem, templates), plan, time_limit, asked)


def _checked(
    bounds: Bounds, model: Prepared, plan: PlanText, time_limit: float | None, asked: Mapping[str, Any]
) -> Check:
    """Check a plan; ``asked`` are arguments of ``validator.check``."""
    from validator.checking.check import check
    from validator.reading.tokens import tokenize

    seconds, read = bounds.seconds(time_limit), tokenize(text_of(plan), model.vocabulary)
    return check_value(check(model, None, read, time_limit=seconds, memory_limit=bounds.memory_limit, **asked))


def read(
    bounds: Bounds,
    text: Annotated[
        str | list[Any] | dict[str, Any],
        "a text in which a plan is said, such as the answer of a language model; or the trace of an agent",
    ],
    domain: SomeDomain = None,
    problem: SomeProblem = None,
    dialect: Dialects = None,
    strict: Strict = False,
    templates: Words = None,
    time_limit: Seconds = None,
) -> Shown:
    """Show a text beside the steps that are read of it: what was not understood, what was passed over and why.

    Of a trace of tool calls, which takes no model, the calls, what came of each, and the plan that is stated.
    """
    from validator.checking.check import reading_in
    from validator.reading.beside import beside
    from validator.reading.plan import Dialect
    from validator.reading.tokens import read as read_text
    from validator.reading.traces.read import traces_in
    from validator.render.beside import beside_text, beside_value
    from validator.render.traces import traces_text, traces_value

    bounds.seconds(time_limit)
    model = some_model(domain, problem, templates)
    said = text_of(text)
    if model is None and dialect is None and (traces := traces_in(said)):
        return {"feedback": traces_text(traces), **traces_value(said, traces)}  # type: ignore[typeddict-item]
    vocabulary = None if model is None else model.vocabulary
    reading = read_text(said, vocabulary, None if dialect is None else Dialect(dialect), strict=strict)
    found = beside(reading if model is None else reading_in(model, reading), vocabulary)
    return {"feedback": beside_text(found), **beside_value(found), "traces": []}  # type: ignore[typeddict-item]


def solve(bounds: Bounds, domain: DomainText, problem: ProblemText, time_limit: Seconds = None) -> Solution:
    """Find a cheapest plan of a PDDL model, or prove that there is none."""
    from validator.checking.solve import solve as solve_model

    found = solve_model(
        model_of(domain, problem), time_limit=bounds.seconds(time_limit), memory_limit=bounds.memory_limit
    )
    return {
        "feedback": _solution_text(found),
        "status": found.status,
        "proven": found.proven,
        "lower_bound": None if found.lower_bound is None else float(found.lower_bound),
        "cost": None if found.cost is None else float(found.cost),
        "plan": None if found.plan is None else list(map(str, found.plan)),
    }


def _solution_text(found: Found) -> str:
    if found.plan is None or found.cost is None:
        return "There is no plan (proven).\n" if found.proven else f"No plan was found: {found.reason}.\n"
    least = found.reason if found.lower_bound is None else f"at least {float(found.lower_bound):g}"
    proof = "proven cheapest" if found.proven else f"not proven cheapest: {least}"
    head = f"A plan of cost {float(found.cost):g} ({proof}):"
    return "\n".join((head, *map(str, found.plan))) + "\n"


def compare_plans(
    bounds: Bounds,
    plans: Annotated[
        list[str | list[Any]], "two plans or more, each a text or a list of steps; each is compared with each later one"
    ],
    domain: SomeDomain = None,
    problem: SomeProblem = None,
    metrics: Annotated[list[str] | None, "names of metrics; default: all that can be computed"] = None,
) -> Compared:
    """Tell how alike plans are; with a PDDL model, also whether they do the same."""
    from validator.metrics.compare import compare

    if len(plans) > _MOST_PLANS:
        raise PlanError(f"at most {_MOST_PLANS} plans are compared at once, not {len(plans)}")
    found = compare(list(map(text_of, plans)), some_model(domain, problem), metrics=metrics)
    value = found.to_json()
    return {"feedback": "".join(_likeness(found)), **value}  # type: ignore[typeddict-item]


_MOST_PLANS = 50


def _likeness(found: Comparison) -> Iterator[str]:
    for pair in found.pairs:
        scores = (f"{name} {_score(score.value)}" for name, score in pair.scores.items())
        yield f"Plans {pair.generated + 1} and {pair.reference + 1}: {', '.join(scores)}\n"


def _score(value: float | None) -> str:
    return "unknown" if value is None else str(value).lower() if isinstance(value, bool) else f"{value:.4g}"
