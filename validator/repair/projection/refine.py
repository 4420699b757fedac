"""The nearest plan by projections of the whole model: onto the objects that matter most, and more and more of them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from math import inf, log2

from validator.execution.simulator import Simulator
from validator.grounding.limits import Limits, Status
from validator.grounding.task import Task
from validator.model.conditions import conjuncts
from validator.model.values import Atom, GroundAtom, Model
from validator.reading.plan import Plan, Step, Token, bare
from validator.records import replace
from validator.repair.cost_partitioning.problem import Plain
from validator.repair.edit import Edit, Move, Weighting, compile_edit, kept_steps
from validator.repair.incumbent import Progress
from validator.repair.projection.task import Projection
from validator.repair.proved import Proved, Prover
from validator.resources import loading

_MOST_STEPS = 30_000
"""of a projection"""

_FEW = 8
"""objects more that are learned, and of a kind that are all taken; faults that are looked at, and steps near each"""

_OBJECTS = 48, 144
"""that are told apart, in half of the time that is left each"""


def repair_by_projection(
    simulator: Simulator,
    tokens: Sequence[Token],
    limits: Limits,
    *,
    with_goal: bool,
    progress: Progress,
    known: Proved | None = None,
) -> Proved:
    """Look for a nearest plan, policy ``edits``, before the model is grounded; often it is found and proven.

    ``known`` is a repair that another search found.
    """
    projecting = Projecting(simulator, tokens, with_goal=with_goal)
    best = known or Proved(status=Status.STOPPED, by=Prover.PROJECTION)
    for objects in _OBJECTS:
        best = projecting.look(objects, best, limits.half)
        progress(best.lower, best.upper)
        if best.upper is not None and best.lower >= best.upper:
            return replace(best, status=Status.SOLVED, proven=True, by=Prover.PROJECTION)
    return best


class Projecting:
    """Looks at one plan in projections, for the policy ``edits``."""

    def __init__(self, simulator: Simulator, tokens: Sequence[Token], *, with_goal: bool) -> None:
        self.simulator = simulator
        self.tokens = tokens
        self.with_goal = with_goal
        self.steps = [bare(token) for token in tokens if isinstance(token, Step) and not simulator.malformed(0, token)]
        """the steps that are well-formed"""
        self.order = concerned(simulator, self.steps)
        """the objects, those that matter most first"""
        self._projection = Projection(simulator)
        self._seen = list[set[str]]()
        self._learned: list[str] = []
        """objects that what was found in a projection lacks"""

    def look(self, objects: int, best: Proved, limits: Limits) -> Proved:
        """Return the best repair and bound, ``best`` or better, after a projection onto so many objects.

        Those that the best repair's changes are about are told apart as well.
        """
        changed = [edit.token for edit in best.edits or () if edit.move is not Move.KEEP]
        named = {arg for token in changed if isinstance(token, Step) for arg in token.args}
        chosen = named.intersection(self.order).union(self.order[:objects], self._learned)
        if chosen in self._seen or not self._projection.is_possible:
            return best
        self._seen.append(chosen)
        try:
            projected = self._projection.onto(chosen, self.tokens, _MOST_STEPS, limits.is_over)
        except TimeoutError:
            return best
        if projected is None:
            return best
        try:
            found = least_changes(
                *projected,
                self.tokens,
                best,
                limits.memory,
                lambda: not limits.is_over(),
                with_goal=self.with_goal,
            )
        except MemoryError:  # the planner, which has a memory of its own, goes on
            return best
        lower = max(best.lower, found.lower)
        return replace(self._better(best, found.edits), lower=lower)

    def _better(self, best: Proved, edits: tuple[Edit, ...] | None) -> Proved:
        """Return what is better, where the edits make a plan of the whole; where not, learn what they are about."""
        if edits is None:
            return best
        cost = sum(edit.move is not Move.KEEP for edit in edits)
        if best.upper is not None and cost >= best.upper:
            return best
        plan = kept_steps(edits)
        trace = self.simulator.run(Plan(parts=plan))
        if trace.is_valid if self.with_goal else trace.is_sound:
            return Proved(status=Status.STOPPED, edits=edits, upper=cost, by=Prover.PROJECTION)
        self._learned = concerned(self.simulator, plan)[:_FEW]
        return best


def least_changes(
    task: Task,
    images: Sequence[Token],
    tokens: Sequence[Token],
    best: Proved,
    memory: int,
    has_time: Callable[[], bool],
    *,
    with_goal: bool,
) -> Proved:
    """Return what is known of a projection when there is no more time; ``images`` are the tokens as its task has them.

    ``best`` is the best repair by now: a bound that meets its cost is all that is asked for, and its lower bound is
    where the search begins. What is proven is for the policy ``edits``.
    """
    edit_task = compile_edit(task, images, Weighting.edits(), with_goal=with_goal)
    forced = edit_task.forced_cost
    lower = max(best.lower - forced, 0)
    bound = inf if best.upper is None else best.upper - forced
    names: tuple[str, ...] = ()

    def go_on(proven: int) -> bool:
        nonlocal lower
        lower = max(lower, proven)
        return has_time() and lower < bound

    def take(found: tuple[str, ...]) -> None:
        nonlocal names, bound
        cost = len(found) - sum(name.startswith("k") for name in found)
        if cost < bound:
            names, bound = found, cost

    with loading("numpy"):
        from validator.repair.cost_partitioning.prove import prove  # NumPy, which most checks never need

    with suppress(TimeoutError):
        problem = Plain(edit_task, with_goal=with_goal, is_over=lambda: not go_on(lower))
        found = prove(problem, lambda: bound, go_on, memory, take, lower)
        if found.names is not None:
            take(found.names)
        go_on(found.lower)
    own = replace(edit_task, tokens=tuple(tokens))
    edits = own.edits(names) if names else None
    return Proved(status=Status.STOPPED, lower=lower + forced, edits=edits, by=Prover.PROJECTION)


# --- which objects matter most --------------------------------------------------------------------


def concerned(simulator: Simulator, steps: Sequence[Step]) -> list[str]:
    """Return all objects of a model, those first that the faults of a plan are about; its steps are well-formed.

    The plan is executed as if each step had what it lacks, so that one fault does not look like many. Seeds are what
    stands in a step at fault, in the step that took from it what it lacks, and in goals that are not reached. From
    there it goes along the facts that hold at the faults, along goals, and along the steps near the faults: what a
    fact or a step names together belongs together, the less so the more else is said of one (Dijkstra's distance; a
    hub, such as the one vehicle of a thousand parcels, is near to all of them and brings none of them nearer). Of a
    kind that has few objects, such as the two hands of a robot, all are near.
    """
    model, walk = simulator.model, _Forced(simulator)
    links, seeds, faults = _Links(model), list[str](), 0
    for place, step in enumerate(steps):
        lacking = walk.do(place, step)
        if lacking is None:
            continue
        blamed = (steps[found] for atom in lacking if (found := walk.deleted.get(atom)) is not None)
        seeds += (
            *step.args,
            *(name for atom in lacking for name in atom[1:]),
            *(arg for one in blamed for arg in one.args),
        )
        faults += 1
        if faults <= _FEW:
            links.add_all(near.args for near in steps[max(0, place - _FEW) : place + _FEW + 1])
            links.add_all(atom[1:] for atom in walk.new_facts())
    goal = [part for part in conjuncts(model.problem.goal) if isinstance(part, Atom)]
    seeds += (term for part in goal if (part.predicate, *part.terms) not in walk.state for term in part.terms)
    links.add_all(atom[1:] for atom in walk.new_facts())
    links.add_all(part.terms for part in goal)
    return links.ordered(seeds, _of_few(model))


class _Forced:
    """The execution of steps that all have what they need."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self.state = set(simulator.model.problem.init)
        self.deleted: dict[GroundAtom, int] = {}
        """which step deleted an atom last"""
        self._shown: set[GroundAtom] = set()

    def do(self, place: int, step: Step) -> frozenset[GroundAtom] | None:
        """Do a step, and return what it lacks; None for one that lacks nothing."""
        grounded = self._simulator.grounded(step)
        if grounded is None:  # what it does depends on more than literals
            return self._seen(step)
        is_applicable = grounded.is_applicable(self.state)
        lacking = (grounded.needs - self.state) | (grounded.forbids & self.state)
        self.state |= grounded.needs
        self.state -= grounded.forbids | grounded.change.deleted
        self.state |= grounded.change.added
        self.deleted |= dict.fromkeys(grounded.change.deleted, place)
        return None if is_applicable else lacking

    def _seen(self, step: Step) -> frozenset[GroundAtom] | None:
        trace = self._simulator.run_from(frozenset(self.state), (step,), with_goal=False)
        self.state = (self.state - trace.changes[0].deleted) | trace.changes[0].added
        return None if trace.is_sound else frozenset()

    def new_facts(self) -> set[GroundAtom]:
        """Return the facts that hold now and were not returned before."""
        new = self.state - self._shown
        self._shown |= new
        return new


