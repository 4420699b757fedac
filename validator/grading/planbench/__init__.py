"""PlanBench (Valmeekam et al. 2023): its answers with our verdicts beside its own.

Answer files come in, a ``Grade`` for each answer and the corrected table go out. Open ``grades`` first. ``answers`` and
``layout`` find answers and their PDDL, ``differences`` says what sets two verdicts apart, ``corrected`` counts,
``render`` prints; ``tasks`` has the tasks that ask for more than a plan.
"""

from __future__ import annotations

from validator.grading.planbench.answers import Answer, Question, read_answers
from validator.grading.planbench.grades import Grade, grade_answers
from validator.grading.planbench.layout import Layout

__all__ = ["Answer", "Grade", "Layout", "Question", "grade_answers", "read_answers"]
