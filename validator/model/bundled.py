"""The bundled models: small domains written for this package, each with a good plan and broken ones."""

from __future__ import annotations

from pathlib import Path

from validator.errors import ValidatorError, did_you_mean
from validator.records import dataclass
from validator.resources import resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """One bundled model; ``plans`` are its plan files, ``good.plan`` first."""

    name: str
    about: str
    domain: Path
    problem: Path
    plans: tuple[Path, ...]


def bundles() -> tuple[Bundle, ...]:
    """Return the bundled models in order of name."""
    folders = sorted(path.parent for path in resource("domains").glob("*/domain.pddl"))
    return tuple(_bundle(folder) for folder in folders)


def bundle(name: str) -> Bundle:
    """Return a bundled model by name. Raises ValidatorError with the nearest name when there is none."""
    known = {found.name: found for found in bundles()}
    if name not in known:
        raise ValidatorError(f"no bundled model is called '{name}'{did_you_mean(name, known)}")
    return known[name]


def _bundle(folder: Path) -> Bundle:
    domain = folder / "domain.pddl"
    plans = sorted(folder.glob("*.plan"), key=lambda path: (path.name != "good.plan", path.name))
    return Bundle(
        name=folder.name,
        about=first_comment(domain),
        domain=domain,
        problem=folder / "problem.pddl",
        plans=tuple(plans),
    )


def first_comment(path: Path) -> str:
    """Return the comment on the first line of a file, or an empty text."""
    with path.open(encoding="utf-8") as file:
        line = file.readline()
    return line.lstrip("; ").rstrip() if line.startswith(";") else ""
