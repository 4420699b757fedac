"""``plan-validator val-compat --step``: step through a plan as with VAL's ValStep, commands in, what changed out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import IO, TYPE_CHECKING

from validator.errors import ModelError
from validator.model.pddl.formulas.expressions import number
from validator.reading.plan import Step
from validator.texts import read_text, rounded

if TYPE_CHECKING:
    from validator.checking.under_way.stepper import Stepper

__all__ = ["step"]


def step(commands: IO[str], domain: Path, problem: Path) -> None:
    """Answer commands until ``q`` or the end; then print the problem as it is now. Raises InputError for the model."""
    from validator.checking.prepared import prepare
    from validator.checking.under_way.stepper import Stepper

    stepper, text = Stepper(prepare(domain, problem).simulator), read_text(problem, ModelError)
    print("? ", end="", flush=True)
    for line in iter(commands.readline, ""):
        word, _, rest = line.strip().partition(" ")
        if word == "q":
            break
        for said in _answer(stepper, text, word, rest.strip()):
            print(said)
        print("? ", end="", flush=True)
    print(_progressed(text, stepper).rstrip("\n"))


def _answer(stepper: Stepper, problem: str, word: str, rest: str) -> Iterator[str]:
    if word == "x":
        yield from _next(stepper)
    elif word == "e":
        yield rest
    elif word == "w" and rest:
        Path(rest).write_text(_progressed(problem, stepper).rstrip("\n") + "\n", encoding="utf-8")
    elif word:
        try:
            yield from _posted(stepper, word, rest)
        except ValueError as error:
            yield f"! {error}"


def _posted(stepper: Stepper, word: str, rest: str) -> Iterator[str]:
    """Take ``start ACTION OBJECT ... @ TIME``, where the first word may be left out, or ``end NUMBER @ TIME``."""
    what, _, when = rest.rpartition("@")
    time, words = _time(when), what.split()
    if word == "end" and len(words) == 1 and words[0].isdigit():
        stepper.end(int(words[0]), time)
        return
    if word == "end" or (word == "start" and not words):
        raise ValueError("expected: start ACTION OBJECT ... @ TIME, end NUMBER @ TIME, x, w FILE, e TEXT or q")
    name, *args = words if word == "start" else (word, *words)
    yield f"Posted action {stepper.start(Step(name=name, args=tuple(args), time=time))}"


def _time(text: str) -> Fraction:
    time = number(text.strip())
    if time is None or time < 0:
        raise ValueError(f"'@ TIME' with a number from 0 was expected at the end, not {text.strip()[:40]!r}")
    return time


def _next(stepper: Stepper) -> Iterator[str]:
    """Tell all that has changed so far, as VAL does, then the faults that are new."""
    faults = stepper.next()
    changed = {" ".join(key): value for key, value in stepper.changed.items()}
    facts = {name: value for name, value in changed.items() if isinstance(value, bool)}
    yield f"Seeing {len(facts)} changed lits"
    yield from (f"{name} - now {'true' if value else 'false'}" for name, value in facts.items())
    numbers = {name: Fraction(value) for name, value in changed.items() if name not in facts}
    yield from (f"{name} - now {rounded(value, '.10g')}" for name, value in numbers.items())
    yield from (f"! {fault}" for fault in faults)
    if not changed and not faults:
        yield "! Nothing has changed"  # the extension for VS Code waits for a line


_PIECE = re.compile(r";[^\n]*|\(\s*:init\b|[()]", re.IGNORECASE)
_HEAD = re.compile(r"\(\s*define\s*\(\s*problem", re.IGNORECASE)


def _progressed(text: str, stepper: Stepper) -> str:
    """Return the problem with what holds now as its initial state."""
    start, end = _initial(text)
    facts = "".join(f"\n    {fact}" for fact in stepper.facts())
    before = text[next(match.start() for match in _PIECE.finditer(text) if match[0] == "(") : start]
    before = _HEAD.sub("(define (problem", before, 1)  # the extension for VS Code looks for these very words
    return f"{before}(:init{facts}\n){text[end:]}"


def _initial(text: str) -> tuple[int, int]:
    """Return where the initial state of a problem stands; without one, the end of the problem."""
    start, depth, before = -1, 0, 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece.startswith("("):
            if len(piece) > 1 and start < 0:
                start, before = match.start(), depth
            depth += 1
        elif piece == ")":
            depth -= 1
            if depth == before and start >= 0:
                return start, match.end()
            if depth == 0:
                return match.start(), match.start()
    raise AssertionError("the problem was read")
