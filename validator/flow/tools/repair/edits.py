"""The edits of a list of calls that mend a fault, and what they cost: a change is 2, a question to the user 3 more.

For each fault, all edits are here of which some nearest list has one. ``doubt`` distinguishes what costs the same: what
the author wrote is trusted before what a tool could give, a misspelling is likelier than another meaning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from validator.execution.trace import Kind
from validator.flow.tools.calls import Labels, State, ToolCall, field, hidden, target
from validator.flow.tools.faults import Fault, Wrong, call_faults
from validator.flow.tools.references import Reference, asked, within
from validator.flow.tools.repair.catalogue import CHANGE, Catalogue, ask_cost, is_misspelt, is_said, unlike, words
from validator.flow.tools.repair.conversions import converted
from validator.flow.tools.schema import ANY, Path, fits, inner
from validator.flow.tools.specifications import Tool
from validator.reading.calls.objects import spelled
from validator.records import dataclass, replace

__all__ = ["MOST_CALLS", "Edits"]

_DROP_ARGUMENT = 3
_ANOTHER = 4
"""a reference to another call than the one that is named"""
_FAR_TOOL = 6
"""another tool, the name of which is not near"""
_DROP_CALL = 60
_FAR = 0.5
"""how far names may differ that are near"""
_END = 1_000_000
"""after all calls"""
MOST_CALLS = 100
"""of a longer list only the nearer ones are looked at for a value"""


@dataclass(frozen=True)
class Edits:
    """All edits over some tools; ``taken`` are labels that no new call may get."""

    tools: Mapping[str, Tool]
    taken: Collection[str]

    @cached_property
    def catalogue(self) -> Catalogue:
        return Catalogue(self.tools)

    def of(self, state: State, fault: Fault, found: Sequence[Fault]) -> Iterator[State]:
        """Yield the states to which the edits lead that mend a fault, of all the faults that were found."""
        call = state.calls[fault.call]
        match fault.wrong:
            case Wrong.TOOL:
                yield from self._tool(state, fault.call)
            case Wrong.TWICE:
                yield from self._twice(state, fault.call, found)
            case Wrong.EXTRA:
                yield state.put(fault.call, replace(call, extra=()), CHANGE)
            case Wrong.WHOLE:
                yield state.without(fault.call, _DROP_CALL)
                for name in call.arguments:
                    yield from self._omitted(state, replace(fault, argument=name))
            case Wrong.UNDECLARED:
                yield from self._undeclared(state, fault)
            case Wrong.MISSING | Wrong.VALUE:
                yield from self._value(state, fault)
            case Wrong.BROKEN:
                yield self._point(state, fault, f"${_reference(fault).text.lstrip('$')}", CHANGE)
            case Wrong.LABEL:
                yield from self._label(state, fault, found)
            case Wrong.OUTPUT:
                ways = [*self._fields(state, fault)]
                ways += self._elsewhere(state, fault) if _reference(fault).path else ()
                yield from [*ways, *self._by_name(state, fault), *self._omitted(state, fault)] or self._left(
                    state, fault
                )
            case Wrong.LATER:
                yield from self.other_call(state, fault)

    # --- tools and labels ------------------------------------------------------------------------

    def _tool(self, state: State, place: int) -> Iterator[State]:
        call = state.calls[place]
        near = self.catalogue.near(call.name)
        for name in near or self._with_arguments(call):
            yield state.put(place, replace(call, name=name), CHANGE if near else _FAR_TOOL, unlike(name, call.name))
        yield state.without(place, _DROP_CALL)

    def _with_arguments(self, call: ToolCall) -> list[str]:
        """Return the tools that have all arguments of a call, and need no other."""
        given = call.arguments.keys()
        return [
            tool.name
            for tool in self.tools.values()
            if given
            and given <= tool.inputs.keys()
            and all(name in given or not each.required for name, each in tool.inputs.items())
        ]

    def _twice(self, state: State, place: int, found: Sequence[Fault]) -> Iterator[State]:
        """Yield other labels for the second call of a label: one that is referred to and unknown, or a new one."""
        groups: dict[str, list[Fault]] = {}
        for each in found:
            if each.wrong is Wrong.LABEL:
                groups.setdefault(_reference(each).label, []).append(each)
        call = state.calls[place]
        tool = self.tools.get(call.name)
        for label, group in groups.items():
            if tool is None or all(_has_result(tool, each) for each in group):
                yield state.put(place, replace(call, label=label, has_label=True), CHANGE)
        fresh = self.fresh(state)
        meant = self._following(state, place, fresh)
        yield meant.put(place, replace(meant.calls[place], label=fresh, has_label=True), CHANGE, 0.5)

    def _following(self, state: State, place: int, label: str) -> State:
        """Return the state in which references that mean the second call of a label have its new one."""
        labels = Labels(state.calls)
        first = self.tools.get(state.calls[labels.places[state.calls[place].label][0]].name)
        for number in range(len(state.calls)):
            for name, each in labels.in_call(number):
                is_first = first is not None and field(first, each) is not None
                if target(each, number, labels, self.tools) == place and not is_first:
                    call = state.calls[number].referring(name, each, each.written(label, each.path))
                    state = state.put(number, call)
        return state

    def _label(self, state: State, fault: Fault, found: Sequence[Fault]) -> Iterator[State]:
        """Yield what makes a label known: a new call that has it, a call that gets it, or the label of another call."""
        label = _reference(fault).label
        group = [each for each in found if each.wrong is Wrong.LABEL and _reference(each).label == label]
        ways = [*self._producers(state, fault, group), *self._labelled(state, fault, group)]
        ways += [*self._elsewhere(state, fault), *self._by_name(state, fault), *self._omitted(state, fault)]
        yield from ways or self._left(state, fault)

    def _producers(self, state: State, fault: Fault, group: Sequence[Fault]) -> Iterator[State]:
        """Yield new calls that have the label and yield what the references to it name."""
        label, path = _reference(fault).label, _reference(fault).path
        state = _nameless(state, label)
        if label in Labels(state.calls):
            yield from self.other_call(state, fault)
            return
        slots = (state.place_of(each.call) for each in group if not state.calls[each.call].is_answer)
        slot = min(slots, default=_END)
        names = [each.argument for each in group if not _reference(each).path]
        for tool in self._meant(fault):
            doubt = self._doubt(state, state.calls[fault.call], tool, path) + _unheard(names, tool)
            yield state.inserted(tool, label, slot, CHANGE, doubt)

    def _meant(self, fault: Fault) -> list[Tool]:
        """Return the tools that may be meant by a reference to a label: those that yield what it names.

        Else those that yield something with the argument's name, or that are called as the label is.
        """
        reference = _reference(fault)
        found = {tool.name: tool for tool in self.catalogue.yielding(reference.path)}
        if reference.path:
            found |= {tool.name: tool for tool, _ in self.catalogue.with_field(fault.argument, fault.wanted)}
        return list(found.values()) or [self.tools[name] for name in self.catalogue.called(reference.label)]

    def _labelled(self, state: State, fault: Fault, group: Sequence[Fault]) -> Iterator[State]:
        """Yield calls that get the label, if nobody refers to theirs."""
        used, at_fault = Labels(state.calls).used(), {each.call for each in group}
        for place, call in enumerate(state.calls):
            tool = self.tools.get(call.name)
            if tool is None or call.label in used or place in at_fault:
                continue
            if all(_has_result(tool, each) for each in group):
                new = replace(call, label=_reference(fault).label, has_label=True)
                yield state.put(place, new, _ANOTHER if call.has_label else CHANGE, 0.5)

    # --- arguments ---------------------------------------------------------------------------------

    def _undeclared(self, state: State, fault: Fault) -> Iterator[State]:
        """Yield other names for an argument that the tool has not, and the call without it."""
        call = state.calls[fault.call]
        value = call.arguments[fault.argument]
        for each in self.tools[call.name].inputs.values():
            distance = unlike(fault.argument, each.name)
            if each.name not in call.arguments and (distance <= _FAR or each.required):
                doubt = distance + (0.5 if converted(value, each.schema) else 0)
                cost = CHANGE if distance <= _FAR else _ANOTHER
                yield state.put(fault.call, call.renamed(fault.argument, each.name), cost, doubt)
        yield state.put(fault.call, call.renamed(fault.argument, None), _DROP_ARGUMENT)

    def _value(self, state: State, fault: Fault) -> Iterator[State]:
        """Yield values for an argument that is missing or does not fit: other forms, results, the user's word."""
        call = state.calls[fault.call]
        is_missing = fault.wrong is Wrong.MISSING
        if is_missing:
            known = [] if fault.wanted.default is None else [fault.wanted.default]
            known += fault.wanted.values if len(fault.wanted.values) == 1 else ()
        else:
            known = converted(call.arguments[fault.argument], fault.wanted)
        for number, value in enumerate(known):
            doubt = 0.1 if is_missing else 0.1 * number
            yield state.put(fault.call, call.with_argument(fault.argument, value), CHANGE, doubt)
        yield from self._given(state, fault, CHANGE if is_missing else CHANGE + 1)
        yield from self._new_call(state, fault, CHANGE)
        yield from self._left(state, fault)

    def opened(self, state: State, place: int, name: str) -> Iterator[State]:
        """Yield values for an argument of a new call: one of the same name in the list, a result, the user's word."""
        call = state.calls[place]
        wanted = self.tools[call.name].inputs[name].schema
        fault = Fault(
            call=place, wrong=Wrong.MISSING, kind=Kind.WRONG_ARGUMENT, detail="", argument=name, wanted=wanted
        )
        yield from self._copied(state, place, name)
        yield from self._given(state, fault, 0)
        yield from self._new_call(state, fault, 0)
        yield state.put(place, call.with_argument(name, asked(name)), ask_cost(name))

    def _copied(self, state: State, place: int, name: str) -> Iterator[State]:
        """Yield the values that calls of other tools give an argument of the same name."""
        call, seen = state.calls[place], list[object]()
        for each in state.calls:
            if each.is_answer or each.name == call.name or name not in each.arguments:
                continue  # what another call of the tool was given gives that one's result again
            value = each.arguments[name]
            is_circular = any(one.label == call.label for one in within(value, Labels(state.calls)))
            if value not in seen and not is_circular and self._is_fit(state, place, name, value):
                seen.append(value)
                yield state.put(place, call.with_argument(name, value), 0, 0.1 * len(seen))

    def _is_fit(self, state: State, place: int, name: str, value: object) -> bool:
        new = replace(state.calls[place], open=()).with_argument(name, value)
        looked = call_faults(place, state.put(place, new).calls, self.tools)
        return all(each.argument != name or each.wrong is Wrong.MISSING for each in looked)

    def _left(self, state: State, fault: Fault) -> Iterator[State]:
        """Yield what is left where nothing gives a value: it is left out where the tool can do without, else asked."""
        call = state.calls[fault.call]
        if omitted := list(self._omitted(state, fault)):
            yield from omitted
        elif call.is_answer:
            yield state.put(fault.call, call.renamed(fault.argument, None), CHANGE)
        else:
            yield self._point(state, fault, asked(fault.argument), CHANGE + ask_cost(fault.argument))

    def _omitted(self, state: State, fault: Fault) -> Iterator[State]:
        """Yield the call without an argument that its tool does not need; a result that was wanted costs more."""
        call = state.calls[fault.call]
        tool = self.tools.get(call.name)
        if tool is None or fault.argument not in call.arguments:
            return
        parameter = tool.inputs.get(fault.argument)
        if tool.takes_more(fault.argument) if parameter is None else not parameter.required:
            wanted = len(list(within(call.arguments[fault.argument], Labels(state.calls))))
            wanted = max(wanted, fault.reference is not None)
            cost = max(_ANOTHER, CHANGE * wanted) if wanted else _DROP_ARGUMENT
            yield state.put(fault.call, call.renamed(fault.argument, None), cost, 1.0)

    # --- results of calls --------------------------------------------------------------------------

    def _point(self, state: State, fault: Fault, text: str, cost: int, doubt: float = 0.0) -> State:
        """Return the state in which the argument, or what is at fault in it, is another text."""
        call = state.calls[fault.call]
        if fault.reference is None:
            new = call.with_argument(fault.argument, text)
        else:
            new = call.referring(fault.argument, fault.reference, text)
        return state.put(fault.call, new, cost, doubt)

    def _others(self, state: State, place: int) -> Iterator[tuple[float, ToolCall, Tool]]:
        """Yield the other calls with their tools, and how far off they stand: a later one has to be moved as well."""
        here = state.place_of(place)
        for other, call in enumerate(state.calls):
            tool = self.tools.get(call.name)
            distance = here - state.place_of(other)
            is_near = len(state.calls) <= MOST_CALLS or abs(distance) <= MOST_CALLS // 2
            if tool is not None and other != place and is_near:
                yield 0.2 * min(abs(distance) / MOST_CALLS, 1) + 0.5 * (distance < 0), call, tool

    def _given(self, state: State, fault: Fault, cost: int) -> Iterator[State]:
        """Yield results of other calls that have the name of an argument."""
        for far, other, tool in self._others(state, fault.call):
            for path, schema in tool.fields:
                if spelled(str(path[-1])) == spelled(fault.argument) and fits(schema, fault.wanted):
                    yield self._point(
                        state, fault, _written(fault, other.label, path), cost, 0.2 * (len(path) - 1) + far
                    )

    def _elsewhere(self, state: State, fault: Fault) -> Iterator[State]:
        """Yield the same field of other calls; a label that is misspelt, or the name of a tool, costs less."""
        reference = _reference(fault)
        path = reference.path
        for far, call, tool in self._others(state, fault.call):
            given = inner(tool.output, path) if path or tool.outputs else ANY
            if call.label != reference.label and given is not None and fits(given, fault.wanted):
                near = is_misspelt(reference.label, call.label) or spelled(reference.label) == spelled(call.name)
                doubt = far + unlike(reference.label, call.label)
                text = reference.written(call.label, path)
                yield self._point(state, fault, text, CHANGE if near else _ANOTHER, doubt)

    def _fields(self, state: State, fault: Fault) -> Iterator[State]:
        """Yield other fields of the same result."""
        reference = _reference(fault)
        place = target(reference, fault.call, Labels(state.calls), self.tools)
        tool = None if place is None else self.tools.get(state.calls[place].name)
        for path, schema in tool.fields if tool is not None else ():
            if path != reference.path and fits(schema, fault.wanted):
                doubt = _strangeness(reference.path, fault.argument, path)
                yield self._point(state, fault, reference.written(reference.label, path), CHANGE, doubt)

    def _by_name(self, state: State, fault: Fault) -> Iterator[State]:
        """Yield results with the name of the argument in place of another one, of calls that are there and new ones."""
        call = state.calls[fault.call]
        if not call.is_answer and call.arguments[fault.argument] == _reference(fault).text:
            yield from self._given(state, fault, _ANOTHER)
            yield from self._new_call(state, fault, _ANOTHER)

    def other_call(self, state: State, fault: Fault) -> Iterator[State]:
        """Yield for a reference to a later call what gives the value earlier."""
        path = _reference(fault).path
        ways = [*(self._elsewhere(state, fault) if path else ()), *self._by_name(state, fault)]
        ways += self._omitted(state, fault)
        for tool in self.catalogue.yielding(path):
            if _has_result(tool, fault):
                ways.append(self._inserted(state, fault, tool, path, _ANOTHER))
        yield from ways or self._left(state, fault)

    def _inserted(self, state: State, fault: Fault, tool: Tool, path: Path, cost: int) -> State:
        """Return the state in which an argument is the result of a new call."""
        label = self.fresh(state)
        pointed = self._point(state, fault, _written(fault, label, path), cost)
        doubt = self._doubt(state, state.calls[fault.call], tool, path)
        return pointed.inserted(tool, label, state.place_of(fault.call), CHANGE, doubt)

    def _new_call(self, state: State, fault: Fault, cost: int) -> Iterator[State]:
        """Yield new calls that yield something of the name of an argument, where they save questions."""
        name, own = spelled(fault.argument), state.calls[fault.call].name
        saving = {tool.name for tool, _, _ in self.catalogue.saving(self._lacking(state) | {name}, state.calls)}
        for tool, path in self.catalogue.with_field(fault.argument, fault.wanted) if saving else ():
            if tool.name != own and tool.name in saving and name not in tool.needs:
                yield self._inserted(state, fault, tool, path, cost)

    def _doubt(self, state: State, consumer: ToolCall, tool: Tool, path: Path) -> float:
        """Return how unlikely it is that a tool is meant: one that is told what it yields, that was called already."""
        name = words(str(path[-1])) if path else set()
        passes = bool(name) and any(each.required and name <= words(given) for given, each in tool.inputs.items())
        called = any(call.name == tool.name for call in state.calls)
        return passes + called / 2 + unlike(tool.name, consumer.name) / 4

    def fresh(self, state: State) -> str:
        """Return a label that nobody has or refers to."""
        labels = Labels(state.calls)
        stem = "node-" if any(label.startswith("node-") for label in self.taken) else "var"
        used = {*labels, *self.taken, *labels.used()}
        return next(label for number in range(1, len(used) + 2) if (label := f"{stem}{number}") not in used)

    # --- what open arguments cost ------------------------------------------------------------------

    def open_bound(self, state: State, is_growing: bool) -> int:
        """Return what the open arguments of a state cost at least; ``is_growing``: new calls are still to come."""
        names = self._unknown(state)
        if is_growing:
            names = {name for name in names if name not in self.catalogue.by_field}
        said = sum(ask_cost(name) for name in names if is_said(name))
        if said == sum(map(ask_cost, names)):
            return said
        saved = min(
            (cost / gain for _, gain, cost in self.catalogue.saving(names, state.calls)),
            default=float("inf"),
        )
        return int(sum(min(float(ask_cost(name)), saved) for name in names if not is_said(name))) + said

    def _unknown(self, state: State) -> set[str]:
        """Return the spelled names of the open arguments that nothing in the list gives."""
        known = self.catalogue.known(state.calls)
        return {name for call in state.calls for each in call.open if (name := spelled(each)) not in known}

    def _lacking(self, state: State) -> set[str]:
        """Return the spelled names of the arguments that a new call could give: needed ones and open ones."""
        found = self._unknown(state)
        for call in state.calls:
            if call.name in self.tools:
                given = {*call.arguments, *call.open}
                inputs = self.tools[call.name].inputs.items()
                found |= {spelled(name) for name, each in inputs if each.required and name not in given}
        return found