def _of_few(model: Model) -> Iterator[str]:
    """Yield the objects of kinds that have few: of one type, and with the same unary facts at the beginning."""
    unary: dict[str, list[str]] = {name: [] for name in model.problem.objects}
    for atom in sorted(model.problem.init):
        if len(atom) == 2:
            unary[atom[1]].append(atom[0])
    kinds: dict[object, list[str]] = {}
    for name, types in model.problem.objects.items():
        kinds.setdefault((types, *unary[name]), []).append(name)
    for names in kinds.values():
        if len(names) <= _FEW:
            yield from names


class _Links:
    """Which objects are named together."""

    def __init__(self, model: Model) -> None:
        self._near: dict[str, dict[str, None]] = {name: {} for name in model.problem.objects}

    def add_all(self, groups: Iterable[Iterable[str]]) -> None:
        """Link the names of each group with each other."""
        for names in groups:
            known = [name for name in names if name in self._near]
            for one in known:
                self._near[one].update(dict.fromkeys(known))

    def ordered(self, seeds: Iterable[str], few: Iterable[str]) -> list[str]:
        """Return all objects, the nearest first: those of kinds that have few behind the seeds."""
        distance = dict.fromkeys(self._near, inf)
        heap = [(0.5, name) for name in few] + [(0.0, name) for name in seeds if name in distance]
        for start, name in heap:
            distance[name] = start
        heapq.heapify(heap)
        while heap:
            start, name = heapq.heappop(heap)
            if start > distance[name]:
                continue
            through = start + log2(1 + len(self._near[name]))
            for other in self._near[name]:
                if through < distance[other]:
                    distance[other] = through
                    heapq.heappush(heap, (through, other))
        return sorted(distance, key=distance.__getitem__)
