"""``plan-validator recognize``: which goal do observations speak for, and by which plan."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
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
    is_flow,
    left,
    read,
    shows_progress,
    waiting,
    workers,
)
from validator.errors import InputError
from validator.questions.arguments import add_options, asked_by
from validator.questions.recognition import Recognition as Asked
from validator.questions.recognition import settings_of
from validator.records import replace

if TYPE_CHECKING:
    from validator.reading.lexicon import Templates
    from validator.recognize import Observation, Recognition, RecognitionProblem, Settings

__all__ = ["add_arguments"]

_EXAMPLE = """\
printf '(on a b)\\n(on c d)\\n' > goals.txt
echo '(take b d)' | plan-validator recognize domains/blocks/domain.pddl domains/blocks/problem.pddl - --goals goals.txt
"""

_USAGE = """%(prog)s [options] DOMAIN PROBLEM OBSERVATIONS
       %(prog)s [options] FLOW OBSERVATIONS
       %(prog)s [options] FOLDER or ARCHIVE
       %(prog)s [options] [--output FILE] FOLDER of many"""
_INPUTS = """DOMAIN, PROBLEM and OBSERVATIONS; the problem's goal may be <HYPOTHESIS>; or FLOW and OBSERVATIONS, which
are lines of a plan or a trace of tool calls; or FOLDER or ARCHIVE of a recognition data set (domain.pddl,
template.pddl, hyps.dat, obs.dat), or FOLDER with any number of those below it; '-' reads the
observations from standard input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = _USAGE
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help=_INPUTS)
    add_options(parser, Asked)
    add_time_limit(parser)
    add_memory_limit(parser)
    parser.add_argument("--workers", type=workers, metavar="N", help="searches side by side; default: one a core")
    parser.add_argument("--follow", action="store_true", help="take observations from standard input one by one")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="of many: a line of JSON each; goes on where it stops"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    options.seen = None
    if _are_many(options):
        return _many(options, _settings(options))
    if options.follow:
        return _followed(_arriving(options, _settings(options)), options.format)
    options.seen = _seen(options)
    with in_time(options):
        return _one(options, _settings(options))


def _seen(options: argparse.Namespace) -> tuple[str, str] | None:
    """Return the text and the name of the observations' file, where there is one: waiting is not in the limit."""
    wanted = 2 if is_flow(options.inputs[0]) else 3
    if len(options.inputs) != wanted:
        return None
    name = options.inputs[-1]
    with waiting(options, name):
        return read(name), "<stdin>" if name == "-" else name


def _one(options: argparse.Namespace, settings: Settings) -> int:
    """Recognise what one problem is about."""
    problem = _problem(options)
    settings = replace(settings, time_limit=left(options))
    if len(problem.hypotheses) == 1:
        return _completed(problem, settings, options.format)
    from validator.recognize import recognize
    from validator.recognize.output import recognition_text, recognition_value
    from validator.render.json import json_text

    found = recognize(problem, settings)
    shown = recognition_text(found) if options.format == "text" else json_text(recognition_value(found))
    sys.stdout.write(shown)
    return _code(found)


def _are_many(options: argparse.Namespace) -> bool:
    """Return whether a folder is given that is no problem itself."""
    first = Path(options.inputs[0])
    return (
        len(options.inputs) == 1
        and first.is_dir()
        and not (first / "template.pddl").is_file()
        and not is_flow(first.name)
    )


def _many(options: argparse.Namespace, settings: Settings) -> int:
    """Recognise all problems below a folder, and tell how well."""
    from validator.recognize.datasets import recognize_all, summary_text, summary_value
    from validator.render.json import json_text

    results = []
    is_whole = False
    with suppress(KeyboardInterrupt):
        for one in recognize_all(Path(options.inputs[0]), settings, options.output):
            results.append(one)
            if shows_progress():
                sys.stderr.write(f"\r{len(results)} {one.name[-80:]}\033[K")
        is_whole = True
    _clear()
    if not is_whole:
        print(f"plan-validator: interrupted after {len(results)} problems", file=sys.stderr)
    is_json = options.format == "json"
    sys.stdout.write(json_text(summary_value(results)) if is_json else summary_text(results))
    return HAS if is_whole and any(not one.error for one in results) else NO_ANSWER


def _completed(problem: RecognitionProblem, settings: Settings, form: str) -> int:
    from validator.grounding.limits import Status
    from validator.recognize import complete
    from validator.recognize.output import completion_text, completion_value
    from validator.render.json import json_text

    found = complete(problem, settings)
    sys.stdout.write(completion_text(found) if form == "text" else json_text(completion_value(found)))
    if found.plan is not None:
        return HAS
    return HAS_NOT if found.status is Status.UNSOLVABLE else NO_ANSWER


