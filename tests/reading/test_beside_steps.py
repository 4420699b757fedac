"""What stands beside the steps of a plan in words: titles, summaries, aims, states, and what takes a step back."""

from __future__ import annotations

import pytest

from validator import check
from validator.checking.prepared import Prepared, prepare

DOMAIN = """
(define (domain key) (:requirements :typing) (:types door person room)
  (:predicates (in ?p - person ?r - room) (locked ?d - door) (open ?d - door) (oiled ?d - door))
  (:action oil :parameters (?p - person ?d - door) :precondition (locked ?d) :effect (oiled ?d))
  (:action unlock :parameters (?p - person ?d - door) :precondition (and (locked ?d) (oiled ?d))
    :effect (and (open ?d) (not (locked ?d))))
  (:action enter :parameters (?p - person ?d - door ?r - room) :precondition (open ?d) :effect (in ?p ?r)))
"""
PROBLEM = """
(define (problem p) (:domain key) (:objects gate hatch - door tim - person hall attic - room)
  (:init (locked gate) (locked hatch)) (:goal (in tim attic)))
"""
OIL, UNLOCK, ENTER = "Oil the hatch", "Unlock the hatch", "Enter the attic through the hatch"
LIST = f"1. {OIL}.\n2. {UNLOCK}.\n3. {ENTER}."

RIGHT = {
    "titles": f"### {OIL}\n{OIL}.\n### {UNLOCK}\n{UNLOCK}.\n### Enter the attic\n{ENTER}.",
    "bold titles": f"1. **{OIL}**\n   Tim oils the hatch.\n2. **{UNLOCK}**: Tim unlocks it.\n"
    f"3. **Enter the attic**\n   {ENTER}.",
    "groups": f"### Enter the attic\n- {OIL}.\n- {UNLOCK}.\n- {ENTER}.",
    "title of all": f"Enter the attic through the hatch:\n{LIST}",
    "items in groups": f"1. Door\n   - {OIL}\n   - {UNLOCK}\n2. Attic\n   - {ENTER}",
    "overview": f"Tim will oil the hatch, unlock it, and enter the attic. Here are the steps:\n{LIST}",
    "summary": f"{LIST}\n\nSo Tim oils the hatch, unlocks it and enters the attic.",
    "part of a summary": f"{LIST}\nIn summary, Tim oils the hatch and enters the attic.",
    "state": f"The hatch is locked, so oil it. {UNLOCK}. {ENTER}.",
    "one then another": f"Oil the gate, then the hatch. {UNLOCK}. {ENTER}.",
    "likewise": f"The gate is oiled and so is the hatch. {UNLOCK}. {ENTER}.",
    "descriptions": f"| Step | Description |\n|---|---|\n| Oil hatch | {OIL} |\n| Unlock hatch | {UNLOCK} |\n"
    f"| Enter | {ENTER} |",
    "effects": f"| Action | Effect |\n|---|---|\n| {OIL} | hatch oiled |\n| {UNLOCK} | hatch open |\n"
    f"| {ENTER} | Tim in attic |",
    "states": f"1. {OIL} (hatch oiled).\n2. {UNLOCK}.\nResult: hatch unlocked.\n3. {ENTER}.",
    "needs": f"Tim needs to oil the hatch. We then have to unlock it. {ENTER}.",
    "aims": f"To open the hatch, we must first oil it. {OIL}. {UNLOCK} in order to open it. {ENTER}.",
    "let": f"To let Tim in, oil the hatch. {UNLOCK}. {ENTER}.",
    "before": f"Before unlocking the hatch, oil it. {UNLOCK}. {ENTER}.",
    "goal": f"Goal: enter the attic.\n{LIST}",
    "not the other": f"1. {OIL} (not the gate).\n2. {UNLOCK}.\n3. {ENTER}.",
    "comments": f"{OIL} # it's dry\n{UNLOCK} # now possible\n{ENTER} # done",
    "gerunds": f"{OIL}. {UNLOCK}. Unlocking the hatch opens it. {ENTER}.",
    "log": f"10:00:01 INFO {OIL}\n10:00:02 INFO {UNLOCK}\n10:00:03 INFO {ENTER}",
}
OPEN = {
    "where": f"{OIL} in the hall. {UNLOCK}. {ENTER}.",
    "correction": f"{OIL}. Unlock the gate, I mean the hatch. {ENTER}.",
    "skipped": f"1. {OIL} (skipped).\n2. {UNLOCK}.\n3. {ENTER}.",
    "relative": f"Tim, who oiled the hatch, unlocks it. {ENTER}.",
    "after": f"Tim unlocks the hatch after oiling it. {ENTER}.",
    "first": f"{UNLOCK}, but oil it first. {ENTER}.",
    "numbers": f"3. {OIL}.\n1. {UNLOCK}.\n2. {ENTER}.",
    "before that": f"{OIL}. Before that, unlock it. {ENTER}.",
    "step by its number": f"{LIST}\nSkip step 1.",
    "bad": f"This would be a bad plan:\n{LIST}",
    "no deed": f"1. Find the hatch.\n2. {UNLOCK}.\n3. {ENTER}.",
    "undone": f"1. Unoil the hatch.\n2. {UNLOCK}.\n3. {ENTER}.",
    "leaves": f"{OIL}. {UNLOCK}. Leave the attic through the hatch.",
    "it": "The hatch is locked, so oil it. Unlock the gate. Enter the attic through the gate.",
    "second of a kind": f"Oil the first door. Unlock the second door. {ENTER}.",
    "other name": f"1. {OIL}.\n2. Unlock, zork.\n3. {ENTER}.",
    "while": f"{OIL}. While Tim unlocks the hatch, he whistles. {ENTER}.",
    "announced": f"Let's enter the attic. First oil the hatch. {UNLOCK}. {ENTER}.",
    "first behind": f"{UNLOCK}. First, oil the hatch. {ENTER}.",
    "having": f"{UNLOCK}, having oiled it. {ENTER}.",
    "number": f"Oil hatch 2. {UNLOCK}. {ENTER}.",
    "letter": f"Oil hatch B. {UNLOCK}. {ENTER}.",
    "second": f"Oil the second hatch. {UNLOCK}. {ENTER}.",
    "never mind": f"{OIL}. {UNLOCK}. {ENTER}. Never mind.",
    "fails": f"{OIL}. {UNLOCK}. {ENTER}. It does not work.",
    "returns": f"{OIL}. {UNLOCK}. {ENTER}. He returns.",
    "and back": f"{OIL}. {UNLOCK}. {ENTER} and back.",
    "would": f"The hatch would be oiled. {UNLOCK}. {ENTER}.",
    "used to": f"Tim used to oil the hatch. {UNLOCK}. {ENTER}.",
    "assumed": f"Assuming that Tim oils the hatch, unlock it. {ENTER}.",
    "in this way": f"{OIL}. {UNLOCK}. In this way, the attic is entered through the hatch.",
}
WRONG = {
    "two states": f"Since the hatch is locked and oiled, unlock it. {ENTER}.",
    "goal behind": f"1. {OIL}.\n2. {UNLOCK}.\n\nGoal: enter the attic.",
}


