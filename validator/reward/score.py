"""``score``: a planning model and texts in; for each text a verdict, a distance, labels and a reward out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TypeAlias

from validator.alarms import OutOfTime, alarm
from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare
from validator.errors import PlanError
from validator.execution.trace import Failure
from validator.grounding.limits import deadline_of
from validator.model.values import Measure
from validator.reading.plan import Ignored, NoPlan, Plan, Step, Token
from validator.reading.tokens import tokenize
from validator.reading.tokens.asides import blanked, thoughts
from validator.records import dataclass, replace
from validator.repair.a_star import ANY_WAY, Search, SearchResult
from validator.repair.alignment import lcs_length

DEFAULT_LIMIT = 10.0
"""seconds for a text"""

_MOST_FOR_LABELS = 300
"""nodes of all searches for what is cheapest in one text, and of all for any way to the goal"""

_MOST_RESTS = 20_000
"""states of which the rest is kept, before all are forgotten"""

_MOST_LONG = 1_000
"""steps of a plan up to which distances and labels are looked for"""

PlanningModel: TypeAlias = "Prepared | tuple[str | Path, str | Path]"
"""A prepared model, or a domain and a problem: paths or texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLabel:
    """One step of a text; None is not known.

    - ``executable``: whether it can be executed after the steps before it; one that cannot changes nothing
    - ``goal_reachable``: whether some steps lead from the state after it to the goal
    - ``on_cheapest``: whether it begins a cheapest way from the state before it to the goal
    """

    step: str
    executable: bool | None
    goal_reachable: bool | None = None
    on_cheapest: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What a text is worth.

    - ``valid``: True, False, or None where that is not known, and ``reason`` says why
    - ``lower``, ``upper``: bounds of the fewest changed lines that make the plan valid; None for a bound that is not
      known. ``no_plan`` says that it is proven that there is none.
    - ``steps``: the labels of the steps, in order
    - ``value``: the reward, from 0 to 1 (``validator.reward.score.score``)
    """

    valid: bool | None
    value: float
    reason: str = ""
    lower: int | None = None
    upper: int | None = None
    no_plan: bool = False
    steps: tuple[StepLabel, ...] = ()

    @property
    def distance(self) -> int | None:
        """Return the fewest changed lines, where they are proven."""
        return self.lower if self.lower == self.upper else None


def score(
    model: PlanningModel,
    texts: Iterable[str],
    *,
    distance: bool = True,
    steps: bool = True,
    time_limit: float = DEFAULT_LIMIT,
    unknown: float = 0.0,
) -> list[Score]:
    """Return the score of each text as a plan of one model.

    The value of a valid plan is 1, that of an unknown one is ``unknown``, of a text that gives up 0, and that of a plan
    that is not valid is half of 1 - d/e, or 0 where that is less: d are the fewest changed lines that make it valid, e
    those of an empty plan. Where one is not proven, the value takes the worse bound; without ``distance`` it is 0.
    ``time_limit`` is in seconds of wall clock, for each text. It holds in the main thread; in others, ask a ScorePool.
    Searches end after a number of nodes, so that scores do not depend on the machine where that limit is not met. Texts
    are never read as paths. Raises ModelError for a model that cannot be read, TypeError for a single text.
    """
    texts = listed(texts)
    if isinstance(model, str):
        raise TypeError("a model is a domain and a problem, as (domain, problem), or what prepare() returns")
    scorer = _scorer_of(model if isinstance(model, Prepared) else prepare(*model))
    return [scorer.score(text, distance, steps, time_limit, unknown) for text in texts]


def listed(texts: Iterable[str]) -> list[str]:
    """Return the texts of a call. Raises TypeError for a single one, whose characters would be taken for texts."""
    if isinstance(texts, str):
        raise TypeError("a list of texts is needed, and one text was given")
    found = list(texts)
    for place, text in enumerate(found):
        if not isinstance(text, str):
            raise TypeError(f"text {place} is of type {type(text).__name__}, not str")
    return found


class _Scorer:
    """Scores texts of one model; what it keeps of one text changes the score of no other."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        small = prepared.small
        is_plain = small is not None and small.goal is not None and not prepared.model.features
        self._model = small if is_plain else None
        self._is_counted = prepared.simulator.measure is Measure.LENGTH
        self._rests: dict[tuple[int, int], SearchResult] = {}
        """by state and weight, what the search for the rest of a plan found"""

    @cached_property
    def _cheapest(self) -> SearchResult | None:
        """Return what is known of the distance of an empty plan."""
        return None if self._model is None else Search(self._model, (), goal=self._model.goal).run()

    def score(self, text: str, distance: bool, steps: bool, time_limit: float, unknown: float) -> Score:
        """Return the score of a text; where a limit is met, what is known by then."""
        cheapest, latest = self._cheapest if distance else None, deadline_of(time_limit)
        found = Score(valid=None, value=unknown, reason="the time limit was met")
        try:
            with alarm(time_limit):
                for more in self._scores(text, cheapest, latest, unknown, with_steps=steps):
                    found = more
        except OutOfTime:
            pass
        except (PlanError, MemoryError, RecursionError) as error:
            if found.valid is None:
                return replace(found, reason=str(error) or "the memory limit was met")
        return found

    def _scores(
        self, text: str, cheapest: SearchResult | None, deadline: float, unknown: float, *, with_steps: bool
    ) -> Iterator[Score]:
        """Yield what is known of a text, each time more: its verdict, its distance, its labels."""
        hidden = thoughts(text)
        if hidden and not blanked(text, hidden).strip():
            yield Score(valid=None, value=0.0, reason="a thought without an answer")
            return
        observed = tokenize(text, self._prepared.vocabulary)
        if observed.reading is not None and observed.reading.no_plan is NoPlan.CLAIM:
            yield self._claimed(unknown)
            return
        if self._is_of_steps(observed):
            tokens, is_proven = observed.tokens, True
            failures: Sequence[Failure] = ()
            valid, reason = self._verdict(tokens)
        else:
            left = max(deadline - time.monotonic(), 0.0)
            report = check(self._prepared, None, observed, repair=False, time_limit=left)
            if report.determination is None:  # who gives up has said so, and earns nothing
                value = 0.0 if report.no_plan is NoPlan.GIVEN_UP else unknown
                yield Score(valid=None, value=value, reason=report.reason)
                return
            tokens, failures, is_proven = report.reference, report.failures, report.proven
            valid, reason = report.determination, report.reason
        rough = self._executable(tokens, failures) if with_steps and is_proven else ()
        found = Score(valid=False, value=0.0, reason=reason, lower=1, steps=rough)
        if valid:
            found = Score(valid=True, value=1.0, lower=0, upper=0, steps=rough)
        yield found
        if self._model is None or not is_proven or len(tokens) > _MOST_LONG:
            return
        if not valid and cheapest is not None:
            if cheapest.lower is None:
                found = replace(found, lower=None, no_plan=True)
            else:
                lower, upper = self._distance(tokens, cheapest, (time.monotonic() + deadline) / 2)
                found = replace(found, lower=lower, upper=upper, value=_value(upper, cheapest.lower))
            yield found
        if with_steps:
            yield replace(found, steps=self._labels(tokens))

    def _claimed(self, unknown: float) -> Score:
        """Return the score of a text that says that there is no plan, which our search alone decides."""
        cheapest = self._cheapest
        if cheapest is None or not cheapest.is_proven:
            return Score(valid=None, value=unknown, reason="the text says that there is no plan; this is not known")
        if cheapest.lower is None:
            return Score(valid=True, value=1.0, reason="there is no plan, as the text says", no_plan=True)
        why = "the text says that there is no plan, and there is one"
        return Score(valid=False, value=0.0, reason=why, lower=cheapest.lower, upper=cheapest.lower)

    def _distance(self, tokens: Sequence[Token], cheapest: SearchResult, deadline: float) -> tuple[int, int | None]:
        """Return bounds of the fewest edits: at the most, all is changed that no cheapest plan has in common."""
        assert self._model is not None
        kept = [operator for token in tokens if (operator := self._model.number(token)) is not None]
        forced = len(tokens) - len(kept)
        found = Search(self._model, kept, goal=self._model.goal).run(is_over=lambda: time.monotonic() > deadline)
        lower = forced + (found.lower or 0)
        if not lower:  # a row of the same steps is valid, which are said to happen at once
            return 1, None
        if found.edits is not None:
            return lower, lower
        if cheapest.plan is None:
            return lower, None
        return lower, forced + len(kept) + len(cheapest.plan) - 2 * lcs_length(kept, cheapest.plan)

    def _is_of_steps(self, plan: Plan) -> bool:
        """Return whether a text is steps of the model and blanks, of which no other reading is possible."""
        model, malformed = self._model, self._prepared.simulator.malformed
        return (
            model is not None
            and bool(plan.tokens)
            and all(
                part.kind == "space"
                if isinstance(part, Ignored)
                else type(part) is Step
                and part.time is None
                and part.concurrent is None
                and (model.number(part) is not None or not malformed(0, part))
                for part in plan.parts
            )
        )

    def _verdict(self, tokens: Sequence[Token]) -> tuple[bool, str]:
        """Say whether steps execute and reach the goal, and why not."""
        assert self._model is not None and self._model.goal is not None
        operators, states = self._executed(tokens)
        if None in operators:
            return False, "some steps cannot be executed"
        is_reached = not self._model.goal & ~states[-1]
        return is_reached, "" if is_reached else "the goal is not reached"

    def _executed(self, tokens: Sequence[Token]) -> tuple[list[int | None], list[int]]:
        """Return the operator of each token, None where it cannot be executed, and all states that are passed."""
        assert self._model is not None
        operators, states = list[int | None](), [self._model.init]
        for number in map(self._model.number, tokens):
            can = number is not None and not self._model.needs[number] & ~states[-1]
            operators.append(number if can else None)
            states.append(self._model.after(states[-1], number) if can and number is not None else states[-1])
        return operators, states

    def _executable(self, tokens: Sequence[Token], failures: Sequence[Failure]) -> tuple[StepLabel, ...]:
        """Return labels that say only which steps can be executed."""
        if self._model is None or len(tokens) > _MOST_LONG:
            failing = {failure.step for failure in failures}
            can = [place not in failing for place in Plan(parts=tuple(tokens)).places]
        else:
            can = [operator is not None for operator in self._executed(tokens)[0]]
        return tuple(StepLabel(step=str(token), executable=each) for token, each in zip(tokens, can, strict=True))

    def _labels(self, tokens: Sequence[Token]) -> tuple[StepLabel, ...]:
        """Return the labels of the steps of a small model, which searches find."""
        operators, states = self._executed(tokens)
        names = list(map(str, tokens))
        can = [operator is not None for operator in operators]
        rests, reachable = self._rests_along(states), self._all_reachable(states[1:])
        return tuple(
            StepLabel(
                step=name,
                executable=each,
                goal_reachable=way,
                on_cheapest=each and self._begins_cheapest(before, behind),
            )
            for name, each, way, before, behind in zip(names, can, reachable, rests, rests[1:], strict=False)
        )

    def _rests_along(self, states: Sequence[int]) -> list[SearchResult]:
        """Return what is known of the rest in each state that is passed, the first and the last included."""
        assert self._cheapest is not None
        left, known = _MOST_FOR_LABELS, dict[int, SearchResult]()
        self._follow(states[0], self._cheapest, known)
        for state in states:
            if state not in known:
                rest = self._rest(state, left)
                left -= min(left, rest.looked)
                self._follow(state, rest, known)
        return [known[state] for state in states]

    def _all_reachable(self, states: Sequence[int]) -> list[bool | None]:
        """Say for each state whether the goal can be reached; if it can, it can from those before."""
        left = _MOST_FOR_LABELS
        found: list[bool | None] = []
        for state in reversed(states):
            if found and found[-1]:
                found.append(True)
                continue
            rest = self._rest(state, left, ANY_WAY)
            left -= min(left, rest.looked)
            found.append((rest.edits is not None) if rest.is_proven else None)
        return found[::-1]

    def _rest(self, state: int, left: int, weight: int = 1) -> SearchResult:
        """Search from a state; a search that ended at its bound is none that a larger bound may use."""
        assert self._model is not None
        found = self._rests.get((state, weight))
        if found is None or (not found.is_proven and found.looked < left) or found.looked > left:
            if len(self._rests) > _MOST_RESTS:
                self._rests.clear()
            found = self._rests[state, weight] = Search(self._model, (), goal=self._model.goal, state=state).run(
                left, weight=weight
            )
        return found

    def _follow(self, state: int, rest: SearchResult, known: dict[int, SearchResult]) -> None:
        """File a state and, where its cheapest rest is proven, the states on the way."""
        assert self._model is not None
        known[state] = rest
        edits = rest.edits or ()
        for place, (_, operator) in enumerate(edits, 1):
            state = self._model.after(state, operator)
            known[state] = SearchResult(len(edits) - place, edits[place:], 0)

    def _begins_cheapest(self, before: SearchResult, behind: SearchResult) -> bool | None:
        """Say whether a cheapest rest before a step is one longer than after it; bounds may settle that, too."""
        if not self._is_counted:
            return None
        if before.lower is None or behind.lower is None:
            return False
        if not _is_exact(before):
            return None
        if behind.lower + 1 > before.lower:
            return False
        return True if _is_exact(behind) else None


def _is_exact(found: SearchResult) -> bool:
    return found.edits is not None and found.lower == len(found.edits)


def _value(upper: int | None, empty: int | None) -> float:
    """Return the reward of a plan that is not valid, by its distance and that of an empty plan."""
    return 0.0 if upper is None or not empty else max(0.0, 1 - upper / empty) / 2


@lru_cache(maxsize=16)  # of models, as many as ``prepare`` keeps
def _scorer_of(prepared: Prepared) -> _Scorer:
    return _Scorer(prepared)
