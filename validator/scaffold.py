"""A language model drafts a plan, the checks tell it what is wrong, and the planner repairs what is left.

A ``Subject`` (a model or a flow) and a function that asks come in, the rounds and a plan go out: ``repair_loop``.
Drafts corrected by an external verifier: Valmeekam et al. 2023, Kambhampati et al. 2024 (LLM-Modulo).
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

from validator.checking.check import check
from validator.checking.explain import in_words
from validator.checking.prepared import prepare
from validator.checking.report import Quality, Report
from validator.errors import InputError, PlanError
from validator.flow.check import check_flow
from validator.flow.definition.reader import read_flow
from validator.grounding.limits import Status
from validator.model.pddl.frame import read_text
from validator.reading.lexicon import TemplateSource
from validator.reading.plan import Completeness, Token
from validator.reading.tokens import tokenize
from validator.records import dataclass
from validator.render.printed import Printed
from validator.texts import counted
from validator.texts import read_text as read_file

__all__ = [
    "Answered",
    "Ask",
    "Ending",
    "Loop",
    "Message",
    "Round",
    "Subject",
    "command",
    "flow_subject",
    "pddl_subject",
    "repair_loop",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """``role`` is user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer to a conversation; ``error`` says why there is none."""

    text: str = ""
    error: str = ""


Ask: TypeAlias = Callable[[Sequence[Message]], Answered]
"""Continues a conversation. What goes wrong is reported in the answer."""


# --- what is asked for ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """``told`` is the task in words; ``check`` decides about an answer, with or without a repair."""

    told: str
    check: Callable[[str, bool], Report]


_WANTED = {
    Quality.SOUND: "whose steps can all be executed in order",
    Quality.VALID: "that can be executed and reaches the goal",
    Quality.OPTIMAL: "that can be executed, reaches the goal, and is as cheap as possible",
}


def pddl_subject(
    domain: str | Path,
    problem: str | Path,
    *,
    quality: Quality | str = Quality.VALID,
    strict: bool = False,
    templates: TemplateSource | None = None,
    words: bool = False,
    **options: Any,
) -> Subject:
    """Return the task of a PDDL problem; ``strict`` takes answers literally, ``options`` are those of ``check``.

    With ``words``, steps and faults are in words, by templates if given. Raises ModelError, InputError for
    templates, OSError for a file.
    """
    prepared, quality = prepare(domain, problem, templates=templates), Quality(quality)
    texts = [read_text(source, kind)[0] for source, kind in ((domain, "domain"), (problem, "problem"))]

    def checked(answer: str, repair: bool) -> Report:
        plan = tokenize(answer, prepared.vocabulary, strict=strict)
        report = check(prepared, None, plan, quality=quality, repair=repair, **options)
        return in_words(report, prepared.lexicon) if words else report

    form = "each as (action argument ...), with the names of the domain and the problem"
    if words:
        sentences = "\n".join(prepared.lexicon.say_actions())
        form = (
            f"each in the words of one of these sentences, with objects in the place of their variables:\n{sentences}\n"
        )
    told = (
        f"Find a plan for this PDDL problem {_WANTED[quality]}. Answer with the plan only: one step a line, in order, "
        f"{form}. No numbers, no explanation."
    )
    return Subject(told="\n\n".join((told, *texts)), check=checked)


def flow_subject(flow: str | Path, *, quality: Quality | str = Quality.VALID, **options: Any) -> Subject:
    """Return the task of a flow, from its file; ``options`` are those of ``check_flow``. Raises ModelError, OSError."""
    read, quality = read_flow(flow), Quality(quality)

    def checked(answer: str, repair: bool) -> Report:
        return check_flow(read, answer, quality=quality, repair=repair, **options)

    told = (
        f"Find a plan for this flow of tool calls {_WANTED[quality]}. Answer with the plan only, one step a line: "
        "ask(item), map(item, item), confirm(item), assert CONDITION, assert not CONDITION, or a call such as "
        "output = operator(input). No numbers, no explanation."
    )
    text = read_file(Path(flow))
    return Subject(told=f"{told}\n\n{text}", check=checked)


# --- the loop -------------------------------------------------------------------------------------

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
        faults = f", {counted(self.faults, 'fault')}" if self.faults else ""
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
        return counted(sum(diff.diff_type is not None for diff in self.report.plan_diff_obj), "changed line")

    def to_json(self) -> dict[str, object]:
        """Return the end of the story as values that ``json.dumps`` takes."""
        return {
            "end": self.ending.value,
            "rounds": len(self.rounds),
            "quality": self.report.report_type.value,
            "determination": self.report.determination,
            "plan": None if self.plan is None else [str(step) for step in self.plan],
            "diff": self.report.plan_diff_str,
            "proven": self.report.proven,
            "seconds": round(self.seconds, 3),
        }


def repair_loop(subject: Subject, ask: Ask, *, rounds: int = 3) -> Loop:
    """Ask for a plan up to ``rounds`` times, each time telling what was wrong, and repair the best answer at last.

    A question without an answer takes a round. Raises what the checks raise, and KeyboardInterrupt where the check of a
    draft is interrupted.
    """
    if rounds < 1:
        raise ValueError("a loop has one round at least")
    messages = [Message(role="user", content=subject.told)]
    done: list[Round] = []
    for number in range(1, rounds + 1):
        done.append(_round(subject, ask, messages, number))
        if done[-1].is_end:
            break
        report, answer = done[-1].report, done[-1].answered.text
        if report is not None:
            feedback = report.feedback(with_repair=False)
            messages.append(Message(role="assistant", content=answer))
            again = _CORRECTED if done[-1].is_plan else _AGAIN
            messages.append(Message(role="user", content=f"{feedback}{again}"))
    return _finish(subject, done)


def _round(subject: Subject, ask: Ask, messages: list[Message], number: int) -> Round:
    start = time.monotonic()
    answered = ask(tuple(messages))
    asking = time.monotonic() - start
    if answered.error:
        return Round(number=number, answered=answered, report=None, asking=asking)
    try:
        report = subject.check(answered.text, False)
    except PlanError as error:
        refused = Answered(text=answered.text, error=str(error))
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


# --- programs -------------------------------------------------------------------------------------

_MOST_OUTPUT = 4 * 2**20
_PULSE = 0.02


def command(line: str, time_limit: float) -> Ask:
    """Return what asks a program, given as one would type it, without a shell; ``time_limit`` is in seconds.

    Raises InputError for a line that has no words or an open quotation, and for a program that is not there.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise InputError(f"the command cannot be read: {error}", source="--llm", text=line, offset=0) from None
    program = shutil.which(words[0]) if words else None
    if program is None:
        raise InputError(f"no such program: {words[0]}" if words else "a command was expected", source="--llm")
    words[0] = str(Path(program).absolute())  # it runs in another directory

    def ask(messages: Sequence[Message]) -> Answered:
        with tempfile.TemporaryDirectory(prefix="plan-validator-", ignore_cleanup_errors=True) as name:
            return _run(words, _conversation(messages), Path(name), time_limit)

    return ask


