"""What an agent can ask: each tool is one function from texts to plain values.

Texts of a client are texts, never paths. ``feedback`` is the answer in words for a language model; the other values are
those of the library. Each function raises as the function of the library that it calls.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

from validator.checking.report import Report
from validator.errors import ModelError, PlanError
from validator.mcp.shapes import (
    Adhered,
    Answered,
    Bounds,
    Check,
    CheckedCalls,
    Compared,
    Course,
    Dialects,
    DomainText,
    Epsilon,
    Followed,
    Goals,
    Models,
    PlanText,
    ProblemText,
    Protected,
    Quality,
    Recognized,
    RepairedDomain,
    Seconds,
    Shown,
    Solution,
    SomeDomain,
    SomeFlow,
    SomeProblem,
    Strict,
    Tolerance,
    Words,
)
from validator.mcp.told import short_feedback
from validator.recognize.problem import SUBSTANTIAL
from validator.render.json import report_value
from validator.service.given import epsilon_of, flow_of, model_of, one_model, some_model
from validator.texts import no_path

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared
    from validator.checking.solve import Solution as Found
    from validator.metrics import Comparison

__all__ = ["TOOLS"]


# --- plans of PDDL models ------------------------------------------------------------------------


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

    seconds, read = bounds.seconds(time_limit), tokenize(_text_of(plan), model.vocabulary)
    return _check_value(check(model, None, read, time_limit=seconds, memory_limit=bounds.memory_limit, **asked))


def _check_value(report: Report) -> Check:
    return _told(report, Check)  # type: ignore[return-value]


def _told(report: Report, shape: type) -> dict[str, Any]:
    """Return the fields of a shape, and the report in words, short for an agent and whole."""
    value = report_value(report)
    kept = {name: value[name] for name in get_type_hints(shape) if name not in ("feedback", "more")}
    return {"feedback": short_feedback(report), "whole": report.feedback(), **kept}


def _text_of(plan: str | Sequence[Any] | Mapping[str, Any]) -> str:
    """Return a plan as a text; a list of steps is one step a line, whatever else it holds is JSON."""
    if isinstance(plan, str):
        return plan
    if isinstance(plan, Sequence) and all(isinstance(step, str) for step in plan):
        return "".join(f"{step}\n" for step in plan)
    return json.dumps(plan)


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
    from validator.reading.beside import beside
    from validator.reading.plan import Dialect
    from validator.reading.tokens import read as read_text
    from validator.reading.traces.read import traces_in
    from validator.render.beside import beside_text, beside_value
    from validator.render.traces import traces_text, traces_value

    bounds.seconds(time_limit)
    model = some_model(domain, problem, templates)
    said = _text_of(text)
    if model is None and dialect is None and (traces := traces_in(said)):
        return {"feedback": traces_text(traces), **traces_value(said, traces)}  # type: ignore[typeddict-item]
    vocabulary = None if model is None else model.vocabulary
    reading = read_text(said, vocabulary, None if dialect is None else Dialect(dialect), strict=strict)
    found = beside(reading, vocabulary)
    return {"feedback": beside_text(found), **beside_value(found), "traces": []}  # type: ignore[typeddict-item]


def repair_domain(
    bounds: Bounds,
    domain: Annotated[str, "PDDL domain, as text, which is to be repaired"],
    problem: ProblemText,
    plans: Annotated[list[str | list[Any]], "plans that must be valid, each in any notation or a list of steps"],
    must_fail: Annotated[list[str | list[Any]] | None, "plans that must not be valid"] = None,
    protect: Protected = None,
    facts: Annotated[bool, "initial facts of the problem may be edited too"] = False,
    joint: Annotated[bool, "edit the plans too, and say whether the domain or a plan is wrong"] = False,
    time_limit: Seconds = None,
) -> RepairedDomain:
    """Find the fewest edits of a PDDL domain after which plans are valid, and others are not, also as a diff."""
    from validator.model_repair.cases import Given
    from validator.model_repair.joint import repair_jointly
    from validator.model_repair.present import joint_text, joint_value, repair_text, repair_value
    from validator.model_repair.repair import repair_model

    given = Given(problem=no_path(problem), plans=_plans(plans), must_fail=_plans(must_fail or ()))
    more: dict[str, Any] = {"protect": protect or (), "facts": facts, "time_limit": bounds.seconds(time_limit)}
    if not joint:
        found = repair_model(no_path(domain), cases=[given], **more)
        return {"feedback": repair_text(found), **repair_value(found), "joint": None}  # type: ignore[typeddict-item]
    both = repair_jointly(no_path(domain), cases=[given], **more)
    value = {**repair_value(both.model), "joint": joint_value(both)}
    return {"feedback": joint_text(both), **value}  # type: ignore[typeddict-item]


def _plans(plans: Sequence[str | Sequence[Any]]) -> list[str]:
    return [no_path(_text_of(plan)) for plan in plans]


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
    tie_ratio: Annotated[
        float | None,
        "equally probable goals come behind where what was seen is so many times less likely; null: all are best",
    ] = SUBSTANTIAL,
    at_once: Annotated[int, "up to so many of the goals may be pursued together"] = 1,
    over_time: Annotated[bool, "answer after each observation as well"] = False,
    time_limit: Seconds = None,
) -> Recognized:
    """Tell which of several goals observations speak for; with one goal, complete them to a plan for it."""
    asked = {
        "domain": domain,
        "problem": problem,
        "flow": flow,
        "observations": _text_of(observations),
        "goals": goals,
        "templates": templates,
        "method": method,
        "posterior": posterior,
        "order": order,
        "beta": beta,
        "discard_cost": discard_cost,
        "missing_cost": missing_cost,
        "threshold": threshold,
        "tie_ratio": tie_ratio,
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


def follow_plan(
    bounds: Bounds,
    plan: PlanText,
    domain: SomeDomain = None,
    problem: SomeProblem = None,
    flow: SomeFlow = None,
    executed: Annotated[int, "how many of its first lines have happened"] = 0,
    state: Annotated[str | dict[str, Any] | None, "what holds now, as facts; of a flow an object"] = None,
    state_complete: Annotated[bool, "the state is whole: nothing is taken from elsewhere"] = False,
    changes: Annotated[str | None, "what is not as planned, in place of a state: facts, (not FACT), values"] = None,
    events: Annotated[
        list[str] | None,
        "in place of these, in order: steps that were executed, 'now FACTS', 'state FACTS', 'state-complete FACTS'",
    ] = None,
    quality: Quality = "valid",
    repair: Annotated[bool, "return the nearest rest that has the quality"] = True,
    time_limit: Seconds = None,
) -> Followed:
    """Judge what is left of a plan under way from what holds now: whether a surprise matters, and the nearest rest."""
    text = plan if isinstance(plan, dict) else _text_of(plan)
    asked: dict[str, Any] = {
        "domain": domain,
        "problem": problem,
        "flow": flow,
        "plan": text,
        "executed": executed,
        "state": state,
    }
    asked |= {"state_complete": state_complete, "changes": changes, "events": events}
    return _operation("under-way", bounds, time_limit, {**asked, "quality": quality, "repair": repair})  # type: ignore[return-value]


def _operation(name: str, bounds: Bounds, time_limit: float | None, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer as the service does. Raises ValueError for a value out of range."""
    from validator.service.operations.operations import operate
    from validator.service.problems import ProblemError
    from validator.service.settings import Bounds as Limits

    limits = Limits(time_limit=bounds.seconds(time_limit), memory_limit=bounds.memory_limit)
    try:
        return operate(name, asked, bounds=limits)
    except ProblemError as error:
        raise ValueError(error.problem.detail or error.problem.title) from None


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
    found = compare(list(map(_text_of, plans)), some_model(domain, problem), metrics=metrics)
    value = found.to_json()
    return {"feedback": "".join(_likeness(found)), **value}  # type: ignore[typeddict-item]


