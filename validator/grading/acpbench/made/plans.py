"""Questions about plans: which are valid, what in them is needed, what every plan needs, how they begin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from validator.grading.acpbench.made.asking import MOST_FACTS, TRIED, Asking, Draft, Drafts, drawn
from validator.grading.acpbench.prover import Proof, Prover, without
from validator.grading.acpbench.questions import Form
from validator.model.pddl.write import atom_text
from validator.model.values import GroundAtom
from validator.reading.plan import Plan

__all__ = ["justification", "landmarks", "next_action", "plan", "validation"]


def _known(asking: Asking) -> Plan | None:
    """Return a plan of at least one step: a shortest one where states are not too many."""
    plan = asking.prover.plan
    return plan if plan is not None and plan.steps else None


def _quoted(plan: Plan) -> str:
    return f'"{" ".join(map(str, plan.steps))}"'


def validation(asking: Asking) -> Drafts:
    plan = _known(asking)
    if plan is None:
        return
    prover, space = asking.prover, asking.prover.space
    kinds = {"is a plan": plan, "can be executed, but does not reach the goal": Plan(parts=plan.steps[:-1])}
    for _ in range(TRIED):
        place = asking.chance.randrange(len(plan.steps))
        other = asking.chance.choice(space.operators).step
        changed = Plan(parts=(*plan.steps[:place], other, *plan.steps[place + 1 :]))
        if _first_fault(prover, changed) >= 0:
            kinds["cannot be executed"] = changed
            break
    for form in (Form.OPEN, Form.BOOL, Form.CHOICE):
        kind, steps = asking.chance.choice(sorted(kinds.items(), key=lambda item: item[0]))
        if form is Form.OPEN:
            text = f"Which is the first action that cannot be executed in this sequence: {_quoted(steps)}?"
            yield Draft(form=form, text=text, key=_first_fault(prover, steps), proof="by execution")
        elif form is Form.BOOL:
            key = "yes" if prover.is_valid(steps) else "no"
            text = f"Is this sequence of actions a plan for the goal: {_quoted(steps)}?"
            yield Draft(form=form, text=text, key=key, proof="by execution")
        else:
            claims = tuple(f"The sequence {name}" for name in sorted(kinds))
            text = f"Which is true of this sequence of actions: {_quoted(steps)}?"
            yield Draft(form=form, text=text, key=sorted(kinds).index(kind), choices=claims, proof="by execution")


def _first_fault(prover: Prover, plan: Plan) -> int:
    trace = prover.space.model.simulator.run(plan)
    return next((failure.step for failure in trace.failures if failure.step is not None), -1)


def justification(asking: Asking) -> Drafts:
    plan = _longer(asking)
    if plan is None:
        return
    removals = asking.prover.removals(plan)
    if removals:
        key = [[*(str(plan.steps[place]) for place in cut), "-1"] for cut in removals]
        text = (
            f"Leave one action, or two that follow each other, out of the plan {_quoted(plan)} so that it stays a plan."
        )
        yield Draft(form=Form.OPEN, text=text, key=key, proof="by execution of each plan without them")
    found: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
    for place in asking.shuffled(range(len(plan.steps) - 1)):
        pair = (place, place + 1)
        said = f"{place + 1} and {place + 2}, {plan.steps[place]} and {plan.steps[place + 1]}"
        found[asking.prover.is_valid(without(plan, pair))].append((said, "by execution without them"))
    shown = f"of the plan {_quoted(plan)}, so that it stays a plan"
    yield from drawn(asking, found, f"Can steps {{}} be left out {shown}?", f"Which two steps can be left out {shown}?")


def _longer(asking: Asking) -> Plan | None:
    """Return the plan with two steps put in that undo each other, where that can be done; else as it is."""
    plan, space = _known(asking), asking.prover.space
    if plan is None:
        return None
    by_step = {each.step: each for each in space.operators}
    places = asking.shuffled(range(len(plan.steps) + 1))
    for place in places:
        state = space.init
        for step in plan.steps[:place]:
            state = by_step[step].apply(state)
        for one in asking.shuffled(each for each in space.operators if each.is_applicable(state)):
            there = one.apply(state)
            back = next((e for e in space.operators if e.is_applicable(there) and e.apply(there) == state), None)
            if there != state and back is not None:
                return Plan(parts=(*plan.steps[:place], one.step, back.step, *plan.steps[place:]))
    return plan


def landmarks(asking: Asking) -> Drafts:
    prover, space = asking.prover, asking.prover.space
    facts = [atom for atom in space.propositions() if not (space.init | space.goal) & space.bits_of((atom,))]
    asked = facts
    if len(facts) > MOST_FACTS:
        asked = [atom for atom in facts if space.bits_of((atom,)) & prover.relaxed]
    proofs = _landmark_proofs(asking, asked) if prover.is_solvable else {}
    if len(proofs) == len(facts) and proofs and all(proof.holds is not None for proof in proofs.values()):
        key = {
            name: sorted(atom_text(atom) for atom, proof in proofs.items() if proof.holds is side)
            for name, side in (("yes", True), ("no", False))
        }
        how = "; ".join(sorted({proof.how for proof in proofs.values()}))
        text = "Which fact holds at some time in every plan, and neither now nor in the goal?"
        yield Draft(form=Form.OPEN, text=text, key=key, proof=how)
    found: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
    for atom in asking.shuffled(proofs):
        holds = proofs[atom].holds
        if holds is not None:
            found[holds].append((asking.say(atom), proofs[atom].how))
    yield from drawn(
        asking,
        found,
        "Does this hold at some time in every plan: {}?",
        "Which of these holds at some time in every plan?",
    )


_MOST_OPEN = 4
"""facts of which nothing is proven, each with a search of its own, after which no more are tried"""


def _landmark_proofs(asking: Asking, facts: Sequence[GroundAtom]) -> dict[GroundAtom, Proof]:
    """Return whether facts are landmarks; of not all where some stay open, so that the key of all would be none."""
    found: dict[GroundAtom, Proof] = {}
    for atom in asking.shuffled(facts):
        found[atom] = asking.prover.landmark(atom)
        known = Counter(proof.holds for proof in found.values())
        if known[None] and ((known[True] and known[False] > 2) or known[None] >= _MOST_OPEN):
            break
    return found


def next_action(asking: Asking) -> Drafts:
    prover, space = asking.prover, asking.prover.space
    can = [each.step for each in space.operators if each.is_applicable(space.init)]
    proofs = {step: prover.nearer(step) for step in can} if prover.distance else {}
    if proofs and all(proof.holds is not None for proof in proofs.values()):
        key: dict[str, Any] = {
            name: sorted(str(step) for step, proof in proofs.items() if proof.holds is side)
            for name, side in (("yes", True), ("no", False))
        }
        key |= {"maybe": [], "opt": str(prover.distance)}
        text = "Which action can be the first of a shortest plan?"
        yield Draft(form=Form.OPEN, text=text, key=key, proof="by the distances to the goal before and after it")


def plan(asking: Asking) -> Drafts:
    distance, known = asking.prover.distance, _known(asking)
    if distance or known is not None:
        proof = f"the shortest plan has {distance} steps" if distance else "a greedy search finds one"
        yield Draft(form=Form.OPEN, text="Which actions lead to the goal?", key=None, proof=proof)
