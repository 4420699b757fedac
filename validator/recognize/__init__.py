"""Plan and goal recognition: which goal do the observations point to, and by which plan.

Candidate goals and observations come in (``reading`` and ``dataset`` read them), a ``Recognition`` goes out. Open
``recognizer`` first: ``recognize`` compares candidate goals by the cost of explaining what was seen. ``complete`` turns
what was seen of a plan for one known goal into a whole plan. ``grounded``, ``modified`` and ``searches`` ask the
planner, ``counting`` bounds costs by linear programs, ``posterior`` makes probabilities of them.
"""

from __future__ import annotations

from validator.recognize.complete import Completion, complete
from validator.recognize.dataset import read_files, read_problem_set
from validator.recognize.problem import (
    Candidate,
    Hypothesis,
    Method,
    Observation,
    Order,
    Recognition,
    RecognitionProblem,
    Settings,
    Standing,
    Unmatchable,
    Verdict,
)
from validator.recognize.recognizer import recognize, recognize_goals

__all__ = [
    "Candidate",
    "Completion",
    "Hypothesis",
    "Method",
    "Observation",
    "Order",
    "Recognition",
    "RecognitionProblem",
    "Settings",
    "Standing",
    "Unmatchable",
    "Verdict",
    "complete",
    "read_files",
    "read_problem_set",
    "recognize",
    "recognize_goals",
]
