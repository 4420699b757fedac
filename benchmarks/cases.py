"""Broken plans of competition models or of any folder of PDDL, always the same ones.

A folder with an ``index.json`` has its broken plans already; see ``benchmarks.ipc``. In any other folder, every
problem with a domain beside it, or in a folder above, is a model. Its plan is the first ``.plan`` file that is valid,
or one that is made here. Plans are broken by dropping, swapping, inserting and replacing steps, with a seed that is the
model's name.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from random import Random

from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare
from validator.errors import ValidatorError
from validator.grounding.limits import Limits
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.reading.plan import Plan
from validator.reading.tokens import tokenize

__all__ = ["Case", "Model", "corrupt", "find_cases", "find_models", "indexed_cases", "sample"]

CORRUPTIONS = (1, 2, 4, 8)
_TRIALS = 2
"""broken plans of a model for each number of corruptions"""

_TRIES = 50
_SECONDS = 30.0
"""for the grounding of a model, and for a plan where there is none"""

_DOMAIN, _PROBLEM, _OF_DOMAIN = (
    re.compile(rf"\(\s*{words}\s+([^\s()]+)\s*\)", re.IGNORECASE)
    for words in (r"define\s*\(\s*domain", r"define\s*\(\s*problem", ":domain")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A domain and a problem on disk."""

    name: str
    domain: Path
    problem: Path

    def prepare(self) -> Prepared:
        return prepare(read_model(self.domain, self.problem))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A broken plan; ``edits`` is the proven number of changed lines that an index has, None where it has none."""

    model: Model
    name: str
    corruptions: int
    plan: str
    edits: Fraction | None = None
    indexed_cpu: float = 0.0

    def __str__(self) -> str:
        return f"{self.model.name} {self.name}"


def find_cases(folder: Path, only: str | None = None, number: int = 0) -> tuple[list[Case], list[str]]:
    """Return the broken plans of a folder, and why models have none.

    For a sample of ``number`` cases no more models are looked at, in a shuffled order that is always the same; 0 is
    all of them.
    """
    if (folder / "index.json").is_file():
        return [case for case in indexed_cases(folder) if only in (None, case.model.name)], []
    found = list(find_models(folder))
    notes = [unclear for unclear in found if isinstance(unclear, str)]
    models = [model for model in found if isinstance(model, Model) and only in (None, model.name)]
    cases: dict[Model, list[Case]] = {}
    for model in Random(0).sample(models, len(models)):
        if 0 < number <= len(cases):
            notes.append(f"{number} of {len(models)} models were looked at")
            break
        try:
            cases[model] = list(_broken(model))
        except (ValidatorError, ValueError, OSError) as error:
            notes.append(f"{model.name}: no cases: {str(error).splitlines()[0]}")
    return [case for model in models for case in cases.get(model, ())], _grouped(notes)


def _grouped(notes: Sequence[str]) -> list[str]:
    """Return notes of one reason as one, with the first model."""
    groups: dict[str, list[str]] = {}
    for note in sorted(notes):
        name, _, reason = note.rpartition(": no cases: ")
        groups.setdefault(reason, []).append(name)
    more = {reason: f" and {len(names) - 1} more" if len(names) > 1 else "" for reason, names in groups.items()}
    return [f"{names[0]}{more[reason]}: no cases: {reason}" if names[0] else reason for reason, names in groups.items()]


def indexed_cases(folder: Path) -> Iterator[Case]:
    """Yield the broken plans of an index."""
    for model in json.loads((folder / "index.json").read_text(encoding="utf-8")):
        place = folder / model["domain"]
        for broken in model["broken"]:
            yield Case(
                model=Model(name=model["domain"], domain=place / "domain.pddl", problem=place / "problem.pddl"),
                name=broken["file"],
                corruptions=broken["corruptions"],
                plan=(place / broken["file"]).read_text(encoding="utf-8"),
                edits=None if broken["valid_edits"] is None else Fraction(broken["valid_edits"]),
                indexed_cpu=broken["valid_cpu"],
            )


def sample(cases: Sequence[Case], number: int) -> list[Case]:
    """Return about ``number`` cases: as many of each number of corruptions, and models in turn; 0 is all of them."""
    if not 0 < number < len(cases):
        return list(cases)
    number_of = attrgetter("corruptions")
    by_corruptions = [list(group) for _, group in groupby(sorted(cases, key=number_of), key=number_of)]
    share = -(-number // len(by_corruptions))
    models = list(dict.fromkeys(case.model.name for case in cases))
    Random(0).shuffle(models)
    chosen: set[str] = set()
    for turn, group in enumerate(by_corruptions):
        first = turn * share
        order = {name: (place - first) % len(models) for place, name in enumerate(models)}
        chosen |= set(map(str, sorted(group, key=lambda case: (_turn(case, group), order[case.model.name]))[:share]))
    return [case for case in cases if str(case) in chosen]


def _turn(case: Case, group: Sequence[Case]) -> int:
    """Return how many cases of the same model come before."""
    return [other.name for other in group if other.model == case.model].index(case.name)


# --- any folder of PDDL --------------------------------------------------------------------------


def find_models(folder: Path) -> Iterator[Model | str]:
    """Yield the models below a folder; a sentence for a problem whose domain is not clear."""
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.rglob("*.pddl"))}
    domains = {path: found[1].lower() for path, text in texts.items() if (found := _DOMAIN.search(text))}
    problems = {path: text for path, text in texts.items() if path not in domains and _PROBLEM.search(text)}
    alone = {directory for directory, group in groupby(problems, key=attrgetter("parent")) if len(list(group)) == 1}
    for problem, text in problems.items():
        place = problem.parent.relative_to(folder)
        name = (place if problem.parent in alone else place / problem.stem).as_posix()
        own = _own_domains(problem, text, domains, folder)
        if len(own) == 1:
            yield Model(name=name, domain=own[0], problem=problem)
        else:
            yield f"{name}: no cases: {len(own) or 'no'} domains for it"


def _own_domains(problem: Path, text: str, domains: Mapping[Path, str], folder: Path) -> list[Path]:
    """Return the domains that may be a problem's: of its folder or the next one above that has any.

    Among several, by their files' names, or by the name that the problem has.
    """
    for directory in (problem.parent, *problem.parent.parents):
        near = [path for path in domains if path.parent == directory]
        if near or directory == folder:
            break
    found = _OF_DOMAIN.search(text)
    named = [path for path in near if found and domains[path] == found[1].lower()]
    return [path for path in near if len(near) > 1 and problem.stem in path.stem] or named or near


def _broken(model: Model) -> Iterator[Case]:
    """Yield the broken plans of a model. Raises ValueError when it has no valid plan or cannot be grounded."""
    prepared = model.prepare()
    if prepared.model.features:
        raise ValueError(f"it uses what is not executed: {', '.join(prepared.model.features)}")
    limits = Limits(deadline=time.monotonic() + _SECONDS, memory=4 * 2**30)
    task = prepared.task(limits, costs_matter=False)
    if not isinstance(task, Task):
        raise ValueError(f"the {task.value} was met while it was grounded")
    steps, pool = _valid_plan(model, prepared), sorted(map(str, task.steps))
    for number in CORRUPTIONS:
        for trial in range(_TRIALS):
            random = Random(f"{model.name} {number} {trial}")
            lines = _invalid(prepared, steps, pool, number, random)
            if lines is not None:
                text = "".join(f"{line}\n" for line in lines)
                yield Case(model=model, name=f"broken_{number}_{trial}", corruptions=number, plan=text)


def _invalid(
    prepared: Prepared, steps: Sequence[str], pool: Sequence[str], number: int, random: Random
) -> list[str] | None:
    """Return a corrupted plan that is not valid; None when there seems to be none."""
    for _ in range(_TRIES):
        lines = corrupt(steps, pool, number, random)
        if not prepared.simulator.run(tokenize("\n".join(lines), prepared.vocabulary)).is_valid:
            return lines
    return None


def _valid_plan(model: Model, prepared: Prepared) -> list[str]:
    named = model.problem.with_suffix(".plan")
    files = sorted(model.problem.parent.glob("*.plan"), key=lambda path: (path != named, path.stem != "good", path))
    for path in files:
        if check(prepared, None, path, repair=False).determination:
            plan = tokenize(path.read_text(encoding="utf-8"), prepared.vocabulary)
            return [str(replace(step, time=None, duration=None, concurrent=None)) for step in plan.steps]
    found = check(prepared, None, Plan(parts=()), time_limit=_SECONDS)
    if found.determination:
        return []
    if found.repaired_plan is None:
        raise ValueError(f"no plan: {found.reason}")
    return list(map(str, found.repaired_plan))


def corrupt(steps: Sequence[str], pool: Sequence[str], number: int, random: Random) -> list[str]:
    """Return steps after so many corruptions: one dropped, two swapped, one of the pool inserted or put in place."""
    lines = list(steps)
    for _ in range(number):
        kind = random.choice(("drop", "swap", "insert", "replace"))
        if kind == "insert" or not lines:
            lines.insert(random.randint(0, len(lines)), random.choice(pool))
        elif kind == "drop":
            del lines[random.randrange(len(lines))]
        elif kind == "swap" and len(lines) > 1:
            one, other = random.sample(range(len(lines)), 2)
            lines[one], lines[other] = lines[other], lines[one]
        else:
            lines[random.randrange(len(lines))] = random.choice(pool)
    return lines
