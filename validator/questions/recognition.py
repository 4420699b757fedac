"""Which goal do observations speak for, and by which plan?"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from validator.questions.job import Job, Value
from validator.questions.models import OfAnyModel, Text, recognition_of, templates_option
from validator.questions.question import HTTP_ONLY, Face, Use, option, question
from validator.recognize.problem import Method, Order, Posterior
from validator.records import replace

if TYPE_CHECKING:
    from validator.recognize import Recognition as Recognized
    from validator.recognize import RecognitionProblem, Settings


__all__ = ["Recognition", "is_final_recognition", "recognition_page", "recognize"]


@question
class Recognition(OfAnyModel):
    """Observations, and the goals that may be behind them; without goals, the model's own is completed to a plan."""

    observations: str | dict[str, Any] | list[Any] = option(
        "what was seen, a list or one a line: (stack a b), or holds (on a b)",
        details="perhaps with its price, or with 'after 1, 3'; of a flow: hotel = find(city), or a trace of tool "
        "calls as JSON",
    )
    goals: str | list[Any] | None = option(
        "candidates, a list or one a line; default: the model's",
        details="of a flow such as {known: ITEM}; the goal of the problem may be <HYPOTHESIS>",
        default=None,
    )
    method: Method = option(
        "how goals are compared",
        details="by costs, all (exact) or some (soft) observations explained; by linear programs; by landmarks",
        default=Method.AUTO,
    )
    posterior: Posterior = option("how costs become probabilities", default=Posterior.DIFFERENCE)
    order: Order = option("whether the observations are in order", default=Order.TOTAL)
    beta: float = option("weight of a unit of cost", details="of a flow of a call", default=1.0, schema={"gt": 0})
    discard_cost: float = option("price of an unexplained observation", default=2.0, schema={"ge": 0})
    missing_cost: float = option("price of a step not observed", default=0.0, schema={"ge": 0})
    threshold: float = option(
        "with landmarks, 0 to 1: goals so near the best count as best", default=0.0, schema={"ge": 0, "le": 1}
    )
    at_once: int = option("goals that may be pursued together", default=1, schema={"ge": 1, "le": 10})
    cpu_limit: float = option("CPU seconds of all searches", default=8.0, faces=HTTP_ONLY, schema={"gt": 0, "le": 3600})
    search_limit: float | None = option(
        "CPU seconds of each search; default: 0.1, then ever more", default=None, faces=HTTP_ONLY, schema={"gt": 0}
    )
    over_time: bool = option("answer after each observation as well", default=False, faces=frozenset((Face.AGENT,)))
    templates: dict[str, Any] | Text | None = templates_option(frozenset((Use.PDDL,)))


def _recognition_problem(request: Recognition) -> RecognitionProblem:
    from validator.recognize.together import together

    problem = recognition_of(
        request.domain, request.problem, request.flow, request.observations, request.goals, request.templates
    )
    return together(problem, request.at_once)


def _recognition_settings(request: Recognition, job: Job) -> Settings:
    from validator.recognize.problem import Settings

    return Settings(
        method=request.method,
        posterior=request.posterior,
        order=request.order,
        beta=request.beta,
        discard_cost=Fraction(request.discard_cost).limit_denominator(10**6),
        missing_cost=Fraction(request.missing_cost).limit_denominator(10**6),
        threshold=request.threshold,
        cpu_limit=request.cpu_limit,
        search_limit=request.search_limit,
        time_limit=job.seconds(request),
        memory_limit=job.bounds.memory_limit,
    )


def recognize(request: Recognition, job: Job) -> Value:
    from validator.recognize import complete, recognize
    from validator.recognize.present import completion_text, completion_value, recognition_text, recognition_value

    job.planner()
    problem, settings = _recognition_problem(request), _recognition_settings(request, job)
    if request.over_time:
        answers = _over_time(problem, settings)
        values = list(map(recognition_value, answers))
        feedback = recognition_text(answers[-1])
        return {"feedback": feedback, "recognition": values[-1], "over_time": values, "completion": None}
    if len(problem.hypotheses) == 1:
        whole = complete(problem, settings)
        return {
            "feedback": completion_text(whole),
            "recognition": None,
            "over_time": None,
            "completion": completion_value(whole),
        }
    found = recognize(problem, settings, lambda better: job.tell({"best": list(better.best)}))
    return {
        "feedback": recognition_text(found),
        "recognition": recognition_value(found),
        "over_time": None,
        "completion": None,
    }


def recognition_page(request: Recognition, job: Job) -> Value:
    """Return the page of the posterior over time."""
    from validator.recognize.picture import posterior_page

    job.planner()
    problem, settings = _recognition_problem(request), _recognition_settings(request, job)
    return {"html": posterior_page(_over_time(problem, settings))}


def _over_time(problem: RecognitionProblem, settings: Settings) -> list[Recognized]:
    """Return the answer before the first observation and after each, all of them within the limits."""
    from validator.recognize import over_time

    each = replace(settings, cpu_limit=settings.cpu_limit / (len(problem.observations) + 1))
    return list(over_time(problem, each))


def is_final_recognition(value: Value) -> bool:
    recognition, completion = value["recognition"], value["completion"]
    return bool(recognition["exact"] if recognition else completion["proven"])
