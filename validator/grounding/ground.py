"""``ground``: a model prepared for execution in, its grounded task out."""

from __future__ import annotations

from validator.execution.measure import Measure
from validator.execution.simulator import Simulator
from validator.grounding.compile_away import compile_away
from validator.grounding.encode import encode
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import translate
from validator.grounding.task import Task, parse

__all__ = ["ground"]


def ground(simulator: Simulator, limits: Limits, *, with_costs: bool = True) -> Task | Status:
    """Ground a model, or return the limit that was met first; without costs, every operator costs 1.

    Axioms and conditional effects are compiled away where they are few.

    Raises PlannerError when the translator fails, ValueError for costs that it cannot be given.
    """
    costly = with_costs and simulator.measure is Measure.TOTAL_COST
    encoding = encode(simulator, with_costs=costly)
    text = translate(encoding.domain, encoding.problem, limits)
    return text if isinstance(text, Status) else compile_away(parse(text, encoding, unit=not costly))
