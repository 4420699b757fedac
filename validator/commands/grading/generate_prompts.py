"""``plan-validator generate-prompts``: write the prompts for a benchmark's tasks."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from validator.commands.options import HAS, add_example
from validator.errors import ModelError, ValidatorError
from validator.questions.arguments import add_former

_EXAMPLE = """\
plan-validator generate-prompts action-sequencing --dataset pddl --data domains/blocks
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    modules = ("action-sequencing", "goal-interpretation", "subgoal-decomposition", "transition-modeling")
    parser.add_argument("module", choices=modules)
    parser.add_argument("--dataset", choices=("virtualhome", "behavior", "pddl"), required=True)
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="folder of the tasks, as in docs/eai.md"
    )
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--prompt", type=Path, metavar="FILE", help="a prompt with fields such as $goals")
    whose.add_argument(
        "--prompts", type=Path, metavar="DIR", help="the benchmark's own prompts, from a checkout or its package"
    )
    add_former(whose, "--template", "prompt", type=Path)
    add_former(whose, "--templates", "prompts", type=Path)
    parser.add_argument("--only", metavar="ID,...", help="only these tasks")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="a .json or .jsonl file")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if options.prompts is not None:
        return _write(options, _own_prompts(options))
    household_only = options.module in ("goal-interpretation", "subgoal-decomposition")
    if options.dataset != "virtualhome" and household_only:
        raise ValueError(f"prompts for {options.module} are written for the dataset virtualhome only")
    return _write(options, _prompts(options))


def _write(options: argparse.Namespace, prompts: Iterable[tuple[str, str]]) -> int:
    from validator.grading.batch.batch import Progress

    progress, records = Progress(what="prompts"), []
    for identifier, text in prompts:
        records.append({"identifier": identifier, "llm_prompt": text})
        progress.add(1)
    progress.clear()
    if options.output is None:
        print(json.dumps(records, indent=2, ensure_ascii=False))
    elif options.output.suffix == ".jsonl":
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        options.output.write_text("".join(lines), encoding="utf-8")
    else:
        options.output.write_text(json.dumps(records, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return HAS


def _own_prompts(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Yield the benchmark's prompts, or those of ``--only``. Raises InputError for a task that has none."""
    from validator.grading.eai.answers import known
    from validator.grading.eai.prompts import own_prompts

    found = own_prompts(options.prompts, options.dataset, options.module)
    for identifier in options.only.split(",") if options.only else found:
        yield identifier, known(found, identifier, str(options.prompts))


def _prompts(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    from validator.grading.eai.prompts import fields_of, prompt, tasks_of, template, template_of
    from validator.grading.eai.suites import readable

    of = (options.module, options.dataset)
    chosen, text = tasks_of(*of, options.data), template(template_of(*of), options.prompt)
    identifiers = sorted(options.only.split(",")) if options.only else chosen.identifiers
    tasks, problems = readable(chosen.load, identifiers)
    if not tasks and problems:
        raise ValidatorError(next(iter(problems.values())))
    for problem in problems.values():
        print(f"plan-validator: {problem}", file=sys.stderr)
    fields = fields_of(*of, options.data)
    for identifier, task in tasks.items():
        try:
            yield identifier, prompt(text, fields(task), str(options.prompt or "template"))
        except ModelError as error:
            print(f"plan-validator: no prompt for {identifier}: {error}", file=sys.stderr)
