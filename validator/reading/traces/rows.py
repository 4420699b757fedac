"""Rows of the table of formats, and steps: what stands at the paths of an object, in order.

{"thought": "...", "action": "find_file x.py", "observation": "Found 1 match"}    SWE-agent: commands as text
{"action": {"tool": "search", "tool_input": "x"}, "observation": "..."}           LangChain's steps, ReAct's
{"step_number": 1, "tool_calls": [...], "observations": "..."}                    smolagents, ATIF
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from validator.reading.calls.objects import Asked, read_object
from validator.reading.calls.written import read_call
from validator.reading.traces.conversation import Conversation
from validator.reading.traces.messages import is_message
from validator.reading.traces.parts import Part, read_part
from validator.reading.traces.paths import at, first_value, meets, parsed, units, value_at
from validator.reading.traces.recording import Recorder
from validator.reading.traces.spans import request
from validator.records import dataclass

__all__ = ["Listed", "Row", "read_rows", "read_steps"]

_Object: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Where calls or answers are listed, which of the objects there are some, and the paths of what each says.

    ``call`` reads what no path can say.
    """

    at: str = ""
    when: str = ""
    name: str = "name"
    arguments: str = "args"
    identity: str = "id"
    result: str = ""
    error: str = "error"
    call: Callable[[_Object], Asked | None] | None = None

    def within(self, part: object) -> Iterator[_Object]:
        for each in at(part, self.at):
            if isinstance(each, Mapping) and (not self.when or meets(each, self.when)):
                yield each

    def asked(self, each: _Object) -> Asked | None:
        if self.call is not None:
            return self.call(each)
        name, identity = value_at(each, self.name), value_at(each, self.identity)
        call_id = None if identity is None else str(identity)
        return Asked(name=name if isinstance(name, str) else "", given=value_at(each, self.arguments), call_id=call_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One kind of outermost objects; what stands at ``each`` is read by itself, its calls where its chats have none.

    ``when`` is the condition that each object meets, ``needs`` one that some object of the trace meets.
    Plans and declarations of tools are looked for at ``fields``. ``steps`` are read where there is no call yet.
    A log with ``is_strict`` tells of each call by its identity once and of others besides: what asks again, and what
    answers nothing that is known, is passed over. Where ``are_under_way``, calls before the first answer were made at
    once.
    """

    name: str
    when: str
    needs: str = ""
    each: str = ""
    asks: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    chats: tuple[str, ...] = ()
    fields: str = ""
    calls: Listed | None = None
    answers: Listed | None = None
    steps: str = ""
    alias: str = ""
    is_strict: bool = False
    are_under_way: bool = False


def read_rows(rows: Sequence[Row], value: object, recorder: Recorder) -> None:
    """Read the objects inside a JSON value that are of some row."""
    found = list(units(value, lambda each: any(meets(each, row.when) for row in rows), recorder.fields))
    if any(row.needs and not any(meets(unit, row.needs) for unit in found) for row in rows):
        return
    batch: int | None = None
    for unit in found:
        row = next(row for row in rows if meets(unit, row.when))
        recorder.take(unit)
        recorder.format = row.name
        for part in at(unit, row.each):
            batch = _read_part(row, part, recorder, batch)


def _read_part(row: Row, part: object, recorder: Recorder, batch: int | None) -> int | None:
    """Record what a part says; return the number of the calls that are under way."""
    for path in row.asks:
        for asked in at(part, path):
            recorder.ask(request(asked))
    for path in row.says:
        for said in at(part, path):
            recorder.say(said)
    for held in at(part, row.fields) if row.fields else ():
        if isinstance(held, Mapping):
            recorder.fields(held)
    conversation, before = Conversation(recorder), len(recorder.calls)
    for path in row.chats:
        for chat in at(part, path):
            conversation.read_all(chat)
    has_called = len(recorder.calls) > before
    if row.steps and not has_called:
        recorder.messages = [
            each for each in recorder.messages if each.role == "user"
        ]  # the steps say the rest as well
        for step in at(part, row.steps):
            if isinstance(step, Mapping):
                _read_step(step, recorder)
    if row.calls is not None and not has_called:
        for each in row.calls.within(part):
            batch = recorder.batch() if row.are_under_way and batch is None else batch
            _read_call(row, row.calls, each, recorder, batch)
    if row.answers is not None:
        for each in row.answers.within(part):
            batch = None
            _read_answer(row, row.answers, each, recorder)
    return batch


def _read_call(row: Row, own: Listed, each: _Object, recorder: Recorder, batch: int | None) -> None:
    call = own.asked(each)
    if call is None or (row.is_strict and recorder.waits_for(call.call_id)):
        return
    index = recorder.call(call.name, call.given, call_id=call.call_id, batch=batch, time=call.time)
    if row.alias and index is not None:
        recorder.alias(value_at(each, row.alias), index)
    if own.result:
        recorder.result(index, value_at(each, own.result), value_at(each, own.error))


def _read_answer(row: Row, own: Listed, each: _Object, recorder: Recorder) -> None:
    identity = value_at(each, own.identity)
    if not row.is_strict or recorder.waits_for(identity):
        error = value_at(each, own.error) if own.error else None
        recorder.answer(identity, value_at(each, own.result), error, value_at(each, own.name))


# --- steps ---------------------------------------------------------------------------------------

_THOUGHTS = ("thought", "thinking", "reasoning", "response", "log", "message", "model_output")
_OBSERVED = ("observation", "observations", "tool_output", "result", "output")
_STEP = "action:text|object, observation|observations or intermediate_steps or step_id, source, message"
_WITH_CALLS = "tool_calls|toolCalls|*.tool_calls|*.toolCalls, !role|run_type"


def _is_step(value: _Object) -> bool:
    if meets(value, _STEP):
        return True
    return meets(value, _WITH_CALLS) and bool(_calls_of(value)) and not is_message(value)


def _calls_of(value: _Object) -> list[Part]:
    """Return the calls that stand in an object or in its details, where it is no message."""
    for listed in (each for path in _WITH_CALLS.partition(",")[0].split("|") for each in at(value, path)):
        calls = [read_part(call, is_call=True) for call in listed] if isinstance(listed, list) else []
        if any(part.call for part in calls):
            return [part for part in calls if part.call]
    return []


def read_steps(value: object, recorder: Recorder) -> None:
    """Read steps inside a JSON value, and LangChain's pairs of an action and what was observed."""
    for step in units(value, _is_step, recorder.fields):
        recorder.take(step)
        recorder.format = "steps"
        pairs = step.get("intermediate_steps")
        for inner in pairs if isinstance(pairs, list) else [step]:
            if isinstance(inner, list | tuple) and len(inner) == 2:
                action, seen = inner
                stored = action.get("kwargs") if isinstance(action, Mapping) and action.get("lc") else None
                _read_step({"action": stored or action, "observation": seen}, recorder)
            elif isinstance(inner, Mapping):
                _read_step(inner, recorder)


def _read_step(step: _Object, recorder: Recorder) -> None:
    """Record a step: what it says, its calls, and what was observed."""
    if step.get("source") == "user":
        recorder.ask(step.get("message"))
        return
    for thought in _THOUGHTS:
        recorder.say(step.get(thought))
    told = _calls_of(step)
    if not told and (call := _acted(step, recorder)) is not None:
        told = [Part(call=call)]
    batch = recorder.batch() if len(told) > 1 else None
    made = [recorder.tell(run, batch=batch) for run in told if run.call and not recorder.waits_for(run.call.call_id)]
    observed = first_value(step, _OBSERVED)
    results = value_at(observed, "results") if isinstance(observed, Mapping) else value_at(step, "tool_results")
    for result in results if isinstance(results, list) else ():
        if isinstance(result, Mapping):
            recorder.tell(read_part({"type": "tool_result", **result}))
    if len(made) == 1 and observed is not None and not isinstance(results, list):
        recorder.result(made[0], observed, step.get("error") or None)


_FIRST = re.compile(r"\s*(?P<name>[^\s(\[{;|&<>]+)")


def _acted(step: _Object, recorder: Recorder) -> Asked | None:
    """Return what a step did: a call as an object or as it is written, else a command with its name.

    How the rest of a command is split into arguments is not recorded, so that they are unknown.
    """
    action = parsed(step.get("action"))
    if isinstance(action, Mapping):
        call = read_object(action)
        return call if isinstance(call, Asked) else None
    if not isinstance(action, str):
        return None
    beside = read_object(step)
    if isinstance(beside, Asked) and beside.given is not None:
        return beside
    written = read_call(action)
    if written is not None:
        name, arguments = written
        named = {each.name: each.text for each in arguments or () if each.name is not None}
        given = named if len(named) == len(arguments or ()) else [each.text for each in arguments or ()]
        return Asked(name=name, given=given)
    match = _FIRST.match(action)
    recorder.is_guessed = recorder.is_guessed or match is not None
    return None if match is None else Asked(name=match["name"])
