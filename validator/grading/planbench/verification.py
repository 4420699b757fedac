"""Answers about a plan that the prompt shows: what is right is known by execution, without a planner."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from validator.checking.prepared import Prepared, prepare
from validator.errors import InputError, ModelError
from validator.execution.trace import Failure
from validator.grading.planbench.facts import Facts, read_facts
from validator.grading.planbench.prompts import asked, sayable
from validator.model.conditions import conjuncts
from validator.model.pddl.write import atom_text
from validator.model.values import Atom, GroundAtom
from validator.reading.lexicon import Said
from validator.reading.plan import Plan, Step
from validator.records import dataclass, field

# --- what an answer says of a plan ----------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class Claim:
    """One reason: the step that is named, by its number or itself or both (neither: the goal), and unmet facts."""

    is_goal: bool
    number: int | None = None
    step: Step | None = None
    facts: list[GroundAtom] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What an answer says: ``valid`` None where no verdict was found; ``unread`` was not understood."""

    valid: bool | None
    claims: tuple[Claim, ...]
    unread: tuple[str, ...]


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
_VERDICT_END = re.compile(r"\[(?:STATEMENT|PLAN|VERIFICATION END)\]")
_STEP = re.compile(r"\b(?:steps?|time\s*step|action)\s*(?:#|number\s*|no\.\s*)?(\d+)\b", re.IGNORECASE)
_GOAL = re.compile(r"\bgoals?\b", re.IGNORECASE)
_MARKER = re.compile(r"^\s*(?:[-*•]\s+|\(?\d+[.)]\s+|(?:at\s+)?step\s+\d+\s*[:,]\s*)+", re.IGNORECASE)
_HEADING = re.compile(r"\b(?:precondition|postcondition|condition|goal|action|step)s?\b", re.IGNORECASE)


def read_verdict(text: str, model: Prepared) -> Told:
    """Read an answer: its verdict, and the reasons in the lines after it."""
    text = _VERDICT_END.split(text)[0]
    form = _VERDICT if _VERDICT.search(text) else _ALONE
    found = [match["no"] is None for match in form.finditer(text)]
    reader = _Reasons(model)
    if found and not found[0]:
        for line in text.splitlines():
            reader.line(form.sub("", line))
    return Told(valid=found[0] if found else None, claims=tuple(reader.claims), unread=tuple(reader.unread))


class _Reasons:
    """Reads lines; the last claim is the one that facts belong to.

    Facts after a heading ("The unmet preconditions are:") are listed as unmet. After a step alone, one that is denied
    is unmet; one that is said to hold may as well tell what is the case, and is not understood.
    """

    def __init__(self, model: Prepared) -> None:
        self.model = model
        self.claims: list[Claim] = []
        self.unread: list[str] = []
        self.number: int | None = None
        self.is_list = False

    def line(self, line: str) -> None:
        """Take up what a line says: a heading, a step, facts, or a heading and one of these after its colon."""
        for piece in re.split(r"(?<=:)\s|(?<=[.;])\s", line):
            self._piece(piece)

    def _piece(self, piece: str) -> None:
        number = _STEP.search(piece)
        if number is not None:
            self.number = int(number[1])
        bare = _MARKER.sub("", piece).strip()
        is_fact = self._is_fact(bare)
        said = self.model.lexicon.sentence(bare) if bare and not is_fact else None
        if isinstance(said, Said):
            self.claims.append(Claim(is_goal=False, number=self.number, step=said.step))
            self.number, self.is_list = None, False
        elif _HEADING.search(bare) and not is_fact:
            self.is_list = True
            if _GOAL.search(bare):
                self.claims.append(Claim(is_goal=True))
        else:
            self._facts(bare)

    def _is_fact(self, text: str) -> bool:
        found = read_facts(text, self.model.lexicon)
        return bool(found.facts) and not found.unread and not found.beside

    def _facts(self, text: str) -> None:
        found = read_facts(text, self.model.lexicon)
        self.unread += found.unread
        if found.facts and not self.claims:
            self.claims.append(Claim(is_goal=False, number=self.number))
        for fact in found.facts:
            if self.is_list or not fact.positive:
                self.claims[-1].facts.append(fact.atom)
            else:
                self.unread.append(text)


