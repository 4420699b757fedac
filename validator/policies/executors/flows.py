"""A flow as an executor: a tool is the operator of the same name; what leaves no call is done where it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from validator.adherence.models.binding import Binder, Bound
from validator.execution.trace import Failure, Kind
from validator.flow.definition.integrity import check_names
from validator.flow.model import Flow
from validator.flow.plans.checked import Checked
from validator.flow.plans.shape import Expanded
from validator.flow.plans.tokens import BASIC, FlowTokenizer
from validator.flow.plans.tokens import Call as FlowCall
from validator.flow.silent_steps import KINDS, Unrecorded
from validator.model.values import GroundAtom
from validator.policies.conditions import Atom, Truth
from validator.policies.events import Event
from validator.policies.executors.executor import Executor, Judged, State, facts_of
from validator.policies.executors.pddl import reason_of, refuse_features
from validator.policies.policy import Policy
from validator.policies.repair.calls import distinct_calls, with_placeholders
from validator.reading.calls import Planned, folded
from validator.reading.plan import Step, Token, Unparsed

__all__ = ["FlowExecutor"]

_MOST_KNOWN = 10_000


class FlowExecutor(Executor):
    """A flow. ``recorded`` are the kinds of basic steps (``ask``, ``map``, ...) that are calls themselves.

    The facts of a state are ``(known ITEM)``. Which optional inputs a call is given decides nothing, nor how often an
    operator ran; having run one may be a goal, so that none of them only reads. Raises ModelError for a flow that
    contradicts itself.
    """

    def __init__(self, flow: Flow, recorded: frozenset[str] = frozenset()) -> None:
        check_names(flow)
        self.flow = flow
        self._checked = Checked(flow, Expanded((), ()), compare_outputs=False)
        compiled = self._checked.compiled
        super().__init__(compiled.prepared, {operator.name: operator.input_items for operator in flow.operators})
        refuse_features(self.prepared)
        self._binder = Binder(flow, FlowTokenizer(flow))
        self._silent = Unrecorded(compiled, self.prepared.simulator, self._binder.analysis, KINDS - recorded)
        self._required = {
            operator.name: {entry.item for entry in operator.inputs if entry.required} for operator in flow.operators
        }
        self._known: dict[object, Judged] = {}

    def holds(self, state: State, atom: Atom) -> Truth:
        items = self._checked.compiled.items
        if atom[0] != "known" or len(atom) != 2 or atom[1] not in items:
            return None
        return ("known", items[atom[1]]) in facts_of(state)

    def judge(self, state: State, event: Event) -> Judged:
        bound = self._binder.bind(Planned(index=0, name=event.name, arguments=event.arguments))
        if isinstance(bound, str):
            return Judged(None, bound, state)
        if bound.faults or isinstance(bound.token, Unparsed):
            return self._at_fault(bound, state)
        # Of the values only those count that name items, so that most calls were judged before.
        key = state, bound.token, tuple(bound.items.items())
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._executed(bound, state)
        return self._known[key]

    def _executed(self, bound: Bound, state: State) -> Judged:
        step = self._inner(bound)
        if step is None:
            return Judged(None, f"{bound.token} is no step of the flow", state)
        wanted = {item: self._sources(bound, item) for item in self._inputs(bound)}
        start = self._untried(facts_of(state), bound)
        before, now = self._silent.before(start, step, wanted)
        trace = self.prepared.simulator.run_from(now, (step,), with_goal=False)
        if trace.failures:
            found = self._silent.all_before(start, step)
            if isinstance(found, str):
                words = [self._checked.words.failure(failure) for failure in trace.failures]
                return Judged(self._refused(start, step, found), self._told(words, bound), state, (step,))
            before, now = found
            trace = self.prepared.simulator.run_from(now, (step,), with_goal=False)
        *_, after = trace.states()
        return Judged(True, "", after, (*before, step))

    def _refused(self, state: State, step: Step, found: str) -> Truth:
        """Return False where a call cannot be executed for certain, whatever was done before that no call shows."""
        if found == "none" and state == self.start:
            return False
        return None if self._silent.could_be(step, facts_of(self.start), facts_of(state)) else False

    def _untried(self, state: frozenset[GroundAtom], bound: Bound) -> frozenset[GroundAtom]:
        """Return a state in which the operator of a call has not run: with other values it is another call.

        A flow counts how often an operator runs on the same items, and their values are not in its model.
        """
        token = bound.token
        name = token.name if isinstance(token, Step) else ""
        own = {pddl for (operator, _), pddl in self._checked.compiled.tried.items() if operator == name}
        return frozenset(atom for atom in state if atom[0] != "tried" or atom[1] not in own)

    def _at_fault(self, bound: Bound, state: State) -> Judged:
        is_strange = all(fault.kind is Kind.UNKNOWN_ACTION for fault in bound.faults)
        return Judged(None if is_strange else False, self._told(bound.faults, bound), state)

    def _told(self, faults: Sequence[Failure], bound: Bound) -> str:
        token = bound.token
        step = Step(name=token.name, args=token.args) if isinstance(token, Step) else Step(name=str(token))
        return reason_of([replace(fault, step=0) for fault in faults], step)

    def _inputs(self, bound: Bound) -> list[str]:
        token = bound.token
        if not isinstance(token, FlowCall) or token.name in BASIC:
            return []
        return [item for item in token.args if item in self._required[token.name]]

    def _sources(self, bound: Bound, item: str) -> list[str]:
        return [bound.items[item]] if item in bound.items else []

    def _inner(self, bound: Bound) -> Step | None:
        token = bound.token
        if not isinstance(token, FlowCall):
            return None
        if token.name in BASIC:
            return self._checked.compiled.inner(Step(name=token.name, args=token.args))
        # With all its inputs a call stands for one that says nothing of the optional ones.
        inputs = self.flow.by_name[token.name].input_items
        return self._checked.compiled.inner(Step(name=token.name, args=inputs))

    def shown(self, steps: Sequence[Step], state: State) -> tuple[Token, ...]:
        return self._checked.seen(self.prepared.simulator, steps, facts_of(state))

    def called(self, steps: Iterable[Token]) -> Iterator[Event]:
        for step in steps:
            if isinstance(step, Step) and step.name not in BASIC:
                yield Event(step.name, {item: f"<{item}>" for item in step.args})

    def calls(self, wanted: Sequence[Event], policy: Policy) -> tuple[tuple[Event, ...], bool]:
        """Return the calls of each operator, and what a policy asks for; an input of which nothing is told is open."""
        own = distinct_calls(policy, self.tools.values())
        found = [self._completed(event) if event.key in self.tools else event for event in (*own.events, *wanted)]
        return tuple({(event.key, repr(event.values)): event for event in found}.values()), own.is_whole

    def _completed(self, event: Event) -> Event:
        name = self.tools[event.key]
        given = {folded(path.partition(".")[0]) for path in event.values}
        left = {item: f"<{item}>" for item in sorted(self._required[name]) if folded(item) not in given}
        values = {**event.values, **left}
        return Event(event.name, values, text=str(Event(event.name, with_placeholders(values))))

    def unmet(self, state: State) -> tuple[str, ...]:
        parts = self.prepared.simulator.run_from(facts_of(state), ()).unmet_goals
        return tuple(str(self._checked.words.unmet_goal(part).literal) for part in parts)
