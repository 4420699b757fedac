"""PlanBench (Valmeekam et al. 2023): its answers with our verdicts beside its own."""

from __future__ import annotations

from validator.grading.planbench.answers import Answer, Question, read_answers
from validator.grading.planbench.grades import Grade, grade_answers
from validator.grading.planbench.layout import Layout

__all__ = ["Answer", "Grade", "Layout", "Question", "grade_answers", "read_answers"]
