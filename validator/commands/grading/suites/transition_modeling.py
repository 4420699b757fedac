"""``plan-validator eval transition-modeling``: grade predicted PDDL operators against gold ones."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validator.commands.options import add_answers, add_example, add_memory_limit, add_time_limit, workers
from validator.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from validator.grading.eai.answers import Answer
    from validator.grading.eai.transition_modeling.benchmark import Benchmark

__all__ = ["add_arguments"]

_EXAMPLE = """\
plan-validator eval transition-modeling --data DIR --answers answers --workers 2
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_answers(parser, "transition-modeling")
    parser.add_argument("--dataset", metavar="NAME", help="which of several data sets; others are refused")
    parser.add_argument("--compat", action="store_true", help="read and count as the original evaluator does")
    parser.add_argument("--no-planner", action="store_true", help="compare operators only")
    parser.add_argument("--sensitivity", action="store_true", help="try each operator alone among gold ones too")
    parser.add_argument("--workers", type=workers, default=1, metavar="N", help="processes; default: 1")
    parser.add_argument(
        "--resume", action="store_true", help="keep what is in --output of models whose answers are graded already"
    )
    add_time_limit(parser, what="for each run of the planner")
    add_memory_limit(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.commands.grading.answered import answered
    from validator.grading.eai.transition_modeling.benchmark import dataset_folder
    from validator.grading.eai.transition_modeling.grade import benchmark_in
    from validator.grading.eai.transition_modeling.report import report_text

    if options.no_planner and options.sensitivity:
        raise ValueError("--sensitivity needs the planner")
    if options.resume and options.output is None:
        raise ValueError("--resume goes on with what is in --output: name it")
    options.data = dataset_folder(options.data, options.dataset)
    benchmark = benchmark_in(options.data)
    if options.dataset not in (None, benchmark.name):
        raise ValueError(f"{options.data} holds the data set '{benchmark.name}', not '{options.dataset}'")
    reports = {}
    files, code = answered(options)
    with _executor(options.workers) as executor:
        for model, answers in files.items():
            found = _kept(options, benchmark, model, answers) if options.resume else None
            if found is None:
                found = _graded(options, benchmark, model, answers, executor)
            reports[model] = found
            if options.format == "text":
                sys.stdout.write(report_text(model, found["report"], found["summary"]) + "\n")
    results_of = [line for found in reports.values() for line in found.pop("results")]
    if options.format == "json":
        json.dump(reports, sys.stdout, indent=2)
        print()
    if options.output is not None:
        results = _folder(options, benchmark) / "results.jsonl"
        results.write_text("".join(f"{line}\n" for line in results_of), encoding="utf-8")
    return code


def _folder(options: argparse.Namespace, benchmark: Benchmark) -> Path:
    folder: Path = options.output / benchmark.name / "evaluate_results" / "transition_modeling"
    return folder


def _kept(
    options: argparse.Namespace, benchmark: Benchmark, model: str, answers: tuple[Answer, ...]
) -> dict[str, Any] | None:
    """Return what an earlier run wrote of a model; None when it was cut off, or graded other answers or otherwise."""
    try:
        content = json.loads((_folder(options, benchmark) / model / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    run = content.pop("run", None) if isinstance(content, dict) else None
    return content if run == _run(options, answers) else None


def _run(options: argparse.Namespace, answers: tuple[Answer, ...]) -> dict[str, Any]:
    """Return what a model's results depend on."""
    names = ("compat", "no_planner", "sensitivity", "time_limit", "memory_limit")
    texts = json.dumps([[answer.identifier, answer.text] for answer in answers]).encode()
    return {
        "data": str(options.data.absolute()),
        "answers": blake2b(texts, digest_size=12).hexdigest(),
        **{name: getattr(options, name) for name in names},
    }


@contextmanager
def _executor(workers: int) -> Iterator[Executor | None]:
    """Yield a pool of processes, none for one worker; each process reads the data set once."""
    if workers == 1:
        yield None
        return
    from validator.grading.batch.pool import processes

    with processes(workers) as pool:
        yield pool


def _graded(
    options: argparse.Namespace,
    benchmark: Benchmark,
    model: str,
    answers: tuple[Answer, ...],
    executor: Executor | None,
) -> dict[str, Any]:
    from validator.grading.eai.output import write_json
    from validator.grading.eai.transition_modeling.grade import grade_all
    from validator.grading.eai.transition_modeling.planning import Allowance
    from validator.grading.eai.transition_modeling.report import report_data, result_lines, summary_data, task_data
    from validator.grading.eai.transition_modeling.sensitivity import Trial, try_all

    others = [answer for answer in answers if answer.identifier not in benchmark.tasks]
    skipped = [answer.identifier for answer in others]
    if skipped:
        print(f"{model}: {len(skipped)} answers are for no task here: {', '.join(skipped[:5])}", file=sys.stderr)
    known = [answer for answer in answers if answer.identifier in benchmark.tasks]
    if skipped and not known:
        raise InputError(
            f"no answer is for a task here{did_you_mean(skipped[0], benchmark.tasks)}", source=others[0].source
        )
    allowance = Allowance(seconds=options.time_limit, memory=options.memory_limit)
    planned = None if options.no_planner else allowance
    grades = list(grade_all(options.data, known, compat=options.compat, allowance=planned, executor=executor))
    trials: list[Trial] = []
    if options.sensitivity:
        tried = try_all(options.data, known, compat=options.compat, allowance=allowance, executor=executor)
        trials = [trial for found in tried for trial in found]
    summary = summary_data(benchmark, grades)
    report = report_data(benchmark, grades, trials, compat=options.compat)
    found = {"summary": summary, "report": report, "results": list(result_lines(model, benchmark.name, grades))}
    if options.output is not None:
        folder = _folder(options, benchmark) / model
        for name, content in (("summary", summary), ("report", report), ("tasks", list(map(task_data, grades)))):
            write_json(folder / f"{name}.json", content)
        write_json(folder / "run.json", {"run": _run(options, answers), **found})
    return found
