"""What a prompt for transition modeling can say of a task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from validator.grading.eai.transition_modeling.benchmark import Benchmark, Task
from validator.model.pddl.write import atom_text, formula_text
from validator.model.values import Parameter

__all__ = ["operator_fields"]


def operator_fields(benchmark: Benchmark, task: Task) -> Mapping[str, str]:
    """Return the fields of a task for a template. Raises ModelError for a problem that cannot be read."""
    problem = benchmark.problem(task)
    header = benchmark.header
    gold = benchmark.domain.actions
    return {
        "identifier": task.identifier,
        "types": " ".join(header.types),
        "predicates": _lines(atom_text((name, *_typed(parameters))) for name, parameters in header.predicates.items()),
        "objects": _lines(f"{name} - {_type(types)}" for name, types in problem.objects.items()),
        "facts": _lines(map(atom_text, sorted(problem.init))),
        "goals": formula_text(problem.goal, {}),
        "operators": _lines(
            f"(:action {name} :parameters ({' '.join(_typed(gold[name].parameters))}) :precondition ... :effect ...)"
            for name in task.asked
        ),
    }


def _typed(parameters: Iterable[Parameter]) -> list[str]:
    return [f"{parameter.name} - {_type(parameter.types)}" for parameter in parameters]


def _type(types: frozenset[str]) -> str:
    names = sorted(types)
    return names[0] if len(names) == 1 else f"(either {' '.join(names)})"


def _lines(parts: Iterable[str]) -> str:
    return "\n".join(parts)
