"""``plan-validator generate-prompts``: write the prompts that a benchmark ships for its tasks."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from validator.commands.options import HAS, add_example
from validator.questions.arguments import add_former

_EXAMPLE = """\
plan-validator generate-prompts action-sequencing --dataset virtualhome --data eai/virtualhome_eval
"""
_MODULES = ("action-sequencing", "goal-interpretation", "subgoal-decomposition", "transition-modeling")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("module", choices=_MODULES)
    parser.add_argument("--dataset", choices=("virtualhome", "behavior"), required=True)
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="the benchmark's package, or a checkout of it"
    )
    for former in ("--prompts", "--templates"):
        add_former(parser, former, "prompts", type=Path)
    parser.add_argument("--only", metavar="ID,...", help="only these tasks")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="a .json or .jsonl file")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.eai.answers import known
    from validator.grading.eai.prompts import shipped_prompts

    place = getattr(options, "prompts", options.data)
    found = shipped_prompts(place, options.dataset, options.module)
    names = options.only.split(",") if options.only else found
    records = [{"identifier": name, "llm_prompt": known(found, name, str(place))} for name in names]
    text = json.dumps(records, indent=2, ensure_ascii=False) + "\n"
    if options.output is None:
        print(text, end="")
        return HAS
    if options.output.suffix == ".jsonl":
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    options.output.write_text(text, encoding="utf-8")
    return HAS
