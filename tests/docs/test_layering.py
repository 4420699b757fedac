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


REACHED = "validator.grounding.processes.reached"
"""a program of its own, which runs the translator"""


@pytest.mark.parametrize(
    ("name", "homes"),
    [
        ("distributed", {"validator.grading.batch.cluster"}),
        ("mcp", {"validator.mcp.server", "validator.mcp.relay"}),
        ("numpy", ESTIMATES),
        ("scipy", {"validator.foils.invariants", "validator.recognize.counting"}),
        ("yaml", {"validator.flow.definition.reader", "validator.reading.lexicon.templates"}),
        ("pysat", {"validator.model_repair.maxsat"}),
        ("tarski", {"validator.flow.compiled.pddl"}),
    ],
)
def test_what_few_need_is_imported_where_it_is_used_and_late(name: str, homes: set[str]) -> None:
    assert _users(name) == homes
    # Their modules are imported late: by those that compile flows, by cost partitioning, and for hard goals.
    programs = {"validator.foils.invariants", "validator.recognize.counting"}
    early = {"tarski": homes, "numpy": ESTIMATES, "scipy": programs, "mcp": {"validator.mcp.relay"}}
    assert _users(name, "early") == early.get(name, set())


def test_the_estimates_of_searches_are_imported_late() -> None:
    with_numpy = {*ESTIMATES, "validator.repair.cost_partitioning.prove"}
    for module in MODULES:
        early = imports(module, "early")
        is_inside = str(module).rpartition(".")[0].endswith(("cost_partitioning", "states"))
        assert is_inside or with_numpy.isdisjoint(early), module


def test_the_grammars_are_read_late() -> None:
    assert _users("lark", "early") == set()


@pytest.mark.parametrize(
    ("homes", "names"),
    [
        (UP_WINGS, ("unified_planning",)),
        ({"lsp"}, ("pygls", "lsprotocol")),
        ({"service", "mcp"}, ("fastapi", "starlette", "uvicorn", "prometheus_client", "pydantic")),
    ],
)
def test_a_library_is_imported_in_its_own_wings_only(homes: set[str], names: tuple[str, ...]) -> None:
    assert {wing for name in names for wing in map(_wing, _users(name))} == homes


_CHECK = """
from validator import check
domain = "(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))"
assert check(domain, "(define (problem q) (:domain d) (:init) (:goal (p)))", "(a)").determination
"""
_METRIC = "from validator.metrics import PlanningLCS\nPlanningLCS().calculate(['a'], 'a')"
_OTHER_MODELS = (
    *("validator.checking.nonclassical", "validator.execution.time", "validator.flow", "validator.model.numeric"),
    *("validator.model.temporal", "validator.repair.numbers", "validator.repair.time", "validator.up."),
)
_OTHER_TEXTS = ("validator.reading.calls", "validator.reading.lexicon", "validator.reading.tokens.notations")
_SLOW = ("argparse", "dataclasses", "inspect", "json", "shutil", "subprocess", "threading", "yaml", "numpy", "scipy")
"""The start is most of a check of a plain list of steps; what one of these brings is a tenth of it and more."""


@pytest.mark.parametrize(
    ("code", "never"),
    [
        ("import validator", ("validator.",)),
        *((f"import validator.{module}", HEAVY) for module in ("checking.check", "cli", "up", "flow")),
        (_CHECK, (*HEAVY, *_OTHER_MODELS, *_OTHER_TEXTS, *_SLOW)),
        (_METRIC, ("numpy", "pandas")),
    ],
)
def test_what_is_used_first_loads_nothing_that_takes_long(code: str, never: tuple[str, ...]) -> None:
    shown = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    assert [name for name in shown.stdout.split() if name.startswith(never)] == []
