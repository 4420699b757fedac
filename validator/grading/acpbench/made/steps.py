"""Questions about single steps and facts: what can be executed, what it changes, what can be reached at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod

from validator.grading.acpbench.made.asking import MOST_FACTS, SAID, TRIED, Asking, Draft, Drafts, drawn, two_forms
from validator.grading.acpbench.questions import Form
from validator.grading.acpbench.states.clauses import NEVER
from validator.grading.acpbench.states.operators import Operator
from validator.model.pddl.write import atom_text
from validator.reading.plan import Step
from validator.records import replace

__all__ = ["action_reachability", "applicability", "progression", "reachability"]


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
    yield from drawn(asking, found, "Can these hold at the same time, now or later: {}?", "Which of these can hold?")


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
    yield from drawn(
        asking, found, "Can this action be executed at some time: {}?", "Which can be executed at some time?"
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
