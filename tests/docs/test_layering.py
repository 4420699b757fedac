"""How the house is built: what a wing may import, what a folder holds, where processes start, what is loaded late."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import validator

ROOT = Path(validator.__file__).parent

WINGS = """
    errors records texts resources alarms
    model
    reading
    execution
    grounding
    repair
    hierarchy  nondeterminism
    automata
    up
    render
    certificates
    checking
    model_repair
    flow
    metrics  foils  adherence  recognize  scaffold
    policies  guard
    workers
    grading
    reward
    integrations
    questions
    service  mcp  lsp
    commands  cli  __main__
"""
"""The order from the ground floor up: a wing imports only what stands before it."""

BY_ANNOTATION = {("render", "checking")}
"""(wing, wing): the first names values of the second, which stands behind it, in its annotations and nowhere else"""

HEAVY = ("unified_planning", "fast_downward", "up_fast_downward", "tarski", "lark")
ESTIMATES = {
    "validator.foils.invariants",
    "validator.repair.cost_partitioning.layers",
    "validator.repair.cost_partitioning.states",
    "validator.repair.cost_partitioning.partition",
    "validator.recognize.counting",
}
UP_WINGS = {"up", "integrations"}


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_name(path): path for path in sorted(ROOT.rglob("*.py")) if "__pycache__" not in path.parts}
PACKAGES = sorted({_name(path.parent) for path in MODULES.values()} - {"validator"})


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif node.module:
        assert node.level == 0, "a relative import"
        for alias in node.names:
            yield inner if (inner := f"{node.module}.{alias.name}") in MODULES else node.module


@cache
def imports(module: str, *kinds: str) -> tuple[str, ...]:
    """Return what a module imports: ``early``, with it; ``late``, in its functions; for an ``annotation``."""
    return tuple(name for when, name in _all_imports(module) if when in kinds)


@cache
def _all_imports(module: str) -> tuple[tuple[str, str], ...]:
    """Return what statements import, and when: what is imported, an expression does not say."""
    found: list[tuple[str, str]] = []
    waiting: list[tuple[ast.AST, str]] = [(_tree(module), "early")]
    while waiting:
        tree, when = waiting.pop()
        for node in ast.iter_child_nodes(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                found += ((when, name) for name in _imported(node))
            elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
                is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                inside = (
                    "annotation" if _is_type_checking(node) else "late" if is_function and when == "early" else when
                )
                waiting.append((node, inside))
    return tuple(found)


def _wing(module: str) -> str:
    """Return the first name below the package."""
    return module.split(".")[1] if "." in module else ""


def _is_upward(module: str, needed: str) -> bool:
    order = ["", *WINGS.split()]
    return needed in MODULES and order.index(_wing(needed)) > order.index(_wing(module))


# --- wings ---------------------------------------------------------------------------------------


def test_the_order_names_every_wing_once() -> None:
    named = Counter(WINGS.split())
    assert set(named) == set(map(_wing, MODULES)) - {""}
    assert set(named.values()) == {1}


def test_a_wing_imports_only_what_stands_before_it() -> None:
    upward = {
        f"{module} imports {needed}"
        for module in MODULES
        for needed in imports(module, "early", "late")
        if _wing(module) and _is_upward(module, needed)
    }
    assert upward == set()


def test_few_wings_know_values_of_later_ones_by_annotation() -> None:
    known = {
        (_wing(module), _wing(needed))
        for module in MODULES
        for needed in imports(module, "annotation")
        if _wing(module) and _is_upward(module, needed)
    }
    assert known == BY_ANNOTATION


def test_no_file_needs_itself_not_even_in_annotations() -> None:
    graph = {
        module: {name for _, name in _all_imports(module) if name in MODULES and name != module} for module in MODULES
    }
    assert list(TopologicalSorter(graph).static_order())


# --- folders -------------------------------------------------------------------------------------


def test_a_folder_holds_fourteen_files_at_most_and_the_house_eight() -> None:
    held = Counter(path.parent for path in MODULES.values() if path.name != "__init__.py")
    assert held.pop(ROOT) <= 8  # five of the ground floor, cli, what python -m runs, and scaffold
    assert {str(folder): number for folder, number in held.items() if number > 14} == {}


def test_a_folder_says_what_it_is_and_a_wing_which_file_to_open_first() -> None:
    for package in PACKAGES:
        assert package in MODULES, f"a folder without __init__: {package}"
        said = ast.get_docstring(_tree(package)) or ""
        assert len(said) > 30 and "TODO" not in said, package
        if package.count(".") == 1:
            first = re.search(r"\bopen\s+``([\w.]+)``\s+first", said, re.IGNORECASE)
            assert first is not None and f"{package}.{first[1]}" in MODULES, package
            assert len([line for line in said.splitlines() if line.strip()]) >= 3, package


# --- what is started, and what is loaded ---------------------------------------------------------


def test_every_module_can_be_imported_and_has_what_it_says_it_exports() -> None:
    for module in MODULES:
        imported = importlib.import_module(module)
        missing = [name for name in getattr(imported, "__all__", ()) if not hasattr(imported, name)]
        assert not missing, module


def _users(name: str, *kinds: str) -> set[str]:
    return {
        module
        for module in MODULES
        if any(found.partition(".")[0] == name for found in imports(module, *(kinds or ("early", "late"))))
    }


def test_processes_are_started_in_two_places_only() -> None:
    """Planners and engines are processes of one kind; ``scaffold`` runs a user's program."""
    assert _users("subprocess") == {
        "validator.grounding.processes.process",
        "validator.scaffold",
    }


