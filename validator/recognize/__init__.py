"""Plan and goal recognition: which goal do the observations speak for, and by which plan.

``recognize`` compares candidate goals by the cost of explaining what was seen.
"""

from __future__ import annotations

from validator.recognize.problem import (
    Candidate,
    Hypothesis,
    Method,
    Observation,
    Order,
    Posterior,
    Recognition,
    RecognitionProblem,
    Settings,
    Standing,
    Unmatchable,
    Verdict,
)

__all__ = [
    "Candidate",
    "Hypothesis",
    "Method",
    "Observation",
    "Order",
    "Posterior",
    "Recognition",
    "RecognitionProblem",
    "Settings",
    "Standing",
    "Unmatchable",
    "Verdict",
]
