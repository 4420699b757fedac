"""Attacks on verdicts about texts that a translator read, of which some change, drop, add or exchange steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random
from typing import Any

from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, Oracle
from tests.support.random_schemas import random_schema
from tests.support.random_worlds import states_of, wrong_walk
from validator import Quality, check
from validator.errors import InputError

__all__ = ["KINDS"]

_MOST_STATES = 200
_WORDS = (
    *("put the thing over there", "then deal with the other one", "now take care of what is left"),
    *("move on to the next one", "see to it that it is done", "after that, do what is needed"),
)
_FAULTS = ("none", "none", "change", "change", "drop", "drop", "add", "exchange", "unknown", "invent")


def _attack(seed: int) -> Iterator[str]:
    """Write some steps of a plan in words that only a translator understands, who may not be right about the others.

    What he says of these words is what they mean; of all else the text itself says what it is.
    """
    draw = Random(f"translated {seed}")
    texts = random_schema(seed, (CHEAP, DEAR)[seed % 2])
    oracle = Oracle(*texts)
    if not oracle.steps or states_of(oracle, _MOST_STATES) is None:
        return
    known = sorted(map(str, oracle.steps))
    plan = wrong_walk(oracle, draw, draw.randint(1, 3), draw.choice((0, 0, 0, 1)), to_goal=draw.random() < 0.8)
    plan = [line for line in plan if line in known]
    if not plan:
        return
    hidden = set(draw.sample(range(len(plan)), draw.randint(1, min(2, len(plan)))))
    words = draw.sample(_WORDS, len(hidden))
    lines = [words[sorted(hidden).index(place)] if place in hidden else line for place, line in enumerate(plan)]
    is_list = draw.random() < 0.5
    shown = [f"{number}. {line}" if is_list else line for number, line in enumerate(lines, 1)]
    text = "\n".join((*draw.choice(((), ("Here is the plan:",))), *shown, ""))
    told, fault = [(line, meant) for line, meant in zip(lines, plan, strict=True)], draw.choice(_FAULTS)
    place = draw.randrange(len(told))
    match fault:
        case "change":
            told[place] = (told[place][0], draw.choice(known))
        case "drop":
            del told[place]
        case "add":
            told.insert(draw.randint(place, place + 1), (told[place][0], draw.choice(known)))
        case "exchange" if len(told) > 1:
            told[place], told[place - 1] = told[place - 1], told[place]
        case "unknown":
            told[place] = (told[place][0], draw.choice(("(zz)", "no", f"({known[0].strip('()')} zz)")))
        case "invent":
            told.insert(place, ("spin around twice", draw.choice(known)))
    quality = draw.choice((Quality.SOUND, Quality.VALID))

    asked_for = list[object]()

    def translator(question: Mapping[str, Any]) -> object:
        asked_for.append(question)
        return {"steps": [{"step": step, "text": said} for said, step in told]}

    try:
        report = check(*texts, text, quality=quality, translator=translator)
    except InputError:
        assert fault == "invent", (texts, text, told)
        yield outcome(False)
        return
    if not asked_for:
        return  # nothing was left to be said
    asked = (texts, text, told, fault, quality, report)
    if report.determination is None:
        assert not report.proven and report.repaired_plan is None, asked
        yield outcome(False)
        return
    answers = {_has(oracle, meant, quality) for meant in _meant(plan, lines, hidden, told, known)}
    assert answers == {report.determination}, (asked, answers)
    yield outcome(True)


def _meant(
    plan: Sequence[str], lines: Sequence[str], hidden: set[int], told: Sequence[tuple[str, str]], known: Sequence[str]
) -> Iterator[list[str]]:
    """Yield the plans that a text may be: words are what the translator says, or anything where he says nothing."""
    said = {line: [step for each, step in told if each == line] for line in lines}
    order = [each for each, _ in told]
    choices: list[list[list[str]]] = []
    places = sorted(
        range(len(lines)), key=lambda place: order.index(lines[place]) if _is_moved(lines, hidden, order) else place
    )
    for place in places:
        if place not in hidden:
            choices.append([[plan[place]]])
        elif any(step not in known for step in said[lines[place]]) or not said[lines[place]]:
            choices.append([[], *([step] for step in known)])
        else:
            choices.append([said[lines[place]]])
    for chosen in product(*choices):
        yield [step for steps in chosen for step in steps]


def _is_moved(lines: Sequence[str], hidden: set[int], order: Sequence[str]) -> bool:
    """Return whether the translator puts words elsewhere, and leaves the other steps in their order."""
    if set(order) != set(lines) or len(set(lines)) < len(lines):
        return False
    others = [line for place, line in enumerate(lines) if place not in hidden]
    return [line for line in dict.fromkeys(order) if line in others] == others


def _has(oracle: Oracle, plan: Sequence[str], quality: Quality) -> bool:
    end = oracle.run(plan)
    return end is not None and (quality is Quality.SOUND or oracle.is_goal(end[0]))


KINDS = (
    Kind(
        name="texts as a translator reads them",
        against="execution of what the text and the translator say",
        attack=_attack,
        share=8,
    ),
)
