"""What was seen of a flow: the tool calls of a trace, or lines as a plan of the flow has them, and facts.

A line is a step (``hotel = find(city)``, also without its outputs; ``find`` alone, or ``_`` for an item, leaves the
items open), an assertion, or a fact that held: ``holds known: hotel``. A number after a step is its price. A trace
may have any format that ``validator.adherence`` reads; its calls have values where a flow has items, so that of their
arguments only the names count, or else the places.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from fractions import Fraction

from validator.errors import InputError, ModelError, did_you_mean
from validator.execution.faults import said
from validator.flow.compiled.analysis import Analysis
from validator.flow.model import Claim, Flow, Goal, GoalGroup, GoalKind
from validator.flow.plans.faults import Faults
from validator.flow.plans.shape import expand_groups
from validator.flow.plans.tokens import BASIC, Call, FlowTokenizer
from validator.reading.calls import Argument, CallKind, Names
from validator.reading.calls import Call as Executed
from validator.reading.plan import Constraint, Step, Token, Unparsed
from validator.reading.traces.read import read_trace, trace_value
from validator.reading.traces.recording import Recording, folded
from validator.recognize.inputs.flow_goals import check_goals
from validator.recognize.inputs.reading import split_number, unreadable
from validator.records import dataclass, replace

__all__ = ["FlowReader", "Sighting"]

_TRACE = re.compile(r"\s*(?:\{|\[(?!\d+\]))")
"""A JSON value begins so; ``[3] find(city)`` is a line with its number."""
_NOTHING = re.compile(r"\s*(?:#.*|```.*)?")
_HOLDS = re.compile(r"holds\s+(not\s+)?(operator|known|used|constraint)\s*(?::\s*|\s)(\S.*)", re.IGNORECASE)
_PRICE = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_ANY = ("_", "?")
_OPEN = ("_",)
"""the arguments of a call of which nothing but the name is known"""
_LONGEST = 40  # characters of a value that are shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """Something that was seen, before the flow is compiled: a step of a plan, a goal that was reached, or a fault.

    ``token`` is how it is shown; ``any_items`` leaves the items of the step open.
    """

    text: str
    token: Token
    step: Step | Constraint | None = None
    any_items: bool = False
    fact: GoalGroup | None = None
    price: Fraction | None = None
    fault: str = ""


class FlowReader:
    """Reads what was seen of one flow; ``warnings`` tell what was passed over, ``missed`` what was not understood."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.warnings: list[str] = []
        self.missed: list[str] = []
        self._tokenizer = FlowTokenizer(flow)
        self._items = frozenset(Analysis(flow).types)
        self._faults = {compared: Faults(flow, self._items, outputs=compared) for compared in (True, False)}
        self._tools = Names((*flow.by_name, *BASIC))
        self._failed: Executed | None = None

    def read(self, seen: object, source: str) -> tuple[Sighting, ...]:
        """Read a text, which is a trace as JSON or lines, or a trace's value.

        Raises InputError for what is no trace, PlanError for a line that says nothing that could be seen.
        """
        if not isinstance(seen, str):
            return self._trace(seen, source)
        if _TRACE.match(seen):
            return self._trace(trace_value(seen, source), source)
        lines = enumerate(seen.split("\n"), start=1)
        return tuple(each for number, line in lines for each in self.read_line(line, source, number))

    # --- lines ---------------------------------------------------------------------------------

    def read_line(self, line: str, source: str, number: int = 1) -> tuple[Sighting, ...]:
        """Return what one line says: a step, a fact, or the calls of a record as JSON; nothing for a comment."""
        written = line.strip()
        if _NOTHING.fullmatch(written):
            return ()
        if _TRACE.match(written):
            try:
                return self._trace(trace_value(written, source), source)
            except InputError as error:
                error.line = number
                raise
        if held := _HOLDS.fullmatch(written):
            return (self._fact(written, held[2].lower(), held[3], holds=not held[1]),)
        bare, price = self._split_price(written)
        token = self._token(bare)
        if isinstance(token, Constraint):  # the number belongs to what is asserted
            token, price = self._token(written), None
        if isinstance(token, Unparsed):
            raise unreadable(f"{token.reason}; a fact is holds known: ITEM", written, source, number)
        parts = expand_groups((token,), self.flow.options).tokens
        return tuple(self._step(part, price) for part in parts if not isinstance(part, Unparsed))

    def _split_price(self, written: str) -> tuple[str, Fraction | None]:
        """Take off a line the number after its parenthesis, or after a name alone."""
        bare, price = split_number(written)
        name, _, last = written.rpartition(" ")
        if price is None and _PRICE.fullmatch(last) and self._tools.meant(name) and not self._tools.meant(written):
            return name, Fraction(last)
        return bare, price

    def _token(self, text: str) -> Token:
        """Return the token of a line; a name alone is a call of which the items are open."""
        token = self._tokenizer(text)
        names = self._tools.meant(text)
        if isinstance(token, Unparsed) and len(names) == 1:
            return Call(name=names[0], args=_OPEN)
        if isinstance(token, Unparsed) and names:
            return replace(token, reason=f"'{text}' may be {' or '.join(names)}")
        return token

    def _step(self, token: Step | Constraint, price: Fraction | None) -> Sighting:
        """Return what was seen where a line has a step in the flow's own words."""
        is_open = isinstance(token, Step) and not set(_ANY).isdisjoint(token.args)
        if isinstance(token, Step) and is_open:
            token = Call(name=token.name, args=tuple("_" if arg in _ANY else arg for arg in token.args))
            fault = self._open_fault(token)
        else:
            faults = self._faults[isinstance(token, Step) and bool(token.outputs)]
            fault = "; ".join(map(said, faults.of(0, token)))
        any_items = isinstance(token, Step) and is_open and (token.args == _OPEN or token.name in self.flow.by_name)
        step = None if fault else token
        return Sighting(text=str(token), token=token, step=step, any_items=any_items, price=price, fault=fault)

    def _open_fault(self, call: Step) -> str:
        """Return what is wrong with a call that leaves items open, whatever they are."""
        operator = self.flow.by_name.get(call.name)
        if operator is None and call.name not in BASIC:
            return self._unknown(call.name)
        most = len(operator.input_items) if operator is not None else BASIC[call.name]
        if call.args != _OPEN and most is not None and len(call.args) > most:
            return f"{call.name} takes {most}, got {len(call.args)}"
        unknown = [arg for arg in call.args if arg != "_" and arg not in self._items]
        return f"unknown object '{unknown[0]}'{did_you_mean(unknown[0], sorted(self._items))}" if unknown else ""

    def _unknown(self, name: str) -> str:
        return f"unknown action '{name}'{did_you_mean(name, (*self.flow.by_name, *BASIC))}"

    def _fact(self, written: str, kind: str, subject: str, *, holds: bool) -> Sighting:
        name = self._tokenizer.operator(subject) if kind == GoalKind.OPERATOR else self._tokenizer.item(subject)
        goal = Goal(kind=GoalKind(kind), subject=name)
        if kind == GoalKind.CONSTRAINT:
            name = self._tokenizer.constraint(subject, holds=holds).text
            goal = Goal(kind=GoalKind.CONSTRAINT, claim=Claim(text=name, holds=holds))
        token = Constraint(text=f"{'' if holds else 'not '}{kind}: {name}")
        seen = Sighting(text=" ".join(written.split()), token=token, fact=(goal,))
        if not holds and kind != GoalKind.CONSTRAINT:
            return replace(seen, fact=None, fault="only a constraint can be decided as false")
        try:
            check_goals(((goal,),), self.flow, "holds")
        except ModelError as error:
            return replace(seen, fact=None, fault=error.message.removeprefix("holds: "))
        return seen

    # --- traces --------------------------------------------------------------------------------

    def _trace(self, trace: object, source: str) -> tuple[Sighting, ...]:
        """Return the calls of a trace, a JSON value, in their order. Raises InputError for what is none.

        A failed call that is made again at once, with equal arguments, is one with that. A call inside another one
        counts where the flow has an operator of its name.
        """
        try:
            recording: Recording = read_trace(trace)  # type: ignore[arg-type]
        except InputError as error:
            error.source = error.source or source
            raise
        for warning in recording.warnings:
            self._warn(warning)
        for piece in recording.missed:
            self._warn(f"not understood in the trace: {piece}")
            self.missed.append(piece)
        return tuple(self._call(call) for call in recording.calls if self._counts(call))

    def _counts(self, call: Executed) -> bool:
        names = self._tools.meant(call.name)
        if call.kind is CallKind.PLAN or (call.kind is not CallKind.TOOL and not names):
            return False
        if len(names) > 1:
            piece = f"the call of {call.name}, which may be {' or '.join(names)}"
            self._warn(f"not understood in the trace: {piece}")
            self.missed.append(piece)
            return False
        before, self._failed = self._failed, call if call.error is not None else None
        return before is None or (before.name, before.arguments) != (call.name, call.arguments)

    def _call(self, call: Executed) -> Sighting:
        arguments = call.arguments
        token = Call(name=call.name, args=tuple(map(_shown, arguments or ())))
        name = next(iter(self._tools.meant(call.name)), None)
        if name is None:
            return Sighting(text=str(token), token=token, fault=self._unknown(call.name))
        if arguments is None:
            return self._step(Call(name=name, args=_OPEN), None)
        items = tuple(argument.text for argument in arguments)
        if name in BASIC or (items and self._items.issuperset(items) and not any(each.name for each in arguments)):
            return self._step(Call(name=name, args=items), None)
        step = Call(name=name, args=self._given(name, arguments))
        return Sighting(text=str(token), token=token, step=step)

    def _given(self, name: str, arguments: Sequence[Argument]) -> tuple[str, ...]:
        """Return the items that a call of an operator is given, in their order.

        What it needs it was given, whatever the trace says of it; what the operator does not have is passed over.
        """
        operator = self.flow.by_name[name]
        inputs = operator.input_items
        by_name = {folded(item.removeprefix(f"{name}.")): item for item in inputs} | {folded(it): it for it in inputs}
        named = [argument.name for argument in arguments if argument.name is not None]
        given = {entry.item for entry in operator.inputs if entry.required}
        given.update(inputs[: len(arguments) - len(named)])
        given.update(by_name[folded(each)] for each in named if folded(each) in by_name)
        for each in named:
            if folded(each) not in by_name:
                self._warn(f"{name} has no input '{each}'{did_you_mean(each, inputs)}; it is left out of the calls")
        return tuple(item for item in inputs if item in given)

    def _warn(self, warning: str) -> None:
        if warning not in self.warnings:
            self.warnings.append(warning)


def _shown(argument: Argument) -> str:
    text = argument.text if argument.is_string is False else json.dumps(argument.text, ensure_ascii=False)
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return text if argument.name is None else f"{argument.name}={text}"
