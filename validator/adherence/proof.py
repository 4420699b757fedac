"""What a model says of an execution: whether it was sound, reached the goal, and what each deviation did to it.

Steps and calls become steps of the model (``validator.adherence.model``), and all that is claimed is shown by executing
sequences of them. A deviation is *undone* by putting the planned step in its place again and taking
the call away. It is

- harmful, when its own call could not be executed; when undoing it alone takes a fault away (a step that could not be
  executed, or a part of the goal that is not reached); or when the planner proves that no plan reaches the goal after
  its call, and one did before;
- forced, when the planned step could not be executed in the state that was reached at its place (of an extra call: the
  step that the plan had next could not);
- harmful as well, when the goal is missed or a call could not be executed, and the plan, which is valid, is no longer
  valid with this deviation alone;
- harmless otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

from validator.adherence.model import Entry, Interpreted
from validator.adherence.result import Adherence
from validator.adherence.sequences import Fault, Run, Sequences
from validator.adherence.values import Effect, Execution, Row, RowKind
from validator.alarms import OutOfTime
from validator.checking.prepared import prepare
from validator.errors import PlannerError
from validator.execution.faults import sentences
from validator.execution.trace import Kind
from validator.grounding.limits import DEFAULT_MEMORY_LIMIT, Limits, Status
from validator.grounding.planner import optimal_strategy, search
from validator.model.values import GroundAtom, Model, features_text
from validator.reading.calls import Call
from validator.reading.plan import Plan, Step, Token
from validator.records import replace
from validator.repair.edit import own_steps, unmodified
from validator.texts import decimal


def judged(adherence: Adherence, interpreted: Interpreted, time_limit: float) -> Adherence:
    """Return an adherence with what a model says of the execution and of each deviation."""
    model = interpreted.prepared.model
    if model.features:
        names = features_text(model.features)
        return unknown(adherence, f"the model uses what is not executed: {names}")
    limits = Limits.from_now(time_limit, DEFAULT_MEMORY_LIMIT) if time_limit > 0 else None
    sequences = Sequences(adherence, interpreted, limits)
    if any(text.startswith("call ") for text in sequences.unknown):
        return unknown(adherence, "; ".join(sequences.unknown))
    if limits is None:
        return _Judge(adherence, sequences, None).result()
    # Deviations are judged once it is known, or not in time, whether the goal can still be reached.
    return _Judge(adherence, sequences, _Reach(model, limits.half)).result()


def unknown(adherence: Adherence, reason: str) -> Adherence:
    """Return an adherence of whose execution a model says nothing."""
    rows = tuple(
        replace(row, effect=Effect.UNKNOWN, proof=reason) if row.is_deviation else row for row in adherence.rows
    )
    return replace(adherence, rows=rows, execution=Execution(sound=None, reaches_goal=None, reason=reason))


class _Judge:
    """Judges the deviations of one execution."""

    def __init__(self, adherence: Adherence, sequences: Sequences, reach: _Reach | None) -> None:
        self.adherence = adherence
        self.sequences = sequences
        self.reach = reach
        self.limits = sequences.limits
        self.deviating = [number for number, row in enumerate(adherence.rows) if row.is_deviation]
        self.executed = sequences.run(sequences.entries(()))
        self.planned: Run | None = None
        self.is_over = False
        """whether the time was over in what does not look at the clock: how the calls execute is known all the same"""
        try:
            self.planned = None if sequences.unknown else sequences.run(sequences.planned())
        except OutOfTime:
            self.is_over = True

    def result(self) -> Adherence:
        dead, recovery, reason = self._reachable_in_time()
        rows = tuple(
            self._judged_in_time(number, row, dead) if row.is_deviation else row
            for number, row in enumerate(self.adherence.rows)
        )
        trace = self.executed.trace
        planned = None if self.planned is None else self.planned.trace
        execution = Execution(
            sound=trace.is_sound,
            reaches_goal=not trace.unmet_goals,
            plan_is_valid=None if planned is None else planned.is_valid,
            cost=trace.cost if trace.is_sound else None,
            plan_cost=planned.cost if planned is not None and planned.is_sound else None,
            faults=tuple(sentences(*self.sequences.by_calls(self.executed), named=lambda call: f"call {call + 1}")),
            dead_end=None if dead is None else self._call(dead).index,
            recovery=recovery,
            reason="; ".join(filter(None, (reason, *self.sequences.unknown, *self._failed()))),
        )
        return replace(self.adherence, rows=rows, execution=execution)

    def _failed(self) -> list[str]:
        """Say which calls that execute a step failed: for the model they changed nothing."""
        calls = (row.executed for row in self.adherence.rows if row.planned is not None and row.executed is not None)
        return [f"call {call.index + 1} failed and changed nothing" for call in calls if call.error is not None]

    def _call(self, entry: Entry) -> Call:
        call = self.sequences.rows[entry[0]].executed
        assert call is not None
        return call

    # --- one deviation -------------------------------------------------------------------------

    def _judged_in_time(self, number: int, row: Row, dead: Entry | None) -> Row:
        try:
            return self._judged(number, row, dead)
        except OutOfTime:
            self.is_over = True
            return self._judged(number, row, dead)

    def _judged(self, number: int, row: Row, dead: Entry | None) -> Row:
        if row.planned is not None and (number, False) not in self.sequences.steps:
            said = (text for text in self.sequences.unknown if text.startswith(f"step {row.planned.index + 1} "))
            return replace(row, effect=Effect.UNKNOWN, proof=next(said, "the planned step is not known"))
        if row.planned is None and row.executed is not None and row.executed.error is not None:
            return replace(row, effect=Effect.HARMLESS, proof="the call failed, so that it changed nothing")
        own = self.executed.of((number, True))
        if any(self.executed.faults[fault] is Kind.UNKNOWN_ACTION for fault in own):
            return replace(row, effect=Effect.UNKNOWN, proof=f"the model has no action '{own[0][1]}'")
        if self.is_over or (self.limits is not None and self.limits.is_over()):
            return replace(row, effect=Effect.UNKNOWN, proof="the time limit was met before this was judged")
        effect, proof = self._effect(number, row, own, dead)
        return replace(row, effect=effect, proof=proof)

    def _effect(self, number: int, row: Row, own: Sequence[Fault], dead: Entry | None) -> tuple[Effect, str]:
        if proof := self._harm(number, own, dead):
            return Effect.HARMFUL, proof
        if proof := self._force(number, row):
            return Effect.FORCED, proof
        if proof := self._alone(number):
            return Effect.HARMFUL, proof
        return Effect.HARMLESS, self._harmless()

    def _harm(self, number: int, own: Sequence[Fault], dead: Entry | None) -> str:
        if own:
            return f"the call could not be executed: {', '.join(literal for _, literal in own)}"
        undone = self.sequences.run(self.sequences.entries((number,)))
        kept = set(undone.entries)
        gone = [
            fault
            for fault in self.executed.faults
            if fault not in undone.faults
            and (fault[0] is None or (fault[0] in kept and self._lacks_no_more(fault[0], undone)))
        ]
        if gone:
            healed = [fault for fault in gone if fault[0] is None or not undone.of(fault[0])]
            return f"undone, {self._said(healed[0]) if healed else self._said_of_one(gone[0])}"
        if dead == (number, True):
            return "no plan reaches the goal after the call, and one did before it (proven by the planner)"
        return ""

    def _said(self, fault: Fault) -> str:
        entry, literal = fault
        if entry is None:
            return f"the goal {literal} is reached"
        return f"call {self._call(entry).index + 1} could be executed, which needs {literal}"

    def _said_of_one(self, fault: Fault) -> str:
        """Say what a call lacks no more that lacks something else all the same."""
        entry, literal = fault
        assert entry is not None
        return f"call {self._call(entry).index + 1} has {literal}, which it needs, though not yet all"

    def _lacks_no_more(self, entry: Entry, undone: Run) -> bool:
        """Return whether what a call lacks is nothing new: what it has in exchange for another need is no harm."""
        return all(fault in self.executed.faults for fault in undone.faults if fault[0] == entry)

    def _alone(self, number: int) -> str:
        """Say that a valid plan with this deviation only is no longer valid, when the execution is not either."""
        if self.planned is None or self.planned.faults or not self.executed.faults:
            return ""
        others = [other for other in self.deviating if other != number]
        if not self.sequences.run(self.sequences.entries(others)).faults:
            return ""
        return "the plan is valid, and with this deviation alone it is not"

    def _force(self, number: int, row: Row) -> str:
        """Say that the planned step could not be executed where it was due; empty when it could."""
        due = self._due(number, row)
        if due is None:
            return ""
        place, entry = due
        faults = self.sequences.run([*self.sequences.before(place), entry]).of(entry)
        if not faults:
            return ""
        which = "the planned step" if row.planned is not None else "the step that the plan had next"
        return f"{which} could not be executed in the state reached: {', '.join(literal for _, literal in faults)}"

    def _due(self, number: int, row: Row) -> tuple[int, Entry] | None:
        """Return the place in the layout where a planned step was due, and the step; None for one that ran early."""
        layout = self.sequences.layout
        places = [place for place, (other, _, _) in enumerate(layout) if other == number]
        if row.planned is not None:
            planned = next(place for place in places if layout[place][1])
            ran_early = row.kind is RowKind.MOVED and planned != places[0]
            return None if ran_early else (planned, (number, False))
        return self._next(places[0])

    def _next(self, place: int) -> tuple[int, Entry] | None:
        """Return what the plan had next when an extra call was made: the first step after the last kept one."""
        layout, rows = self.sequences.layout, self.sequences.rows
        start = place
        while start > 0 and not self._is_kept(start - 1):
            start -= 1
        for other in range(start, len(layout)):
            number, is_planned, _ = layout[other]
            if is_planned and rows[number].planned is not None and (number, False) in self.sequences.steps:
                return (start if other < place else place), (number, False)
        return None

    def _is_kept(self, place: int) -> bool:
        _, is_planned, is_executed = self.sequences.layout[place]
        return is_planned and is_executed

    def _harmless(self) -> str:
        trace = self.executed.trace
        if self.executed.faults:
            return "the step could be executed, and no fault goes away when this is undone"
        if all(self.adherence.rows[number].kind is RowKind.MOVED for number in self.deviating):
            return "the execution is the plan in another order, and reaches the goal"
        planned = None if self.planned is None else self.planned.trace
        if trace.cost is None or planned is None or planned.cost is None or not planned.is_sound:
            return "the execution is sound and reaches the goal"
        more = trace.cost - planned.cost
        if more == 0:
            return "the execution reaches the goal at the cost of the plan"
        compared = f"{decimal(abs(more))} {'more' if more > 0 else 'less'} than the plan"
        return f"the execution reaches the goal, for {compared}"

    # --- the planner ---------------------------------------------------------------------------

    def _reachable_in_time(self) -> tuple[Entry | None, tuple[Token, ...] | None, str]:
        if not self.is_over:
            try:
                return self._reachable()
            except OutOfTime:
                self.is_over = True
        if not self.executed.trace.unmet_goals:
            return None, None, ""
        return None, None, "the time limit was met before it was known whether the goal can still be reached"

    def _reachable(self) -> tuple[Entry | None, tuple[Token, ...] | None, str]:
        """Return the first entry after which the goal is out of reach, else a plan from the last state."""
        if not self.executed.trace.unmet_goals or self.reach is None:
            return None, None, ""
        states = self.executed.states
        answer = self.reach.plan(states[-1])
        if isinstance(answer, str):
            return None, None, answer
        if answer is not None:
            return None, answer, ""
        alive, dead = -1, len(states) - 1  # nothing is known of the initial state yet
        while dead - alive > 1:
            middle = (alive + dead) // 2
            answer = self.reach.plan(states[middle])
            if isinstance(answer, str):
                return None, None, answer
            if answer is None:
                dead = middle
            else:
                alive = middle
        if dead == 0:
            return None, None, "no plan reaches the goal from the initial state (proven by the planner)"
        return self.executed.entries[dead - 1], None, ""


_GREEDY = "let(h, ff(), lazy_greedy([h], preferred=[h]))"


class _Reach:
    """Answers for the states of one model, within one time limit."""

    def __init__(self, model: Model, limits: Limits) -> None:
        self._model = model
        self._limits = limits

    def plan(self, state: frozenset[GroundAtom]) -> tuple[Step, ...] | str | None:
        """Return a plan from a state to the goal, None when the planner proves that there is none, else why not known.

        Raises PlannerError when the planner fails or answers with a plan that does not execute.
        """
        problem = replace(self._model.problem, init=state)
        prepared = prepare(replace(self._model, problem=problem))
        try:
            task = prepared.task(self._limits, costs_matter=False)
        except ValueError as error:
            return f"the planner cannot be given the model: {error}"
        if isinstance(task, Status):
            return f"the {task.value} was met while the model was grounded"
        if task.is_relaxed_unsolvable:
            return None
        if task.goal == ():
            return ()
        text = unmodified(task)
        outcome = search(text, _GREEDY, self._limits.half)  # as it proves nothing, it leaves time for a proof
        if outcome.status is not Status.SOLVED:
            outcome = search(text, optimal_strategy(task), self._limits)
        if outcome.status is Status.UNSOLVABLE:
            return None
        if outcome.status is not Status.SOLVED:
            return f"the {outcome.status.value} was met before it was known whether the goal can still be reached"
        steps = own_steps(task, outcome.plan)
        if not prepared.simulator.run(Plan(parts=steps)).is_valid:
            raise PlannerError("the planner's plan does not execute")
        return steps
