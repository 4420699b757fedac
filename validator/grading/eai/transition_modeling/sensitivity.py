"""What each predicted operator costs by itself: all operators gold but one, or but one part of one.

A variant of the gold model takes one operator from the answer, or only its precondition, or only its effect. It
succeeds if it has a plan; a plan of the gold model that also reaches the goal in the variant proves that, and the
planner is asked only where there is none such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum

from validator.errors import ModelError
from validator.execution.simulator import Simulator
from validator.grading.eai.answers import Answer
from validator.grading.eai.transition_modeling.benchmark import Benchmark, Task
from validator.grading.eai.transition_modeling.grade import (
    OperatorError,
    TaskGrade,
    grade_answer,
    match_of,
    original_actions,
    predicted_actions,
    predicted_operators,
)
from validator.grading.eai.transition_modeling.original import definitions
from validator.grading.eai.transition_modeling.planning import (
    Actions,
    Allowance,
    Planning,
    execute_in_gold,
    model_of,
    plan_with,
    unreadable,
)
from validator.grading.eai.world.query import conjuncts
from validator.model.conditions import substituted
from validator.model.pddl.write import formula_text
from validator.model.values import (
    TRUE,
    Action,
    And,
    Atom,
    Conditional,
    Effect,
    Literal,
    Model,
    Parameter,
    Problem,
)
from validator.reading.plan import Plan
from validator.records import dataclass, replace

# --- single changes that may save a wrong part ----------------------------------------------------


def precondition_changes(action: Action) -> Iterator[tuple[str, Action]]:
    """Yield the action without each conjunct of its precondition, and what was taken away."""
    parts = conjuncts(action.precondition)
    for place, part in enumerate(parts):
        rest = (*parts[:place], *parts[place + 1 :])
        yield f"saved without {_plain(formula_text(part, {}))}", replace(action, precondition=And(rest))


def effect_changes(action: Action, gold: Action) -> Iterator[tuple[str, Action]]:
    """Yield the action without each effect that is not gold, and with each gold effect that it lacks."""
    effects = action.effects
    for place, effect in enumerate(effects):
        if effect not in gold.effects:
            rest = (*effects[:place], *effects[place + 1 :])
            yield f"saved without {_plain(_effect_text(effect))}", replace(action, effects=rest)
    for effect in gold.effects:
        if effect not in effects:
            yield f"saved with {_plain(_effect_text(effect))}", replace(action, effects=(*effects, effect))


def _plain(text: str) -> str:
    """Return a text with the gold names of the parameters that the compared actions have in common."""
    return text.replace(" common", "")


def _effect_text(effect: Effect) -> str:
    match effect:
        case Literal(atom, positive):
            text = formula_text(atom, {})
            return text if positive else f"(not {text})"
        case Conditional(parameters, condition, effects):
            text = " ".join(map(_effect_text, effects))
            text = text if len(effects) == 1 else f"(and {text})"
            text = text if condition == TRUE else f"(when {formula_text(condition, {})} {text})"
            names = " ".join(parameter.name for parameter in parameters)
            return f"(forall ({names}) {text})" if names else text
        case _:
            return ""


# --- parameters renamed ---------------------------------------------------------------------------


_Names = Mapping[str, str]


def renamed(action: Action, names: Mapping[str, str]) -> Action:
    """Return an action with other names for its parameters, which must be names of no variable in it."""
    return replace(
        action,
        parameters=tuple(replace(parameter, name=names[parameter.name]) for parameter in action.parameters),
        precondition=substituted(action.precondition, names),
        effects=tuple(_effect(effect, names) for effect in action.effects),
    )


def _effect(effect: Effect, names: _Names) -> Effect:
    match effect:
        case Literal(atom, positive):
            return Literal(Atom(atom.predicate, tuple(names.get(term, term) for term in atom.terms)), positive)
        case Conditional(parameters, condition, effects):
            inner = _outside(names, parameters)
            return Conditional(
                parameters, substituted(condition, inner), tuple(_effect(part, inner) for part in effects)
            )
        case _:
            return effect


def _outside(names: _Names, parameters: tuple[Parameter, ...]) -> _Names:
    """Return the names without those that are bound anew."""
    bound = {parameter.name for parameter in parameters}
    return {name: image for name, image in names.items() if name not in bound}


# --- trials ---------------------------------------------------------------------------------------


class Variant(StrEnum):
    """What is taken from the answer."""

    OPERATOR = "operator"
    PRECONDITION = "precondition"
    EFFECT = "effect"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One variant of one task.

    ``remedies`` are the single changes of a failed precondition or effect that give the variant a plan: what is left
    out, or which gold effect is added. None of them helps where it is empty.
    """

    identifier: str
    action: str
    variant: Variant
    planning: Planning
    remedies: tuple[str, ...] = ()