@pytest.fixture(scope="module")
def key() -> Prepared:
    return prepare(DOMAIN, PROBLEM)


@pytest.mark.parametrize("name", RIGHT)
def test_what_stands_beside_the_steps_makes_no_right_plan_wrong(key: Prepared, name: str) -> None:
    assert check(key, plan=RIGHT[name]).determination is True
    broken = RIGHT[name].replace("Unlock", "Oil").replace("unlock", "oil")
    assert check(key, plan=broken, repair=False).determination is not True


@pytest.mark.parametrize("name", OPEN)
def test_what_may_take_back_a_step_leaves_the_plan_open(key: Prepared, name: str) -> None:
    assert check(key, plan=OPEN[name]).determination is None


@pytest.mark.parametrize("name", WRONG)
def test_what_tells_no_step_is_none_of_the_plan(key: Prepared, name: str) -> None:
    assert check(key, plan=WRONG[name], repair=False).determination is not True


def test_from_and_to_are_told_by_what_moves_between_them() -> None:
    domain = """
    (define (domain racks) (:requirements :typing) (:types vm server)
      (:predicates (on ?v - vm ?s - server) (free ?s - server))
      (:action migrate :parameters (?v - vm ?a ?b - server) :precondition (and (on ?v ?a) (free ?b))
        :effect (and (on ?v ?b) (not (on ?v ?a)) (free ?a) (not (free ?b)))))
    """
    problem = """
    (define (problem p) (:domain racks) (:objects shop - vm web1 web2 - server)
      (:init (on shop web1) (free web2)) (:goal (on shop web2)))
    """
    assert check(domain, problem, "Migrate shop to web2.").determination is True
    assert check(domain, problem, "Migrate shop from web1 to web2.").determination is True
