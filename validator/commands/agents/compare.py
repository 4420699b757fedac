"""``plan-validator compare``: how alike two or more plans are."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from validator.commands.options import HAS, add_example, model_files, one_input, read
from validator.texts import columns

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared
    from validator.metrics import Comparison, Score
    from validator.metrics.compare import Pair

__all__ = ["add_arguments"]

_EXAMPLE = """\
plan-validator compare domains/puzzle/good.plan domains/puzzle/detour.plan
"""

_LONGEST_NAME = 24


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "plans",
        metavar="PLAN",
        nargs="+",
        help="plan files, '-' for standard input; each is compared with each later one",
    )
    parser.add_argument("--metrics", metavar="NAME,...", help="default: all that can be computed")
    parser.add_argument("--domain", metavar="DOMAIN", help="PDDL domain file: compares what the plans do as well")
    parser.add_argument("--problem", metavar="PROBLEM", help="PDDL problem file")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.metrics.compare import compare, metrics_named

    one_input(*options.plans, *(name for name in (options.domain, options.problem) if name is not None))
    model = _model(options)
    names = None if options.metrics is None else [name.strip() for name in options.metrics.split(",") if name.strip()]
    if names == []:
        raise ValueError("--metrics names no metric")
    metrics_named(names, with_model=model is not None)
    texts = [read(name) for name in options.plans]
    found = compare(texts, model, metrics=names, names=options.plans)
    if options.format == "json":
        sys.stdout.write(json.dumps(found.to_json(), indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("".join(f"{line.rstrip()}\n" for line in _text(found)))
    return HAS


def _model(options: argparse.Namespace) -> Prepared | None:
    if options.domain is None and options.problem is None:
        return None
    if options.domain is None or options.problem is None:
        raise ValueError("--domain and --problem go together")
    from validator.checking.prepared import prepare

    return prepare(*model_files(options.domain, options.problem))


def _text(found: Comparison) -> Iterator[str]:
    yield from _table(_plans(found))
    yield ""
    yield from _table(_pairs(found))
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
    from validator.metrics.compare import METRICS

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


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield from columns(rows, "l")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"...{name[3 - _LONGEST_NAME :]}"


def _shown(value: float | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int) else f"{value:.4g}"