# --- is a plan valid, and if not, why -------------------------------------------------------------
# Answers to PlanBench's verification task, compared with an execution. The truth is the first step that cannot be
# executed with all its unmet preconditions, or else the unmet goals. A reason is right where it says exactly that;
# one that names a fact that is not unmet, or a step that can be executed, is false.


class Reason(StrEnum):
    """What the reason of an answer is worth, where the plan is invalid and the answer says so."""

    RIGHT = "right"
    """the first step at fault, or the goal, with exactly what is unmet; of a valid plan: none is needed"""
    PART = "part"
    """nothing of it is false, and something is missing"""
    FALSE = "false"
    NONE = "none"
    OPEN = "not understood"


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """``step`` counts from 1; None for a plan that executes, whose unmet goals are ``unmet``, none if it is valid."""

    step: int | None
    steps: tuple[Step, ...]
    unmet: frozenset[GroundAtom]

    @property
    def is_valid(self) -> bool:
        return self.step is None and not self.unmet


def truth(model: Prepared, plan: Plan) -> Truth:
    """Execute a plan, and say what is wrong with it first. Raises ValueError for a fault that is no unmet fact."""
    trace = model.simulator.run(plan)
    steps = tuple(step for step in plan.steps)
    first = next(iter(trace.failures), None)
    if first is None:
        return Truth(step=None, steps=steps, unmet=frozenset())
    return Truth(step=None if first.step is None else first.step + 1, steps=steps, unmet=frozenset(_atoms(first)))


def _atoms(failure: Failure) -> Iterator[GroundAtom]:
    if not failure.unmet:
        raise ValueError(f"step {failure.step} fits no action: {failure.detail}")
    for text in failure.unmet:
        if text.startswith(("(not ", "(and ", "(or ", "(forall ", "(exists ", "(imply ", "(= ")):
            raise ValueError(f"an unmet condition that is no fact: {text}")
        yield tuple(text.strip("()").split())


# --- the comparison ------------------------------------------------------------------------------


def compare(told: Told, known: Truth, model: Prepared) -> tuple[bool | None, Reason, str]:
    """Return whether the verdict is right, what the reason is worth, and in words what is wrong with it.

    The verdict is None where none was found. Only the first reason counts: what is said of later steps is not judged.
    """
    if told.valid is None:
        return None, Reason.OPEN, "no verdict was found in the answer"
    if told.valid:
        return known.is_valid, Reason.RIGHT if known.is_valid else Reason.NONE, "" if known.is_valid else _says(known)
    if known.is_valid:
        return False, Reason.FALSE if told.claims else Reason.NONE, "the plan is valid"
    reason, why = _reason(told, known, model)
    return True, reason, why


def _reason(told: Told, known: Truth, model: Prepared) -> tuple[Reason, str]:
    if not told.claims:
        return (Reason.OPEN, told.unread[0]) if told.unread else (Reason.NONE, _says(known))
    claim = told.claims[0]
    wrong = _wrong_place(claim, known) or _wrong_facts(claim, known, model)
    if wrong:
        return Reason.FALSE, f"{wrong}; {_says(known)}"
    if told.unread:
        return Reason.OPEN, f"not understood: {told.unread[0]}"
    is_whole = known.unmet == set(claim.facts)
    return (Reason.RIGHT, "") if is_whole else (Reason.PART, f"not all of it; {_says(known)}")


def _wrong_place(claim: Claim, known: Truth) -> str:
    """Say what is wrong with the step that a claim names."""
    if claim.is_goal:
        return "" if known.step is None else "a step before the goal cannot be executed"
    if claim.number is None and claim.step is None:
        return ""
    if known.step is None:
        return "every step can be executed"
    if claim.step is not None and _names(claim.step) != _names(known.steps[known.step - 1]):
        return f"({' '.join(_names(claim.step))}) is not the first step that cannot be executed"
    if claim.number not in (None, known.step):
        return f"step {claim.number} is not the first that cannot be executed"
    return ""


