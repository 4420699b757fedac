"""A request of each kind that works, made of the bundled models: for the OpenAPI document and the workbench."""

from __future__ import annotations

import json
from typing import Any

from validator.model.bundled import bundle


def examples() -> dict[str, Any]:
    """Return a request by the name of each operation; for batches, a text of JSON lines."""
    model = bundle("blocks")
    domain, problem = (path.read_text(encoding="utf-8") for path in (model.domain, model.problem))
    pddl = {"domain": domain, "problem": problem}
    good = _steps(model.plans[0].read_text(encoding="utf-8"))
    missing = good.replace("(lower b)\n", "")
    calls = [{"name": "take", "arguments": {}}]
    trip = ["ask_dates()", 'search_flight(f="fl-noon")', 'ask_user(o="fl-noon")', 'book_flight(f="fl-noon")']
    booked = [
        {"name": "ask_dates", "arguments": {}},
        {"name": "search_flight", "arguments": {"f": "fl-noon"}},
        {"name": "book_flight", "arguments": {"f": "fl-noon"}},
    ]
    tool = {"name": "take", "parameters": {"type": "object", "properties": {}}}
    return {
        "validations": {**pddl, "plan": missing},
        "readings": {**pddl, "text": f"Here is my plan.\n{missing}(lower\n"},
        "diffs": {"plan": good, "other": missing},
        "plans": pddl,
        "recognitions": {**pddl, "observations": "(take b d)\n(lift a)\n", "goals": "(on a b), (on b c)\n(on c a)\n"},
        "adherence": {"plan": trip, "trace": booked},
        "metrics-of-plans": {"plans": [good, missing]},
        "redundancies": {**pddl, "plan": good},
        "model-repairs": {**pddl, "domain": domain.replace("(clear ?below)\n", "\n"), "plans": [good]},
        "why-not": {**pddl, "plan": good, "questions": ["must not (lower b)"], "time_limit": 5},
        "under-way": {**pddl, "plan": good, "executed": 1, "changes": "(not (clear d))", "repair": False},
        "tool-calls": {"tools": [tool], "calls": calls, "repair": False},
        "batches": "".join(
            json.dumps({"id": name, **pddl, "plan": plan}) + "\n" for name, plan in (("good", good), ("bad", missing))
        ),
    }


_OVER_TIME = {
    "domain": """\
(define (domain oven) (:requirements :typing :durative-actions :numeric-fluents) (:types loaf)
  (:predicates (raw ?l - loaf) (baked ?l - loaf) (sold ?l - loaf) (free)) (:functions (money))
  (:durative-action bake :parameters (?l - loaf) :duration (= ?duration 5)
    :condition (and (at start (free)) (at start (raw ?l)))
    :effect (and (at start (not (free))) (at end (free)) (at end (baked ?l))))
  (:action sell :parameters (?l - loaf) :precondition (baked ?l) :effect (and (sold ?l) (increase (money) 3))))
""",
    "problem": """\
(define (problem morning) (:domain oven) (:objects rye oat - loaf)
  (:init (free) (raw rye) (raw oat) (= (money) 0)) (:goal (and (sold rye) (sold oat))))
""",
    "plan": "0: (bake rye) [5]\n5.005: (bake oat) [5]\n5.02: (sell rye)\n10.02: (sell oat)\n",
}


def over_time_example() -> dict[str, Any]:
    """Return the check of a plan over time, in which two acts are nearer than the epsilon that is asked for."""
    return {**_OVER_TIME, "epsilon": "0.01", "timeline": True, "repair": False}


def _steps(text: str) -> str:
    return "".join(f"{line}\n" for line in text.splitlines() if line.startswith("("))
