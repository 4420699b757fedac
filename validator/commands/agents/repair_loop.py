"""``plan-validator repair-loop``: let a language model draft a plan, tell it what is wrong, repair what is left."""

from __future__ import annotations

import argparse
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
    positive,
)
from validator.questions.arguments import add_former, add_options
from validator.questions.check import LocalCheck

if TYPE_CHECKING:
    from validator.scaffold import Subject


_EXAMPLE = """\
plan-validator repair-loop domains/blocks/domain.pddl domains/blocks/problem.pddl --llm "echo '(take b d)'"
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] DOMAIN PROBLEM\n       %(prog)s [options] FLOW"
    parser.add_argument("files", nargs="+", metavar="FILE", help="PDDL domain and problem, or flow")
    parser.add_argument(
        "--llm",
        metavar="CMD",
        help="the language model: a program that reads the question from standard input and writes the plan",
    )
    add_former(parser, "--command", "llm")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="most questions to the model; default: 3")
    parser.add_argument(
        "--answer-limit", type=positive, default=60.0, metavar="S", help="seconds per answer; default: 60"
    )
    add_options(parser, LocalCheck, only=("quality", "nearest", "strict", "templates", "words"))
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_time_limit(parser, what="for the check of each draft")
    add_memory_limit(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.render.json import json_text
    from validator.scaffold import command, repair_loop

    if options.rounds < 1:
        raise ValueError("--rounds must be 1 or more")
    if options.llm is None:
        raise ValueError("--llm is needed: the program that answers")
    ask, subject = command(options.llm, options.answer_limit), _subject(options)
    loop = repair_loop(subject, ask, rounds=options.rounds)
    sys.stdout.write(json_text(loop.to_json()) if options.format == "json" else loop.text)
    if loop.plan is not None:
        return HAS
    return HAS_NOT if loop.report.planner_response.no_solution else NO_ANSWER


def _subject(options: argparse.Namespace) -> Subject:
    from validator.scaffold import flow_subject, pddl_subject

    if len(options.files) > 2:
        raise ValueError("repair-loop takes DOMAIN PROBLEM, or FLOW")
    files = [Path(name) for name in options.files]
    limits = {"time_limit": options.time_limit, "memory_limit": options.memory_limit}
    if len(files) == 1 and options.strict:
        raise ValueError(f"--strict is for PDDL models; {files[0]} is read as a flow")
    if len(files) == 1:
        if options.templates is not None or options.words:
            raise ValueError("--templates and --words are for PDDL models")
        return flow_subject(files[0], quality=options.quality, policy=options.nearest, **limits)
    return pddl_subject(
        files[0],
        files[1],
        quality=options.quality,
        policy=options.nearest,
        strict=options.strict,
        templates=options.templates,
        words=options.words,
        **limits,
    )
