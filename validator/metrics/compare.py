"""Every metric by its name, and the comparison of two or more plans by some or all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import combinations
from pathlib import Path
from typing import Any

from validator.errors import PlanError, did_you_mean
from validator.metrics import distances, effects
from validator.metrics.reading import ModelLike, PlanLike, Reading, Score, UnexecutedError, read, simulator_of
from validator.records import dataclass, replace
from validator.render.json import fields_of
from validator.render.printed import Printed
from validator.texts import columns, read_plan_text


class Kind(StrEnum):
    """What the value of a metric says."""

    SIMILARITY = "similarity"
    """from 0 to 1, 1 for the same"""
    DISTANCE = "distance"
    """0 for the same"""
    RATIO = "ratio"
    """1 for the same"""
    RELATION = "relation"
    """true or false"""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of two plans, the generated one first; ``about`` is one line of explanation."""

    kind: Kind
    measure: Callable[..., Score | float]
    about: str
    needs_model: bool = False

    def score(self, one: Reading, other: Reading) -> Score:
        """Return the score of two plans; without a value where one of them is not executed.

        Its reason says where one of them was not understood, and what was read was compared.
        """
        try:
            value = self.measure(one, other)
        except UnexecutedError as error:
            return Score(value=None, reason=str(error))
        found = value if isinstance(value, Score) else Score(value=value)
        doubts = (("generated", one.unclear), ("reference", other.unclear))
        reason = next((f"the {which} plan was {why}" for which, why in doubts if why.startswith("not understood")), "")
        return replace(found, reason=reason) if reason and not found.reason else found


