"""Which module imports which: no cycles, planner processes in one place, nothing heavy before it is needed."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import validator

ROOT = Path(validator.__file__).parent
UP_MODULES = {
    "validator.up.problems",
    "validator.up.pddl",
    "validator.integrations.unified_planning",
    "validator.up.edit.builder",
    "validator.up.edit.problem",
    "validator.up.engines.planner",
    "validator.up.engines.process",
    "validator.up.engines.time",
}
HEAVY = ("unified_planning", "fast_downward", "up_fast_downward", "tarski", "lark")


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_name(path): path for path in sorted(ROOT.rglob("*.py")) if "__pycache__" not in path.parts}


def _is_type_checking(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imports(module: str, *, everywhere: bool) -> Iterator[str]:
    """Yield the modules that a module imports: at its top, or with ``everywhere`` in its functions too."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    body = [node for node in tree.body if not _is_type_checking(node)]
    nodes = [inner for node in body for inner in ast.walk(node)] if everywhere else body
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{module}: a relative import"
            yield from (
                inner if (inner := f"{node.module}.{alias.name}") in MODULES else node.module for alias in node.names
            )


def _graph(*, everywhere: bool = False) -> dict[str, set[str]]:
    return {
        module: {name for name in imports(module, everywhere=everywhere) if name in MODULES and name != module}
        for module in MODULES
    }


def test_no_module_needs_itself_to_be_imported() -> None:
    assert list(TopologicalSorter(_graph()).static_order())


# The order of DESIGN.md, section 6: a module imports only what stands above it, or beside it in its family.
LAYERS = (
    {"errors", "model", "model_temporal", "resources", "texts"},
    {"plan", "conditions", "trace"},
    {"pddl", "derived"},
    {"tokens", "measure", "schema"},
    {"run"},
    {"execute", "timeline"},
    {"numeric"},
    {"temporal"},
    {"planner"},
    {"operators"},
    {"compile_away"},
    {"task"},
    {"walk"},
    {"edit"},
    {"strategies", "projection", "linear", "engine_arithmetic", "numeric_states", "relaxed_reachability"},
    {"action_costs"},
    {"bridge", "polish", "regression"},
    {"race"},
    {"repair", "diff", "edit_search"},
    {"metrics"},
    {"alignment"},
    {"report"},
    {"up_expressions"},
    {"up_numeric"},
    {"up_temporal"},
    {"render", "bundled", "up", "up_pddl", "cache", "prepared", "explain"},
    {"edit_costs"},
    {"edit_builder"},
    {"edit_problem"},
    {"up_process"},
    {"up_planner"},
    {"up_time"},
    {"installed_engines"},
    {"number_repair", "classical_part"},
    {"beyond", "question"},
    {"retime"},
    {"beyond_repair"},
    {"beyond_cost"},
    {"seek", "verdict"},
    {"validate"},
    {"redundant", "flow", "monitor", "solution"},
    {"engines", "recognize", "adherence", "evaluate", "foils", "judge"},
    {"scaffold"},
    {"batch", "summary", "planbench", "integrations", "plan_tests"},
    {"commands", "given"},
    {"cli", "service", "mcp"},
)


def _family(module: str) -> str:
    """Return the first name below the package; the encoding for the planner belongs to the grounding."""
    if module == "validator.grounding.encode":
        return "task"
    return module.split(".")[1] if "." in module else ""


def test_a_module_imports_only_what_stands_above_it() -> None:
    level = {name: number for number, layer in enumerate(LAYERS) for name in layer}
    upward = {
        f"{module} imports {needed}"
        for module, needs in _graph().items()
        for needed in needs
        if _family(module) in level
        and _family(needed) in level
        and _family(module) != _family(needed)
        and level[_family(needed)] > level[_family(module)]
    }
    assert upward == set()


def test_every_module_can_be_imported_on_its_own() -> None:
    for module in MODULES:
        importlib.import_module(module)


def _users(name: str) -> set[str]:
    return {
        module
        for module in MODULES
        if any(found.partition(".")[0] == name for found in imports(module, everywhere=True))
    }


def test_processes_are_started_in_three_places_only() -> None:
    """``up_process`` runs a unified-planning engine in a process of its own, ``scaffold.command`` a user's program."""
    assert _users("subprocess") <= {
        "validator.grounding.planner",
        "validator.up.engines.process",
        "validator.scaffold.command",
    }