def _conversation(messages: Sequence[Message]) -> str:
    """Return a conversation as one text."""
    parts = [f"You answered:\n{each.content}" if each.role == "assistant" else each.content for each in messages]
    return "\n\n".join(parts) + "\n"


def _run(words: Sequence[str], text: str, directory: Path, time_limit: float) -> Answered:
    # What the program sees and says stands beside its directory, not in it, in files without names.
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as errors:
        given.write(text.encode())
        given.seek(0)
        try:
            child = subprocess.Popen(
                words, cwd=directory, stdin=given, stdout=said, stderr=errors, start_new_session=True
            )
        except (OSError, ValueError) as error:
            return Answered(error=f"the command cannot be run: {getattr(error, 'strerror', None) or error}")
        try:
            failed = _wait(child, said.fileno(), time_limit)
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        if failed:
            return Answered(error=failed)
        if child.returncode:
            errors.seek(0)
            last = " ".join(errors.read(100_000).decode("utf-8", "replace").strip().splitlines()[-1:])
            failed = f"the command failed with exit code {child.returncode}"
            return Answered(error=f"{failed}: {last}"[:300] if last else failed)
        said.seek(0)
        try:
            return Answered(text=said.read(_MOST_OUTPUT).decode("utf-8"))
        except UnicodeDecodeError:
            return Answered(error="the command's output is not UTF-8 text")


def _wait(child: subprocess.Popen[bytes], output: int, time_limit: float) -> str:
    """Wait for the end of a program; return why it is not to go on, or an empty text."""
    deadline = time.monotonic() + time_limit
    while True:
        if os.fstat(output).st_size > _MOST_OUTPUT:
            return f"the command's output is longer than {_MOST_OUTPUT} bytes"
        if child.poll() is not None:
            return ""
        if time.monotonic() >= deadline:
            return f"the command did not answer within {time_limit:g} s"
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=_PULSE)
