"""A folder of models, each read: what is read, what with a warning, and what is refused and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from validator.errors import InputError, ModelError, UndeclaredObjectError
from validator.model.pddl import read_domain, read_domain_with, read_problem
from validator.model.values import Domain
from validator.records import dataclass
from validator.texts import read_latin

__all__ = ["Outcome", "Surveyed", "survey"]

_HEAD = re.compile(
    r"(?:\s|;[^\n]*|\(\s*in-package\b[^()]*\))*+\(\s*define\s*\(\s*(domain|problem)\s+([^\s();]+)", re.IGNORECASE
)
_NAME = re.compile(r"\.pddl(\.gz)?$", re.IGNORECASE)
_ITS_DOMAIN = re.compile(r"\(\s*:domain\s+([^\s();]+)", re.IGNORECASE)
_NO_DOMAIN = "no domain was found in its folder, in one above it, or by its name"


class Outcome(StrEnum):
    """What the reading of a model comes to."""

    READ = "read"
    WARNED = "warned"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyed:
    """A model by the paths of its files in the folder; ``domain`` is empty where none was found.

    ``told`` are its warnings, or why it is refused. A domain to which no problem belongs has an empty ``problem``.
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
    """Read every problem in a folder, at any depth, with the domain that belongs to it, in order of the paths.

    Files are ``NAME.pddl`` and ``NAME.pddl.gz``. Domains to which no problem belongs come behind.
    """
    files = (path for path in sorted(folder.rglob("*")) if _NAME.search(path.name) and path.is_file())
    heads = {path: head for path in files if (head := _head(path)) is not None}
    domains = {path: head.name for path, head in heads.items() if head.kind == "domain"}

    @lru_cache(maxsize=8)
    def read(path: Path) -> Domain:
        return read_domain(path, strict=strict)

    def surveyed(problem: Path | None, domain: Path | None) -> Surveyed:
        outcome, told = Outcome.REFUSED, tuple[str, ...]((_NO_DOMAIN,))
        if domain is not None:
            outcome, told = _outcome(problem, domain, read, strict=strict)
        return Surveyed(
            problem="" if problem is None else str(problem.relative_to(folder)),
            domain="" if domain is None else str(domain.relative_to(folder)),
            outcome=outcome,
            told=tuple(line.replace(f"{folder}/", "") for line in told),
        )

    alone = dict.fromkeys(domains)
    for path, head in heads.items():
        if path not in domains:
            domain = _domain_of(path, head.name, folder, domains)
            if domain is not None:
                alone.pop(domain, None)
            yield surveyed(path, domain)
    for domain in alone:
        yield surveyed(None, domain)


def _head(path: Path) -> _Head | None:
    """Return what a file defines; None for what is no domain or problem."""
    text = _text(path)
    found = _HEAD.match(text)
    if found is None:
        return None
    asked = _ITS_DOMAIN.search(text) if found[1].lower() == "problem" else None
    return _Head(found[1].lower(), (asked[1] if asked else found[2]).lower())


def _text(path: Path) -> str:
    """Return the text of a file, whatever its letters are; nothing where it cannot be unpacked."""
    try:
        return read_latin(path)
    except (InputError, OSError):
        return ""


def _domain_of(problem: Path, name: str, folder: Path, domains: Mapping[Path, str]) -> Path | None:
    """Return the domain that belongs to a problem: of the nearest folder that has one, the most alike by its name.

    Where no folder above it has one, it is the one of all that has the name that the problem asks for.
    """
    for place in problem.parents:
        near = [path for path in domains if path.parent == place] or [
            path for path in domains if path.parent.parent == place and path.parent.name.startswith("domain")
        ]
        if near:
            return max(near, key=lambda path: _likeness(path, problem, is_named=domains[path] == name))
        if place == folder:
            break
    named = [path for path in domains if domains[path] == name]
    return max(named, key=lambda path: _likeness(path, problem, is_named=True), default=None)


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
    problem: Path | None, domain: Path, read: Callable[[Path], Domain], *, strict: bool
) -> tuple[Outcome, tuple[str, ...]]:
    try:
        try:
            known = read(domain)
        except UndeclaredObjectError:
            if problem is None:
                raise
            known = read_domain_with(domain, problem, strict=strict)
        told = known.warnings
        if problem is not None:
            told += read_problem(problem, known, strict=strict).warnings
    except (ModelError, OSError) as error:
        return Outcome.REFUSED, (str(error).partition("\n")[0],)
    return (Outcome.WARNED if told else Outcome.READ), told
