"""Why wishes cannot be met together, in a sentence that is proven: counts, landmarks, invariants, goals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from validator.automata.compile import constrain
from validator.automata.constraints import AtMost, Constraint, Must, MustNot, WithinCost
from validator.automata.facts import World, holds_in
from validator.automata.properties import Property, said
from validator.foils.answers import Reason
from validator.foils.changes import Goal, Wish, changes_of, constraints_of
from validator.foils.solve import MOST_WAYS, Oracle, aimed, counting
from validator.grounding.limits import SHORT
from validator.grounding.operators import Operator, Value
from validator.grounding.planner import optimal_strategy, search
from validator.grounding.relaxation import achievers, is_landmark, reachable
from validator.model.conditions import conjuncts
from validator.model.pddl.write import atom_text
from validator.model.values import Formula
from validator.records import dataclass
from validator.repair.edit import unmodified
from validator.texts import counted

_LOOKED = "every state that can be reached was looked at"


def reason_for(conflict: Sequence[Wish | Goal], fixed: Sequence[Wish], oracle: Oracle) -> Reason | None:
    """Return why the wishes of a conflict cannot be met together, beside those that are ``fixed``.

    None when no time was left to find one that is proven.
    """
    wishes = (*(wish for wish in conflict if not isinstance(wish, Goal)), *fixed)
    world = oracle.after(changes_of(wishes))
    if isinstance(world, str):
        return None
    goals = [wish.goal for wish in conflict if isinstance(wish, Goal)]
    if not goals and not fixed:
        goals = list(conjuncts(world.model.problem.goal))
    given = _Given(world, wishes, constraints_of(wishes), tuple(goals), oracle)
    for kind, find in _KINDS.items():
        text = find(given)
        if text:
            return Reason(kind=kind, conflict=tuple(conflict), text=text)
    return None


@dataclass(frozen=True, slots=True)
class _Given:
    """A conflict: the model after its changes, its constraints, the goals that are to be reached."""

    world: World
    wishes: tuple[Wish, ...]
    constraints: tuple[Constraint, ...]
    goals: tuple[Formula, ...]
    oracle: Oracle


def _initially(given: _Given) -> str:
    """Say that a constraint on facts is broken before the first step."""
    for constraint in given.constraints:
        if isinstance(constraint, Property):
            held = [holds_in(given.world.facts.condition(part), given.world.task.init) for part in constraint.parts]
            if constraint.machine.begin(held) is None:
                part = said(constraint.parts[0])
                return f"It is so from the beginning: {part} {'holds' if held[0] else 'does not hold'} initially."
    return ""


def _never(given: _Given) -> str:
    """Say that a step or a fact that is wanted can never be, whatever the goal is."""
    for constraint in given.constraints:
        if isinstance(constraint, Must) or (
            isinstance(constraint, Property) and constraint.operator in ("sometime", "at end")
        ):
            wishes = (*changes_of(given.wishes), constraint)
            if given.oracle.possible(wishes, ()) is False:
                return _what_never(given.world, constraint)
    return ""


def _what_never(world: World, constraint: Must | Property) -> str:
    if isinstance(constraint, Property):
        reached = reachable(world.task)
        parts = [said(part) for part in conjuncts(constraint.parts[0]) if _is_out_of(world, part, reached)]
        if parts:
            return f"No step ever makes {' or '.join(parts)} true, whatever the goal is."
        shown = said(constraint.parts[0])
        return f"{shown} holds in no state that can be reached, whatever the goal is: its parts exclude each other."
    steps = [step for step in world.task.steps if constraint.step.matches(world.show(step))]
    if not steps:
        if wrong := _mistyped(world, constraint):
            return f"{constraint.step} is not a step: {wrong}."
        return (
            f"{constraint.step} can never be executed, whatever the goal is: not even if nothing were ever made false."
        )
    return f"{constraint.step} can be executed in no state that can be reached: what it needs never holds at once."


def _mistyped(world: World, constraint: Must) -> str:
    """Return which object of a step the action does not take."""
    model, step = world.model, constraint.step
    action = model.domain.actions.get(step.name)
    for name, parameter in zip(step.args, action.parameters if action else (), strict=False):
        types = model.problem.objects.get(name)
        if types is not None and parameter.types.isdisjoint(model.domain.types.ancestors(types)):
            return f"{step.name} takes a {' or '.join(sorted(parameter.types))} there, and {name} is none"
    return ""


def _is_out_of(world: World, part: Formula, reached: set[Value]) -> bool:
    condition = world.facts.condition(part)
    if isinstance(condition, bool):
        return not condition
    values = getattr(condition, "allowed", None)
    return values is not None and all((condition.variable, value) not in reached for value in values)  # type: ignore[union-attr]


def _count(given: _Given) -> str:
    """Say how often a step must be taken at least."""
    for place, constraint in enumerate(given.constraints):
        if not isinstance(constraint, AtMost):
            continue
        others = (*given.constraints[:place], *given.constraints[place + 1 :])
        least = _least(given, constraint, others)
        if least > constraint.number:
            with_others = f" that keeps to the rest ({'; '.join(map(str, others))})" if others else ""
            return f"Every plan{with_others} does {constraint.step} at least {counted(least, 'time')}."
    return ""


def _least(given: _Given, constraint: AtMost, others: Sequence[Constraint]) -> int:
    """Return how often a step must be taken at least, as far as that is proven in a short time."""
    world, aimed_others = aimed(given.world, others, given.goals)
    task = counting(world, constraint, aimed_others)
    if task.is_relaxed_unsolvable or task.goal == () or task.has_axioms:
        return 0
    return search(unmodified(task), optimal_strategy(task), given.oracle.limits.within(SHORT)).least


def _landmark(given: _Given) -> str:
    """Say what every plan needs and only forbidden steps provide."""
    task = given.world.task
    if task.has_axioms or not given.goals or not constraints_of(given.wishes):
        return ""
    aim, more = aimed(given.world, (), given.goals)
    if more or aim.task.goal is None:
        return ""
    held = reachable(constrain(given.world, given.constraints))
    made_by = achievers(task)
    for value in _missing(given.world, held, made_by):
        for goal, aims in zip(given.goals, _values(given), strict=True):
            if is_landmark(task, value, made_by[value], aims):
                return _needed(given, value, made_by[value], goal)
    return ""


def _values(given: _Given) -> Iterator[tuple[Value, ...]]:
    """Yield the values that each goal is."""
    for goal in given.goals:
        world, _ = aimed(given.world, (), (goal,))
        yield world.task.goal or ()


def _missing(world: World, held: set[Value], made_by: Mapping[Value, Sequence[Operator]]) -> Iterator[Value]:
    """Yield values that are out of reach, though some of their steps could be taken but for the constraints."""

    def order(value: Value) -> tuple[bool, Value]:
        atom = world.facts.atom(value)
        return atom is None or not atom[1], value  # what becomes true says more than what becomes false

    lost = (
        value
        for value in sorted(reachable(world.task) - held, key=order)
        if any(held.issuperset(each.needed.items()) for each in made_by[value])
    )
    yield from islice(lost, MOST_WAYS)


def _needed(given: _Given, value: Value, made_by: Sequence[Operator], goal: Formula) -> str:
    atom = given.world.facts.atom(value)
    if atom is None:
        return ""
    fact = atom_text(atom[0]) if atom[1] else f"(not {atom_text(atom[0])})"
    names = dict.fromkeys(_as_told(given, operator) for operator in made_by)
    ways = " or ".join(names) if len(names) < 4 else f"one of {len(names)} steps ({', '.join([*names][:2])}, ...)"
    if fact == said(goal):
        return f"Only {ways} makes the goal {fact} true, which is then never possible."
    return (
        f"Every plan must make {fact} true on the way to {said(goal)}; only {ways} does, which is then never possible."
    )


def _as_told(given: _Given, operator: Operator) -> str:
    """Return the step of an operator, or the pattern of the question that stands for it."""
    step = given.world.show(given.world.task.encoding.step(operator.name))
    for constraint in given.constraints:
        if isinstance(constraint, MustNot) and constraint.step.matches(step):
            return str(constraint.step)
    return str(step)


def _goals(given: _Given) -> str:
    """Say which goals cannot be reached then, as few as possible; or that it is not for the goals."""
    oracle, goals, is_least = given.oracle, list(given.goals), True
    if oracle.possible(given.wishes, goals) is not False:
        return ""
    for goal in tuple(goals):
        rest = [each for each in goals if each != goal]
        is_possible = None if oracle.limits.is_over() else oracle.possible(given.wishes, rest)
        goals = rest if is_possible is False else goals
        is_least = is_least and is_possible is not None
    if not goals:
        return _excluding(given)
    shown = " and ".join(map(said, goals))
    without = ", though not without any one of them" if is_least else ""
    if any(isinstance(constraint, WithinCost) for constraint in given.constraints):
        # Beside other wishes it is for these that the goals cost more.
        is_alone = all(isinstance(wish, WithinCost) for wish in given.wishes)
        if len(goals) == 1:
            return f"The goal {shown} {'alone costs' if is_alone else 'then costs'} more."
        return f"The goals {shown} {'together cost more' if is_alone else 'then cost more together'}{without}."
    if len(goals) == 1:
        reached = reachable(constrain(given.world, given.constraints))
        is_far = not given.world.task.has_axioms and _is_out_of(given.world, goals[0], reached)
        why = "no step makes it true, even if none made anything false" if is_far else _LOOKED
        return f"The goal {shown} is then out of reach: {why}."
    return f"The goals {shown} are then out of reach together{without}."


def _excluding(given: _Given) -> str:
    """Say that constraints exclude each other, or that a budget excludes them."""
    others = [wish for wish in given.wishes if not isinstance(wish, WithinCost)]
    if len(others) < len(given.wishes) and given.oracle.possible(others, ()):
        return "This alone costs more, whatever the goal is." if len(others) == 1 else "Together these cost more."
    return f"These exclude each other, whatever the goal is: {_LOOKED}."


_KINDS = {"initial": _initially, "never": _never, "count": _count, "landmark": _landmark, "goals": _goals}
"""How reasons are found, the plainest first."""
