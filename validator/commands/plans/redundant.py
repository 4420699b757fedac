"""``plan-validator redundant``: tell which steps of a valid plan can be left out."""

from __future__ import annotations

import argparse

from validator.commands.options import (
    HAS,
    HAS_NOT,
    add_example,
    add_model,
    add_plan,
    add_time_limit,
    in_time,
    left,
    model_files,
    naming,
    one_input,
    read,
    waiting,
)

__all__ = ["add_arguments"]

_EXAMPLE = """\
(echo '(take b d) (place b d)'; cat domains/blocks/good.plan) > longer.plan
plan-validator redundant domains/blocks/domain.pddl domains/blocks/problem.pddl longer.plan
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_plan(parser)
    add_time_limit(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    one_input(options.domain, options.problem, options.plan)
    with waiting(options, options.domain, options.problem, options.plan):
        model, text = model_files(options.domain, options.problem), read(options.plan)
    with in_time(options), naming(options.plan):
        from validator.checking.about.redundant import redundant_steps
        from validator.checking.prepared import prepare
        from validator.reading.tokens import tokenize

        prepared = prepare(*model)
        plan = tokenize(text, prepared.vocabulary)
        found = redundant_steps(prepared, plan, time_limit=left(options))
    for index in found.steps:
        print(f"{index + 1}: {plan.steps[index]}")
    proof = "proven" if found.proven else f"not proven to be the most: {found.reason}"
    print(f"{len(found.steps)} of {len(plan.steps)} steps can be left out ({proof})")
    return HAS_NOT if found.steps else HAS
