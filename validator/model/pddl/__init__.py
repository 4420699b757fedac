"""PDDL: reading domains and problems, and printing conditions.

``domain`` and ``problem`` read the sections of a file, in the names that a ``Scope`` knows at each place;
``formulas`` read what stands in them. An error carries its place in the text. ``frame`` has what both have in common,
and the rules for what published models have against the grammar.
"""

from __future__ import annotations

from pathlib import Path

from validator.errors import UndeclaredObjectError
from validator.model.pddl.domain import read_domain
from validator.model.pddl.problem import object_names, read_problem
from validator.model.values import Domain, Model

__all__ = ["read_domain", "read_domain_with", "read_model", "read_problem"]


def read_domain_with(domain: str | Path, problem: str | Path, *, strict: bool = False) -> Domain:
    """Read a domain, which may name objects that only this problem declares. Errors as in ``read_domain``."""
    try:
        return read_domain(domain, strict=strict)
    except UndeclaredObjectError:
        if strict:
            raise
        return read_domain(domain, borrowed=object_names(problem))


def read_model(domain: str | Path, problem: str | Path, *, strict: bool = False) -> Model:
    """Read a domain and a problem, each a path or a PDDL text. Raises ModelError, or OSError for a file.

    With ``strict``, what published models have against the grammar is an error and no warning.
    """
    parsed = read_domain_with(domain, problem, strict=strict)
    return Model(domain=parsed, problem=read_problem(problem, parsed, strict=strict))
