"""A folder of models, each read: what is read, what with a warning, and what is refused and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from validator.errors import ModelError
from validator.model.pddl import read_domain, read_problem
from validator.model.values import Domain
from validator.records import dataclass

__all__ = ["Outcome", "Surveyed", "survey"]

_HEAD = re.compile(
    r"(?:\s|;[^\n]*|\(\s*in-package\b[^()]*\))*+\(\s*define\s*\(\s*(domain|problem)\s+([^\s();]+)", re.IGNORECASE
)
_ITS_DOMAIN = re.compile(r"\(\s*:domain\s+([^\s();]+)", re.IGNORECASE)
_NO_DOMAIN = "no domain was found in its folder or in one above it"


class Outcome(StrEnum):
    """What the reading of a model comes to."""

    READ = "read"
    WARNED = "warned"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyed:
    """A model by the paths of its files in the folder; ``domain`` is empty where none was found.

    ``told`` are its warnings, or why it is refused.
    """

    problem: str
    domain: str
    outcome: Outcome
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Head:
    kind: str
    name: str
    """of a domain its own, of a problem that of the domain that it asks for"""


def survey(folder: Path, *, strict: bool = False) -> Iterator[Surveyed]:
    """Read every problem in a folder, at any depth, with the domain that belongs to it, in order of the paths."""
    heads = {path: head for path in sorted(folder.rglob("*.pddl")) if (head := _head(path)) is not None}
    domains = {path: head.name for path, head in heads.items() if head.kind == "domain"}

    @lru_cache(maxsize=8)
    def read(path: Path) -> Domain:
        return read_domain(path, strict=strict)

    for path, head in heads.items():
        if path in domains:
            continue
        domain = _domain_of(path, head.name, folder, domains)
        outcome, told = (
            (Outcome.REFUSED, (_NO_DOMAIN,)) if domain is None else _outcome(path, domain, read, strict=strict)
        )
        yield Surveyed(
            problem=str(path.relative_to(folder)),
            domain="" if domain is None else str(domain.relative_to(folder)),
            outcome=outcome,
            told=tuple(line.replace(f"{folder}/", "") for line in told),
        )


def _head(path: Path) -> _Head | None:
    """Return what a file defines; None for what is no domain or problem."""
    text = path.read_bytes().decode("utf-8", "replace")
    found = _HEAD.match(text)
    if found is None:
        return None
    asked = _ITS_DOMAIN.search(text) if found[1].lower() == "problem" else None
    return _Head(found[1].lower(), (asked[1] if asked else found[2]).lower())


def _domain_of(problem: Path, name: str, folder: Path, domains: Mapping[Path, str]) -> Path | None:
    """Return the domain that belongs to a problem: of the nearest folder that has one, the most alike by its name."""
    for place in problem.parents:
        near = [path for path in domains if path.parent == place] or [
            path for path in domains if path.parent.parent == place and path.parent.name.startswith("domain")
        ]
        if near:
            return max(near, key=lambda path: _likeness(path, problem, is_named=domains[path] == name))
        if place == folder:
            return None
    return None


def _likeness(domain: Path, problem: Path, *, is_named: bool) -> tuple[int, ...]:
    """Return what speaks for it that a domain belongs to a problem, what weighs most first."""
    stem, own, place = _stem(domain), _stem(problem), _stem(problem.parent)
    return (
        is_named,
        stem == own,
        _shared(stem, place),
        _numbers(domain) == _numbers(problem),
        _shared(stem, own),
        -len(stem),
    )


def _shared(one: str, other: str) -> int:
    """Return how many letters two names begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _stem(path: Path) -> str:
    """Return the name of a file without what says which kind of file it is: ``p01-domain`` and ``p01`` are alike."""
    return re.sub(r"domain|problem|instance|[-_.]", "", path.stem.lower())


def _numbers(path: Path) -> list[str]:
    return re.findall(r"\d+", path.stem)


def _outcome(
    problem: Path, domain: Path, read: Callable[[Path], Domain], *, strict: bool
) -> tuple[Outcome, tuple[str, ...]]:
    try:
        known = read(domain)
        told = known.warnings + read_problem(problem, known, strict=strict).warnings
    except (ModelError, OSError) as error:
        return Outcome.REFUSED, (str(error).partition("\n")[0],)
    return (Outcome.WARNED if told else Outcome.READ), told
