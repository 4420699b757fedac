"""Tasks that are PDDL problems: of a domain of your own, or of the bundled ``behavior``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from validator.errors import InputError, ValidatorError, did_you_mean
from validator.grading.eai.answers import Reading, read_calls
from validator.grading.eai.execution import Scenes, World
from validator.grading.eai.sequencing import Checks, Task, by_form
from validator.model.conditions import conjuncts
from validator.model.pddl import read_domain, read_problem
from validator.model.values import Domain, Problem
from validator.reading.tokens import Vocabulary


def pddl_task(
    identifier: str,
    domain: Domain,
    problem: Problem,
    names: Mapping[str, str] | None = None,
    checks: Checks | None = None,
    reader: Callable[[str, Vocabulary], Reading] = read_calls,
) -> Task:
    """Return a task; ``names`` are other names of its objects.

    Raises ValidatorError for a model with features that are not executed.
    """
    features = {**domain.features, **problem.features}
    if features:
        raise ValidatorError(f"{identifier}: {', '.join(sorted(features))} cannot be executed")
    world = World(Scenes(domain), problem.objects)
    aliases = names or {}
    folded = {name.lower(): name for name in world.objects}
    vocabulary = Vocabulary(
        actions={name: len(action.parameters) for name, action in world.actions.items()},
        objects=frozenset(map(str.lower, (*problem.objects, *aliases))),
    )

    def find(name: str) -> str | None:
        known = aliases.get(name, name)
        return known if known in world.objects else folded.get(known.lower())

    return Task(
        identifier=identifier,
        world=world,
        state=problem.init,
        goals=tuple(conjuncts(problem.goal)),
        checks=checks or by_form(domain),
        object=find,
        read=lambda text: reader(text, vocabulary),
        label=lambda name, args: f"({' '.join((name.lower(), *args))})",
    )


def load_pddl(place: Path, identifiers: Iterable[str]) -> dict[str, Task]:
    """Load the problems of a folder: ``domain.pddl``, and for each identifier ``ID.pddl`` or ``ID/problem.pddl``.

    A folder ``ID`` may have a ``domain.pddl`` of its own. Raises InputError for what is missing, ModelError for what
    cannot be read.
    """
    shared = place / "domain.pddl"
    domain = read_domain(shared) if shared.is_file() else None
    found: dict[str, Task] = {}
    for identifier in identifiers:
        options = (place / f"{identifier}.pddl", place / "problems" / f"{identifier}.pddl")
        path = next((path for path in (*options, place / identifier / "problem.pddl") if path.is_file()), None)
        if path is None:
            near = did_you_mean(identifier, pddl_identifiers(place))
            raise InputError(f"no problem {identifier}.pddl or {identifier}/problem.pddl{near}", source=str(place))
        own = path.parent / "domain.pddl"
        used = read_domain(own) if own != shared and own.is_file() else domain
        if used is None:
            raise InputError("no domain.pddl", source=str(place))
        found[identifier] = pddl_task(identifier, used, read_problem(path, used))
    return found


def pddl_identifiers(place: Path) -> list[str]:
    """Return the identifiers of all problems of a folder, as ``load_pddl`` finds them.

    Raises InputError for none, OSError for a folder that is not there.
    """
    beside = [path.stem for path in (*place.glob("*.pddl"), *place.glob("problems/*.pddl")) if path.stem != "domain"]
    found = {*beside, *(path.parent.name for path in place.glob("*/problem.pddl"))}
    if not found:
        place.stat()
        raise InputError("no problems here: files ID.pddl or ID/problem.pddl were expected", source=str(place))
    return sorted(found)
