"""What every request has, and what several say: their limits, a flow, templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from validator.questions.question import STRICT
from validator.service.problems import Problem, ProblemError

__all__ = ["A_FLOW", "WORDS", "FlowDocument", "PlanText", "Request", "Words", "not_understood"]

PlanText: TypeAlias = str | tuple[str, ...]
FlowDocument: TypeAlias = dict[str, Any] | str
Words: TypeAlias = dict[str, Any] | str

WORDS = "how the plan says the model in words: an object, or a text of YAML, as 'plan-validator templates' writes it"
A_FLOW = "a flow, in place of domain and problem: an object, or a text of JSON or YAML"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What every request may say."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT

    time_limit: float | None = field(
        default=None, metadata={"description": "seconds for this request, not above the service's limit", "gt": 0}
    )


def not_understood(faults: Sequence[Mapping[str, str]]) -> ProblemError:
    """Return the problem of a request with faults: each has the ``pointer`` of its field, and a ``detail``."""
    said = "; ".join(f"{fault['pointer'] or 'the body'}: {fault['detail']}" for fault in faults[:3])
    return ProblemError(
        Problem(kind="request", status=422, title="The request is not understood", detail=said, more={"errors": faults})
    )
