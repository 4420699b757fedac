"""Plans of fifteen models as people write them: right ones are never called wrong, broken ones never right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.places import ROOT
from validator import check
from validator.checking.prepared import Prepared, prepare

_WRITTEN: dict[str, Any] = json.loads(Path(__file__).with_name("written_plans.json").read_text(encoding="utf-8"))
MODELS: dict[str, tuple[str, str]] = _WRITTEN["models"]
_TEXTS: list[dict[str, Any]] = _WRITTEN["texts"]
_LEAST = 0.66
"""of the texts, that are judged at all"""


@pytest.fixture(scope="module")
def models() -> dict[str, Prepared]:
    given = {name: prepare(*texts) for name, texts in MODELS.items()}
    bundled = {text["model"] for text in _TEXTS} - given.keys()
    folders = {name: ROOT / "domains" / name for name in bundled}
    return given | {name: prepare(path / "domain.pddl", path / "problem.pddl") for name, path in folders.items()}


def test_written_plans_are_judged_and_none_is_judged_wrong(models: dict[str, Prepared]) -> None:
    found = [check(models[each["model"]], plan=each["text"], repair=False).determination for each in _TEXTS]
    wrong = [each["text"] for each, answer in zip(_TEXTS, found, strict=True) if answer is (not each["is_valid"])]
    assert not wrong
    assert sum(answer is not None for answer in found) >= _LEAST * len(_TEXTS)
