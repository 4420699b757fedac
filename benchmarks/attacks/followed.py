"""Attacks on whether a plan was followed: plans and traces of any form, pieces of both that nobody understands."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from benchmarks.attacks.kind import Kind, outcome
from tests.support.adherence_oracle import OPEN, Compared, Wanted, compared, counted
from tests.support.written_traces import FORMATS, Form, Made
from validator.adherence import Adherence, RowKind, adhere
from validator.adherence.figures.requirements import Requirement, met
from validator.adherence.values import Outcome
from validator.errors import InputError, PlanError

__all__ = ["KINDS"]

_TOOLS: Mapping[str, tuple[str, ...]] = {
    "open_box": ("box", "key"),
    "send": ("to", "what", "how"),
    "mark_all": ("what",),
    "get_box": ("box",),
    "search_boxes": ("what", "most"),
    "close_up": (),
}
_READING = {"get_box", "search_boxes"}
"""tools that change nothing, as their names say"""

_PLAIN: Sequence[Any] = ("a", "b7", "oslo", 1, 2, "1", 1.0, 2.5, True, "true")
_VALUES: Sequence[Any] = (*_PLAIN, "New York", "Oslo", None, "", {"k": [1, "x"]}, {"k": [1.0, "x"]}, [1, 2], ["a"])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A plan as it is meant and as it is written; None where the trace says it, which then has it among its words."""

    wanted: tuple[Wanted, ...]
    written: Any
    said: tuple[str, ...] = ()


# --- a plan and a trace that are understood ----------------------------------------------------------


def _compared(seed: int) -> Iterator[str]:
    """Compare a plan with a trace, both in any form, and look at every alignment."""
    draw = Random(f"followed {seed}")
    kind = draw.choice(sorted(FORMATS))
    form = FORMATS[kind]
    values = draw.choice((_PLAIN, _VALUES))
    steps = [_step(draw, values) for _ in range(draw.randint(0, 4))]
    case = _planned(draw, steps, form)
    calls = _made(draw, steps, form, values)
    if not calls and not (kind == "records" and case.written is not None):
        return  # only the empty list says that no call was made
    policy = draw.choice(("fold", "fold", "count", "drop"))
    trace = form.write(calls, case.said, draw)
    if not isinstance(trace, str) and draw.random() < 0.5:
        trace = json.dumps(trace)
    reading = draw.choice((None, (), ("send", "GET-BOX")))
    result = adhere(case.written, trace, failed_calls=policy, read_only=reading)
    told = (kind, case, calls, policy, reading, result)
    kept = counted(_parted(calls, form), policy)
    free = _READING if reading is None else {name.lower().replace("-", "_") for name in reading}
    best = compared(case.wanted, kept, {})
    _compare(result, best, kept, free, told)
    yield outcome(result.outcome in (Outcome.FOLLOWED, Outcome.DEVIATED))


def _compare(result: Adherence, best: Compared, kept: Sequence[Made], free: set[str], told: object) -> None:
    """Compare rows and figures with the heaviest chains."""
    assert result.plan is not None, told
    rows = result.rows
    steps = [row.planned.index for row in rows if row.planned is not None]
    calls = [row.executed.index for row in rows if row.executed is not None]
    assert sorted(steps) == list(range(best.steps)) and len(calls) == len(set(calls)), told
    counting = [row for row in rows if row.kind not in (RowKind.RETRIED, RowKind.FAILED)]
    assert sum(row.executed is not None for row in counting) == best.calls, told
    assert result.weight == best.weight, (told, best)
    assert sum(row.kind is RowKind.MATCHED for row in rows) == best.equal, (told, best)
    extra = [row.executed.name for row in rows if row.kind is RowKind.EXTRA and row.executed is not None]
    changing = best.calls - sum(name in free for name in extra)
    longer = max(best.steps, changing)
    assert result.exact == (best.weight / longer if longer else 1), (told, best)
    is_followed = best.weight == best.steps and not any(name not in free for name in extra)
    assert result.outcome is (Outcome.FOLLOWED if is_followed else Outcome.DEVIATED), (told, best)
    assert met(result, [Requirement.FOLLOWED]).holds is is_followed, told
    assert not (is_followed and result.missing) and len(result.calls) == len(told_calls(result)), told


def told_calls(result: Adherence) -> list[int]:
    return [row.executed.index for row in result.rows if row.executed is not None]


def _parted(calls: Sequence[Made], form: Form) -> list[Made]:
    """Return calls that are made at once only where the form tells that."""
    return [replace(call, batch=call.batch if form.has_batches else n) for n, call in enumerate(calls)]


def _step(draw: Random, values: Sequence[Any]) -> tuple[str, dict[str, Any]]:
    name = draw.choice(sorted(_TOOLS))
    given = [each for each in _TOOLS[name] if draw.random() < 0.8]
    return name, {each: draw.choice(values) for each in given}