@pytest.mark.parametrize("name", ["fast_downward", "up_fast_downward"])
def test_the_planner_is_a_program_and_never_imported(name: str) -> None:
    assert _users(name) == set()


def test_unified_planning_is_imported_in_its_own_modules_only() -> None:
    assert _users("unified_planning") <= UP_MODULES


@pytest.mark.parametrize(
    ("name", "homes"),
    [
        ("distributed", {"validator.grading.batch.cluster"}),
        ("mcp", {"validator.mcp.server"}),
        ("numpy", {"validator.grading.summary.compare"}),
        ("scipy", {"validator.grading.summary.compare"}),
        ("yaml", {"validator.flow.definition.reader", "validator.reading.lexicon.templates"}),
        ("tarski", {"validator.flow.compiled.language"}),
    ],
)
def test_what_few_need_is_imported_where_it_is_used_and_late(name: str, homes: set[str]) -> None:
    assert _users(name) == homes
    if name != "tarski":  # its module is imported by those that compile flows only
        for home in homes:
            assert name not in {found.partition(".")[0] for found in imports(home, everywhere=False)}


@pytest.mark.parametrize("name", HEAVY)
def test_nothing_heavy_is_imported_at_the_top_of_a_module(name: str) -> None:
    top = {
        module
        for module in MODULES
        if any(found.partition(".")[0] == name for found in imports(module, everywhere=False))
    }
    assert top <= (UP_MODULES if name == "unified_planning" else set())


@pytest.mark.parametrize("name", ["fastapi", "starlette", "uvicorn", "jinja2", "prometheus_client", "pydantic"])
def test_what_the_service_needs_is_imported_by_it_and_by_mcp_only(name: str) -> None:
    assert {user.split(".")[1] for user in _users(name)} <= {"service", "mcp"}


def _loaded_by(code: str) -> set[str]:
    shown = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in shown.stdout.split()}


def test_importing_the_package_loads_none_of_its_modules() -> None:
    shown = subprocess.run(
        [sys.executable, "-c", "import validator, sys; print(*(m for m in sys.modules if m.startswith('validator.')))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.split() == []


def test_importing_the_check_loads_nothing_heavy() -> None:
    assert _loaded_by("import validator.checking.check").isdisjoint(HEAVY)


def test_importing_the_command_loads_nothing_heavy() -> None:
    assert _loaded_by("import validator.cli").isdisjoint(HEAVY)


def test_checking_a_pddl_plan_loads_no_planning_library() -> None:
    code = """
from validator import check
domain = "(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))"
assert check(domain, "(define (problem q) (:domain d) (:init) (:goal (p)))", "(a)").determination
"""
    assert _loaded_by(code).isdisjoint(
        {"unified_planning", "fast_downward", "up_fast_downward", "tarski", "scipy", "numpy"}
    )


def test_checking_a_pddl_plan_loads_no_module_for_other_models() -> None:
    code = """
from validator import check
domain = "(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))"
assert check(domain, "(define (problem q) (:domain d) (:init) (:goal (p)))", "(a)").determination
"""
    shown = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    parts = {name.split(".")[1] for name in shown.stdout.split() if name.startswith("validator.")}
    others = ("up", "up_expressions", "up_numeric", "temporal", "beyond", "numeric", "flow", "retime", "number_repair")
    assert parts.isdisjoint(others)


# --- the public names ----------------------------------------------------------------------------


def test_every_public_name_is_there() -> None:
    for name in validator.__all__:
        assert getattr(validator, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        validator.nothing  # noqa: B018


def test_no_public_name_is_hidden_by_a_module_of_the_same_name() -> None:
    code = (
        "import importlib, pkgutil, types, validator\n"
        "for found in pkgutil.walk_packages(validator.__path__, 'validator.'):\n"
        "    importlib.import_module(found.name)\n"
        "print(*(n for n in validator.__all__ if isinstance(getattr(validator, n), types.ModuleType)))\n"
    )
    shown = subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, capture_output=True, text=True)
    assert shown.stdout.split() == []


@pytest.mark.parametrize("module", sorted(MODULES))
def test_what_a_module_says_it_exports_is_there(module: str) -> None:
    imported = importlib.import_module(module)
    for name in getattr(imported, "__all__", ()):
        assert hasattr(imported, name), f"{module}.{name}"


def test_the_modules_of_the_package_are_found() -> None:
    assert {found.name for found in pkgutil.iter_modules([str(ROOT)], "validator.")} <= set(MODULES)
