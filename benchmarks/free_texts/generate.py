"""Plans told in plain English, with what is true of them; text N of a seed is always the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random

from benchmarks.free_texts.simulator import Model, Operator, State, has_valid_completion, reaches
from benchmarks.free_texts.telling import ENGLISH, LISTS, STYLES, VOICES, Clause, Connectives, sentence, write
from benchmarks.free_texts.worlds import WORLDS, World

__all__ = ["LEVELS", "MUTATIONS", "Told", "texts"]

LEVELS = ("full", "elide", "other", "both", "broken", "broken_elide")
MUTATIONS = ("nonsense", "deleted", "negated", "doubled", "translated", "translated broken")

_PROBLEMS = 25
"""problems of each world, which the texts share"""

_TRANSLATED = (
    Connectives(first="Zuerst", next=("Dann", "Danach"), last="Schließlich"),
    Connectives(first="Primero", next=("Luego", "Después"), last="Finalmente"),
    Connectives(first="D'abord", next=("Puis", "Ensuite"), last="Enfin"),
    Connectives(first="首先", next=("然后", "接着"), last="最后"),
)
_NONSENSE = ("zorbel", "quimfle", "blorp", "snorvak", "trindle", "wexil")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A text. ``truth`` is valid, invalid, or open, where only ``wrong`` says which verdict may not be given."""

    world: str
    domain: str
    problem: str
    text: str
    level: str
    style: str
    voice: str
    plan: tuple[str, ...]
    truth: str
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    world: World
    model: Model
    goal: State
    problem: str
    plan: tuple[Operator, ...]


