"""Requests in the shapes of other services: planning.domains, and those of VS Code's PDDL extension."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from validator.questions.given import DECIMAL, epsilon_of
from validator.questions.question import FieldError
from validator.service.operations.requests.request import Request

__all__ = ["Pddl", "PddlPlan", "PddlTexts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pddl(Request):
    """A PDDL model, in the shape of planning.domains."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "ignore", "strict": True}

    domain: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PddlPlan(Pddl):
    """A PDDL model and a plan, in the shape of planning.domains and VS Code."""

    plan: str
    epsilon: float | str | None = field(
        default=None,
        metadata={
            "description": "how far apart acts that interfere must be; VS Code sends it as a header",
            "json_schema_extra": DECIMAL,
        },
    )

    def __post_init__(self) -> None:
        try:
            epsilon_of(self.epsilon)
        except ValueError as error:
            raise FieldError("epsilon", str(error)) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class PddlTexts(Request):
    """A PDDL domain and problems of it, in the shape of VS Code's parser service."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "ignore", "strict": True}

    domain: str
    problems: tuple[str, ...] = ()
