"""Constraints on plans written into the model: its valid plans are then those that keep to them.

Each state of an automaton but the first is a mark, which stays in the states after it. An edge is a conditional effect
that leaves the next mark, or takes its own away; where a step is forbidden, a condition asks for another state. Over
time steps are counted by numbers, as two that begin at once can both add to a number, and not both go on in a chain. A
window of time is a fact that becomes true and false at given times. This is the soft-trajectory compilation of Edelkamp
(2006) and Baier and McIlraith (2006), for the steps that a question names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from validator.automata.constraints import (
    STUCK,
    AtLeast,
    AtMost,
    Constraint,
    Directly,
    Edge,
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
    conjunction,
    disjunction,
)
from validator.model.temporal import DurativeAction, TimedCondition, TimedEffect, TimedFact, Trajectory, When
from validator.model.values import Action, GroundAtom, Model
from validator.records import dataclass, field, replace

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
    marks: list[Atom] = field(default_factory=list)
    init: set[GroundAtom] = field(default_factory=set)
    goals: list[Formula] = field(default_factory=list)
    timed: list[TimedFact] = field(default_factory=list)
    trajectories: list[Trajectory] = field(default_factory=list)
    automata: list[tuple[tuple[Edge, ...], list[Atom]]] = field(default_factory=list)
    """edges, and the marks of all states but the first"""
    needs: list[tuple[Pattern, Formula, tuple[When, ...]]] = field(default_factory=list)
    counts: list[tuple[Pattern, Fluent]] = field(default_factory=list)
    """steps, and the number to which each of them adds one"""

    def write(self, constraint: Constraint) -> None:
        is_timed = bool(self.model.domain.durative)
        match constraint:
            case Solvable() | WithinCost():
                pass
            case AtLeast(number=number, step=step) | AtMost(number=number, step=step) if number > 1 and is_timed:
                self.counts.append((step, counter := Fluent(f"{_MARK}count-{len(self.counts)}", ())))
                operator = ">=" if isinstance(constraint, AtLeast) else "<="
                self.goals.append(Compare(operator, counter, Number(Fraction(number))))
            case OnlyIf(step=step, condition=condition):
                self.needs.append((step, condition, _START))
            case Property(operator=operator, parts=parts, times=times):
                self.trajectories.append(Trajectory(operator=operator, parts=parts, times=times))
            case Window():
                self._window(constraint)
            case Directly() | Starts() if is_timed:
                raise InputError(f"this cannot be asked of a model with numbers or time: {constraint}")
            case _:
                marks = [self._mark() for _ in range(constraint.states - 1)]
                self.automata.append((constraint.edges, marks))
                self.goals += marks[constraint.accepting - 1 :] if constraint.accepting else ()

    def _mark(self) -> Atom:
        self.marks.append(Atom(f"{_MARK}{len(self.marks)}", ()))
        return self.marks[-1]

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
            begun = self._mark()
            self.automata.append((((1, window.step, 2),), [opened, begun]))
            self.goals.append(begun)

    # --- the model -----------------------------------------------------------------------------

    def written(self) -> Model:
        domain, problem = self.model.domain, self.model.problem
        predicates = {**domain.predicates, **dict.fromkeys((mark.predicate for mark in self.marks), ())}
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
                goal=conjunction((problem.goal, *self.goals)),
                timed=tuple(sorted((*problem.timed, *self.timed), key=lambda fact: fact.time)),
                constraints=(*problem.constraints, *self.trajectories),
                features=features,
            ),
        )

    def _action(self, action: Action) -> Action:
        if action.name in self.model.domain.durative:
            return action
        needs, effects = self._asked(_meeting(action.name, action.parameters))
        condition = conjunction((action.precondition, *(needed for needed, _ in needs)))
        return replace(action, precondition=condition, effects=(*action.effects, *effects))

    def _durative(self, action: DurativeAction) -> DurativeAction:
        needs, effects = self._asked(_meeting(action.name, action.parameters))
        conditions = (TimedCondition(when=when, condition=needed) for needed, times in needs for when in times)
        begins = (TimedEffect(when=When.START, effects=tuple(effects)),) if effects else ()
        return replace(action, conditions=(*action.conditions, *conditions), effects=(*action.effects, *begins))

    def _asked(self, meets: _Meets) -> tuple[list[tuple[Formula, tuple[When, ...]]], list[Effect]]:
        """Return what is asked of the steps of an action, each with when, and what they leave at their start."""
        met = ((meets(step), needed, times) for step, needed, times in self.needs)
        needs = [(_wanted(where, needed), times) for where, needed, times in met if where is not None]
        effects: list[Effect] = []
        for edges, marks in self.automata:
            for number, (state, step, after) in enumerate(edges):
                if (where := TRUE if step is None else meets(step)) is None or state == after:
                    continue
                before = [other for at, other, _ in edges[:number] if at == state and other is not None]
                taken = [Not(other) for other in map(meets, before) if other is not None]
                here: list[Formula] = [*marks[state - 1 : state]] if state else []
                if after == STUCK:
                    here += (Not(mark) for mark in (marks[state : state + 1] if state is not None else ()))
                    needs.append((_unless([where, *taken, *here]), _START))
                elif state is None or after > state:
                    effects.append(_where([where, *here], Literal(marks[after - 1])))
                else:
                    effects.append(_where([where, *taken, *here], Literal(marks[state - 1], False)))
        for step, counter in self.counts:
            if (where := meets(step)) is not None:
                effects.append(_where([where], NumericEffect("increase", counter, Number(Fraction(1)))))
        return needs, effects


_START = (When.START,)

_Meets = Callable[[Pattern], Formula | None]
"""Says when the steps of an action are among those of a pattern: never (None), or where a condition holds."""


def _where(parts: Sequence[Formula], effect: Effect) -> Effect:
    """Return an effect that comes where all parts of a condition hold."""
    asked = conjunction(parts)
    return effect if asked == TRUE else Conditional((), asked, (effect,))


def _unless(parts: Sequence[Formula]) -> Formula:
    """Return that a condition does not hold, by its parts."""
    return Or(tuple(part.part if isinstance(part, Not) else Not(part) for part in parts if part != TRUE))


def _wanted(met: Formula, needed: Formula) -> Formula:
    """Return that a step keeps to a condition, or is none of those that it is for."""
    return needed if met == TRUE else Or((Not(met), needed))


def _meeting(name: str, parameters: Sequence[Parameter]) -> _Meets:
    """Return what says when the steps of an action are among those of a pattern."""

    def meets(step: Pattern) -> Formula | None:
        found = [met for each in step.alternatives if (met := one(each)) is not None]
        return TRUE if TRUE in found else disjunction(found) if found else None

    def one(step: Pattern) -> Formula | None:
        if step.is_any_step:
            taken = [tuple(Equal(parameter.name, arg) for parameter in parameters) for arg in step.args]
            return conjunction(map(Or, taken)) if all(taken) else None
        if step.name != name or len(step.args) != len(parameters):
            return None
        bound: dict[str, str] = {}
        parts: list[Formula] = []
        for parameter, arg in zip(parameters, step.args, strict=True):
            if not is_open(arg):
                parts.append(Equal(parameter.name, arg))
            elif arg not in ("_", "?") and bound.setdefault(arg, parameter.name) != parameter.name:
                parts.append(Equal(parameter.name, bound[arg]))
        return conjunction(parts)

    return meets
