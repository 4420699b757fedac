"""The suites of the Embodied Agent Interface: answers of several models graded by one run."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validator.commands.options import HAS, UNREADABLE, add_example, add_memory_limit, add_time_limit, workers
from validator.errors import InputError
from validator.resources import cores

if TYPE_CHECKING:
    from validator.grading.eai.answers import Answer
    from validator.grading.eai.suites import Suite

_EXAMPLE = """\
echo '{"identifier": "problem", "llm_output": "(take b d)"}' > small_outputs.jsonl
plan-validator eval action-sequencing --dataset pddl --data domains/blocks --answers small_outputs.jsonl
"""


def add_action_sequencing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", choices=("virtualhome", "behavior", "pddl"), required=True)
    _add_common(parser)
    parser.add_argument(
        "--compat",
        nargs="?",
        const="seed0",
        default="",
        metavar="DEFECTS",
        help="with defects of the benchmark: published, seed0 (alone: this), seed3, or a list of defects",
    )
    _end(parser, "action-sequencing", _EXAMPLE)


def add_subgoal_decomposition(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", choices=("virtualhome", "behavior"), default="virtualhome")
    _add_common(parser)
    _add_compat(parser, "behavior: turn subgoals into actions exactly as the benchmark does")
    _end(parser, "subgoal-decomposition")


def add_goal_interpretation(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", choices=("virtualhome", "behavior"), required=True)
    _add_common(parser)
    _add_compat(parser, "count as the benchmark does: what cannot be read misses no goal")
    _end(parser, "goal-interpretation", "--dataset virtualhome")


def add_transition_modeling(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dataset", default="", metavar="NAME", help="name of the data set; answers to others are refused"
    )
    _add_common(parser, "transition-modeling", 1)
    _add_compat(parser, "read and count as the original evaluator does")
    parser.add_argument("--no-planner", action="store_true", help="compare operators only")
    parser.add_argument("--sensitivity", action="store_true", help="try each operator alone among gold ones too")
    add_time_limit(parser, what="for each run of the planner")
    add_memory_limit(parser)
    _end(parser, "transition-modeling")


def _add_common(parser: argparse.ArgumentParser, page: str = "eai", number: int | None = None) -> None:
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help=f"folder of the tasks, as in docs/{page}.md"
    )
    parser.add_argument(
        "--answers", type=Path, required=True, metavar="PATH", help="MODEL_outputs.json or .jsonl, or a folder of them"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="write the results of each model there")
    shown = number or "one per core"
    parser.add_argument("--workers", type=workers, metavar="N", default=number, help=f"processes; default: {shown}")
    parser.add_argument(
        "--resume", action="store_true", help="go on with a run that was cut off: keep the grades in --output"
    )


def _add_compat(parser: argparse.ArgumentParser, about: str) -> None:
    parser.add_argument("--compat", action="store_const", const="benchmark", default="", help=about)


def _end(parser: argparse.ArgumentParser, module: str, example: str = "") -> None:
    options = f"{example} " if example else ""
    whole = f"plan-validator eval {module} {options}--data DIR --answers answers\n"
    add_example(parser, example if "\n" in example else whole)
    parser.set_defaults(run=run, module=module)


def run(options: argparse.Namespace) -> int:
    from validator.grading.batch.runner import CHUNK_SIZE
    from validator.grading.eai.suites import Settings, grade_all, suite

    has_planner = options.module == "transition-modeling" and not options.no_planner
    if getattr(options, "sensitivity", False) and not has_planner:
        raise ValueError("--sensitivity needs the planner")
    if options.resume and options.output is None:
        raise ValueError("--resume goes on with what is in --output: name it")
    settings = Settings(
        module=options.module,
        dataset=options.dataset,
        data=options.data.absolute(),
        compat=options.compat,
        seconds=options.time_limit if has_planner else 0,
        memory=options.memory_limit if has_planner else 0,
        sensitivity=has_planner and options.sensitivity,
    )
    chosen = suite(settings)
    answers, problems = _answers(options.answers, chosen)
    place = None
    if options.output is not None:
        place = options.output / chosen.dataset / "evaluate_results" / options.module.replace("-", "_")
    asked = [answer for some in answers.values() for answer in some]
    graded = grade_all(
        settings,
        asked,
        workers=options.workers or min(cores(), 1 + len(asked) // CHUNK_SIZE),  # no process for a few answers
        place=None if place is None else place / "grades.jsonl",
        resume=options.resume,
        report=problems.append,
    )
    for problem in problems:
        print(f"plan-validator: {problem}", file=sys.stderr)
    files = {model: chosen.files(found) for model, found in graded.items()}
    first, *others = chosen.shown
    shown = {
        model: {name: contents[name] for name in chosen.shown} if others else contents[first]
        for model, contents in files.items()
    }
    print(json.dumps(shown, indent=2))
    if place is not None:
        _write(place, files, "".join(f"{line}\n" for model in graded for line in chosen.lines(model, graded[model])))
    return UNREADABLE if problems else HAS


def _answers(place: Path, suite: Suite) -> tuple[dict[str, tuple[Answer, ...]], list[str]]:
    """Return the answers by model, and what was left out: no answer, there twice, or for no task.

    Raises InputError when nothing is left.
    """
    from validator.grading.eai.answers import answer_files, collect_answers

    files = answer_files(place)
    found = {model: collect_answers(path, suite.identifiers, suite.named) for model, path in files.items()}
    problems = [problem for _, left_out in found.values() for problem in left_out]
    answers = {model: answers for model, (answers, _) in found.items() if answers}
    if not answers:
        raise InputError(problems[0] if problems else "there is no answer", source="")
    return answers, [f"left out: {problem}" for problem in problems]


def _write(folder: Path, files: dict[str, dict[str, Any]], lines: str) -> None:
    """Write the files of each model, by their names, and ``results.jsonl`` of all for ``summary``."""
    for model, contents in files.items():
        (folder / model).mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            text = json.dumps(content, indent=2, ensure_ascii=False)
            (folder / model / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
    (folder / "results.jsonl").write_text(lines, encoding="utf-8")
