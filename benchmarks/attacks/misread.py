"""Attacks on what is said of texts that were read in part, or that hold two plans, by every way to ask about a plan.

A piece that was not understood may be any steps, or none: what is said must hold for all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, Oracle
from tests.support.random_schemas import Texts, random_schema
from tests.support.random_worlds import states_of, wrong_walk
from validator import PlanError, Quality, Report, check, prepare, why_not
from validator.checking.about.redundant import redundant_steps
from validator.checking.monitor import check_rest
from validator.checking.prepared import Prepared
from validator.metrics import compare
from validator.reading.tokens import tokenize
from validator.reading.understood import unclear
from validator.render.markdown import report_markdown
from validator.render.text import report_text
from validator.render.tools.findings import Level, Source, findings
from validator.repair.diff import DiffAction
from validator.service.operations.operations import operate

__all__ = ["KINDS"]

_MOST_STATES, _MOST_MEANT = 200, 2
"""states of a model, and steps that a piece may mean, that are tried"""

_PIECES = ("put the thing over there", "(fly zz qq)", "do the same again", "(zz", "grab it; then turn around")


def _case(draw: Random, seed: int) -> tuple[Texts, Oracle, list[str]] | None:
    texts = random_schema(seed, (CHEAP, DEAR)[seed % 2])
    oracle = Oracle(*texts)
    if not oracle.steps or states_of(oracle, _MOST_STATES) is None:
        return None
    plan = wrong_walk(oracle, draw, draw.randint(0, 3), draw.choice((0, 0, 1)), to_goal=draw.random() < 0.7)
    known = set(map(str, oracle.steps))
    return texts, oracle, [line for line in plan if line in known]


# --- a piece that was not understood ---------------------------------------------------------------


def _partly(seed: int) -> Iterator[str]:
    """Put a piece into a plan that cannot be read, and ask in every way."""
    draw = Random(f"misread {seed}")
    if (case := _case(draw, seed)) is None:
        return
    texts, oracle, plan = case
    place = draw.randint(0, len(plan))
    lines = [*plan[:place], draw.choice(_PIECES), *plan[place:]]
    text = "".join(f"{number}. {line}\n" for number, line in enumerate(lines, 1))
    prepared = prepare(*texts)
    read = tokenize(text, prepared.vocabulary)
    if read.reading is None or not read.reading.missed or [str(step) for step in read.steps] != plan:
        return  # the piece was passed over, or something else was read
    quality, policy = draw.choice(list(Quality)), draw.choice(("edits", "keep"))
    report = check(*texts, text, quality=quality, policy=policy, trace=draw.random() < 0.2)
    told = (texts, text, quality, report)
    assert report.determination in (None, False), told
    assert not report.proven and report.repaired_plan is None and not report.plan_diff_obj, told
    assert report.planner_response.status == "not asked", told
    if report.determination is False:
        for meant in _meant(oracle):
            whole = [*plan[:place], *meant, *plan[place:]]
            assert not _has(oracle, whole, quality), (told, whole)
        assert all(failure.step is not None and failure.step < place for failure in report.failures), told
    else:
        assert not report.is_understood and not report.failures, told
    _compare_told(texts, text, quality, report)
    _compare_others(prepared, text, plan, draw)
    yield outcome(report.determination is False)
    literal = check(*texts, text, quality=quality, policy=policy, strict=True)
    least = oracle.nearest(lines, quality.value, "edits" if quality is Quality.OPTIMAL else policy, 1)
    said = (texts, text, quality, policy, literal, least)
    assert literal.determination is False and literal.is_understood, said
    changes = [diff.diff_type for diff in literal.plan_diff_obj if diff.diff_type]
    if literal.repaired_plan is None:
        assert not (literal.proven and least is not None), said
    else:
        assert least is not None and _has(oracle, list(map(str, literal.repaired_plan)), quality), said
        if literal.proven and quality is not Quality.OPTIMAL:  # the piece is a line, which can only be dropped
            number = len(changes) if policy == "edits" else changes.count(DiffAction.DELETE)
            assert number == least[0], said
    yield outcome(literal.proven)


def _meant(oracle: Oracle) -> Iterator[list[str]]:
    steps = list(map(str, oracle.steps))
    for size in range(_MOST_MEANT + 1 if len(steps) < 15 else _MOST_MEANT):
        yield from map(list, product(steps, repeat=size))


def _has(oracle: Oracle, plan: Sequence[str], quality: Quality) -> bool:
    end = oracle.run(plan)
    if end is None or quality is Quality.SOUND or not oracle.is_goal(end[0]):
        return end is not None and quality is Quality.SOUND
    if quality is Quality.VALID:
        return True
    least = oracle.nearest((), "optimal", "edits", 1)
    return least is not None and sum(end[1]) + oracle.begun == least[0]


def _compare_told(texts: Texts, text: str, quality: Quality, report: Report) -> None:
    """Compare what the formats, the service and a batch tell with the report."""
    word = "UNKNOWN" if report.determination is None else f"NOT {quality.value.upper()}"
    for said in (report_text(report), report_markdown(report)):
        assert said.lstrip("*").startswith(word) and "proven" not in said, (said, report)
    levels = [finding.level for finding in findings(report, Source(name="x", text=text))]
    assert (Level.ERROR in levels) is (report.determination is False) and Level.NOTE in levels, (levels, report)
    request = {"domain": texts[0], "problem": texts[1], "plan": text, "quality": quality.value}
    for name in ("validations", "check-page"):
        value = operate(name, {**request, "explain": True, "states": True})
        assert value["determination"] is report.determination and not value["proven"], (value, report)
        assert value["is_understood"] is report.is_understood and value["repaired_plan"] is None, value
        assert not value["explanations"] and not value.get("goals"), value
    record = {"id": "one", **request}
    line = json.loads(operate("record", {"line": json.dumps(record), "number": 1})["line"])
    assert line["report"]["determination"] is report.determination and not line["report"]["proven"], (line, report)


def _compare_others(prepared: Prepared, text: str, plan: Sequence[str], draw: Random) -> None:
    """Ask about a plan in other ways: each knows nothing of one that was not understood."""
    rest = check_rest(prepared, text, executed=draw.randint(0, len(plan)), quality=draw.choice(list(Quality)))
    assert rest.determination is None and not rest.proven and rest.repaired_plan is None, (text, rest)
    for given in ({"plan": text, "constraints": ["at most 5 _"]}, {"foil": text}):
        try:
            answer = why_not(prepared, **given)
        except PlanError:
            continue
        assert answer.possible is None and answer.foil is None and answer.best is None, (text, given, answer)
    try:
        found = redundant_steps(prepared, tokenize(text, prepared.vocabulary))
    except PlanError:
        pass
    else:
        raise AssertionError((text, found))
    other = "\n".join(plan) or "; empty plan"
    compared = compare([text, other], prepared)
    assert compared.plans[0].is_sound is None and compared.plans[0].is_valid is None, (text, compared)
    for name in ("states", "links", "same-order", "same-states", "same-effect", "cost"):
        assert compared.pairs[0].scores[name].value is None, (text, name, compared)


# --- two plans -------------------------------------------------------------------------------------

_OTHERWISE = ("Another plan:", "Alternatively:", "or", "Option 2:", "### Plan B")


def _two(seed: int) -> Iterator[str]:
    """Write two plans, of which neither, or the second, is said to be the answer."""
    draw = Random(f"two plans {seed}")
    if (case := _case(draw, seed)) is None:
        return
    texts, oracle, first = case
    second = wrong_walk(oracle, draw, draw.randint(0, 3), draw.choice((0, 1)), to_goal=draw.random() < 0.7)
    second = [line for line in second if line in set(map(str, oracle.steps))]
    if not first or not second or first == second:
        return
    is_marked = draw.random() < 0.5
    head = (
        "Final plan:"
        if is_marked
        else draw.choice(("Another plan:", "Alternatively:", "or", "Option 2:", "### Plan B"))
    )
    text = f"```\n{_lines(first)}```\n\n{head}\n\n```\n{_lines(second)}```\n"
    prepared = prepare(*texts)
    read = tokenize(text, prepared.vocabulary)
    assert read.reading is not None
    quality = draw.choice((Quality.SOUND, Quality.VALID))
    report = check(prepared, None, text, quality=quality)
    has = [_has(oracle, plan, quality) for plan in (first, second)]
    told = (texts, text, quality, has, report)
    if is_marked:
        assert report.determination in (has[1], None) and (report.determination is None or report.is_understood), told
        assert report.determination is not None or not report.is_understood, told
    else:
        assert report.determination in (has[0] if has[0] is has[1] else None, None), told
        assert not (report.determination is False and _has(oracle, [*first, *second], quality)), told
    if report.repaired_plan is not None:
        assert _has(oracle, list(map(str, report.repaired_plan)), quality), told
        own = second if is_marked else first
        least = oracle.nearest(own, quality.value, "edits", 1)
        changes = sum(diff.diff_type is not None for diff in report.plan_diff_obj)
        old = [str(step) for step in report.reference]
        assert least is not None and (old != own or not report.proven or changes == least[0]), (told, least)
    if unclear(read):
        rest = check_rest(prepared, text, executed=0)
        assert rest.determination is None and not rest.proven, (told, rest)
    yield outcome(report.determination is not None)


def _lines(plan: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in plan)


_MEANT = "execution, whatever the piece means"

KINDS = (
    Kind(name="texts read in part", against=_MEANT, attack=_partly, share=8),
    Kind(name="texts of two plans", against="execution of both", attack=_two, share=5),
)
