"""The loop with a language model, which is a list of drafts here, and what drafts are worth to the planner."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.support.dijkstra import TOO_MANY
from tests.support.flow_attack import compared, flow_with_goals, move_of, walk_with_faults
from tests.support.flow_interpreter import Interpreter, line
from tests.support.laws import case_of, has_quality, judged, law, scale_of
from validator import Quality, Report, prepare
from validator.flow import check_flow
from validator.reading.plan import Token
from validator.scaffold import Answered, Ending, Round, Subject, pddl_subject, repair_loop

WORLDS = 1_500
"""of a flow beside a plan, that are looked at"""

ENOUGH = 60.0
"""seconds in which every check ends; with fewer, an answer may be open"""

CLAIM, SORRY, UNREAD = "There is no plan.", "I'm sorry, I can't help.", "(a0\n"


@dataclass(frozen=True)
class Task:
    """What is asked for, and what looking at everything says: of a draft, by its lines, and of all plans."""

    subject: Subject
    quality: Quality
    draft: Callable[[], list[Any]]
    text: Callable[[Sequence[Any]], str]
    read: Callable[[Token], Any]
    has: Callable[[Sequence[Any]], bool]
    has_plan: bool | None
    runs: Callable[[Sequence[Any]], bool]
    judge: Callable[[Report, Sequence[Any]], object]
    """compares a report on a draft that was repaired"""
    is_flow: bool = False

    def first_fault(self, lines: Sequence[Any]) -> int | None:
        return next((place for place in range(len(lines)) if not self.runs(lines[: place + 1])), None)


def model_task(seed: int, seconds: float) -> Task:
    texts, oracle, _, draw = case = case_of(seed)
    quality, scale = draw.choice((*Quality, Quality.VALID)), scale_of(prepare(*texts))

    return Task(
        subject=pddl_subject(*texts, quality=quality, time_limit=seconds),
        quality=quality,
        draft=lambda: case.walk(3, (0, 0, 1, 2)),
        text=lambda lines: "".join(f"{line}\n" for line in lines),
        read=str,
        has=lambda lines: has_quality(oracle, lines, quality),
        has_plan=oracle.nearest((), quality.value, "edits", 1) is not None,
        runs=lambda lines: oracle.run(lines) is not None,
        judge=lambda report, lines: judged(report, oracle, lines, "edits", scale, is_limited=seconds < ENOUGH),
    )


def flow_task(seed: int, seconds: float) -> Task:
    draw = Random(f"drafted {seed}")
    flow, quality = flow_with_goals(draw), draw.choice((Quality.SOUND, Quality.VALID))
    own, with_goal = Interpreter(flow), quality is not Quality.SOUND
    least = own.nearest((), "optimal", with_goal=with_goal, most=WORLDS)

    def has(moves: Sequence[Any]) -> bool:
        end = own.run(moves)
        return end is not None and (not with_goal or own.is_goal(end[0]))

    def judge(report: Report, moves: Sequence[Any]) -> None:
        nearest = own.nearest(moves, "move", with_goal=with_goal, most=WORLDS)
        if nearest != TOO_MANY:
            compared(own, moves, report, "move", nearest)

    def check(answer: str, repair: bool) -> Report:
        return check_flow(flow, answer, quality=quality, repair=repair, time_limit=seconds)

    return Task(
        subject=Subject(told="", check=check),
        quality=quality,
        draft=lambda: walk_with_faults(own, draw),
        text=lambda moves: "".join(f"{line(flow, move)}\n" for move in moves),
        read=move_of,
        has=has,
        has_plan=None if least == TOO_MANY else least is not None,
        runs=lambda moves: own.run(moves) is not None,
        judge=judge,
        is_flow=True,
    )


@law(5)
def test_each_draft_and_the_end_of_the_loop_are_judged_by_looking_at_everything(seed: int) -> None:
    draw = Random(f"loop {seed}")
    seconds = ENOUGH if draw.random() < 0.8 else 10 ** draw.uniform(-2, 0)
    task = (flow_task if seed % 4 == 3 else model_task)(seed, seconds)
    drafts = [task.draft() for _ in range(draw.randint(1, 3))]
    answers = [answer_of(draw, task, draft) for draft in drafts]
    asked = list[object]()

    def ask(messages: Sequence[Any]) -> Answered:
        asked.append(messages)
        return answers[len(asked) - 1]

    loop = repair_loop(task.subject, ask, rounds=len(answers))
    told = (seed, answers, loop)
    for each, draft in zip(loop.rounds, drafts, strict=False):
        compare_round(task, each, draft, (told, each), is_limited=seconds < ENOUGH)
    ends = [number for number, each in enumerate(loop.rounds) if each.report and each.report.determination]
    assert ends in ([], [len(loop.rounds) - 1]) and (ends or len(loop.rounds) == len(answers)), told
    compare_end(task, loop, drafts, told, is_limited=seconds < ENOUGH)


def answer_of(draw: Random, task: Task, draft: Sequence[Any]) -> Answered:
    text = task.text(draft)
    kinds = [text, text, text, f"Here is the plan:\n```\n{text}```\nGood luck!", f"{text}{UNREAD}"] if draft else []
    said = draw.choice([*kinds, draw.choice((CLAIM, SORRY, UNREAD, ""))])
    return Answered(text=said) if said else Answered(error="late")


def compare_round(task: Task, each: Round, draft: Sequence[Any], told: object, *, is_limited: bool) -> None:
    text, report, fault = each.answered.text, each.report, task.first_fault(draft)
    if each.answered.error:
        assert report is None and not each.is_draft and not each.is_good, told
        return
    assert report is not None, told
    feedback = report.feedback(with_repair=False)
    if text == CLAIM:  # of a flow no plan is looked for without a repair, and of soundness it is no question
        right = None if task.quality is Quality.SOUND or task.has_plan is None else not task.has_plan
        assert report.determination in (right, None) and not each.is_good and not each.is_draft, told
        assert report.determination is right or is_limited or task.is_flow, told
        return
    if text in (SORRY, UNREAD):
        assert report.determination is None and not each.is_draft and "is not valid" not in feedback, told
    elif text.endswith(UNREAD):  # a fault before the piece that was not understood is one whatever the piece says
        assert report.determination in ((False, None) if fault is not None else (None,)) and not each.is_draft, told
    else:
        has = task.has(draft)
        assert report.determination in (has, None), (told, has)
        assert report.determination is has or is_limited or task.quality is Quality.OPTIMAL, told
        assert each.is_draft and each.is_good is (report.determination is True), told
    if report.determination is False:
        named = re.search(r"^Steps? (\d+)", feedback, re.MULTILINE)
        assert (None if named is None else int(named[1]) - 1) == fault, (told, feedback, fault)


def compare_end(task: Task, loop: Any, drafts: Sequence[Any], told: object, *, is_limited: bool) -> None:
    report, plan = loop.report, None if loop.plan is None else list(map(task.read, loop.plan))
    assert (plan is None) is (loop.ending is Ending.NONE), told
    assert plan is None or task.has(plan) or task.quality is Quality.OPTIMAL, (told, plan)
    shown, known = (
        "\n".join(loop.lines()),
        [pair for pair in zip(loop.rounds, drafts, strict=False) if pair[0].is_draft],
    )
    match loop.ending:
        case Ending.MODEL:
            assert plan == list(drafts[len(loop.rounds) - 1]) and loop.rounds[-1].is_good, told
        case Ending.NONE if loop.rounds[-1].is_end:
            assert task.has_plan is not True, told
        case Ending.NONE:
            assert task.has_plan is not True or (is_limited and not report.planner_response.no_solution), told
        case Ending.REPAIR:
            fewest = min(each.faults for each, _ in known)
            draft = next(draft for each, draft in reversed(known) if each.faults == fewest)
            assert "The planner repaired the best answer" in shown, told
            assert list(map(task.read, report.reference)) == list(draft), told
            task.judge(report, draft)
        case _:
            assert not known and "the planner made the plan" in shown, told
            task.judge(report, ())
