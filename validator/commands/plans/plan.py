"""``plan-validator plan``: find a cheapest plan of a PDDL model or a flow."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from validator.commands.options import (
    HAS,
    HAS_NOT,
    NO_ANSWER,
    add_example,
    add_memory_limit,
    add_templates,
    add_time_limit,
    in_time,
    left,
    model_files,
    read,
    refuse_other_model,
    waiting,
)

if TYPE_CHECKING:
    from validator.checking.solve import Solution
    from validator.flow.model import Flow

__all__ = ["add_arguments"]

_EXAMPLE = """\
plan-validator plan domains/blocks/domain.pddl domains/blocks/problem.pddl
echo '{flow: stay, operators: [{name: find, inputs: [city], outputs: [hotel]}], goals: [{known: hotel}]}' > stay.yaml
plan-validator plan stay.yaml
"""

_OF_FLOWS = {"observed_prefix": None, "collapse_maps": False, "no_outputs": False, "pddl": None}
"""The options that only flows have, with their defaults."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] DOMAIN PROBLEM\n       %(prog)s [options] FLOW"
    parser.add_argument("model", metavar="DOMAIN|FLOW", help="PDDL domain, or a flow: JSON, YAML")
    parser.add_argument("problem", metavar="PROBLEM", nargs="?", help="PDDL problem; none for a flow")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_templates(parser)
    parser.add_argument("--words", action="store_true", help="print the steps in words, by the templates if given")
    add_time_limit(parser)
    add_memory_limit(parser)
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)
    _add_flow_options(parser.add_argument_group("for flows"))


def _add_flow_options(parser: argparse._ArgumentGroup) -> None:
    parser.add_argument("--observed-prefix", metavar="PLAN", help="steps that have happened; '-': standard input")
    parser.add_argument("--collapse-maps", action="store_true", help="print calls without their mappings")
    parser.add_argument("--no-outputs", action="store_true", help="print calls without their outputs")
    parser.add_argument("--pddl", type=Path, metavar="DIR", help="write the compiled flow there, as PDDL")


def run(options: argparse.Namespace) -> int:
    model = [name for name in (options.model, options.problem) if name is not None]
    refuse_other_model(model, "plan takes DOMAIN PROBLEM, or FLOW")
    return _plan_flow(options) if options.problem is None else _plan_model(options)


def _plan_model(options: argparse.Namespace) -> int:
    _refuse_options_of_flows(options)
    with waiting(options, options.model, options.problem):
        files = model_files(options.model, options.problem)
    with in_time(options):
        from validator.checking.about.words import said_plan
        from validator.checking.prepared import prepare
        from validator.checking.solve import solve

        model = prepare(*files, templates=options.templates)
        found = solve(model, time_limit=left(options), memory_limit=options.memory_limit)
    steps = found.plan if found.plan is None or not options.words else said_plan(found.plan, model.lexicon)
    return _told(found, None if steps is None else list(map(str, steps)), options)


def _told(found: Solution, lines: list[str] | None, options: argparse.Namespace) -> int:
    """Print a plan, or why there is none, and return the exit code."""
    if options.format == "json":
        from validator.render.json import json_text, plain

        value = plain(found)
        assert isinstance(value, dict)
        print(json_text({**value, "plan": lines}), end="")
    elif lines is None:
        print(found)
    else:
        comment = "#" if options.problem is None else ";"  # a plan of a flow is like code
        print(*lines, f"{comment} {found.price}", sep="\n")
    if lines is not None:
        return HAS
    return HAS_NOT if found.proven else NO_ANSWER


def _refuse_options_of_flows(options: argparse.Namespace) -> None:
    for name, default in _OF_FLOWS.items():
        if getattr(options, name) != default:
            raise ValueError(f"--{name.replace('_', '-')} is for flows; {options.model} is read as a PDDL domain")


def _plan_flow(options: argparse.Namespace) -> int:
    if options.templates is not None or options.words:
        raise ValueError(f"--templates and --words are for PDDL models; {options.model} is read as a flow")
    with waiting(options, options.observed_prefix):
        prefix = read(options.observed_prefix) if options.observed_prefix else ()
    with in_time(options):
        from validator.flow.definition.reader import read_flow
        from validator.flow.planning import plan_flow
        from validator.flow.plans.shape import code_like

        flow = read_flow(options.model)
        if options.pddl:
            _write_pddl(flow, options.pddl)
        found = plan_flow(flow, prefix=prefix, time_limit=left(options), memory_limit=options.memory_limit)
    if found.plan is None:
        return _told(found, None, options)
    shown = {"collapse_maps": options.collapse_maps, "show_output": not options.no_outputs}
    return _told(found, code_like(flow, found.plan, **shown), options)


def _write_pddl(flow: Flow, directory: Path) -> None:
    from validator.flow.compiled.compile import compile_flow

    compiled = compile_flow(flow)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "domain.pddl").write_text(compiled.domain, encoding="utf-8")
    (directory / "problem.pddl").write_text(compiled.problem, encoding="utf-8")
