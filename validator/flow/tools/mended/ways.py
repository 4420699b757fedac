"""The edits that mend a fault: all that the search knows for its kind, so that some nearest list has one of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from validator.execution.trace import Kind
from validator.flow.tools.declared.fitting import Path, fits, inner, leaves
from validator.flow.tools.declared.schema import ANY, Schema
from validator.flow.tools.declared.specifications import Parameter, Tool
from validator.flow.tools.listed.calls import ToolCall, hidden
from validator.flow.tools.listed.faults import Fault, Labels, Wrong, faults, target
from validator.flow.tools.listed.references import Reference, asked, references, texts
from validator.flow.tools.mended.catalogue import Catalogue
from validator.flow.tools.mended.edits import (
    ANOTHER,
    CHANGE,
    DROP_ARGUMENT,
    DROP_CALL,
    FAR_TOOL,
    Edited,
    State,
    added,
    argument_renamed,
    argument_set,
    ask_cost,
    is_said,
    label_changed,
    put,
    reference_set,
    unlike,
)
from validator.flow.tools.mended.values import converted
from validator.reading.calls.keys import spelled

__all__ = ["Ways"]


@dataclass(frozen=True)
class Ways:
    """The ways to mend the faults of calls with a catalogue. ``taken`` are labels that new calls must not have."""

    catalogue: Catalogue
    taken: Collection[str]

    def of(self, state: State, fault: Fault, found: Sequence[Fault]) -> Iterator[Edited]:
        """Yield the edits that mend a fault, of all the faults that were found."""
        match fault.wrong:
            case Wrong.TOOL:
                yield from self._tool(state, fault)
            case Wrong.LABEL:
                yield from self._label(state, fault, found)
            case Wrong.TWICE:
                yield from self._twice(state, fault, found)
            case Wrong.MISSING:
                yield from self._missing(state, fault)
            case Wrong.UNDECLARED:
                yield from self._undeclared(state, fault)
            case Wrong.VALUE:
                yield from self._value(state, fault)
            case Wrong.OUTPUT:
                yield from self._output(state, fault)
            case Wrong.BROKEN:
                yield from self._broken(state, fault)
            case Wrong.LATER:
                yield from self.other_call(state, fault)
            case Wrong.EXTRA:
                call = replace(state.calls[fault.call], extra=0)
                yield Edited(calls=put(state.calls, fault.call, call), cost=CHANGE)

    # --- tools and labels ----------------------------------------------------------------------

    def _tool(self, state: State, fault: Fault) -> Iterator[Edited]:
        call = state.calls[fault.call]
        near = self.catalogue.near(call.name)
        alike = () if near else self._with_arguments(call)
        for cost, names in ((CHANGE, near), (FAR_TOOL, alike)):
            for name in names:
                renamed = put(state.calls, fault.call, replace(call, name=name))
                yield Edited(calls=renamed, cost=cost, doubt=unlike(name, call.name))
        rest = (*state.calls[: fault.call], *state.calls[fault.call + 1 :])
        yield Edited(calls=rest, cost=DROP_CALL)

    def _with_arguments(self, call: ToolCall) -> Iterator[str]:
        """Yield the tools that have all arguments of a call, and need no other."""
        for tool in self.catalogue.tools.values() if call.arguments else ():
            needed = {name for name, each in tool.inputs.items() if each.required}
            if needed <= call.arguments.keys() <= tool.inputs.keys():
                yield tool.name

    def _label(self, state: State, fault: Fault, found: Sequence[Fault]) -> Iterator[Edited]:
        """Yield what makes a label known: a new call that has it, a call that gets it, or the label of another call."""
        assert fault.reference is not None
        label = fault.reference.label
        group = [
            each for each in found if each.wrong is Wrong.LABEL and each.reference and each.reference.label == label
        ]
        ways = [*self._producers(state, fault, group), *self._labelled(state, fault, group)]
        ways += [*self._elsewhere(state, fault), *self._namesakes(state, fault)]
        yield from ways or self._left(state, fault)

    def _producers(self, state: State, fault: Fault, group: Sequence[Fault]) -> Iterator[Edited]:
        """Yield new calls that have the label and yield what the references to it name."""
        assert fault.reference is not None
        label, path = fault.reference.label, fault.reference.path
        state = self._without(state, label)
        if label in Labels(state.calls):
            yield from self.other_call(state, fault)
            return
        slot = min((_place(state, each.call) for each in group if not state.calls[each.call].is_answer), default=_END)
        tools = self._meant(fault)
        names = [each.argument for each in group if each.reference is not None and not each.reference.path]
        for tool in tools:
            doubt = self._doubt(state, state.calls[fault.call], tool, path) + _unheard(names, tool)
            yield Edited(calls=self._inserted(state, tool, label, slot), cost=CHANGE, doubt=doubt)

    def _meant(self, fault: Fault) -> list[Tool]:
        """Return the tools that may be meant: those that yield the field or something named as the argument, or so called."""
        assert fault.reference is not None
        tools = {tool.name: tool for tool in self.catalogue.producers(fault.reference.path)}
        if fault.reference.path:
            tools |= {tool.name: tool for tool, _ in self.catalogue.namesakes(fault.argument, fault.wanted)}
        named = [self.catalogue.tools[name] for name in self.catalogue.called(fault.reference.label)]
        return list(tools.values()) or named

    def _without(self, state: State, label: str) -> State:
        """Return a state in which no call is known by a label for its place alone, unless others refer to it so."""
        labels = Labels(state.calls)
        for place in labels.places.get(label, ()):
            others = (call for number, call in enumerate(state.calls) if number != place)
            if not any(each.label == label for call in others for each in _all_references(call, labels)):
                nameless = replace(state.calls[place], label=hidden(place, labels))
                return replace(state, calls=put(state.calls, place, nameless))
        return state

    def _doubt(self, state: State, consumer: ToolCall, tool: Tool, path: Path) -> float:
        """Return how unlikely it is that a tool is meant: one that is told what it yields, that was called already."""
        field = _words(str(path[-1])) if path else set()
        passes = bool(field) and any(each.required and field <= _words(name) for name, each in tool.inputs.items())
        called = any(call.name == tool.name for call in state.calls)
        return passes + called / 2 + unlike(tool.name, consumer.name) / 4

    def _inserted(self, state: State, tool: Tool, label: str, slot: int) -> tuple[ToolCall, ...]:
        needed = {name: each.required for name, each in tool.inputs.items()}
        return added(state.calls, tool.name, label, slot, needed)

    def _labelled(self, state: State, fault: Fault, group: Sequence[Fault]) -> Iterator[Edited]:
        """Yield calls that get the label, if nobody refers to theirs."""
        assert fault.reference is not None
        used = {each.label for call in state.calls for each in _all_references(call, Labels(state.calls))}
        for place, call in enumerate(state.calls):
            tool = self.catalogue.tools.get(call.name)
            if tool is None or call.label in used or place in {each.call for each in group}:
                continue
            if all(_has(tool, each) for each in group):
                cost = ANOTHER if call.has_label else CHANGE
                yield Edited(calls=label_changed(state.calls, place, fault.reference.label), cost=cost, doubt=0.5)

    def _elsewhere(self, state: State, fault: Fault) -> Iterator[Edited]:
        """Yield the same field of other calls; a label that is misspelt, or the name of a tool, costs less."""
        reference = fault.reference
        assert reference is not None
        path = reference.path
        for far, call, tool in self._others(state, fault.call):
            given = inner(tool.output, path) if path or tool.outputs else ANY
            if call.label == reference.label or given is None or not fits(given, fault.wanted):
                continue
            near = _is_misspelt(reference.label, call.label) or spelled(reference.label) == spelled(call.name)
            new = reference_set(state.calls[fault.call], fault.argument, reference, reference.written(call.label, path))
            doubt = far + unlike(reference.label, call.label)
            yield Edited(calls=put(state.calls, fault.call, new), cost=CHANGE if near else ANOTHER, doubt=doubt)

    def _others(self, state: State, place: int) -> Iterator[tuple[float, ToolCall, Tool]]:
        """Yield the other calls with their tools, and how far off they stand: a later one has to be moved as well."""
        here = _place(state, place)
        for other, call in enumerate(state.calls):
            tool = self.catalogue.tools.get(call.name)
            if tool is not None and other != place:
                distance = here - _place(state, other)
                yield 0.2 * min(abs(distance) / _MOST_CALLS, 1) + 0.5 * (distance < 0), call, tool

    def _left(self, state: State, fault: Fault) -> Iterator[Edited]:
        """Yield what is left where nothing gives a value: the user says it; a part of the answer is left out."""
        call = state.calls[fault.call]
        if call.is_answer:
            yield Edited(calls=put(state.calls, fault.call, argument_renamed(call, fault.argument, None)), cost=CHANGE)
            return
        word = asked(fault.argument)
        if fault.reference is None:
            new = argument_set(call, fault.argument, word)
        else:
            new = reference_set(call, fault.argument, fault.reference, word)
        yield Edited(calls=put(state.calls, fault.call, new), cost=CHANGE + ask_cost(fault.argument))

    def _twice(self, state: State, fault: Fault, found: Sequence[Fault]) -> Iterator[Edited]:
        """Yield other labels for the second call of a label: one that is referred to and unknown, or a new one."""
        groups: dict[str, list[Fault]] = {}
        for each in found:
            if each.wrong is Wrong.LABEL and each.reference is not None:
                groups.setdefault(each.reference.label, []).append(each)
        tool = self.catalogue.tools.get(state.calls[fault.call].name)
        for label, group in groups.items():
            if tool is None or all(_has(tool, each) for each in group):
                yield Edited(calls=label_changed(state.calls, fault.call, label), cost=CHANGE)
        fresh = self.fresh(state)
        meant = self._following(state, fault.call, fresh)
        yield Edited(calls=label_changed(meant, fault.call, fresh), cost=CHANGE, doubt=0.5)

    def _following(self, state: State, place: int, label: str) -> tuple[ToolCall, ...]:
        """Return the calls in which references that mean the second call of a label have its new one."""
        labels, calls = Labels(state.calls), state.calls
        first = self.catalogue.tools.get(calls[labels.places[calls[place].label][0]].name)
        for number, call in enumerate(state.calls):
            for name, value in call.arguments.items():
                for each in _references(value, labels):
                    is_first = first is not None and inner(first.output, each.path) is not None
                    if target(each, number, labels, self.catalogue.tools) == place and not is_first:
                        new = reference_set(calls[number], name, each, each.written(label, each.path))
                        calls = put(calls, number, new)
        return calls

    def fresh(self, state: State) -> str:
        """Return a label that nobody has or refers to."""
        labels = Labels(state.calls)
        used = {*labels, *self.taken, *(each.label for call in state.calls for each in _all_references(call, labels))}
        return next(label for number in range(1, len(used) + 2) if (label := f"var{number}") not in used)

    # --- arguments -----------------------------------------------------------------------------

    def _missing(self, state: State, fault: Fault) -> Iterator[Edited]:
        call = state.calls[fault.call]
        known = [] if fault.wanted.default is None else [fault.wanted.default]
        known += fault.wanted.values if len(fault.wanted.values) == 1 else ()
        for value in known:
            new = argument_set(call, fault.argument, value)
            yield Edited(calls=put(state.calls, fault.call, new), cost=CHANGE, doubt=0.1)
        yield from self._given(state, fault, CHANGE)
        yield from self._new_namesakes(state, fault, CHANGE)
        yield from self._left(state, fault)

    def _given(self, state: State, fault: Fault, cost: int) -> Iterator[Edited]:
        """Yield results of earlier calls that have the name of an argument."""
        call = state.calls[fault.call]
        for far, other, tool in self._others(state, fault.call):
            for path, schema in leaves(tool.output):
                if spelled(str(path[-1])) == spelled(fault.argument) and fits(schema, fault.wanted):
                    new = argument_set(call, fault.argument, _written(other.label, path))
                    doubt = 0.2 * (len(path) - 1) + far
                    yield Edited(calls=put(state.calls, fault.call, new), cost=cost, doubt=doubt)

    def _new_namesakes(self, state: State, fault: Fault, cost: int) -> Iterator[Edited]:
        """Yield new calls that yield something of the name of an argument."""
        call, label = state.calls[fault.call], self.fresh(state)
        paying = {tool.name for tool, _, _ in self._paying(state, self._lacking(state, fault))}
        for tool, path in self.catalogue.namesakes(fault.argument, fault.wanted) if paying else ():
            if tool.name != call.name and tool.name in paying and not self._is_told(tool, fault.argument):
                new = argument_set(call, fault.argument, _written(label, path))
                calls = put(state.calls, fault.call, new)
                slot = _place(state, fault.call)
                inserted = self._inserted(replace(state, calls=calls), tool, label, slot)
                doubt = self._doubt(state, call, tool, path)
                yield Edited(calls=inserted, cost=cost + CHANGE, doubt=doubt)

    def _lacking(self, state: State, fault: Fault) -> set[str]:
        """Return the spelled names of the arguments that a new call could give: this one, needed ones, open ones."""
        found = self._asked_for(state) | {spelled(fault.argument)}
        for call in state.calls:
            tool = self.catalogue.tools.get(call.name)
            if tool is not None:
                given = {*call.arguments, *call.open}
                found |= {spelled(name) for name, each in tool.inputs.items() if each.required and name not in given}
        return found

    def _is_told(self, tool: Tool, name: str) -> bool:
        """Return whether a tool needs to be told what it is asked for."""
        return any(spelled(each) == spelled(name) and one.required for each, one in tool.inputs.items())

    def _undeclared(self, state: State, fault: Fault) -> Iterator[Edited]:
        """Yield other names for an argument that the tool has not, and the call without it."""
        call = state.calls[fault.call]
        tool = self.catalogue.tools[call.name]
        value = call.arguments[fault.argument]
        free = [each for each in tool.inputs.values() if each.name not in call.arguments]
        for each in free:
            distance = unlike(fault.argument, each.name)
            if distance > _FAR and not each.required:
                continue
            new = argument_renamed(call, fault.argument, each.name)
            cost = CHANGE if distance <= _FAR else ANOTHER
            doubt = distance + (0.5 if converted(value, each.schema) else 0)
            yield Edited(calls=put(state.calls, fault.call, new), cost=cost, doubt=doubt)
        new = argument_renamed(call, fault.argument, None)
        yield Edited(calls=put(state.calls, fault.call, new), cost=DROP_ARGUMENT)

    def _value(self, state: State, fault: Fault) -> Iterator[Edited]:
        call = state.calls[fault.call]
        for number, value in enumerate(
            converted(call.arguments[fault.argument], _declared(self.catalogue, call, fault))
        ):
            new = argument_set(call, fault.argument, value)
            yield Edited(calls=put(state.calls, fault.call, new), cost=CHANGE, doubt=0.1 * number)
        whole = replace(fault, wanted=_declared(self.catalogue, call, fault))
        yield from self._given(state, whole, CHANGE + 1)
        yield from self._new_namesakes(state, whole, CHANGE)
        yield from self._left(state, whole)

    # --- references ----------------------------------------------------------------------------

    def _output(self, state: State, fault: Fault) -> Iterator[Edited]:
        """Yield other fields of the same result; where none fits, those of others, or the user's word."""
        assert fault.reference is not None
        reference, labels = fault.reference, Labels(state.calls)
        place = target(reference, fault.call, labels, self.catalogue.tools)
        assert place is not None
        tool = self.catalogue.tools[state.calls[place].name]
        ways = []
        for path, schema in leaves(tool.output):
            if path != reference.path and fits(schema, fault.wanted):
                new = reference_set(
                    state.calls[fault.call], fault.argument, reference, reference.written(reference.label, path)
                )
                doubt = _strangeness(reference.path, fault.argument, path)
                ways.append(Edited(calls=put(state.calls, fault.call, new), cost=CHANGE, doubt=doubt))
        ways += self._elsewhere(state, fault) if reference.path else ()
        ways += self._namesakes(state, fault)
        yield from ways or self._left(state, fault)

    def _namesakes(self, state: State, fault: Fault) -> Iterator[Edited]:
        """Yield results with the name of the argument in place of another one, of calls that are there and new ones."""
        assert fault.reference is not None
        call = state.calls[fault.call]
        if not call.is_answer and call.arguments[fault.argument] == fault.reference.text:
            yield from self._given(state, fault, ANOTHER)
            yield from self._new_namesakes(state, fault, ANOTHER)

    def _broken(self, state: State, fault: Fault) -> Iterator[Edited]:
        assert fault.reference is not None
        right = f"${fault.reference.text.lstrip('$')}"
        new = reference_set(state.calls[fault.call], fault.argument, fault.reference, right)
        yield Edited(calls=put(state.calls, fault.call, new), cost=CHANGE)

    def other_call(self, state: State, fault: Fault) -> Iterator[Edited]:
        """Yield for a reference to a later call what gives the value earlier."""
        assert fault.reference is not None
        path, label = fault.reference.path, self.fresh(state)
        ways = [*(self._elsewhere(state, fault) if path else ()), *self._namesakes(state, fault)]
        call, slot = state.calls[fault.call], _place(state, fault.call)
        for tool in self.catalogue.producers(path):
            written = fault.reference.written(label, path)
            calls = put(state.calls, fault.call, reference_set(call, fault.argument, fault.reference, written))
            inserted = self._inserted(replace(state, calls=calls), tool, label, slot)
            doubt = self._doubt(state, call, tool, path)
            ways.append(Edited(calls=inserted, cost=ANOTHER + CHANGE, doubt=doubt))
        yield from ways or self._left(state, fault)

    # --- new calls -----------------------------------------------------------------------------

    def opened(self, state: State, place: int, name: str) -> Iterator[Edited]:
        """Yield values for an argument of a new call: one of the same name in the list, a new result, the user's word."""
        call = state.calls[place]
        parameter = self.catalogue.tools[call.name].inputs[name]
        fault = Fault(
            call=place, wrong=Wrong.MISSING, kind=Kind.WRONG_ARGUMENT, detail="", argument=name, wanted=parameter.schema
        )
        yield from self._copied(state, place, parameter)
        yield from self._given(state, fault, 0)
        yield from self._new_namesakes(state, fault, 0)
        yield Edited(calls=put(state.calls, place, argument_set(call, name, asked(name))), cost=ask_cost(name))

    def _copied(self, state: State, place: int, parameter: Parameter) -> Iterator[Edited]:
        """Yield the values that other calls give an argument of the same name."""
        call, seen, labels = state.calls[place], list[object](), Labels(state.calls)
        for other, each in enumerate(state.calls):
            if each.is_answer or each.name == call.name or parameter.name not in each.arguments:
                continue  # what another call of the tool was given gives that one's result again
            value = each.arguments[parameter.name]
            mine = argument_set(replace(call, open=()), parameter.name, value)
            if (
                value in seen
                or _is_circular(value, call, labels)
                or self._is_unfit(state, place, mine, parameter.name)
            ):
                continue
            seen.append(value)
            new = argument_set(call, parameter.name, value)
            yield Edited(calls=put(state.calls, place, new), cost=0, doubt=0.1 * len(seen))

    def _is_unfit(self, state: State, place: int, call: ToolCall, name: str) -> bool:
        looked = faults(put(state.calls, place, call), self.catalogue.tools, order=False)
        return any(each.call == place and each.argument == name and each.wrong is not Wrong.MISSING for each in looked)

    # --- what a further call saves -------------------------------------------------------------

    def open_bound(self, state: State, is_growing: bool) -> int:
        """Return what the open arguments of a state cost at least; ``is_growing`` says that new calls are still to come."""
        names = self._asked_for(state)
        if is_growing:
            names = {name for name in names if not self.catalogue.yielding((name,))}
        paying = self._paying(state, names)
        unsaid = [name for name in names if not is_said(name)]
        saved = min((cost / gain for _, gain, cost in paying), default=float("inf"))
        least = sum(min(float(ask_cost(name)), saved) for name in unsaid)
        return int(least) + sum(ask_cost(name) for name in names if is_said(name))

    def _asked_for(self, state: State) -> set[str]:
        """Return the spelled names of the open arguments that nothing in the list gives."""
        known = self._known(state)
        return {name for call in state.calls for each in call.open if (name := spelled(each)) not in known}

    def _known(self, state: State) -> set[str]:
        """Return the spelled names of all that calls of a state are given or yield."""
        found: set[str] = set()
        for call in state.calls:
            if call.name in self.catalogue.tools:
                found.update(map(spelled, call.arguments))
                found |= self.catalogue.yields(self.catalogue.tools[call.name])
        return found

    def _paying(self, state: State, names: Collection[str]) -> list[tuple[Tool, int, int]]:
        """Return the tools that yield what no user says and need less to be said, with how many values and their cost."""
        unsaid = {name for name in names if not is_said(name)}
        known, found = self._known(state) if unsaid else set(), []
        for tool in self.catalogue.yielding(unsaid):
            needs = self.catalogue.needs(tool)
            gain = self.catalogue.yields(tool).intersection(unsaid) - needs
            cost = CHANGE + sum(map(ask_cost, needs - known))
            if cost < sum(map(ask_cost, gain)):
                found.append((tool, len(gain), cost))
        return found


