"""A comparison of plans as text: the plans, a line for each metric or each pair, and why values are what they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from validator.metrics.compare import METRICS, Comparison, Pair
from validator.metrics.reading import Score
from validator.texts import columns

_LONGEST_NAME = 24


def comparison_text(found: Comparison) -> str:
    return "".join(f"{line.rstrip()}\n" for line in _lines(found))


def _lines(found: Comparison) -> Iterator[str]:
    yield from columns(_plans(found), "l")
    yield ""
    yield from columns(_pairs(found), "l")
    reasons = list(_reasons(found))
    if reasons:
        yield ""
        yield from reasons


def _plans(found: Comparison) -> list[list[str]]:
    rows = [["plan", "steps", "cost"]]
    has_model = any(plan.is_sound is not None for plan in found.plans)
    rows[0] += ["sound", "valid", "steps before the first fault"] if has_model else []
    for number, plan in enumerate(found.plans, start=1):
        row = [f"{number} {_short(plan.name)}", str(plan.steps), _shown(plan.cost)]
        rows.append(
            row + ([_shown(plan.is_sound), _shown(plan.is_valid), _shown(plan.valid_prefix)] if has_model else [])
        )
    return rows


def _pairs(found: Comparison) -> list[list[str]]:
    """Return a line for each metric with what it means, or for several pairs a line for each of them."""
    first = found.pairs[0].scores
    if len(found.pairs) == 1:
        rows = [[name, _shown(score.value), METRICS[name].about] for name, score in first.items()]
        return [["metric", _named(found.pairs[0]), ""], *rows]
    lines = [[_named(pair), *(_shown(score.value) for score in pair.scores.values())] for pair in found.pairs]
    return [["pair", *first], *lines]


def _named(pair: Pair) -> str:
    return f"{pair.generated + 1}-{pair.reference + 1}"


def _reasons(found: Comparison) -> Iterator[str]:
    """Yield why values are what they are, a line for the metrics of a pair that have the same reason."""
    for pair in found.pairs:
        for reason, names in _by_reason(pair.scores).items():
            yield f"{_named(pair)} {', '.join(names)}: {reason}"


def _by_reason(scores: Mapping[str, Score]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, score in scores.items():
        if score.reason:
            found.setdefault(score.reason, []).append(name)
    return found


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"...{name[3 - _LONGEST_NAME :]}"


def _shown(value: float | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int) else f"{value:.4g}"
