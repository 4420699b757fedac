"""Short plans a second, in one process on one core, on a model that is read once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from statistics import mean

from benchmarks.measure import interleaved
from benchmarks.models import variants
from benchmarks.options import Options
from benchmarks.table import Goal, Table
from benchmarks.validators import UnifiedPlanning
from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare
from validator.model.bundled import bundle
from validator.model.pddl import read_model

__all__ = ["run"]

PLANS, PEER_PLANS = 2_000, 200
GOAL, GOAL_OF_NEW_MODELS = 6_000.0, 1_000.0
NEW_MODELS = 500

_PEER = "unified-planning: parse and validate"
_INVERSE = {"lift": "lower", "lower": "lift", "take": "place", "place": "take"}


def run(options: Options) -> list[Table]:
    """Measure ``check(..., repair=False)`` given the model as texts and as a Prepared one; the peer parses as well."""
    model = bundle("blocks")
    domain, problem = (path.read_text(encoding="utf-8") for path in (model.domain, model.problem))
    steps = (model.domain.parent / "good.plan").read_text(encoding="utf-8").splitlines()
    plans = variants([line for line in steps if line.startswith("(")], _INVERSE, PLANS)
    prepared = prepare(read_model(domain, problem))
    peer = UnifiedPlanning(domain, problem)
    numbers = count()

    def new(text: str) -> str:
        return f"; {next(numbers)}\n{text}"

    contestants: dict[str, tuple[int, float | None, Callable[[str], object]]] = {
        "check(domain text, problem text, plan text)": (PLANS, GOAL, lambda plan: _decided(plan, domain, problem)),
        "check(prepared, None, plan text)": (PLANS, GOAL, lambda plan: _decided(plan, prepared)),
        "check(domain text, new problem text, plan text)": (
            NEW_MODELS,
            GOAL_OF_NEW_MODELS,
            lambda plan: _decided(plan, domain, new(problem)),
        ),
        "check(new domain text, new problem text, plan text)": (
            NEW_MODELS,
            GOAL_OF_NEW_MODELS,
            lambda plan: _decided(plan, new(domain), new(problem)),
        ),
        _PEER: (PEER_PLANS, None, peer.check),
    }
    samples = interleaved(
        {name: _all(call, plans[:number]) for name, (number, _, call) in contestants.items()}, options.runs or 5
    )
    speeds = {name: number / samples[name].cpu for name, (number, _, _) in contestants.items()}
    rows = [(name, number, speeds[name], speeds[name] / speeds[_PEER]) for name, (number, _, _) in contestants.items()]
    length = mean(plan.count("\n") for plan in plans)
    answers = samples[next(iter(contestants))].result
    wrong = [
        f"the answers differ, {name}: {plan!r}"
        for name, sample in samples.items()
        for plan, ours, other in zip(plans, answers, sample.result, strict=False)
        if ours is not other
    ]
    return [
        Table(
            title="batch",
            about=f"plans of {length:.1f} steps on average, bundled model blocks, one core, no repair",
            columns=("call", "plans", "plans a cpu s", "times the peer"),
            rows=tuple(rows),
            goals=tuple(
                Goal(what=name, measured=speeds[name], limit=limit, unit="plans a CPU second", at_least=True)
                for name, (_, limit, _) in contestants.items()
                if limit is not None
            ),
            notes=(f"{sum(answers)} of {len(plans)} plans are valid",),
            wrong=tuple(wrong),
        )
    ]


def _decided(plan: str, domain: Prepared | str, problem: str | None = None) -> bool | None:
    return check(domain, problem, plan, repair=False).determination


def _all(call: Callable[[str], object], plans: list[str]) -> Callable[[], object]:
    return lambda: [call(plan) for plan in plans]
