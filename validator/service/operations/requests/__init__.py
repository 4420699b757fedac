"""What can be asked, as values: the bodies of the requests, their defaults and their descriptions.

pydantic reads them from JSON strictly: a field that is not there, or of another type, is an error with its place.
"""

from validator.service.operations.requests.agents import Adherence, Recognition, ToolCalls
from validator.service.operations.requests.compatible import Pddl, PddlPlan, PddlTexts
from validator.service.operations.requests.models import ModelRepair, PlansOfProblem
from validator.service.operations.requests.plans import (
    Diff,
    Metrics,
    Plans,
    Reading,
    Record,
    Redundancy,
    WhyNot,
)
from validator.service.operations.requests.read import read_request, reader
from validator.service.operations.requests.request import PlanText, Request

__all__ = [
    "Adherence",
    "Diff",
    "Metrics",
    "ModelRepair",
    "Pddl",
    "PddlPlan",
    "PddlTexts",
    "PlanText",
    "Plans",
    "PlansOfProblem",
    "Reading",
    "Recognition",
    "Record",
    "Redundancy",
    "Request",
    "ToolCalls",
    "WhyNot",
    "read_request",
    "reader",
]
