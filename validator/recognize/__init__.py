"""Plan and goal recognition: which goal do the observations speak for, and by which plan.

Candidate goals and observations come in (``inputs`` reads them), a ``Recognition`` goes out. Open ``recognizer``
first: ``recognize`` compares candidate goals by the cost of explaining what was seen. ``follow`` does so after each
observation, ``complete`` turns what was seen of a plan for one known goal into a whole plan, ``goal_sets`` makes
candidates of several goals at once, ``datasets`` does whole data sets; ``search`` has what they ask of the
planner, and of the product search where models have numbers.
"""

from __future__ import annotations

from validator.recognize.complete import Completion, complete
from validator.recognize.follow import follow
from validator.recognize.inputs.dataset import read_files, read_problem_set
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
from validator.recognize.recognizer import recognize, recognize_goals

__all__ = [
    "Candidate",
    "Completion",
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
    "complete",
    "follow",
    "read_files",
    "read_problem_set",
    "recognize",
    "recognize_goals",
]
