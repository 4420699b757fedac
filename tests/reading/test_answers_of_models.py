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


# --- what steps do, said beside them ---------------------------------------------------------------

DOCK = prepare(
    """(define (domain dock) (:requirements :typing) (:types rover bay sample)
      (:predicates (stationed ?r - rover ?b - bay) (charge ?r - rover) (lying ?s - sample ?b - bay) (gate ?b - bay)
        (carrying ?r - rover ?s - sample) (dusty ?r - rover) (garnish ?s - sample))
      (:action dust-off :parameters (?r - rover) :precondition (dusty ?r)
        :effect (and (not (dusty ?r)) (charge ?r)))
      (:action unbar :parameters (?b - bay) :effect (gate ?b))
      (:action roll :parameters (?r - rover ?from ?to - bay)
        :precondition (and (charge ?r) (gate ?to) (stationed ?r ?from))
        :effect (and (stationed ?r ?to) (not (stationed ?r ?from))))
      (:action scoop :parameters (?r - rover ?s - sample ?b - bay)
        :precondition (and (stationed ?r ?b) (lying ?s ?b)) :effect (and (carrying ?r ?s) (not (lying ?s ?b))))
      (:action decorate :parameters (?r - rover ?s - sample) :precondition (carrying ?r ?s) :effect (garnish ?s)))""",
    """(define (problem p) (:domain dock) (:objects spirit - rover east west - bay grit - sample)
      (:init (dusty spirit) (stationed spirit east) (lying grit west)) (:goal (garnish grit)))""",
)
DONE = {
    "Dust off spirit": ("This clears the dust and restores charge for the later steps", "Adds charge spirit"),
    "Unbar west": ("This changes the state, achieving one of the conditions", "Gate west is established"),
    "Roll spirit from east to west": ("This makes spirit stationed, and sets up the next step", "Deletes stationed"),
    "Let spirit scoop grit at west": ("This removes the lying grit and meets the conditions", "Removes lying grit"),
    "Decorate grit with spirit": ("This achieves the goal", "Adds garnish grit"),
}  # fmt: skip
ELSEWHERE = (
    "brushes spirit clean",
    "opens the gate of west",
    "drives spirit to west",
    "gets grit",
    "garnishes the grit",
)
"""the same steps in words of their own"""
LAYOUTS = {
    "behind": "{0}. {1}. {2}.",
    "below": "{0}. {1}.\n   - {2}.",
    "facts below": "{0}. {1}.\n   - {3}.",
    "bold": "{0}. **{1}**: {2}.",
    "explanation": "{0}. {1}\n   - Explanation: {2}.\n   - Conditions met: {3}",
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("missing", [None, *range(len(DONE))])
def test_what_a_step_does_is_no_step(layout: str, missing: int | None) -> None:
    kept = [(step, *said) for place, (step, said) in enumerate(DONE.items()) if place != missing]
    text = "\n".join(LAYOUTS[layout].format(number, *said) for number, said in enumerate(kept, 1))
    found = check(DOCK, plan=text, repair=False).determination
    assert found is not (missing is not None)
    assert layout != "explanation" or found is (missing is None)
    ended = check(DOCK, plan=f"{text}\n\nBy following these steps, you reach the desired state.", repair=False)
    assert ended.determination is found


@pytest.mark.parametrize("missing", range(1, len(DONE)))
@pytest.mark.parametrize(
    "hidden",
    (
        "This readies it and {}.",
        "This readies it, {}.",
        "This action changes the state, and then {}.",
        "Then {}.",
        "\n   - Then {}.",
        "\n   - The crew {}.",
    ),
)
def test_a_step_in_other_words_beside_what_steps_do_is_never_lost(missing: int, hidden: str) -> None:
    steps = [*DONE]
    steps[missing - 1] += f". {hidden.format(ELSEWHERE[missing])}"
    del steps[missing]
    text = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
    assert check(DOCK, plan=text, repair=False).determination is not False


def test_a_sentence_behind_the_steps_may_tell_one() -> None:
    steps = ". ".join([*DONE][:-1])
    listed = "\n".join(f"{number}. {step}." for number, step in enumerate([*DONE][:-1], 1))
    for said in ("Then garnish the grit", "Finally, the crew garnishes the grit", "Then the crew embellishes the grit"):
        assert check(DOCK, plan=f"{steps}. {said}.", repair=False).determination is not False
        assert check(DOCK, plan=f"{listed}\n\n{said}.", repair=False).determination is not False


def test_steps_before_the_marked_plan_count_where_they_make_it_right() -> None:
    first, *others = DONE
    listed = "\n".join(f"{number}. {step}" for number, step in enumerate(others, 1))
    for said in (first, "Somebody brushes spirit clean"):
        text = f"{said}.\n\nA look at the rest:\n{listed}\n\n**Final Plan:**\n{listed}\n"
        assert check(DOCK, plan=text, repair=False).determination is None
    whole = "\n".join(f"{number}. {step}" for number, step in enumerate(DONE, 1))
    text = f"A first try, which fails:\n{listed}\n\n**Final Plan:**\n{whole}\n"
    assert check(DOCK, plan=text, repair=False).determination is True


def test_comments_alone_are_the_empty_plan() -> None:
    model = """(define (domain d) (:predicates (at ?x)) (:action go :parameters (?x) :precondition (at ?x)
      :effect (not (at ?x))))"""
    problem = "(define (problem p) (:domain d) (:objects a) (:init (at a)) (:goal {}))"
    said = [check(model, problem.format(goal), "; (go a)\n", repair=False) for goal in ("(at a)", "(not (at a))")]
    assert [report.determination for report in said] == [None, None]  # it may be the plan in comments as well
    nothing = check("(define (domain d) (:predicates (at ?x)))", problem.format("(at a)"), '{"plan": []}', repair=False)
    assert nothing.determination is None


def test_templates_match_without_articles() -> None:
    words = {"actions": {"scoop": "with the {} scoop the {} at the {}"}}
    model = prepare(DOCK.model.domain, DOCK.model.problem, templates=words)
    assert model.lexicon.word_for_word("With spirit scoop grit at west") is not None


SHOP = """(define (domain shop) (:requirements :typing) (:types part rig)
 (:predicates (dirty ?p - part) (clean ?p - part) (shiny ?p - part) (mounted ?p - part ?r - rig))
 (:action scrub :parameters (?p - part) :precondition (dirty ?p) :effect (and (clean ?p) (not (dirty ?p))))
 (:action buff :parameters (?p - part) :precondition () :effect (shiny ?p))
 (:action mount :parameters (?p - part ?r - rig) :precondition (clean ?p) :effect (mounted ?p ?r)))"""
GEAR = """(define (problem one) (:domain shop) (:objects gear - part rig1 - rig) (:init (dirty gear))
 (:goal (and (mounted gear rig1) (shiny gear))))"""


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("1. Scrub gear.\n2. Buff gear.\n   - Adds shiny gear.", None),  # it adds a fact, or it mounts the gear
        ("1. Scrub gear.\n2. Buff gear.\n   - Adds shiny gear.\n3. Mount gear on rig1.", True),
        ("Buff gear. This makes it clean. Mount gear on rig1.", None),  # buffing cleans nothing
    ],
)
def test_what_a_step_adds_is_no_step_of_its_own(said: str, verdict: bool | None) -> None:
    assert check(SHOP, GEAR, said, repair=False).determination is verdict
