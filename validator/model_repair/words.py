"""Edits in words."""
from __future__ import annotations
from collections.abc import Sequence
from validator.model.values import Domain
from validator.model_repair.cases import Case
from validator.model_repair.edits import Edit

def sentence(edit: Edit, domain: Domain, cases: Sequence[Case]) -> str:
    return str(edit)