METRICS: Mapping[str, Metric] = {
    "lcs": Metric(Kind.SIMILARITY, distances.lcs, "longest common subsequence over the longer plan"),
    "jaccard": Metric(Kind.SIMILARITY, distances.jaccard, "common steps over all steps, as sets"),
    "precision": Metric(
        Kind.SIMILARITY, distances.step_precision, "share of the first plan's steps that are in the second"
    ),
    "recall": Metric(Kind.SIMILARITY, distances.step_recall, "share of the second plan's steps that are in the first"),
    "f1": Metric(Kind.SIMILARITY, distances.step_f1, "harmonic mean of precision and recall"),
    "stability": Metric(Kind.DISTANCE, distances.stability_distance, "steps that only one plan has (Fox et al. 2006)"),
    "edit": Metric(Kind.DISTANCE, distances.edit_distance, "fewest insertions, deletions, replacements"),
    "actions": Metric(Kind.DISTANCE, distances.actions_distance, "by actions (Nguyen et al. 2012)"),
    "cost": Metric(Kind.RATIO, effects.cost_ratio, "cost of the first plan over that of the second"),
    "states": Metric(Kind.DISTANCE, effects.states_distance, "by states (Nguyen et al. 2012)", needs_model=True),
    "links": Metric(Kind.DISTANCE, effects.links_distance, "by causal links (Nguyen et al. 2012)", needs_model=True),
    "same-states": Metric(Kind.RELATION, effects.same_states, "the same states, one by one", needs_model=True),
    "same-effect": Metric(Kind.RELATION, effects.same_effect, "the same final state", needs_model=True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One plan: its length and, with a model, cost, the steps before the first fault, and its qualities."""

    name: str
    steps: int
    cost: float | None
    valid_prefix: int | None = None
    is_sound: bool | None = None
    is_valid: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The scores of two plans, as indices into the compared ones."""

    generated: int
    reference: int
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison(Printed):
    """The plans and all pairs of them."""

    printer = "validator.metrics.compare:comparison_text"

    plans: tuple[Summary, ...]
    pairs: tuple[Pair, ...]

    def _headline(self) -> str:
        first = self.pairs[0].scores if self.pairs else {}
        scores = ", ".join(f"{name} {score.value}" for name, score in first.items() if score.value is not None)
        return f"of {len(self.plans)} plans: {scores}"

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as values that JSON can hold."""
        return fields_of(self)


def compare(
    plans: Sequence[PlanLike | Path],
    model: ModelLike | None = None,
    *,
    metrics: Sequence[str] | None = None,
    names: Sequence[str] = (),
) -> Comparison:
    """Compare two or more plans, each with each later one as its reference.

    A ``Path``, or a text that names a file, is read from there. ``metrics`` are names of ``METRICS``, by default all
    that can be computed; ``names`` are what the plans are called.

    Raises ValueError for an unknown name, for one that needs a model when there is none, for fewer than two plans.
    """
    if isinstance(plans, str):
        raise TypeError("a list of plans is needed, and one text was given")
    if len(plans) < 2:
        raise ValueError(f"a comparison takes two plans or more, not {len(plans)}")
    chosen = metrics_named([metrics] if isinstance(metrics, str) else metrics, with_model=model is not None)
    simulator = None if model is None else simulator_of(model)
    shown = names or [str(number) for number in range(1, len(plans) + 1)]
    readings = [_reading(name, plan, simulator) for name, plan in zip(shown, plans, strict=True)]
    pairs = tuple(
        Pair(
            generated=i,
            reference=j,
            scores={name: metric.score(readings[i], readings[j]) for name, metric in chosen.items()},
        )
        for i, j in combinations(range(len(readings)), 2)
    )
    return Comparison(
        plans=tuple(_summary(name, reading) for name, reading in zip(shown, readings, strict=True)),
        pairs=pairs,
    )


def _reading(name: str, plan: PlanLike | Path, simulator: ModelLike | None) -> Reading:
    try:
        return read(read_plan_text(plan) if isinstance(plan, str | Path) else plan, simulator)
    except PlanError as error:
        error.source = error.source or name
        raise


def metrics_named(names: Sequence[str] | None, *, with_model: bool) -> dict[str, Metric]:
    """Return metrics by name; None for all that need no more than there is. Raises ValueError as ``compare`` does."""
    if names is None:
        return {name: metric for name, metric in METRICS.items() if with_model or not metric.needs_model}
    for name in names:
        if name not in METRICS:
            raise ValueError(f"unknown metric '{name}'{did_you_mean(name, METRICS)}; there are {', '.join(METRICS)}")
        if METRICS[name].needs_model and not with_model:
            raise ValueError(f"the metric '{name}' needs a model: a PDDL domain and problem")
    return {name: METRICS[name] for name in names}


def _summary(name: str, reading: Reading) -> Summary:
    steps = len(reading.steps)
    if reading.simulator is None:
        return Summary(name=name, steps=steps, cost=steps)
    try:
        trace = reading.trace
    except UnexecutedError:
        return Summary(name=name, steps=steps, cost=None)
    return Summary(
        name=name,
        steps=steps,
        cost=effects.plan_cost(reading).value,
        valid_prefix=effects.valid_prefix(reading),
        is_sound=trace.is_sound,
        is_valid=trace.is_valid,
    )


# --- as text --------------------------------------------------------------------------------------

_LONGEST_NAME = 24


def comparison_text(found: Comparison) -> str:
    """Return the plans, a line for each metric or each pair, and why values are what they are."""
    reasons = list(_reasons(found))
    lines = [*columns(_plans(found), "l"), "", *columns(_pairs(found), "l"), *([""] if reasons else []), *reasons]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _plans(found: Comparison) -> list[list[str]]:
    rows = [["plan", "steps", "cost"]]
    has_model = any(plan.is_sound is not None for plan in found.plans)
    rows[0] += ["sound", "valid", "steps before the first fault"] if has_model else []
    for number, plan in enumerate(found.plans, start=1):
        name = plan.name if len(plan.name) <= _LONGEST_NAME else f"...{plan.name[3 - _LONGEST_NAME :]}"
        row = [name if name == str(number) else f"{number} {name}", str(plan.steps), _shown(plan.cost)]
        rows.append(
            row + ([_shown(plan.is_sound), _shown(plan.is_valid), _shown(plan.valid_prefix)] if has_model else [])
        )
    return rows


def _pairs(found: Comparison) -> list[list[str]]:
    """Return a line for each metric with what it means, or for several pairs a line for each of them."""
    first = found.pairs[0].scores
    if len(found.pairs) == 1:
        rows = [[name, _shown(score.value), METRICS[name].about] for name, score in first.items()]
        return [["metric", _named(found.pairs[0]), ""], *rows]
    lines = [[_named(pair), *(_shown(score.value) for score in pair.scores.values())] for pair in found.pairs]
    return [["pair", *first], *lines]


def _named(pair: Pair) -> str:
    return f"{pair.generated + 1}-{pair.reference + 1}"


def _reasons(found: Comparison) -> Iterator[str]:
    """Yield why values are what they are, a line for the metrics of a pair that have the same reason."""
    for pair in found.pairs:
        by_reason: dict[str, list[str]] = {}
        for name, score in pair.scores.items():
            by_reason.setdefault(score.reason, []).append(name)
        for reason, names in by_reason.items():
            if reason:
                yield f"{_named(pair)} {', '.join(names)}: {reason}"


def _shown(value: float | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int) else f"{value:.4g}"