def _made(draw: Random, steps: Sequence[tuple[str, dict[str, Any]]], form: Form, values: Sequence[Any]) -> list[Made]:
    """Return the steps as calls, with deviations: left out, doubled, exchanged, with other arguments, failed."""
    made = [(name, dict(given)) for name, given in steps]
    for _ in range(draw.choice((0, 0, 1, 1, 2, 3))):
        place = draw.randrange(len(made) + 1)
        match draw.choice(("drop", "add", "move", "change", "change", "lose")):
            case "drop":
                del made[place : place + 1]
            case "add":
                made.insert(place, _step(draw, values) if draw.random() < 0.6 or not made else draw.choice(made))
            case "move" if made:
                made.insert(place, made.pop(draw.randrange(len(made))))
            case "change" if place < len(made) and _TOOLS[made[place][0]]:
                made[place][1][draw.choice(_TOOLS[made[place][0]])] = draw.choice(values)
            case "lose" if place < len(made) and made[place][1]:
                made[place] = made[place][0], dict(list(made[place][1].items())[1:])
    found, batch = list[Made](), 0
    for name, given in made[:6]:
        failed = form.has_errors and draw.random() < 0.2
        if failed:
            batch += 1
            found.append(Made(name=name, arguments=given, error="no such thing", batch=batch))
        if not failed or draw.random() < 0.7:
            alone = not form.has_batches or (bool(found) and found[-1].error is not None)
            batch += alone or draw.random() < 0.7
            result = draw.choice(("done", "an error occurred", "7", "ok"))
            found.append(Made(name=name, arguments=given, result=result, batch=batch))
    return found


# --- how a plan is written ---------------------------------------------------------------------------


def _planned(draw: Random, steps: Sequence[tuple[str, dict[str, Any]]], form: Form) -> _Case:
    ways = ["values", "json", "texts", "lines", "numbered", "pddl", "names", "sets", "open"]
    way = draw.choice([*ways, *(["said", "said"] if form.has_words and steps else [])])
    if way in ("values", "json", "sets", "open"):
        return _as_values(draw, steps, way)
    if way == "pddl":
        wanted = tuple(
            Wanted(name=name, arguments=dict(enumerate(given.values())), types="none") for name, given in steps
        )
        if all(_is_word(value) for _, given in steps for value in given.values()):
            lines = [f"({' '.join((name, *map(_word, given.values())))})" for name, given in steps]
            return _Case(wanted=wanted, written="\n".join(lines) or "; empty plan")
        way = "texts"
    if way == "names":
        wanted = tuple(Wanted(name=name, arguments=None, types="all") for name, _ in steps)
        spelled = {name: _spelled(draw, name) for name in _TOOLS}
        return _Case(wanted=wanted, written=[spelled[name] for name, _ in steps])
    wanted = tuple(Wanted(name=name, arguments=dict(given), types="quoted") for name, given in steps)
    lines = [_call(name, given) for name, given in steps]
    if way == "texts" or not lines:
        return _Case(wanted=wanted, written=lines)
    numbered = "".join(f"{number}. {line}\n" for number, line in enumerate(lines, 1))
    if way == "said":
        return _Case(wanted=wanted, written=None, said=(f"{draw.choice(_HEADS)}\n{numbered}",))
    text = numbered if way == "numbered" else "".join(f"{line}\n" for line in lines)
    if draw.random() < 0.3:
        text = f"```\n{text}```\n"
    return _Case(wanted=wanted, written=f"{draw.choice(('', '', *_HEADS))}\n{text}".lstrip())


_HEADS = ("Plan:", "My plan is:", "Here is the plan:", "## Plan")


def _as_values(draw: Random, steps: Sequence[tuple[str, dict[str, Any]]], way: str) -> _Case:
    name, given = draw.choice((("name", "arguments"), ("tool", "args"), ("tool_name", "parameters")))
    wanted = [Wanted(name=tool, arguments=dict(own), types="all") for tool, own in steps]
    spelled = {tool: _spelled(draw, tool) for tool in _TOOLS}
    values: list[Any] = [{name: spelled[tool], given: own} for tool, own in steps]
    if way == "open" and (chosen := [place for place, (_, own) in enumerate(steps) if own]):
        place = draw.choice(chosen)
        key = draw.choice(sorted(steps[place][1]))
        own = dict(steps[place][1])
        wanted[place] = replace(wanted[place], arguments={**own, key: OPEN})
        values[place] = {**values[place], given: {**own, key: draw.choice(("<any>", "$key", "{key}", "..."))}}
    if way == "sets" and len(values) > 1:
        place = draw.randrange(len(values) - 1)
        wanted = [replace(each, batch=0) if place <= n <= place + 1 else each for n, each in enumerate(wanted)]
        values = [*values[:place], values[place : place + 2], *values[place + 2 :]]
    written: Any = draw.choice((values, {"plan": values}, {"steps": values})) if values else values
    return _Case(wanted=tuple(wanted), written=json.dumps(written) if way == "json" else written)