def _followed(coming: Iterable[Recognition], form: str) -> int:
    """Tell the answer after each observation, a line of text or JSON each."""
    from validator.recognize.output import progress_line, recognition_value
    from validator.render.json import json_text

    for found in coming:
        is_json = form == "json"
        line = json_text(recognition_value(found), indent=None) if is_json else f"{progress_line(found)}\n"
        print(line, end="", flush=True)
    return _code(found)


def _arriving(options: argparse.Namespace, settings: Settings) -> Iterator[Recognition]:
    """Return the answers after each observation of standard input."""
    from validator.recognize import follow

    problem = _problem(options)
    return follow(replace(problem, observations=()), _observed(problem, _templates(options)), settings)


def _observed(problem: RecognitionProblem, templates: Templates | None) -> Iterator[Observation | str]:
    """Yield what is read of each line; of one that is not understood, why."""
    from validator.reading.lexicon import Lexicon
    from validator.recognize.inputs.reading import read_observation

    lexicon = Lexicon.of(problem.model, templates)
    for number, line in enumerate(sys.stdin, start=1):
        try:
            found = read_observation(
                line, problem.model, problem.action_names, name="<stdin>", line=number, lexicon=lexicon
            )
        except InputError as error:
            _unread(error)
            yield str(error)
        else:
            if found is not None:
                yield found


def _unread(error: InputError) -> None:
    """Tell an observation that is not understood: it is left out, and nothing is proven that it may change."""
    print(f"plan-validator: not understood, and left out: {error}", file=sys.stderr, flush=True)


def _code(found: Recognition) -> int:
    from validator.recognize import Verdict

    codes = {Verdict.RANKED: HAS, Verdict.NO_HYPOTHESIS_EXPLAINS: HAS_NOT, Verdict.NO_ANSWER: NO_ANSWER}
    return codes[found.verdict]


def _problem(options: argparse.Namespace) -> RecognitionProblem:
    from validator.recognize.goal_sets import together

    return together(_one_by_one(options), options.at_once)


def _one_by_one(options: argparse.Namespace) -> RecognitionProblem:
    from validator.recognize.inputs.dataset import read_files, read_problem_set

    inputs = options.inputs
    if options.templates is not None and (is_flow(inputs[0]) or len(inputs) == 1):
        raise ValueError("--templates goes with DOMAIN and PROBLEM")
    if is_flow(inputs[0]):
        return _of_flow(options)
    if len(inputs) == 1:
        if options.goals is not None:
            raise ValueError("--goals goes with DOMAIN and PROBLEM; a folder or archive has its own hyps.dat")
        return read_problem_set(Path(inputs[0]))
    wanted = 2 if options.follow else 3
    if len(inputs) != wanted:
        raise ValueError(f"{_taken(options)}; got {len(inputs)} of them")
    return read_files(Path(inputs[0]), Path(inputs[1]), options.goals, options.seen, _templates(options))


def _templates(options: argparse.Namespace) -> Templates | None:
    from validator.reading.lexicon import read_templates

    return None if options.templates is None else read_templates(options.templates)


def _of_flow(options: argparse.Namespace) -> RecognitionProblem:
    from validator.flow.definition.reader import load_document, read_flow
    from validator.recognize.flows import flow_problem

    if len(options.inputs) != 2 or options.follow:
        raise ValueError(f"{_taken(options)}; got {len(options.inputs)} of them, the first a flow by its ending")
    goals = None if options.goals is None else load_document(options.goals)
    text, name = options.seen
    return flow_problem(read_flow(options.inputs[0]), text, goals, (name, str(options.goals)))


def _taken(options: argparse.Namespace) -> str:
    if options.follow:
        return "recognize --follow takes DOMAIN PROBLEM, FOLDER or ARCHIVE; observations come from standard input"
    return "recognize takes DOMAIN PROBLEM OBSERVATIONS, FLOW OBSERVATIONS, FOLDER or ARCHIVE"


def _settings(options: argparse.Namespace) -> Settings:
    asked = asked_by(options, Asked, observations="")
    found = settings_of(asked, job_of(options))
    return replace(found, time_limit=options.time_limit, workers=options.workers or len(os.sched_getaffinity(0)))


def _clear() -> None:
    if shows_progress():
        sys.stderr.write("\033[K")