def _names(step: Step) -> tuple[str, ...]:
    return (step.name, *step.args)


def _wrong_facts(claim: Claim, known: Truth, model: Prepared) -> str:
    """Say which facts of a claim are not unmet, each with the reason."""
    wrong = [atom for atom in dict.fromkeys(claim.facts) if atom not in known.unmet]
    if not wrong:
        return ""
    asked = _conditions(known, model)
    told = ("it holds there" if atom in asked else _NO_CONDITION[known.step is None] for atom in wrong)
    return "; ".join(f"{atom_text(atom)}: {why}" for atom, why in zip(wrong, told, strict=True))


_NO_CONDITION = {True: "it is no goal", False: "it is no precondition of the step"}


def _conditions(known: Truth, model: Prepared) -> frozenset[GroundAtom]:
    """Return what the goal, or the step at fault, asks for."""
    if known.step is None:
        return frozenset((p.predicate, *p.terms) for p in conjuncts(model.model.problem.goal) if isinstance(p, Atom))
    step = known.steps[known.step - 1]
    schema = model.simulator.schema(model.simulator.ways[step.name][0])
    binding = schema.binding(step.args)
    parts = [part for part in conjuncts(schema.action.precondition) if isinstance(part, Atom)]
    return frozenset((part.predicate, *(binding.get(term, term) for term in part.terms)) for part in parts)


def _says(known: Truth) -> str:
    unmet = ", ".join(map(atom_text, sorted(known.unmet)))
    return f"unmet in the goal: {unmet}" if known.step is None else f"unmet at step {known.step}: {unmet}"


# --- the state after a plan -----------------------------------------------------------------------


_STATE_END = re.compile(r"\[(?:STATEMENT|PLAN|ACTION SEQUENCE|RESULTING STATE END)\]")


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
    found = read_facts(_STATE_END.split(text)[0], model.lexicon)
    false = [fact.atom for fact in found.facts if fact.positive is not (fact.atom in known)]
    missing = sorted(known - found.atoms)
    if false:
        return False, f"not so: {_shown(false)}"
    if found.unread or not found.facts:
        return None, f"not understood: {_first(found, text)}"
    return not missing, f"missing: {_shown(missing)}" if missing else ""


def _shown(atoms: list[GroundAtom]) -> str:
    more = f" and {len(atoms) - 3} more" if len(atoms) > 3 else ""
    return " ".join(map(atom_text, atoms[:3])) + more


def _first(found: Facts, text: str) -> str:
    return repr((found.unread or (" ".join(text.split())[:80],))[0])


# --- answers graded -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Whether an answer is right, None where that is not known; ``reason`` is what its reason is worth.

    ``verdict`` is one word, ``why`` a sentence.
    """

    right: bool | None
    verdict: str
    why: str
    reason: Reason | None = None


def about_a_plan(answer: str, prompt: str, domain: str, problem: str, templates: str, *, is_verdict: bool) -> Finding:
    """Grade an answer that says whether the plan of a prompt is valid and why not, or else what holds after it."""
    try:
        question = asked(prompt, prepare(domain, problem, templates=templates or None))
        if question.plan is None:
            raise InputError(f"the prompt shows no {'plan' if is_verdict else 'actions'}")
        if not is_verdict:
            right, why = compare_state(answer, state_after(question.model, question.plan), question.model)
            verdict = {True: "state", False: "other_state", None: "not_understood"}[right]
            return Finding(right=right, verdict=verdict, why=why)
        known = truth(question.model, question.plan)
    except (InputError, ModelError, OSError, ValueError) as error:
        reason = Reason.OPEN if is_verdict else None
        return Finding(right=None, verdict="error", why=str(error), reason=reason)
    right, worth, why = compare(read_verdict(answer, question.model), known, question.model)
    verdict = "not_understood" if right is None else "valid" if right is known.is_valid else "invalid"
    return Finding(right=right, verdict=verdict, why=why, reason=worth)
