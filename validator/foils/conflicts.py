"""What is said when no plan does what was asked: which wishes conflict, and why.

One conflict by deletion (Chinneck and Dravnieks 1991): each wish is left out in turn, and stays out when the rest is
still impossible. All of them by looking at sets that no answer so far decides (Liffiton, Previti, Malik and
Marques-Silva 2016): such a set is possible, and grows to a largest one, or it holds a conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from validator.automata.constraints import WithinCost
from validator.foils.answers import Answer
from validator.foils.changes import Change, Goal, OtherGoal, Wish, WithGoal, WithoutGoal
from validator.foils.reasons import reason_for
from validator.foils.solve import Oracle
from validator.model.conditions import conjuncts
from validator.records import dataclass, replace
from validator.texts import MOST_LISTED

_MOST_SEEN = 20_000
"""sets that are looked at in search of one that is not decided"""

_MOST_UNKNOWN = 8
"""sets that no time was left to decide, after which no more are asked for"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicts:
    """Sets of wishes, by number, that cannot hold together, and ``fitting`` the largest ones that can.

    ``complete`` says that there are no others, and that each set is proven to lose nothing: without any one of its
    wishes the rest can hold.
    """

    sets: tuple[frozenset[int], ...]
    fitting: tuple[frozenset[int], ...]
    complete: bool


def minimal_conflicts(number: int, possible: Callable[[frozenset[int]], bool | None]) -> Conflicts:
    """Return the minimal conflicts among wishes ``0 .. number - 1``, all of which together are impossible.

    ``possible`` says whether a set of wishes can hold together; None when that is not known. An empty set as the
    conflict means that nothing can hold, whatever is wished.
    """
    everything = frozenset(range(number))
    search = _Search(possible, {everything: False})
    conflicts, fitting = {search.least(everything)}, set[frozenset[int]]()
    while (seed := search.undecided(everything, conflicts, fitting)) is not None:
        answer = search.ask(seed)
        if answer:
            fitting.add(search.largest(seed, everything))
        elif answer is False:
            conflicts.add(search.least(seed))
    return Conflicts(
        sets=tuple(sorted(conflicts, key=lambda found: (len(found), sorted(found)))),
        fitting=tuple(sorted(fitting, key=lambda found: (-len(found), sorted(found)))),
        complete=search.is_complete and None not in search.known.values(),
    )


@dataclass
class _Search:
    """What is known of sets: of those that are possible all parts are, of the others all that hold them are not."""

    possible: Callable[[frozenset[int]], bool | None]
    known: dict[frozenset[int], bool | None]
    is_complete: bool = True

    def ask(self, wishes: frozenset[int]) -> bool | None:
        for known, answer in self.known.items():
            if (answer and wishes <= known) or (answer is False and known <= wishes):
                return answer
        if wishes not in self.known:
            self.known[wishes] = self.possible(wishes)
        return self.known[wishes]

    def least(self, wishes: frozenset[int]) -> frozenset[int]:
        """Leave out of an impossible set what is not needed for that."""
        for wish in sorted(wishes):
            if self.ask(wishes - {wish}) is False:
                wishes = wishes - {wish}
        return wishes

    def largest(self, wishes: frozenset[int], everything: frozenset[int]) -> frozenset[int]:
        """Add to a possible set what leaves it possible."""
        for wish in sorted(everything - wishes):
            if self.ask(wishes | {wish}):
                wishes = wishes | {wish}
        return wishes

    def undecided(
        self, everything: frozenset[int], conflicts: Collection[frozenset[int]], fitting: Collection[frozenset[int]]
    ) -> frozenset[int] | None:
        """Return a set that is not decided, a large one first; None when there is none, or too much is not known."""
        unknown = [wishes for wishes, answer in self.known.items() if answer is None]
        waiting, seen = [everything], {everything}
        while waiting and len(seen) < _MOST_SEEN and len(unknown) < _MOST_UNKNOWN:
            wishes = waiting.pop()
            core = next((conflict for conflict in conflicts if conflict <= wishes), wishes)
            if core == wishes and wishes not in (*conflicts, *unknown):
                if not any(wishes <= known for known in fitting):
                    return wishes
                continue
            smaller = [wishes - {wish} for wish in sorted(core, reverse=True)]
            waiting += (each for each in smaller if each not in seen)
            seen.update(smaller)
        self.is_complete = not waiting
        return None


def why_impossible(answer: Answer, wishes: Sequence[Wish], oracle: Oracle) -> Answer:
    """Return an answer that says why no plan keeps to wishes.

    With a budget the goals are wishes as well: which of them, and of the others, fit into it. Those that were asked for
    are then among them, so that a question for another goal is no wish of its own: each goal may be left out.
    """
    fixed = tuple(wish for wish in wishes if isinstance(wish, WithinCost))
    no_wishes = (WithinCost, WithGoal, WithoutGoal, OtherGoal) if fixed else (WithinCost,)
    asked: list[Wish | Goal] = [wish for wish in wishes if not isinstance(wish, no_wishes)]
    if fixed:
        goal = oracle.world(wishes).model.problem.goal
        asked += (Goal(goal=part) for part in conjuncts(goal))

    def possible(chosen: frozenset[int]) -> bool | None:
        if oracle.limits.is_over():
            return None
        some = [asked[number] for number in sorted(chosen)]
        goals = [wish.goal for wish in some if isinstance(wish, Goal)] if fixed else None
        return oracle.possible((*(wish for wish in some if not isinstance(wish, Goal)), *fixed), goals)

    found = conflicts_among(answer, asked, possible)
    reasons = (reason_for(each, fixed, oracle) for each in found.conflicts[:MOST_LISTED] if oracle.limits.seconds)
    return replace(found, reasons=tuple(reason for reason in reasons if reason is not None))


def conflicts_among(
    answer: Answer, asked: Sequence[Wish | Goal], possible: Callable[[frozenset[int]], bool | None]
) -> Answer:
    """Return an answer that says which wishes conflict, and which fit; ``possible`` takes their numbers.

    Another model may have plans that this one has not: a change of the model holds in every set, so that what conflicts
    is told of that model.
    """
    changing = [n for n, wish in enumerate(asked) if isinstance(wish, Change) and not isinstance(wish, WithGoal)]
    others = [number for number in range(len(asked)) if number not in changing]

    def all_of(chosen: frozenset[int]) -> frozenset[int]:
        return frozenset((*changing, *(others[number] for number in chosen)))

    found = minimal_conflicts(len(others), lambda chosen: possible(all_of(chosen)))
    conflicts, fitting = (
        tuple(tuple(asked[number] for number in sorted(all_of(each))) for each in every)
        for every in (found.sets, found.fitting)
    )
    return replace(answer, conflicts=conflicts, fitting=fitting, all_conflicts=found.complete and not changing)