_MOST_PLANS = 50


def _likeness(found: Comparison) -> Iterator[str]:
    for pair in found.pairs:
        scores = (f"{name} {_score(score.value)}" for name, score in pair.scores.items())
        yield f"Plans {pair.generated + 1} and {pair.reference + 1}: {', '.join(scores)}\n"


def _score(value: float | None) -> str:
    return "unknown" if value is None else str(value).lower() if isinstance(value, bool) else f"{value:.4g}"


# --- flows and calls of tools --------------------------------------------------------------------


def check_flow(
    bounds: Bounds,
    flow: Annotated[dict[str, Any], "the flow, in the package's own format or NL2Flow's"],
    plan: Annotated[str | list[str], "the plan, a step a line or a list of steps, such as: y = agent(x)"],
    quality: Quality = "valid",
    repair: Annotated[bool, "return the nearest plan that has the quality"] = True,
    time_limit: Seconds = None,
) -> Check:
    """Check a plan of a flow, which is a catalog of operators with a goal, and repair it."""
    from validator.flow.check import check_flow as check

    seconds, read = bounds.seconds(time_limit), flow_of(flow)
    report = check(
        read, _text_of(plan), quality=quality, repair=repair, time_limit=seconds, memory_limit=bounds.memory_limit
    )
    return _check_value(report)


