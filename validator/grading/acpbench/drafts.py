"""What is asked in each task and form, from what was proven of one problem: about steps, facts and plans."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import Any, TypeAlias

from validator.grading.acpbench.operators import NEVER, Operator
from validator.grading.acpbench.prover import Proof, Prover, without
from validator.grading.acpbench.questions import Form, Task
from validator.model.pddl.write import atom_text
from validator.model.values import GroundAtom
from validator.reading.plan import Plan, Step
from validator.records import dataclass, field, replace

# --- what questions are made from -----------------------------------------------------------------


TRIED = 60
"""facts, steps or pairs that are tried for one question"""

MOST_FACTS = 500
"""beyond, only facts are asked about that are in reach when nothing is ever lost"""


SAID = 8
"""of what is so, and of what is not, that much is put into words for a question"""


@dataclass
class Asking:
    """One problem that is asked about; ``left_out`` counts the questions without a proven key, by task and form."""

    name: str
    prover: Prover
    domain: str
    problem: str
    chance: random.Random
    templates: str = ""
    left_out: Counter[tuple[Task, Form]] = field(default_factory=Counter)

    def say(self, atom: GroundAtom) -> str:
        return self.prover.space.model.lexicon.say_fact(atom)

    def do(self, step: Step) -> str:
        return self.prover.space.model.lexicon.say(step)

    def shuffled(self, items: Iterable[Any]) -> list[Any]:
        found = list(items)
        self.chance.shuffle(found)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A question before it is worded whole; ``key`` is in the form of the data, or the place of the right choice."""

    form: Form
    text: str
    key: Any
    proof: str
    choices: tuple[str, ...] = ()


Drafts: TypeAlias = Iterator[Draft]


Proven: TypeAlias = Sequence[tuple[str, str]]
"""texts, each with how it is known that what it says is so, or is not"""


def two_forms(asking: Asking, right: Proven, wrong: Proven, asked: str, chosen: str) -> Drafts:
    """Yield a yes-no question, with either answer as likely, and one with a right choice and three wrong ones."""
    sides = [(side, key) for side, key in ((right, "yes"), (wrong, "no")) if side]
    if sides:
        side, key = asking.chance.choice(sides)
        yield Draft(form=Form.BOOL, text=asked.format(side[0][0]), key=key, proof=side[0][1])
    others = list(dict(wrong).items())[:3]
    if right and len(others) == 3:
        shown = (right[-1], *others)
        how = "; ".join(dict.fromkeys(proof for _, proof in shown))
        yield Draft(form=Form.CHOICE, text=chosen, key=0, choices=tuple(text for text, _ in shown), proof=how)


# --- applicability and progression ---------------------------------------------------------------

_EXECUTED = "by its conditions in the initial state"


def applicability(asking: Asking) -> Drafts:
    space = asking.prover.space
    can = [each for each in space.operators if each.is_applicable(space.init)]
    cannot = [each for each in space.operators if not each.is_applicable(space.init)]
    steps = sorted(map(str, (each.step for each in can)))
    yield Draft(form=Form.OPEN, text="Which actions can be executed now?", key=steps, proof=_EXECUTED)
    yield from two_forms(
        asking,
        [(asking.do(each.step), _EXECUTED) for each in asking.shuffled(can)[:SAID]],
        [(asking.do(each.step), _EXECUTED) for each in asking.shuffled(cannot)[:SAID]],
        "Can this action be executed now: {}?",
        "Which of these actions can be executed now?",
    )


def progression(asking: Asking) -> Drafts:
    space = asking.prover.space
    can = [each for each in space.operators if each.is_applicable(space.init) and each.apply(space.init) != space.init]
    if not can:
        return
    operator = asking.chance.choice(can)
    after, said = operator.apply(space.init), asking.do(operator.step)
    changed = {"pos": after & ~space.init, "neg": space.init & ~after}
    key = {name: sorted(map(atom_text, space.atoms(bits))) for name, bits in changed.items()}
    text = f"Which facts become true, and which become false, by this action: {said}?"
    how = "by execution"
    yield Draft(form=Form.OPEN, text=text, key=key, proof=how)
    facts = [atom for atom in space.propositions() if space.bits_of((atom,)) & asking.prover.relaxed]
    true = [atom for atom in asking.shuffled(facts) if space.bits_of((atom,)) & after]
    false = [atom for atom in asking.shuffled(facts) if not space.bits_of((atom,)) & after]
    ask = f"Does this hold after the action '{said}': {{}}?"
    said_true, said_false = ([(asking.say(atom), how) for atom in atoms[:SAID]] for atoms in (true, false))
    yield from two_forms(asking, said_true, said_false, ask, f"Which of these holds after the action '{said}'?")


