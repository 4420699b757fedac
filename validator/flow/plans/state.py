"""What is so while a plan of a flow is under way: which items are known, what has been decided, what has run.

memory: [city, {item: hotel, state: uncertain}]
claims: ["$hotel.price < 100"]
history: [{operator: find}]

The keys are those of a flow. ``memory`` is the whole of it: what it does not list is unknown. Without ``claims`` those
stand that the executed steps decided. ``history`` are calls besides the executed ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from validator.errors import ModelError, did_you_mean
from validator.execution.simulator import Simulator
from validator.flow.compiled.compile import Compiled
from validator.flow.definition.entries import listed, record
from validator.flow.definition.integrity import check_names
from validator.flow.definition.reader import read_claim, read_memory, read_step
from validator.flow.model import Claim, Flow, ItemState, MemoryItem
from validator.flow.plans.checked import Checked
from validator.model.values import GroundAtom, Model
from validator.reading.plan import Plan, Step
from validator.records import dataclass, replace

__all__ = ["FlowState", "begun", "behind", "read_flow_state", "widened"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowState:
    """What is known of the items, which constraints are decided (None: as planned), and which calls ran besides."""

    memory: tuple[MemoryItem, ...]
    claims: tuple[Claim, ...] | None = None
    history: tuple[Step, ...] = ()


def read_flow_state(document: object, flow: Flow, source: str = "<state>") -> FlowState:
    """Read a state from a JSON document, which ``source`` names in errors. Raises ModelError."""
    try:
        state = _read_state(document, "")
        _check(state, flow)
    except ModelError as error:
        error.source = error.source or source
        raise
    return state


_read_state = record(
    FlowState,
    memory=listed("memory", read_memory),
    claims=lambda fields: listed("claims", read_claim)(fields) if "claims" in fields else None,
    history=listed("history", read_step),
)


def _check(state: FlowState, flow: Flow) -> None:
    """Refuse what the flow does not have, and an item that is given twice."""
    for item, number in Counter(entry.item for entry in state.memory).items():
        if item not in flow.item_types:
            raise ModelError(f"memory: the flow has no item '{item}'{did_you_mean(item, flow.item_types)}")
        if number > 1:
            raise ModelError(f"memory: item '{item}' is given twice")
    for claim in state.claims or ():
        if claim.text not in flow.constraints:
            near = did_you_mean(claim.text, flow.constraints)
            raise ModelError(f"claims: the flow has no constraint '{claim.text}'{near}")
    check_names(replace(flow, history=state.history))


# --- the model -------------------------------------------------------------------------------------


def widened(flow: Flow, state: FlowState) -> Flow:
    """Return a flow whose memory has what is known in the state, so that it is compiled for it.

    ``begun`` takes it out of the initial state again.
    """
    types = {entry.item: entry.type for entry in flow.memory}
    known = [replace(entry, type=types.get(entry.item)) for entry in state.memory]
    found = {entry.item: entry for entry in known if entry.state is not ItemState.UNKNOWN}
    return replace(flow, memory=(*found.values(), *(entry for entry in flow.memory if entry.item not in found)))


def begun(flow: Flow, compiled: Compiled) -> Model:
    """Return the model of a widened flow as it was when the plan began."""
    model = compiled.model
    init = _without(model.problem.init, "known", "uncertain") | frozenset(_known(flow.memory, compiled))
    return replace(model, problem=replace(model.problem, init=_read(init, compiled, model)))


def behind(state: FlowState, checked: Checked, model: Model, executed: int) -> frozenset[GroundAtom]:
    """Return what holds after so many tokens of a plan have happened.

    What the state does not tell, such as which item stands for another one, is as the model has it. A call that the
    model does not allow at its place has run all the same, and used up a try.
    """
    compiled, tokens = checked.compiled, checked.expanded.tokens[:executed]
    trace = Simulator(model).run(Plan(parts=checked.plan.parts[:executed]))
    *_, now = trace.states()
    now = _without(now, "known", "uncertain") | frozenset(_known(state.memory, compiled))
    if state.claims is not None:
        now = _without(now, "true", "false") | frozenset(_decided(state.claims, compiled))
    failed = {failure.step for failure in trace.failures}
    ran = (token for place, token in enumerate(tokens) if place in failed and isinstance(token, Step))
    for step in (*ran, *state.history):
        if step.name in compiled.operators:
            now |= _run(step, compiled, now)
    return _read(now, compiled, model)


def _known(memory: Iterable[MemoryItem], compiled: Compiled) -> Iterator[GroundAtom]:
    for entry in memory:
        if entry.state is not ItemState.UNKNOWN:
            yield ("known" if entry.state is ItemState.KNOWN else "uncertain"), compiled.items[entry.item]


def _decided(claims: Iterable[Claim], compiled: Compiled) -> Iterator[GroundAtom]:
    for claim in claims:
        for each in compiled.flow.consequences(claim):
            yield ("true" if each.holds else "false"), compiled.constraints[each.text]


def _run(step: Step, compiled: Compiled, now: frozenset[GroundAtom]) -> frozenset[GroundAtom]:
    """Return what a call leaves behind, whatever came of it: it has run, and a try on its items is used up."""
    own = compiled.flow.by_name[step.name].input_items
    whole = compiled.tried.get((step.name, step.args))
    call = compiled.tried.get((step.name, own)) if whole is None else whole
    free = [level for level in compiled.levels if ("tried", call or "", level) not in now]
    tried = {("tried", call, level) for level in free[:1] if call is not None}
    given = set() if whole is None else {("given", whole)}
    return frozenset({("done", compiled.operators[step.name]), *tried, *given})


def _without(state: frozenset[GroundAtom], *predicates: str) -> frozenset[GroundAtom]:
    return frozenset(atom for atom in state if atom[0] not in predicates)


def _read(state: frozenset[GroundAtom], compiled: Compiled, model: Model) -> frozenset[GroundAtom]:
    """Return the atoms of the predicates that the model has, with the groups of goals that are met by them."""
    met = {("met", group) for group, atoms in compiled.met.items() if atoms & state}
    return frozenset(atom for atom in _without(state, "met") | met if atom[0] in model.domain.predicates)
