"""The loop: ask for a plan, check it, tell what is wrong, ask again; at last the planner repairs the best draft.

Drafts corrected by an external verifier: Valmeekam et al. 2023, Kambhampati et al. 2024 (LLM-Modulo).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import TypeAlias

from validator.checking.report import Report
from validator.errors import PlanError
from validator.grounding.limits import Status
from validator.reading.plan import Completeness, Token
from validator.records import dataclass
from validator.render.json import json_text
from validator.render.printed import Printed
from validator.scaffold.asking import Answered, Ask, Message
from validator.scaffold.subject import Subject

__all__ = ["Ending", "Log", "Loop", "Round", "end_value", "repair_loop"]

Log: TypeAlias = Callable[[str], object]
"""Takes a line of JSON, without its end."""

_CORRECTED = "Answer with the whole corrected plan, and nothing else."
_AGAIN = "Answer with the whole plan, and nothing else."


class Ending(StrEnum):
    """Where the plan came from in the end."""

    MODEL = "model"
    """an answer had the quality"""
    REPAIR = "repair"
    """the planner repaired an answer"""
    PLANNER = "planner"
    """no answer could be read; the planner made the plan"""
    NONE = "none"
    """there is no plan, or none was found in time"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A question, its answer, and what the check said of it; no report when there was no answer to check.

    ``asking`` and ``checking`` are seconds of wall clock.
    """

    number: int
    answered: Answered
    report: Report | None
    asking: float
    checking: float = 0.0

    @property
    def is_good(self) -> bool:
        return self.is_plan and self.report is not None and self.report.determination is True

    @property
    def is_plan(self) -> bool:
        """Return whether the answer was understood, and has a plan."""
        return self.report is not None and self.report.is_understood and self.report.no_plan is None

    @property
    def is_draft(self) -> bool:
        """Return whether the answer has steps and all of it was understood, so that it can be repaired."""
        if self.report is None or not self.is_plan or not self.report.reference:
            return False
        reading = self.report.reading
        return reading is None or reading.completeness is Completeness.COMPLETE

    @property
    def is_end(self) -> bool:
        """Return whether nothing is left to ask: the plan is good, or the answer says rightly that there is none."""
        return self.report is not None and self.report.determination is True

    @property
    def faults(self) -> int:
        return 0 if self.report is None else len(self.report.failures)

    def __str__(self) -> str:
        if self.report is None:
            return f"Round {self.number}: no answer ({self.answered.error})"
        if not self.is_plan:
            was = "" if self.report.is_understood else "the answer was "
            return f"Round {self.number}: {was}{self.report.reason} ({self.asking:.1f} s)"
        said = {True: "is", False: "is not", None: "is not known to be"}[self.report.determination]
        faults = f", {self.faults} fault{'s' if self.faults != 1 else ''}" if self.faults else ""
        return f"Round {self.number}: the plan {said} {self.report.report_type.value}{faults} ({self.asking:.1f} s)"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Loop(Printed):
    """How it went: the rounds, the last report, and the plan.

    ``repairing`` is the time of the symbolic repair, in seconds of wall clock.
    """

    rounds: tuple[Round, ...]
    ending: Ending
    report: Report
    plan: tuple[Token, ...] | None
    repairing: float = 0.0

    @property
    def seconds(self) -> float:
        """Return the wall clock of the whole scaffold."""
        return sum(each.asking + each.checking for each in self.rounds) + self.repairing

    @property
    def text(self) -> str:
        shown = ("The plan:", *(f"  {step}" for step in self.plan)) if self.plan else ()
        return "".join(f"{line}\n" for line in (*self.lines(), *shown))

    def lines(self) -> Iterator[str]:
        """Yield the story as lines of text."""
        yield from map(str, self.rounds)
        quality = self.report.report_type.value
        yield {
            Ending.MODEL: f"The answer of round {len(self.rounds)} is {quality}.",
            Ending.REPAIR: f"The planner repaired the best answer: {self._changes()}.",
            Ending.PLANNER: "No answer could be used; the planner made the plan.",
            Ending.NONE: f"No {quality} plan: {self.report.reason}",
        }[self.ending]

    def _changes(self) -> str:
        number = sum(diff.diff_type is not None for diff in self.report.plan_diff_obj)
        return f"{number} changed line{'s' if number != 1 else ''}"


def repair_loop(subject: Subject, ask: Ask, *, rounds: int = 3, log: Log | None = None) -> Loop:
    """Ask for a plan up to ``rounds`` times, each time telling what was wrong, and repair the best answer at last.

    ``log`` gets a line of JSON after each round and one at the end. A question without an answer takes a round. Raises
    what the checks raise, and KeyboardInterrupt where the check of a draft is interrupted.
    """
    if rounds < 1:
        raise ValueError("a loop has one round at least")
    messages = [Message(role="user", content=subject.told)]
    done: list[Round] = []
    for number in range(1, rounds + 1):
        done.append(_round(subject, ask, messages, number))
        _tell(log, _round_value(done[-1]))
        if done[-1].is_end:
            break
        report, answer = done[-1].report, done[-1].answered.text
        if report is not None:
            feedback = report.feedback(with_repair=False)
            messages.append(Message(role="assistant", content=answer))
            again = _CORRECTED if done[-1].is_plan else _AGAIN
            messages.append(Message(role="user", content=f"{feedback}{again}"))
    loop = _finish(subject, done)
    _tell(log, end_value(loop))
    return loop


def _round(subject: Subject, ask: Ask, messages: list[Message], number: int) -> Round:
    start = time.monotonic()
    answered = ask(tuple(messages))
    asking = time.monotonic() - start
    if answered.error:
        return Round(number=number, answered=answered, report=None, asking=asking)
    try:
        report = subject.check(answered.text, False)
    except PlanError as error:
        refused = Answered(text=answered.text, error=str(error), attempts=answered.attempts)
        return Round(number=number, answered=refused, report=None, asking=asking)
    if report.planner_response.status == Status.INTERRUPTED.value:
        raise KeyboardInterrupt  # which a check takes for its own end: nobody is asked again for that
    checking = time.monotonic() - start - asking
    return Round(number=number, answered=answered, report=report, asking=asking, checking=checking)


def _finish(subject: Subject, rounds: list[Round]) -> Loop:
    """Return the end of the story: the good answer, or the repair of the one with the fewest faults."""
    last = rounds[-1]
    if last.is_end and last.report is not None:
        report, seconds = last.report, 0.0
        ending = Ending.MODEL if last.is_good else Ending.NONE
    else:
        drafts = [each for each in rounds if each.is_draft]
        # The last of the best: it has heard most.
        best = min(reversed(drafts), key=lambda each: each.faults, default=None)
        start = time.monotonic()
        report = subject.check("" if best is None else best.answered.text, True)
        seconds = time.monotonic() - start
        ending = Ending.NONE
        if report.repaired_plan is not None or report.determination:
            ending = Ending.PLANNER if best is None else Ending.REPAIR
    plan = report.repaired_plan if report.repaired_plan is not None else report.reference
    return Loop(
        rounds=tuple(rounds),
        ending=ending,
        report=report,
        plan=None if ending is Ending.NONE else plan,
        repairing=seconds,
    )


# --- the log -------------------------------------------------------------------------------------


def _tell(log: Log | None, value: dict[str, object]) -> None:
    if log is not None:
        log(json_text(value, indent=None).rstrip("\n"))


def _round_value(each: Round) -> dict[str, object]:
    report = each.report
    return {
        "round": each.number,
        "answer": each.answered.text,
        "error": each.answered.error,
        "attempts": each.answered.attempts,
        "asking": round(each.asking, 3),
        "checking": round(each.checking, 3),
        "determination": None if report is None else report.determination,
        "is_understood": report is not None and report.is_understood,
        "faults": each.faults,
        "feedback": "" if report is None else report.feedback(with_repair=False),
    }


def end_value(loop: Loop) -> dict[str, object]:
    """Return the end of the story as plain values."""
    return {
        "end": loop.ending.value,
        "rounds": len(loop.rounds),
        "quality": loop.report.report_type.value,
        "determination": loop.report.determination,
        "plan": None if loop.plan is None else [str(step) for step in loop.plan],
        "diff": loop.report.plan_diff_str,
        "proven": loop.report.proven,
        "seconds": round(loop.seconds, 3),
    }