# --- reachability --------------------------------------------------------------------------------


def reachability(asking: Asking) -> Drafts:
    prover, space = asking.prover, asking.prover.space
    facts = list(space.propositions())
    proofs = {atom: prover.fact(atom) for atom in facts}
    if all(proof.holds is not None for proof in proofs.values()):
        never = sorted(atom_text(atom) for atom, proof in proofs.items() if not proof.holds)
        how = "; ".join(sorted({proof.how for proof in proofs.values()}))
        yield Draft(form=Form.OPEN, text="Which fact can never hold, whatever is done?", key=never, proof=how)
    if len(facts) > MOST_FACTS:
        facts = [atom for atom in facts if space.bits_of((atom,)) & prover.relaxed]
    pairs = [asking.chance.sample(facts, 2) for _ in range(TRIED)] if len(facts) > 1 else []
    found: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
    for pair in pairs:
        proof = prover.fact(*pair)
        if proof.holds is not None:
            found[proof.holds].append((" and ".join(map(asking.say, pair)), proof.how))
    yield from two_forms(
        asking,
        found[True],
        found[False],
        "Can these hold at the same time, now or later: {}?",
        "Which of these can hold?",
    )


def action_reachability(asking: Asking) -> Drafts:
    prover, space = asking.prover, asking.prover.space
    typed = _typed(asking)
    proofs = [(each, prover.applicable(each)) for each in typed]
    if len(typed) == _number(asking) and all(proof.holds is not None for _, proof in proofs):
        never = sorted(str(each.step) for each, proof in proofs if not proof.holds)
        how = "; ".join(sorted({proof.how for _, proof in proofs}))
        yield Draft(form=Form.OPEN, text="Which action can never be executed, whatever is done?", key=never, proof=how)
    found: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
    for each, proof in asking.shuffled(proofs):
        known = None if proof.holds is None else found[proof.holds]
        if known is not None and len(known) < SAID and not each.is_applicable(space.init):
            known.append((asking.do(each.step), proof.how))
    yield from two_forms(
        asking,
        found[True],
        found[False],
        "Can this action be executed at some time: {}?",
        "Which can be executed at some time?",
    )


def _typed(asking: Asking) -> list[Operator]:
    """Return the well-typed ground steps, those whose unchanging conditions are false too, where they are not many."""
    space = asking.prover.space
    found: list[Operator] = []
    for name, action in space.model.model.domain.actions.items():
        allowed = [space.model.model.objects_of(parameter.types) for parameter in action.parameters]
        steps = (Step(name=action.step or name, args=args) for args in _some_products(allowed))
        found += (space.operator(step, name) for step in steps)
    known = {each.step: each for each in space.operators}
    return [known.get(each.step, replace(each, condition=NEVER)) for each in found]


_MOST_PRODUCTS = 2_000
"""ground steps of one action that are looked at"""


def _some_products(allowed: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    yield from islice(product(*allowed), _MOST_PRODUCTS)


def _number(asking: Asking) -> int:
    """Return how many well-typed ground steps there are."""
    model = asking.prover.space.model.model
    sizes = ((len(model.objects_of(p.types)) for p in action.parameters) for action in model.domain.actions.values())
    return sum(map(prod, sizes))


# --- questions about plans ------------------------------------------------------------------------


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
    yield from two_forms(
        asking,
        found[True],
        found[False],
        f"Can steps {{}} be left out {shown}?",
        f"Which two steps can be left out {shown}?",
    )


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
    yield from two_forms(
        asking,
        found[True],
        found[False],
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
