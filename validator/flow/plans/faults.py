"""What is wrong with a token of a flow's plan before any state is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from validator.errors import Names
from validator.execution.trace import Failure, Kind
from validator.flow.model import Flow, Operator
from validator.flow.plans.tokens import BASIC
from validator.reading.plan import Constraint, Step, Token, Unparsed

__all__ = ["Faults"]


class Faults:
    """Checks tokens against a flow. ``outputs`` says whether the outputs of a call are looked at."""

    def __init__(self, flow: Flow, items: frozenset[str], *, outputs: bool) -> None:
        self.flow = flow
        self.items = items
        self.outputs = outputs
        self._operators = Names((*flow.by_name, *BASIC))
        self._items = Names(sorted(items))
        self._constraints = Names(flow.constraints)

    def of(self, place: int, token: Token) -> tuple[Failure, ...]:
        """Return the faults of a token, none for one that is a step of the flow."""
        if isinstance(token, Unparsed):
            return (Failure(step=place, kind=Kind.SYNTAX, detail=f"{token}: {token.reason}", nearest=token.nearest),)
        if isinstance(token, Constraint):
            return tuple(self._of_constraint(place, token))
        if token.name in BASIC:
            return tuple(self._of_basic(place, token))
        operator = self.flow.by_name.get(token.name)
        if operator is None:
            near = self._operators.nearest(token.name)
            return (Failure(step=place, kind=Kind.UNKNOWN_ACTION, detail=token.name, nearest=near),)
        return (*self._of_inputs(place, token, operator), *self._of_outputs(place, token, operator))

    def _of_constraint(self, place: int, token: Constraint) -> Iterator[Failure]:
        if token.text not in self.flow.constraints:
            near = self._constraints.nearest(token.text)
            detail = f"the flow has no constraint '{token.text}'"
            yield Failure(step=place, kind=Kind.CONSTRAINT, detail=detail, nearest=near)

    def _of_basic(self, place: int, step: Step) -> Iterator[Failure]:
        wanted, given = BASIC[step.name], len(step.args)
        if wanted != given if wanted else not given:
            detail = f"{step.name} takes {wanted or 'at least 1'}, got {given}"
            yield Failure(step=place, kind=Kind.WRONG_ARITY, detail=detail)
        yield from self._unknown_items(place, step)
        if step.outputs:
            detail = f"{step.name} has no outputs, got {', '.join(step.outputs)}"
            yield Failure(step=place, kind=Kind.WRONG_OUTPUT, detail=detail)

    def _unknown_items(self, place: int, step: Step) -> Iterator[Failure]:
        for name in step.args:
            if name not in self.items:
                near = self._items.nearest(name)
                yield Failure(step=place, kind=Kind.UNKNOWN_OBJECT, detail=name, nearest=near)

    def _of_inputs(self, place: int, step: Step, operator: Operator) -> Iterator[Failure]:
        wanted = operator.input_items
        required = operator.required_items
        if len(set(step.args)) == len(step.args) and is_part(step.args, wanted) and required <= set(step.args):
            return
        unknown = list(self._unknown_items(place, step))
        yield from unknown
        signature = ", ".join(item if item in required else f"[{item}]" for item in wanted) or "nothing"
        if not len(required) <= len(step.args) <= len(wanted):
            detail = f"{step.name} takes {signature}, got {len(step.args)}"
            yield Failure(step=place, kind=Kind.WRONG_ARITY, detail=detail)
        elif not unknown:
            order = ", in this order" if set(step.args) <= set(wanted) else ""
            detail = f"{step.name} takes {signature}{order}, got {', '.join(step.args)}"
            yield Failure(step=place, kind=Kind.WRONG_ARGUMENT, detail=detail)

    def _of_outputs(self, place: int, step: Step, operator: Operator) -> Iterator[Failure]:
        wanted = operator.output_items
        if self.outputs and step.outputs != wanted:
            order = ", in this order" if len(wanted) > 1 else ""
            given = ", ".join(step.outputs) or "none"
            detail = f"{step.name} yields {', '.join(wanted) or 'nothing'}{order}, got {given}"
            yield Failure(step=place, kind=Kind.WRONG_OUTPUT, detail=detail)


def is_part(args: Iterable[str], wanted: Iterable[str]) -> bool:
    """Return whether arguments are inputs of an operator, in their order."""
    rest = iter(wanted)
    return all(arg in rest for arg in args)
