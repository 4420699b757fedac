"""Steps as programs, planners and loggers print them, of a model whose names have joints.

Each form of a right plan is valid, and of one that lacks a step it is not: no step is lost, and none is made up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import pytest

from validator import Report, check, prepare

DOMAIN = """(define (domain barn) (:requirements :strips :typing) (:types bale)
  (:predicates (on ?x ?y - bale) (down ?x - bale) (free ?x - bale) (idle) (held ?x - bale))
  (:action grab-up :parameters (?x - bale) :precondition (and (free ?x) (down ?x) (idle))
    :effect (and (not (down ?x)) (not (free ?x)) (not (idle)) (held ?x)))
  (:action set-down :parameters (?x - bale) :precondition (held ?x)
    :effect (and (not (held ?x)) (free ?x) (idle) (down ?x)))
  (:action pile :parameters (?x ?y - bale) :precondition (and (held ?x) (free ?y))
    :effect (and (not (held ?x)) (not (free ?y)) (free ?x) (idle) (on ?x ?y)))
  (:action unpile :parameters (?x ?y - bale) :precondition (and (on ?x ?y) (free ?x) (idle))
    :effect (and (held ?x) (free ?y) (not (free ?x)) (not (idle)) (not (on ?x ?y)))))"""
PROBLEM = """(define (problem rick) (:domain barn) (:objects a e o - bale)
  (:init (on o a) (down a) (down e) (free o) (free e) (idle)) (:goal (and (on a e) (on e o))))"""

_Step: TypeAlias = tuple[str, ...]
PLAN: list[_Step] = [
    ("unpile", "o", "a"),
    ("set-down", "o"),
    ("grab-up", "e"),
    ("pile", "e", "o"),
    ("grab-up", "a"),
    ("pile", "a", "e"),
]


def group(step: Sequence[str]) -> str:
    return f"({' '.join(step)})"


def call(step: Sequence[str], sign: str = ", ") -> str:
    return f"{step[0].replace('-', '_')}({sign.join(step[1:])})"


class Form(NamedTuple):
    """How each step is written, and what stands between, before and behind them.

    ``{g}`` is the group, ``{c}`` the call, ``{w}`` the words, ``{a}`` the list of arguments, ``{n}`` the number.
    """

    line: str
    between: str = "\n"
    before: str = ""
    behind: str = ""

    def each(self, steps: Sequence[_Step]) -> list[str]:
        return [
            self.line.format(g=group(step), c=call(step), w=" ".join(step), a=json.dumps(step[1:]), n=n, s=step)
            for n, step in enumerate(steps, 1)
        ]

    def __call__(self, steps: Sequence[_Step]) -> str:
        return self.before + self.between.join(self.each(steps)) + self.behind


def lines(steps: Sequence[_Step], form: str) -> str:
    return Form(form)(steps)


def records(steps: Sequence[_Step], name: str, given: str) -> list[dict[str, object]]:
    return [{name: step[0].replace("-", "_"), given: list(step[1:])} for step in steps]


FORMS: dict[str, Callable[[list[_Step]], str]] = {
    "numbered arguments": lambda steps: json.dumps(
        [{"action": s[0], **{f"arg{k}": x for k, x in enumerate(s[1:], 1)}} for s in steps]
    ),
    "tuples of Python": lambda steps: "\n".join(f"{s[0]} {s[1:]!r}" for s in steps),
    "clock": Form("00:0{n} - {c}"),
    "states between": Form("State {n}: free(o) idle\n  --[{c}]-->"),
    "ticks": Form("[done] {w}"),
    "log of Python": Form("INFO:root:Executing {w}"),
    "log of ROS": Form("[INFO] [16{n}.123]: Executing action: {c}\n[INFO] [16{n}.9]: Action succeeded"),
    "begun and succeeded": Form("Starting {g}\n{g} succeeded"),
    "tuples without quotes": lambda steps: "\n".join(f"{n}) ({', '.join(s)})" for n, s in enumerate(steps, 1)),
    "calls with blanks": lambda steps: "\n".join(f"{s[0]} ({' '.join(s[1:])})" for s in steps),
    "list of Prolog": lambda steps: f"Plan = [{','.join(call(step, ',') for step in steps)}].",
    "Golog": Form("{c}", " : ", "[", "]"),
    "emoji": Form("{c}", " ➡️ "),
    "names as keywords": lambda steps: "\n".join(f"(:{step[0].upper()} {' '.join(step[1:])})" for step in steps),
    "commands": lambda steps: json.dumps(records(steps, "cmd", "args")),
    "actions under type": lambda steps: json.dumps(
        {"actions": [{"type": s[0], **dict(zip("xy", s[1:], strict=False))} for s in steps]}
    ),
    "actions of actions": lambda steps: json.dumps(
        {"plan": {"steps": [{"id": n, "action": {"type": s[0], "args": list(s[1:])}} for n, s in enumerate(steps)]}}
    ),
    "names with blanks": lambda steps: "\n".join(f"{s[0].replace('-', ' ')}({', '.join(s[1:])})" for s in steps),
    "groups of names with blanks": lambda steps: "\n".join(group([s[0].replace("-", " "), *s[1:]]) for s in steps),
    "one text in JSON": lambda steps: json.dumps({"answer": ", ".join(map(call, steps))}),
    "boxed": Form("{c}", ", ", "\\boxed{", "}"),
    "await": Form("await {c}"),
    "a result awaited": Form("r{n} = await {c}"),
    "lists behind a label": lambda steps: "\n".join(
        f"action: {list(step)!r}\naction (in words): the robot does a thing at a place.\nit is executed!\n"
        for step in steps
    ),
    "terminal": Form("⏺ {c}\n  ⎿  ok"),
    "ticked off": Form("✅ {w}"),
    "log": Form("2024-05-01T10:00:0{n}Z INFO run: {c}"),
    "log in words": Form("[2024-05-01 10:00:0{n},123] INFO run: action {w}"),
    **{f"chain of {sign}": Form("{g}", sign) for sign in (" > ", "; ", ", followed by ", ", and right away ")},
    **{
        f"counted {kind}": lambda steps, write=write: (  # type: ignore[misc]
            "{" + ", ".join(f"{n}: {write(s)}" for n, s in enumerate(steps, 1)) + "}"
        )
        for kind, write in (
            ("texts", lambda s: f'"{" ".join(s)}"'),
            ("calls", lambda s: f"'{call(s)}'"),
            ("tuples", repr),
            ("lists", lambda s: repr(list(s))),
            ("objects", lambda s: f"{{'action': '{s[0]}', 'args': {list(s[1:])!r}}}"),
        )
    },
    "steps by their names": lambda steps: json.dumps({f"Step {n}": group(s) for n, s in enumerate(steps, 1)}),
    "pairs with numbers": lambda steps: repr([(n, " ".join(s)) for n, s in enumerate(steps, 1)]),
    "executable plan": lambda steps: json.dumps(
        {"executable_plan": [{"action_id": n, "action_name": " ".join(s)} for n, s in enumerate(steps)]}
    ),
}


def checked(text: str) -> Report:
    return check(DOMAIN, PROBLEM, text + "\n", repair=False)


@pytest.mark.parametrize("form", FORMS)
def test_a_right_plan_is_valid_in_every_form_and_never_without_a_step(form: str) -> None:
    report = checked(FORMS[form](PLAN))
    assert report.determination is True, report.reason
    for gone in range(len(PLAN)):
        assert checked(FORMS[form](PLAN[:gone] + PLAN[gone + 1 :])).determination is not True, gone


MARKS = ["<plan>", "<p>", "<code>", "```", "Plan = ", "Plan:", "PLAN> ", "\\boxed{", "plan -> ", "“"]
SENTENCES = ["The plan is ", "Sure. ", "Solution found! ", "Plan found, ", "Day 1 ", "Step 1 ", "0.0 ", "{1} "]


@pytest.mark.parametrize("before", [*MARKS, *SENTENCES])
@pytest.mark.parametrize("form", [group, call])
def test_the_first_step_is_not_lost_behind_what_stands_on_its_line(before: str, form: Callable[[_Step], str]) -> None:
    told = [*map(form, PLAN)]
    assert checked(before + "\n".join(told)).determination is (True if before in MARKS else None)
    assert checked(before + "\n".join([told[0], *told])).determination is (False if before in MARKS else None)


@pytest.mark.parametrize("content", ["{}", "Here it is:\n{}"])
@pytest.mark.parametrize("form", ["{g}", "{n}. {g}", "{c}"])
def test_the_text_of_a_message_is_the_plan(content: str, form: str) -> None:
    for steps, valid in ((PLAN, True), ([PLAN[0], *PLAN], False)):
        text = content.format(lines(steps, form))
        for message in ({"content": text}, {"role": "assistant", "content": [{"type": "text", "text": text}]}):
            assert checked(json.dumps({"choices": [{"message": message}]})).determination is valid


@pytest.mark.parametrize("form", ["**{}**({})", "`{}`({})", "<b>{}</b>({})", "{} [{}]", "{} {{{}}}"])
def test_a_call_with_signs_around_its_name_has_its_arguments_in_order(form: str) -> None:
    for steps, valid in ((PLAN, True), ([("unpile", "a", "o"), *PLAN[1:]], False)):
        text = "\n".join(form.format(step[0], ", ".join(step[1:])) for step in steps)
        assert checked(text).determination is valid


@pytest.mark.parametrize("text", ['[{}, {{"action": "zork"}}]', "[{}, {{}}]", '[{}, {{"action": "pi'])
def test_a_record_that_is_not_read_is_not_passed_over(text: str) -> None:
    for steps in (PLAN, PLAN[:-1]):
        told = json.dumps(records(steps, "action", "args"))[1:-1]
        assert checked(text.format(told)).determination is None


@pytest.mark.parametrize("form", ["(undo {})", "(not-now {})", "- Avoid: {}", "{} [skipped]", "{} - do not do this"])
def test_a_step_that_is_left_out_is_not_taken_for_done(form: str) -> None:
    told = [*map(group, PLAN)]
    assert checked("\n".join([*told[:-1], form.format(told[-1])])).determination is None
    assert checked("\n".join(f"(and {each})" for each in told)).determination is True


@pytest.mark.parametrize("form", ["{n}. {w}", "- {w}", "{n}. {g}", "* {c}"])
def test_an_item_that_is_not_read_is_not_passed_over(form: str) -> None:
    told = lines(PLAN, form).split("\n")
    for place in range(1, len(PLAN)):
        item = form.format(n=place + 1, w="zork", g="zork", c="zork")
        assert checked("\n".join([*told[:place], item, *told[place:]])).determination is None
    assert checked("\n".join([*told[:-1], form.format(n=6, w="pi", g="pi", c="pi")])).determination is None


@pytest.mark.parametrize(
    "text", ["put(" * 330, "[(" * 330, json.dumps(json.dumps(records(PLAN * 30, "action", "args")))]
)
def test_texts_with_many_pieces_are_not_understood(text: str) -> None:
    assert checked(text).determination is None


NOT_WRONG = {
    **{
        name: "\n".join([*map(group, PLAN[:-1]), name])
        for name in ("(pi\u00adle a e)", "(pi\ufeffle a e)", "(pile \uff41 e)")
    },
    "the goal compiled away": "\n".join(map(group, PLAN)).upper() + "\n(REACH-GOAL )",
    "done": lines(PLAN, "{c}") + "\ndone()\n",
    "calls that add": "\n".join(f'plan.add_action("{s[0]}", {", ".join(map(repr, s[1:]))})' for s in PLAN),
    "YAML": "\n".join(f"- action: {s[0]}\n  args: [{', '.join(s[1:])}]" for s in PLAN),
    "records of lines": "\n".join(f"Action: {s[0]}\nParameters: {', '.join(s[1:])}\n" for s in PLAN),
    "objects on the same line": lines(PLAN, "{n}. Action: {s[0]}, Objects: {w}"),
    "a definition": f"(define (plan x)\n (:actions\n{lines(PLAN, '{g}')}))",
    "begun and done": lines(PLAN, "Executing {c}...\nCompleted {c}."),
    "candidates": lines(PLAN, "Step {n}:\nCandidates: {c}, pile(a, o)\nChosen: {c}"),
    "objects with their types": "\n".join(call([s[0], *(f"{name}:bale" for name in s[1:])]) for s in PLAN),
    "records in a record": f"Plan(steps=[{', '.join(f'Step(action={s[0]!r}, args={list(s[1:])})' for s in PLAN)}])",
    "records by place": f"[{', '.join(f'Operator({s[0]!r}, {list(s[1:])})' for s in PLAN)}]",
    "calls of a server's tools": "\n".join(f'⏺ barn - {s[0]} (MCP)(x: "{s[1]}")\n  ⎿  ok' for s in PLAN),
    "attempts": "Attempt 1:\n(grab-up a)\n(pile a e)\nThis fails.\n\nAttempt 2:\n" + "\n".join(map(group, PLAN)),
    "records counted backwards": json.dumps(
        [{"step": n, "action": call(s)} for n, s in reversed(list(enumerate(PLAN, 1)))]
    ),
    "a program that sets something up": "loader = Loader()\n"
    + "\n".join(f"loader.{call([s[0], *map(repr, s[1:])])}\ntime.sleep(1)" for s in PLAN),
    "objects without an action": "\n".join(f"({' '.join(s[1:])})" for s in PLAN),
    "nothing of the model beside steps": lines(PLAN, "Log: (/loader_node) {n}: action {w} ended"),
    "names of programs, and of an action": (
        "[ INFO] [16.25]: Barn: (/loader_node) (rick.pddl) Planning ended\n"
        "[ INFO] [16.5]: Barn: (/hoist_node) Plan received.\n"
        "[ INFO] [17.0]: Barn: (/hoist_node) Sending action [0, unpile, 0.5]\n"
        "[ INFO] [17.5]: Barn: (unpile) action received\n"
    ),
    "names of actions alone beside words": lines(PLAN, "Barn ({s[0]}): received."),
    **{
        f"not read {number}": text
        for number, text in enumerate(
            (
                f"occurs({call(PLAN[0])},1) not occurs({call(PLAN[1])},2)",
                "```tool_code\n" + "\n".join(f"print({call(s)})" for s in PLAN) + "\n```",
                f"plan([{', '.join(map(call, PLAN))}]).",
                f"do([{', '.join(map(call, PLAN))}], s0)",
                ", ".join(f"Action(name='{s[0]}', args={tuple(s[1:])!r})" for s in PLAN),
                "\n".join(f"{n} {'_'.join(s).upper()}" for n, s in enumerate(PLAN, 1)),
                *(joint.join(map(group, PLAN)) for joint in (" / ", " or ", " = ", " before ", " ^ ")),
            )
        )
    },
    "names of another author for all actions": "shift(o, a)\nshift(e, o)\n",
    "calls of a page's program": "copy.select();\nnote('Copied the code to here');\ndocument.run('copy');",
    "a program with an assertion": "assert len(args) == 2, 'no file'\nlog = read_log(path)\nprint(len(log))\n",
    "one call of something else": "add_subdirectory(src)",
    "facts that are quoted": "The problem has\n(:domain barn)\n(bale a)\n(bale e)\nwhich is all that I know.",
    "a name in parentheses in prose": "The wheel(s) of the barn need (en: grease).\nhub(s) too.",
    "elements counted backwards": "<plan>\n"
    + "\n".join(f'  <step n="{n}">{group(s)}</step>' for n, s in reversed(list(enumerate(PLAN, 1))))
    + "\n</plan>",
    "a table counted backwards": "| Step | Action |\n|---|---|\n"
    + "\n".join(f"| {n} | {call(s)} |" for n, s in reversed(list(enumerate(PLAN, 1)))),
    "a list counted backwards": json.dumps({str(n): call(s) for n, s in reversed(list(enumerate(PLAN, 1)))}, indent=1),
    "a step in the middle that lacks its kind of line": lines(PLAN[:2], "{n}. {g}")
    + "\nthen grab_up('e') and go on\n"
    + lines(PLAN[3:], "{n}. {g}"),
}


@pytest.mark.parametrize("text", NOT_WRONG.values(), ids=NOT_WRONG)
def test_what_was_not_understood_is_not_called_wrong(text: str) -> None:
    report = checked(text)
    assert report.determination is None, report.failures


@pytest.mark.parametrize(
    ("action", "written", "valid"),
    [("a0x", "a0", False), ("pick-up", "pick", True), ("pick_up", "pick", True), ("lift2b", "lift2", False)],
)
def test_a_name_with_a_letter_more_is_another_one(action: str, written: str, valid: bool) -> None:
    domain = f"""(define (domain d) (:predicates (held ?x) (done))
      (:action {action} :parameters (?x) :precondition () :effect (held ?x))
      (:action end :parameters (?x) :precondition () :effect (done)))"""
    problem = "(define (problem p) (:domain d) (:objects a b) (:init) (:goal (done)))"
    assert check(domain, problem, f"({written} a)\n(end b)").determination is valid


DISHES = prepare(
    """(define (domain dishes) (:requirements :typing) (:types dish place) (:predicates (on ?d - dish ?p - place))
    (:action place-on :parameters (?d - dish ?p - place) :effect (on ?d ?p))
    (:action wash :parameters (?d - dish) :effect ()))""",
    """(define (problem table) (:domain dishes) (:objects green_bowl - dish side-table - place) (:init)
    (:goal (on green_bowl side-table)))""",
)


@pytest.mark.parametrize(
    "text",
    [
        "wash('green bowl')\nPlaceOn('green bowl', 'side table')",
        "wash(green bowl)\nplace_on(green bowl, side table)",
        '(wash "green bowl")\n(place-on "green bowl" "side table")',
        '[{"action": "wash", "args": ["green bowl"]}, {"action": "place-on", "args": ["green bowl", "side table"]}]',
        '[{"action": "wash", "args": "green bowl"}, {"action": "place-on", "args": "green bowl, side table"}]',
        "| action | args |\n|---|---|\n| wash | green bowl |\n| place-on | green bowl, side table |",
    ],
)
def test_a_name_of_several_words_is_one_name(text: str) -> None:
    report = check(DISHES, plan=text + "\n", repair=False)
    assert list(map(str, report.reference)) == ["(wash green_bowl)", "(place-on green_bowl side-table)"]
    assert report.determination is True
