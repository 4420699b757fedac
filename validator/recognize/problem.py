"""The values of plan and goal recognition: candidate goals, observations, and what was found of each.

The terms are those of Ramirez and Geffner (2009, 2010) and of Sohrabi, Riabov and Udrea (2016).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction

from validator.checking.report import Interval
from validator.model.values import Formula, Measure, Model, measure
from validator.reading.plan import Step
from validator.records import dataclass, field
from validator.render.printed import Printed
from validator.repair.edit import Edit


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """A candidate goal. ``lines`` are the places from 0 of the list where it stands; equal goals are one hypothesis."""

    goal: Formula
    text: str
    prior: Fraction = Fraction(1)
    lines: tuple[int, ...] = (0,)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Something that was seen: a step, or a fact that held.

    A step's argument ``_`` or ``?`` is any object, and ``any_arguments`` leaves all of them open. A fact is a
    closed formula. ``price`` is what it costs to leave this observation unexplained; None means the price of all.
    ``fault`` says why nothing in the model can be meant.
    """

    text: str
    step: Step | None = None
    fact: Formula | None = None
    any_arguments: bool = False
    price: Fraction | None = None
    fault: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognitionProblem:
    """A model whose goal is not known, the goals that it could be, and what was observed, in order.

    The model's own goal plays no part. ``action_names`` gives the name that an action has in the domain's text
    where the model has another, because the text has several actions of one name. ``true_goals`` are indices of
    hypotheses, where it is known which goal was pursued.
    """

    model: Model
    hypotheses: tuple[Hypothesis, ...]
    observations: tuple[Observation, ...] = ()
    action_names: Mapping[str, str] = field(default_factory=dict)
    true_goals: frozenset[int] | None = None
    warnings: tuple[str, ...] = ()

    @property
    def measure(self) -> Measure | None:
        return measure(self.model)

    def written(self, plan: tuple[Step, ...]) -> tuple[Step, ...]:
        """Return the steps of a plan under the names of the domain's text."""
        names = self.action_names
        return tuple(Step(name=names[step.name], args=step.args) if step.name in names else step for step in plan)


class Method(StrEnum):
    """How the candidate goals are compared."""

    AUTO = "auto"
    """soft; with one goal, the plan that explains most observations and is then cheapest"""
    EXACT = "exact"
    """a plan has to explain every observation"""
    SOFT = "soft"
    """an observation may be left unexplained, at a price"""
    LINEAR = "linear"
    """soft, and no search: bounds by linear programs that count operators stand for the costs"""


class Order(StrEnum):
    """Whether the observations happened in the order in which they are given."""

    TOTAL = "total"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What is asked.

    ``beta`` is per unit of cost; ``discard_cost`` is the price of an observation that is not explained. Candidates that
    are more than ``margin`` worse than the best are cut off (None: 5 / beta, a factor of e^-5). ``time_limit`` is in
    seconds of the clock and ``cpu_limit`` in CPU seconds, both for the whole; ``search_limit`` in CPU seconds for each
    search, None doubles it until the time is used.
    """

    method: Method = Method.AUTO
    order: Order = Order.TOTAL
    beta: float = 1.0
    discard_cost: Fraction = Fraction(2)
    margin: float | None = None
    time_limit: float = 30.0
    cpu_limit: float = 8.0
    search_limit: float | None = None
    memory_limit: int = 4 * 2**30
    workers: int = 1

    def __post_init__(self) -> None:
        if not 1e-9 <= self.beta < 1e9:
            raise ValueError("beta must be a positive number, from 1e-09, below 1e+09")
        if self.discard_cost < 0:
            raise ValueError("the cost of discarded observations must not be negative")
        if self.workers < 1:
            raise ValueError("at least one worker is needed")


class Standing(StrEnum):
    """How much is known of a candidate."""

    EXACT = "exact"
    """its cost difference is proven"""
    UNSOLVABLE = "unsolvable"
    """the goal cannot be reached at all (proven)"""
    UNEXPLAINED = "unexplained"
    """no plan for the goal explains every observation (proven)"""
    CUT = "cut"
    """proven worse than the best by more than the margin"""
    TIMEOUT = "timeout"
    """the cost with the observations was not proven in time: there are bounds"""
    BASE_UNKNOWN = "base_unknown"
    """the cost without the observations was not proven in time"""
    EXCLUDED = "excluded"
    """its prior is 0, so that no costs were looked at"""
    NOT_SEARCHED = "not_searched"
    """compared by linear programs alone"""


class Verdict(StrEnum):
    """What the whole comparison says."""

    RANKED = "ranked"
    NO_HYPOTHESIS_EXPLAINS = "no_hypothesis_explains"
    """no candidate can be reached by a plan that explains the observations"""
    NO_ANSWER = "no_answer"
    """the time or memory limit was met before there was anything to compare"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatchable:
    """An observation that no step of any plan can explain, and why."""

    observation: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What is known of one hypothesis.

    ``base`` bounds the cost of its cheapest plan, ``delta`` what the observations add to it; both are None when there
    is no such plan. ``probability`` is the posterior's point value, ``least`` and ``most`` its bounds; all None when
    there is none, and the point alone while nothing is known of some goal that is possible. ``edits`` lead from the
    observations to the cheapest plan known for the goal: kept (explained), skipped (left unexplained) and inserted (not
    observed) steps.
    """

    hypothesis: Hypothesis
    standing: Standing
    rank: int
    base: Interval | None = None
    delta: Interval | None = None
    probability: float | None = None
    least: float | None = None
    most: float | None = None
    edits: tuple[Edit, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Recognition(Printed):
    """The answer. ``candidates`` are in the order of the hypotheses, ``best`` indices of the first in rank.

    The rank is that of the probability; equally probable goals are tied, and have one rank. ``exact`` says that the set
    ``best`` is proven: whatever the costs are that are not known, no other candidate belongs to it.
    """

    printer = "validator.recognize.output:recognition_text"

    method: Method
    verdict: Verdict
    candidates: tuple[Candidate, ...]
    best: tuple[int, ...]
    exact: bool
    observations: tuple[Observation, ...]
    unmatchable: tuple[Unmatchable, ...] = ()
    reason: str = ""
    warnings: tuple[str, ...] = ()

    def ranking(self) -> tuple[int, ...]:
        """Return the indices of all candidates, best first: of one rank the more probable first, then the earlier."""

        def key(index: int) -> tuple[int, float]:
            one = self.candidates[index]
            return one.rank, -(one.probability or 0.0)

        return tuple(sorted(range(len(self.candidates)), key=key))
