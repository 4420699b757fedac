"""A PDDL model on which calls are executed: a tool is the action of the same name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from validator.adherence.result import Adherence
from validator.checking.prepared import Prepared, prepare
from validator.errors import ModelError
from validator.model.formulas import Effect, NumericEffect
from validator.model.values import Action, Model
from validator.reading.arguments import in_order, named_places
from validator.reading.calls import Arguments, Call, Names, Planned
from validator.reading.plan import Step, Token
from validator.reading.traces.recording import folded
from validator.records import dataclass, replace

if TYPE_CHECKING:
    from unified_planning.model import Problem as UpProblem


AnyModel: TypeAlias = "Prepared | Model | UpProblem | tuple[str | Path, str | Path]"
"""A domain and a problem (paths or texts), or a model read before."""

Translate: TypeAlias = Callable[[Planned | Call], Step | str]
"""Return the step of the model that a planned step or a call stands for, or why that is not known."""

Entry: TypeAlias = tuple[int, bool]
"""A row, and whether its call (else its planned step) is meant."""


def read_model(model: AnyModel) -> Prepared:
    """Return a model ready to execute calls. Raises ModelError for anything else, OSError for a file."""
    if isinstance(model, tuple):
        return prepare(*model)
    if isinstance(model, str | Path | Mapping) or type(model).__name__ == "Flow":
        raise ModelError("calls are executed on a PDDL model, a domain and a problem; one file or a flow is none")
    return prepare(model)


@dataclass(frozen=True, kw_only=True)
class Interpreted:
    """Planned steps and calls as steps of a model; ``unknown`` says of each that is not known why."""

    prepared: Prepared
    steps: Mapping[Entry, Token]
    unknown: tuple[str, ...]


class Interpreter:
    """Reads plans and calls as steps of a model.

    ``parameters`` are its actions, each with the names of its arguments; ``reads`` says whether they change nothing.
    """

    def __init__(self, prepared: Prepared, translate: Translate | None = None) -> None:
        actions = prepared.model.domain.actions
        self.parameters = {
            name: tuple(each.name.lstrip("?") for each in action.parameters) for name, action in actions.items()
        }
        self.reads = {name: all(map(_is_cost, action.effects)) for name, action in actions.items()}
        self.vocabulary = prepared.vocabulary
        self._prepared = prepared
        self._translate = translate or pddl_steps(prepared.model)

    def interpreted(self, adherence: Adherence) -> Interpreted:
        """Return the planned steps, and the calls that did not fail, as steps of the model."""
        steps: dict[Entry, Token] = {}
        reasons = []
        for entry, side in _sides(adherence):
            step = self._translate(side)
            if isinstance(step, str):
                kind = "call" if isinstance(side, Call) else "step"
                reasons.append(f"{kind} {side.index + 1} {side}: {step}")
            else:
                steps[entry] = replace(step, concurrent=side.batch, time=None, duration=None)
        return Interpreted(prepared=self._prepared, steps=steps, unknown=tuple(reasons))


def _sides(adherence: Adherence) -> Iterator[tuple[Entry, Planned | Call]]:
    for number, row in enumerate(adherence.rows):
        for side in (row.planned, row.executed):
            if side is not None and not (isinstance(side, Call) and side.error is not None):
                yield (number, side is row.executed), side


def _is_cost(effect: Effect) -> bool:
    return isinstance(effect, NumericEffect) and effect.fluent.function == "total-cost"


def pddl_steps(model: Model) -> Translate:
    """Return how tool calls read as steps of a PDDL model.

    A tool is the action of the same name, whatever its case and joints, where only one is. Arguments by the names of
    the action's parameters are put in their order, and one of another name where one place alone is left: the keys of
    an object have no order. Values are objects by name.
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
        if action is not None and (reason := _unplaced(side.arguments, action)):
            return reason
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


def _unplaced(arguments: Arguments, action: Action) -> str:
    """Say which arguments have names that are no parameters of the action and leave open where their values belong."""
    parameters = [each.name for each in action.parameters]
    places = named_places([each.name for each in arguments], parameters, folded).values()
    others = [each for number, each in enumerate(arguments) if each.name is not None and number not in places]
    is_one = len(arguments) == len(parameters) and len({each.text for each in others}) == 1
    if not others or (is_one and all(each.name is not None for each in arguments)):
        return ""
    told = ", ".join(parameters) or "none"
    return f"which parameters {', '.join(str(each.name) for each in others)} are is not known (the action has {told})"
