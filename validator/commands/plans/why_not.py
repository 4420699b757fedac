"""``plan-validator why-not``: answer a user's "why not this plan?", "why this step?" and "what if?"."""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import TYPE_CHECKING

from validator.commands.options import (
    HAS,
    HAS_NOT,
    NO_ANSWER,
    add_example,
    add_memory_limit,
    add_time_limit,
    has_color,
    in_time,
    left,
    model_files,
    one_input,
    read,
    waiting,
)

if TYPE_CHECKING:
    from validator.reading.plan import Plan

__all__ = ["add_arguments"]

_EXAMPLE = (
    "plan-validator why-not domains/blocks/domain.pddl domains/blocks/problem.pddl domains/blocks/broken-order.plan"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] DOMAIN PROBLEM [FOIL]"
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="PDDL domain and problem; then the user's own plan, if any; '-': standard input",
    )
    parser.add_argument("--plan", metavar="PLAN", help="the plan that is asked about; default: a cheapest one")
    asked = parser.add_argument_group(
        "questions", "a STEP is '(move a b)', 'move(a, b)' or in words; '_' stands for any object"
    )
    asked.add_argument("--instead", metavar="STEP", help="why not this step, at the place --at of the plan")
    asked.add_argument("--at", type=int, metavar="N", help="the place of the step to replace, from 1")
    asked.add_argument("--why", metavar="STEP", help="why is this step in the plan")
    asked.add_argument("--must", action="append", default=[], metavar="STEP", help="what if it must happen")
    asked.add_argument("--must-not", action="append", default=[], metavar="STEP", help="what if it must not happen")
    asked.add_argument(
        "--before", action="append", default=[], nargs=2, metavar="STEP", help="what if the first must come before"
    )
    asked.add_argument(
        "--at-most", action="append", default=[], nargs=2, metavar=("N", "STEP"), help="what if it happens so often"
    )
    asked.add_argument(
        "--ask",
        action="append",
        default=[],
        metavar="QUESTION",
        help="a question, such as 'why not use truck2?', 'never (at truck1 _)', 'within cost 30'; see the docs",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_time_limit(parser, 10.0)
    add_memory_limit(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if (options.instead is None) != (options.at is None):
        raise ValueError("--instead and --at go together")
    if options.plan is None and (options.instead or options.why):
        raise ValueError("--instead and --why ask about a plan; give it with --plan")
    _read(options)
    with in_time(options):
        return _answered(options)


def _read(options: argparse.Namespace) -> None:
    """Read the plans, and what of the model is on standard input: waiting for them is not in the limit."""
    model, rest = options.files[:2], options.files[2:]
    if len(rest) > 1 or len(model) < 2:
        raise ValueError("why-not takes DOMAIN PROBLEM and at most one FOIL")
    plan = [options.plan] if options.plan else []
    one_input(*options.files, *plan)
    with waiting(options, *options.files, *plan):
        options.model, options.has_foil = model_files(*model), bool(rest)
        options.texts = [read(name) for name in (*rest, *plan)]


def _answered(options: argparse.Namespace) -> int:
    """Answer the questions."""
    from validator.checking.prepared import prepare
    from validator.foils import why_not
    from validator.foils.answer import answer_text, answer_value
    from validator.reading.tokens import tokenize

    prepared = prepare(*options.model)
    plans = [tokenize(text, prepared.vocabulary) for text in options.texts]
    foil: Plan | None = plans.pop(0) if options.has_foil else None
    if options.instead is not None and foil is not None:
        raise ValueError("--instead asks about the plan, and takes no FOIL beside")
    answer = why_not(
        prepared,
        foil,
        plan=plans[0] if plans else None,
        constraints=_phrases(options),
        time_limit=left(options),
        memory_limit=options.memory_limit,
    )
    if options.format == "json":
        from validator.render.json import json_text

        sys.stdout.write(json_text(answer_value(answer)))
    else:
        sys.stdout.write(answer_text(answer, color=has_color()))
    return {True: HAS, False: HAS_NOT, None: NO_ANSWER}[answer.possible]


def _phrases(options: argparse.Namespace) -> list[str]:
    """Return what is asked, in words."""
    return [
        *([_phrase("why {}", options.why)] if options.why else ()),
        *([_phrase("{} instead of step {}", options.instead, options.at)] if options.instead else ()),
        *options.ask,
        *(_phrase("must {}", step) for step in options.must),
        *(_phrase("must not {}", step) for step in options.must_not),
        *(_phrase("{} before {}", *steps) for steps in options.before),
        *(_phrase("at most {} {}", *parts) for parts in options.at_most),
    ]


def _phrase(phrase: str, *args: object) -> str:
    """Return a question; in JSON where a step is in words, which beside others could be read as one sentence."""
    if any("(" in str(arg) for arg in args):
        return phrase.format(*args)
    kind = "-".join(re.findall(r"[a-z]+", phrase)).removesuffix("-of-step")
    return json.dumps({kind: list(args)}, ensure_ascii=False)
