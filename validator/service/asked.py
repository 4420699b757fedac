"""What every operation needs: its limits, and the models and plans of a request, as texts and never as paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from validator.errors import ModelError, PlanError
from validator.plan import Plan
from validator.prepared import Prepared, prepare
from validator.service import requests
from validator.service.requests import PlanText, Request
from validator.service.settings import Bounds
from validator.tokens import tokenize

__all__ = [
    "Job",
    "NeedsPlannerError",
    "Progress",
    "Value",
    "bounded",
    "flow_of",
    "model_of",
    "one_model",
    "plan_of",
    "plan_text",
    "whole_model",
]

Value: TypeAlias = dict[str, Any]
Progress: TypeAlias = Callable[[Mapping[str, Any]], None]


class NeedsPlannerError(Exception):
    """What was asked for cannot be answered by execution alone."""


_BOUNDS = Bounds()


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run of an operation: its limits, whom to tell of progress, whether a planner may be started."""

    bounds: Bounds = _BOUNDS
    progress: Progress = lambda _: None
    with_planner: bool = True

    def seconds(self, request: Request) -> float:
        """Return the time limit of a request. Raises ValueError for one that is not allowed."""
        return self.bounds.seconds(request.time_limit)

    def planner(self) -> None:
        """Say that a planner will be started. Raises NeedsPlannerError where it may not be."""
        if not self.with_planner:
            raise NeedsPlannerError


def model_of(domain: str | None, problem: str | None) -> Prepared:
    return prepare(*whole_model(domain, problem))


def whole_model(domain: str | None, problem: str | None) -> tuple[str, str]:
    """Return the texts of a model. Raises ModelError for what is missing or cannot be PDDL."""
    if domain is None or problem is None:
        raise ModelError(f"'{'domain' if domain is None else 'problem'}' is missing; a model is a domain and a problem")
    return pddl_text(domain, "domain"), pddl_text(problem, "problem")


def pddl_text(text: str, kind: str) -> str:
    """Return a text that nothing takes for a path. Raises ModelError for what cannot be PDDL."""
    if "(" not in text:
        raise ModelError(f"'(define ({kind} NAME) ...' was expected", source=kind)
    return text


def plan_text(plan: PlanText) -> str:
    return plan if isinstance(plan, str) else "\n".join(plan)


def plan_of(plan: PlanText, model: Prepared, dialect: Any, bounds: Bounds) -> Plan:
    found = tokenize(plan_text(plan), model.vocabulary, dialect)
    bounded(len(found.tokens), bounds)
    return found


def bounded(steps: int, bounds: Bounds) -> None:
    if steps > bounds.most_steps:
        raise PlanError(f"the plan has {steps:,} steps; the limit is {bounds.most_steps:,}")


def one_model(request: requests.Validation | requests.Plans | requests.Recognition | requests.Adherence) -> None:
    if request.flow is not None and (request.domain is not None or request.problem is not None):
        raise ModelError("'flow' takes the place of 'domain' and 'problem'; both are given")


def flow_of(document: object) -> Any:
    from validator.flow.integrity import check_names
    from validator.flow.reader import document_of, flow_from_document

    flow = flow_from_document(document_of(document, "flow") if isinstance(document, str) else document)
    check_names(flow)
    return flow
