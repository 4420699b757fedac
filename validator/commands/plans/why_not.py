"""``plan-validator why-not``: answer a user's "why not this plan?", "why this step?" and "what if?"."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
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
    is_flow,
    left,
    model_files,
    one_input,
    read,
    waiting,
)
from validator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from validator.checking.prepared import Prepared
    from validator.foils.dialogue import Dialogue, Subject
    from validator.foils.language.patterns import View
    from validator.reading.plan import Plan

__all__ = ["add_arguments"]

_EXAMPLE = (
    "plan-validator why-not domains/blocks/domain.pddl domains/blocks/problem.pddl domains/blocks/broken-order.plan"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] DOMAIN PROBLEM [FOIL]\n       %(prog)s [options] FLOW [FOIL]"
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="PDDL domain and problem, or flow; then the user's own plan, if any; '-': standard input",
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
    talk = parser.add_argument_group("a dialogue", "questions that add up, and a table of the plans so far")
    talk.add_argument("--dialogue", metavar="FILE", help="keep questions and answers here; go on where it exists")
    talk.add_argument(
        "--drop", action="append", default=[], type=int, metavar="N", help="drop question N of the dialogue, from 1"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_time_limit(parser, 10.0)
    add_memory_limit(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if (options.instead is None) != (options.at is None):
        raise ValueError("--instead and --at go together")
    if options.dialogue is None and options.drop:
        raise ValueError("--drop goes with --dialogue")
    if options.dialogue is None and options.plan is None and (options.instead or options.why):
        raise ValueError("--instead and --why ask about a plan; give it with --plan")
    _read(options)
    with in_time(options):
        return _answered(options) if options.dialogue is None else _go_on(options)


def _read(options: argparse.Namespace) -> None:
    """Read the plans, and what of the model is on standard input: waiting for them is not in the limit."""
    of_flow = is_flow(options.files[0])
    wanted = 1 if of_flow else 2
    model, rest = options.files[:wanted], options.files[wanted:]
    if options.dialogue is not None and (rest or len(model) < wanted):
        raise ValueError("--dialogue takes DOMAIN PROBLEM or FLOW, without a FOIL")
    if len(rest) > 1 or len(model) < wanted:
        raise ValueError("why-not takes DOMAIN PROBLEM and at most one FOIL, or FLOW and at most one FOIL")
    plan = [options.plan] if options.plan else []
    one_input(*options.files, *plan)
    with waiting(options, *options.files, *plan):
        options.model, options.has_foil = (model if of_flow else model_files(*model)), bool(rest)
        options.texts = [read(name) for name in (*rest, *plan)]


def _answered(options: argparse.Namespace) -> int:
    """Answer the questions that are asked at once."""
    from validator.foils import why_not
    from validator.foils.answer import answer_text, answer_value

    asked = _asked(options)
    if options.instead is not None and asked.foil is not None:
        raise ValueError("--instead asks about the plan, and takes no FOIL beside")
    answer = why_not(
        asked.prepared,
        asked.foil,
        plan=asked.plan,
        constraints=_phrases(options),
        view=asked.view,
        time_limit=left(options),
        memory_limit=options.memory_limit,
    )
    if options.format == "json":
        _print_json(answer_value(answer))
    else:
        sys.stdout.write(answer_text(answer, color=has_color()))
    return _CODES[answer.possible]


def _print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


_CODES = {True: HAS, False: HAS_NOT, None: NO_ANSWER}


def _go_on(options: argparse.Namespace) -> int:
    """Ask the next question of a dialogue, which is kept in a file."""
    from validator.foils.dialogue import ask, begin, from_value, to_value
    from validator.foils.dialogue_table import dialogue_text, dialogue_value
    from validator.texts import parse_json

    path, dialogue = Path(options.dialogue), None
    if path.exists():
        if options.plan is not None:
            raise ValueError(f"{path} is a dialogue about a plan already; leave --plan out")
        dialogue = from_value(parse_json(path.read_text(encoding="utf-8"), str(path)))
    subject, lines = _subject(options, dialogue)
    dialogue, answer = ask(
        dialogue or begin(subject, lines),
        subject,
        _phrases(options),
        options.drop,
        time_limit=left(options),
        memory_limit=options.memory_limit,
    )
    subject, _ = _subject(options, dialogue)
    path.write_text(json.dumps(to_value(dialogue), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if options.format == "json":
        _print_json(dialogue_value(dialogue, answer, subject))
    else:
        sys.stdout.write(dialogue_text(dialogue, answer, subject, color=has_color()))
    return _CODES[answer.possible]


def _subject(options: argparse.Namespace, dialogue: Dialogue | None) -> tuple[Subject, Plan | Sequence[str] | None]:
    """Return what a dialogue is about, and the plan to begin with."""
    from validator.foils.dialogue import subject_of

    if not is_flow(options.files[0]):
        asked = _asked(options)
        return subject_of(asked.prepared), asked.plan
    from validator.flow.definition.reader import read_flow
    from validator.foils.flows import flow_subject

    text = options.texts[0] if options.texts else None
    subject = flow_subject(read_flow(options.files[0]), dialogue, text)
    return subject, None if text is None else tuple(text.splitlines())


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


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the files hold: the model, how its steps are seen and called, the user's plan and the one asked about."""

    prepared: Prepared
    view: View
    foil: Plan | None
    plan: Plan | None


def _asked(options: argparse.Namespace) -> _Asked:
    if is_flow(options.files[0]):
        return _asked_of_flow(options)
    from validator.checking.prepared import prepare
    from validator.foils.language.patterns import PDDL
    from validator.reading.tokens import tokenize

    prepared = prepare(*options.model)
    plans = [tokenize(text, prepared.vocabulary) for text in options.texts]
    return _Asked(prepared, PDDL, *_pair(plans, options.has_foil))


def _asked_of_flow(options: argparse.Namespace) -> _Asked:
    from validator.flow.definition.reader import read_flow
    from validator.foils.flows import flow_model

    model = flow_model(read_flow(options.files[0]), *options.texts)
    return _Asked(model.prepared, model.view, *_pair(list(model.plans), options.has_foil))


def _pair(plans: list[Plan], has_foil: bool) -> tuple[Plan | None, Plan | None]:
    """Return foil and plan of the plans that were given, the foil first."""
    foil = plans.pop(0) if has_foil else None
    return foil, plans[0] if plans else None
