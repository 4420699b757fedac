"""What an agent did, call by call: plain records of calls, and steps with what was thought and observed.

{"name": "f", "arguments": {"x": 1}, "result": "ok"}                                    records
{"thought": "...", "action": "find_file x.py", "observation": "Found 1 match"}          SWE-agent: commands as text
{"action": {"tool": "search", "tool_input": "x"}, "observation": "..."}                 LangChain's steps, ReAct's
{"step_number": 1, "tool_calls": [...], "observations": "..."}                          smolagents, ATIF
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from validator.errors import nearest
from validator.reading.calls.objects import (
    ARGUMENTS,
    ERRORS,
    IDENTITIES,
    NAMES,
    RESULT_TYPES,
    RESULTS,
    Asked,
    first_of,
    pick,
    read_object,
    spelled,
)
from validator.reading.calls.written import read_call
from validator.reading.traces.conversation import Conversation
from validator.reading.traces.messages import is_message
from validator.reading.traces.parts import Told, failure, missed_in, read_answer, read_part, runs_in
from validator.reading.traces.recording import Recorder
from validator.reading.traces.walk import at, first_text, parsed, spelled_keys, units, value_at

__all__ = ["read_records", "read_steps", "read_swe_agent"]

_OTHERS = frozenset(
    (
        *("type", "index", "parent", "agent", "status", "success", "is_error", "description", "reasoning", "timestamp"),
        *("time", "duration", "log", "batch", "step", "label", "content", "task", "start_time", "end_time"),
    )
)
_KNOWN = frozenset((*NAMES, *ARGUMENTS, *RESULTS, *ERRORS, *IDENTITIES, *_OTHERS, "function_call", "tool_call"))
_TELLING = frozenset((*ARGUMENTS, *RESULTS, *ERRORS))
_AROUND = frozenset(
    (
        *("children", "child_runs", "observations", "spans", "messages", "events", "run_type", "span_id", "trace_id"),
        *("parent_run_id", "parent_observation_id", "role", "choices", "candidates", "model", "usage", "steps"),
    )
)
"""Keys of what stands around calls, and of what is none: a record has none of them."""
_EMPTY: tuple[object, ...] = (None, "", [], {})
_TYPES = frozenset(
    (
        *("", "none", "function", "tool", "tool_call", "tool_use", "function_call", "call", "action", "step", "event"),
        *("agent_action", "tool_invocation", "tool_execution", "tool_event", "tool_start", "tool_end", "mcp_call"),
    )
)


@lru_cache(maxsize=1024)
def _spelled(keys: tuple[object, ...]) -> frozenset[str]:
    """Return the keys of an object as the lists of keys spell them; the records of a trace have the same."""
    return frozenset(spelled(str(key)) for key in keys)


def _is_record(value: Mapping[str, object], calls: dict[int, Asked]) -> bool:
    """Return whether an object is a record; the call that it is is kept in ``calls``."""
    own = _spelled(tuple(value))
    if not _AROUND.isdisjoint(own) and any(
        each not in _EMPTY for key, each in value.items() if spelled(str(key)) in _AROUND
    ):
        return False
    kind = spelled(str(value.get("type") or "")) if "type" in value else ""
    if kind in RESULT_TYPES:
        return bool(_TELLING & own)
    if kind not in _TYPES:
        return False
    call = read_object(value)
    if not isinstance(call, Asked) or not (call.given is not None or _TELLING & own or own <= _KNOWN):
        return False
    calls[id(value)] = call
    return True


def read_records(value: object, recorder: Recorder) -> None:
    """Read plain records of calls inside a JSON value; the empty list is a trace without any."""
    declared: set[int] = set()
    calls: dict[int, Asked] = {}

    def outside(each: Mapping[str, object]) -> None:
        declared.update(recorder.fields(each))

    for record in units(value, lambda each: id(each) not in declared and _is_record(each, calls), outside):
        recorder.take(record)
        if not _KNOWN.issuperset(_spelled(tuple(record))):
            recorder.fields({key: each for key, each in record.items() if spelled(str(key)) not in _KNOWN})
        _read(record, calls.get(id(record)), recorder)
    for each in _strange(value, {id(record) for record in recorder.taken}):
        recorder.miss(f"beside calls stands what may be one: {json.dumps(each, default=str)[:100]}")
    recorder.format = "records of calls"
    recorder.is_guessed = any("type" not in raw and not _says_call(raw) for raw in recorder.taken)


def _strange(value: object, taken: set[int]) -> Iterator[object]:
    """Yield the members of lists of records that may be calls and are not read: without a name, or a name alone."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        inner = list(each.values()) if isinstance(each, Mapping) else each if isinstance(each, list | tuple) else []
        waiting += [part for part in inner if isinstance(part, Mapping | list | tuple) and id(part) not in taken]
        records = [part for part in inner if id(part) in taken] if not isinstance(each, Mapping) else []
        if records:
            keys = frozenset().union(*(_spelled(tuple(record)) for record in records))
            yield from (part for part in inner if id(part) not in taken and _may_be_call(part, keys))


