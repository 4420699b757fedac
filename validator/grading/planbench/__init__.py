"""PlanBench (Valmeekam et al. 2023): its answers with our verdicts beside its own.

Answer files come in, a ``Grade`` for each answer and the corrected table go out. Open ``grades`` first. ``answers``
finds answers and their PDDL, ``prompts`` reads what a prompt in words asks for, ``verification`` grades answers about a
plan by execution (over the facts that ``facts`` reads), and ``report`` counts and prints.
"""

from __future__ import annotations

from validator.grading.planbench.answers import Answer, Layout, Question, read_answers
from validator.grading.planbench.grades import Grade, grade_answers

__all__ = ["Answer", "Grade", "Layout", "Question", "grade_answers", "read_answers"]
