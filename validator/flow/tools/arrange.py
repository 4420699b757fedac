"""Whether the steps that leave no call can be arranged so that calls run: proven where the quick search finds no way.

``validator.flow.tools.unrecorded`` looks only right before each call. A mapping may have been needed earlier, though:
the value of an output is lost when its operator runs again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from validator.checking.prepared import Prepared
from validator.execution.simulator import Simulator
from validator.flow.compiled.analysis import Analysis
from validator.flow.model import Claim, ItemState, Operator
from validator.flow.plans.tokens import BASIC
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import search
from validator.grounding.strategies import optimal_strategy
from validator.reading.plan import Constraint, Step, Token
from validator.repair.edit import Move, Weighting, compile_edit

__all__ = ["Reachable", "arrange"]


def arrange(
    prepared: Prepared, calls: Sequence[Step], may_be_done: Callable[[Step], bool], limits: Limits
) -> list[list[Step]] | str:
    """Return what is to be done before each call so that the fewest cannot run, or the limit that was met.

    Calls and steps are those of the model. Raises PlannerError when the planner fails.
    """
    task = prepared.task(limits, costs_matter=False)
    if isinstance(task, Status):
        return task.value
    inserted = {number for step, numbers in task.by_step.items() if may_be_done(step) for number in numbers}
    weighting = Weighting(keep=0, insert=0, insert_extra=1, insert_least=1, skip=1_000)
    edit_task = compile_edit(task, calls, weighting, with_goal=False, inserted=inserted)
    outcome = search(edit_task.text, optimal_strategy(task), limits)
    if outcome.status is not Status.SOLVED:
        return outcome.status.value
    before: list[list[Step]] = [[]]
    for edit in edit_task.edits(outcome.plan):
        if edit.move is not Move.INSERT:
            before.append([])
        elif isinstance(edit.token, Step):
            before[-1].append(edit.token)
    return before[: len(calls)]


class Reachable:
    """What calls and the steps of some ``kinds`` can bring about at all, were nothing that is true ever made false."""

    def __init__(self, analysis: Analysis, kinds: frozenset[str], simulator: Simulator) -> None:
        self._flow = analysis.flow
        self._analysis = analysis
        self._kinds = kinds
        self._simulator = simulator
        self._start = frozenset(e.item for e in self._flow.memory if e.state is not ItemState.UNKNOWN)

    def is_possible(self, call: Token, step: Token, behind: Sequence[Token]) -> bool:
        """Return whether a call may be executable behind other steps of the flow; False is a proof that it is not.

        ``step`` is the call as a step of the model.
        """
        operator = self._flow.by_name.get(call.name) if isinstance(call, Step) else None
        if operator is not None and isinstance(step, Step):
            return self._has_a_try_left(operator, step, behind) and self._can_hold(operator, behind)
        if isinstance(call, Constraint):
            return self._known(behind).issuperset(self._flow.variables(call.text))
        return not isinstance(call, Step) or call.name != "map" or call.args[0] in self._known(behind)

    def _has_a_try_left(self, operator: Operator, step: Step, behind: Sequence[Token]) -> bool:
        """Return whether there are more actions for a call than it was made: each can be executed once."""
        options = self._flow.options
        made = sum(isinstance(each, Step) and each.name == operator.name for each in behind)
        return not (options.retries or options.multi_instance) or made < len(self._simulator.ways[step.name])

    def _can_hold(self, operator: Operator, behind: Sequence[Token]) -> bool:
        ran, known = self._ran(behind), self._known(behind)
        return (
            all(entry.item in known for entry in operator.inputs if entry.required)
            and all(self._can_be_decided(claim, known, ran) for claim in operator.needs)
            and {order.first for order in self._flow.orders if order.then == operator.name} <= ran
            and self._flow.starts_with in (None, operator.name, *ran)
        )

    def _ran(self, behind: Sequence[Token]) -> set[str]:
        return {each.name for each in (*behind, *self._flow.history) if isinstance(each, Step)}

    def _known(self, behind: Sequence[Token]) -> set[str]:
        ran = self._ran(behind)
        known = {*self._start, *(item for item in self._analysis.types if self._can_be_asked(item, ran))}
        for step in behind:
            known |= set(self._yielded(step))
        grown = "map" in self._kinds
        while grown:
            new = {item for item in self._analysis.types if not known.isdisjoint(self._analysis.sources(item))} - known
            known |= new
            grown = bool(new)
        return known

    def _can_be_asked(self, item: str, ran: set[str]) -> bool:
        options, analysis = self._flow.options, self._analysis
        if "ask" not in self._kinds or not analysis.desirability(item):
            return False
        always = options.ask_always and (not options.ask_ordered or item in analysis.inputs)
        last = options.ask_last_resort and set(analysis.waits(item)) <= ran
        return always or last or (options.ask_together and item in analysis.inputs)

    def _yielded(self, step: Token) -> Iterable[str]:
        if not isinstance(step, Step):
            return ()
        if step.name in BASIC:
            return step.args
        operator = self._flow.by_name.get(step.name)
        return () if operator is None else (output.item for output in operator.outputs)

    def _can_be_decided(self, claim: Claim, known: set[str], ran: set[str]) -> bool:
        operators = (self._flow.by_name[name] for name in ran if name in self._flow.by_name)
        ensured = (each for operator in operators for each in operator.ensures)
        if self._flow.manifests or claim in (*self._flow.claims, *ensured):
            return True
        return known.issuperset(self._flow.variables(claim))