def _spelled(draw: Random, name: str) -> str:
    return draw.choice((name, name, name.upper(), name.replace("_", "-")))


def _call(name: str, given: Mapping[str, Any]) -> str:
    return f"{name}({', '.join(f'{key}={json.dumps(value)}' for key, value in given.items())})"


def _is_word(value: Any) -> bool:
    return isinstance(value, bool | int | float) or (isinstance(value, str) and value.isalnum())


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


# --- pieces of the plan that nobody understands ------------------------------------------------------

_STEPS = (
    *("post the parcel to Bob", "Then burn it.", "After this, ring the bell", "water the plants", "Go home"),
    *("Make sure that the door is shut.", "Also ring the bell twice", "You should then ring the bell", "Now wait"),
    *("The bell must be rung next.", "Ring, then wait", "finally, tidy up", "I will ring the bell after that"),
    *("and ring the bell", "Wait for an hour, then look again", "Clean up", "Next, water the plants"),
    *("Ring the bell (it is loud)", "Go on to the next box", "Please ring the bell", "We need to ring the bell."),
    *("Don't forget to ring the bell.", "It is then time to ring the bell", "All bells should be rung"),
    *("In the end ring the bell", "To finish, ring the bell", "At noon, ring the bell", "With a hammer, ring the bell"),
    *("On arrival ring the bell", "Check the bell", "End by ringing the bell", "Start by ringing the bell"),
    *("Before that, ring the bell", "Once done, ring the bell", "Thus, ring the bell", "So ring the bell"),
)
"""what may be a step, and names no tool"""

_REMARKS = (
    *(
        "This is what I would do.",
        "# by hand",
        "Why: it is locked",
        "That is all.",
        "The door is shut now.",
        "// see it",
    ),
    *("Let me know!", "Hope this helps.", "I hope this works for you.", "Done.", "Here is what I would do.", "---"),
    *("Note: doors are heavy", "These are all steps.", "Goal: all doors are shut", "There is nothing else to do."),
)

_ON_LINE = (" and then ring the bell", " -> ring the bell", ", then ring it", "; ring the bell", " and ring the bell")
"""what goes on behind a step on its line"""

_OPEN_ENDS = (
    *(" if needed", ", unless it rains", " (optional)", " or ring the bell", " until it is open", " for each box"),
    *(" twice", " - only if it is there", " three times", " as often as needed", ", repeatedly", " x 3", " (if any)"),
)
_OPENS = ("If it rains, ", "Do not ", "Either ", "For each box: ", "Repeat: ", "Optionally ", "Maybe ", "Unless open: ")
"""what leaves open whether the step on its line is made, and how often"""

_GLOSSES = (" to open it", " (the first one)", " - so that it is free", "  # by hand", ".", " as planned", " first")


def _pieces(seed: int) -> Iterator[str]:
    """Put into a plan what may be a step, may change one, or is a remark: what is claimed holds whatever is meant."""
    draw = Random(f"pieces {seed}")
    form = FORMATS[draw.choice(("records", "OpenAI chat", "Anthropic", "lines"))]
    steps = [_step(draw, _PLAIN) for _ in range(draw.randint(1, 4))]
    wanted = [Wanted(name=name, arguments=dict(given), types="quoted") for name, given in steps]
    lines, place = [_call(name, given) for name, given in steps], draw.randrange(len(steps))
    meant = draw.choice(("step", "step", "on line", "remark", "open", "gloss"))
    match meant:
        case "step" | "remark":
            lines.insert(draw.randint(0, len(lines)), draw.choice(_STEPS if meant == "step" else _REMARKS))
        case "on line" | "gloss":
            lines[place] += draw.choice(_ON_LINE if meant == "on line" else _GLOSSES)
        case "open" if draw.random() < 0.6:
            lines[place] += draw.choice(_OPEN_ENDS)
        case "open":
            lines[place] = draw.choice(_OPENS) + lines[place]
    way = draw.choice(("lines", "numbered", "bullets", "list", "fence", "between"))
    plan = _laid(draw, lines, way)
    calls = _made(draw, steps, form, _PLAIN)
    if not calls:
        return
    trace = form.write(calls, (), draw)
    told = (plan, calls)
    try:
        result = adhere(plan, trace)
    except PlanError:
        yield outcome(False)
        return
    kept = counted(_parted(calls, form), "fold")
    around = [wanted[:place], wanted[place + 1 :]]
    ways = [wanted]
    if meant == "open":
        ways += [[*around[0], *([wanted[place]] * often), *around[1]] for often in (0, 2)]
    truths = {_is_followed(each, kept) for each in ways}
    is_followed = truths.pop() if len(truths) == 1 else None
    if meant in ("step", "on line"):
        best = compared(wanted, kept, {})
        is_followed = False if best.weight < best.steps else None
    if is_followed is None:
        assert result.outcome not in (Outcome.FOLLOWED, Outcome.DEVIATED), (told, result.outcome, meant)
    elif result.outcome in (Outcome.FOLLOWED, Outcome.DEVIATED):
        assert (result.outcome is Outcome.FOLLOWED) is is_followed, (told, result.outcome, meant)
    yield outcome(result.outcome in (Outcome.FOLLOWED, Outcome.DEVIATED))


