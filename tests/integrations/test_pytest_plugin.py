"""The plug-in of pytest, in runs of pytest of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

DOMAIN = "(define (domain d) (:predicates (p) (q)) (:action a :effect (p)) (:action b :precondition (p) :effect (q)))"
PROBLEM = "(define (problem x) (:domain d) (:init) (:goal (q)))"


@pytest.fixture
def folder(pytester: pytest.Pytester) -> pytest.Pytester:
    tmp_path = pytester.path
    calls = {"good": "a b", "bad": "b"}
    for name, made in calls.items():
        run = [{"name": each, "arguments": {}, "result": 1} for each in made.split()]
        (tmp_path / f"{name}.json").write_text(json.dumps(run))
    files = {"d.pddl": DOMAIN, "p.pddl": PROBLEM, "good.plan": "(a)\n(b)\n", "bad.plan": "(b)\n"}
    for name, text in {**files, "x.policy": "a before b\n"}.items():
        (tmp_path / name).write_text(text)
    return pytester


def run(pytester: pytest.Pytester, test: str, *options: str) -> str:
    pytester.makepyfile(test_it=test)
    plugin = ("-p", "no:plan_validator", "-p", "validator.integrations.pytest_plugin", "-p", "no:cacheprovider")
    found = pytester.runpytest_inprocess("-q", *plugin, "-p", "no:xdist", "-p", "no:schemathesis", *options)
    return found.stdout.str()


def test_the_wheel_names_it() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert 'plan_validator = "validator.integrations.pytest_plugin"' in text
    assert all(point.value.startswith("validator.") for point in entry_points(group="pytest11", name="plan_validator"))


def test_what_fails_shows_the_diff(folder: pytest.Pytester) -> None:
    said = run(
        folder,
        """
def test_good(assert_valid_plan, assert_followed):
    assert_valid_plan("d.pddl", "p.pddl", "good.plan")
    assert_followed("good.json", plan="good.plan", model=("d.pddl", "p.pddl"), policy="x.policy")

def test_plan(assert_valid_plan):
    assert_valid_plan("d.pddl", "p.pddl", "bad.plan")

def test_policy(assert_followed):
    assert_followed("bad.json", policy="x.policy")

def test_followed(assert_followed):
    assert_followed("bad.json", plan="good.plan")
""",
    )
    assert "3 failed, 1 passed" in said
    assert "--- plan\n+++ plan (repaired)" in said  # of the plan
    assert "add (a) before call 1" in said  # of the run that breaks the policy
    assert "-(a)" in said  # of the run that leaves out a step


def test_it_loads_nothing_before_it_is_used() -> None:
    code = "import validator.integrations.pytest_plugin, sys; print(*(n for n in sys.modules if 'validator' in n))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(shown) == {"validator", "validator.integrations", "validator.integrations.pytest_plugin"}
