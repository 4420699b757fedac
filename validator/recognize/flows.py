"""Recognition on flows: which goal do tool calls speak for, and by which plan of the flow.

The flow is compiled once for all candidate goals, and the answers are in its own words. Costs count in calls: what
settings and prices count as one is what the first call of a middling operator costs.

Which optional inputs a call was given counts where the goal is known, so that they are in the completed plan. Where
goals are compared it does not: the user told them to the agent, which a flow prices as thirty calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from statistics import median_low

from validator.errors import InputError
from validator.execution.simulator import Simulator
from validator.flow.compiled.calls import first_call_cost
from validator.flow.compiled.compile import Compiled, compile_flow
from validator.flow.model import Flow, GoalGroup
from validator.flow.plans.checked import bare, given_inputs, seen
from validator.flow.plans.tokens import BASIC
from validator.model.conditions import holds
from validator.model.values import Formula
from validator.reading.plan import Step, Token
from validator.recognize.given.flow_goals import FlowGoal, own_goal, read_flow_goals
from validator.recognize.given.flow_observations import FlowReader, Sighting
from validator.recognize.problem import Hypothesis, Observation, Recognition, RecognitionProblem, Settings
from validator.recognize.recognizer import Recognizer
from validator.records import replace

__all__ = ["FlowProblems", "flow_problem", "follow_flow"]


def flow_problem(flow: Flow, observations: object = "", goals: object = None) -> RecognitionProblem:
    """Return the problem of recognising what is done in a flow.

    ``observations`` are a text (lines, or a trace as JSON), or the value of such a trace. ``goals`` are candidates as
    a JSON value: a list, of which each member is a goal or goals as in the flow, perhaps with a ``name`` and a
    ``prior``; None means the flow's own goal. Raises ModelError and other InputError for what cannot be read, or speaks
    of what the flow does not have.
    """
    problems = FlowProblems(flow, goals, "<goals>")
    return problems.problem(problems.reader.read(observations, "<observations>"))


def follow_flow(
    problems: FlowProblems,
    lines: Iterable[str],
    settings: Settings | None = None,
    source: str = "<stdin>",
    unread: Callable[[InputError], None] | None = None,
) -> Iterator[Recognition]:
    """Yield the answer before the first observation, and after each of those that lines say, as they come.

    Each line is what a line of observations may be, or a record of a trace as JSON. The flow is compiled anew only for
    a fact that was not observed before. ``unread`` is told of a line that is not understood, which is then left out;
    without it InputError is raised.
    """
    settings = settings or Settings()
    seen_so_far: list[Sighting] = []
    recognizer = Recognizer(problems.problem(()), settings)
    yield recognizer.recognize(())
    for number, line in enumerate(lines, start=1):
        for one in _sightings(problems, line, source, number, unread):
            seen_so_far.append(one)
            problem = problems.problem(seen_so_far)
            if problem.model is not recognizer.problem.model:
                recognizer = Recognizer(problem, settings)
            recognizer.problem = problem
            yield recognizer.recognize(problem.observations)


def _sightings(
    problems: FlowProblems, line: str, source: str, number: int, unread: Callable[[InputError], None] | None
) -> Sequence[Sighting]:
    try:
        return tuple(problems.reader.read_line(line, source, number))
    except InputError as error:
        if unread is None:
            raise
        unread(error)
        problems.reader.missed.append(str(error))
        return ()


class FlowProblems:
    """A flow with candidate goals, for any observations; ``reader`` reads them."""

    def __init__(self, flow: Flow, goals: object = None, goals_source: str = "") -> None:
        self.flow = flow
        self.goals: tuple[FlowGoal, ...] = (
            (own_goal(flow),) if goals is None else read_flow_goals(goals, flow, goals_source)
        )
        groups = (group for goal in self.goals for group in goal.groups)
        self.reader = FlowReader(replace(flow, goals=(*flow.goals, *groups)))
        self._model: _Model | None = None

    def problem(self, sightings: Sequence[Sighting]) -> RecognitionProblem:
        """Return the problem with these observations; what was compiled before is used again where it is enough."""
        model = self._compiled(sightings)
        return RecognitionProblem(
            model=model.compiled.model,
            hypotheses=model.hypotheses,
            observations=tuple(map(model.observation, sightings)),
            show=model.show,
            unit=Fraction(_unit(self.flow)),
            missed=tuple(self.reader.missed),
            warnings=(*self.reader.warnings, *model.warnings),
        )

    def _compiled(self, sightings: Sequence[Sighting]) -> _Model:
        calls = [one.step for one in sightings if one.step is not None and not one.any_items]
        given = dict.fromkeys(given_inputs(self.flow, calls) if len(self.goals) == 1 else ())
        facts = dict.fromkeys(one.fact for one in sightings if one.fact is not None)
        if self._model is None or not self._model.knows(given, facts):
            self._model = _Model(self.flow, self.goals, tuple(given), tuple(facts))
        return self._model


class _Model:
    """A flow compiled for candidate goals, calls with optional inputs, and facts."""

    def __init__(
        self,
        flow: Flow,
        goals: Sequence[FlowGoal],
        given: Sequence[tuple[str, frozenset[str]]],
        facts: Sequence[GoalGroup],
    ) -> None:
        self.given = frozenset(given)
        beside = [*(goal.groups for goal in goals), *((fact,) for fact in facts)]
        self.compiled: Compiled = compile_flow(flow, given, beside)
        conditions = self.compiled.conditions
        self.facts: Mapping[GoalGroup, Formula] = dict(zip(facts, conditions[len(goals) :], strict=True))
        self.hypotheses = tuple(
            Hypothesis(goal=condition, text=goal.name, prior=goal.prior, lines=goal.lines)
            for goal, condition in zip(goals, conditions, strict=False)
        )
        self._simulator = Simulator(self.compiled.model)

    def knows(self, given: Iterable[tuple[str, frozenset[str]]], facts: Iterable[GoalGroup]) -> bool:
        return self.given.issuperset(given) and self.facts.keys() >= set(facts)

    @property
    def warnings(self) -> Iterator[str]:
        model = self.compiled.model
        for hypothesis in self.hypotheses:
            if holds(model, hypothesis.goal, {}, model.problem.init):
                yield f"nothing is to be done for the goal '{hypothesis}': it holds from the start"

    def show(self, plan: tuple[Step, ...]) -> tuple[Token, ...]:
        return seen(self.compiled, self._simulator, plan)

    def observation(self, one: Sighting) -> Observation:
        """Return what was seen in terms of the compiled flow."""
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
        if isinstance(step, Step) and step.name in self.compiled.calls and (one.any_items or not self.given):
            return self.compiled.calls[step.name]
        return None if step is None else self.compiled.inner(bare(step))


def _unit(flow: Flow) -> int:
    return max(1, median_low(first_call_cost(flow, operator) for operator in flow.operators) if flow.operators else 1)
