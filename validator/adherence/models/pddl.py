"""A PDDL model as the model of an execution: a tool is the action of the same name."""

from __future__ import annotations

from collections.abc import Mapping

from validator.adherence.models.interpreted import Entry, Interpreted, Translate, sides, unknown
from validator.adherence.result import Adherence
from validator.checking.prepared import Prepared
from validator.model.formulas import Effect, NumericEffect
from validator.model.values import Model
from validator.reading.arguments import in_order
from validator.reading.calls import Call, Names, Planned
from validator.reading.plan import Step, Token
from validator.reading.tokens import Vocabulary
from validator.records import replace

__all__ = ["PddlInterpreter", "pddl_steps"]


class PddlInterpreter:
    """Reads plans and calls as steps of a PDDL model."""

    written = None
    unrecorded = frozenset[str]()

    def __init__(self, prepared: Prepared, translate: Translate | None = None) -> None:
        self._prepared = prepared
        self._translate = translate or pddl_steps(prepared.model)

    @property
    def parameters(self) -> Mapping[str, tuple[str, ...]]:
        return {
            name: tuple(parameter.name.lstrip("?") for parameter in action.parameters)
            for name, action in self._prepared.model.domain.actions.items()
        }

    @property
    def reads(self) -> Mapping[str, bool]:
        actions = self._prepared.model.domain.actions.items()
        return {name: all(map(_is_cost, action.effects)) for name, action in actions}

    @property
    def vocabulary(self) -> Vocabulary:
        return self._prepared.vocabulary

    def interpreted(self, adherence: Adherence) -> Interpreted:
        steps: dict[Entry, Token] = {}
        reasons = []
        for entry, side in sides(adherence):
            step = self._translate(side)
            if isinstance(step, str):
                reasons.append(unknown(side, step))
            else:
                steps[entry] = replace(step, concurrent=side.batch, time=None, duration=None)
        return Interpreted(prepared=self._prepared, steps=steps, unknown=tuple(reasons))


def _is_cost(effect: Effect) -> bool:
    return isinstance(effect, NumericEffect) and effect.fluent.function == "total-cost"


def pddl_steps(model: Model) -> Translate:
    """Return how tool calls read as steps of a PDDL model.

    A tool is the action of the same name, whatever its case and joints, where only one is. Arguments by the names of
    the action's parameters are put in their order; others keep the order in which they are written. Values are objects
    by name.
    """
    actions, objects = Names(model.domain.actions), Names(model.problem.objects)

    def translate(side: Planned | Call) -> Step | str:
        if isinstance(side, Planned) and not side.is_readable:
            return "it cannot be read as a step"
        names = actions.meant(side.name)
        if len(names) > 1:
            return f"it may be {' or '.join(names)}"
        action = model.domain.actions[names[0]] if names else None
        if side.arguments is None:
            if action is not None and not action.parameters:
                return Step(name=action.name)
            return "its arguments are not known"
        if any(argument.is_open for argument in side.arguments):
            return "some of its arguments are placeholders"
        ordered = (
            side.arguments if action is None else in_order(side.arguments, [each.name for each in action.parameters])
        )
        args = [argument.text for argument in ordered]
        known = [objects.meant(arg) or (arg,) for arg in args]
        for arg, several in zip(args, known, strict=True):
            if len(several) > 1:
                return f"its argument {arg} may be {' or '.join(several)}"
        return Step(name=side.name if action is None else action.name, args=tuple(arg for (arg,) in known))

    return translate
