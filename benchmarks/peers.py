"""Peers from the registry, each in a virtual environment of its own, on the same inputs as this program.

Whole processes, with CPU seconds and memory. ``python -m benchmarks peers`` installs the peers into ``build/peers``, or
into the folder given with ``--peers``, and finds them there the next time.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from venv import EnvBuilder

from benchmarks.models import ring
from benchmarks.options import Options
from benchmarks.process import PROGRAM, Run, answer, in_turn
from benchmarks.table import Cell, Goal, Table, ratio, skipped
from benchmarks.validators import UP_SCRIPT
from validator.model.bundled import bundle

__all__ = ["environment", "run"]

PACKAGES: Mapping[str, tuple[str, ...]] = {
    "unified-planning": ("unified-planning",),
    "pddl-pyvalidator": ("pddl-pyvalidator",),
    "nl2flow": ("nl2flow", "kstar-planner"),
    "gaico": ("gaico", "scipy"),  # which its metrics import, and it does not ask for
}
STEPS = (10, 100, 1_000, 10_000, 100_000)
CHAINS = (5, 10, 20, 40)
SECONDS = 45
"""of wall clock that one process may take; a peer that took more is asked no longer plans"""
_PAIRS, _PAIR_STEPS = 2_000, 30
_LENGTHS = (1, 2, 3, 5, 10, 30, 100)

_NL2FLOW = """\
import json, sys
from nl2flow.compile.flow import Flow
from nl2flow.compile.schemas import FlowDefinition
from nl2flow.plan.planners.kstar import Kstar
document = json.load(open(sys.argv[1]))
flow = Flow(document["name"])
flow.flow_definition = FlowDefinition.model_validate(document)
planner = Kstar()
planner.timeout = int(sys.argv[2])
found = flow.plan_it(planner)
print(len(found.best_plan.plan) if found.best_plan is not None else found)
"""
_OURS, _GAICO = "validator.metrics", "gaico.metrics.structured"
_METRICS = """
import json, sys
pairs = json.load(open(sys.argv[1]))
options = json.loads(sys.argv[2])
print(sum(PlanningLCS(**options).calculate(*pair) + PlanningJaccard(**options).calculate(*pair) for pair in pairs))
"""
_BY_LENGTH = """
import json, sys, time
def seconds(pairs):
    begun = time.process_time()
    for pair in pairs:
        PlanningLCS().calculate(*pair), PlanningJaccard().calculate(*pair)
    return (time.process_time() - begun) / len(pairs)
groups = json.load(open(sys.argv[1]))
print(json.dumps([min(seconds(pairs) for _ in range(5)) for pairs in groups]))
"""
"""The seconds of a pair of each length, the fastest of five rounds: imports, which differ most, are left out."""


def run(options: Options) -> list[Table]:
    """Measure the peers that can be installed."""
    made = {name: environment(options.peers.absolute(), name, *packages) for name, packages in PACKAGES.items()}
    there = {name: found for name, found in made.items() if isinstance(found, Environment)}
    notes = tuple(str(found) for found in made.values())
    if not there:
        return [skipped("peers", *notes)]
    runs = options.runs or 3
    with TemporaryDirectory() as name:
        folder = Path(name)
        return [
            _small(there, folder, runs, notes),
            _long(there, folder),
            *([_flows(there["nl2flow"], folder)] if "nl2flow" in there else []),
            *([_metrics(there["gaico"], folder, runs)] if "gaico" in there else []),
            *([_metrics_by_length(there["gaico"], folder, runs)] if "gaico" in there else []),
        ]


# --- validators ----------------------------------------------------------------------------------


def _validators(there: Mapping[str, Environment]) -> Iterator[tuple[str, list[str]]]:
    yield "plan-validator", [*PROGRAM, "check", "--no-repair"]
    if "unified-planning" in there:
        yield "unified-planning", [str(there["unified-planning"].python), "-W", "ignore", "-c", UP_SCRIPT]
    if "pddl-pyvalidator" in there:
        yield "pddl-pyvalidator", [there["pddl-pyvalidator"].program("pyval")]


def _small(there: Mapping[str, Environment], folder: Path, runs: int, notes: tuple[str, ...]) -> Table:
    """Return the checks of a valid and of a broken plan of each of three bundled models."""
    rows: list[tuple[Cell, ...]] = []
    wrong = []
    for model, broken in (("blocks", "broken-order"), ("puzzle", "broken-diagonal"), ("trip", "broken-pays-first")):
        found = bundle(model)
        for plan in ("good", broken):
            files = [str(found.domain), str(found.problem), str(found.domain.parent / f"{plan}.plan")]
            commands = {name: [*command, *files] for name, command in _validators(there)}
            done = in_turn(commands, folder, runs=runs, seconds=SECONDS)
            for name, each in done.items():
                said = answer(each)
                rows.append((f"{model}, {plan}", name, *_figures(each, done["plan-validator"]), said))
                if name == "plan-validator" and (said == "valid") is not (plan == "good"):
                    wrong.append(f"{name} says '{said}' of {model}, {plan}")
    return Table(
        title="peers: short plans",
        about="whole processes that decide whether a plan of a bundled model is valid",
        columns=("plan", "program", "cpu s", "times ours", "MiB", "answer"),
        rows=tuple(rows),
        notes=notes,
        wrong=tuple(wrong),
    )


def _long(there: Mapping[str, Environment], folder: Path) -> Table:
    """Return the checks of ever longer valid plans; one that was killed is not asked again."""
    rows: list[tuple[Cell, ...]] = []
    wrong = []
    out: set[str] = set()
    for size in STEPS:
        generated = ring(100, 20, size)
        generated.write(folder)
        (folder / "plan").write_text(generated.plan, encoding="utf-8")
        files = ("domain.pddl", "problem.pddl", "plan")
        commands = {name: [*command, *files] for name, command in _validators(there) if name not in out}
        done = in_turn(commands, folder, runs=1 if size > 1_000 else 3, seconds=SECONDS)
        for name, each in done.items():
            said = answer(each)
            rows.append((size, name, *_figures(each, done["plan-validator"]), said))
            if each.is_killed:
                out.add(name)
            elif said != "valid":
                wrong.append(f"{name} says '{said}' of a valid plan of {size} steps")
    return Table(
        title="peers: long plans",
        about="whole processes, valid plans on a ring of 100 rooms with 20 parcels",
        columns=("steps", "program", "cpu s", "times ours", "MiB", "answer"),
        rows=tuple(rows),
        goals=_longest(rows),
        notes=(f"killed: after {SECONDS} s of wall clock",),
        wrong=tuple(wrong),
    )


def _longest(rows: Sequence[Sequence[Cell]]) -> tuple[Goal, ...]:
    """Return what the longest plan may take."""
    cpu, memory = next((row[2], row[4]) for row in reversed(rows) if row[1] == "plan-validator")
    assert isinstance(cpu, float) and isinstance(memory, float)
    return (
        Goal(what=f"{STEPS[-1]:,} steps", measured=cpu, limit=1.0, unit="s"),
        Goal(what=f"{STEPS[-1]:,} steps, memory", measured=memory, limit=60.0, unit="MiB"),
    )


def _figures(done: Run, ours: Run) -> tuple[float, float | None, float]:
    return done.cpu, ratio(done.cpu, ours.cpu), done.memory


# --- flows and metrics ---------------------------------------------------------------------------


def chain(length: int) -> dict[str, object]:
    """Return NL2Flow's definition of operators of which each yields what the next one needs."""
    return {
        "name": "chain",
        "operators": [
            {
                "name": f"op{number}",
                "inputs": [{"parameters": [f"x{number}"], "constraints": []}],
                "outputs": {"outcomes": [{"parameters": [f"x{number + 1}"], "constraints": []}]},
            }
            for number in range(length)
        ],
        "goal_items": [{"goals": {"goal_name": f"x{length}", "goal_type": "OBJECT_KNOWN"}}],
        "memory_items": [{"item_id": "x0", "item_state": "certain"}],
        "slot_properties": [{"slot_name": f"x{number}", "slot_desirability": 0.0} for number in range(length + 1)],
    }


def _flows(peer: Environment, folder: Path) -> Table:
    rows: list[tuple[Cell, ...]] = []
    wrong = []
    file = folder / "flow.json"
    out = False
    for length in CHAINS:
        file.write_text(json.dumps(chain(length)), encoding="utf-8")
        commands = {"plan-validator": [*PROGRAM, "plan", str(file)]}
        if not out:
            commands["nl2flow"] = [str(peer.python), "-W", "ignore", "-c", _NL2FLOW, str(file), str(SECONDS)]
        done = in_turn(commands, folder, runs=1, seconds=SECONDS)
        for name, each in done.items():
            lines = each.output.splitlines()
            found = sum("= op" in line for line in lines) if name == "plan-validator" else lines[-1] if lines else ""
            rows.append((length, name, *_figures(each, done["plan-validator"]), f"{found}" if each.code == 0 else "-"))
            out = out or each.is_killed
            if name == "plan-validator" and found != length:
                wrong.append(f"a plan of {length} steps was expected: {each.output[-200:]}")
    return Table(
        title="peers: flows",
        about="whole processes that plan a chain of operators from NL2Flow's own file; nl2flow with kstar-planner",
        columns=("operators", "program", "cpu s", "times ours", "MiB", "steps"),
        rows=tuple(rows),
        notes=(f"-: no plan after {SECONDS} s of wall clock",),
        wrong=tuple(wrong),
    )


def _measuring(python: Path | str, module: str, script: str, *arguments: str) -> list[str]:
    """Return a script as a command, with the metrics of a module."""
    code = f"from {module} import PlanningJaccard, PlanningLCS{script}"
    return [str(python), "-W", "ignore", "-c", code, *arguments]


def _metrics(peer: Environment, folder: Path, runs: int) -> Table:
    dice = random.Random(0)
    pairs = [[_text(dice), _text(dice)] for _ in range(_PAIRS)]
    (folder / "pairs.json").write_text(json.dumps(pairs), encoding="utf-8")
    commands = {
        "plan-validator": _measuring(sys.executable, _OURS, _METRICS, "pairs.json", "{}"),
        "plan-validator, compat": _measuring(sys.executable, _OURS, _METRICS, "pairs.json", '{"compat": "gaico"}'),
        "gaico": _measuring(peer.python, _GAICO, _METRICS, "pairs.json", "{}"),
    }
    done = in_turn(commands, folder, runs=runs, seconds=SECONDS)
    sums = {name: (each.output.strip().splitlines() or [""])[-1] for name, each in done.items()}
    is_read = done["gaico"].code == 0
    wrong = [f"the sums differ: {sums}"] if is_read and sums["gaico"] != sums["plan-validator, compat"] else []
    return Table(
        title="peers: metrics",
        about=f"whole processes, LCS and Jaccard of {_PAIRS:,} pairs of plans of {_PAIR_STEPS} steps",
        columns=("program", "cpu s", "times ours", "MiB", "sum of scores"),
        rows=tuple((name, *_figures(each, done["plan-validator"]), sums[name]) for name, each in done.items()),
        wrong=tuple(wrong),
    )


def _metrics_by_length(peer: Environment, folder: Path, runs: int) -> Table:
    """Return what a pair of plans of each length takes, where both have been imported."""
    dice = random.Random(1)
    kinds = [(form, length) for length in _LENGTHS for form in ("names", "calls")]
    groups = [
        [[_text(dice, length, form), _text(dice, length, form)] for _ in range(_PAIRS // length)]
        for form, length in kinds
    ]
    (folder / "lengths.json").write_text(json.dumps(groups), encoding="utf-8")
    commands = {
        "plan-validator": _measuring(sys.executable, _OURS, _BY_LENGTH, "lengths.json"),
        "gaico": _measuring(peer.python, _GAICO, _BY_LENGTH, "lengths.json"),
    }
    rounds = [in_turn(commands, folder, runs=1, seconds=SECONDS) for _ in range(runs)]
    ours, theirs = (
        [min(each) for each in zip(*(json.loads(done[name].output) for done in rounds), strict=True)]
        for name in commands
    )
    times = [ratio(other, one) for one, other in zip(ours, theirs, strict=True)]
    return Table(
        title="peers: metrics by length",
        about="LCS and Jaccard of a pair of plans, in one process, the fastest round",
        columns=("plans of", "steps", "cpu s", "gaico cpu s", "gaico / ours"),
        rows=tuple((*kind, *figures) for kind, *figures in zip(kinds, ours, theirs, times, strict=True)),
        goals=tuple(
            Goal(what=f"{form}, {length} steps", measured=one / other, limit=1.0, unit="times GAICO's")
            for (form, length), one, other in zip(kinds, ours, theirs, strict=True)
        ),
    )


def _text(dice: random.Random, steps: int = _PAIR_STEPS, form: str = "names") -> str:
    names = (f"a{dice.randrange(20)}" for _ in range(steps))
    return ", ".join(names if form == "names" else (f"{name}(b{dice.randrange(20)})" for name in names))


_SECONDS = 1_800
"""that an installation may take"""
_VERSIONS = """\
import json, sys
from importlib.metadata import version
print(json.dumps({name: version(name) for name in sys.argv[1:]}))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """An environment with the packages that were asked for."""

    python: Path
    versions: dict[str, str]

    def program(self, name: str) -> str:
        return str(self.python.with_name(name))

    def __str__(self) -> str:
        return ", ".join(f"{name} {version}" for name, version in self.versions.items())


def environment(folder: Path, name: str, *packages: str) -> Environment | str:
    """Return the environment of that name with the packages, made if it is not there; else why it cannot be."""
    place = folder / name
    python = place / "bin" / "python"
    found = _versions(python, packages) if python.exists() else None
    if found is None:
        EnvBuilder(with_pip=True, clear=True).create(place)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"skipped: {name}: the installation took more than {_SECONDS} s"
        found = _versions(python, packages)
        if found is None:
            errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            return f"skipped: {name}: {errors[-1] if errors else 'it cannot be installed'}"
    return Environment(python=python, versions=found)


def _versions(python: Path, packages: tuple[str, ...]) -> dict[str, str] | None:
    done = subprocess.run([python, "-c", _VERSIONS, *packages], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None
