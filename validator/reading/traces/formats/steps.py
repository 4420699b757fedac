"""Steps of an agent that acts and observes: SWE-agent's, OpenHands', ReAct's, smolagents'.

{"thought": "...", "action": "find_file x.py", "observation": "Found 1 match"}          commands as text
{"source": "agent", "action": "run", "args": {"command": "ls"}}                         events, answered by "cause"
{"action": {"tool": "search", "tool_input": "x"}, "observation": "..."}                 LangChain's steps
{"step_number": 1, "tool_calls": [...], "observations": "..."}                          smolagents, ATIF
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from validator.reading.calls.keys import pick, spelled
from validator.reading.calls.objects import Asked, read_object
from validator.reading.calls.written import read_call
from validator.reading.traces.chat.conversation import Conversation, chat_units
from validator.reading.traces.chat.messages import read_message
from validator.reading.traces.chat.parts import Answer, Run, read_part
from validator.reading.traces.chat.spoken import missed_in, runs_in
from validator.reading.traces.recorder import Recorder
from validator.reading.traces.walk import parsed, units

__all__ = ["read_events", "read_steps", "read_swe_agent"]

_THOUGHTS = ("thought", "thinking", "reasoning", "response", "log", "message", "model_output")
_OBSERVED = ("observation", "observations", "tool_output", "result", "output")


# --- SWE-agent -----------------------------------------------------------------------------------


def _is_run(value: Mapping[str, object]) -> bool:
    steps = value.get("trajectory")
    is_steps = isinstance(steps, list) and all(isinstance(each, Mapping) and "action" in each for each in steps)
    return is_steps and isinstance(value.get("history"), list)


def read_swe_agent(value: object, recorder: Recorder) -> None:
    """Read trajectories with their history: its calls of tools where it has any, else the commands of the steps."""
    for run in units(value, _is_run, recorder.fields):
        recorder.take(run)
        recorder.format = "SWE-agent trajectory"
        messages = list(chat_units(run["history"], lambda _: None))
        conversation = Conversation(recorder)
        has_calls = any(message.calls for message, _ in messages if message.raw.get("is_demo") is not True)
        for message, home in messages:
            if has_calls:
                conversation.read(message, home)
            elif message.role == "user" and message.raw.get("is_demo") is not True:
                recorder.ask(next(iter(message.texts), None))
        if not has_calls:
            steps = run["trajectory"]
            for step in steps if isinstance(steps, list) else ():
                _acted(step, recorder)


# --- steps ---------------------------------------------------------------------------------------


_TOLD = frozenset(("step_id", "source", "message"))
"""Keys of a step that may be no more than what somebody said."""


def _is_step(value: Mapping[str, object]) -> bool:
    own = {spelled(str(key)) for key in value}
    if own >= _TOLD:
        return True
    if "role" in own or "run_type" in own or "source" in own:
        return _calls_of(value) is not None and "role" not in own and bool(own & {"observation", "step_id"})
    if _calls_of(value) is not None:
        return read_message(value) is None
    return (
        "action" in own and bool(own & {"observation", "observations"}) and isinstance(value["action"], str | Mapping)
    )


def _calls_of(value: Mapping[str, object]) -> list[object] | None:
    """Return the calls that stand in an object or in its details, where it is no message."""
    for each in (value, *(inner for inner in value.values() if isinstance(inner, Mapping))):
        listed = each.get("tool_calls") or each.get("toolCalls")
        if isinstance(listed, list) and any(isinstance(read_part(one, is_call=True), Asked | Run) for one in listed):
            return listed
    return None


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
        listed = _calls_of(step)
        if listed is None and "action" not in step:
            _told(step, recorder, in_texts=in_texts)
        elif listed is None:
            _acted(step, recorder)
        else:
            _called(step, listed, recorder)


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


def _called(step: Mapping[str, object], listed: list[object], recorder: Recorder) -> None:
    for text in _thoughts(step):
        recorder.say(text)
    parts = [read_part(each, is_call=True) for each in listed]
    batch = recorder.batch() if len(parts) > 1 else None
    made = []
    for part in parts:
        call = part.call if isinstance(part, Run) else part
        if not isinstance(call, Asked) or (recorder.of(call.call_id) and recorder.waits_for(call.call_id)):
            continue
        index = recorder.call(call.name, call.given, call_id=call.call_id, batch=batch)
        made.append(index)
        if isinstance(part, Run) and part.answer is not None:
            recorder.result(index, part.answer.value, part.answer.error)
    observed = _observed(step)
    beside = pick(step, ("tool_results",))
    results = observed.get("results") if isinstance(observed, Mapping) else beside and step[beside]
    if isinstance(results, list):
        for each in results:
            answer = read_part({"type": "tool_result", **each}) if isinstance(each, Mapping) else None
            if isinstance(answer, Answer):
                recorder.answer(answer.call_id, answer.value, answer.error)
    elif len(made) == 1 and observed is not None:
        recorder.result(made[0], observed, step.get("error") or None)


def _told(step: Mapping[str, object], recorder: Recorder, *, in_texts: bool) -> None:
    """Record a step that says something; ``in_texts`` looks for calls there."""
    said = step.get("message")
    if step.get("source") == "user":
        recorder.ask(said)
    if step.get("source") != "agent":
        return
    for text in _thoughts(step):
        recorder.say(text)
    if not in_texts or not isinstance(said, str):
        return
    for each in missed_in(said):
        recorder.miss(each)
    made = [recorder.call(run.call.name, run.call.given) for run in runs_in(said)]
    recorder.is_guessed = recorder.is_guessed or bool(made)
    observed = _observed(step)
    results = observed.get("results") if isinstance(observed, Mapping) else None
    contents = (
        [each.get("content") for each in results if isinstance(each, Mapping)] if isinstance(results, list) else []
    )
    if len(made) == len(contents):
        for index, content in zip(made, contents, strict=True):
            recorder.result(index, content)


def _thoughts(step: Mapping[str, object]) -> Iterator[str]:
    yield from (each for key in _THOUGHTS if isinstance(each := step.get(key), str))


def _observed(step: Mapping[str, object]) -> object:
    key = pick(step, _OBSERVED)
    return None if key is None else step[key]


_FIRST = re.compile(r"\s*(?P<name>[^\s(\[{;|&<>]+)")


def _acted(step: Mapping[str, object], recorder: Recorder) -> None:
    """Record what a step did: a call as an object or as it is written, else a command with its name."""
    for text in _thoughts(step):
        recorder.say(text)
    action = parsed(step.get("action"))
    call: Asked | str = "it is a text"
    if isinstance(action, Mapping):
        call = read_object(action)
    elif isinstance(action, str):
        beside = read_object(step)
        call = beside if isinstance(beside, Asked) and beside.given is not None else call
    index = None
    if isinstance(call, Asked):
        index = recorder.call(call.name, call.given, call_id=call.call_id)
    elif isinstance(action, str) and action.strip():
        index = _command(action, recorder)
    observed = _observed(step)
    if index is not None and observed is not None:
        recorder.result(index, observed)


def _command(action: str, recorder: Recorder) -> int | None:
    """Record a command: how the rest of its line is split into arguments is not recorded, so that they are unknown."""
    written = read_call(action)
    if written is not None:
        name, arguments = written
        named = {each.name: each.text for each in arguments or () if each.name is not None}
        given = named if len(named) == len(arguments or ()) else [each.text for each in arguments or ()]
        return recorder.call(name, given)
    match = _FIRST.match(action)
    recorder.is_guessed = True
    return None if match is None else recorder.call(match["name"])


# --- OpenHands -----------------------------------------------------------------------------------

_NO_TOOLS = frozenset(
    "message system start null think recall finish reject change_agent_state condensation pause resume stop".split()  # noqa: SIM905
)
_BOOKKEEPING = frozenset(
    (
        *("thought", "confirmation_state", "security_risk", "hidden", "is_input", "blocking", "is_confirmed"),
        *("wait_for_response", "translated_ipython_code"),
    )
)


def _is_event(value: Mapping[str, object]) -> bool:
    acts = isinstance(value.get("action"), str) or isinstance(value.get("observation"), str)
    return acts and "source" in value and "id" in value


def read_events(value: object, recorder: Recorder) -> None:
    """Read OpenHands' events: actions of the agent, and the observations that they caused."""
    made: dict[object, int | None] = {}
    for event in units(value, _is_event, recorder.fields):
        recorder.take(event)
        recorder.format = "OpenHands events"
        action, args = event.get("action"), event.get("args")
        own: Mapping[str, object] = args if isinstance(args, Mapping) else {}
        if isinstance(action, str):
            if event.get("source") == "user":
                recorder.ask(own.get("content") or event.get("message"))
                continue
            recorder.say(own.get("thought") or (own.get("content") if action == "message" else None))
            made[event["id"]] = _event_call(event, action, own, recorder)
        elif made.get(event.get("cause")) is not None:
            extras = event.get("extras")
            failed = event.get("observation") == "error" or (
                (isinstance(extras, Mapping) and extras.get("success") is False) or None
            )
            recorder.result(made[event.get("cause")], event.get("content"), failed)


def _event_call(event: Mapping[str, object], action: str, args: Mapping[str, object], recorder: Recorder) -> int | None:
    told = event.get("tool_call_metadata")
    metadata: Mapping[str, object] = told if isinstance(told, Mapping) else {}
    identity = metadata.get("tool_call_id")
    for asked in _asked(metadata.get("model_response")):
        if asked.call_id == identity:
            return recorder.call(asked.name, asked.given, call_id=identity)
    inner = read_object(args)
    if "name" in args and isinstance(inner, Asked):  # a tool of another server: the action is the envelope
        return recorder.call(inner.name, inner.given, call_id=identity)
    name = metadata.get("function_name")
    if name is None and action in _NO_TOOLS:
        return None
    given = {key: each for key, each in args.items() if key not in _BOOKKEEPING and each is not None}
    return recorder.call(name or action, given, call_id=identity)


def _asked(response: object) -> Iterator[Asked]:
    for message, _ in chat_units(response, lambda _: None):
        yield from message.calls