def texts(count: int, seed: int = 0) -> Iterator[Told]:
    """Yield ``count`` texts: two thirds plain ones of every level, a third mutations."""
    number = made = 0
    while made < count:
        draw = Random(f"free texts {seed} {number}")
        case = _case(seed, number % len(WORLDS), number // len(WORLDS) % _PROBLEMS)
        number += 1
        level = draw.choice((*LEVELS, *LEVELS, *MUTATIONS))
        told = _mutated(draw, case, level) if level in MUTATIONS else _plain(draw, case, level)
        if told is not None:
            made += 1
            yield told


# --- plans ----------------------------------------------------------------------------------------------


@cache
def _case(seed: int, world: int, number: int) -> _Case:
    """Return a problem with a plan from a random walk, without the steps that the goal does not need."""
    draw = Random(f"problem {seed} {world} {number}")
    made = WORLDS[world]
    for _ in range(200):
        model = made.model(draw)
        walk, state, seen = list[Operator](), model.init, {model.init}
        for _ in range(draw.randint(5, 18)):
            options = [(step, after) for step in model.possible if (after := step.after(state)) not in (None, *seen)]
            if not options:
                break
            step, after = draw.choice(options)
            assert after is not None
            walk.append(step)
            seen.add(after)
            state = after
        fresh = sorted(fact for fact in state - model.init if fact[0] in made.goals)
        if not fresh:
            continue
        goal = frozenset(draw.sample(fresh, min(len(fresh), draw.randint(1, 4))))
        plan = _pruned(model, goal, walk)
        if 3 <= len(plan) <= 12:
            return _Case(world=made, model=model, goal=goal, problem=model.problem(goal), plan=plan)
    raise AssertionError(f"no plan in {made.name}")


def _pruned(model: Model, goal: State, plan: list[Operator]) -> tuple[Operator, ...]:
    """Leave out single steps, and then pairs, as long as the rest reaches the goal."""
    for size in (1, 2, 1):
        shorter = True
        while shorter:
            shorter = False
            for left_out in combinations(range(len(plan)), size):
                rest = [step for at, step in enumerate(plan) if at not in left_out]
                if reaches(model, goal, rest):
                    plan, shorter = rest, True
                    break
    return tuple(plan)


def _broken(draw: Random, case: _Case) -> list[Operator] | None:
    """Drop a step, change one of its arguments, or swap it with the next one."""
    plan = list(case.plan)
    at = draw.randrange(len(plan))
    kind = draw.choice(("drop", "change", "swap"))
    if kind == "drop":
        del plan[at]
    elif kind == "swap":
        if at + 1 == len(plan):
            return None
        plan[at : at + 2] = plan[at + 1], plan[at]
    else:
        step = plan[at]
        spot = draw.randrange(len(step.args))
        kind_of = case.model.parameters[step.name][spot][1]
        others = [name for name in case.model.of_type(kind_of) if name not in step.args]
        if not others:
            return None
        args = (*step.args[:spot], draw.choice(others), *step.args[spot + 1 :])
        plan[at] = case.model.operators[f"({' '.join((step.name, *args))})"]
    return plan


# --- texts ----------------------------------------------------------------------------------------------


def _clauses(draw: Random, case: _Case, plan: Sequence[Operator], level: str, voice: str) -> list[Clause]:
    told: list[Clause] = []
    before: Operator | None = None
    for step in plan:
        frames = case.world.frames[step.name]
        kind = level
        if level in ("elide", "both") and draw.random() < 0.3:
            kind = {"elide": "full", "both": "other"}[level]
        frame = draw.choice(
            {"full": frames.full, "other": frames.other, "elide": frames.elided, "both": frames.both}[kind]
        )
        it = _pronoun(draw, case, before, step, frame) if level in ("elide", "both") else None
        own = voice if draw.random() < 0.85 else draw.choice(VOICES[:3] if voice != "past" else ("past",))
        told.append(sentence(draw, case.world, case.model, step, frame, own, it))
        before = step
    return told


def _pronoun(draw: Random, case: _Case, before: Operator | None, step: Operator, frame: str) -> str | None:
    """Return what "it" can mean without doubt: the first object of both sentences, a thing and no person."""
    if before is None or draw.random() > 0.3 or ":" in frame or case.world.name == "hospital":
        return None
    first = frame.find("{")
    name = frame[first + 1 : frame.find("}")]
    names = [each for each, _ in case.model.parameters[step.name]]
    it = step.args[names.index(name)] if name in names else None
    kinds = [case.model.objects[each] for each in before.args]
    return it if it in before.args and kinds.count(case.model.objects[it]) == 1 else None


def _patterns(case: _Case, plan: Sequence[Operator], clauses: Sequence[Clause]) -> list[list[Operator]]:
    """Return for each clause every operator of the same verb with what the clause names."""
    found: list[list[Operator]] = []
    for step, clause in zip(plan, clauses, strict=True):
        names = [name for name, _ in case.model.parameters[step.name]]
        own = {at: step.args[at] for at, name in enumerate(names) if name in clause.named}
        verb = step.name.split("-")[0]
        found.append([])
        for other in case.model.operators.values():
            if other.name == step.name:
                fits = all(other.args[at] == value for at, value in own.items())
            else:
                fits = other.name.split("-")[0] == verb and set(own.values()) <= set(other.args)
            if fits:
                found[-1].append(other)
    return found


def _plain(draw: Random, case: _Case, level: str) -> Told | None:
    style, voice = draw.choice(STYLES), draw.choice(VOICES)
    plan: Sequence[Operator] | None = case.plan if "broken" not in level else _broken(draw, case)
    if not plan:
        return None
    valid = reaches(case.model, case.goal, plan)
    telling = {"broken": "full", "broken_elide": "elide"}.get(level, level)
    clauses = _clauses(draw, case, plan, telling, voice)
    text = write(draw, style, clauses)
    if telling in ("elide", "both"):
        some, every = has_valid_completion(case.model, case.goal, _patterns(case, plan, clauses))
        if some and not valid:
            return None
        if valid and not every:  # the state does not tell what was left out
            return _told(case, text, telling, style, voice, plan, None, ("invalid",))
    return _told(case, text, telling if valid else level, style, voice, plan, valid)


def _told(
    case: _Case,
    text: str,
    level: str,
    style: str,
    voice: str,
    plan: Sequence[Operator],
    valid: bool | None,
    wrong: tuple[str, ...] | None = None,
) -> Told:
    truth = {True: "valid", False: "invalid", None: "open"}[valid]
    own = {"valid": ("invalid",), "invalid": ("valid",), "open": ()}[truth]
    return Told(
        world=case.world.name,
        domain=case.world.domain,
        problem=case.problem,
        text=text,
        level=level,
        style=style,
        voice=voice,
        plan=tuple(map(str, plan)),
        truth=truth,
        wrong=own if wrong is None else wrong,
    )


# --- mutations ------------------------------------------------------------------------------------------


def _mutated(draw: Random, case: _Case, kind: str) -> Told | None:
    """Change one thing about a right text in full.

    A nonsense word may mean anything: NOT VALID is wrong. A clause that is deleted or denied is no step, and one that
    stands twice in a list is two: the simulator says what is then true.
    """
    style, voice = draw.choice(STYLES), draw.choice(VOICES)
    plan: Sequence[Operator] | None = case.plan if kind != "translated broken" else _broken(draw, case)
    if kind.startswith("translated"):
        style = draw.choice(("paragraph", "commas"))
    if not plan:
        return None
    clauses = _clauses(draw, case, plan, "full", voice)
    words = [clause.text for clause in clauses]
    at = draw.randrange(len(clauses))
    by = ENGLISH
    if kind == "nonsense":
        old = draw.choice(clauses[at].words)
        new = draw.choice(_NONSENSE)
        words[at] = words[at].replace(old, f"the {new}" if old.startswith("the ") else new, 1)
        return _told(case, write(draw, style, clauses, words), kind, style, voice, plan, None, ("invalid",))
    if kind == "negated":
        words[at] = clauses[at].negated
        plan = [*plan[:at], *plan[at + 1 :]]
    elif kind == "deleted":
        plan = [*plan[:at], *plan[at + 1 :]]
        del clauses[at], words[at]
        if not plan:
            return None
    elif kind == "doubled":
        plan = [*plan[: at + 1], *plan[at:]]
        clauses.insert(at, clauses[at])
        words.insert(at, words[at])
        if style not in LISTS and not reaches(case.model, case.goal, plan):
            return None
    else:
        by = draw.choice(_TRANSLATED)
    valid = reaches(case.model, case.goal, plan)
    return _told(case, write(draw, style, clauses, words, by), kind, style, voice, plan, valid)
