"""Partial questions about a plan as constraints, with what executing parts of it says; and other initial facts.

Other initial facts: what if some did not hold, and what goes where others come, as the steps of the model say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod

from validator.automata.constraints import Must, MustNot, Pattern, Starts, is_open
from validator.errors import InputError
from validator.execution.faults import sentences
from validator.execution.simulator import Simulator
from validator.execution.trace import Failure, Kind
from validator.foils.changes import Wish
from validator.metrics.effects import Link, causal_links
from validator.model.values import Atom, GroundAtom, Model, literals_of
from validator.reading.lexicon.kinds import Kinds, atoms_of
from validator.reading.plan import Plan, Step, Token, bare
from validator.records import dataclass
from validator.texts import listed

_MOST_WAYS = 2000
_PLACED = frozenset(("numeric-fluents",))
"""what models may use besides in whose plans each step has a place of its own"""


class PremiseError(InputError):
    """A question that was understood takes for granted what is not so: "why is A step 3?" where it is step 4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What to ask ``why_not``: constraints, facts to begin with, and a foil where the question stands for one."""

    constraints: tuple[Wish, ...] = ()
    facts: tuple[str, ...] = ()
    foil: Plan | None = None


def why(simulator: Simulator, plan: Plan, step: Pattern) -> Question:
    """Ask why a step is in the plan: what happens without it, and what a plan without it would be."""
    if simulator.model.features:  # what a step provides is told of plans without numbers and time
        return Question(constraints=(MustNot(step=step),))
    steps = _steps(simulator, plan)
    chosen = [each for each in dict.fromkeys(steps) if step.matches(each)]
    asked = (MustNot(step=step),)
    if not chosen:
        return Question(constraints=asked, facts=(f"{step} is not in the plan.",))
    facts = [told for each in chosen if (told := _purpose(simulator, steps, each))]
    left = [each for each in steps if each not in chosen]
    failures = simulator.run(left).failures
    without = f"Without {step}, " + (fault_sentences(simulator, failures, left)[0] if failures else "the plan is valid")
    return Question(constraints=asked, facts=(*facts, f"{without}."))


def instead(simulator: Simulator, plan: Plan, step: Pattern, at: int) -> Question:
    """Ask why step ``at`` of the plan, from 1, is not another one: the steps before it stay as they are.

    Where the other step cannot be done there, it must be done somewhere, in a plan near the one that has it there.
    Raises PremiseError for a place to which the plan does not lead.
    """
    before, facts = _before(simulator, plan, at)
    if step.is_open or simulator.model.features:
        told = () if is_possible(simulator, before, step) is not False else (f"No way to do {step} is possible there.",)
        return Question(constraints=(Starts(steps=tuple(before), then=step),), facts=(*facts, *told))
    other = Step(name=step.name, args=step.args)
    failures = _faults(simulator, [*before, other])
    if not failures:
        return Question(constraints=(Starts(steps=(*before, other)),), facts=facts)
    fault = fault_sentences(simulator, failures, [*before, other])[0]
    return Question(
        constraints=(Must(step=step),),
        facts=(*facts, f"It cannot be done there. {fault}."),
        foil=Plan(parts=(*before, other, *_steps(simulator, plan)[at:])),
    )


def not_at(simulator: Simulator, plan: Plan, step: Pattern, at: int) -> Question:
    """Ask why a step is step ``at`` of the plan, from 1: what if another one comes there, after the same steps.

    Raises PremiseError for a place to which the plan does not lead.
    """
    before, facts = _before(simulator, plan, at)
    return Question(constraints=(Starts(steps=tuple(before), then=step, is_not=True),), facts=facts)


def _before(simulator: Simulator, plan: Plan, at: int) -> tuple[list[Step], tuple[str, ...]]:
    """Return the steps of a plan before a place to which it leads, and what the one that is there is for."""
    if simulator.model.features.keys() - _PLACED:
        raise PremiseError("a place in the plan is asked about where steps have no times")
    steps = _steps(simulator, plan)
    if not 1 <= at <= len(steps) + 1:
        raise PremiseError(
            f"the plan has {len(steps)} steps; a place from 1 to {len(steps) + 1} was expected, not {at}"
        )
    before = steps[: at - 1]
    if simulator.model.features:  # what a step provides is told of plans without numbers
        return before, ()
    if failures := _faults(simulator, before):
        fault = fault_sentences(simulator, failures, before)[0]
        raise PremiseError(f"the plan does not execute up to step {at}: {fault}")
    told = _purpose(simulator, steps, steps[at - 1]) if at <= len(steps) else ""
    return before, (told,) if told else ()


def is_possible(simulator: Simulator, before: Sequence[Step], step: Pattern) -> bool | None:
    """Return whether one of the steps of a pattern can be done after others; None where they are too many to look."""
    actions = simulator.model.domain.actions
    found = False
    for each in step.alternatives:
        if each.is_any_step or each.name not in actions or simulator.model.features:
            return None
        kinds = [simulator.model.objects_of(parameter.types) for parameter in actions[each.name].parameters]
        args = [kind if is_open(arg) else (arg,) for arg, kind in zip(each.args, kinds, strict=True)]
        if prod(map(len, args)) > _MOST_WAYS:
            return None
        ways = (Step(name=each.name, args=way) for way in product(*args))
        found = found or any(each.matches(way) and not _faults(simulator, [*before, way]) for way in ways)
    return found


def without_times(simulator: Simulator, token: Token) -> Token:
    """Return a step without its time; what the model does not have stays as it was written."""
    is_known = isinstance(token, Step) and not simulator.malformed(0, token)
    return bare(token) if is_known and isinstance(token, Step) else token


def fault_sentences(simulator: Simulator, failures: Sequence[Failure], tokens: Sequence[Token]) -> list[str]:
    """Return failures of a plan of the model, a sentence each."""
    return sentences(failures, [without_times(simulator, token) for token in tokens])


def _steps(simulator: Simulator, plan: Plan) -> list[Step]:
    """Return the steps of a plan without times; raises PremiseError for a text with something else in it."""
    found = [simulator.resolve(token) for token in plan.tokens or plan.unread]
    strange = next((token for token in found if not isinstance(token, Step)), None)
    if strange is not None:
        raise PremiseError(f"the plan has '{strange}', which is not a step of the model")
    return [bare(each) for each in found if isinstance(each, Step)]


def _faults(simulator: Simulator, steps: Sequence[Step]) -> list[Failure]:
    return [failure for failure in simulator.run(list(steps)).failures if failure.kind is not Kind.GOAL]


def link_sentences(simulator: Simulator, before: Sequence[Step] | None, after: Sequence[Step]) -> Iterator[str]:
    """Yield a sentence for each step that only one of two valid plans has: ``-`` of the first, ``+`` of the second."""
    if before is None:
        return
    for sign, one, other in (("-", before, after), ("+", after, before)):
        lost = Counter(one) - Counter(other)
        if lost:
            links = causal_links(Plan(parts=tuple(one)), simulator)
            for step in dict.fromkeys(step for step in one if step in lost):
                yield f"{sign}{step} {_serves(step, links)}"


def _purpose(simulator: Simulator, steps: Sequence[Step], step: Step) -> str:
    """Return what a step of a plan is there for, as a sentence; empty where the plan is not valid."""
    if not simulator.run(list(steps)).is_valid:
        return ""
    return f"{step} {_serves(step, causal_links(Plan(parts=tuple(steps)), simulator))}"


def _serves(step: Step, links: frozenset[Link]) -> str:
    own = sorted(
        (link.condition, "the goal" if link.consumer is None else str(link.consumer))
        for link in links
        if link.producer == step
    )
    if not own:
        return "makes nothing true that is needed later."
    return f"provides {listed([f'{condition} for {consumer}' for condition, consumer in own])}."


_ANY = "_"


def other_facts(
    atoms: Sequence[GroundAtom], condition: str, model: Model, *, is_there: bool
) -> tuple[list[GroundAtom], list[GroundAtom]]:
    """Return the initial facts that go, and those that come, where what is told holds initially, or does not.

    ``atoms`` have ``_`` for any object; ``condition`` is a fact as PDDL. Raises InputError for what is no such fact.
    """
    init, changing = model.problem.init, Kinds(model).changing
    told = condition or " ".join(map(_text, atoms))
    if is_there and (condition or any(_ANY in atom for atom in atoms)):
        raise InputError(f"not understood: {told} is not a fact", source="question")
    if is_there:
        come = [atom for atom in atoms if atom not in init]
        gone = sorted({fact for atom in come for fact in _gone(atom, model, changing)})
    else:
        come, gone = [], [fact for atom in atoms for fact in sorted(init) if _is_like(fact, atom)]
        gone = [fact for fact in init if _text(fact) == condition.lower()] if condition else list(dict.fromkeys(gone))
    if not come and not gone:
        raise PremiseError(f"{told} {'holds' if is_there else 'does not hold'} initially", source="question")
    if not is_there and atoms and any(len(fact) > 2 and fact[0] in changing for fact in gone):
        text = f"say what holds in place of {told}, or ask 'without fact {told}'"
        raise InputError(f"not understood: {text}", source="question")
    if not is_there and (len(gone) > 2 or (len(gone) == 2 and gone[0][1:] != gone[1][:0:-1])):
        raise InputError(f"not understood: {told} can mean {len(gone)} facts", source="question")
    return gone, come


def _text(fact: GroundAtom) -> str:
    return f"({' '.join(fact)})"


def _is_like(fact: GroundAtom, atom: GroundAtom) -> bool:
    """Return whether a fact is one of those that an atom with ``_`` for any object stands for."""
    return fact[0] == atom[0] and all(said in (_ANY, name) for said, name in zip(atom[1:], fact[1:], strict=True))


def _gone(atom: GroundAtom, model: Model, changing: Collection[str]) -> frozenset[GroundAtom]:
    """Return the initial facts that go when a fact comes.

    They are the same fact of its first object, if each has one only. Else they are what a step deletes that could make
    it true at once, as far as that object goes; without such a step, nothing else that steps change may be known of it.
    """
    init = model.problem.init
    kin = [fact for fact in init if fact[0] == atom[0] and len(fact) == 3]
    is_function = len({fact[1] for fact in kin}) == len(kin)
    same = frozenset(fact for fact in kin if fact[1:2] == atom[1:2] and is_function)
    ways: set[frozenset[GroundAtom]] = set()
    has_way = is_freeing = False
    for action in model.domain.actions.values():
        made = [literal.atom for literal in literals_of(action.effects) if literal.positive]
        gone = [literal.atom for literal in literals_of(action.effects) if not literal.positive]
        olds = {each.terms[-1] for each in gone if each.predicate == atom[0] and each.terms}
        is_freeing |= any(not olds.isdisjoint(each.terms) for each in made)
        for each in (each for each in made if each.predicate == atom[0] and each.terms):
            has_way = True
            bound = dict(zip(each.terms, atom[1:], strict=True))
            needs = (need for need in atoms_of(action.precondition) if each.terms[0] in need.terms)
            if all(any(_instances(need, bound, init)) for need in needs):
                about = (other for other in gone if not bound.keys().isdisjoint(other.terms))
                ways.add(frozenset(fact for other in about for fact in _instances(other, bound, init)) - {atom})
    others = {fact for fact in init if fact[0] in changing and fact[1:2] == atom[1:2]} - same
    if len(ways) == 1 and same <= min(ways):
        return same or min(ways)
    if atom[0] not in changing:
        types = [parameter.types for parameter in model.domain.predicates[atom[0]]]
        if not same or types[0] == types[1]:
            return frozenset()
    elif not has_way or (not ways and not others and not is_freeing):
        return same
    raise InputError(
        f"not understood: it is not clear what else changes where {_text(atom)} holds; ask 'with fact (...)'",
        source="question",
    )


def _instances(atom: Atom, bound: Mapping[str, str], facts: Iterable[GroundAtom]) -> Iterator[GroundAtom]:
    """Yield the facts that an atom can be, some of its variables being bound."""
    pattern = (atom.predicate, *(bound.get(term, _ANY) for term in atom.terms))
    return (fact for fact in facts if _is_like(fact, pattern))
