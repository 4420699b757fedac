"""Questions beyond right and wrong: which goal, why not another plan, what now; answered as the service does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from validator.mcp.shapes import (
    Answered,
    Goals,
    Recognized,
    Seconds,
    SomeDomain,
    SomeFlow,
    SomeProblem,
    Words,
)
from validator.questions.job import Bounds, plan_text

__all__ = ["recognize_goal", "why_not"]


def recognize_goal(
    bounds: Bounds,
    observations: Annotated[
        str | list[Any] | dict[str, Any],
        "what was seen, one a line or a list, such as (stack a b) or holds (on a b), perhaps with its price, or with "
        "'after 1, 3'; of a flow: hotel = find(city), or a trace of tool calls as JSON",
    ],
    domain: SomeDomain = None,
    problem: Annotated[str | None, "PDDL problem, as text; its goal may be <HYPOTHESIS>"] = None,
    flow: SomeFlow = None,
    goals: Goals = None,
    templates: Words = None,
    method: Annotated[
        Literal["auto", "exact", "soft", "linear", "landmarks", "uniqueness"],
        "how goals are compared: by costs, all or some observations explained; by linear programs; by landmarks",
    ] = "auto",
    posterior: Annotated[Literal["difference", "rg2010"], "how costs become probabilities"] = "difference",
    order: Annotated[Literal["total", "none"], "whether what was seen happened in this order"] = "total",
    beta: Annotated[float, "weight of a unit of cost, of a flow of a call"] = 1.0,
    discard_cost: Annotated[float, "price of an observation that is left unexplained"] = 2.0,
    missing_cost: Annotated[float, "price of a step that was not observed"] = 0.0,
    threshold: Annotated[float, "of landmark scores, 0 to 1: goals so near the best are the best"] = 0.0,
    at_once: Annotated[int, "up to so many of the goals may be pursued together"] = 1,
    over_time: Annotated[bool, "answer after each observation as well"] = False,
    time_limit: Seconds = None,
) -> Recognized:
    """Tell which of several goals observations speak for; with one goal, complete them to a plan for it."""
    asked = {
        "domain": domain,
        "problem": problem,
        "flow": flow,
        "observations": plan_text(observations),
        "goals": goals,
        "templates": templates,
        "method": method,
        "posterior": posterior,
        "order": order,
        "beta": beta,
        "discard_cost": discard_cost,
        "missing_cost": missing_cost,
        "threshold": threshold,
        "at_once": at_once,
        "over_time": over_time,
    }
    return _operation("recognitions", bounds, time_limit, asked)  # type: ignore[return-value]


def why_not(
    bounds: Bounds,
    questions: Annotated[
        list[str | dict[str, Any]],
        "in English, 'why not use truck2?', or: must not (drive _ a b); (a) before (b); at most 2 (a); never (p); "
        "(a) only if (p); within cost 30; without object truck2; why (a); why unsolvable; none asks again",
    ],
    domain: SomeDomain = None,
    problem: SomeProblem = None,
    flow: SomeFlow = None,
    plan: Annotated[str | list[str] | None, "the plan that is asked about; default: a cheapest one"] = None,
    foil: Annotated[str | list[str] | None, "a plan of your own, in its place: why not this one"] = None,
    dialogue: Annotated[dict[str, Any] | None, "the dialogue of the answer before; its questions still hold"] = None,
    drop: Annotated[list[int] | None, "numbers of questions of the dialogue that no longer hold, from 1"] = None,
    time_limit: Seconds = None,
) -> Answered:
    """Say why a plan is not another one: the cheapest plan that does what is asked, or the reason why there is none."""
    asked: dict[str, Any] = {"domain": domain, "problem": problem, "flow": flow, "questions": questions}
    asked |= {"plan": plan, "foil": foil, "dialogue": dialogue, "drop": drop or []}
    return _operation("why-not", bounds, time_limit, asked)  # type: ignore[return-value]


def _operation(name: str, bounds: Bounds, time_limit: float | None, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer as the service does. Raises ValueError for a value out of range."""
    from validator.service.operations.operations import operate
    from validator.service.problems import ProblemError

    try:
        return operate(name, {**asked, "time_limit": bounds.seconds(time_limit)}, bounds=bounds)
    except ProblemError as error:
        raise ValueError(error.problem.detail or error.problem.title) from None
