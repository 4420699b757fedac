"""A program of its own: which ground actions of a PDDL task are reachable when nothing is deleted, and no more.

The translator goes on from there to invariants, variables and operators, which takes many times as long. Called with
the files of a domain and a problem and the file to which the names go, one per line; exits as the translator does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Set
from contextlib import redirect_stdout

from fast_downward.translate import build_model, instantiate, normalize, options, pddl, pddl_parser, pddl_to_prolog

_OUT_OF_MEMORY = 20
"""the translator's exit code"""


def main(domain: str, problem: str, output: str) -> None:
    """Write the names of the reachable ground actions of a task."""
    options.set_options(["--keep-no-ops", domain, problem])
    with redirect_stdout(sys.stderr):  # the program says how long it takes
        task = pddl_parser.open(domain_filename=domain, problem_filename=problem)
        normalize.normalize(task)
        names = sorted(set(_reached(task)))
    with open(output, "w", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in names)


def _reached(task: pddl.Task) -> Iterator[str]:
    """Yield the reachable actions of a normalized task, some more than once."""
    model = build_model.compute_model(pddl_to_prolog.translate(task))
    changing = instantiate.get_fluent_facts(task, model)
    init = {fact for fact in task.init if isinstance(fact, pddl.Atom)}
    doubtful = {action: list(_doubtful(action)) for action in task.actions}
    for atom in model:
        action = atom.predicate
        if not isinstance(action, pddl.Action):
            continue
        arguments = {parameter.name: name for parameter, name in zip(action.parameters, atom.args, strict=False)}
        facts = (fact.rename_variables(arguments) for fact in doubtful[action])
        if all(_may_hold(fact, init, changing) for fact in facts):
            yield " ".join((action.name, *atom.args[: action.num_external_parameters]))


def _may_hold(fact: pddl.Literal, init: Set[pddl.Atom], changing: Set[pddl.Atom]) -> bool:
    atom = fact.positive()
    return atom in changing or (atom in init) is not fact.negated


def _doubtful(action: pddl.Action) -> Iterator[pddl.Literal]:
    """Yield the literals of a precondition that the model passes over: negated ones, and those of one thing twice."""
    precondition = action.precondition
    for part in precondition.parts if isinstance(precondition, pddl.Conjunction) else (precondition,):
        if isinstance(part, pddl.Literal) and (part.negated or len(set(part.args)) < len(part.args)):
            yield part


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except MemoryError:
        sys.exit(_OUT_OF_MEMORY)
