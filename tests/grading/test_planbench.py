"""Recorded answers of language models (PlanBench), each with the verdict of an independent simulator.

Reads ``shared/data/planbench`` beside the project and is skipped where that is not there.
"""

from __future__ import annotations

import json
from functools import cache

import pytest

from tests.support.depth import some
from tests.support.places import SHARED
from validator.checking.prepared import Prepared, prepare
from validator.execution.simulator import Failure, Kind, Trace
from validator.model.pddl import read_model
from validator.reading.plan import Dialect, Ignored, Plan
from validator.reading.tokens import tokenize

DATA = SHARED / "data" / "planbench"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="shared/data/planbench is not there")

LINT = (Kind.UNKNOWN_ACTION, Kind.WRONG_ARITY, Kind.UNKNOWN_OBJECT, Kind.WRONG_TYPE)
VERDICTS = {Kind.PRECONDITION: "precondition_failed", Kind.GOAL: "goal_not_satisfied"}

BETTER = {
    1286: "'(drive-truck t2(l2-0 l2-1 c2)' is one broken line: its end names objects and no action, and is no step",
    29112: "'(True)' behind an effect is a remark, not a step: the plan is the numbered list in bold",
    29177: "'(note: further modifications might be needed ...)' behind an item of a list is a remark, not a step",
    29277: "a backslash behind a name is how the answer breaks its lines",
    29428: "'\\(d\\)' is how LaTeX sets a name",
    29340: "'Feast(c b)' is a broken call of Feast, not the step '(c b)': reported as unreadable, with the action",
    29547: "'Feast(e, b)' is a call of Feast, not the step '(e, b)'",
    29464: "'(1)' before a step is the number of the step",
    29637: "'(no plan possible)' is a remark, not a step",
    33459: "'(1)' before a step is the number of the step",
    34198: "'(put_down ...)' is the model's put-down",
    33406: "'(and (p a) (q b))' is a condition that wraps atoms; taking its parts for steps is all that differs",
}


def _rows() -> list[dict[str, object]]:
    path = DATA / "plans.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


ROWS = _rows()
JUDGED = [row for row in ROWS if row["referee_verdict"] is not None]


@cache
def prepared(domain: str, problem: str) -> Prepared:
    return prepare(read_model(DATA / domain, DATA / problem))


def model_of(row: dict[str, object]) -> Prepared:
    return prepared(str(row["domain_file"]), str(row["problem_file"]))


def lint(trace: Trace) -> list[Failure]:
    return [failure for failure in trace.failures if failure.kind in LINT]


MOST = 20
"""faults that the referee lists of a plan"""

Lint = set[tuple[int | None, str, str]]


def each(failures: list[Failure]) -> Lint:
    """Return the faults as the referee has them: one for each name; we have one for all unknown names of a step."""
    found: Lint = set()
    for failure in failures:
        detail, _, unknown = failure.detail.partition("; unknown: ")
        names = detail.split(", ") if failure.kind is Kind.UNKNOWN_OBJECT else unknown.split(", ") if unknown else []
        found |= {(failure.step, Kind.UNKNOWN_OBJECT.value, name) for name in names}
        if failure.kind is not Kind.UNKNOWN_OBJECT:
            found.add((failure.step, failure.kind.value, detail))
    return found


def judged(plan: Plan, trace: Trace) -> dict[str, object]:
    """Return what we say in the referee's words: the first malformed step, else the first that fails, else the goal."""
    faults = lint(trace) or [failure for failure in trace.failures if failure.kind in VERDICTS]
    if not faults:
        return {"verdict": "valid", "step": None, "literals": set(), "lint": set()}
    first = faults[0]
    return {
        "verdict": VERDICTS.get(first.kind, "malformed"),
        "step": len(plan.steps) if first.kind is Kind.GOAL else first.step,
        "literals": set(first.unmet),
        "lint": each(lint(trace)),
    }