@pytest.mark.parametrize("name", ["fast_downward", "up_fast_downward"])
def test_the_planner_is_a_program_and_never_imported(name: str) -> None:
    assert _users(name) <= {REACHED}
    assert not any(REACHED in imports(module, "early", "late") for module in MODULES)


def test_unified_planning_is_imported_in_its_own_wings_only() -> None:
    assert set(map(_wing, _users("unified_planning"))) == UP_WINGS


GREEDY = {"validator.repair.numbers.relaxation"}
"""which ``validator.repair.numbers.greedy`` imports late"""

REACHED = "validator.grounding.processes.reached"
"""a program of its own, which runs the translator"""


@pytest.mark.parametrize(
    ("name", "homes"),
    [
        ("distributed", {"validator.grading.batch.cluster"}),
        ("mcp", {"validator.mcp.server", "validator.mcp.relay"}),
        (
            "numpy",
            {*GREEDY, *ESTIMATES},
        ),
        (
            "scipy",
            {
                "validator.foils.invariants",
                "validator.recognize.counting",
            },
        ),
        (
            "yaml",
            {
                "validator.flow.definition.reader",
                "validator.reading.lexicon.templates",
            },
        ),
        ("pysat", {"validator.model_repair.maxsat"}),
        ("tarski", {"validator.flow.compiled.pddl"}),
    ],
)
def test_what_few_need_is_imported_where_it_is_used_and_late(name: str, homes: set[str]) -> None:
    assert _users(name) == homes
    # Their modules are imported late: by those that compile flows, by cost partitioning, and for hard goals.
    programs = {"validator.foils.invariants", "validator.recognize.counting"}
    early = {"tarski": homes, "numpy": {*GREEDY, *ESTIMATES}, "scipy": programs, "mcp": {"validator.mcp.relay"}}
    assert _users(name, "early") == early.get(name, set())


def test_the_estimates_of_searches_are_imported_late() -> None:
    with_numpy = {*ESTIMATES, "validator.repair.cost_partitioning.prove"}
    for module in MODULES:
        early = imports(module, "early")
        is_inside = str(module).rpartition(".")[0].endswith(("cost_partitioning", "states"))
        assert is_inside or with_numpy.isdisjoint(early), module


@pytest.mark.parametrize("name", HEAVY)
def test_nothing_heavy_is_imported_at_the_top_of_a_module(name: str) -> None:
    homes = {"unified_planning": UP_WINGS, "tarski": {"flow"}}  # which import these only where nothing less will do
    homes["fast_downward"] = {"grounding"}  # in a program of its own
    assert set(map(_wing, _users(name, "early"))) <= homes.get(name, set())


@pytest.mark.parametrize("name", ["pygls", "lsprotocol"])
def test_what_the_language_server_needs_is_imported_by_it_only(name: str) -> None:
    assert set(map(_wing, _users(name))) == {"lsp"}


@pytest.mark.parametrize("name", ["fastapi", "starlette", "uvicorn", "prometheus_client", "pydantic"])
def test_what_the_service_needs_is_imported_by_it_and_by_what_serves_agents_only(name: str) -> None:
    assert set(map(_wing, _users(name))) <= {"service", "mcp"}


def _loaded_by(code: str) -> set[str]:
    """Return the modules that are loaded once some code was run."""
    shown = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(shown.stdout.split())


def _packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_importing_the_package_loads_none_of_its_modules() -> None:
    assert not {name for name in _loaded_by("import validator") if name.startswith("validator.")}


@pytest.mark.parametrize("module", ["validator.checking.check", "validator.cli", "validator.up", "validator.flow"])
def test_importing_what_is_used_first_loads_nothing_heavy(module: str) -> None:
    assert _packages(_loaded_by(f"import {module}")).isdisjoint(HEAVY)


_CHECK = """
from validator import check
domain = "(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))"
assert check(domain, "(define (problem q) (:domain d) (:init) (:goal (p)))", "(a)").determination
"""
_OTHERS = (  # what reads, executes and repairs other models than classical ones
    "validator.checking.nonclassical",
    "validator.execution.time",
    "validator.flow",
    "validator.model.numeric",
    "validator.model.temporal",
    "validator.repair.numbers",
    "validator.repair.time",
    "validator.up.",
)


def test_checking_a_pddl_plan_loads_no_planning_library_and_no_module_for_other_models() -> None:
    loaded = _loaded_by(_CHECK)
    heavy = {"unified_planning", "fast_downward", "up_fast_downward", "tarski", "scipy", "numpy"}
    assert _packages(loaded).isdisjoint(heavy)
    others = {name for name in loaded if name.startswith(_OTHERS)} - {"validator.execution.trace"}
    assert others == set()


_SLOW = ("argparse", "dataclasses", "inspect", "json", "lark", "shutil", "subprocess", "threading", "yaml")
_FOR_OTHER_TEXTS = ("validator.reading.calls", "validator.reading.lexicon", "validator.reading.tokens.notations")


def test_checking_a_plain_list_of_steps_loads_nothing_that_takes_long() -> None:
    """The start is most of such a check; what one of these brings is a tenth of it and more."""
    loaded = _loaded_by(_CHECK)
    assert loaded.isdisjoint(_SLOW)
    assert {name for name in loaded if name.startswith(_FOR_OTHER_TEXTS)} == set()


# --- the public names ----------------------------------------------------------------------------


def test_every_public_name_is_there() -> None:
    for name in validator.__all__:
        assert getattr(validator, name) is not None
