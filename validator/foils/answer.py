"""The answer to a question about a plan: what was found, and the same in words, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from validator.checking.report import Interval
from validator.foils.findings import Cheapest, Excuse, Findings, Side
from validator.foils.words import sentences
from validator.records import dataclass
from validator.render.json import plain
from validator.render.text import painted_diff

__all__ = ["Answer", "answer_text", "answer_value"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Findings):
    """What was found, as ``Findings`` has it."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the answer in words, one fact each."""
        return tuple(sentences(self))

    def _repr_html_(self) -> str:
        """Return the answer as a notebook shows it."""
        from validator.render.html.page import preformatted

        return preformatted(answer_text(self))


def answer_text(answer: Answer, *, color: bool = False) -> str:
    """Return an answer as text: what was asked, a sentence for each fact, the diff from the plan to the foil."""
    return "".join(f"{line}\n" for line in _lines(answer, color))


def _lines(answer: Answer, color: bool) -> Iterator[str]:
    for constraint in answer.constraints:
        yield f"Asked: {constraint}."
    yield from answer.sentences
    if answer.diff_text:
        yield ""
        yield from painted_diff(answer.diff_text, color)


def answer_value(answer: Answer) -> dict[str, object]:
    """Return an answer as plain values, under the names of its fields; steps and constraints are texts."""
    return {
        "constraints": [str(constraint) for constraint in answer.constraints],
        "possible": answer.possible,
        "reason": answer.reason,
        "sentences": list(answer.sentences),
        "plan": _side(answer.plan),
        "foil": _side(answer.foil),
        "edits": answer.edits,
        "nearest": answer.nearest,
        "changes": [str(diff) for diff in answer.changes],
        "diff": [str(diff) for diff in answer.diff],
        "best": _best(answer.best),
        "optimum": _interval(answer.optimum),
        "cheapest": _interval(answer.cheapest),
        "prices": [
            {
                "constraint": str(price.constraint),
                "alone": _interval(price.alone),
                "without": _interval(price.without),
            }
            for price in answer.prices
        ],
        "conflicts": [[str(constraint) for constraint in conflict] for conflict in answer.conflicts],
        "all_conflicts": answer.all_conflicts,
        "fitting": [[str(wish) for wish in fitting] for fitting in answer.fitting],
        "reasons": [
            {"kind": reason.kind, "conflict": list(map(str, reason.conflict)), "text": reason.text}
            for reason in answer.reasons
        ],
        "excuse": _excuse(answer.excuse),
    }


def _best(best: Cheapest | None) -> dict[str, object] | None:
    if best is None:
        return None
    return {
        **(_side(best.plan) or {}),
        "edits": best.edits,
        "proven": best.proven,
        "nearest": best.nearest,
        "changes": [str(diff) for diff in best.changes],
        "diff": [str(diff) for diff in best.diff],
    }


def _excuse(excuse: Excuse | None) -> dict[str, object] | None:
    if excuse is None:
        return None
    return {
        "changes": list(map(str, excuse.changes)),
        "proven": excuse.proven,
        "plan": _side(excuse.plan),
        "alternatives": [list(map(str, other)) for other in excuse.alternatives],
    }


def _side(side: Side | None) -> dict[str, object] | None:
    return None if side is None else {"steps": [str(step) for step in side.steps], "cost": plain(side.cost)}


def _interval(interval: Interval | None) -> dict[str, object] | None:
    return None if interval is None else {"lower": plain(interval.lower), "upper": plain(interval.upper)}
