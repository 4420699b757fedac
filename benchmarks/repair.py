"""Nearest valid plans by the number of corruptions, beside stock engines on the same modified problems.

On competition models or any folder of PDDL. The engines are given the unified-planning form of the modified problem,
through ``--planner``'s own way: a child process that reads, grounds and solves it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from statistics import median

from benchmarks.cases import Case, find_cases, sample
from benchmarks.measure import Cost, adopt_orphans
from benchmarks.nearest import TIME_LIMIT, Answer, by_engine, grounded, ours
from benchmarks.options import Options
from benchmarks.table import Cell, Table, skipped
from validator.errors import ModelError
from validator.reading.tokens import tokenize

__all__ = ["Result", "contradictions", "plain", "run"]

OURS = "plan-validator"
ENGINES = ("fast-downward-opt", "fast-downward", "symk-opt", "pyperplan-opt")
"""those that are installed take part; fast-downward answers first and proves nothing"""

CASES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One contestant's answer to one case."""

    case: Case
    who: str
    cost: Cost
    answer: Answer


def run(options: Options) -> list[Table]:
    """Repair a sample of the broken plans with every contestant."""
    from unified_planning.environment import get_environment

    folder = options.models or options.ipc
    adopt_orphans()
    number = CASES if options.cases is None else options.cases
    cases, left_out = find_cases(folder, options.only, number)
    if not cases:
        return [skipped("repair", f"no models in {folder} (see --models)", *left_out)]
    chosen = sample(cases, number)
    known = get_environment().factory.engines
    engines = [engine for engine in ENGINES if engine in known]
    results: list[Result] = []
    grounding: list[float] = []
    for name, group in groupby(chosen, key=lambda case: case.model.name):
        of_model = list(group)
        seconds, found = _repaired(of_model, engines)
        grounding.append(seconds)
        results += found
        print(f"repair: {name} done, {len(of_model)} plans", file=sys.stderr, flush=True)
    models = len({case.model.name for case in cases})
    notes = (
        f"{len(chosen)} of {len(cases)} broken plans of {models} models ({len(grounding)} in the sample), at most "
        f"{TIME_LIMIT:.0f} s of wall clock each",
        f"{OURS} has its model grounded before, once for all plans (median {median(grounding):.2f} s, worst "
        f"{max(grounding):.2f} s); an engine reads and grounds each modified problem anew",
        *_remarks(results),
        *left_out,
    )
    return [_by_corruptions(results, notes, tuple(contradictions(results)))]


def _repaired(cases: Sequence[Case], engines: Sequence[str]) -> tuple[float, list[Result]]:
    """Return the CPU seconds of the grounding of a model, and all answers to its cases; contestants take turns."""
    from validator.up.pddl import read_up

    model = cases[0].model
    prepared = model.prepare()
    cost = grounded(prepared)
    results = []
    try:
        problem, unread = read_up(model.domain, model.problem), ""
    except ModelError as error:
        problem, unread = None, f"{model.name}: {error.message}"  # without the place, which is this machine's
    for case in cases:
        spent, answer = ours(prepared, case)
        results.append(Result(case=case, who=OURS, cost=spent, answer=answer))
        plan = tokenize(case.plan, prepared.vocabulary)
        for engine in engines:
            if problem is None:
                spent, answer = Cost(own=0, children=0, wall=0), Answer(said=unread, failed=True)
            else:
                spent, answer = by_engine(engine, problem, prepared.model, plan)
            results.append(Result(case=case, who=engine, cost=spent, answer=answer))
    return cost.cpu, results


# --- what the answers say of each other ----------------------------------------------------------


def contradictions(results: Iterable[Result]) -> Iterator[str]:
    """Yield the cases in which a proven lower bound is above a repair that was found, and errors of ours."""
    for case, group in groupby(results, key=lambda result: result.case):
        answers = [(result.who, result.answer) for result in group]
        if case.edits is not None:
            answers.append(("index", Answer(found=case.edits, lower=case.edits, proven=True)))
        lower, who = max((_lower(answer), who) for who, answer in answers)
        repairs = [(answer.found, who) for who, answer in answers if answer.found is not None]
        found, finder = min(repairs, default=(lower, ""))
        if lower > found:
            yield f"{case}: {who} proves at least {lower}, {finder} has found {found}"
        yield from (f"{case}: {answer.said}" for who, answer in answers if who == OURS and answer.failed)


def _lower(answer: Answer) -> Fraction:
    return answer.found if answer.proven and answer.found is not None else answer.lower


def _remarks(results: Sequence[Result]) -> Iterator[str]:
    """Yield for each engine how its answers compare with ours, and why it had none."""
    mine = {str(result.case): result.answer for result in results if result.who == OURS}
    for who in dict.fromkeys(result.who for result in results if result.who != OURS):
        theirs = [result for result in results if result.who == who]
        pairs = [(mine[str(result.case)], result.answer) for result in theirs]
        both = [(one.found, other.found) for one, other in pairs if one.proven and other.proven]
        yield f"{who}: proven by both {len(both)}, of equal cost {sum(one == other for one, other in both)}"
        more = [float(other.found / one.found) for one, other in pairs if one.proven and one.found and other.found]
        if any(value != 1 for value in more):
            yield f"{who}: changes {median(more):.1f} times the fewest lines (median), at most {max(more):.1f} times"
        failed = [result for result in theirs if result.answer.failed]
        for said in sorted({result.answer.said for result in failed}):
            yield f"{who}: {sum(result.answer.said == said for result in failed)} without an answer: {said}"


# --- tables --------------------------------------------------------------------------------------


def _by_corruptions(results: Sequence[Result], notes: tuple[str, ...], wrong: tuple[str, ...]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    numbers = sorted({result.case.corruptions for result in results})
    for number in (*numbers, None):
        for who in dict.fromkeys(result.who for result in results):
            of = [result for result in results if result.who == who and number in (None, result.case.corruptions)]
            rows.append(("all" if number is None else str(number), who, *_figures([(r.cost, r.answer) for r in of])))
    return Table(
        title="repair",
        about="fewest changed lines that make a broken plan valid; CPU seconds, children included",
        columns=("corruptions", "by", "plans", "answered", "proven", "share", "median s", "worst s"),
        rows=tuple(rows),
        notes=notes,
        wrong=wrong,
    )


def _figures(answers: Sequence[tuple[Cost, Answer]]) -> tuple[Cell, ...]:
    """Return how many answers there are, how many found something and proved it, the share, median and worst CPU.

    What was refused took no time.
    """
    seconds = [cost.cpu for cost, answer in answers if not answer.failed]
    proven = sum(answer.proven for _, answer in answers)
    answered = sum(answer.found is not None for _, answer in answers)
    share = f"{100 * proven / len(answers):.0f} %"
    return len(answers), answered, proven, share, median(seconds) if seconds else None, max(seconds, default=None)


def plain(value: Fraction | None) -> str:
    return "-" if value is None else str(value)
