"""``plan-validator eval``: grade what language models answered on a benchmark."""

from __future__ import annotations

import argparse
from importlib import import_module

SUITES: dict[str, str] = {
    "acpbench": "answers to questions about actions, change and plans, decided on the model",
    "action-sequencing": "grade plans for the Embodied Agent Interface's tasks, or for PDDL problems",
    "goal-interpretation": "grade goals read from instructions, by precision and recall",
    "subgoal-decomposition": "grade sequences of subgoals for VirtualHome's tasks",
    "planbench": "PlanBench's answers, our verdicts beside its own",
    "transition-modeling": "grade predicted PDDL operators against gold ones",
}
"""Suite -> what it grades; each has a module here, or what ``_ADD`` says, that adds its arguments."""

_ADD = {
    "action-sequencing": ("sequencing", "add_action_sequencing"),
    "subgoal-decomposition": ("sequencing", "add_subgoal_decomposition"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "'plan-validator eval SUITE --help' has an example of each."
    suites = parser.add_subparsers(required=True, metavar="SUITE")
    for name, about in SUITES.items():
        suite = suites.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
        suite.set_defaults(parser=suite)
        add_suite(name, suite)


def add_suite(name: str, parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a suite."""
    module, function = _ADD.get(name, (name.replace("-", "_"), "add_arguments"))
    getattr(import_module(f"validator.commands.grading.{module}"), function)(parser)