def _may_be_call(value: object, keys: frozenset[str]) -> bool:
    """Return whether a value may be a call that stands beside records with some keys: its name may be misspelled."""
    if isinstance(value, str):
        return _WORD.fullmatch(value) is not None
    if not isinstance(value, Mapping) or not _AROUND.isdisjoint(_spelled(tuple(value))):
        return False
    if spelled(str(value.get("type") or "")) not in _TYPES:
        return False
    own = {spelled(str(key)): part for key, part in value.items()}
    if not keys.intersection(own).isdisjoint(ARGUMENTS):
        return True
    texts = [key for key, part in own.items() if isinstance(part, str) and key not in _KNOWN]
    return any(_is_like_name(key, keys.intersection(NAMES)) for key in texts)


@lru_cache(maxsize=1024)
def _is_like_name(key: str, names: frozenset[str]) -> bool:
    return nearest(key, names) is not None


_WORD = re.compile(r"[^\W\d][\w.-]*+")

_ONLY_CALLS = frozenset(
    ("tool", "tool_name", "function", "function_name", "function_call", "arguments", "args", "kwargs")
)


def _says_call(raw: Mapping[str, object]) -> bool:
    """Return whether a record has a key that only calls have."""
    return not _ONLY_CALLS.isdisjoint(_spelled(tuple(raw)))


def _read(record: Mapping[str, object], call: Asked | None, recorder: Recorder) -> None:
    if call is None:
        recorder.tell(Told(answer=read_answer(record)))
        return
    own = spelled_keys(record)
    error, key = failure(own), first_of(own, RESULTS)
    result = None if key is None else own[key]
    has_result = key is not None or error is not None
    if _is_known(call, result, recorder):
        return
    if has_result and call.call_id is not None and _waits(call, recorder):
        recorder.answer(call.call_id, result, error)  # the end of a call whose beginning has a record of its own
        return
    batch = own.get("batch")
    index = recorder.call(
        call.name,
        _given(call),
        call_id=call.call_id,
        parent=first_text(own, ("parent", "agent")),
        batch=batch if isinstance(batch, int) else None,
    )
    if has_result:
        recorder.result(index, result, error)


def _given(call: Asked) -> object:
    """Return the arguments of a call; Dify keeps those of each tool under its name."""
    given = parsed(call.given)
    if isinstance(given, Mapping) and given.keys() == {call.name} and isinstance(given[call.name], Mapping):
        return given[call.name]
    return call.given


def _is_known(call: Asked, result: object, recorder: Recorder) -> bool:
    """Return whether a call with an identity was recorded before, with what is said of it here."""
    made = [recorder.calls[index] for index in recorder.of(call.call_id)]
    same = [each for each in made if each.name == call.name and each.arguments == call.arguments and each.has_result]
    return any(result is None or each.result == result for each in same)


def _waits(call: Asked, recorder: Recorder) -> bool:
    return any(
        not made.has_result and made.name == call.name
        for made in (recorder.calls[index] for index in recorder.of(call.call_id))
    )


# --- steps ---------------------------------------------------------------------------------------

_THOUGHTS = ("thought", "thinking", "reasoning", "response", "log", "message", "model_output")
_OBSERVED = ("observation", "observations", "tool_output", "result", "output")


def _is_run(value: Mapping[str, object]) -> bool:
    steps = value.get("trajectory")
    is_steps = isinstance(steps, list) and all(isinstance(each, Mapping) and "action" in each for each in steps)
    return is_steps and isinstance(value.get("history"), list)


def read_swe_agent(value: object, recorder: Recorder) -> None:
    """Read trajectories with their history: its calls of tools where it has any, else the commands of the steps."""
    for run in units(value, _is_run, recorder.fields):
        recorder.take(run)
        recorder.format = "SWE-agent trajectory"
        Conversation(recorder).read_all(run["history"])
        if not recorder.calls:
            recorder.said.clear()  # which the steps say as well
            for step in at(run, "trajectory[]"):
                _read_step(step, recorder, in_texts=False)  # type: ignore[arg-type]  # all of them are objects


_TOLD = frozenset(("step_id", "source", "message"))
"""Keys of a step that may be no more than what somebody said."""


