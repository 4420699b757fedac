"""Rules about four tools beside a model of them, and the fewest edits of a run until it keeps them and executes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from validator.policies import read_policy
from validator.policies.conform import executor_of, follow
from validator.policies.events import Event
from validator.policies.executor import Executor

__all__ = ["DOMAIN", "PROBLEM", "RULES", "keeps_on", "nearest_on"]

DOMAIN = """(define (domain letters) (:predicates (p) (q) (r))
  (:action a :effect (p))
  (:action b :precondition (p) :effect (and (q) (not (p))))
  (:action c :precondition (q) :effect (and (r) (p)))
  (:action d :precondition (or (p) (r)) :effect (not (q))))"""
PROBLEM = "(define (problem one) (:domain letters) (:init) (:goal (r)))"
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
def executor() -> Executor:
    return executor_of((DOMAIN, PROBLEM))


def keeps_on(policy: str, run: tuple[str, ...]) -> bool:
    events = list(map(Event, run))
    return all(finding.kept for finding in follow(read_policy(policy), events, executor()))


def _near(run: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for place in range(len(run)):
        rest = (*run[:place], *run[place + 1 :])
        yield rest
        yield from ((*rest[:to], run[place], *rest[to:]) for to in range(len(run)))
    for place in range(len(run) + 1):
        yield from ((*run[:place], tool, *run[place:]) for tool in "abcd")


def nearest_on(policy: str, run: tuple[str, ...], most: int) -> int | None:
    layer, seen = {run}, {run}
    for edits in range(most + 1):
        if any(keeps_on(policy, each) for each in layer):
            return edits
        layer = {near for each in layer for near in _near(each)} - seen
        seen |= layer
    return None
