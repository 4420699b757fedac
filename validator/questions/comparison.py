"""How similar are plans, and what is between two of them?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from validator.errors import PlanError
from validator.questions.job import Job, Lines, PlanText, PlanTexts, Value, names_of, plan_text, plan_texts
from validator.questions.models import OfModel, some_model
from validator.questions.question import MODEL, Question, option, question
from validator.reading.plan import Token
from validator.reading.tokens import tokenize
from validator.texts import no_path

if TYPE_CHECKING:
    from validator.metrics import Comparison


@question
class Metrics(OfModel):
    """Two or more plans to be compared."""

    plans: PlanTexts = option(
        "two or more plans, each a text or a list of steps",
        details="each is compared with each later one; with domain and problem also by what they do",
        faces=MODEL,
    )
    metrics: Lines | None = option(
        "names of metrics; default: all that can be computed", default=None, many=True, metavar="NAME,..."
    )


@question
class Diff(Question):
    """A diff to be applied to a plan, or a second plan to be compared with line by line; one of the two."""

    plan: PlanText = option("a text, or a list of steps")
    diff: str | None = option("a git-style diff, as a check returns it, to be applied to the plan", default=None)
    other: PlanText | None = option("another plan: its diff from the first is returned", default=None)


def compare_plans(request: Metrics, job: Job) -> Value:
    return compared(request).to_json()


def compared(request: Metrics, names: Sequence[str] = ()) -> Comparison:
    """Return how similar plans are, each compared with each later one; ``names`` are what they are called."""
    from validator.metrics.compare import compare

    texts = plan_texts(request.plans)
    if len(texts) > 50:
        raise ValueError(f"at most 50 plans are compared at once, not {len(texts)}")
    model = some_model(request.domain, request.problem)
    metrics = None if request.metrics is None else names_of(request.metrics)
    return compare(list(map(no_path, texts)), model, metrics=metrics, names=names)


def diff(request: Diff, job: Job) -> Value:
    from validator.repair.diff import apply_diff, line_diffs, unified

    if (request.diff is None) == (request.other is None):
        raise ValueError("one of 'diff' and 'other' is needed, and not both")
    if request.diff is not None:
        steps = apply_diff(request.diff, plan_text(request.plan))
        return {"plan": list(steps), "diff": request.diff}
    old, new = _lines(plan_text(request.plan)), _lines(plan_text(request.other or ""))
    if len(old) * len(new) > 4_000_000:
        raise PlanError(f"plans of {len(old):,} and {len(new):,} steps are too long for a diff")
    diffs = tuple(line_diffs(old, new))
    return {"plan": list(map(str, new)), "diff": unified(diffs, after="plan (other)")}


def _lines(text: str) -> list[Token]:
    plan = tokenize(text)
    return list(plan.tokens or plan.unread)
