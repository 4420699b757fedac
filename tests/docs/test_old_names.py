"""Modules under the names that the documents of 0.1.0 gave them: each is the module of today, loaded once."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import validator


def _printed(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("old", sorted(validator._MOVED))
def test_an_old_name_is_the_module_of_today(old: str) -> None:
    today = importlib.import_module(f"validator.{validator._MOVED[old]}")
    assert importlib.import_module(f"validator.{old}") is today
    assert today.__name__ == today.__spec__.name == f"validator.{validator._MOVED[old]}"


def test_a_submodule_is_found_below_an_old_name_and_loaded_once() -> None:
    code = """
from validator.pddl.syntax import parse
import sys, validator.pddl.syntax, validator.evaluate.prompts, validator.batch.records
from validator.model.pddl import syntax
assert validator.pddl.syntax is syntax and syntax.parse is parse
files = [module.__file__ for module in {id(module): module for module in sys.modules.values()}.values()
         if getattr(module, "__file__", None) and module.__name__.startswith("validator")]
print(len(files) - len(set(files)))
"""
    assert _printed(code) == "0"


def test_an_old_name_first_and_the_new_one_after_it_are_one_module() -> None:
    code = "import validator.plan\nfrom validator.reading.plan import Plan\nprint(validator.plan.Plan is Plan)"
    assert _printed(code) == "True"


@pytest.mark.deep
def test_the_engine_is_registered_under_the_name_of_the_readme() -> None:
    assert _printed("import validator.engines\nprint(validator.engines.register.__module__)") == (
        "validator.integrations.unified_planning"
    )


def test_a_name_that_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"validator\.nothing"):
        importlib.import_module("validator.nothing")
    with pytest.raises(ModuleNotFoundError, match="nothing"):
        importlib.import_module("validator.pddl.nothing")
