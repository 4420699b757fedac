"""A plan executed happening by happening, its steps told one after the other: what each changed, and what failed.

The end of a durative action may be told after its start has taken place, as a person does who steps through a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from validator.errors import ModelError
from validator.execution.faults import sentences
from validator.execution.simulator import Simulator
from validator.execution.time.acts.happening import Act, Apart, Happening, Part, Run, bound
from validator.execution.time.acts.parts import duration_faults
from validator.execution.time.execution import BEYOND_PDDL, not_executed
from validator.execution.time.flow import OpenError
from validator.execution.time.machine import Machine
from validator.execution.time.state import State
from validator.execution.trace import Failure, Kind
from validator.model.derived import Closure
from validator.model.numeric import Missing, Situation, evaluate
from validator.model.pddl.write import atom_text, expression_text, formula_text
from validator.model.temporal import DurativeAction, TimedFact
from validator.model.values import GroundAtom, Literal, NumericEffect
from validator.reading.plan import Step
from validator.records import replace
from validator.texts import decimal, rounded

__all__ = ["Stepper"]

_APART = Apart(Fraction(0), Fraction(1, 1000))
"""Only acts of one time may interfere: whoever steps through a plan gives times as they come."""


class Stepper:
    """Executes what it is told; a step at fault changes nothing, and the execution goes on.

    ``changed`` are the atoms and values that were changed so far, with what they are now.
    """

    def __init__(self, simulator: Simulator) -> None:
        """Begin with the initial state. Raises ModelError for a model that uses what no execution follows."""
        model = simulator.model
        if missing := [name for name in model.features if name in BEYOND_PDDL or name in not_executed(model)]:
            raise ModelError(f"the model uses what is not executed: {', '.join(missing)}")
        self.changed: dict[GroundAtom, bool | Fraction] = {}
        self.now = Fraction(-1)
        self._simulator = simulator
        self._state = State(simulator.model, Closure(simulator.model))
        self._machine = Machine(self._state, _APART)
        self._faults: list[Failure] = []
        self._attempt(self._machine.start)
        self._queue = [Act(part=Part.FACT, time=fact.time, fact=fact) for fact in simulator.model.problem.timed]
        self._steps: list[Step] = []
        self._starts: dict[int, tuple[Act, Situation | None]] = {}
        self._told: set[str] = set()
        self._seen = 0

    def start(self, step: Step) -> int:
        """Let an action start at its time; return the number of the step, from 1."""
        place, named = len(self._steps), self._simulator.resolve(step)
        assert isinstance(named, Step) and named.time is not None
        step, time = named, named.time
        self._steps.append(step)
        faults = self._simulator.malformed(place, step)
        self._faults += faults
        if not faults and self._is_later(step, time):
            domain = self._simulator.model.domain
            action = domain.durative.get(step.name) or domain.actions[step.name]
            is_durative = isinstance(action, DurativeAction)
            act = Act(
                part=Part.START if is_durative else Part.WHOLE,
                time=time,
                place=place,
                index=place,
                step=step,
                action=action,
                binding=bound(action.parameters, step.args),
                run=Run() if is_durative else None,
            )
            self._starts[place] = act, None
            self._queue.append(act)
        return place + 1

    def end(self, number: int, time: Fraction) -> None:
        """Let the durative action of a step end. Raises ValueError where none of that number has started."""
        act, _ = self._starts.get(number - 1, (None, None))
        if act is None or act.part is not Part.START or act.step is None:
            raise ValueError(f"no durative action has the number {number}")
        if self._is_later(act.step, time):
            self._queue.append(replace(act, part=Part.END, time=time, duration=time - act.time))

    def next(self) -> list[str]:
        """Execute what happens next, and what the model lets happen before; return the faults that are found."""
        told = [act.time for act in self._queue if act.part is not Part.FACT]
        if told:
            self.now = min(told)
            due = sorted((act for act in self._queue if act.time <= self.now), key=lambda act: act.time)
            self._queue = [act for act in self._queue if act.time > self.now]
            for time in sorted({act.time for act in due}):
                self._happen(time, [act for act in due if act.time == time])
        self._note_changes()
        faults = [*self._faults, *self._machine.failures, *self._machine.invariants()]
        new = [said for said in sentences(faults, self._steps) if said not in self._told]
        self._told.update(new)
        return new

    def facts(self) -> Iterator[str]:
        """Yield what holds now as the lines of an initial state, and what the model lets happen later."""
        yield from (atom_text(atom) for atom in sorted(self._state.atoms))
        values = {**self._state.initial_values, **self.changed}
        for key, value in sorted((key, value) for key, value in values.items() if not isinstance(value, bool)):
            yield f"(= {atom_text(key)} {_number(value)})"
        for act in self._queue:
            if act.fact is not None:
                yield f"(at {_number(act.time - max(self.now, Fraction(0)))} {_fact(act.fact)})"

    # --- inside --------------------------------------------------------------------------------

    def _is_later(self, step: Step, time: Fraction) -> bool:
        if time > self.now:
            return True
        detail = f"{step} at {decimal(time)} is not after {decimal(self.now)}, where the execution is"
        self._faults.append(Failure(step=None, kind=Kind.SYNTAX, detail=detail))
        return False

    def _happen(self, time: Fraction, acts: Sequence[Act]) -> None:
        for act in acts:
            if act.part is Part.START:
                self._begin(act)
            elif act.part is Part.END and act.run is not None and act.run.is_running:
                _, before = self._starts[act.place or 0]
                assert before is not None
                for said in duration_faults(replace(act, part=Part.START), before, _APART.tolerance):
                    self._faults.append(Failure(step=act.place, kind=Kind.DURATION, detail=said, time=time))
        self._attempt(lambda: self._machine.happen(Happening(time, tuple(acts))))

    def _attempt(self, execute: Callable[[], None]) -> None:
        try:
            execute()
        except OpenError as error:
            self._faults.append(Failure(step=None, kind=Kind.SYNTAX, detail=str(error)))

    def _begin(self, act: Act) -> None:
        """Let the model say how long an action takes whose end is not told yet."""
        now = self._state.situation()
        assert isinstance(act.action, DurativeAction)
        values = [evaluate(one.bound, act.binding or {}, now) for one in act.action.durations]
        known = [value for value in values if not isinstance(value, Missing)]
        act.duration = min(known, default=Fraction(1))
        before = Situation(model=now.model, atoms=frozenset(now.atoms), values=dict(now.values))
        self._starts[act.place or 0] = act, before

    def _note_changes(self) -> None:
        for moment in self._state.moments[self._seen :]:
            self.changed |= dict.fromkeys(moment.added, True) | dict.fromkeys(moment.deleted, False)
            self.changed |= moment.values
        self._seen = len(self._state.moments)


def _fact(fact: TimedFact) -> str:
    effect = fact.effect
    if isinstance(effect, Literal):
        atom = formula_text(effect.atom, {})
        return atom if effect.positive else f"(not {atom})"
    assert isinstance(effect, NumericEffect)
    return f"(= {expression_text(effect.fluent, {})} {expression_text(effect.value, {})})"


def _number(value: Fraction) -> str:
    """Return a number as PDDL has it; a third is cut. Raises ValueError for one that is too large to be written out."""
    for text in (decimal(value), rounded(value, ".10f")):
        if text.lstrip("-").replace(".", "", 1).isdigit():
            return text
    raise ValueError(f"a number of the state is too large to be written: {decimal(value)}")
