"""A comparison of plans as text: the plans, a line for each metric or each pair, and why values are what they are."""

from __future__ import annotations

from collections.abc import Iterator

from validator.metrics.compare import METRICS, Comparison, Pair
from validator.texts import columns

_LONGEST_NAME = 24


def comparison_text(found: Comparison) -> str:
    reasons = list(_reasons(found))
    lines = [*columns(_plans(found), "l"), "", *columns(_pairs(found), "l"), *([""] if reasons else []), *reasons]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _plans(found: Comparison) -> list[list[str]]:
    rows = [["plan", "steps", "cost"]]
    has_model = any(plan.is_sound is not None for plan in found.plans)
    rows[0] += ["sound", "valid", "steps before the first fault"] if has_model else []
    for number, plan in enumerate(found.plans, start=1):
        name = plan.name if len(plan.name) <= _LONGEST_NAME else f"...{plan.name[3 - _LONGEST_NAME :]}"
        row = [name if name == str(number) else f"{number} {name}", str(plan.steps), _shown(plan.cost)]
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
        by_reason: dict[str, list[str]] = {}
        for name, score in pair.scores.items():
            by_reason.setdefault(score.reason, []).append(name)
        for reason, names in by_reason.items():
            if reason:
                yield f"{_named(pair)} {', '.join(names)}: {reason}"


def _shown(value: float | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int) else f"{value:.4g}"