def _reference(fault: Fault) -> Reference:
    assert fault.reference is not None
    return fault.reference


def _written(fault: Fault, label: str, path: Path) -> str:
    """Return a reference as the author writes the one at fault."""
    return (fault.reference or Reference(label=label, path=path, text="$$")).written(label, path)


def _nameless(state: State, label: str) -> State:
    """Return a state in which no call is known by a label for its place alone, unless others refer to it so."""
    labels = Labels(state.calls)
    for place in labels.places.get(label, ()):
        if label not in labels.used(number for number in range(len(state.calls)) if number != place):
            return state.put(place, replace(state.calls[place], label=hidden(place, labels)))
    return state


def _has_result(tool: Tool, fault: Fault) -> bool:
    """Return whether the result of a tool is what a reference wants."""
    path = _reference(fault).path
    given = inner(tool.output, path)
    return given is not None and (not path or fits(given, fault.wanted))


def _strangeness(path: Path, argument: str, other: Path) -> float:
    """Return how unlikely a field is: most likely are a name like the written one, and the argument's own."""
    name = str(other[-1])
    written = unlike(str(path[-1]), name) if path else 1.0
    return min(written, unlike(argument, name) / 2 + 0.25) + 0.05 * (len(other) - len(path or (0,)))


def _unheard(names: Sequence[str], tool: Tool) -> float:
    """Return how little the names under which a whole result is used say of a tool: ``forecast_details``."""
    heard = {word for name in names for word in words(name)}
    return 0.5 * (1 - len(heard & words(tool.name)) / len(heard)) if heard else 0.0
