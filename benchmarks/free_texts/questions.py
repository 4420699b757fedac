"""Questions in English about plans, and the question of the product's own language that is meant.

Several expected readings stand where the words allow each of them; a reading is one or several phrases, joined by "; ".
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.table import Cell, Goal, Table
from validator import prepare
from validator.errors import InputError
from validator.foils import Solvable
from validator.foils.language.context import Context
from validator.foils.language.read import read_question
from validator.foils.questions import PremiseError
from validator.reading.tokens import tokenize

__all__ = ["CASES", "UNTRUE", "Case", "asked_of", "of_questions"]

UNTRUE = "untrue"
"""the reading of a question that takes for granted what is not so"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A problem, a valid plan, and questions with the readings that are right."""

    name: str
    domain: str
    problem: str
    plan: tuple[str, ...]
    questions: Mapping[str, tuple[str, ...]]


def _case(name: str) -> Case:
    """Read a domain, a problem, a plan and questions, each a line ``QUESTION => READING | READING``."""
    text = (Path(__file__).parent / "questions" / f"{name}.txt").read_text(encoding="utf-8")
    domain, problem, plan, questions = text.strip().split("\n\n")
    pairs = (line.split(" =>") for line in questions.replace("\n    ", " ").splitlines())
    return Case(
        name=name,
        domain=domain,
        problem=problem,
        plan=tuple(re.findall(r"\([^()]+\)", plan)),
        questions={asked: tuple(filter(None, map(str.strip, readings.split(" | ")))) for asked, readings in pairs},
    )


_NAMES = "harbour hospital library yard ward stage post garden lift winery museum drones"
CASES = tuple(map(_case, _NAMES.split()))


def of_questions() -> Table:
    """Read each question, and compare the reading with those that are right."""
    rows: list[tuple[Cell, ...]] = []
    refused: list[str] = []
    misread: list[str] = []
    begun = time.process_time()
    for case in CASES:
        asked = asked_of(case)
        answered = refusals = 0
        for question, readings in case.questions.items():
            right = [
                frozenset((UNTRUE,)) if reading == UNTRUE else _reading(reading.split("; "), asked)
                for reading in readings
            ]
            try:
                read = _reading((question,), asked)
            except PremiseError:
                read = frozenset((UNTRUE,))
            except InputError as error:
                refusals += 1
                refused.append(f"refused: {question} ({str(error).splitlines()[0][:100]})")
                continue
            answered += read in right
            if read not in right:
                wanted = " or ".join(readings) or "anything"
                misread.append(f"{case.name}: {question} read as {'; '.join(sorted(read))}, not {wanted}")
        rows.append((case.name, len(case.questions), answered, refusals, len(case.questions) - answered - refusals))
    totals = [sum(int(row[column] or 0) for row in rows) for column in range(1, 5)]
    spent = 1000 * (time.process_time() - begun) / totals[0]
    return Table(
        title="free texts: questions",
        about=f"questions in English for why-not, {spent:.0f} CPU ms each to read",
        columns=("of", "questions", "answered", "refused", "misread"),
        rows=(*rows, ("all", *totals)),
        goals=(
            Goal(what="answered", measured=100 * totals[1] / totals[0], limit=80, unit="%", at_least=True),
            Goal(what="misread", measured=totals[3], limit=0, unit="questions"),
        ),
        notes=tuple(refused),
        wrong=tuple(misread),
    )


def asked_of(case: Case) -> Context:
    """Return what the questions of a case are asked of."""
    prepared = prepare(case.domain, case.problem)
    plan = tokenize("\n".join(case.plan), prepared.vocabulary)
    return Context(simulator=prepared.simulator, plan=plan)


def _reading(questions: tuple[str, ...] | list[str], asked: Context) -> frozenset[str]:
    """Return what is asked for, as texts that can be compared."""
    found: set[str] = set()
    for question in questions:
        read = read_question(question, asked)
        found |= {repr(wish) for wish in read.constraints}
        if read.constraints == (Solvable(),):
            found |= {*read.facts}
        if read.foil is not None:
            found.add(f"foil {read.foil}")
    return frozenset(found)
