"""Questions about plans of competition models: how many are answered within the limit, and how far that is proven.

For every third model of the folder (see ``benchmarks.ipc``): two corrupted plans as foils, and partial questions about
its good.plan, with steps drawn at random by the model's name. Each question grounds the model anew, as a command does.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.measure import Cost, cost_of
from benchmarks.options import Options
from benchmarks.table import Cell, Goal, Table, absent
from validator.checking.prepared import Prepared, prepare
from validator.foils import Answer, AtMost, Before, Must, MustNot, Pattern, instead, why_not
from validator.grounding.limits import Limits
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.reading.plan import Plan, Step
from validator.reading.tokens import tokenize

__all__ = ["run"]

TIME_LIMIT = 10.0
GROUNDING = 120.0
"""seconds for the grounding from which questions are drawn, which is not measured"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    model: str
    kind: str
    answer: Answer
    cost: Cost

    @property
    def is_answered(self) -> bool:
        """Return whether it is decided, and a plan shown where one exists."""
        answer = self.answer
        return answer.possible is False or (answer.possible is True and answer.foil is not None)

    @property
    def is_nearest(self) -> bool:
        return self.answer.possible is False or self.answer.nearest

    @property
    def is_priced(self) -> bool:
        """Return whether every cost that was asked for is proven."""
        answer = self.answer
        intervals = [answer.optimum, answer.cheapest if answer.constraints else answer.optimum]
        return answer.possible is False or all(each is not None and each.is_exact for each in intervals)

    def __str__(self) -> str:
        said = {True: "possible", False: "impossible", None: "not decided"}[self.answer.possible]
        lacking = "; ".join(
            text for ok, text in ((self.is_nearest, "not nearest"), (self.is_priced, "costs")) if not ok
        )
        return f"{self.model} {self.kind}: {said} ({lacking}), {self.cost.cpu:.1f} s CPU, {self.cost.wall:.1f} s"


def run(options: Options) -> list[Table]:
    """Ask the questions about every model of the index, one after the other."""
    index = options.ipc / "index.json"
    if missing := absent("foils", index):
        return missing
    models = json.loads(index.read_text(encoding="utf-8"))[::3]
    asked: list[_Asked] = []
    for model in models:
        if options.only in (None, model["domain"]):
            asked += _ask(options.ipc / model["domain"], [broken["file"] for broken in model["broken"]])
    kinds = list(dict.fromkeys(each.kind for each in asked))
    rows = [_row(kind, [each for each in asked if each.kind == kind]) for kind in kinds]
    rows.append(_row("all", asked))
    share = sum(each.is_answered for each in asked) / max(1, len(asked))
    return [
        Table(
            title="foils",
            about=f"questions about plans of {len(models)} competition models, {TIME_LIMIT:g} s each",
            columns=("question", "asked", "answered", "nearest proven", "costs proven", "impossible", "CPU s", "worst"),
            rows=tuple(rows),
            goals=(Goal(what="answered in time", measured=share, limit=0.9, unit="of all", at_least=True),),
            notes=tuple(str(each) for each in asked if not (each.is_nearest and each.is_priced)),
        )
    ]


def _row(kind: str, asked: list[_Asked]) -> tuple[Cell, ...]:
    seconds = sorted(each.cost.cpu for each in asked)
    return (
        kind,
        len(asked),
        sum(each.is_answered for each in asked),
        sum(each.is_nearest for each in asked),
        sum(each.is_priced for each in asked),
        sum(each.answer.possible is False for each in asked),
        seconds[len(seconds) // 2] if seconds else None,
        seconds[-1] if seconds else None,
    )


def _ask(folder: Path, broken: list[str]) -> Iterator[_Asked]:
    read = partial(read_model, folder / "domain.pddl", folder / "problem.pddl")
    prepared = prepare(read())
    plan = tokenize((folder / "good.plan").read_text(encoding="utf-8"), prepared.vocabulary)
    for kind, question in _questions(prepared, plan, folder, broken):
        fresh = prepare(read())
        cost, answer = cost_of(partial(question, fresh))
        asked = _Asked(model=folder.name, kind=kind, answer=answer, cost=cost)
        print(asked, file=sys.stderr, flush=True)
        yield asked


_Question = Callable[[Prepared], Answer]


def _questions(prepared: Prepared, plan: Plan, folder: Path, broken: list[str]) -> Iterator[tuple[str, _Question]]:
    draw = random.Random(folder.name)
    task = prepared.task(Limits(deadline=time.monotonic() + GROUNDING, memory=4 * 2**30))
    assert isinstance(task, Task)
    steps = [step for step in map(prepared.simulator.resolve, plan.tokens) if isinstance(step, Step)]
    others = sorted((step for step in task.steps if step not in steps), key=str)

    def ask(*constraints: Must | MustNot | Before | AtMost) -> _Question:
        return lambda fresh: why_not(fresh, plan=plan, constraints=constraints, time_limit=TIME_LIMIT)

    for name in broken[::2][:2]:
        foil = (folder / name).read_text(encoding="utf-8")
        yield "a whole foil", partial(_foil, foil, plan)
    dropped, wanted = Must(step=_pattern(draw.choice(others))), MustNot(step=_pattern(draw.choice(steps)))
    yield "must", ask(dropped)
    yield "must not", ask(wanted)
    first, second = sorted(draw.sample(range(len(steps)), 2))
    yield "before", ask(Before(first=_pattern(steps[second]), second=_pattern(steps[first])))
    name, number = Counter(step.name for step in steps).most_common(1)[0]
    arity = len(next(step for step in steps if step.name == name).args)
    yield "at most", ask(AtMost(number=number - 1, step=Pattern(name=name, args=("_",) * arity)))
    yield "two wishes", ask(Must(step=_pattern(draw.choice(others))), MustNot(step=_pattern(draw.choice(steps))))
    place = draw.randrange(len(steps))
    shuffled = draw.sample(others, len(others))
    applicable = (other for other in shuffled if prepared.simulator.run([*steps[:place], other]).is_sound)
    other = next(applicable, shuffled[0])
    yield "instead", partial(_instead, plan, _pattern(other), place + 1)


def _foil(foil: str, plan: Plan, fresh: Prepared) -> Answer:
    return why_not(fresh, tokenize(foil, fresh.vocabulary), plan=plan, time_limit=TIME_LIMIT)


def _instead(plan: Plan, step: Pattern, at: int, fresh: Prepared) -> Answer:
    asked = instead(fresh.simulator, plan, step, at)
    return why_not(
        fresh, asked.foil, plan=plan, constraints=asked.constraints, facts=asked.facts, time_limit=TIME_LIMIT
    )


def _pattern(step: Step) -> Pattern:
    return Pattern(name=step.name, args=step.args)
