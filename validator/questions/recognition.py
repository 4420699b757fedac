"""Which goal do observations point to, and by which plan?"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from validator.questions.job import Job, Value, plan_text
from validator.questions.models import OfModel, Text, model_texts, templates_of, templates_option
from validator.questions.question import COMMAND_ONLY, MODEL, option, question
from validator.recognize.problem import Method, Order

if TYPE_CHECKING:
    from validator.recognize import Completion, RecognitionProblem, Settings
    from validator.recognize import Recognition as Ranking

    Exact: TypeAlias = float | Fraction
else:  # what a client sends
    Exact = float


_LEAST, _MOST = 1e-9, 1e9


def _positive(text: str) -> float:
    found = float(text)
    if not _LEAST <= found < _MOST:
        raise ValueError(f"a positive number was expected, from {_LEAST:g}, below {_MOST:g}, not {text!r}")
    return found


def _cost(text: str) -> Fraction:
    """Return a number from 0; a form with an exponent is none, as a short one has more digits than memory holds."""
    try:
        return Fraction(re.fullmatch(r"\d{1,9}(?:\.\d{0,9}|/\d{1,9})?", text, re.ASCII)[0])  # type: ignore[index]
    except (TypeError, ZeroDivisionError):
        raise ValueError(f"a number from 0 was expected, such as 2, 0.5, 1/3, not {text!r}") from None


@question
class Recognition(OfModel):
    """Observations, and the goals that may be behind them; without goals, the model's own is completed to a plan."""

    observations: str | list[str] = option(
        "what was seen, a list or one per line: (stack a b), or holds (on a b)",
        details="a price may follow: (stack a b) 3",
        faces=MODEL,
    )
    goals: str | list[str] | None = option(
        "candidates, a list or one per line; default: the goal of the problem",
        details="which may be <HYPOTHESIS> where candidates are given",
        default=None,
        parse=Path,
        metavar="FILE",
    )
    method: Method = option(
        "how goals are compared",
        details="exact: by costs of plans that explain all observations; soft: of some; linear: by linear programs",
        default=Method.AUTO,
        choices=Method,
    )
    order: Order = option(
        "whether the observations are in order",
        default=Order.TOTAL,
        choices=Order,
    )
    beta: float = option(
        "weight of a unit of cost",
        default=1.0,
        parse=_positive,
        metavar="B",
        schema={"ge": _LEAST, "lt": _MOST},
    )
    discard_cost: Exact = option(
        "price of an unexplained observation", default=2.0, parse=_cost, metavar="C", schema={"ge": 0}
    )
    cpu_limit: float = option(
        "CPU seconds of all searches",
        default=8.0,
        faces=COMMAND_ONLY,
        parse=_positive,
        metavar="S",
        schema={"gt": 0, "le": 3600},
    )
    search_limit: float | None = option(
        "CPU seconds of each search; default: 0.1, and more with each round",
        default=None,
        faces=COMMAND_ONLY,
        parse=_positive,
        metavar="S",
        schema={"gt": 0},
    )
    templates: dict[str, Any] | Text | None = templates_option()


def _recognition_problem(request: Recognition) -> RecognitionProblem:
    from validator.recognize.dataset import read_texts

    domain, problem = map(str, model_texts(request.domain, request.problem))
    wanted = None if request.goals is None else plan_text(request.goals)
    return read_texts(domain, problem, wanted, plan_text(request.observations), templates_of(request.templates))


def settings_of(request: Recognition, job: Job) -> Settings:
    """Return how goals are to be compared, within which limits."""
    from validator.recognize.problem import Settings

    return Settings(
        method=request.method,
        order=request.order,
        beta=request.beta,
        discard_cost=_exact(request.discard_cost),
        cpu_limit=request.cpu_limit,
        search_limit=request.search_limit,
        time_limit=job.seconds(request),
        memory_limit=job.bounds.memory_limit,
    )


def _exact(given: Exact) -> Fraction:
    return given if isinstance(given, Fraction) else Fraction(given).limit_denominator(10**6)


def recognized(problem: RecognitionProblem, settings: Settings) -> tuple[Ranking | Completion, Value]:
    """Return which goals are likely, or of one goal the plan that completes the observations; and that in JSON."""
    from validator.recognize import complete, recognize
    from validator.recognize.output import completion_value, recognition_value

    if len(problem.hypotheses) == 1:
        whole = complete(problem, settings)
        return whole, completion_value(whole)
    found = recognize(problem, settings)
    return found, recognition_value(found)


def recognize(request: Recognition, job: Job) -> Value:
    job.planner()
    problem, settings = _recognition_problem(request), settings_of(request, job)
    found, value = recognized(problem, settings)
    is_one = len(problem.hypotheses) == 1
    return {
        "feedback": found.text,
        "recognition": None if is_one else value,
        "completion": value if is_one else None,
    }


def is_final_recognition(value: Value) -> bool:
    recognition, completion = value["recognition"], value["completion"]
    return bool(recognition["exact"] if recognition else completion["proven"])
