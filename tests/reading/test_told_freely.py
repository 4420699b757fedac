"""Right plans told in many ways, one or more steps of each in other words: none of them is called wrong."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.places import ROOT
from validator import check
from validator.checking.prepared import Prepared, prepare

BOATS = (
    """
    (define (domain boats) (:requirements :strips :typing) (:types boat auto port)
    (:predicates (boat-at ?b - boat ?p - port) (auto-at ?a - auto ?p - port) (aboard ?a - auto ?b - boat) (empty
      ?b - boat))
    (:action sail :parameters (?b - boat ?from ?to - port)
      :precondition (boat-at ?b ?from)
      :effect (and (boat-at ?b ?to) (not (boat-at ?b ?from))))
    (:action board :parameters (?a - auto ?b - boat ?p - port)
      :precondition (and (boat-at ?b ?p) (auto-at ?a ?p) (empty ?b))
      :effect (and (aboard ?a ?b) (not (auto-at ?a ?p)) (not (empty ?b))))
    (:action debark :parameters (?a - auto ?b - boat ?p - port)
      :precondition (and (boat-at ?b ?p) (aboard ?a ?b))
      :effect (and (auto-at ?a ?p) (empty ?b) (not (aboard ?a ?b)))))
    """,
    """
    (define (problem p) (:domain boats) (:objects ferry - boat car1 car2 - auto north south - port) (:init
      (boat-at ferry north) (auto-at car1 north) (auto-at car2 south) (empty ferry)) (:goal (and (auto-at car1
      south) (auto-at car2 north))))
    """,
    """
    (board car1 ferry north) (sail ferry north south) (debark car1 ferry south) (board car2 ferry south)
    (sail ferry south north) (debark car2 ferry north)
    """,
    {
        "sail": """
            sail {0} from {1} to {2}
            sail to {2}
            the {0} sails to {2}
            cross over to {2}
            {0} returns to {2}
            sail from {1} to {2}
            go to {2}
            take the {0} to {2}
            steer to {2}
            set sail for {2}
            sail {0} to {2}
            the boat leaves {1} and goes to {2}
            bring the {0} over to {2}
            sail back
            the {0} is sailed from {1} to {2}
            head {2}
            continue to {2}
            ship it to {2}
        """,
        "board": """
            board {0}
            {0} boards the {1}
            {0} boards the {1} at {2}
            load {0} onto the {1}
            put {0} on the {1}
            drive {0} onto the {1}
            {0} goes aboard
            get {0} on board
            {0} is loaded
            let {0} board
            take {0} aboard in {2}
            bring {0} on board the {1}
            have {0} board the {1}
        """,
        "debark": """
            debark {0}
            {0} debarks at {2}
            unload {0} at {2}
            drive {0} off the {1}
            {0} leaves the {1}
            put {0} ashore at {2}
            {0} is unloaded
            let it debark
            take {0} off the {1} in {2}
            {0} gets off at {2}
            drop {0} off at {2}
            debark it there
            bring {0} to shore
        """,
    },
)
_STEP = re.compile(r"\(([^()]+)\)")


def _texts(plan: str, ways: dict[str, str], seed: int, count: int) -> list[str]:
    """Return texts that tell a plan in the first way of each action, but for one to three steps."""
    drawn = random.Random(seed)
    steps = [step.split() for step in _STEP.findall(plan)]
    said = {name: [way.strip() for way in lines.strip().splitlines()] for name, lines in ways.items()}
    found = []
    for _ in range(count):
        others = drawn.sample(range(len(steps)), drawn.choice((1, 2, 2, 3)))
        told = [
            (drawn.choice(said[name]) if place in others else said[name][0]).format(*args)
            for place, (name, *args) in enumerate(steps)
        ]
        found.append(_written(told, drawn))
    return found


def _written(told: list[str], drawn: random.Random) -> str:
    """Return steps as a list, as sentences, as one sentence, or as JSON."""
    lines = [line[0].upper() + line[1:] for line in told]
    return drawn.choice(
        (
            "\n".join(f"{number}. {line}." for number, line in enumerate(lines, 1)),
            "Here is the plan:\n\n" + "\n".join(f"- {line}" for line in lines) + "\n\nAll done!",
            ". ".join(lines) + ".",
            ", then ".join((lines[0], *told[1:])) + ".",
            f"First, {told[0]}. " + " ".join(f"Next, {line}." for line in told[1:-1]) + f" Finally, {told[-1]}.",
            json.dumps([{"step": number, "action": line} for number, line in enumerate(lines, 1)]),
        )
    )


@pytest.mark.parametrize("seed", range(3))
def test_a_right_plan_is_never_called_wrong(seed: int) -> None:
    domain, problem, plan, ways = BOATS
    model = prepare(domain, problem)
    assert check(model, None, plan, repair=False).determination is True
    texts = _texts(plan, ways, seed, 100)
    answers = [check(model, None, text, repair=False).determination for text in texts]
    wrong = [text for text, answer in zip(texts, answers, strict=True) if answer is False]
    assert not wrong
    assert 2 * answers.count(True) > len(texts)  # most are understood


# --- steps in words beside steps in a notation ---------------------------------------------------


def test_lines_in_any_words_among_steps_are_steps_too() -> None:
    domain, problem, plan, ways = BOATS
    model, drawn = prepare(domain, problem), random.Random(1)
    said = {name: [way.strip() for way in lines.strip().splitlines()] for name, lines in ways.items()}
    answers = []
    for _ in range(150):
        form = drawn.choice(("({0} {1})", "{0}({2})", "`({0} {1})`", "**{0}({2})**"))
        style = drawn.choice(("{number}. {step}", "- {step}", "{step}", "Step {number}: {step}", "* {step}"))
        lines = []
        for number, (name, *args) in enumerate((step.split() for step in _STEP.findall(plan)), 1):
            words = drawn.choice(said[name]).format(*args)
            step = form.format(name, " ".join(args), ", ".join(args)) if drawn.random() < 0.5 else words.capitalize()
            lines.append(style.format(number=number, step=step))
        end = drawn.choice(("", "\nThis reaches the goal.\n"))
        answers.append((check(model, None, "\n".join(lines) + "\n" + end, repair=False).determination, lines))
    assert not [lines for answer, lines in answers if answer is False]
    assert sum(answer is True for answer, _ in answers) > 60


# --- plans of many models as people write them ----------------------------------------------------

_WRITTEN: dict[str, Any] = json.loads(Path(__file__).with_name("written_plans.json").read_text(encoding="utf-8"))
MODELS: dict[str, tuple[str, str]] = _WRITTEN["models"]
_TEXTS: list[dict[str, Any]] = _WRITTEN["texts"]
_LEAST = 0.66
"""of the texts, that are judged at all"""


@pytest.fixture(scope="module")
def models() -> dict[str, Prepared]:
    given = {name: prepare(*texts) for name, texts in MODELS.items()}
    bundled = {text["model"] for text in _TEXTS} - given.keys()
    folders = {name: ROOT / "domains" / name for name in bundled}
    return given | {name: prepare(path / "domain.pddl", path / "problem.pddl") for name, path in folders.items()}


def test_written_plans_are_judged_and_none_is_judged_wrong(models: dict[str, Prepared]) -> None:
    found = [check(models[each["model"]], plan=each["text"], repair=False).determination for each in _TEXTS]
    wrong = [each["text"] for each, answer in zip(_TEXTS, found, strict=True) if answer is (not each["is_valid"])]
    assert not wrong
    assert sum(answer is not None for answer in found) >= _LEAST * len(_TEXTS)


RIDE = """Cab7 drives from the station to the hotel and picks Lena up there. It collects her fare, refuels, and then
drives to the airport, where it drops her off. Omar is not part of this."""


@pytest.mark.parametrize("remark", ["We use the actions drive, refuel and serve.", "## Refuel", "**Drive**"])
def test_names_of_actions_in_remarks_make_no_right_plan_wrong(remark: str) -> None:
    assert check(*MODELS["taxi"], f"{remark}\n\n{RIDE}", repair=False).determination is not False
