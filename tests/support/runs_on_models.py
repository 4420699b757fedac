"""Rules about four tools beside two models of them, and the fewest edits of a run until it keeps them and executes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from validator.policies import read_policy
from validator.policies.conform import follow
from validator.policies.events import Event
from validator.policies.executors.choose import executor_of
from validator.policies.executors.executor import Executor

__all__ = ["DOMAIN", "FLOW", "MODELS", "PROBLEM", "RULES", "called", "keeps_on", "nearest_on", "reaches"]

DOMAIN = """(define (domain letters) (:predicates (p) (q) (r))
  (:action a :effect (p))
  (:action b :precondition (p) :effect (and (q) (not (p))))
  (:action c :precondition (q) :effect (and (r) (p)))
  (:action d :precondition (or (p) (r)) :effect (not (q))))"""
PROBLEM = "(define (problem one) (:domain letters) (:init) (:goal (r)))"
FLOW: dict[str, object] = {
    "flow": "letters",
    "operators": [
        {"name": "a", "outputs": ["p"]},
        {"name": "b", "inputs": ["p"], "outputs": ["q"]},
        {"name": "c", "inputs": ["q", {"item": "s", "required": False}], "outputs": ["r"]},
        {"name": "d", "inputs": ["s"]},
    ],
    "goals": [{"known": "r"}],
    "slots": [{"item": each, "desirability": 0} for each in "pqr"],
}
MODELS = ((DOMAIN, PROBLEM), FLOW)
RULES = (
    "a before d",
    "b then a",
    "never d",
    "at most 1 a",
    "at least 1 c",
    "order a < {b, d}",
    "either never a or at least 1 d",
    "budget 3",
    "c only if (f)\na gives (f)\nb ends (f)",
)


@lru_cache
def executor(number: int) -> Executor:
    return executor_of(MODELS[number])


def keeps_on(policy: str, run: tuple[str, ...], number: int) -> bool:
    events = [called(name, number) for name in run]
    return all(finding.kept for finding in follow(read_policy(policy), events, executor(number)))


def called(name: str, number: int) -> Event:
    inputs = {"b": "p", "c": "q", "d": "s"} if number else {}
    return Event(name, {inputs[name]: "x"} if name in inputs else {})


def _near(run: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for place in range(len(run)):
        rest = (*run[:place], *run[place + 1 :])
        yield rest
        yield from ((*rest[:to], run[place], *rest[to:]) for to in range(len(run)))
    for place in range(len(run) + 1):
        yield from ((*run[:place], tool, *run[place:]) for tool in "abcd")


def nearest_on(policy: str, run: tuple[str, ...], number: int, most: int) -> int | None:
    layer, seen = {run}, {run}
    for edits in range(most + 1):
        if any(keeps_on(policy, each, number) for each in layer):
            return edits
        layer = {near for each in layer for near in _near(each)} - seen
        seen |= layer
    return None


def reaches(run: tuple[str, ...], number: int) -> bool:
    """Return whether a run that can be executed ends in the goal of a model."""
    model = executor(number)
    state = model.start
    for name in run:
        state = model.judge(state, called(name, number)).after
    return not model.unmet(state)
