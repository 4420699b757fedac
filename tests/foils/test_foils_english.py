"""Questions as people write them: what they ask, in the language of questions; and what is not understood."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.places import ROOT, SHARED
from validator import prepare, tokenize
from validator.errors import InputError
from validator.foils import Must, MustNot, Pattern
from validator.foils.language.context import Context
from validator.foils.language.read import read_question
from validator.reading.plan import Step

DELIVERY = ROOT / "domains" / "delivery"


@pytest.fixture(scope="module")
def asked() -> Context:
    prepared = prepare(DELIVERY / "domain.pddl", DELIVERY / "problem.pddl")
    plan = tokenize((DELIVERY / "good.plan").read_text(encoding="utf-8"), prepared.vocabulary)
    return Context(simulator=prepared.simulator, plan=plan)


_LOADED = "(load-van letter1 _ _) or (load-bike letter1 _ _)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # why not
        ("Why don't you use bike1?", "(_ bike1) must happen"),
        ("why not drive to the pier?", "(drive _ _ pier) must happen"),
        ("How come the plan doesn't ride bike1 to the pier?", "(ride bike1 _ pier) must happen"),
        ("why does van1 not drive to the pier", "(drive van1 _ pier) must happen"),
        ("Why was 'load-van box1 van1 pier' left out of the final plan?", "(load-van box1 van1 pier) must happen"),
        ("What is the reason for not including (ride bike1 pier school)?", "(ride bike1 pier school) must happen"),
        ("Can you explain why unloading box1 at the market wasn't considered?", "(unload box1 _ market) must happen"),
        ("why is the bike idle?", "(_ bike1) must happen"),
        ("could we load letter1 into the bike?", "(load-bike letter1 bike1 _) must happen"),
        ("why not use a parcel", "(_ box1) or (_ letter1) must happen"),
        # why
        ("why is the van used?", "(_ van1) must not happen"),
        ("Why do we need to drive van1 from depot to market?", "(drive van1 depot market) must not happen"),
        ("what is the purpose of loading letter1?", f"{_LOADED} must not happen"),
        ("what if we couldn't use the bike?", "(_ bike1) must not happen"),
        ("what if (drive van1 depot market) was not allowed?", "(drive van1 depot market) must not happen"),
        ("why is bike1 never used?", "(_ bike1) must happen"),
        ("why does van1 never drive to the pier?", "(drive van1 _ pier) must happen"),
        ("why does nobody ride bike1?", "(ride bike1 _ _) must happen"),
        ("could van1 drive to the pier?", "(drive van1 _ pier) must happen"),
        ("what if van1 could not drive to the market?", "(drive van1 _ market) must not happen"),
        ("Is it possible to deliver everything without the bike?", "(_ bike1) must not happen"),
        ("is there a plan that costs at most 14?", "the plan may cost at most 14"),
        # rather
        (
            "why load letter1 into van1 rather than into bike1?",
            "(load-bike letter1 bike1 _) must happen; (load-van letter1 van1 _) must not happen",
        ),
        ("why use van1 rather than bike1?", "(_ bike1) must happen; (_ van1) must not happen"),
        (
            "Why did you load letter1 into van1 instead of bike1?",
            "(load-bike letter1 bike1 _) must happen; (load-van letter1 van1 _) must not happen",
        ),
        (
            "why (drive van1 depot market) and not (drive van1 depot school)?",
            "(drive van1 depot school) must be step 2, the steps before it as they are",
        ),
        (
            "Why did you unload box1 rather than ride bike1?",
            "(ride bike1 _ _) must be step 5, the steps before it as they are",
        ),
        # order and place
        ("why do you load box1 before you load letter1?", f"{_LOADED} must come before (load-van box1 _ _)"),
        ("why load box1 before letter1?", f"{_LOADED} must come before (load-van box1 _ _)"),
        ("why don't you unload letter1 before box1", "(unload letter1 _ _) must come before (unload box1 _ _)"),
        ("why not drive van1 first?", "(drive van1 _ _) must be step 1"),
        ("why load box1 first", "(load-van box1 _ _) must not be step 1"),
        ("Why was 'drive' chosen at step 2 of the plan?",
         "(drive _ _ _) must not be step 2, the steps before it as they are"),
        ("why load box1 before it is unloaded?", "(unload box1 _ _) must come before (load-van box1 _ _)"),
        # how often
        ("why do you drive twice?", "(drive _ _ _) may happen at most 1 time"),
        ("can we unload letter1 only once?", "(unload letter1 _ _) may happen at most 1 time"),
        # necessity
        ("Must van1 drive to the market?", "(drive van1 _ market) must not happen"),
        ("does letter1 have to be unloaded at the pier?", "(unload letter1 _ pier) must not happen"),
        ("is it necessary to ride the bike?", "(ride bike1 _ _) must not happen"),
        ("do we need the bike?", "(_ bike1) must not happen"),
        ("why must letter1 be at the pier?", "(at letter1 pier) must never hold"),
        # light verbs, passives, conditional and past forms
        ("why not let van1 bring letter1 to the market?", "(unload letter1 van1 market) must happen"),
        ("what if letter1 had been loaded into bike1?", "(load-bike letter1 bike1 _) must happen"),
        ("would it help if van1 went to the pier?", "(drive van1 _ pier) must happen"),
        ("could letter1 be unloaded by the bike?", "(unload letter1 bike1 _) must happen"),
        # states
        ("could the van end up at the depot?", "(at van1 depot) must hold at the end"),
        ("what if the van stays at the depot?", "(at van1 depot) must always hold"),
        ("what if bike1 were at the market?", "without the fact (at bike1 school); with the fact (at bike1 market)"),
        ("why is van1 never at the pier?", "(at van1 pier) must hold at some time"),
        # other models and whole plans
        ("why this plan?", "there must be a plan"),
        ("is there a shorter plan?", "(_) may happen at most 8 times"),
        ("could it be done in fewer than 7 steps?", "(_) may happen at most 6 times"),
        ("what if there were no bike1?", "without the object bike1"),
        ("What if the van breaks down?", "without the object van1"),
        ("what if there is no lane between school and pier?",
         "without the fact (lane school pier); without the fact (lane pier school)"),
        ("what if there was a road from school to pier", "with the fact (road school pier)"),
        ("Is there a cheaper plan?", "there must be a plan"),
        ("can it be done with a cost of 12.5?", "the plan may cost at most 12.5"),
        ("Is it cheaper if bike1 rides to the pier?", "(ride bike1 _ pier) must happen"),
        ("could riding bike1 happen before driving van1?", "(ride bike1 _ _) must come before (drive van1 _ _)"),
        ("could riding bike1 come before driving van1?", "(ride bike1 _ _) must come before (drive van1 _ _)"),
        ("why is this plan so long?", "(_) may happen at most 8 times"),
        ("why does the plan cost so much?", "there must be a plan"),
        # steps by their numbers
        ("Why is step 2 there?", "(drive van1 depot market) must not happen"),
        ("Can step 1 come after step 2?", "(drive van1 depot market) must come before (load-van box1 van1 depot)"),
        ("Would the plan still work without step 1?", "(load-van box1 van1 depot) must not happen"),
        ("what if step 1 were dropped?", "(load-van box1 van1 depot) must not happen"),
        ("what if step 2 was done twice?", "(drive van1 depot market) must happen at least 2 times"),
        # the language of questions, with steps in words
        ("must load letter1 into bike1", "(load-bike letter1 bike1 _) must happen"),
        ("at most 2 drive van1", "(drive van1 _ _) may happen at most 2 times"),
    ],
)  # fmt: skip
def test_what_is_asked(text: str, said: str, asked: Context) -> None:
    assert "; ".join(map(str, read_question(text, asked).constraints)) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("what if we had no fuel limit?", "'fuel' was not understood"),
        ("Why is the sky blue?", "'sky' was not understood"),
        ("why not load p1?", "'p1' is not an object of the model"),
        ("why doesn't the bus drive to the pier?", "'bus' was not understood"),
        ("why does the mayor load box1?", "'mayor' was not understood"),
        ("why not drive van1 out?", "'out' was not understood"),
        ("why not load box1 under van1?", "'under' was not understood"),
        ("why not drive van1 market?", "can be (drive van1 market _) or (drive van1 _ market); say which"),
        ("could you not drive van1?", "(drive van1 _ _) must happen or: (drive van1 _ _) must not happen; say which"),
        ("why is it not necessary to drive van1?", "not understood"),
        ("why is drive van1 a bad choice?", "'bad' was not understood"),
        ("why would you not only drive van1?", "'only' was not understood"),
        ("why do you drive van1 to the market if it is empty?", "'it' was not understood"),
        ("why load letter1 and box1?", "'and' was not understood"),
        ("why not avoid bike1?", "not understood"),
        ("is it possible to load everything without the bike?", "not understood"),
        ("what if the bus never drives to the pier?", "not understood"),
        ("why does she drive van1?", "'she' was not understood"),
        ("do we need both parcels?", "names several steps"),
        ("why not unload box1 before it is used?", "can be the same step"),
        ("why load letter1 before letter1?", "can be the same step"),
        ("what if box1 needs van1?", "does not say what is done"),
        ("what if van1 was not at the depot?", "say what holds in place of (at van1 depot)"),
        ("could box1 do it all alone?", "'it' was not understood"),
        ("why not load letter1 first?", "say before which step"),
        ("why is drive van1 depot market step 3?", "(drive van1 depot market) is not step 3 of the plan"),
        ("why do you drive three times?", "the plan does (drive _ _ _) 2 times"),
        ("why drive rather than ride bike1?", "is at the steps 2, 4 of the plan; say at which step"),
        ("what if the road from school to pier is closed?", "does not hold initially"),
        ("what if (at van1 pier) is gone?", "does not hold initially"),
        ("what if the fuel was 3?", "not understood"),
        ("which steps can be skipped?", "is not a question"),
        ("why?", "is not a question"),
        ("?", "is not a question"),
    ],
)
def test_what_is_not_understood_is_no_other_question(text: str, said: str, asked: Context) -> None:
    with pytest.raises(InputError) as caught:
        read_question(text, asked)
    assert said in str(caught.value)


_CLOWNS = """(define (domain circus) (:predicates (clown ?x) (ring ?x) (bus ?x) (in ?x ?y) (at ?x ?y) (above ?x ?y))
 (:action enter :parameters (?c ?b ?r) :precondition (and (clown ?c) (bus ?b) (ring ?r) (at ?c ?r) (at ?b ?r))
  :effect (and (in ?c ?b) (not (at ?c ?r))))
 (:action alight :parameters (?c ?b ?r) :precondition (and (clown ?c) (bus ?b) (ring ?r) (in ?c ?b) (at ?b ?r))
  :effect (and (at ?c ?r) (not (in ?c ?b))))
 (:action climb :parameters (?c ?d ?r) :precondition (and (clown ?c) (clown ?d) (ring ?r) (at ?c ?r) (at ?d ?r))
  :effect (above ?c ?d)))"""
_SHOW = """(define (problem show) (:domain circus) (:objects pip pop van tent) (:init (clown pip) (clown pop) (bus van)
 (ring tent) (at pip tent) (at pop tent) (at van tent)) (:goal (and (in pop van) (above pip pop))))"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("could pip end up in the tent?", "(at pip tent) must hold at the end"),  # of clowns, "in" is for buses
        ("why isn't pip in the van?", "(in pip van) must hold at the end"),
        ("why isn't pop above pip?", "(above pop pip) must hold at the end"),
        ("why isn't pop under pip?", "does not say what is done"),
        ("why does pop leave the tent?", "(enter pop _ tent) must not happen"),
        ("why leave pop in the tent?", "'leave' was not understood"),
        ("could pip do it all alone?", "(_ pop) must not happen"),
        ("Can pop do everything?", "(_ pip) must not happen"),
        ("what if pip were in the van?", "without the fact (at pip tent); with the fact (in pip van)"),
    ],
)
def test_a_state_is_what_the_steps_of_the_model_can_make_true(text: str, said: str) -> None:
    prepared = prepare(_CLOWNS, _SHOW)
    plan = tokenize("(climb pip pop tent) (enter pop van tent)", prepared.vocabulary)
    asked = Context(simulator=prepared.simulator, plan=plan)
    try:
        read = "; ".join(map(str, read_question(text, asked).constraints))
    except InputError as error:
        assert said in str(error)
    else:
        assert read == said