_END = 1_000_000
"""behind all calls"""
_MOST_CALLS = 100
"""distance in a list that counts"""
_FAR = 0.5
"""how far names may differ that are near"""


def _place(state: State, place: int) -> int:
    """Return where a call stands in the list that was given; a new one, where it belongs at the latest."""
    call = state.calls[place]
    return call.slot if call.place is None else call.place


def _written(label: str, path: Path) -> str:
    return Reference(label=label, path=path, text="$$").written(label, path)


def _references(value: object, labels: Labels) -> Iterator[Reference]:
    for text in texts(value):
        yield from references(text, labels)


def _all_references(call: ToolCall, labels: Labels) -> Iterator[Reference]:
    for value in call.arguments.values():
        yield from _references(value, labels)


def _is_circular(value: object, call: ToolCall, labels: Labels) -> bool:
    return any(each.label == call.label for each in _references(value, labels))


def _has(tool: Tool, fault: Fault) -> bool:
    """Return whether the result of a tool is what a reference wants."""
    assert fault.reference is not None
    given = inner(tool.output, fault.reference.path)
    return given is not None and (not fault.reference.path or fits(given, fault.wanted))


def _strangeness(path: Path, argument: str, other: Path) -> float:
    """Return how unlikely a field is: most likely are a name like the written one, and the argument's own."""
    name = str(other[-1])
    written = unlike(str(path[-1]), name) if path else 1.0
    return min(written, unlike(argument, name) / 2 + 0.25) + 0.05 * (len(other) - len(path or (0,)))


def _unheard(names: Sequence[str], tool: Tool) -> float:
    """Return how little the names under which a whole result is used say of a tool: ``forecast_details``."""
    words = {word for name in names for word in _words(name)}
    return 0.5 * (1 - len(words & _words(tool.name)) / len(words)) if words else 0.0


def _words(name: str) -> set[str]:
    return {word.casefold().rstrip("s") for word in _WORD.findall(name)}


_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def _is_misspelt(one: str, other: str) -> bool:
    """Return whether two labels are the same word, though not the same; other numbers are other words."""
    letters = ["".join(filter(str.isalpha, each.casefold())) for each in (one, other)]
    digits = ["".join(filter(str.isdigit, each)) for each in (one, other)]
    return digits[0] == digits[1] and unlike(*letters) <= 0.25


def _declared(catalogue: Catalogue, call: ToolCall, fault: Fault) -> Schema:
    return catalogue.tools[call.name].inputs[fault.argument].schema
