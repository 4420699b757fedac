"""Executing a plan from the initial state: every fault, every state, the cost. No planner takes part.

A step is checked against the model (action, number of arguments, objects, types), then its precondition in
the state before it; its effects are all read in that state, and what is deleted and added at once holds
afterwards (Fox and Long 2003, section 8). A step at fault changes nothing, and the execution goes on from
the state that it would have left unchanged. Steps of one happening (equal time stamps, or one set) all read
the state before the happening and must not interfere (Blum and Furst 1997).
"""

from __future__ import annotations

from collections.abc import Sequence

from validator.execution.rules import Rules
from validator.execution.run import Run
from validator.execution.trace import Change, Failure, Kind, Origin, Trace
from validator.model.values import GroundAtom, Measure
from validator.reading.plan import Plan, Step, Token, Unparsed
from validator.resources import without_collection

__all__ = ["Change", "Failure", "Kind", "Measure", "Origin", "Simulator", "Trace"]


class Simulator(Rules):
    """Executes plans on one model, which must have no features that are read but not executed."""

    def run(self, plan: Plan | Sequence[Token], resolved: tuple[Token, ...] | None = None) -> Trace:
        """Execute a plan from the initial state; ``resolved`` are its tokens in the model's own spelling, if known."""
        return self.run_from(self.model.problem.init, plan, resolved)

    def run_from(
        self,
        state: frozenset[GroundAtom],
        plan: Plan | Sequence[Token],
        resolved: tuple[Token, ...] | None = None,
        *,
        with_goal: bool = True,
    ) -> Trace:
        """Execute a plan from a state, with or without a look at the goal, which can take longer than a step."""
        if not isinstance(plan, Plan):
            plan = Plan(parts=tuple(plan))
        with without_collection():
            run = Run(self, self.resolved(plan.tokens) if resolved is None else resolved, plan.places, state)
            if plan.is_unreadable:
                run.failures.append(Failure(step=None, kind=Kind.SYNTAX, detail=_no_step(plan)))
            else:
                run.execute()
            return run.finish(with_goal=with_goal)

    def after(self, state: frozenset[GroundAtom], step: Step) -> frozenset[GroundAtom] | None:
        """Return the state after a step, without derived atoms; None where it cannot be executed."""
        known = self.grounded(step)
        if known is not None:
            return (state - known.change.deleted) | known.change.added if known.is_applicable(state) else None
        trace = self.run_from(state, (step,), with_goal=False)
        return (state - trace.changes[0].deleted) | trace.changes[0].added if trace.is_sound else None


def _no_step(plan: Plan) -> str:
    """Say that a text holds no step, with the first pieces that could have been one."""
    pieces = [part for part in plan.parts if isinstance(part, Unparsed)]
    if not pieces:
        return "no step could be read from the text"
    shown = "; ".join(f"'{piece}': {piece.reason}" for piece in pieces[:3])
    return f"no step could be read from the text ({shown}{'; ...' if len(pieces) > 3 else ''})"
