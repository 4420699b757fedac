"""The values that a planning model is made of: types, actions, domain, problem, and the ``formulas`` in them.

The classical part; ``validator.model.temporal`` has what a domain and a problem may hold beyond it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from validator.model.formulas import (
    TOTAL_COST,
    TRUE,
    And,
    Arithmetic,
    Atom,
    Compare,
    Conditional,
    Effect,
    Equal,
    Exists,
    Expression,
    Fluent,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Literal,
    Not,
    Number,
    NumericEffect,
    OneOf,
    Option,
    Or,
    Parameter,
    changed_predicates,
    conditions_of,
    fluents_of,
    functions_of,
    literals_of,
    numeric_effects,
    walk,
)
from validator.records import dataclass, field, replace

if TYPE_CHECKING:
    from validator.model.temporal import (
        DurativeAction,
        Preference,
        Process,
        TimedFact,
        TimedGoal,
        TimeModel,
        Trajectory,
    )

__all__ = [
    "TOTAL_COST",
    "TRUE",
    "Action",
    "And",
    "Arithmetic",
    "Atom",
    "Axiom",
    "Compare",
    "Conditional",
    "Domain",
    "Effect",
    "Equal",
    "Exists",
    "Expression",
    "Fluent",
    "Forall",
    "Formula",
    "GroundAtom",
    "Imply",
    "Literal",
    "Measure",
    "Metric",
    "Model",
    "Not",
    "Number",
    "NumericEffect",
    "OneOf",
    "Option",
    "Or",
    "Parameter",
    "Problem",
    "Types",
    "Uncertain",
    "changed_predicates",
    "conditions_of",
    "features_text",
    "fluents_of",
    "functions_of",
    "literals_of",
    "measure",
    "numeric_effects",
    "walk",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """An action; ``step`` is the name of the plan step that it is a way to do, when that is not its own.

    Several actions may be ways to do one step. Either no state allows two of them, or they have the same effects and
    the cheapest is declared first: a plan that names the step is executed by the first one that the state allows.
    ``choices`` are the effects that are open, and ``observed`` is what a sensing action tells the truth of.
    """

    name: str
    parameters: tuple[Parameter, ...]
    precondition: Formula
    effects: tuple[Effect, ...]
    step: str = ""
    preferences: tuple[Preference, ...] = ()
    choices: tuple[OneOf, ...] = ()
    observed: tuple[Formula, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Axiom:
    """A rule for a derived predicate: ``head`` holds whenever ``condition`` does (PDDL 2.2)."""

    predicate: str
    parameters: tuple[Parameter, ...]
    condition: Formula


# --- types, domain, problem --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Types:
    """The type hierarchy: each declared type with its direct supertypes; ``object`` is the root."""

    parents: Mapping[str, frozenset[str]] = field(default_factory=dict)
    _above: dict[frozenset[str], frozenset[str]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __contains__(self, name: str) -> bool:
        return name == "object" or name in self.parents

    def __iter__(self) -> Iterator[str]:
        yield "object"
        yield from self.parents

    def ancestors(self, names: Iterable[str]) -> frozenset[str]:
        """Return the given types with all their supertypes."""
        given = frozenset(names)  # the same object where it is one already
        known = self._above.get(given)
        if known is None:
            known = self._above[given] = self._climbed(given)
        return known

    def _climbed(self, names: Iterable[str]) -> frozenset[str]:
        found: set[str] = {"object"}
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting.extend(self.parents.get(name, ()))
        return frozenset(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A planning domain; ``predicates`` and ``functions`` map names to parameters, in order of declaration.

    ``features`` names what the domain uses beyond classical planning, each with the place of its first use
    (``domain.pddl:12:3``), and ``features_of`` which of them each action uses, those of no action under an empty name;
    ``is_whole`` says that all of it is in the values and not only named. A durative action
    stands in ``actions`` as well, with its name and parameters only. Events are actions that no plan contains.
    """

    name: str
    types: Types
    constants: Mapping[str, frozenset[str]]
    predicates: Mapping[str, tuple[Parameter, ...]]
    functions: Mapping[str, tuple[Parameter, ...]]
    actions: Mapping[str, Action]
    axioms: tuple[Axiom, ...] = ()
    object_functions: frozenset[str] = frozenset()
    durative: Mapping[str, DurativeAction] = field(default_factory=dict)
    processes: tuple[Process, ...] = ()
    events: tuple[Action, ...] = ()
    constraints: tuple[Trajectory, ...] = ()
    preferences: tuple[Preference, ...] = ()
    features: Mapping[str, str] = field(default_factory=dict)
    features_of: Mapping[str, frozenset[str]] = field(default_factory=dict)
    is_whole: bool = False
    warnings: tuple[str, ...] = ()
    source: str = ""
    spelling: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """names in lower case -> as the text writes them, where capitals begin words inside of them: pickUp"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """``optimization`` is ``minimize`` or ``maximize``."""

    optimization: str
    expression: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncertain:
    """What is not certain of the initial state: of ``options``, conjunctions of literals, exactly one holds.

    Without ``is_one`` at least one of them does.
    """

    options: tuple[tuple[tuple[GroundAtom, bool], ...], ...]
    is_one: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A planning problem; ``objects`` holds the domain's constants as well, in order of declaration.

    ``preferences`` are those of the goal and of the problem's constraints. With ``is_from_up``,
    unified-planning's reading of time holds: a plan ends with the last of ``timed``, if that is later than its steps
    (PDDL leaves this open), and one act may read what another changes at the same time: the state before. ``bounds``
    say that numbers have values of their types, where nothing but the execution tells whether they do; ``undefined``
    are atoms of which nothing says whether they hold. ``time`` is what a problem of unified-planning says of its times.
    ``uncertain`` says what may hold at first besides ``init``.
    """

    name: str
    objects: Mapping[str, frozenset[str]]
    init: frozenset[GroundAtom]
    values: Mapping[GroundAtom, Fraction]
    goal: Formula
    metric: Metric | None = None
    timed: tuple[TimedFact, ...] = ()
    timed_goals: tuple[TimedGoal, ...] = ()
    bounds: tuple[Formula, ...] = ()
    undefined: tuple[GroundAtom, ...] = ()
    uncertain: tuple[Uncertain, ...] = ()
    is_from_up: bool = False
    time: TimeModel | None = None
    constraints: tuple[Trajectory, ...] = ()
    preferences: tuple[Preference, ...] = ()
    features: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    source: str = ""
    spelling: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """as that of a domain"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A domain and one of its problems."""

    domain: Domain
    problem: Problem
    _of_type: dict[frozenset[str], tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def features(self) -> Mapping[str, str]:
        """Return what the model uses beyond classical planning."""
        return {**self.domain.features, **self.problem.features}

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.domain.warnings + self.problem.warnings

    def with_only(self, actions: Mapping[str, Action]) -> Model:
        """Return a model with actions in place of its own, and nothing else that happens or is asked for on the way."""
        return Model(
            domain=replace(
                self.domain,
                actions=actions,
                durative={},
                processes=(),
                events=(),
                constraints=(),
                preferences=(),
                features={},
            ),
            problem=replace(self.problem, metric=None, timed=(), constraints=(), preferences=(), features={}),
        )

    def written(self, name: str) -> str:
        """Return a name as a text of the model writes it, if capitals tell its words apart."""
        return self.domain.spelling.get(name) or self.problem.spelling.get(name, name)

    def has_type(self, name: str, types: frozenset[str]) -> bool:
        """Return whether an object may stand where one of ``types`` is asked for."""
        return not types.isdisjoint(self.domain.types.ancestors(self.problem.objects[name]))

    def objects_of(self, types: frozenset[str]) -> tuple[str, ...]:
        """Return the objects that have one of ``types``, in order of declaration."""
        found = self._of_type.get(types)
        if found is None:
            found = tuple(name for name in self.problem.objects if self.has_type(name, types))
            self._of_type[types] = found
        return found


def features_text(features: Mapping[str, str]) -> str:
    """Return features of a model with the places of their first use, as text for people."""
    return ", ".join(f"{name} ({place})" for name, place in features.items())


class Measure(StrEnum):
    """What the cost of a plan is."""

    LENGTH = "length"
    """the number of steps: the model has no metric"""
    TOTAL_COST = "total-cost"
    """the value of total-cost at the end; where no action changes it, all plans cost the same"""


def measure(model: Model) -> Measure | None:
    """Return what the cost of a plan is; None for a metric whose cheapest value no planner is asked for."""
    metric = model.problem.metric
    if metric is None:
        return Measure.LENGTH
    if metric.optimization == "minimize" and metric.expression == Fluent("total-cost", ()):
        return Measure.TOTAL_COST
    return None