def expected(row: dict[str, object]) -> dict[str, object]:
    literals, faults = row["referee_literals"], row["lint"]
    assert isinstance(literals, list) and isinstance(faults, list)
    return {
        "verdict": row["referee_verdict"],
        "step": row["referee_step"],
        "literals": set(literals),
        "lint": {(step, kind, detail) for step, kind, detail in faults if step < _listed(row)},
    }


def _listed(row: dict[str, object]) -> float:
    """Return the step up to which the referee's list of faults is whole."""
    faults = row["lint"]
    assert isinstance(faults, list)
    return faults[MOST - 1][0] if len(faults) >= MOST else float("inf")  # type: ignore[no-any-return]


def ours(
    row: dict[str, object], dialect: Dialect | None, text: str = "plan_text", *, strict: bool = False
) -> dict[str, object]:
    model = model_of(row)
    plan = tokenize(str(row[text]), model.vocabulary, dialect, strict=strict)
    found = judged(plan, model.simulator.run(plan))
    return {**found, "lint": {fault for fault in found["lint"] if (fault[0] or 0) < _listed(row)}}  # type: ignore[attr-defined]


@pytest.mark.parametrize("part", some(range(16), 2))
def test_what_is_read_agrees_with_the_referee(part: int) -> None:
    for row in JUDGED[part::16]:
        literal, recognised = ours(row, Dialect.PDDL), ours(row, None, strict=True)
        if any("," in str(fault[2]) for fault in row["lint"]):  # type: ignore[attr-defined]
            # Such a step cannot be read, which is one fault, and no other is said of it.
            assert literal["verdict"] != "valid" != recognised["verdict"], row["id"]
            continue
        assert literal == expected(row), row["id"]
        assert (recognised == expected(row)) is (row["id"] not in BETTER), row["id"]


VALID = {33459, 29428}
"""of which all that the benchmark holds against them is how the list is numbered, or how names are set"""


def test_where_we_differ_the_plan_is_not_called_valid_either() -> None:
    for row in ROWS:
        if row["id"] in {*BETTER} - VALID:
            model = model_of(row)
            assert not model.simulator.run(tokenize(str(row["plan_text"]), model.vocabulary)).is_valid, row["id"]


LOST = {
    1286: "one broken line, '(drive-truck t2(l2-0 l2-1 c2)', was two steps for the referee",
    36476: "the answer breaks off with '...', which the literal reading takes for an object",
    1481: "'(:LOAD-TRUCK ...)' are steps with an unknown action; the benchmark dropped all of them",
    3317: "the benchmark dropped two steps with an unknown action",
    3503: "the benchmark lost the whole plan in its numbered list in a code fence; it is valid",
    36473: "the answer corrects itself three times; the benchmark took its first plan",
    3938: "the benchmark dropped three steps with an unknown action",
}
"""Answers of which the benchmark lost a part before the referee saw them, made two of one, or took another plan."""

RAW = [row for row in JUDGED if str(row["prompt_type"]).startswith("pddl")]


@pytest.mark.parametrize("part", some(range(8), 1))
def test_the_raw_answer_to_a_prompt_for_pddl_agrees_with_the_referee(part: int) -> None:
    for row in RAW[part::8]:
        assert (ours(row, None, "raw_response") == expected(row)) is (row["id"] not in LOST), row["id"]


@pytest.mark.parametrize("part", some(range(20), 2))
def test_no_raw_answer_is_read_as_the_empty_plan(part: int) -> None:
    for row in ROWS[part::20]:
        text = str(row["raw_response"] or "")
        plan = tokenize(text, model_of(row).vocabulary)
        assert "".join(text[slice(*part.span)] for part in plan.parts) == text
        if not plan.tokens and not plan.is_unreadable:
            marks = "".join(part.text for part in plan.parts if isinstance(part, Ignored) and part.kind == "prose")
            assert not marks.strip()
