"""Answers about a plan that the prompt shows: what is right is known by execution, without a planner."""

from __future__ import annotations

import re
from collections.abc import Sequence

from validator.checking.prepared import Prepared, prepare
from validator.errors import InputError, ModelError
from validator.grading.planbench.facts import read_facts
from validator.grading.planbench.prompts import asked, sayable
from validator.model.pddl.write import atom_text
from validator.model.values import GroundAtom
from validator.reading.plan import Plan
from validator.records import dataclass

_VERDICT = re.compile(
    r"\b(?:plan|sequence)\s+(?:of\s+actions\s+)?(?:above\s+|provided\s+|given\s+)?"
    r"(?:is|seems|appears)\s+(?:to\s+be\s+|therefore\s+|thus\s+|indeed\s+|also\s+)*"
    r"(?:(?P<no>not\s+(?:a\s+)?(?:valid|executable|correct)|invalid|inexecutable|incorrect)|(?:a\s+)?(?:valid|correct)\b)",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"^\W*(?:(?:(?:final\s+)?(?:verdict|answer|result|verification))\b\W*(?:is\b\W*)?)?"
    r"(?:(?P<no>not\s+valid|invalid)|valid)\b(?=\W*$|[.,:;]\s)",
    re.IGNORECASE | re.MULTILINE,
)
"""A verdict without a sentence around it, which counts where there is none with one."""
_SUPPOSED = re.compile(r"\b(?:if|whether|unless|would|could|were|assum\w+|suppos\w+)\b[^.!?\n]*$", re.IGNORECASE)
"""what stands before a verdict that is none yet: "let us see whether the plan is valid\""""
_END = re.compile(r"\[(?:STATEMENT|PLAN|VERIFICATION END|ACTION SEQUENCE|RESULTING STATE END)\]")
_BEFORE = 300
"""characters of a sentence before a verdict that are looked at"""


def said_valid(text: str) -> bool | None:
    """Return whether an answer calls a plan valid; None where no verdict was found in it, or both."""
    text = _END.split(text)[0]
    for verdict in (_VERDICT, _ALONE):
        before = ((found, text[max(0, found.start() - _BEFORE) : found.start()]) for found in verdict.finditer(text))
        said = {found["no"] is None for found, sentence in before if _SUPPOSED.search(sentence) is None}
        if said:
            return said.pop() if len(said) == 1 else None
    return None


def state_after(model: Prepared, plan: Plan) -> frozenset[GroundAtom]:
    """Return the facts that can be said of the state after a plan. Raises ValueError for one that does not execute."""
    trace = model.simulator.run(plan)
    faults = [failure for failure in trace.failures if failure.step is not None]
    if faults:
        raise ValueError(f"the plan of the prompt cannot be executed: step {(faults[0].step or 0) + 1}")
    *_, state = trace.states()
    return sayable(model, state)


def compare_state(text: str, known: frozenset[GroundAtom], model: Prepared) -> tuple[bool | None, str]:
    """Return whether an answer states exactly a state, and in words what is wrong; None: it was not understood.

    Facts that are denied must be false. A fact that is not true decides; one that is missing only where all was read.
    """
    found = read_facts(_END.split(text)[0], model.lexicon)
    false = [atom_text(fact.atom) for fact in found.facts if fact.positive is not (fact.atom in known)]
    missing = [atom_text(atom) for atom in sorted(known - found.atoms)]
    if false:
        return False, f"not so: {some(false, ' ')}"
    if found.unread or not found.facts:
        return None, f"not understood: {(found.unread or (' '.join(text.split())[:80],))[0]!r}"
    return not missing, f"missing: {some(missing, ' ')}" if missing else ""


def some(texts: Sequence[str], joint: str) -> str:
    """Return the first three of some texts, and how many more there are."""
    return joint.join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Whether an answer is right, None where that is not known; ``verdict`` is one word, ``why`` a sentence."""

    right: bool | None
    verdict: str
    why: str


def about_a_plan(answer: str, prompt: str, domain: str, problem: str, templates: str, *, is_verdict: bool) -> Finding:
    """Grade an answer that says whether the plan of a prompt is valid, or else what holds after it."""
    try:
        question = asked(prompt, prepare(domain, problem, templates=templates or None))
        if question.plan is None:
            raise InputError(f"the prompt shows no {'plan' if is_verdict else 'actions'}")
        if not is_verdict:
            right, why = compare_state(answer, state_after(question.model, question.plan), question.model)
            verdict = {True: "state", False: "other_state", None: "not_understood"}[right]
            return Finding(right=right, verdict=verdict, why=why)
    except (InputError, ModelError, OSError, ValueError) as error:
        return Finding(right=None, verdict="error", why=str(error))
    said, trace = said_valid(answer), question.model.simulator.run(question.plan)
    if said is None:
        return Finding(right=None, verdict="not_understood", why="no verdict was found in the answer")
    why = "the plan is valid"
    if trace.failures:
        first = trace.failures[0]
        where = "in the goal" if first.step is None else f"at step {first.step + 1}"
        why = f"unmet {where}: {', '.join(first.unmet) or first.detail}"
    return Finding(right=said is trace.is_valid, verdict="valid" if said else "invalid", why=why)
