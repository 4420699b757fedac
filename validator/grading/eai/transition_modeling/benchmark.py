"""A transition-modeling data set: gold operators, the tasks' problems, what is asked of each task, categories.

The folder is laid out as the original's ``resources/DATASET``: ``gold_action.json``, ``id2action.json``,
``id2category_2.json``, ``predicates_category.json``, a domain without actions ``NAME_pd.pddl`` and, below
``problem_pddl`` at any depth, ``IDENTIFIER.pddl``; where there is a ``success_task.json``, only its tasks count.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from validator.errors import InputError, ModelError
from validator.grading.eai.transition_modeling.operators import Operator, action_of, operator_of
from validator.grading.eai.transition_modeling.original import Definition
from validator.model.pddl import read_domain, read_problem
from validator.model.pddl.syntax import with_end
from validator.model.values import Domain, Problem
from validator.reading.arguments import folded
from validator.records import dataclass, replace
from validator.texts import read_json, read_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """``asked`` are the names of the operators that the model had to define."""

    identifier: str
    asked: tuple[str, ...]
    categories: tuple[str, ...]
    problem: Path | None


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """``header`` is the domain without actions; ``gold`` goes by name in lower case, ``kinds`` by predicate."""

    name: str
    header: Domain
    gold: Mapping[str, Definition]
    kinds: Mapping[str, str]
    tasks: Mapping[str, Task]

    @cached_property
    def operators(self) -> Mapping[str, Operator]:
        """Return the gold operators as trees."""
        return {name: operator_of(gold.text(name), _place(name)) for name, gold in self.gold.items()}

    @cached_property
    def domain(self) -> Domain:
        """Return the domain with all gold operators."""
        actions = {
            name: action_of(gold.text(name), self.header, self.header.constants, name=_place(name))
            for name, gold in self.gold.items()
        }
        return replace(self.header, actions=actions)

    @cached_property
    def spellings(self) -> Mapping[str, str]:
        """Return the names of the gold operators without case and joints: prompts write hyphens and underscores."""
        return {folded(name): name for name in self.gold}

    def problem(self, task: Task) -> Problem:
        """Read the problem of a task. Raises ModelError, also where there is none."""
        if task.problem is None:
            raise ModelError(f"there is no problem_pddl/.../{task.identifier}.pddl", source=self.name)
        return read_problem(task.problem, self.header)


def _place(name: str) -> str:
    return f"<gold operator {name}>"


def dataset_folder(place: Path, name: str | None) -> Path:
    """Return where a data set lies: in a folder, or in ``resources`` in it, beside others there under its name.

    Raises InputError when there are several and none is named, OSError for a missing folder.
    """
    folder = place / "resources" if (place / "resources").is_dir() else place
    if any(folder.glob("*_pd.pddl")):
        return folder
    place.stat()
    inside = sorted(path.parent.name for path in folder.glob("*/*_pd.pddl"))
    if name in inside or len(inside) == 1:
        return folder / (name or inside[0])
    if inside:
        raise InputError(f"there are several data sets, {' and '.join(inside)}: name one of them", source=str(folder))
    return folder


def read_benchmark(place: Path, name: str | None = None) -> Benchmark:
    """Read a data set; where it lies is as in ``dataset_folder``.

    Raises InputError for what is not laid out so, OSError for a missing file.
    """
    folder = dataset_folder(place, name)
    headers = sorted(folder.glob("*_pd.pddl"))
    if len(headers) != 1:
        raise InputError(f"one file NAME_pd.pddl was expected, {len(headers)} are there", source=str(folder))
    problems = {path.stem: path for path in sorted((folder / "problem_pddl").rglob("*.pddl"))}
    asked = _mapping(folder / "id2action.json")
    categories = _mapping(folder / "id2category_2.json")
    successes = folder / "success_task.json"
    counted = set(read_json(successes)) if successes.is_file() else set(asked)
    gold = {
        name.lower(): _definition(folder, name, found) for name, found in _mapping(folder / "gold_action.json").items()
    }
    benchmark = Benchmark(
        name=headers[0].stem.removesuffix("_pd"),
        # Its last parenthesis may be missing, for actions to be written after it.
        header=read_domain(with_end(read_text(headers[0])) or headers[0]),
        gold=gold,
        kinds=_mapping(folder / "predicates_category.json"),
        tasks={
            identifier: Task(
                identifier=identifier,
                asked=tuple(name.lower() for name in names),
                categories=tuple(categories.get(identifier, ())),
                problem=problems.get(identifier),
            )
            for identifier, names in asked.items()
            if identifier in counted
        },
    )
    for task in benchmark.tasks.values():
        for name in task.asked:
            if name not in benchmark.operators:
                raise InputError(f"task {task.identifier} asks for '{name}', which has no gold", source=str(folder))
    return benchmark


def _definition(folder: Path, name: str, found: Mapping[str, str]) -> Definition:
    try:
        return Definition(
            parameters=found["action_parameters"],
            precondition=found["action_preconditions"],
            effect=found["action_effects"],
        )
    except (KeyError, TypeError):
        wanted = "action_parameters, action_preconditions and action_effects"
        raise InputError(f"'{name}' needs {wanted}", source=str(folder / "gold_action.json")) from None


def _mapping(path: Path) -> dict[str, Any]:
    found = read_json(path)
    if not isinstance(found, dict):
        raise InputError("a JSON object was expected", source=str(path))
    return found