def check_tool_calls(
    bounds: Bounds,
    tools: Annotated[list[dict[str, Any]] | dict[str, Any], "tool specifications, as any provider writes them"],
    calls: Annotated[
        list[dict[str, Any]] | dict[str, Any] | str,
        'calls in any form, e.g. {"name", "arguments", "label"}; "$label.output$" is an earlier result',
    ],
    goals: Annotated[list[str] | None, "tools to be called, or outputs TOOL.OUTPUT to be known at the end"] = None,
    repair: Annotated[bool, "return the nearest list of calls that would run, in the form of the calls"] = True,
    time_limit: Seconds = None,
) -> CheckedCalls:
    """Say whether a list of tool calls would run one after the other, before any of them is made."""
    from validator.flow.tools.check import check_tool_calls as check

    report = check(tools, calls, goals=goals or (), repair=repair, time_limit=bounds.seconds(time_limit))
    return _told(report, CheckedCalls)  # type: ignore[return-value]


def check_adherence(
    bounds: Bounds,
    trace: Annotated[
        str | list[Any] | dict[str, Any],
        "executed calls as JSON, or as a text of JSON, or JSON a line: messages, spans, or records of calls",
    ],
    plan: Annotated[
        str | list[Any], "the plan, a step a line or a list of steps; default: the one that the trace states"
    ] = "",
    domain: SomeDomain = None,
    problem: SomeProblem = None,
    flow: Annotated[dict[str, Any] | None, "a flow, in place of domain and problem"] = None,
    templates: Words = None,
    require: Annotated[
        list[str] | None,
        "what has to be so, of plan, followed, sound, goal, no-harm; default: followed, with a model sound and goal",
    ] = None,
    time_limit: Seconds = None,
) -> Adhered:
    """Say how far the calls that an agent executed follow its plan; with a model, what each deviation did."""
    from validator.adherence import adhere, read_trace
    from validator.adherence.figures.requirements import met, required
    from validator.adherence.text import adherence_text
    from validator.reading.traces.read import trace_value

    recording = read_trace(trace_value(_text_of(trace), "<trace>") if isinstance(trace, str) else trace)  # type: ignore[arg-type]
    stated = f"{_text_of(plan)}\n" if plan else None  # with a line end, no text is taken for a path
    one_model(domain, problem, flow)
    if flow is not None and templates is not None:
        raise ModelError("'templates' are for PDDL models, and this is a flow")
    model = flow_of(flow) if flow is not None else some_model(domain, problem, templates)
    needed = required(require, with_model=model is not None)
    found = adhere(stated, recording, model=model, time_limit=bounds.seconds(time_limit))
    verdict = met(found, needed)
    told = f"{verdict.said}\n" if verdict.said else ""
    value = {**found.to_json(), "required": verdict.to_json()}
    return {"feedback": adherence_text(found) + told, "adherence": value}


# --- models --------------------------------------------------------------------------------------


def list_models(
    bounds: Bounds, name: Annotated[str | None, "return the domain, problem and plans of this one"] = None
) -> Models:
    """List the models that come with the server: small planning domains to try the other tools on."""
    from validator.model.bundled import bundle, bundles

    if name is None:
        models = [{"name": model.name, "about": model.about} for model in bundles()]
        return {"feedback": "".join(f"{model['name']}: {model['about']}\n" for model in models), "models": models}
    found = bundle(name)
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (found.domain, found.problem)}
    plans = {path.name: path.read_text(encoding="utf-8") for path in found.plans}
    feedback = "\n".join((*texts.values(), *(f"{plan}:\n{text}" for plan, text in plans.items())))
    return {"feedback": feedback, "models": [{"name": found.name, "about": found.about, **texts, "plans": plans}]}


TOOLS: Mapping[str, Callable[..., Mapping[str, Any]]] = {
    function.__name__: function
    for function in (
        check_plan,
        repair_plan,
        repair_domain,
        read,
        solve,
        recognize_goal,
        why_not,
        follow_plan,
        compare_plans,
        check_flow,
        check_tool_calls,
        check_adherence,
        list_models,
    )
}
"""Every tool by its name; the first argument is what the call may take."""
