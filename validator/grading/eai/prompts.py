"""Prompts for the tasks: a template, in which ``$NAME`` stands for what the task says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from string import Template
from typing import Any

from validator.errors import InputError, did_you_mean
from validator.grading.eai.sequencing import Task
from validator.grading.eai.suites import Settings, Suite, suite
from validator.grading.eai.tasks.scene_graphs import domain
from validator.grading.eai.tasks.virtualhome import Household
from validator.grading.eai.transition_modeling.benchmark import Benchmark, read_benchmark
from validator.grading.eai.transition_modeling.benchmark import Task as OperatorTask
from validator.model.pddl.write import atom_text, formula_text, type_text
from validator.model.values import Atom, GroundAtom, Parameter
from validator.texts import read_json, read_text

# --- prompts --------------------------------------------------------------------------------------


_PREDICATES = frozenset(
    ("is-closed", "is-open", "is-on", "is-off", "sitting", "lying", "dirty", "clean", "plugged-in", "plugged-out")
)
_PLACES = frozenset(("on-top", "in", "near", "faces", "holds-rh", "holds-lh"))
_SPOKEN = {"on-top": "ontop", "in": "inside", "near": "next_to", "faces": "facing"}
_NONE = "(none)"
_OWN = {"identifier", "llm_prompt"}


def template(module: str, given: Path | None = None) -> Template:
    """Return the template of a module, or the one in a file."""
    path = given or Path(__file__).parent / "templates" / f"{module}.txt"
    return Template(read_text(path))


def prompt(text: Template, fields: Mapping[str, str], source: str = "template") -> str:
    """Fill in a template. Raises InputError for a name that is no field, with the nearest one."""
    if not text.is_valid():
        raise InputError("a '$' stands before something that is not a name; '$$' is a plain one", source=source)
    for name in text.get_identifiers():
        if name not in fields:
            raise InputError(f"there is no field ${name}{did_you_mean(name, fields)}", source=source)
    return text.substitute(fields)


def own_prompts(place: Path, dataset: str, module: str) -> dict[str, str]:
    """Return the prompts that the benchmark ships for a module, by task, from a checkout of it or its package.

    They are in ``DATASET_eval/evaluation/MODULE/``, in a file ``helm_prompts.json`` of ``identifier`` and
    ``llm_prompt``. Raises InputError where there is none, or one of another shape.
    """
    part = f"{dataset}_eval/evaluation/{module.replace('-', '_')}"
    files = [*place.glob(f"{part}/**/*prompts.json"), *place.glob(f"src/{part}/**/*prompts.json")]
    for path in sorted(files):
        content = read_json(path)
        if isinstance(content, list) and all(isinstance(each, dict) and each.keys() >= _OWN for each in content):
            return {str(each["identifier"]): str(each["llm_prompt"]) for each in content}
    place.stat()
    raise InputError(f"no prompts of the benchmark here: {part}/**/helm_prompts.json was expected", source=str(place))


# --- what tasks say -------------------------------------------------------------------------------


def tasks_of(module: str, dataset: str, data: Path) -> Suite:
    """Return the suite that loads the tasks of a module. Raises InputError for data that are missing."""
    of = module if module == "transition-modeling" else "action-sequencing"
    return suite(Settings(module=of, dataset=dataset, data=data))


def template_of(module: str, dataset: str) -> str:
    """Return the name of the template of a module for a data set."""
    return module if dataset == "virtualhome" or module == "transition-modeling" else f"pddl-{module}"


def fields_of(module: str, dataset: str, data: Path) -> Callable[[Any], Mapping[str, str]]:
    """Return what a template may say of each task. That raises ModelError for a problem that cannot be read."""
    if module == "transition-modeling":
        return partial(operator_fields, read_benchmark(data, dataset))
    return lambda task: household_fields(task, module) if isinstance(task, Household) else pddl_fields(task)


def household_fields(task: Household, module: str) -> dict[str, str]:
    """Return the fields of a VirtualHome task."""
    names, state = task.shown, task.state
    states = {found: sorted(predicate for predicate in _PREDICATES if (predicate, found) in state) for found in names}
    told = (atom for atom in state if atom[0] in _PREDICATES | _PLACES and all(name in names for name in atom[1:]))
    goals = [(goal.predicate, *goal.terms) for goal in task.goals if isinstance(goal, Atom)]
    shown = {found: _numbered(found) for found in names} if module == "subgoal-decomposition" else names
    actions = domain().actions
    return {
        "title": task.title,
        "description": task.description,
        "actions": _lines(f"{name.upper()}: {len(action.parameters)}" for name, action in actions.items()),
        "action_names": ", ".join(name.upper() for name in actions),
        "objects": _lines(f"{name}: {', '.join(states[found]) or 'no states'}" for found, name in names.items()),
        "numbered_objects": _lines(_numbered(found) for found in names),
        "facts": _lines(_fact(atom, shown) for atom in sorted(told)),
        "goals": _lines(_fact(goal, shown) for goal in goals),
        "action_goals": _lines("|".join(goal) for goal in task.action_goals),
        "formula": task.formula or _lines(_fact(goal, shown) for goal in goals),
    }


def _fact(atom: GroundAtom, names: Mapping[str, str]) -> str:
    spoken = _SPOKEN.get(atom[0], atom[0].removeprefix("is-")).upper().replace("-", "_")
    return f"{spoken}({', '.join(names.get(name, name) for name in atom[1:])})"


def _numbered(name: str) -> str:
    return "character.65" if name == "character" else ".".join(name.rsplit("_", 1))


def pddl_fields(task: Task) -> dict[str, str]:
    """Return the fields of a task that is a PDDL problem."""
    actions = task.world.domain.actions
    return {
        "title": task.identifier,
        "description": "",
        "actions": _lines(f"{name.upper()}: {len(action.parameters)}" for name, action in actions.items()),
        "objects": _lines(
            f"{name}: {', '.join(sorted(types - {'object'})) or 'object'}" for name, types in task.world.objects.items()
        ),
        "facts": _lines(f"({' '.join(atom)})" for atom in sorted(task.state)),
        "goals": _lines(formula_text(goal, {}) for goal in task.goals),
    }


def _lines(items: Iterable[str]) -> str:
    return "\n".join(items) or _NONE


def operator_fields(benchmark: Benchmark, task: OperatorTask) -> Mapping[str, str]:
    """Return the fields of a task for a template. Raises ModelError for a problem that cannot be read."""
    problem = benchmark.problem(task)
    header = benchmark.header
    gold = benchmark.domain.actions
    return {
        "identifier": task.identifier,
        "types": " ".join(header.types),
        "predicates": "\n".join(
            atom_text((name, *_typed(parameters))) for name, parameters in header.predicates.items()
        ),
        "objects": "\n".join(f"{name} - {type_text(types)}" for name, types in problem.objects.items()),
        "facts": "\n".join(map(atom_text, sorted(problem.init))),
        "goals": formula_text(problem.goal, {}),
        "operators": "\n".join(
            f"(:action {name} :parameters ({' '.join(_typed(gold[name].parameters))}) :precondition ... :effect ...)"
            for name in task.asked
        ),
    }


def _typed(parameters: Iterable[Parameter]) -> list[str]:
    return [f"{parameter.name} - {type_text(parameter.types)}" for parameter in parameters]
