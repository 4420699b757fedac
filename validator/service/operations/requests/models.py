"""Requests about models, which are to be repaired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from validator.questions.question import STRICT
from validator.service.operations.requests.request import Request

__all__ = ["ModelRepair", "PlansOfProblem"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlansOfProblem:
    """Plans of a problem: which must be valid, and which must not be."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT

    problem: str
    plans: tuple[str, ...] = ()
    must_fail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRepair(Request):
    """A domain to be repaired, so that plans are valid and others are not."""

    domain: str
    problem: str
    plans: tuple[str, ...] = field(default=(), metadata={"description": "plans that must be valid"})
    must_fail: tuple[str, ...] = field(default=(), metadata={"description": "plans that must not be valid"})
    cases: tuple[PlansOfProblem, ...] = field(default=(), metadata={"description": "further problems with their plans"})
    protect: tuple[str, ...] = field(
        default=(), metadata={"description": "actions and predicates that stay as they are"}
    )
    costs: dict[str, float] | None = field(
        default=None, metadata={"description": "cost by kind of edit, such as 'remove precondition'; default: 1"}
    )
    facts: bool = field(default=False, metadata={"description": "initial facts of the problems may be edited too"})
    alternatives: int = field(
        default=5, metadata={"description": "how many other repairs of the same cost are told", "ge": 0, "le": 199}
    )
