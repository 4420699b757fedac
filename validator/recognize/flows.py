"""Recognition on flows: which goal do tool calls speak for, and by which plan of the flow.

The flow is compiled once for all candidate goals, and the answers are in its own words. Costs count in calls: what
settings and prices count as one is what the first call of a middling operator costs.

Which optional inputs a call was given counts where the goal is known, so that they are in the completed plan. Where
goals are compared it does not: the user told them to the agent, which a flow prices as thirty calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from statistics import median_low

from validator.execution.simulator import Simulator
from validator.flow.compiled.calls import first_call_cost
from validator.flow.compiled.compile import Compiled, compile_flow
from validator.flow.model import Flow, GoalGroup
from validator.flow.plans.checked import bare, given_inputs, seen
from validator.flow.plans.tokens import BASIC
from validator.model.conditions import holds
from validator.model.values import Formula, Model
from validator.reading.plan import Step
from validator.recognize.inputs.flow_goals import own_goal, read_flow_goals
from validator.recognize.inputs.flow_observations import FlowReader, Sighting
from validator.recognize.problem import Hypothesis, Observation, RecognitionProblem
from validator.records import dataclass, replace

__all__ = ["flow_problem"]


def flow_problem(
    flow: Flow,
    observations: object = "",
    goals: object = None,
    sources: tuple[str, str] = ("<observations>", "<goals>"),
) -> RecognitionProblem:
    """Return the problem of recognising what is done in a flow.

    ``observations`` are a text (lines, or a trace as JSON), or the value of such a trace. ``goals`` are candidates as
    a JSON value: a list, of which each member is a goal or goals as in the flow, perhaps with a ``name`` and a
    ``prior``; None means the flow's own goal. ``sources`` name both in errors. Raises ModelError and other InputError
    for what cannot be read, or speaks of what the flow does not have.
    """
    wanted = (own_goal(flow),) if goals is None else read_flow_goals(goals, flow, sources[1])
    groups = (group for goal in wanted for group in goal.groups)
    reader = FlowReader(replace(flow, goals=(*flow.goals, *groups)))
    sightings = reader.read(observations, sources[0])
    calls = [one.step for one in sightings if one.step is not None and not one.any_items]
    given = dict.fromkeys(given_inputs(flow, calls) if len(wanted) == 1 else ())
    facts = dict.fromkeys(one.fact for one in sightings if one.fact is not None)
    compiled = compile_flow(flow, given, [*(goal.groups for goal in wanted), *((fact,) for fact in facts)])
    simulator, conditions = Simulator(compiled.model), compiled.conditions
    meaning = _Meaning(compiled, dict(zip(facts, conditions[len(wanted) :], strict=True)), is_given=bool(given))
    hypotheses = tuple(
        Hypothesis(goal=condition, text=goal.name, prior=goal.prior, lines=goal.lines)
        for goal, condition in zip(wanted, conditions, strict=False)
    )
    return RecognitionProblem(
        model=compiled.model,
        hypotheses=hypotheses,
        observations=tuple(map(meaning.of, sightings)),
        show=lambda plan: seen(compiled, simulator, plan),
        unit=Fraction(_unit(flow)),
        missed=tuple(reader.missed),
        warnings=(*reader.warnings, *_done(compiled.model, hypotheses)),
    )


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What is seen of a flow in terms of the compiled one; ``is_given``: it tells calls apart by optional inputs."""

    compiled: Compiled
    facts: Mapping[GoalGroup, Formula]
    is_given: bool

    def of(self, one: Sighting) -> Observation:
        return Observation(
            text=one.text,
            step=self._inner(one),
            fact=None if one.fact is None else self.facts[one.fact],
            any_arguments=one.any_items and isinstance(one.step, Step) and one.step.name in BASIC,
            price=one.price,
            fault=one.fault,
            token=one.token,
        )

    def _inner(self, one: Sighting) -> Step | None:
        """Return the step of the model that was seen; where items are left open, one that stands for all."""
        step = one.step
        if isinstance(step, Step) and step.name in BASIC and "_" in step.args:
            return Step(name=step.name, args=tuple(self.compiled.items.get(arg, arg) for arg in step.args))
        if isinstance(step, Step) and step.name in self.compiled.calls and (one.any_items or not self.is_given):
            return self.compiled.calls[step.name]
        return None if step is None else self.compiled.inner(bare(step))


def _done(model: Model, hypotheses: Sequence[Hypothesis]) -> Iterator[str]:
    """Yield a warning for each goal that holds from the start."""
    for hypothesis in hypotheses:
        if holds(model, hypothesis.goal, {}, model.problem.init):
            yield f"nothing is to be done for the goal '{hypothesis}': it holds from the start"


def _unit(flow: Flow) -> int:
    return max(1, median_low(first_call_cost(flow, operator) for operator in flow.operators) if flow.operators else 1)