def try_answer(
    benchmark: Benchmark, answer: Answer, *, compat: bool = False, allowance: Allowance
) -> tuple[Trial, ...]:
    """Try every operator of an answer that was asked for; none where the problem cannot be read.

    With ``compat`` operators are read as the original reads them, and parameters go by their names.
    """
    task = benchmark.tasks[answer.identifier]
    try:
        problem = benchmark.problem(task)
    except ModelError:
        return ()
    read = _as_original if compat else _as_repaired
    found = read(benchmark, task, problem, answer.text)
    if not found:
        return ()
    bench = _Bench(benchmark, problem, allowance)
    return tuple(
        Trial(identifier=task.identifier, action=name, variant=variant, planning=planning, remedies=remedies)
        for name, (actions, mapping) in found.items()
        for variant, planning, remedies in bench.trials(name, actions, mapping)
    )


_Found = Mapping[str, tuple[Actions | OperatorError, Mapping[str, str]]]
"""By name: the actions with this one predicted, and which gold parameter each predicted one stands for."""


def _as_repaired(benchmark: Benchmark, task: Task, problem: Problem, text: str) -> _Found:
    predicted, _ = predicted_operators(benchmark, text)
    return {
        name: (
            predicted_actions(benchmark, task, {name: predicted[name]}, problem),
            match_of(benchmark, name, predicted[name]).parameters,
        )
        for name in task.asked
        if name in predicted
    }


def _as_original(benchmark: Benchmark, task: Task, problem: Problem, text: str) -> _Found:
    found = definitions(text) or {}
    by_name = {
        name: {parameter.name: parameter.name for parameter in action.parameters}
        for name, action in benchmark.domain.actions.items()
    }
    return {
        name: (original_actions(benchmark, {name: found[name]}, problem), by_name[name])
        for name in task.asked
        if name in found
    }


class _Bench:
    """The variants of one task; its gold plan is looked for once."""

    def __init__(self, benchmark: Benchmark, problem: Problem, allowance: Allowance) -> None:
        self.header = benchmark.header
        self.domain = benchmark.domain
        self.problem = problem
        self.allowance = allowance
        self.gold = Simulator(Model(domain=benchmark.domain, problem=problem))
        self.baseline = self._planned(Actions(actions=benchmark.domain.actions))

    def trials(
        self, name: str, actions: Actions | OperatorError, mapping: Mapping[str, str]
    ) -> Iterator[tuple[Variant, Planning, tuple[str, ...]]]:
        """Yield the variants of an operator: the parts by themselves only if the parameters correspond."""
        if isinstance(actions, OperatorError):
            yield Variant.OPERATOR, unreadable(actions.error, actions.name), ()
            return
        common = _with_common_parameters(actions.actions[name], self.domain.actions[name], mapping)
        if common is None:
            yield Variant.OPERATOR, self._tried(actions), ()
            return
        predicted, gold = common

        def attempt(action: Action) -> Planning:
            return self._tried(replace(actions, actions={**self.domain.actions, name: action}))

        yield Variant.OPERATOR, attempt(predicted), ()
        action = replace(gold, precondition=predicted.precondition)
        planning = attempt(action)
        yield Variant.PRECONDITION, planning, self._remedies(planning, precondition_changes(action), attempt)
        action = replace(gold, effects=predicted.effects)
        planning = attempt(action)
        yield Variant.EFFECT, planning, self._remedies(planning, effect_changes(action, gold), attempt)

    def _remedies(
        self, planning: Planning, changes: Iterable[tuple[str, Action]], attempt: Callable[[Action], Planning]
    ) -> tuple[str, ...]:
        """Return the changes that give a failed variant a plan; none where the gold model has none either."""
        if planning.is_found or not self.baseline.is_found:
            return ()
        return tuple(what for what, action in changes if attempt(action).is_found)

    def _tried(self, actions: Actions) -> Planning:
        known = self.baseline
        if (
            known.is_found
            and Simulator(model_of(self.header, self.problem, actions)).run(Plan(parts=known.plan)).is_valid
        ):
            return known
        return self._planned(actions)

    def _planned(self, actions: Actions) -> Planning:
        planning = plan_with(self.header, self.problem, actions, self.allowance.begin())
        return execute_in_gold(planning, self.gold, {})


def _with_common_parameters(
    predicted: Action, gold: Action, mapping: Mapping[str, str]
) -> tuple[Action, Action] | None:
    """Return both actions with parameters of the same names in the same order; None if they do not correspond."""
    ours = {mapping.get(parameter.name, ""): parameter for parameter in predicted.parameters}
    theirs = [parameter.name for parameter in gold.parameters]
    if len(predicted.parameters) != len(theirs) or set(ours) != set(theirs):
        return None
    common = {name: f"{name} common" for name in theirs}
    in_order = replace(predicted, parameters=tuple(ours[name] for name in theirs))
    return renamed(in_order, {ours[name].name: common[name] for name in theirs}), renamed(gold, common)


# --- grades and trials ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One answer's grade, and the trials of its operators where these are asked for."""

    grade: TaskGrade
    trials: tuple[Trial, ...] = ()


def grade_and_try(
    benchmark: Benchmark, answer: Answer, *, compat: bool, allowance: Allowance | None, sensitivity: bool
) -> Graded:
    """Grade an answer, and with ``sensitivity`` try its operators one by one."""
    grade = grade_answer(benchmark, answer, compat=compat, allowance=allowance)
    if not sensitivity or allowance is None:
        return Graded(grade=grade)
    return Graded(grade=grade, trials=try_answer(benchmark, answer, compat=compat, allowance=allowance))
