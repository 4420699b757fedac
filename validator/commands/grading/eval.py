"""``plan-validator eval``: grade what language models answered on a benchmark."""

from __future__ import annotations

import argparse
from importlib import import_module

SUITES: dict[str, tuple[str, str]] = {
    "acpbench": ("acpbench", "grade answers to questions about actions, change and plans by the model"),
    "action-sequencing": ("eai", "grade plans for the Embodied Agent Interface's tasks, or for PDDL problems"),
    "goal-interpretation": ("eai", "grade goals read from instructions, by precision and recall"),
    "subgoal-decomposition": ("eai", "grade sequences of subgoals for VirtualHome's tasks"),
    "planbench": ("planbench", "grade PlanBench's answers, with its own verdicts beside ours"),
    "transition-modeling": ("eai", "grade predicted PDDL operators against gold ones"),
}
"""Suite -> the module here that adds its arguments by a function ``add_SUITE``, and what it grades."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "'plan-validator eval SUITE --help' has an example of each."
    suites = parser.add_subparsers(required=True, metavar="SUITE")
    for name, (_, about) in SUITES.items():
        suite = suites.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
        suite.set_defaults(parser=suite)
        add_suite(name, suite)


def add_suite(name: str, parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a suite."""
    module = import_module(f"validator.commands.grading.{SUITES[name][0]}")
    getattr(module, f"add_{name.replace('-', '_')}")(parser)
