"""Grading subgoal decomposition for BEHAVIOR: ``not open(jar.0) and inside(tea.1, jar.0)``, states that are to come.

As in the benchmark's evaluator, each literal stands for one short list of actions, which depends on what the hands
hold: a thing is grasped with a free hand unless it is held, and where no hand is free one lets go. A thing that is to
stand next to one thing and on another is put there at once. What other steps achieve on the way (``not ontop(a,
b)``, ``dusty(a)``, where the agent is) stands for none. Of alternatives all are tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import TypeAlias

from validator.errors import InputError
from validator.grading.eai.answers import read_innermost, read_object
from validator.grading.eai.execution import State
from validator.grading.eai.goals import Then, parse_goal
from validator.grading.eai.sequencing import Execution, Grade, Task, Verdict, count_goals, graded
from validator.grading.eai.subgoals import Step, best, faulty, paths, run_steps
from validator.grading.eai.tasks.behavior import behavior_checks
from validator.model.values import And, Atom, Formula, Not, Or
from validator.records import dataclass, replace

# --- reading --------------------------------------------------------------------------------------


_BESIDE, UPON = ("nextto", "touching"), ("ontop", "onfloor")
_OTHER_NAMES = re.compile(r"toggle(d?)[._]?on", re.IGNORECASE)

_BLANK = re.compile(r"^\s*$")
_PASSED_OVER = re.compile(r"^\s*$|agent|forall|exists|forpairs|forn")
"""What the benchmark leaves out of an answer."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A state that is to hold or not."""

    name: str
    args: tuple[str, ...]
    holds: bool = True


Options: TypeAlias = tuple[tuple[Literal, ...], ...]
"""The alternatives of a subgoal, each of states that are brought about in their order."""


def read_subgoals(text: str, compat: bool) -> list[Options] | str:
    """Read ``{"output": ["open(jar.0)", "inside(tea.1, jar.0) or inside(tea.1, jar.1)"]}``; a text says why not."""
    content = (
        read_innermost(text.replace("t-shirt", "shirt").replace("}}", "}"))
        if compat
        else read_object(text, ("output",))
    )
    if isinstance(content, str):
        return content
    entries = content.get("output")
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        return 'an object {"output": [...]} with subgoals was expected'
    passed = _PASSED_OVER if compat else _BLANK
    try:
        return [_options(entry) for entry in entries if not passed.search(entry)]
    except InputError as error:
        return error.message


def _options(text: str) -> Options:
    plain = _OTHER_NAMES.sub("toggledon", text).replace("&&", " and ").replace("||", " or ")
    return tuple(_alternatives(parse_goal(plain, text), True))


def _alternatives(goal: Formula, holds: bool) -> Iterator[tuple[Literal, ...]]:
    """Yield the conjunctions that a subgoal is an alternative of. Raises InputError for quantifiers and sequences."""
    match goal:
        case Atom(name, args):
            yield (Literal(name.lower(), args, holds),)
        case Not(part):
            yield from _alternatives(part, not holds)
        case Then():
            raise InputError("a subgoal has a quantifier or 'then'")
        case And(parts) | Or(parts) if isinstance(goal, And) == holds:
            for chosen in product(*(tuple(_alternatives(part, holds)) for part in parts)):
                yield tuple(literal for some in chosen for literal in some)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _alternatives(part, holds)
        case _:
            raise InputError("a subgoal has a quantifier or 'then'")


def joined(subgoals: Sequence[Options]) -> list[Options]:
    """Take conjunctions apart, and put together again what is to stand next to one thing and on another."""
    found: list[Options] = []
    for has_choice, some in groupby(subgoals, key=lambda options: len(options) != 1):
        if has_choice:
            found += some
        else:
            found += [(group,) for group in _grouped([literal for options in some for literal in options[0]])]
    return found


def _grouped(literals: Sequence[Literal]) -> Iterator[tuple[Literal, ...]]:
    """Yield literals one by one, or two that say on what a thing is to stand and next to what."""
    place = 0
    while place < len(literals):
        pair = tuple(literals[place : place + 2])
        group = pair if len(pair) == 2 and belong(*pair) else pair[:1]
        yield group
        place += len(group)


def belong(first: Literal, second: Literal) -> bool:
    """Return whether one of two says on what a thing is to stand, the other next to what."""
    upon, beside = (first, second) if first.name in UPON else (second, first)
    both = upon.name in UPON and beside.name in _BESIDE and upon.holds and beside.holds
    return both and upon.args[0] in beside.args


# --- grading --------------------------------------------------------------------------------------


_PLACED = {
    "inside": "place_inside",
    "ontop": "place_ontop",
    "onfloor": "place_ontop",
    "nextto": "place_nextto",
    "touching": "place_nextto",
    "under": "place_under",
}
_MADE = {
    "cooked": "cook",
    "burnt": "cook",
    "frozen": "freeze",
    "open": "open",
    "sliced": "slice",
    "soaked": "soak",
    "toggledon": "toggle_on",
}
_UNDONE = {"dusty": "clean", "stained": "clean", "frozen": "unfreeze", "open": "close", "toggledon": "toggle_off"}
_HELD = {"holds_rh": "right", "holds_lh": "left"}
_STATES = frozenset((*_MADE, *_UNDONE, *_HELD))
_ABOUT_AGENT = re.compile(r"isin[a-z]+|in(sameroomas|reachof|fovof|handof)robot")
_HANDS = ("right", "left")