def _is_step(value: Mapping[str, object]) -> bool:
    own = {spelled(str(key)) for key in value}
    if own >= _TOLD:
        return True
    if own.isdisjoint(("role", "run_type")) and _calls_of(value) is not None:
        return not is_message(value)
    return (
        "action" in own and bool(own & {"observation", "observations"}) and isinstance(value["action"], str | Mapping)
    )


def _calls_of(value: Mapping[str, object]) -> list[object] | None:
    """Return the calls that stand in an object or in its details, where it is no message."""
    for each in (value, *(inner for inner in value.values() if isinstance(inner, Mapping))):
        listed = each.get("tool_calls") or each.get("toolCalls")
        if isinstance(listed, list) and any(_asks(read_part(one, is_call=True)) for one in listed):
            return listed
    return None


def _asks(part: object) -> bool:
    return isinstance(part, Told) and part.call is not None


def read_steps(value: object, recorder: Recorder) -> None:
    """Read steps inside a JSON value, in the order in which they were made where all say when."""
    found = list(units(value, _is_step_or_numbered, recorder.fields))
    for step in found:
        recorder.take(step)
    steps = [inner for step in found for inner in _steps_of(step)]
    if not steps:
        return
    recorder.format = "steps"
    times = [step.get("created_at") for step in steps]
    if all(isinstance(time, int | float) for time in times):
        steps.sort(key=lambda step: step["created_at"])  # type: ignore[arg-type, return-value]
    in_texts = all("action" not in step and _calls_of(step) is None for step in steps)
    for step in steps:
        _read_step(step, recorder, in_texts=in_texts)


_NUMBERED_KEY = re.compile(
    r"(?P<key>(?:thought|reasoning|tool_name|tool_args|action|action_input|observation))_(?P<place>\d+)"
)


def _is_step_or_numbered(value: Mapping[str, object]) -> bool:
    return "tool_name_0" in value or "intermediate_steps" in value or _is_step(value)


def _steps_of(value: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the steps that an object is: itself, those numbered in its keys (DSPy), or its pairs (LangChain)."""
    pairs = value.get("intermediate_steps")
    if isinstance(pairs, list):
        listed = [pair for pair in pairs if isinstance(pair, list | tuple) and len(pair) == 2]
        return [{"action": _without_wrapping(action), "observation": seen} for action, seen in listed]
    if "tool_name_0" not in value:
        return [value]
    steps: dict[int, dict[str, object]] = {}
    for key, each in value.items():
        if match := _NUMBERED_KEY.fullmatch(str(key)):
            steps.setdefault(int(match["place"]), {})[match["key"]] = each
    return [_acting(step) for _, step in sorted(steps.items())]


def _acting(step: Mapping[str, object]) -> Mapping[str, object]:
    action = {"tool_name": step.get("tool_name"), "tool_args": step.get("tool_args")}
    return {**step, "action": action}


def _without_wrapping(action: object) -> object:
    return action.get("kwargs", action) if isinstance(action, Mapping) and action.get("lc") else action


def _read_step(step: Mapping[str, object], recorder: Recorder, *, in_texts: bool) -> None:
    """Record a step: what it says, its calls, and what was observed; ``in_texts`` looks for calls in what is said."""
    if step.get("source") == "user":
        recorder.ask(step.get("message"))
    listed = _calls_of(step)
    if listed is None and "action" not in step and step.get("source") != "agent":
        return
    for thought in _THOUGHTS:
        recorder.say(step.get(thought))
    parts: Iterable[object] = ()
    if listed is not None:
        parts = [read_part(each, is_call=True) for each in listed]
    elif "action" in step:
        parts = [Told(call=_acted(step, recorder))]
    elif in_texts and isinstance(said := step.get("message"), str):
        for each in missed_in(said):
            recorder.miss(each)
        parts = list(runs_in(said))
        recorder.is_guessed = recorder.is_guessed or bool(parts)
    told = [part for part in parts if isinstance(part, Told) and part.call is not None]
    batch = recorder.batch() if len(told) > 1 else None
    made = [
        recorder.tell(each, batch=batch) for each in told if each.call and not recorder.waits_for(each.call.call_id)
    ]
    key = pick(step, _OBSERVED)
    observed = None if key is None else step[key]
    results = value_at(observed, "results") if isinstance(observed, Mapping) else value_at(step, "tool_results")
    for each in results if isinstance(results, list) else ():
        answer = read_part({"type": "tool_result", **each}) if isinstance(each, Mapping) else None
        if isinstance(answer, Told):
            recorder.tell(answer)
    if len(made) == 1 and observed is not None and not isinstance(results, list):
        recorder.result(made[0], observed, step.get("error") or None)


_FIRST = re.compile(r"\s*(?P<name>[^\s(\[{;|&<>]+)")


def _acted(step: Mapping[str, object], recorder: Recorder) -> Asked | None:
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
