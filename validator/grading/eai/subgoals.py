"""Grading subgoal decomposition: subgoals are turned into actions, the actions executed, the goal checked.

A subgoal stands for one or more short lists of actions that are to bring it about. All combinations are executed, each
subgoal from every state that the ones before it can leave; an answer is correct when one of the combinations runs to
its end and satisfies the goal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar

from validator.grading.eai.answers import Call, read_object
from validator.grading.eai.sequencing import Counts, Execution, Grade, Task, Verdict, execute, grade_of, matched_actions
from validator.grading.eai.tasks.household import partial_success, reached
from validator.grading.eai.tasks.scene_graphs import AGENT
from validator.grading.eai.tasks.virtualhome import Household, HouseholdLexicon
from validator.model.values import Atom
from validator.records import replace

# --- combinations of lists of actions -------------------------------------------------------------


_Subgoal = TypeVar("_Subgoal")

Step: TypeAlias = tuple[str, tuple[str, ...]]
"""An action and its objects."""

_MOST_PATHS = 200
"""How many combinations are followed at once; beyond it those with the fewest faults are kept."""


def run_steps(task: Task, execution: Execution, steps: Iterable[Step]) -> Execution:
    """Go on with an execution by steps that no answer has."""
    return execute(task, execution, ((Call(name=name, args=args), args) for name, args in steps))


def paths(
    task: Task, subgoals: Sequence[_Subgoal], continued: Callable[[Execution, _Subgoal], Iterable[Execution]]
) -> list[Execution]:
    """Execute all combinations, ``continued`` a subgoal each; one that fails ends where it does."""
    ended: list[Execution] = []
    running = [task.start]
    for subgoal in subgoals:
        found: dict[object, Execution] = {}
        for path in running:
            for after in continued(path, subgoal):
                if not after.is_executable:
                    ended.append(after)
                    continue
                key = after.state, after.done
                if key not in found or _faults(found[key]) > _faults(after):
                    found[key] = after
        running = sorted(found.values(), key=_faults)[:_MOST_PATHS]
    return running or ended


def _faults(execution: Execution) -> int:
    return sum(execution.counts.values())


def faulty(task: Task, verdict: Verdict, detail: str, totals: Counts) -> Grade:
    """Return the grade of subgoals that stand for no actions."""
    return Grade(identifier=task.identifier, verdict=verdict, totals=totals, detail=detail)


def best(grades: Iterable[Grade]) -> Grade:
    """Return the grade of the best combination: what is correct, then with the fewest faults, then the longest."""
    return max(grades, key=_quality)


def _quality(grade: Grade) -> tuple[bool, int, int]:
    run = grade.execution
    assert run is not None
    return grade.verdict is Verdict.SUCCESS, -_faults(run), len(run.steps)


# --- subgoals as actions --------------------------------------------------------------------------


_ENTRY = re.compile(r"\s*([A-Za-z_]+)\s*\(([^()]*)\)\s*")
_BARE = frozenset(("SLEEP", "WAKEUP", "STANDUP"))
_BY_STATE = {
    "CLOSED": ("CLOSE",),
    "OPEN": ("OPEN",),
    "ON": ("SWITCHON",),
    "OFF": ("SWITCHOFF",),
    "PLUGGED_IN": ("PLUGIN",),
    "PLUGGED_OUT": ("PLUGOUT",),
    "CLEAN": ("WIPE", "WASH"),
}
_NOTHING = frozenset(("SITTING", "LYING", "DIRTY", "BETWEEN"))
"""Subgoals for which there are no actions; what others do brings them about or not."""


def read_subgoals(text: str) -> list[list[Atom]] | str:
    """Read ``{"output": ["ONTOP(soap.1002, basket.1000)", "WASH(a.1) or RINSE(a.1)"]}``; a text says why not.

    Each subgoal is its alternatives.
    """
    content = read_object(text, ("output",))
    if isinstance(content, str):
        return content
    entries = content["output"]
    if not isinstance(entries, list) or not entries:
        return 'an object {"output": [...]} with subgoals was expected'
    found: list[list[Atom]] = []
    for entry in entries:
        options = [_primitive(part) for part in re.split(r"\s+or\s+", str(entry).strip())]
        read = [option for option in options if option is not None]
        if len(read) < len(options):
            return f"a subgoal such as ON(lamp.5) was expected, not {entry!r:.60}"
        found.append(read)
    return found


def _primitive(text: str) -> Atom | None:
    bare = text.strip().upper()
    match = _ENTRY.fullmatch(f"{text}()" if bare in _BARE else text)
    if match is None:
        return None
    return Atom(match[1].upper(), tuple(arg.strip() for arg in match[2].split(",") if arg.strip()))


def _candidates(subgoal: Atom, held: frozenset[str], clothes: frozenset[str]) -> list[list[Step]]:
    """Return the lists of actions that a subgoal stands for, its arguments being objects of the scene.

    Things are found before they are used, and grabbed unless they are ``held``.
    """
    name, args = subgoal.predicate, subgoal.terms
    if name in _NOTHING:
        return [[]]
    if name in _BY_STATE and len(args) == 1:
        return [[("FIND", args), (action, args)] for action in _BY_STATE[name]]
    if name in ("HOLDS_RH", "HOLDS_LH"):
        return [_taken(args[-1], frozenset())]
    if name == "FACING":
        return [[("FIND", args[-1:]), ("TURNTO", args[-1:])]]
    if name in ("NEXT_TO", "CLOSE") and len(args) == 2:
        first = [] if args[0] == AGENT else _taken(args[0], held)
        return [[*first, ("FIND", args[-1:])]]
    if name in ("ONTOP", "ON") and len(args) == 2:
        if args[0] == AGENT:
            return [[("FIND", args[1:]), (action, args[1:])] for action in ("SIT", "LIE")]
        if args[1] == AGENT and args[0] in clothes:
            return [[*_taken(args[0], held), ("PUTON", args[:1])]]
        return [[*_taken(args[0], held), ("FIND", args[1:]), ("PUTBACK", args)]]
    if name == "INSIDE":
        if args[0] == AGENT:
            return [[("WALK", args[1:])]]
        return [[*_taken(args[0], held), ("FIND", args[1:]), (action, args)] for action in ("PUTIN", "POUR")]
    return [_acted(name, args, held)]


def _taken(thing: str, held: frozenset[str]) -> list[Step]:
    return [] if thing in held else [("FIND", (thing,)), ("GRAB", (thing,))]


def _acted(name: str, args: tuple[str, ...], held: frozenset[str]) -> list[Step]:
    """Return an action with what it needs: its objects found, grabbed, faced."""
    if name in ("DRINK", "READ", "DROP", "RELEASE", "PUTON", "PUTOBJBACK"):
        return [*_taken(args[0], held), (name, args)]
    if name == "POUR":
        return [*_taken(args[0], held), ("FIND", args[1:]), (name, args)]
    before: list[Step] = [] if name in ("WALK", "RUN", "FIND", "TURNTO", "GREET") or not args else [("FIND", args)]
    if name.startswith(("LOOKAT", "POINTAT", "WATCH")):
        before.append(("TURNTO", args))
    return [*before, (name, args)]


# --- grading -------------------------------------------------------------------------------------


def grade_subgoals(task: Household, text: str) -> Grade:
    """Grade an answer."""
    counted = reached(task, None)
    subgoals = read_subgoals(text)
    if isinstance(subgoals, str):
        return faulty(task, Verdict.PARSING, subgoals, counted)
    if fault := _grammar(task, subgoals):
        return faulty(task, *fault, counted)
    lexicon = HouseholdLexicon(task=task)
    named = [
        [Atom(option.predicate, tuple(lexicon.object(arg) or arg for arg in option.terms)) for option in options]
        for options in subgoals
    ]
    found = paths(
        task,
        named,
        lambda path, options: (run_steps(task, path, steps) for steps in _all_candidates(path, options)),
    )
    return best(_graded(task, path, counted) for path in found)


def _grammar(task: Household, subgoals: Sequence[Sequence[Atom]]) -> tuple[Verdict, str] | None:
    lexicon = HouseholdLexicon(task=task)
    for each in (option for options in subgoals for option in options):
        name = each.predicate
        sizes = [size for size in range(3) if lexicon.predicate(name, size) or lexicon.is_action(name, size)]
        if not sizes:
            return Verdict.HALLUCINATION, f"there is no state, relation or action {each.predicate}"
        if len(each.terms) not in sizes:
            return Verdict.ARGUMENT_NUMBER, f"{each.predicate} takes {sizes[0]} arguments, got {len(each.terms)}"
        for arg in each.terms:
            if lexicon.object(arg) not in task.world.objects:
                return Verdict.HALLUCINATION, f"there is no object {arg}"
    return None


def _all_candidates(path: Execution, options: Sequence[Atom]) -> Iterator[list[Step]]:
    """Yield what the alternatives of a subgoal stand for after a path."""
    held = frozenset(atom[2] for atom in path.state if atom[0] in ("holds-rh", "holds-lh") and atom[1] == AGENT)
    clothes = frozenset(name for option in options for name in option.terms if ("clothes", name) in path.state)
    for option in options:
        yield from _candidates(option, held, clothes)


def _graded(task: Household, execution: Execution, counted: Counts) -> Grade:
    acted = matched_actions(task.action_goals, [name for name, _ in execution.done])
    matched = replace(reached(task, execution.state), action=acted)
    partial = partial_success(task, execution)
    satisfied = partial == 1 if partial is not None else matched.total == counted.total
    satisfied = satisfied and execution.is_executable
    return grade_of(task, execution, satisfied=satisfied, totals=counted, matched=matched, partial=partial)
