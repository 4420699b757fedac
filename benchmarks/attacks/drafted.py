"""Attacks on the loop with a language model, which is a list of drafts here: each verdict, what is told, the end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from benchmarks.attacks.classical import judged, scale_of, text_of
from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, Oracle, random_case
from tests.support.edit_oracle import KINDS as MODELS
from tests.support.flow_attack import compared, flow_with_goals, move_of, walk_with_faults
from tests.support.flow_interpreter import Interpreter, line
from tests.support.random_schemas import random_schema
from tests.support.random_worlds import random_world, states_of, wrong_walk
from validator import Quality, Report, prepare
from validator.flow import check_flow
from validator.reading.plan import Token
from validator.scaffold import Answered, Ending, Loop, Message, Round, Subject, pddl_subject, repair_loop

__all__ = ["KINDS"]

_MOST_STATES, _MOST_WORLDS = 300, 1_500
"""of a model, and of a flow beside a plan, that are looked at"""

_ENOUGH = 60.0
"""seconds in which every check ends; with fewer, an answer may be open"""

_CLAIM, _SORRY, _UNREAD = "There is no plan.", "I'm sorry, I can't help.", "(a0\n"


@dataclass(frozen=True)
class _Task:
    """What is asked for, and what looking at everything says: of a draft, by its lines, and of all plans."""

    subject: Subject
    quality: Quality
    draft: Callable[[], list[Any]]
    text: Callable[[Sequence[Any]], str]
    read: Callable[[Token], Any]
    has: Callable[[Sequence[Any]], bool | None]
    """whether a plan has the quality; None where that is not known"""
    has_plan: bool | None
    is_flow: bool
    first_fault: Callable[[Sequence[Any]], int | None]
    """the place of the first step that cannot be executed"""
    judge: Callable[[Report, Sequence[Any]], str]
    """compares a report on a draft that was repaired"""

    @property
    def claim(self) -> bool | None:
        """Return whether it is right that there is no plan."""
        return None if self.has_plan is None else not self.has_plan


def _attack(seed: int) -> Iterator[str]:
    draw = Random(f"drafted {seed}")
    seconds = _ENOUGH if draw.random() < 0.8 else 10 ** draw.uniform(-2, 0)
    task = (_of_flow if seed % 4 == 3 else _of_model)(seed, draw, seconds)
    if task is None:
        return
    drafts = [task.draft() for _ in range(draw.randint(1, 3))]
    answers = [_answer(draw, task, draft) for draft in drafts]
    asked, logged = list[Sequence[Message]](), list[str]()

    def ask(messages: Sequence[Message]) -> Answered:
        asked.append(messages)
        return answers[len(asked) - 1]

    loop = repair_loop(task.subject, ask, rounds=len(answers), log=logged.append)
    told = (seed, answers, loop)
    is_limited = seconds < _ENOUGH
    for each, draft in zip(loop.rounds, drafts, strict=False):
        _compare_round(task, each, draft, told, is_limited=is_limited)
    ends = [number for number, each in enumerate(loop.rounds) if each.report and each.report.determination]
    assert ends in ([], [len(loop.rounds) - 1]) and (ends or len(loop.rounds) == len(answers)), told
    assert [json.loads(text).get("determination") for text in logged] == [
        *(each.report and each.report.determination for each in loop.rounds),
        loop.report.determination,
    ], told
    yield _compare_end(task, loop, drafts, told, is_limited=is_limited)


def _answer(draw: Random, task: _Task, draft: Sequence[Any]) -> Answered:
    text = task.text(draft)
    kinds = [text, text, text, f"Here is the plan:\n```\n{text}```\nGood luck!", f"{text}{_UNREAD}"] if draft else []
    said = draw.choice([*kinds, draw.choice((_CLAIM, _SORRY, _UNREAD, ""))])
    return Answered(text=said) if said else Answered(error="late")


# --- what is said of each draft, and at the end ----------------------------------------------------


def _compare_round(task: _Task, each: Round, draft: Sequence[Any], told: object, *, is_limited: bool) -> None:
    text, report = each.answered.text, each.report
    told = (told, each)
    if each.answered.error:
        assert report is None and not each.is_draft and not each.is_good, told
        return
    assert report is not None, told
    feedback = report.feedback(with_repair=False)
    if text == _CLAIM:
        # Of a flow it is not looked for a plan without a repair, and of soundness it is no question.
        right = None if task.quality is Quality.SOUND else task.claim
        assert report.determination in (right, None) and not each.is_good and not each.is_draft, told
        assert report.determination is right or is_limited or task.is_flow, told
    elif text in (_SORRY, _UNREAD):
        assert report.determination is None and not each.is_draft and "is not valid" not in feedback, told
    elif text.endswith(_UNREAD):
        # A fault before the piece that was not understood is one whatever the piece says.
        is_wrong = task.first_fault(draft) is not None
        assert report.determination in ((False, None) if is_wrong else (None,)) and not each.is_draft, told
    else:
        has = task.has(draft)
        assert has is None or report.determination in (has, None), (told, has)
        assert has is None or report.determination is has or is_limited or task.quality is Quality.OPTIMAL, told
        assert each.is_draft and each.is_good is (report.determination is True), told
    if report.determination is False and text != _CLAIM:
        fault, named = task.first_fault(draft), re.search(r"^Steps? (\d+)", feedback, re.MULTILINE)
        assert (fault is None) is (named is None), (told, feedback, fault)
        assert named is None or fault is None or int(named[1]) == fault + 1, (told, feedback, fault)


def _compare_end(task: _Task, loop: Loop, drafts: Sequence[Sequence[Any]], told: object, *, is_limited: bool) -> str:
    report, plan = loop.report, None if loop.plan is None else list(map(task.read, loop.plan))
    assert (plan is None) is (loop.ending is Ending.NONE), told
    assert plan is None or task.has(plan) in (True, None) or task.quality is Quality.OPTIMAL, (told, plan)
    shown = "\n".join(loop.lines())
    match loop.ending:
        case Ending.MODEL:
            assert plan == list(drafts[len(loop.rounds) - 1]) and loop.rounds[-1].is_good, told
            return outcome(True)
        case Ending.NONE if loop.rounds[-1].is_end:
            assert task.has_plan is not True, told
            return outcome(report.proven)
        case Ending.NONE:
            assert task.has_plan is not True or (is_limited and not report.planner_response.no_solution), told
            return outcome(report.planner_response.no_solution)
        case Ending.REPAIR:
            known = [(each, draft) for each, draft in zip(loop.rounds, drafts, strict=False) if each.is_draft]
            fewest = min(each.faults for each, _ in known)
            draft = next(draft for each, draft in reversed(known) if each.faults == fewest)
            assert "The planner repaired the best answer" in shown, told
            assert list(map(task.read, report.reference)) == list(draft), told
            return task.judge(report, draft)
    assert not any(each.is_draft for each in loop.rounds) and "the planner made the plan" in shown, told
    return task.judge(report, ())


# --- models, and flows -----------------------------------------------------------------------------


def _of_model(seed: int, draw: Random, seconds: float) -> _Task | None:
    prices, quality = (CHEAP, DEAR)[seed % 2], draw.choice((*Quality, Quality.VALID))
    match seed // 4 % 3:
        case 0:
            domain, problem, _ = random_case(MODELS[seed // 12 % 4], seed, prices)
        case 1:
            domain, problem = random_schema(seed, prices)
        case _:
            domain, problem = random_world(seed, prices)
    oracle = Oracle(domain, problem)
    if states_of(oracle, _MOST_STATES) is None or not oracle.steps:
        return None
    least = oracle.nearest((), quality.value, "edits", 1)
    known, scale = list(map(str, oracle.steps)), scale_of(prepare(domain, problem))

    def draft() -> list[str]:
        walk = wrong_walk(oracle, draw, draw.randint(0, 3), 0, to_goal=draw.random() < 0.7)
        for _ in range(draw.choice((0, 0, 1, 2))):
            place = draw.randint(0, len(walk))
            walk[place : place + draw.randint(0, 1)] = [draw.choice(known)] * draw.randint(0, 2)
        return walk

    def has(lines: Sequence[str]) -> bool:
        end = oracle.run(lines)
        if end is None or (quality is not Quality.SOUND and not oracle.is_goal(end[0])):
            return False
        return quality is not Quality.OPTIMAL or (least is not None and oracle.begun + sum(end[1]) == least[0])

    def first_fault(lines: Sequence[str]) -> int | None:
        return next((place for place in range(len(lines)) if oracle.run(lines[: place + 1]) is None), None)

    def judge(report: Report, lines: Sequence[str]) -> str:
        return judged(report, oracle, lines, "edits", scale, is_limited=seconds < _ENOUGH)

    subject = pddl_subject(domain, problem, quality=quality, time_limit=seconds)
    return _Task(
        subject=replace(subject, efforts=None),
        quality=quality,
        draft=draft,
        text=lambda lines: text_of(list(lines)),
        read=str,
        has=has,
        has_plan=least is not None,
        is_flow=False,
        first_fault=first_fault,
        judge=judge,
    )


def _of_flow(seed: int, draw: Random, seconds: float) -> _Task | None:
    flow, quality = flow_with_goals(draw), draw.choice((Quality.SOUND, Quality.VALID))
    own = Interpreter(flow)
    least = own.nearest((), "optimal", with_goal=quality is not Quality.SOUND, most=_MOST_WORLDS)

    def check(answer: str, repair: bool) -> Report:
        return check_flow(flow, answer, quality=quality, repair=repair, time_limit=seconds)

    def has(moves: Sequence[Any]) -> bool:
        end = own.run(moves)
        return end is not None and (quality is Quality.SOUND or own.is_goal(end[0]))

    def first_fault(moves: Sequence[Any]) -> int | None:
        return next((place for place in range(len(moves)) if own.run(moves[: place + 1]) is None), None)

    def judge(report: Report, moves: Sequence[Any]) -> str:
        nearest = own.nearest(moves, "move", with_goal=quality is not Quality.SOUND, most=_MOST_WORLDS)
        return outcome(False) if nearest == "too many states" else compared(own, moves, report, "move", nearest)

    return _Task(
        subject=Subject(told="", check=check),
        quality=quality,
        draft=lambda: walk_with_faults(own, draw),
        text=lambda moves: "".join(f"{line(flow, move)}\n" for move in moves),
        read=move_of,
        has=has,
        has_plan=None if least == "too many states" else least != "none",
        is_flow=True,
        first_fault=first_fault,
        judge=judge,
    )


KINDS = (
    Kind(
        name="the loop with a language model",
        against="Dijkstra over states and places of each draft; of flows, a second executor",
        attack=_attack,
        share=5,
    ),
)
