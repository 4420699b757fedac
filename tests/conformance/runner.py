"""Start a validator on a case with limits of time and memory, and judge its answer."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, Protocol

from .cases import Case

__all__ = ["Answer", "Ended", "Judged", "Outcome", "Validator", "execute", "judge", "run"]

_MOST_OUTPUT = 2**20


class Outcome(StrEnum):
    """What a validator's answer is worth."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    REFUSES = "refuses"
    CRASHES = "crashes"


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a process ended; ``code`` is None where a limit of time ended it."""

    code: int | None
    out: str = ""
    err: str = ""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a validator says: ``valid``, ``invalid``, ``refused`` or ``crashed``, and its own words.

    ``said`` is what else a validator tells that ``expected.json`` knows: ``cost``, ``faults`` with their steps.
    """

    verdict: str
    text: str = ""
    said: dict[str, Any] | None = None


class Validator(Protocol):
    """A validator as a program: its command for a case, and the answer that its output is."""

    def command(self, case: Case) -> Sequence[str]: ...
    def answer(self, ended: Ended) -> Answer: ...


@dataclass(frozen=True, kw_only=True)
class Judged:
    """An answer to a case, judged."""

    case: Case
    answer: Answer
    outcome: Outcome

    @property
    def is_right(self) -> bool:
        """Return whether the answer is one that the standard allows, with nothing wrong in what else it says."""
        allowed = self.outcome is Outcome.AGREES or (self.outcome is Outcome.REFUSES and self.case.may_refuse)
        return allowed and not self.differences

    @property
    def differences(self) -> list[str]:
        """Return what an answer says otherwise than is expected, beside its verdict."""
        return _differences(self.case, self.answer)


def run(validator: Validator, chosen: Iterable[Case], *, seconds: float, memory: int, jobs: int) -> Iterator[Judged]:
    """Yield the judged answer to each case in order; ``memory`` is in bytes, each limit for one process."""

    def one(case: Case) -> Judged:
        return judge(case, validator.answer(execute(validator.command(case), seconds=seconds, memory=memory)))

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(one, chosen)


def execute(command: Sequence[str], *, seconds: float, memory: int) -> Ended:
    """Run a command in an empty directory with limits; nothing that it starts is left behind."""
    limited = ["sh", "-c", f'ulimit -v {memory // 1024}; exec "$@"', "sh", *command]
    with TemporaryDirectory() as folder, TemporaryFile() as out, TemporaryFile() as err:
        process = subprocess.Popen(
            limited, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        try:
            code: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end(process)
        out.seek(0)
        err.seek(0)
        texts = [file.read(_MOST_OUTPUT).decode("utf-8", "replace") for file in (out, err)]
    return Ended(code=code, out=texts[0], err=texts[1])


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the whole group of a process, which may be gone."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def judge(case: Case, answer: Answer) -> Judged:
    """Judge an answer; what is no plan, or no PDDL, is rightly refused, and a malformed plan is rightly invalid.

    A plan that may be refused is one whose text no standard has: to call it invalid is to refuse it.
    """
    rejected = ("invalid", "refused")
    allowed = {
        "valid": ("valid",),
        "invalid": ("invalid",),
        "malformed": rejected,
        "model_error": ("refused",),
        "ambiguous": ("valid", *rejected),
    }
    if answer.verdict == "crashed":
        outcome = Outcome.CRASHES
    elif answer.verdict in allowed[case.verdict]:
        outcome = Outcome.AGREES
    elif answer.verdict == "refused" or (answer.verdict == "invalid" and case.expected.get("may_refuse")):
        outcome = Outcome.REFUSES
    else:
        outcome = Outcome.DISAGREES
    return Judged(case=case, answer=answer, outcome=outcome)


def _differences(case: Case, answer: Answer) -> list[str]:
    """Compare what an answer says; what it does not say is not compared."""
    said, expected = answer.said or {}, case.expected
    if answer.verdict == "refused" or case.verdict == "ambiguous":
        return []
    found = []
    cost = said.get("cost")
    if "cost" in expected and cost is not None and Fraction(cost) != Fraction(str(expected["cost"])):
        found.append(f"cost {cost}, expected {expected['cost']}")
    if case.faults and "faults" in said and (said["faults"] or case.verdict == "invalid"):
        found.extend(_wrong_fault(case, said["faults"]))
    compared = {"all_failed_steps", "last_time_true_after_step"} & said.keys() & expected.keys()
    found.extend(f"{name} {said[name]}, expected {expected[name]}" for name in compared if said[name] != expected[name])
    return found


def _wrong_fault(case: Case, faults: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Compare the first fault of the kind that is expected."""
    told = next((fault for fault in faults if fault["fault"] in case.faults), None)
    if told is None:
        yield f"no fault {' or '.join(case.faults)} among {[fault['fault'] for fault in faults]}"
        return
    for name in ("failed_step", "unsatisfied", "constraint", "suggest"):
        if name not in case.expected:
            continue
        found, expected = told.get(name), case.expected[name]
        if (sorted(found or ()) != sorted(expected)) if name == "unsatisfied" else found != expected:
            yield f"{name} {found}, expected {expected}"
