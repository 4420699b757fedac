"""``plan-validator recognize``: which goal do observations point to, and by which plan."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from validator.commands.command import job_of
from validator.commands.options import (
    HAS,
    HAS_NOT,
    NO_ANSWER,
    add_example,
    add_memory_limit,
    add_time_limit,
    in_time,
    read,
    waiting,
    workers,
)
from validator.questions.arguments import add_options, question_of_options
from validator.questions.recognition import Recognition as Asked
from validator.questions.recognition import recognized, settings_of
from validator.records import replace
from validator.resources import cores

if TYPE_CHECKING:
    from validator.recognize import Completion, Recognition, RecognitionProblem


_EXAMPLE = """\
printf '(on a b)\\n(on c d)\\n' > goals.txt
echo '(take b d)' | plan-validator recognize domains/blocks/domain.pddl domains/blocks/problem.pddl - --goals goals.txt
"""

_USAGE = """%(prog)s [options] DOMAIN PROBLEM OBSERVATIONS
       %(prog)s [options] FOLDER or ARCHIVE"""
_INPUTS = """DOMAIN, PROBLEM and OBSERVATIONS; the problem's goal may be <HYPOTHESIS>; or FOLDER or ARCHIVE of a
recognition data set (domain.pddl, template.pddl, hyps.dat, obs.dat); '-' reads the observations from standard input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = _USAGE
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help=_INPUTS)
    add_options(parser, Asked)
    add_time_limit(parser)
    add_memory_limit(parser)
    parser.add_argument("--workers", type=workers, metavar="N", help="parallel searches; default: one per core")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    seen = _seen(options)
    with in_time(options):
        from validator.render.json import json_text

        problem = _problem(options, seen)
        settings = settings_of(question_of_options(options, Asked, observations=""), job_of(options))
        found, value = recognized(problem, replace(settings, workers=options.workers or cores()))
        sys.stdout.write(found.text if options.format == "text" else json_text(value))
        return _code(found)


def _code(found: Recognition | Completion) -> int:
    from validator.grounding.limits import Status
    from validator.recognize import Completion, Verdict

    if isinstance(found, Completion):
        return HAS if found.plan is not None else HAS_NOT if found.status is Status.UNSOLVABLE else NO_ANSWER
    codes = {Verdict.RANKED: HAS, Verdict.NO_HYPOTHESIS_EXPLAINS: HAS_NOT, Verdict.NO_ANSWER: NO_ANSWER}
    return codes[found.verdict]


def _seen(options: argparse.Namespace) -> tuple[str, str] | None:
    """Return the text and the name of the observations' file, where there is one: waiting is not in the limit."""
    if len(options.inputs) != 3:
        return None
    name = options.inputs[-1]
    with waiting(options, name):
        return read(name), "<stdin>" if name == "-" else name


def _problem(options: argparse.Namespace, seen: tuple[str, str] | None) -> RecognitionProblem:
    from validator.checking.prepared import words_of
    from validator.recognize.dataset import read_files, read_problem_set

    inputs = options.inputs
    if len(inputs) == 1:
        if options.templates is not None:
            raise ValueError("--templates goes with DOMAIN and PROBLEM")
        if options.goals is not None:
            raise ValueError("--goals goes with DOMAIN and PROBLEM; a folder or archive has its own hyps.dat")
        return read_problem_set(Path(inputs[0]))
    if seen is None:
        raise ValueError(f"recognize takes DOMAIN PROBLEM OBSERVATIONS, FOLDER or ARCHIVE; got {len(inputs)} of them")
    templates = None if options.templates is None else words_of(options.templates)
    return read_files(Path(inputs[0]), Path(inputs[1]), options.goals, seen, templates)