_LAMPS = """(define (domain lamps) (:requirements :typing) (:types lamp) (:predicates (lit ?l - lamp))
 (:action activate :parameters (?l - lamp) :effect (lit ?l))
 (:action deactivate :parameters (?l - lamp) :effect (not (lit ?l))))"""
_DARK = "(define (problem dark) (:domain lamps) (:objects l1 l2 - lamp) (:init) (:goal (lit l1)))"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What if we never turn on l2?", "(activate l2) must not happen"),
        ("Why don't you switch l2 off?", "(deactivate l2) must happen"),
    ],
)
def test_a_question_may_say_an_action_by_another_verb(text: str, said: str) -> None:
    prepared = prepare(_LAMPS, _DARK)
    plan = tokenize("(activate l1)", prepared.vocabulary)
    read = read_question(text, Context(simulator=prepared.simulator, plan=plan))
    assert "; ".join(map(str, read.constraints)) == said


# --- other models --------------------------------------------------------------------------------


def _compare(folder: Path, most: int) -> tuple[int, int]:
    """Ask about steps of a good plan in words; return how many questions were asked, and how many not understood."""
    prepared = prepare(folder / "domain.pddl", folder / "problem.pddl")
    plan = tokenize((folder / "good.plan").read_text(encoding="utf-8"), prepared.vocabulary)
    asked = Context(simulator=prepared.simulator, plan=plan)
    steps = [step for step in map(prepared.simulator.resolve, plan.tokens) if isinstance(step, Step)][:most]
    count = refused = 0
    for step in (step for step in steps if step.args):
        words, meant = asked.lexicon.say(step), Pattern(name=step.name, args=step.args)
        for text, wanted in (
            (f"Why didn't you {words}?", Must(step=meant)),
            (f"why is {meant} used?", MustNot(step=meant)),
            (f"what if we do not {words}", MustNot(step=meant)),
            (f"why don't you use {step.args[0]}?", Must(step=Pattern(name="_", args=step.args[:1]))),
        ):
            count += 1
            try:
                assert read_question(text, asked).constraints == (wanted,), text
            except InputError:
                refused += 1
    return count, refused


def test_steps_in_the_words_of_a_model_are_understood() -> None:
    assert _compare(DELIVERY, 4) == (16, 0)


@pytest.mark.deep
def test_steps_of_competition_models_in_words_are_understood() -> None:
    folders = [path.parent for path in sorted((SHARED / "data" / "ipc").glob("*/good.plan"))]
    if not folders:
        pytest.skip("no competition models beside the project")
    counts, refused = zip(*(_compare(folder, 3) for folder in folders), strict=True)
    assert sum(counts) > 160
    assert sum(refused) <= 0.03 * sum(counts)
