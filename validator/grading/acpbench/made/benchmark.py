"""A benchmark of one's own: fresh problems of a domain, or given ones, and the questions about them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from validator.checking.prepared import Prepared, prepare
from validator.grading.acpbench.made.asking import Asking
from validator.grading.acpbench.made.fresh import Fresh, make_fresh
from validator.grading.acpbench.made.questions import make_questions
from validator.grading.acpbench.prover import Prover
from validator.grading.acpbench.questions import Form, Question, Task
from validator.grading.acpbench.states.space import Space
from validator.reading.lexicon import templates_of_text
from validator.records import dataclass, field, replace

__all__ = ["Benchmark", "make_benchmark"]


@dataclass(slots=True, kw_only=True)
class Benchmark:
    """``not_kept`` counts problems that were tried, by the reason; ``left_out`` the questions without a proven key."""

    problems: list[Fresh] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    not_kept: Counter[str] = field(default_factory=Counter)
    left_out: Counter[tuple[Task, Form]] = field(default_factory=Counter)


def make_benchmark(
    domain: str,
    problem: str,
    *,
    number: int = 0,
    steps: range = range(2, 9),
    tasks: Sequence[Task] = tuple(Task),
    seed: int = 0,
    templates: str = "",
    most: int = 10_000,
) -> Benchmark:
    """Make questions about fresh problems of a domain; with ``number`` 0 about the given one itself.

    All arguments are texts, not paths; ``most`` states are explored for each problem. Raises ModelError, InputError
    for templates, and as ``Space``.
    """
    model, made = prepare(domain, problem), Benchmark()
    if number:
        fresh = make_fresh(model, number, steps, seed, most)
        made.problems, made.not_kept = fresh.problems, fresh.left_out
    else:
        made.problems = [Fresh(name=model.model.problem.name or "problem", text=problem, steps=None)]
    for place, each in enumerate(made.problems):
        asking = _asking(each, domain, templates, seed, most)
        made.problems[place] = _measured(each, asking.prover)
        made.questions += make_questions(asking, tasks)
        made.left_out += asking.left_out
    return made


def _measured(problem: Fresh, prover: Prover) -> Fresh:
    """Return a problem with the length of its shortest plan, or of one that is known."""
    if problem.steps is not None:
        return problem
    if prover.distance is not None:
        return replace(problem, steps=prover.distance)
    return replace(problem, steps=len(prover.plan.steps) if prover.plan is not None else None, proven=False)


def _asking(problem: Fresh, domain: str, templates: str, seed: int, most: int) -> Asking:
    model: Prepared = prepare(domain, problem.text)
    worded = model.worded(templates_of_text(templates)) if templates else model
    return Asking(
        name=problem.name,
        prover=Prover(Space(worded), most),
        domain=domain,
        problem=problem.text,
        chance=random.Random(f"{seed} {problem.name}"),
        templates=templates,
    )
