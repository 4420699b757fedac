"""Answers about a plan that the prompt shows: what is right is known by execution, without a planner."""

from __future__ import annotations

from validator.checking.prepared import prepare
from validator.errors import InputError, ModelError
from validator.grading.planbench.tasks.asked import asked
from validator.grading.planbench.tasks.states import compare_state, state_after
from validator.grading.planbench.tasks.told import read_verdict
from validator.grading.planbench.tasks.verification import Reason, compare, truth
from validator.records import dataclass

__all__ = ["Finding", "of_state", "of_verdict"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Whether an answer is right, None where that is not known; ``reason`` is what its reason is worth.

    ``verdict`` is one word, ``why`` a sentence.
    """

    right: bool | None
    verdict: str
    why: str
    reason: Reason | None = None


def of_verdict(answer: str, prompt: str, domain: str, problem: str, templates: str) -> Finding:
    """Grade an answer that says whether the plan of a prompt is valid, and why not."""
    try:
        question = asked(prompt, prepare(domain, problem, templates=templates or None))
        if question.plan is None:
            raise InputError("the prompt shows no plan")
        known = truth(question.model, question.plan)
    except (InputError, ModelError, OSError, ValueError) as error:
        return Finding(right=None, verdict="error", why=str(error), reason=Reason.OPEN)
    right, reason, why = compare(read_verdict(answer, question.model), known, question.model)
    verdict = "not_understood" if right is None else "valid" if right is known.is_valid else "invalid"
    return Finding(right=right, verdict=verdict, why=why, reason=reason)


def of_state(answer: str, prompt: str, domain: str, problem: str, templates: str) -> Finding:
    """Grade an answer that states what holds after the actions of a prompt."""
    try:
        question = asked(prompt, prepare(domain, problem, templates=templates or None))
        if question.plan is None:
            raise InputError("the prompt shows no actions")
        known = state_after(question.model, question.plan)
    except (InputError, ModelError, OSError, ValueError) as error:
        return Finding(right=None, verdict="error", why=str(error))
    right, why = compare_state(answer, known, question.model)
    return Finding(right=right, verdict={True: "state", False: "other_state", None: "not_understood"}[right], why=why)
