"""Models whose actions and objects are called as texts call their own parts: check, plan, goal, note, result."""

from __future__ import annotations

import pytest

from tests.support.depth import some
from validator import check
from validator.checking.prepared import Prepared, prepare

_VERBS = """
check verify fix try walk test trace update adjust start finish plan execute answer note translate format analyze
explain review revise summarize simulate correct draft end stop continue repeat skip undo cancel ignore report
observe result state demonstrate detail break fail reason conclude wait proceed act move print say call run perform
apply repair replace edit order option list number step goal describe confirm complete achieve solve need think
consider assume suppose
"""
VERBS = tuple(_VERBS.split())
OBJECTS = ["valve", "answer-form", "plan-b", "problem", "result-sheet"]
SAYINGS = (
    *(
        "{V} the {o}.",
        "**{V} the {o}**",
        "**{V} the {o}:** this makes the next step possible.",
        "{V} the {o}: ({v} {o})",
    ),
    *("({v} {o})", "({v} {o}) ; {v} the {o}", "{v}({o})", "{V} the {o} - `({v} {o})`", "We {v} the {o}.", "{v} {o}"),
    *("The next action: {v} the {o}", "{V} the {o}:\n   ({v} {o})"),
)
LAYOUTS = (
    "{n}. {said}|\n",
    "- {said}|\n",
    "### Step {n}\n{said}|\n\n",
    "{said}|\n",
    "### {said}|\n\n",
    "**Step {n}:** {said}|\n\n",
)


def model(verbs: tuple[str, ...]) -> Prepared:
    """Return a model in which five actions are done one after the other, each on an object of its own."""
    done = [f"(done{place})" for place in range(6)]
    actions = "\n".join(
        f"(:action {verb} :parameters (?x - thing) :precondition (and (done{place}) (fits{place} ?x))"
        f" :effect (and (done{place + 1}) (not (done{place}))))"
        for place, verb in enumerate(verbs)
    )
    fits = " ".join(f"(fits{place} ?x - thing)" for place in range(5))
    facts = " ".join(f"(fits{place} {name})" for place, name in enumerate(OBJECTS))
    return prepare(
        f"(define (domain words) (:types thing) (:predicates {' '.join(done)} {fits})\n{actions})",
        f"(define (problem words) (:domain words) (:objects {' '.join(OBJECTS)} - thing) (:init (done0) {facts})"
        " (:goal (done5)))",
    )


def told(verbs: tuple[str, ...], saying: str, layout: str, without: int | None = None) -> str:
    item, joint = layout.split("|")
    steps = [pair for place, pair in enumerate(zip(verbs, OBJECTS, strict=True)) if place != without]
    return joint.join(
        item.format(n=number, said=saying.format(v=verb, V=verb.capitalize(), o=name))
        for number, (verb, name) in enumerate(steps, 1)
    )


@pytest.mark.parametrize("first", some(range(len(VERBS) - 4), 6))
def test_the_words_of_a_model_are_none_of_the_texts_about_it(first: int) -> None:
    verbs = VERBS[first : first + 5]
    known = model(verbs)
    for saying in SAYINGS:
        for layout in LAYOUTS:
            right, wrong = told(verbs, saying, layout), told(verbs, saying, layout, first % 5)
            assert check(known, plan=right, repair=False).determination is not False, right
            assert check(known, plan=wrong, repair=False).determination is not True, wrong
