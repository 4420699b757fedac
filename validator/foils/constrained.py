"""Constraints on plans written into the model: its valid plans are then those that keep to them.

A step leaves a mark when it begins (a conditional effect), and asks for one (a condition that holds for every other
step); an automaton is a chain of marks. Over time steps are counted by numbers, as two that begin at once can both add
to a number, and not both go on in a chain. A window of time is a fact that becomes true and false at given times. This
is the soft-trajectory compilation of Edelkamp (2006) and Baier and McIlraith (2006), for the steps that a question
names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from validator.automata.constraints import (
    AtLeast,
    AtMost,
    Before,
    Between,
    Constraint,
    Directly,
    Must,
    MustNot,
    OnlyIf,
    Pattern,
    Solvable,
    Starts,
    Window,
    WithinCost,
    is_open,
)
from validator.automata.properties import Property
from validator.errors import InputError
from validator.model.formulas import (
    TRUE,
    And,
    Atom,
    Compare,
    Conditional,
    Effect,
    Equal,
    Fluent,
    Formula,
    Literal,
    Not,
    Number,
    NumericEffect,
    Or,
    Parameter,
)
from validator.model.temporal import DurativeAction, TimedCondition, TimedEffect, TimedFact, Trajectory, When
from validator.model.values import Action, GroundAtom, Model
from validator.reading.plan import Step
from validator.records import dataclass, field, replace

__all__ = ["constrained_model"]

_MARK = "asked-"


def constrained_model(model: Model, constraints: Iterable[Constraint]) -> Model:
    """Return a model whose valid plans are those that keep to the constraints, whatever they cost.

    Raises InputError for a constraint that cannot be written into a model with numbers or time.
    """
    writer = _Writer(model)
    for constraint in constraints:
        writer.write(constraint)
    return writer.written()


@dataclass
class _Writer:
    """The model with what was written into it so far."""

    model: Model
    marks: list[str] = field(default_factory=list)
    init: set[GroundAtom] = field(default_factory=set)
    goals: list[Formula] = field(default_factory=list)
    timed: list[TimedFact] = field(default_factory=list)
    trajectories: list[Trajectory] = field(default_factory=list)
    needs: list[tuple[Pattern, Formula, tuple[When, ...]]] = field(default_factory=list)
    leaves: list[tuple[Pattern, Formula, str]] = field(default_factory=list)
    counts: list[tuple[Pattern, Fluent]] = field(default_factory=list)
    """steps, and the number to which each of them adds one"""
    takes: list[tuple[Pattern, str]] = field(default_factory=list)
    """steps, and the mark that every other step takes away"""
    starts: list[tuple[Starts, list[Atom]]] = field(default_factory=list)
    """prefixes of plans, each with a mark for every place that was reached"""

    def write(self, constraint: Constraint) -> None:
        match constraint:
            case Solvable() | WithinCost():
                pass
            case MustNot(step=step):
                self.needs.append((step, Or(()), _START))
            case Must(step=step):
                self.goals.append(self._chain([step])[-1])
            case AtLeast(number=number, step=step) if number > 1 and self.model.domain.durative:
                self.goals.append(Compare(">=", self._count(step), Number(Fraction(number))))
            case AtMost(number=number, step=step) if number > 1 and self.model.domain.durative:
                self.goals.append(Compare("<=", self._count(step), Number(Fraction(number))))
            case AtLeast(number=number, step=step):
                self.goals += self._chain([step] * number)[-1:]
            case AtMost(number=number, step=step):
                full = self._chain([step] * number)[-1:]
                self.needs.append((step, Not(full[0]) if full else Or(()), _START))
            case Before(first=first, second=second):
                self.needs.append((second, self._chain([first])[-1], _START))
            case Between(step=step, first=first, second=second):
                self.goals.append(self._chain([first, step, second])[-1])
            case Directly(first=first, second=second) if not self.model.domain.durative:
                last, done = self._mark(), self._mark()
                self.leaves += ((first, TRUE, last.predicate), (second, last, done.predicate))
                self.takes.append((first, last.predicate))
                self.goals.append(done)
            case Starts() if not self.model.domain.durative:
                self.starts.append((constraint, [self._mark() for _ in range(constraint.accepting)]))
                self.goals += self.starts[-1][1][-1:]
            case OnlyIf(step=step, condition=condition):
                self.needs.append((step, condition, _START))
            case Property(operator=operator, parts=parts, times=times):
                self.trajectories.append(Trajectory(operator=operator, parts=parts, times=times))
            case Window():
                self._window(constraint)
            case _:
                raise InputError(f"this cannot be asked of a model with numbers or time: {constraint}")

    def _mark(self) -> Atom:
        self.marks.append(f"{_MARK}{len(self.marks)}")
        return Atom(self.marks[-1], ())

    def _count(self, step: Pattern) -> Fluent:
        self.counts.append((step, Fluent(f"{_MARK}count-{len(self.counts)}", ())))
        return self.counts[-1][1]

    def _chain(self, steps: Sequence[Pattern]) -> list[Formula]:
        """Return marks, each of which its step leaves behind the one before."""
        found: list[Formula] = []
        for step in steps:
            before = found[-1] if found else TRUE
            mark = self._mark()
            self.leaves.append((step, before, mark.predicate))
            found.append(mark)
        return found

    def _window(self, window: Window) -> None:
        opened = self._mark()
        if window.start > 0:
            self.timed.append(TimedFact(time=window.start, effect=Literal(opened)))
        else:
            self.init.add((opened.predicate,))
        self.timed.append(TimedFact(time=window.end, effect=Literal(opened, False)))
        if window.is_only:
            self.needs.append((window.step, opened, (When.START, When.ALL, When.END)))
        else:
            mark = self._mark()
            self.leaves.append((window.step, opened, mark.predicate))
            self.goals.append(mark)

    # --- the model -----------------------------------------------------------------------------

    def written(self) -> Model:
        domain, problem = self.model.domain, self.model.problem
        predicates = {**domain.predicates, **dict.fromkeys(self.marks, ())}
        features = dict(problem.features)
        features |= {"constraints": "the question"} if self.trajectories else {}
        features |= {"timed-initial-literals": "the question"} if self.timed else {}
        features |= {"numeric-fluents": "the question"} if self.counts else {}
        counters = [counter.function for _, counter in self.counts]
        return Model(
            domain=replace(
                domain,
                predicates=predicates,
                functions={**domain.functions, **dict.fromkeys(counters, ())},
                actions={name: self._action(action) for name, action in domain.actions.items()},
                durative={name: self._durative(action) for name, action in domain.durative.items()},
            ),
            problem=replace(
                problem,
                init=problem.init | self.init,
                values={**problem.values, **{(counter,): Fraction(0) for counter in counters}},
                goal=And((problem.goal, *self.goals)) if self.goals else problem.goal,
                timed=tuple(sorted((*problem.timed, *self.timed), key=lambda fact: fact.time)),
                constraints=(*problem.constraints, *self.trajectories),
                features=features,
            ),
        )

    def _action(self, action: Action) -> Action:
        if action.name in self.model.domain.durative:
            return action
        meets = _meeting(action.step or action.name, action.parameters)
        needs = tuple(_wanted(meets(step), needed) for step, needed, _ in self.needs if meets(step) is not None)
        left = self._left(meets)
        left += [
            _where(Not(met) if met else TRUE, Literal(Atom(mark, ()), False))
            for step, mark in self.takes
            if (met := meets(step)) != TRUE
        ]
        for starts, marks in self.starts:
            ways = list(_begun(starts, marks, meets))
            needs = (*needs, Or((*marks[-1:], *(And(way) for way, _ in ways))))
            left += [_where(And(way), Literal(mark)) for way, mark in ways]
        condition = And((action.precondition, *needs)) if needs else action.precondition
        return replace(action, precondition=condition, effects=(*action.effects, *left))

    def _durative(self, action: DurativeAction) -> DurativeAction:
        meets = _meeting(action.name, action.parameters)
        conditions = [
            TimedCondition(when=when, condition=_wanted(meets(step), needed))
            for step, needed, times in self.needs
            if meets(step) is not None
            for when in times
        ]
        left = tuple(self._left(meets))
        effects = (TimedEffect(when=When.START, effects=left),) if left else ()
        return replace(action, conditions=(*action.conditions, *conditions), effects=(*action.effects, *effects))

    def _left(self, meets: Callable[[Pattern], Formula | None]) -> list[Effect]:
        """Return the marks that an action leaves, without conditions where there are none."""
        found: list[Effect] = []
        for step, before, mark in self.leaves:
            met = meets(step)
            if met is not None:
                parts = tuple(part for part in (met, before) if part != TRUE)
                found.append(_where(And(parts) if parts else TRUE, Literal(Atom(mark, ()))))
        for step, counter in self.counts:
            if (met := meets(step)) is not None:
                found.append(_where(met, NumericEffect("increase", counter, Number(Fraction(1)))))
        return found


_START = (When.START,)


def _where(condition: Formula, effect: Effect) -> Effect:
    """Return an effect that comes where a condition holds."""
    return effect if condition == TRUE else Conditional((), condition, (effect,))


def _begun(
    starts: Starts, marks: Sequence[Atom], meets: Callable[[Pattern], Formula | None]
) -> Iterator[tuple[tuple[Formula, ...], Atom]]:
    """Yield the places of a prefix at which an action may stand: what holds there, and the mark that it leaves."""
    for place, mark in enumerate(marks):
        here: tuple[Formula, ...] = (*marks[:place][-1:], Not(mark))
        if place < len(starts.steps):
            wanted = starts.steps[place]
            met = meets(Pattern(name=wanted.name, args=wanted.args)) if isinstance(wanted, Step) else None
        else:
            assert starts.then is not None
            met = meets(starts.then)
            met = (TRUE if met is None else Not(met)) if starts.is_not else met
        if met is not None:
            yield (*here, met), mark


def _wanted(met: Formula | None, needed: Formula) -> Formula:
    """Return that a step keeps to a condition, or is none of those that it is for."""
    return needed if met in (None, TRUE) else Or((Not(met), needed))


def _meeting(name: str, parameters: Sequence[Parameter]) -> Callable[[Pattern], Formula | None]:
    """Return what says when the steps of an action are among those of a pattern: never (None), or where this holds."""

    def meets(step: Pattern) -> Formula | None:
        found = [met for each in step.alternatives if (met := one(each)) is not None]
        return TRUE if TRUE in found else found[0] if len(found) == 1 else Or(tuple(found)) if found else None

    def one(step: Pattern) -> Formula | None:
        if step.is_any_step:
            taken = [tuple(Equal(parameter.name, arg) for parameter in parameters) for arg in step.args]
            return None if not all(taken) else And(tuple(map(Or, taken))) if taken else TRUE
        if step.name != name or len(step.args) != len(parameters):
            return None
        bound: dict[str, str] = {}
        parts: list[Formula] = []
        for parameter, arg in zip(parameters, step.args, strict=True):
            if not is_open(arg):
                parts.append(Equal(parameter.name, arg))
            elif arg not in ("_", "?") and bound.setdefault(arg, parameter.name) != parameter.name:
                parts.append(Equal(parameter.name, bound[arg]))
        return And(tuple(parts)) if parts else TRUE

    return meets
