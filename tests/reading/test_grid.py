"""The same plan in every notation, with every way to tell times, with and without arguments, in every encoding."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from validator import check
from validator.checking.prepared import Prepared, prepare
from validator.reading.plan import Step


class Told(NamedTuple):
    """A step: when it begins, and how long it takes, where it takes time."""

    name: str
    args: tuple[str, ...]
    time: Fraction
    duration: Fraction | None


def _model(parameters: str, given: str) -> Prepared:
    fact = f"({{}}{' ?x' if parameters else ''})"
    facts = " ".join(map(fact.format, "pqrg"))
    domain = f"""(define (domain d) (:requirements :typing :durative-actions) (:types o) (:predicates {facts})
      (:durative-action warm-up :parameters ({parameters}) :duration (= ?duration 4)
        :condition (at start {fact.format("p")}) :effect (at end {fact.format("q")}))
      (:action flip :parameters ({parameters}) :precondition {fact.format("q")} :effect {fact.format("r")})
      (:durative-action cool :parameters ({parameters}) :duration (= ?duration 2)
        :condition (at start {fact.format("r")}) :effect (at end {fact.format("g")})))"""
    init, goal = f"(p{given})", f"(g{given})"
    objects = f"(:objects{given} - o)" if given else ""
    return prepare(domain, f"(define (problem i) (:domain d) {objects} (:init {init}) (:goal {goal}))")


MODELS = {"arguments": _model("?x - o", " k"), "no arguments": _model("", "")}


def plan_of(args: tuple[str, ...]) -> list[Told]:
    return [
        Told("warm-up", args, Fraction(0), Fraction(4)),
        Told("flip", args, Fraction(41, 10), None),
        Told("cool", args, Fraction(26, 5), Fraction(2)),
    ]


def group(step: Told) -> str:
    return f"({' '.join((step.name, *step.args))})"


def call(step: Told) -> str:
    return f"{step.name.replace('-', '_')}({', '.join(step.args)})"


def record(step: Told, times: str) -> dict[str, object]:
    told: dict[str, object] = {"action": step.name, "args": list(step.args)}
    if times != "none":
        told["start"] = float(step.time)
    if times == "mixed" and step.duration is not None:
        told["duration"] = float(step.duration)
    return told


def lines(steps: Sequence[Told], write: Callable[[Told], str], times: str, form: str = "{}") -> str:
    """Return a line for each step, with its time and its duration as far as these are told."""
    found = []
    for step in steps:
        stamp = "" if times == "none" else f"{float(step.time)}: "
        lasts = "" if times != "mixed" or step.duration is None else f" [{float(step.duration)}]"
        found.append(form.format(f"{stamp}{write(step)}{lasts}"))
    return "\n".join(found)


def ends(steps: Sequence[Told], write: Callable[[Told], str]) -> str:
    """Return a line for the start, and one for the end, of each step that takes time."""
    events: list[tuple[Fraction, str]] = []
    for step in steps:
        events.append((step.time, write(step) if step.duration is None else f"start {write(step)}"))
        if step.duration is not None:
            events.append((step.time + step.duration, f"end {write(step)}"))
    return "\n".join(f"{float(time)}: {said}" for time, said in sorted(events))


def table(steps: Sequence[Told], times: str) -> str:
    rows = [
        (f"{float(step.time)}", group(step), "" if step.duration is None else f"{float(step.duration)}")
        for step in steps
    ]
    shown = {"none": slice(1, 2), "stamp": slice(0, 2), "mixed": slice(0, 3)}[times]
    head = ("Time", "Action", "Duration")
    return "\n".join(f"| {' | '.join(row[shown])} |" for row in (head, ("---", "---", "---"), *rows))


NOTATIONS: dict[str, Callable[[Sequence[Told], str], str]] = {
    "PDDL": lambda steps, times: lines(steps, group, times),
    "upper case": lambda steps, times: lines(steps, lambda step: group(step).upper(), times),
    "calls": lambda steps, times: lines(steps, call, times),
    "unified-planning": lambda steps, times: f"TimeTriggeredPlan:\n{lines(steps, call, times, '    {}')}",
    "a fence": lambda steps, times: f"The plan:\n```\n{lines(steps, group, times)}\n```",
    "JSON": lambda steps, times: json.dumps([record(step, times) for step in steps]),
    "JSON a line": lambda steps, times: "\n".join(json.dumps(record(step, times)) for step in steps),
    "a planner's output": lambda steps, times: (
        f"; Plan found with metric 7.2\n{lines(steps, group, times)}\n* All goal"
    ),
    "items of a list": lambda steps, times: lines(steps, group, times, "- {}"),
    "a table": table,
}
UNTIMED: dict[str, Callable[[Sequence[Told]], str]] = {
    "words": lambda steps: "\n".join(group(step)[1:-1] for step in steps),
    "commas": lambda steps: ", ".join(map(call, steps)),
    "sets": lambda steps: f"[{', '.join(map(group, steps))}]",
    "elements": lambda steps: "".join(f"<step>{group(step)}</step>" for step in steps),
}
ENDS: dict[str, Callable[[Sequence[Told]], str]] = {
    "PDDL": lambda steps: ends(steps, group),
    "calls": lambda steps: ends(steps, call),
    "inside": lambda steps: ends(steps, group).replace("start (", "(start ").replace("end (", "(end "),
}
TIMES = ("none", "stamp", "mixed")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")


def _read(model: Prepared, text: str, encoding: str, folder: Path) -> tuple[list[Told | str], bool | None]:
    path = folder / "plan"
    path.write_bytes(text.encode(encoding))
    report = check(model, plan=path, repair=False)
    told: list[Told | str] = [
        Told(token.name, token.args, Fraction(-1) if token.time is None else token.time, token.duration)
        if isinstance(token, Step)
        else str(token)
        for token in report.reference
    ]
    return told, report.determination


def _expected(steps: Sequence[Told], times: str) -> list[Told]:
    return [
        step._replace(
            time=Fraction(-1) if times == "none" else step.time,
            duration=step.duration if times in ("mixed", "ends") else None,
        )
        for step in steps
    ]


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize(
    ("notation", "times"),
    [*product(NOTATIONS, TIMES), *product(UNTIMED, ["none"]), *product(ENDS, ["ends"])],
)
def test_every_notation_tells_the_same_plan(notation: str, times: str, kind: str, tmp_path: Path) -> None:
    steps = plan_of(("k",) if kind == "arguments" else ())
    if notation in NOTATIONS and times != "ends":
        text = NOTATIONS[notation](steps, times)
    else:
        text = (ENDS if times == "ends" else UNTIMED)[notation](steps)
    for encoding in ENCODINGS:
        told, verdict = _read(MODELS[kind], f"{text}\n", encoding, tmp_path)
        assert told == _expected(steps, times), encoding
        assert verdict is (None if times == "none" else True)


@pytest.mark.parametrize("gone", ["start", "end"])
def test_an_end_without_a_start_is_not_understood(gone: str, tmp_path: Path) -> None:
    lines = ends(plan_of(("k",)), group).splitlines()
    text = "\n".join(each for each in lines if f"{gone} (cool" not in each)
    assert _read(MODELS["arguments"], text, "utf-8", tmp_path)[1] is None
