"""Derived predicates: what the axioms of a model add to a state (PDDL 2.2).

A model comes in, a ``Closure`` goes out, which extends states by their derived atoms. Open ``closure`` first: it goes
from stratum to stratum. ``rules`` takes axioms apart into rules, ``joins`` finds the bindings of a rule among atoms.
"""

from __future__ import annotations

from validator.model.derived.closure import Closure

__all__ = ["Closure"]
