"""Repairs of the same cost in order, the likeliest first."""
from __future__ import annotations
from collections.abc import Sequence
from validator.model.values import Domain
from validator.model_repair.cases import Case
from validator.model_repair.edits import Edit

def ranked(sets: Sequence[frozenset[Edit]], domain: Domain, cases: Sequence[Case]) -> list[tuple[frozenset[Edit], tuple[str, ...]]]:
    return [(edits, ()) for edits in sets]
