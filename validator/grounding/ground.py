"""``ground``: a model prepared for execution in, its grounded task out.

Axioms and conditional effects compiled away, so that the strong heuristics apply to what is left.

LM-cut knows neither, and with axioms not even the maximum heuristic is known to be admissible.
Both can be written as plain operators at an exponential price in the worst case (Nebel 2000; Thiebaux, Hoffmann and
Nebel 2005), which is small for most models:

- A derived value holds if and only if one of its *supports* holds, conjunctions of values of ordinary variables: the
  least fixpoint of the rules in disjunctive normal form, without conjunctions that contain another one. So recursive
  axioms need no care. An operator that asks for a derived value becomes one operator for each support.
- An operator with conditional effects becomes one for each way in which their conditions can hold or not.

The plans of the new task are those of the old one step by step, at the same costs: an operator is applicable in a
state if and only if one of those made of it is, and they all do what it does. Nothing is changed beyond limits; what
cannot be compiled away is left as a whole.
"""

from __future__ import annotations

from validator.execution.simulator import Simulator
from validator.grounding.axioms import TooManyError, without_axioms, without_conditional_effects
from validator.grounding.encode import encode
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import translate
from validator.grounding.task import Task, parse
from validator.model.values import Measure


def ground(simulator: Simulator, limits: Limits, *, with_costs: bool = True) -> Task | Status:
    """Ground a model, or return the limit that was met first; without costs, every operator costs 1.

    Axioms and conditional effects are compiled away where they are few.

    Raises PlannerError when the translator fails, ValueError for costs that it cannot be given.
    """
    costly = with_costs and simulator.measure is Measure.TOTAL_COST
    encoding = encode(simulator, with_costs=costly)
    text = translate(encoding.domain, encoding.problem, limits)
    return text if isinstance(text, Status) else compile_away(parse(text, encoding, unit=not costly))


def compile_away(task: Task) -> Task:
    """Return the task without axioms and without conditional effects, or with those that would grow too large.

    Where conditional effects stay, LM-cut does not apply anyway, and what the maximum heuristic gains over blind search
    is lost on a task that has more than doubled: then the axioms stay as well.
    """
    try:
        plain = without_axioms(task) if task.has_axioms else task
    except TooManyError:
        return task
    if not plain.has_conditional_effects:
        return plain
    try:
        return without_conditional_effects(plain)
    except TooManyError:
        return plain if len(plain.operators) <= 2 * len(task.operators) else task