def _laid(draw: Random, lines: Sequence[str], way: str) -> Any:
    """Return a plan of lines, as a text or a list."""
    match way:
        case "list":
            return list(lines)
        case "numbered":
            text = "".join(f"{number}. {line}\n" for number, line in enumerate(lines, 1))
        case "bullets":
            text = "".join(f"- {line}\n" for line in lines)
        case "between":  # only calls have a number
            numbers, number = [], 0
            for line in lines:
                number += "(" in line
                numbers.append(f"{number}. {line}\n" if "(" in line else f"{line}\n")
            text = "".join(numbers)
        case "fence":
            text = f"```\n{chr(10).join(lines)}\n```\n"
        case _:
            text = "\n".join(lines)
    return f"{draw.choice(('', '', *_HEADS))}\n{text}".lstrip()


def _is_followed(plan: Sequence[Wanted], kept: Sequence[Made]) -> bool:
    """Return whether all steps were executed, and nothing else that may change something."""
    best = compared(plan, kept, {})
    changing = [call for call in kept if call.name not in _READING]
    needed = [step for step in plan if step.name not in _READING]
    return best.weight == best.steps and len(changing) == len(needed)


# --- traces that are cut off, or broken --------------------------------------------------------------


def _broken(seed: int) -> Iterator[str]:
    """Cut a trace off, or lose a sign or the end of a line of it: what is claimed is true of the whole trace."""
    draw = Random(f"broken {seed}")
    kind = draw.choice(sorted(FORMATS))
    form = FORMATS[kind]
    steps = [_step(draw, _PLAIN) for _ in range(draw.randint(1, 4))]
    calls = _made(draw, steps, form, _PLAIN)
    if not calls:
        return
    trace = form.write(calls, (), draw)
    text = trace if isinstance(trace, str) else json.dumps(trace)
    way = draw.choice(("cut", "cut", "lose", "lost line"))
    if way == "cut":
        end = draw.randrange(1, len(text))
        lost, text = text[end:], text[:end]
        if not lost.strip("]}\n ") or (isinstance(trace, str) and not _is_in_values(text)):
            return  # nothing of it is lost, or nothing shows that something is
    elif way == "lose":  # one sign of a call's own text
        places = [place for place, sign in enumerate(text) if sign in '{}[]",' and place > len(text) // 4]
        place = draw.choice(places)
        text = text[:place] + text[place + 1 :]
    else:
        lines = text.split("\n")
        place = draw.randrange(len(lines))
        lines[place] = lines[place][: draw.randrange(len(lines[place]) + 1)]
        if not _is_in_values(lines[place]):
            return
        text = "\n".join(lines)
    plan = [{"name": name, "arguments": given} for name, given in steps]
    try:
        result = adhere(plan, text)
    except InputError:
        yield outcome(False)
        return
    wanted = [Wanted(name=name, arguments=dict(given), types="all") for name, given in steps]
    kept = counted(_parted(calls, form), "fold")
    told = (kind, way, plan, text, calls, result.outcome)
    truth = _is_followed(wanted, kept)
    if result.outcome in (Outcome.FOLLOWED, Outcome.DEVIATED):
        assert (result.outcome is Outcome.FOLLOWED) is truth, told
    yield outcome(result.outcome in (Outcome.FOLLOWED, Outcome.DEVIATED))


def _is_in_values(text: str) -> bool:
    """Return whether the last line of a text ends inside of a value."""
    line = text.rpartition("\n")[2]
    return line.count("{") > line.count("}")


_EVERY = "all alignments"

KINDS = (
    Kind(name="adherence: plans and traces of any form", against=_EVERY, attack=_compared, share=12),
    Kind(
        name="adherence: plans understood in part",
        against=f"{_EVERY}, whatever a piece means",
        attack=_pieces,
        share=8,
    ),
    Kind(
        name="adherence: traces cut off or broken",
        against=f"{_EVERY} of the whole trace",
        attack=_broken,
        share=8,
    ),
)
