"""Certificates: why no plan is nearer than a repair, or cheaper than a plan, written so that others can check it.

If a plan itself is not good enough, one atom shows it: the first that a step or the goal lacks. For any other bound,
the potentials are those of cost partitioning, whose variables are those of the grounded model; the states that
they leave over are found by ``plan_certify``'s own reading of the model, which shares nothing with this package. So a
certificate that is returned was accepted by the checker that others run.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from heapq import heappop, heappush
from itertools import groupby
from typing import TYPE_CHECKING, Any

from validator.automata.facts import Facts
from validator.certificates import plan_certify
from validator.grounding.task import Task
from validator.model.values import Model, changed_predicates
from validator.reading.plan import Step, Token, bare
from validator.records import dataclass
from validator.repair.cost_partitioning.problem import Plain, problem_of
from validator.repair.edit import Weighting, compile_edit
from validator.resources import loading

if TYPE_CHECKING:
    from validator.repair.cost_partitioning.partition import Partition


_MOST_STATES = 200_000
"""states of a certificate"""
_ORDERS = 16
"""orders of variables in which potentials are looked for"""


@dataclass(frozen=True, slots=True)
class NoCertificate:
    """Why there is no certificate."""

    reason: str


def certificate(
    texts: tuple[str, str, str],
    model: Model,
    grounded: Callable[[], Task],
    tokens: Sequence[Token],
    unmet: Sequence[str],
    claim: tuple[str, int],
    quality: str,
    is_over: Callable[[], bool],
) -> dict[str, Any] | NoCertificate:
    """Return a certificate; ``texts`` are those of domain, problem and plan, ``grounded`` is called where needed.

    ``unmet`` are the literals that the first fault of the plan lacks, as PDDL text.

    For a plan that is not written as the checker reads plans, it is for the text of its lines in the certificate.

    Claims come with a bound: ``nearest``, a plan with the quality needs so many changed lines; ``optimal``, a valid
    plan costs so much; ``unsolvable``, with the bound 1. Raises TimeoutError as soon as it is over, OverflowError for
    costs that do not fit, and what ``grounded`` raises.
    """
    lines = [_line(token) for token in tokens]
    plan = texts[2] if _steps(texts[2]) == lines else "".join(f"{line}\n" for line in lines)
    if _steps(plan) != lines:
        return NoCertificate("plan-certify reads a line of the plan as something else")
    found: dict[str, Any] = {
        "certificate": 1,
        "claim": claim[0],
        "quality": quality,
        "bound": claim[1],
        "plan": lines,
        "digests": [hashlib.sha256(text.strip().encode()).hexdigest() for text in (texts[0], texts[1], plan)],
        "atoms": [],
        "groups": [],
        "variables": [],
        "weights": [],
        "states": [],
    }
    try:
        with _refusing():
            checker = plan_certify.Model(texts[0], texts[1])
            if claim == ("nearest", 1) and _of_lacking_atom(found, checker, unmet):
                return found
        return _of_potentials(found, checker, model, grounded(), tokens, is_over) or found
    except plan_certify.RefusedError as refused:
        return NoCertificate(str(refused))


@contextmanager
def _refusing() -> Iterator[None]:
    """Let what the checker cannot read be what it refuses."""
    try:
        yield
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise plan_certify.RefusedError("plan-certify does not read the model") from error


def _of_lacking_atom(found: dict[str, Any], checker: plan_certify.Model, unmet: Sequence[str]) -> bool:
    """Complete a certificate that a plan is not good enough as it is; return whether one atom is enough for it.

    The atom is the first that execution found ``unmet``. The weight of a value is 1 at each place from which the plan
    cannot be executed to its end.
    """
    added = {atom for line in {*found["plan"]} for atom in _added(checker, line)}
    atoms = added.union(atom for atom in checker.init if atom[0] in checker.changed)
    lacking = [match[1] for text in unmet if (match := _LITERAL.fullmatch(text))][:1]
    found["atoms"], found["variables"] = sorted(map(_shown, atoms)), [[atom] for atom in lacking]
    known = plan_certify.Problem(checker, found["plan"], found)
    same = {0: 0, 1: 1}
    rows = [[int(not any(known.holds(0, value, goal) for goal in known.goals)) for value in same]]
    for step in reversed(known.steps):
        ways = [arcs.get(0, same) for arcs in known.by_name[step]]
        rows.append([min((rows[-1][arc[value]] for arc in ways if value in arc), default=1) for value in same])
    known.weights = [rows[::-1] for _ in lacking]
    found["weights"] = [_runs(each) for each in known.weights]
    try:
        known.check(found["states"])
    except plan_certify.RefusedError:
        return False
    return True


_LITERAL = re.compile(r"(?:\(not )?(\([^()]+\))\)?")


def _added(checker: plan_certify.Model, line: str) -> Iterator[plan_certify.Atom]:
    """Yield the atoms that a step adds, nothing for what is no step of the model."""
    name, *objects = line[1:-1].split()
    for action, parameters, _, changes in checker.schemas:
        if action == name and len(objects) == len(parameters) and checker.types.keys() >= {*objects}:
            env = dict(zip(parameters, objects, strict=True))
            yield from (atom for _, atom, adds in checker.effects(changes, env) if adds)


def _of_potentials(
    found: dict[str, Any],
    checker: plan_certify.Model,
    model: Model,
    task: Task,
    tokens: Sequence[Token],
    is_over: Callable[[], bool],
) -> NoCertificate | None:
    """Complete a certificate by the potentials of cost partitioning; return why there is none.

    Raises RefusedError.
    """
    kind, bound = found["claim"], found["bound"]
    with_goal = kind != "nearest" or found["quality"] != "sound"
    edit_task = compile_edit(task, tokens if kind == "nearest" else (), _WEIGHTINGS[kind], with_goal=with_goal)
    problem = problem_of(edit_task, with_goal=with_goal, is_over=is_over)
    if not isinstance(problem, Plain):
        return NoCertificate("the model has axioms, or effects under too many conditions")
    named = _Names(model, task)
    atoms, variables = sorted(map(_shown, named.atoms(model))), list(_variables(named))
    constant = sorted(set(atoms).difference(*(each.atoms for each in variables)))  # they hold in every state
    found["atoms"], found["groups"] = atoms, [list(map(_shown, group)) for group in named.groups]
    found["variables"] = [*(each.atoms for each in variables), *([atom] for atom in constant)]
    with _refusing():
        known = plan_certify.Problem(checker, found["plan"], found)
    with loading("numpy"):
        from validator.repair.cost_partitioning.partition import Partitions  # NumPy, which most checks never need

    partitions = Partitions(problem)
    best = partitions.best(_ORDERS, lambda: not is_over())
    found["weights"] = list(_weights(best[0], variables, partitions.first, bound if kind != "unsolvable" else 0))
    found["weights"] += [[(len(best[0].rest), [0, 0])] for _ in constant]
    if not _suit(found["weights"], known):  # the planner has left out a step, or conditions of one
        found["weights"] = [[(len(known.steps) + 1, [0] * (len(each) + 1))] for each in known.variables]
        _suit(found["weights"], known)
    states = _closed(known, is_over)
    if states is None:
        return NoCertificate(f"the bounds leave more than {_MOST_STATES} states over")
    found["states"] = states
    known.check(states)
    return None


_WEIGHTINGS = {
    "nearest": Weighting.edits(),
    "optimal": Weighting(keep=0, insert=1, insert_extra=0, insert_least=0, skip=0),
    "unsolvable": Weighting(keep=0, insert=0, insert_extra=0, insert_least=0, skip=0),
}


def _line(token: Token) -> str:
    return str(bare(token)) if isinstance(token, Step) else str(token)


def _steps(text: str) -> list[str] | None:
    """Return the steps of a plan as the checker reads them, None where it does not."""
    try:
        return plan_certify.steps_of(text)
    except (plan_certify.RefusedError, ValueError, LookupError):
        return None


def _shown(atom: Iterable[str]) -> str:
    return f"({' '.join(atom)})"


class _Names:
    """The atoms of a grounded task, by the names of its variables' values."""

    def __init__(self, model: Model, task: Task) -> None:
        named = {value: atom for atom, value in Facts(model, task).values.items()}
        self.values = [
            [named.get((variable, value)) for value in range(size)] for variable, size in enumerate(task.sizes)
        ]
        """of each variable the atom of each value; None for a value at which none holds"""
        every = ([atom for value in group if (atom := named.get(value)) is not None] for group in task.groups)
        self.groups = [group for group in every if len(group) > 1]
        own = [atoms for values in self.values if len(atoms := [each for each in values if each]) > 1]
        self.groups += [atoms for atoms in own if not any(set(atoms) <= set(group) for group in self.groups)]

    def atoms(self, model: Model) -> set[tuple[str, ...]]:
        """Return all atoms that can hold, of predicates that actions change."""
        changed = changed_predicates(*(action.effects for action in model.domain.actions.values()))
        found = {atom for atom in model.problem.init if atom[0] in changed}
        return found.union(atom for values in self.values for atom in values if atom is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Variable:
    """A variable of a certificate: its atoms, and for each of its values the one of the task's variable, or -1."""

    number: int
    atoms: Sequence[str]
    values: Sequence[int]


def _variables(named: _Names) -> Iterator[_Variable]:
    for number, atoms in enumerate(named.values):
        order = sorted(range(len(atoms)), key=lambda value: atoms[value] is None)  # where no atom holds, last
        shown = [_shown(atom) for value in order if (atom := atoms[value])]
        if shown:
            yield _Variable(number=number, atoms=shown, values=order if None in atoms else [*order, -1])


def _weights(
    best: Partition, variables: Sequence[_Variable], first: Sequence[int], bound: int
) -> Iterator[list[tuple[int, list[int]]]]:
    """Yield a potential variable by variable, as runs of places with one row of weights each."""
    for variable in variables:
        start = first[variable.number]
        rows = best.rest[:, [start + max(value, 0) for value in variable.values]]
        yield _runs(
            [weight if value >= 0 else 0 for weight, value in zip(row, variable.values, strict=True)]
            for row in rows.clip(max=bound).tolist()
        )


def _runs(rows: Iterable[list[int]]) -> list[tuple[int, list[int]]]:
    return [(len([*same]), row) for row, same in groupby(rows)]


def _suit(weights: Sequence[Sequence[tuple[int, list[int]]]], problem: plan_certify.Problem) -> bool:
    """Give a problem its weights; return whether they are a bound."""
    problem.weights = [[row for count, row in runs for _ in range(count)] for runs in weights]
    try:
        problem.check_weights()
    except plan_certify.RefusedError:
        return False
    return True


def _closed(problem: plan_certify.Problem, is_over: Callable[[], bool]) -> list[list[Any]] | None:
    """Return the states that edits below the bound lead to, at the least costs; None where they are too many."""
    start = (0, plan_certify.ARRIVED, problem.start)
    costs: dict[Any, int] = {}
    waiting = [(0, start)] if problem.h(0, problem.start) < problem.bound else []
    while waiting:
        cost, node = heappop(waiting)
        place, at, values = node
        if any(costs.get((place, other, values), cost + 1) <= cost for other in range(at, plan_certify.ARRIVED + 1)):
            continue
        costs[node] = cost
        if len(costs) > _MOST_STATES:
            return None
        if len(costs) % 256 == 0 and is_over():
            raise TimeoutError
        for key, total in problem.successors(place, at, cost, values):
            heappush(waiting, (total, key))
    return [[place, at, cost, list(values)] for (place, at, values), cost in costs.items()]
