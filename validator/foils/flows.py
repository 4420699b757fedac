"""Questions about the plans of flows: the flow compiled, its steps shown as people write them."""

from __future__ import annotations

from collections.abc import Collection

from validator.checking.prepared import Prepared
from validator.flow.check import read_plan
from validator.flow.compiled.compile import Compiled
from validator.flow.compiled.terms import inputs_of
from validator.flow.compiled.words import Words
from validator.flow.model import Flow
from validator.flow.plans.checked import Checked
from validator.flow.plans.shape import expand_groups
from validator.flow.plans.tokens import BASIC, Call
from validator.foils.language.patterns import Names
from validator.foils.view import View
from validator.reading.plan import Constraint, Plan, Step, Token
from validator.records import dataclass

__all__ = ["FlowModel", "flow_model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowModel:
    """A flow ready for ``why_not``: its model, how its steps are seen and called, the plans in the model's steps."""

    prepared: Prepared
    view: View
    names: Names
    plans: tuple[Plan, ...]


def flow_model(flow: Flow, *plans: str) -> FlowModel:
    """Compile a flow together with plans of it, whose calls may say which optional inputs they are given.

    Raises ModelError as ``validator.flow.compile_flow`` does, PlanError for a text over a stated limit.
    """
    written = [expand_groups(read_plan(plan, flow)[0], flow.options).tokens for plan in plans]
    together = expand_groups(tuple(token for tokens in written for token in tokens), flow.options)
    checked = Checked(flow, together, compare_outputs=True)
    parts = iter(checked.plan.parts)
    return FlowModel(
        prepared=checked.compiled.prepared,
        view=_view(checked.compiled),
        names=_names(flow, checked.compiled),
        plans=tuple(Plan(parts=tuple(next(parts) for _ in tokens)) for tokens in written),
    )


def _view(compiled: Compiled) -> View:
    def show(step: Step) -> Step | Constraint:
        shown = compiled.outer(step)
        return shown if isinstance(shown, Constraint) else Call(name=shown.name, args=shown.args)

    def hidden(token: Token) -> Step | None:
        if isinstance(token, Step):
            return compiled.inner(Step(name=token.name, args=token.args))
        return compiled.inner(token) if isinstance(token, Constraint) else None

    return View(show=show, hidden=hidden, told=Words(compiled.words).failure)


def _names(flow: Flow, compiled: Compiled) -> Names:
    numbers: dict[str, Collection[int] | None] = {"ask": (1,), "map": (2,), "confirm": (1,)}
    assert numbers.keys() == BASIC.keys()
    for operator in flow.operators:
        optional = any(not entry.required for entry in operator.inputs)
        numbers[operator.name] = None if optional else (len(inputs_of(operator)),)
    return Names(steps=numbers, objects=compiled.items)
