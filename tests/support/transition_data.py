"""A small data set for transition modeling, and answers to it."""

from __future__ import annotations

import json
from pathlib import Path

HEADER = """(define (domain lamps)
  (:requirements :adl)
  (:types lamp person)
  (:predicates (at ?p - person ?l - lamp) (lit ?l - lamp) (dusty ?l - lamp) (broken ?l - lamp) (beside ?a ?b - lamp))
"""  # without its last parenthesis, as the original's

WALK_EFFECT = "(and (at ?p ?l) (forall (?o - lamp) (when (not (beside ?o ?l)) (not (at ?p ?o)))))"
GOLD = {
    "walk": ("(?p - person ?l - lamp)", "()", WALK_EFFECT),
    "wipe": ("(?p - person ?l - lamp)", "(and (at ?p ?l) (dusty ?l))", "(not (dusty ?l))"),
    "light-up": ("(?p - person ?l - lamp)", "(and (at ?p ?l) (not (dusty ?l)) (not (broken ?l)))", "(lit ?l)"),
}
PROBLEM = """(define (problem one) (:domain lamps)
  (:objects bob - person red blue - lamp)
  (:init (dusty red) (beside red red) (beside blue blue))
  (:goal (and (lit red) (lit blue))))
"""
KINDS = {"at": "relations", "beside": "relations", "lit": "states", "dusty": "states", "broken": "states"}


def operator(name: str, precondition: str | None = None, effect: str | None = None) -> str:
    """Return a gold operator as a model would write it, with other parts where they are given."""
    parameters, condition, change = GOLD[name]
    return (
        f"(:action {name}\n  :parameters {parameters}\n  :precondition {precondition or condition}\n"
        f"  :effect {effect or change})"
    )


def answer(*operators: str) -> str:
    return json.dumps({"output": "\n".join(operators)})


GOOD = answer(*map(operator, GOLD))


def write_data(folder: Path) -> Path:
    """Write the data set and return its folder."""
    resources = folder / "resources"
    (resources / "problem_pddl" / "lamps").mkdir(parents=True)
    (resources / "lamps_pd.pddl").write_text(HEADER, encoding="utf-8")
    (resources / "problem_pddl" / "lamps" / "1_1.pddl").write_text(PROBLEM, encoding="utf-8")
    gold = {
        name: {"action_name": name, "action_parameters": one, "action_preconditions": two, "action_effects": three}
        for name, (one, two, three) in GOLD.items()
    }
    for name, content in (
        ("gold_action", gold),
        ("id2action", {"1_1": list(GOLD)}),
        ("id2category_2", {"1_1": ["states", "relations"]}),
        ("predicates_category", KINDS),
    ):
        (resources / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder
