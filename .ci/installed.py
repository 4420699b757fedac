"""Run everything that is bundled with an installed plan-validator; ``.ci/release`` starts it in an empty directory.

The arguments are the files, as they lie inside the package, that must have come with it; ``--light`` before them says
that it is the light package, which tells what it needs for an answer that it has not.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryDirectory

import validator
from validator.model.bundled import bundles
from validator.resources import resource as folder

PROGRAM = Path(sys.executable).with_name("plan-validator")
IMPORT_LIMIT = 0.1
"""CPU seconds that ``import validator`` may add to an empty process"""

FLOW = """\
flow: stay
operators:
  - {name: find, inputs: [city], outputs: [hotel]}
goals: [{known: hotel}]
memory: [{item: city, state: known}]
"""


def main() -> None:
    home = Path(validator.__file__).parent
    assert "site-packages" in home.parts, f"{home} is no installed package"
    is_light = sys.argv[1:2] == ["--light"]
    about = distribution("plan-validator-light" if is_light else "plan-validator")
    assert about.version == validator.__version__
    names = {str(path) for path in about.files or ()}
    licences = (
        ("validator/LICENSE", "validator/NOTICE") if is_light else ("licenses/LICENSE", "licenses/validator/NOTICE")
    )
    for wanted in ("validator/py.typed", "validator/flow/definition/flow.schema.json", *licences):
        assert any(name.endswith(wanted) for name in names), wanted
    missing = [name for name in sys.argv[1 + is_light :] if not (home / name).is_file()]
    assert not missing, f"not in the wheel: {missing}"

    modules = [found.name for found in walk_packages(validator.__path__, "validator.")]
    plans = sum(_check(model.domain, model.problem, plan) for model in bundles() for plan in model.plans)
    used = what_is_left_out() if is_light else use_data_files()
    seconds = _import_cost()
    assert seconds < IMPORT_LIMIT, f"import validator: {seconds:.3f} s"
    print(
        f"Python {sys.version.partition(' ')[0]}: {about.version}, {len(modules)} modules, {used}, "
        f"{len(bundles())} models with {plans} plans; import {seconds:.3f} s"
    )


def what_is_left_out() -> str:
    """Ask the light package for what it cannot answer; return what is to be installed for that."""
    blocks = next(model for model in bundles() if model.name == "blocks")
    files = (str(blocks.domain), str(blocks.problem))
    broken = next(plan for plan in blocks.plans if plan.stem == "broken-order")
    small = _run("check", *files, str(broken))
    assert (small.returncode, "(proven)" in small.stdout) == (1, True), small.stdout + small.stderr
    optimal = _run("check", *files, str(blocks.plans[0]), "--quality", "optimal")
    with _flow_file() as path:
        flow = _run("plan", str(path))
    for done, package in ((optimal, "up-fast-downward"), (flow, "tarski")):
        assert done.returncode == 3, done
        assert f"pip install {package}" in done.stdout + done.stderr, done
    for command, extra in (("serve", "service"), ("mcp", "mcp"), ("lsp", "lsp")):
        assert f"pip install 'plan-validator-light[{extra}]'" in _run(command).stderr, command
    return "without up-fast-downward and tarski, which it says"


def use_data_files() -> str:
    """Use every grammar, and plan a flow; return how many grammars there are."""
    grammars = _use_every_grammar()
    _flow()
    return f"{grammars} grammars"


def _use_every_grammar() -> int:
    """Read something by each grammar; return how many there are."""
    from validator import tokenize
    from validator.flow import check_flow, read_flow
    from validator.grading.eai.goals import parse_goal
    from validator.policies import read_policy
    from validator.reading.calls.written import read_call

    def is_flow_read() -> bool:
        with _flow_file() as path:
            return check_flow(read_flow(path), "hotel = find(city)").determination is True

    used = {
        "cedar": lambda: read_policy("permit(principal, action, resource);") is not None,
        "eai_goals": lambda: parse_goal("on(a, b)") is not None,
        "plan_call": lambda: read_call('book(hotel="Ritz")') is not None,
        "plan_flow": is_flow_read,
        "plan_layout": lambda: len(tokenize("a1, {a2, a3}, a4").steps) == 4,
        "plan_unread": lambda: not tokenize("graph TD\nA-->B\n").steps,
        "planner_logs": lambda: len(tokenize("0.000: (go a) [1.000]\n1.001: (go b) [1.000]\n").steps) == 2,
        "policy": lambda: read_policy("never pay") is not None,
    }
    found = {path.stem for path in folder("grammars").glob("*.lark")}
    assert found == used.keys(), found ^ used.keys()
    for name, is_used in used.items():
        assert is_used(), name
    return len(found)


def _check(domain: Path, problem: Path, plan: Path) -> bool:
    done = _run("check", str(domain), str(problem), str(plan), "--quality", "valid")
    expected = 1 if plan.stem.startswith("broken") else 0
    assert done.returncode == expected, f"{plan}: {done.returncode}\n{done.stdout}{done.stderr}"
    return True


def _flow() -> None:
    """Plan a flow, which is compiled by tarski, and solved by the planner."""
    with _flow_file() as path:
        done = _run("plan", str(path))
    assert done.returncode == 0, done.stderr
    assert "hotel = find(city)" in done.stdout, done.stdout


@contextmanager
def _flow_file() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        path = Path(name) / "stay.yaml"
        path.write_text(FLOW, encoding="utf-8")
        yield path


def _import_cost() -> float:
    """Return the least of some runs: CPU seconds of a process that imports, less those of an empty one."""
    return min(_seconds("import validator") for _ in range(5)) - min(_seconds("pass") for _ in range(5))


def _seconds(code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


if __name__ == "__main__":
    main()
