"""``ground``: a model prepared for execution in, its grounded task out."""

from __future__ import annotations

from pathlib import Path

from validator.execution.measure import Measure
from validator.execution.simulator import Simulator
from validator.grounding.compile_away import compile_away
from validator.grounding.encode import Encoding, encode
from validator.grounding.kept import load_translation, store_translation
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import translate
from validator.grounding.task import Task, parse

__all__ = ["ground"]


def ground(
    simulator: Simulator, limits: Limits, *, with_costs: bool = True, cache: Path | None = None
) -> Task | Status:
    """Ground a model, or return the limit that was met first; without costs, every operator costs 1.

    Axioms and conditional effects are compiled away where they are few. ``cache`` is a directory in which is kept what
    the translator makes of a model.

    Raises PlannerError when the translator fails, ValueError for costs that it cannot be given, OSError for the
    directory.
    """
    costly = with_costs and simulator.measure is Measure.TOTAL_COST
    encoding = encode(simulator, with_costs=costly)
    text = _translated(encoding, limits, cache)
    return text if isinstance(text, Status) else compile_away(parse(text, encoding, unit=not costly))


def _translated(encoding: Encoding, limits: Limits, cache: Path | None) -> str | Status:
    """Return what the translator makes of a model, now or before."""
    kept = None if cache is None else load_translation(cache, encoding)
    if kept is not None:
        return kept
    text = translate(encoding.domain, encoding.problem, limits)
    if cache is not None and not isinstance(text, Status):
        store_translation(cache, encoding, text)
    return text
