"""Plans as language models write them: headings, states, reasons and asides around steps of well-known domains."""

from __future__ import annotations

import pytest

from validator import check
from validator.checking.prepared import Prepared, prepare

VANS = """
(define (domain vans) (:requirements :typing) (:types depot van box)
  (:predicates (at ?v - van ?d - depot) (lies ?b - box ?d - depot) (in ?b - box ?v - van) (ontable ?b - box)
    (crushed ?b - box))
  (:action drive :parameters (?v - van ?from ?to - depot) :precondition (at ?v ?from)
    :effect (and (at ?v ?to) (not (at ?v ?from))))
  (:action load :parameters (?b - box ?v - van ?d - depot) :precondition (and (at ?v ?d) (lies ?b ?d))
    :effect (and (in ?b ?v) (not (lies ?b ?d))))
  (:action load-crushed :parameters (?b - box ?v - van ?d - depot)
    :precondition (and (at ?v ?d) (ontable ?b) (crushed ?b)) :effect (and (in ?b ?v) (not (ontable ?b))))
  (:action undo :parameters (?b - box ?v - van) :precondition (in ?b ?v) :effect (and (ontable ?b) (not (in ?b ?v)))))
"""
PROBLEM = """
(define (problem p) (:domain vans) (:objects depot1 depot2 groundstation3 - depot van1 van2 - van box1 box2 - box)
  (:init (at van1 depot1) (at van2 depot2) (lies box1 depot1) (ontable box2) (crushed box2))
  (:goal (and (ontable box1) (at van1 groundstation3))))
"""
STEPS = (
    "Load box1 into van1 at depot1",
    "Drive van1 from depot1 to depot2",
    "Drive van1 from depot2 to groundstation3",
    "Undo box1 of van1",
)
LIST = "\n".join(f"{number}. {step}." for number, step in enumerate(STEPS, 1))
BULLETS = [f"- {step}" for step in STEPS]

AROUND = {
    "a state before the list": f"Van1 starts at depot1. The box has to be careful.\n\n{LIST}",
    "a claim behind the list": f"{LIST}\n\nThe final configuration is box1 on the table with van1 at groundstation3.",
    "a passive behind the list": f"{LIST}\n\nAll boxes have been transported to groundstation3.",
    "a destination": LIST.replace("groundstation3.", "groundstation3. Van1 has reached its destination."),
    "a sum before the list": f"Van1 brings box1 to groundstation3.\n\n{LIST}",
    "a need before the list": f"I need to serve box1 with van1.\n\n{LIST}",
    "headings": "\n".join(
        (
            "**Phase 1: Collect box1**",
            BULLETS[0],
            "**Phase 2: Delivering box1**",
            *BULLETS[1:3],
            "Finishing box1:",
            BULLETS[3],
        )
    ),
    "items above items": "\n".join(
        ("1. Collect box1", f"   {BULLETS[0]}", "2. Deliver box1", *(f"   {step}" for step in BULLETS[1:]))
    ),
    "a noun as a heading": "- **Loading of box1:** Load box1 into van1.\n- **Trip 1:** Drive van1 to depot2, "
    "then to groundstation3.\n- **Rest:** Undo box1.",
    "topics": "\n".join(
        (
            "1. **Load box1 for a trip**",
            f"   {BULLETS[0]}",
            "2. **Drive box1**",
            *(f"   {step}" for step in BULLETS[1:]),
        )
    ),
    "labels in items": LIST.replace("1. Load", "1. At depot1: load"),
    "a need before a step": f"Box1 has to move away, so do this. {' '.join(f'{step}.' for step in STEPS)}",
    "ordinals": f"First, load box1 into van1. Second, drive to depot2. Third, {STEPS[2]}. Fourth, undo box1.",
    "a name in two words": LIST.replace("groundstation3", "Ground Station 3"),
    "directions": LIST.replace("1 to", "1 right to").replace("2 to", "2 left to"),
    "an adjective": LIST.replace("box1", "the small box box1"),
    "a purpose": LIST.replace("at depot1", "to deliver it"),
    "a place": LIST.replace("van1.", "van1 on the table."),
    "a title of a list that is not the best": f"A simple (though not optimal) way with van1:\n{LIST}",
}
OPEN = {
    "a heading that names what no step below does": "**Grab box2**\n- Drive van1 to groundstation3",
    "a passive that comes last": "\n".join((*LIST.splitlines()[:3], "", "Finally, box1 is placed on the table.")),
    "a deed before the list": "Van2 takes box1.\n\n1. Drive van1 to depot2\n2. Undo box1",
    "a step above the label of the plan": f"First, {STEPS[0]}.\n\nPlan:\n" + "\n".join(LIST.splitlines()[1:]),
    "a step above a title": f"First, {STEPS[0]}.\n\n**Solution:**\n{'. '.join(STEPS[1:])}.",
    "a longer name": "1. Load box2 into van1.\n2. Undo box2.\n3. Load box1 into van1.\n4. Drive to groundstation3.\n"
    "5. Undo box1.",
}


@pytest.fixture(scope="module")
def vans() -> Prepared:
    return prepare(VANS, PROBLEM)


@pytest.mark.parametrize("name", AROUND)
def test_what_stands_around_the_steps_hides_no_verdict(vans: Prepared, name: str) -> None:
    report = check(vans, plan=AROUND[name], repair=False)
    assert report.determination is True, report.reason


@pytest.mark.parametrize("name", OPEN)
def test_what_may_be_a_step_or_another_one_makes_no_plan_wrong(vans: Prepared, name: str) -> None:
    assert check(vans, plan=OPEN[name], repair=False).determination is not False


def test_a_place_that_the_model_lacks_is_no_purpose(vans: Prepared) -> None:
    assert check(vans, plan=LIST.replace("to depot2", "to dock"), repair=False).determination is None