def grade_behavior_subgoals(task: Task, text: str, *, compat: bool = False) -> Grade:
    """Grade an answer.

    With ``compat`` as the benchmark does, which passes over subgoals with quantifiers or the agent, lets go of what the
    right hand holds even if the next step needs it, and calls t-shirts shirts, which no scene has.
    """
    subgoals = read_subgoals(text, compat)
    if isinstance(subgoals, str):
        return faulty(task, Verdict.PARSING, subgoals, count_goals(task.goals))
    if fault := _grammar(task, subgoals):
        return faulty(task, *fault, count_goals(task.goals))
    named = [
        tuple(
            tuple(replace(each, args=tuple(_object(task, arg) or arg for arg in each.args)) for each in option)
            for option in options
        )
        for options in subgoals
    ]
    strict = replace(task, checks=behavior_checks(task.world.domain, of_subgoals=True))

    def run(path: Execution, option: Sequence[Literal]) -> Execution:
        for group in _grouped(option):
            if path.is_executable:
                path = run_steps(strict, path, _actions(path.state, group, compat))
        return path

    found = paths(strict, joined(named), lambda path, options: (run(path, each) for each in options))
    return best(graded(task, path) for path in found)


def _grammar(task: Task, subgoals: Sequence[Options]) -> tuple[Verdict, str] | None:
    literals = (literal for options in subgoals for option in options for literal in option)
    return next(filter(None, (_fault(task, each) for each in literals)), None)


def _fault(task: Task, literal: Literal) -> tuple[Verdict, str] | None:
    """Return what is wrong with a literal before anything is executed."""
    size = 2 if literal.name in _PLACED else 1
    if size == 1 and literal.name not in _STATES and not _ABOUT_AGENT.fullmatch(literal.name):
        return Verdict.HALLUCINATION, f"there is no state or relation {literal.name}"
    if len(literal.args) != size:
        return Verdict.ARGUMENT_NUMBER, f"{literal.name} takes {size} arguments, got {len(literal.args)}"
    lost = next((arg for arg in literal.args if not _is_agent(arg) and _object(task, arg) is None), None)
    return None if lost is None else (Verdict.HALLUCINATION, f"there is no object {lost}")


def _is_agent(name: str) -> bool:
    return name.startswith("agent")


def _object(task: Task, name: str) -> str | None:
    return task.object(name) if name == name.lower() else None  # as the benchmark, which minds case


# --- what brings a state about -------------------------------------------------------------------


def _actions(state: State, group: Sequence[Literal], compat: bool) -> list[Step]:
    """Return the actions of one literal, or of two that belong together."""
    if len(group) == 1:
        return _of_literal(state, group[0], compat)
    upon, beside = group if group[0].name in UPON else group[::-1]
    thing, below = upon.args
    other = next((arg for arg in beside.args if arg != thing), thing)
    hand, steps = _grasped(state, thing)
    return [*steps, (f"{hand}_place_nextto_ontop", (other, below))]


def _of_literal(state: State, literal: Literal, compat: bool) -> list[Step]:
    name, args = literal.name, literal.args
    if any(map(_is_agent, args)):
        return []
    if name in _PLACED and literal.holds:
        hand, steps = _grasped(state, args[0])
        return [*steps, (f"{hand}_{_PLACED[name]}", args[1:])]
    if name == "inside":
        hand, steps = _grasped(state, args[0])
        return [*steps, (f"{'right' if compat else hand}_release", args[:1])]
    if name in _HELD:
        return _held(state, _HELD[name], args[0], literal.holds, compat)
    action = (_MADE if literal.holds else _UNDONE).get(name)
    return [] if action is None else [*_one_hand_free(state, action, compat), (action, args)]


def _holding(state: State) -> Mapping[str, str]:
    """Return what the hands hold that hold something."""
    held = {hand: [atom[1] for atom in state if atom[0] == f"in-{hand}"] for hand in _HANDS}
    return {hand: min(things) for hand, things in held.items() if things}


def _grasped(state: State, thing: str) -> tuple[str, list[Step]]:
    """Return the hand that a thing is in after some steps."""
    held = _holding(state)
    for hand in held:
        if held[hand] == thing:
            return hand, []
    hand = next((hand for hand in _HANDS if hand not in held), "right")
    return hand, [*_released(held, hand), (f"{hand}_grasp", (thing,))]


def _released(held: Mapping[str, str], hand: str) -> list[Step]:
    return [(f"{hand}_release", (held[hand],))] if hand in held else []


def _held(state: State, hand: str, thing: str, holds: bool, compat: bool) -> list[Step]:
    held = _holding(state)
    if holds and held.get(hand) == thing and not compat:
        return []
    if holds:
        return [*_released(held, hand), (f"{hand}_grasp", (thing,))]
    return _released(held, hand) if held.get(hand) == thing else []


def _one_hand_free(state: State, action: str, compat: bool) -> list[Step]:
    """Let go of something when both hands are full, but not of what the action needs."""
    held = _holding(state)
    if len(held) < len(_HANDS) or (action == "clean" and not compat):
        return []
    needed = action == "slice" and not compat and ("slicer", held["right"]) in state
    return _released(held, "left" if needed else "right")
