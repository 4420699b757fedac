"""Adherence: plans and traces of any form beside all alignments, and each deviation on a model beside execution."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

from hypothesis import assume

from tests.support.adherence_oracle import OPEN, Compared, Wanted, compared, counted
from tests.support.edit_oracle import Oracle, State
from tests.support.laws import case_of, law, text_of
from tests.support.naive_reference import parse
from tests.support.random_worlds import way_to_goal
from tests.support.written_traces import FORMATS, Form, Made
from validator.adherence import Adherence, Effect, RowKind, adhere
from validator.adherence.requirements import Requirement, met
from validator.adherence.values import Outcome
from validator.errors import InputError, PlanError

TOOLS: Mapping[str, tuple[str, ...]] = {
    "open_box": ("box", "key"),
    "send": ("to", "what", "how"),
    "mark_all": ("what",),
    "get_box": ("box",),
    "search_boxes": ("what", "most"),
    "close_up": (),
}
READING = {"get_box", "search_boxes"}
"""tools that change nothing, as their names say"""

PLAIN: Sequence[Any] = ("a", "b7", "oslo", 1, 2, "1", 1.0, 2.5, True, "true")
VALUES: Sequence[Any] = (*PLAIN, "New York", "Oslo", None, "", {"k": [1, "x"]}, {"k": [1.0, "x"]}, [1, 2], ["a"])
HEADS = ("Plan:", "My plan is:", "Here is the plan:", "## Plan")
KNOWN = (Outcome.FOLLOWED, Outcome.DEVIATED)

Steps = list[tuple[str, dict[str, Any]]]


# --- a plan and a trace that are understood ----------------------------------------------------------


@law(40, quick=25)
def test_rows_and_figures_are_those_of_the_heaviest_alignment(seed: int) -> None:
    draw = Random(f"followed {seed}")
    kind = draw.choice(sorted(FORMATS))
    form, values = FORMATS[kind], draw.choice((PLAIN, VALUES))
    steps = [step_of(draw, values) for _ in range(draw.randint(0, 4))]
    wanted, written, said = planned(draw, steps, form)
    calls = made_of(draw, steps, form, values)
    assume(calls or (kind == "records" and written is not None))  # only the empty list says that no call was made
    trace: Any = form.write(calls, said, draw)
    if not isinstance(trace, str) and draw.random() < 0.5:
        trace = json.dumps(trace)
    policy, reading = draw.choice(("fold", "fold", "count", "drop")), draw.choice((None, (), ("send", "GET-BOX")))
    result = adhere(written, trace, failed_calls=policy, read_only=reading)
    assume(result.outcome in KNOWN)  # of a text that is not understood nothing is said
    free = READING if reading is None else {name.lower().replace("-", "_") for name in reading}
    best = compared(wanted, counted(parted(calls, form), policy), {})
    compare(result, best, free, (kind, wanted, written, calls, policy, reading, result))


def compare(result: Adherence, best: Compared, free: set[str], told: object) -> None:
    rows = result.rows
    steps = [row.planned.index for row in rows if row.planned is not None]
    calls = [row.executed.index for row in rows if row.executed is not None]
    counting = [row for row in rows if row.kind not in (RowKind.RETRIED, RowKind.FAILED)]
    extra = [row.executed.name for row in rows if row.kind is RowKind.EXTRA and row.executed is not None]
    changing = best.calls - sum(name in free for name in extra)
    longer = max(best.steps, changing)
    is_followed = best.weight == best.steps and not any(name not in free for name in extra)
    told = (told, best)
    assert sorted(steps) == list(range(best.steps)) and len(calls) == len(set(calls)), told
    assert sum(row.executed is not None for row in counting) == best.calls and len(calls) == len(result.calls), told
    assert result.weight == best.weight and sum(row.kind is RowKind.MATCHED for row in rows) == best.equal, told
    assert result.exact == (best.weight / longer if longer else 1), told
    assert result.outcome is (Outcome.FOLLOWED if is_followed else Outcome.DEVIATED), told
    assert met(result, [Requirement.FOLLOWED]).holds is is_followed and not (is_followed and result.missing), told


def parted(calls: Sequence[Made], form: Form) -> list[Made]:
    """Return calls that are made at once only where the form tells that."""
    return [replace(call, batch=call.batch if form.has_batches else n) for n, call in enumerate(calls)]


def step_of(draw: Random, values: Sequence[Any]) -> tuple[str, dict[str, Any]]:
    name = draw.choice(sorted(TOOLS))
    return name, {each: draw.choice(values) for each in TOOLS[name] if draw.random() < 0.8}


def made_of(draw: Random, steps: Steps, form: Form, values: Sequence[Any]) -> list[Made]:
    """Return the steps as calls, with deviations: left out, doubled, exchanged, with other arguments, failed."""
    made = [(name, dict(given)) for name, given in steps]
    for _ in range(draw.choice((0, 0, 1, 1, 2, 3))):
        place = draw.randrange(len(made) + 1)
        match draw.choice(("drop", "add", "move", "change", "change", "lose")):
            case "drop":
                del made[place : place + 1]
            case "add":
                made.insert(place, step_of(draw, values) if draw.random() < 0.6 or not made else draw.choice(made))
            case "move" if made:
                made.insert(place, made.pop(draw.randrange(len(made))))
            case "change" if place < len(made) and TOOLS[made[place][0]]:
                made[place][1][draw.choice(TOOLS[made[place][0]])] = draw.choice(values)
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


def planned(draw: Random, steps: Steps, form: Form) -> tuple[list[Wanted], Any, tuple[str, ...]]:
    """Return a plan as it is meant and as it is written, or None and what the trace says among its words."""
    ways = ["values", "json", "texts", "lines", "numbered", "pddl", "names", "sets", "open"]
    way = draw.choice([*ways, *(["said", "said"] if form.has_words and steps else [])])
    if way in ("values", "json", "sets", "open"):
        return *as_values(draw, steps, way), ()
    spelled = {name: spelling(draw, name) for name in TOOLS}
    if way == "names":
        return [Wanted(name=name, arguments=None, types="all") for name, _ in steps], [spelled[n] for n, _ in steps], ()
    if way == "pddl" and all(is_word(value) for _, given in steps for value in given.values()):
        words = [
            (name, *(each if isinstance(each, str) else json.dumps(each) for each in own.values()))
            for name, own in steps
        ]
        lines = [f"({' '.join(each)})" for each in words]
        wanted = [Wanted(name=name, arguments=dict(enumerate(given.values())), types="none") for name, given in steps]
        return wanted, "\n".join(lines) or "; empty plan", ()
    wanted, lines = (
        [Wanted(name=name, arguments=dict(given), types="quoted") for name, given in steps],
        list(map(call_of, steps)),
    )
    if way in ("texts", "pddl") or not lines:
        return wanted, lines, ()
    text = laid(lines, "numbered" if way in ("numbered", "said") else "lines")
    if way == "said":
        return wanted, None, (f"{draw.choice(HEADS)}\n{text}",)
    return wanted, headed(draw, f"```\n{text}\n```\n" if draw.random() < 0.3 else text), ()


def is_word(value: Any) -> bool:
    return isinstance(value, bool | int | float) or (isinstance(value, str) and value.isalnum())


def headed(draw: Random, text: str) -> str:
    return f"{draw.choice(('', '', *HEADS))}\n{text}".lstrip()


def as_values(draw: Random, steps: Steps, way: str) -> tuple[list[Wanted], Any]:
    name, given = draw.choice((("name", "arguments"), ("tool", "args"), ("tool_name", "parameters")))
    wanted = [Wanted(name=tool, arguments=dict(own), types="all") for tool, own in steps]
    spelled = {tool: spelling(draw, tool) for tool in TOOLS}
    values: list[Any] = [{name: spelled[tool], given: own} for tool, own in steps]
    if way == "open" and (chosen := [place for place, (_, own) in enumerate(steps) if own]):
        place = draw.choice(chosen)
        own, key = dict(steps[place][1]), draw.choice(sorted(steps[place][1]))
        wanted[place] = replace(wanted[place], arguments={**own, key: OPEN})
        values[place] = {**values[place], given: {**own, key: draw.choice(("<any>", "$key", "{key}", "..."))}}
    if way == "sets" and len(values) > 1:
        place = draw.randrange(len(values) - 1)
        wanted = [replace(each, batch=0) if place <= n <= place + 1 else each for n, each in enumerate(wanted)]
        values = [*values[:place], values[place : place + 2], *values[place + 2 :]]
    written: Any = draw.choice((values, {"plan": values}, {"steps": values})) if values else values
    return wanted, json.dumps(written) if way == "json" else written


def spelling(draw: Random, name: str) -> str:
    return draw.choice((name, name, name.upper(), name.replace("_", "-")))


def call_of(step: tuple[str, dict[str, Any]]) -> str:
    return f"{step[0]}({', '.join(f'{key}={json.dumps(value)}' for key, value in step[1].items())})"


def laid(lines: Sequence[str], way: str) -> str:
    """Return lines as a text; with "between" only calls have a number."""
    match way:
        case "numbered":
            return "".join(f"{number}. {line}\n" for number, line in enumerate(lines, 1))
        case "bullets":
            return "".join(f"- {line}\n" for line in lines)
        case "between":
            numbers = [sum("(" in each for each in lines[: place + 1]) for place in range(len(lines))]
            return "".join(
                f"{n}. {line}\n" if "(" in line else f"{line}\n" for n, line in zip(numbers, lines, strict=True)
            )
        case "fence":
            return f"```\n{chr(10).join(lines)}\n```\n"
    return "\n".join(lines)


# --- pieces of the plan that nobody understands, traces that are cut off -----------------------------

STEPS = (
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

REMARKS = (
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

ON_LINE = (" and then ring the bell", " -> ring the bell", ", then ring it", "; ring the bell", " and ring the bell")
"""what goes on behind a step on its line"""

OPEN_ENDS = (
    *(" if needed", ", unless it rains", " (optional)", " or ring the bell", " until it is open", " for each box"),
    *(" twice", " - only if it is there", " three times", " as often as needed", ", repeatedly", " x 3", " (if any)"),
)
OPENS = ("If it rains, ", "Do not ", "Either ", "For each box: ", "Repeat: ", "Optionally ", "Maybe ", "Unless open: ")
"""what leaves open whether the step on its line is made, and how often"""

GLOSSES = (" to open it", " (the first one)", " - so that it is free", "  # by hand", ".", " as planned", " first")


@law(30)
def test_a_piece_that_was_not_understood_leaves_open_what_it_may_change(seed: int) -> None:
    draw = Random(f"pieces {seed}")
    form = FORMATS[draw.choice(("records", "OpenAI chat", "Anthropic", "lines"))]
    steps = [step_of(draw, PLAIN) for _ in range(draw.randint(1, 4))]
    wanted = [Wanted(name=name, arguments=dict(given), types="quoted") for name, given in steps]
    lines, place = list(map(call_of, steps)), draw.randrange(len(steps))
    meant = draw.choice(("step", "step", "on line", "remark", "open", "gloss"))
    match meant:
        case "step" | "remark":
            lines.insert(draw.randint(0, len(lines)), draw.choice(STEPS if meant == "step" else REMARKS))
        case "on line" | "gloss":
            lines[place] += draw.choice(ON_LINE if meant == "on line" else GLOSSES)
        case "open" if draw.random() < 0.6:
            lines[place] += draw.choice(OPEN_ENDS)
        case "open":
            lines[place] = draw.choice(OPENS) + lines[place]
    way = draw.choice(("lines", "numbered", "bullets", "list", "fence", "between"))
    plan: Any = lines if way == "list" else headed(draw, laid(lines, way))
    calls = made_of(draw, steps, form, PLAIN)
    assume(calls)
    try:
        result = adhere(plan, form.write(calls, (), draw))
    except PlanError:
        return
    kept, ways = counted(parted(calls, form), "fold"), [wanted]
    if meant == "open":
        ways += [[*wanted[:place], *([wanted[place]] * often), *wanted[place + 1 :]] for often in (0, 2)]
    truths = {is_followed(each, kept) for each in ways}
    true = truths.pop() if len(truths) == 1 else None
    if meant in ("step", "on line"):
        best = compared(wanted, kept, {})
        true = False if best.weight < best.steps else None
    told = (plan, calls, result.outcome, meant)
    assert result.outcome not in KNOWN or (result.outcome is Outcome.FOLLOWED) is true, told


def is_followed(plan: Sequence[Wanted], kept: Sequence[Made]) -> bool:
    """Return whether all steps were executed, and nothing else that may change something."""
    best = compared(plan, kept, {})
    changing, needed = ([each for each in some if each.name not in READING] for some in (kept, plan))
    return best.weight == best.steps and len(changing) == len(needed)


@law(30)
def test_what_is_said_of_a_trace_that_is_cut_off_or_broken_is_true_of_the_whole(seed: int) -> None:
    draw = Random(f"broken {seed}")
    form = FORMATS[draw.choice(sorted(FORMATS))]
    steps = [step_of(draw, PLAIN) for _ in range(draw.randint(1, 4))]
    calls = made_of(draw, steps, form, PLAIN)
    assume(calls)
    trace = form.write(calls, (), draw)
    text = trace if isinstance(trace, str) else json.dumps(trace)
    match draw.choice(("cut", "cut", "lose", "lost line")):
        case "cut":
            end = draw.randrange(1, len(text))
            lost, text = text[end:], text[:end]
            assume(lost.strip("]}\n ") and not (isinstance(trace, str) and not is_in_values(text)))
        case "lose":  # one sign of a call's own text
            place = draw.choice([at for at, sign in enumerate(text) if sign in '{}[]",' and at > len(text) // 4])
            text = text[:place] + text[place + 1 :]
        case _:
            lines = text.split("\n")
            place = draw.randrange(len(lines))
            lines[place] = lines[place][: draw.randrange(len(lines[place]) + 1)]
            assume(is_in_values(lines[place]))
            text = "\n".join(lines)
    try:
        result = adhere([{"name": name, "arguments": given} for name, given in steps], text)
    except InputError:
        return
    wanted = [Wanted(name=name, arguments=dict(given), types="all") for name, given in steps]
    true = is_followed(wanted, counted(parted(calls, form), "fold"))
    assert result.outcome not in KNOWN or (result.outcome is Outcome.FOLLOWED) is true, (steps, text, calls)


def is_in_values(text: str) -> bool:
    """Return whether the last line of a text ends inside of a value, so that what is lost shows."""
    line = text.rpartition("\n")[2]
    return line.count("{") > line.count("}")


# --- on a model ------------------------------------------------------------------------------------


class Run(NamedTuple):
    """The state before each call and behind the last one, the calls that could not be executed, and the cost."""

    states: list[State]
    faults: list[int]
    cost: Fraction

    @property
    def end(self) -> State:
        return self.states[-1]


def executed(oracle: Oracle, made: Sequence[tuple[str, bool]], start: State | None = None) -> Run:
    """Execute calls, each with whether it failed; one that failed or cannot be executed changes nothing."""
    states, faults, cost = [oracle.init if start is None else start], list[int](), oracle.begun
    for place, (line, is_failed) in enumerate(made):
        ways = [(after, price) for step, after, price in oracle.successors(states[-1]) if str(step) == line]
        if ways and not is_failed:
            states.append(ways[0][0])
            cost += ways[0][1]
            continue
        states.append(states[-1])
        faults += [] if is_failed else [place]
    return Run(states, faults, cost)


@law(6, quick=2)
def test_calls_beside_a_plan_on_a_model_are_judged_by_execution(seed: int) -> None:
    """Calls may fail, which change nothing; of each deviation what its proof says is executed anew."""
    texts, oracle, _, draw = case = case_of(seed, "s")
    plan, made = case.walk(4, (0,)), list[tuple[str, bool]]()
    can_fail = draw.random() < 0.5
    for line in plan:
        made += [(line, True)] if can_fail and draw.random() < 0.4 else []
        if draw.random() < 0.8:
            made.append((line if draw.random() < 0.85 else draw.choice(case.known()), False))
        if draw.random() < 0.25:
            made.append((draw.choice(case.known()), can_fail and draw.random() < 0.5))
    assume(made)
    calls = []
    for line, is_failed in made:
        name, *args = line.strip("()").split()
        arguments = {f"x{at}": arg for at, arg in enumerate(args)}
        calls.append({"name": name, "arguments": arguments, **({"error": "no"} if is_failed else {"result": "done"})})
    policy = draw.choice(("fold", "count", "drop")) if can_fail else "fold"
    found = adhere(text_of(plan), calls, model=texts, failed_calls=policy, time_limit=60)
    result, told = found.execution, (texts, plan, made, policy, found)
    assert result is not None, told
    run, own = executed(oracle, made), executed(oracle, [(line, False) for line in plan])
    assert result.sound in (not run.faults, None) and result.reaches_goal in (oracle.is_goal(run.end), None), told
    assert result.cost in (None, run.cost) and result.plan_cost in (None, own.cost), (told, run.cost, own.cost)
    assert result.plan_is_valid in (None, not own.faults and oracle.is_goal(own.end)), told
    if result.dead_end is not None:
        lost = [way_to_goal(oracle, state) is None for state in run.states]
        assert not lost[0] and lost.index(True) - 1 == result.dead_end and lost[-1], (told, lost)
    if result.recovery is not None:
        end = executed(oracle, [(str(step), False) for step in result.recovery], run.end)
        assert not end.faults and oracle.is_goal(end.end), told
    for number, row in enumerate(found.rows):
        if row.is_deviation:
            judge_row(found, number, oracle, plan, made, (told, row))


def judge_row(
    found: Adherence, number: int, oracle: Oracle, plan: Sequence[str], made: Sequence[tuple[str, bool]], told: object
) -> None:
    row, run = found.rows[number], executed(oracle, made)
    at = None if row.executed is None else row.executed.index
    if row.proof.startswith("the call could not be executed"):
        assert at in run.faults, told
    elif row.effect is not Effect.UNKNOWN and row.planned is None:
        assert at not in run.faults, told
    if amount := re.search(r"for ([\d.]+) (more|less) than the plan|(at the cost of the plan)", row.proof):
        more = Fraction(0) if amount[3] else Fraction(amount[1]) * (1 if amount[2] == "more" else -1)
        assert run.cost - executed(oracle, [(line, False) for line in plan]).cost == more, (told, run.cost)
    if row.proof.startswith("the planned step could not be executed"):
        due = next(place for place, (other, is_planned, _) in enumerate(found.layout) if other == number and is_planned)
        before = [made[call_at(found, other)] for other, _, is_made in found.layout[:due] if is_made]
        assert row.planned is not None, told
        assert len(before) in executed(oracle, [*before, (plan[row.planned.index], False)]).faults, told
    if row.planned is not None or at is None:
        return
    if made[at][1]:
        assert row.effect is Effect.HARMLESS, told
    elif row.kind is RowKind.EXTRA:
        compare_undone(row, at, oracle, made, told)


def compare_undone(row: Any, at: int, oracle: Oracle, made: Sequence[tuple[str, bool]], told: object) -> None:
    """Compare what is said of a call with what happens without it."""
    run, undone = executed(oracle, made), executed(oracle, [each for place, each in enumerate(made) if place != at])
    still = {place + (place >= at) for place in undone.faults}
    if lacks := re.match(r"undone, call (\d+) has .*, though not yet all$", row.proof):
        assert int(lacks[1]) - 1 in still.intersection(run.faults), told
    if able := re.match(r"undone, call (\d+) could be executed", row.proof):
        assert int(able[1]) - 1 not in still and int(able[1]) - 1 in run.faults, told
    if reached := re.match(r"undone, the goal (.*) is reached$", row.proof):
        assert oracle.has(parse(reached[1]), undone.end) and not oracle.has(parse(reached[1]), run.end), told
    if row.effect is Effect.HARMLESS:
        assert set(run.faults) - {at} <= still, told
        assert oracle.is_goal(run.end) or not oracle.is_goal(undone.end), told


def call_at(found: Adherence, number: int) -> int:
    call = found.rows[number].executed
    assert call is not None
    return call.index
