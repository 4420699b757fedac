"""The PDDL extension of VS Code and its planning client: their own code, in node, against the service.

Their sources are never copied: they are taken from ``PLAN_VALIDATOR_PEERS``, a folder with the checkouts
``vscode-pddl`` and ``pddl-planning-service-client``, or fetched once into the user's cache; where neither is possible,
this is skipped.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

pytest.importorskip("fastapi")

from tests.support.serving import linked, serving
from validator.model.bundled import bundle

pytestmark = pytest.mark.deep  # npm and the network may be slow

HERE = Path(__file__).parent / "vscode"
PINNED = {  # all under the MIT licence
    "vscode-pddl": "04647d1",
    "pddl-planning-service-client": "afaa877",
}
PACKAGES = ("esbuild@0.28.2", "pddl-workspace@11.3.0", "ai-planning-val@2.10.0")

MODEL = bundle("blocks")
DOMAIN, PROBLEM = (path.read_text(encoding="utf-8") for path in (MODEL.domain, MODEL.problem))
PLANS = {path.stem: path.read_text(encoding="utf-8") for path in MODEL.plans}
PDDL = {"domain": DOMAIN, "problem": PROBLEM, "epsilon": 0.001}
OVER_TIME = {
    "domain": """(define (domain d) (:requirements :durative-actions) (:predicates (p) (q))
 (:durative-action x :parameters () :duration (= ?duration 1) :condition (and) :effect (at end (p)))
 (:durative-action y :parameters () :duration (= ?duration 1) :condition (at start (p)) :effect (at end (q))))""",
    "problem": "(define (problem e) (:domain d) (:init) (:goal (q)))",
    "plan": "0: (x) [1]\n1.01: (y) [1]\n",
}
"""Two acts that stand 0.01 apart; the second needs what the first makes true."""


def _sources(cache: Path) -> None:
    """Put the sources into the cache, from where they are or from where they are published."""
    given = os.environ.get("PLAN_VALIDATOR_PEERS")
    for name, commit in PINNED.items():
        if given:
            (cache / name).symlink_to(Path(given) / name)
            continue
        with urlopen(f"https://codeload.github.com/jan-dolejsi/{name}/tar.gz/{commit}", timeout=20) as answer:
            data = io.BytesIO(answer.read())
        with tarfile.open(fileobj=data) as archive:
            archive.extractall(cache, filter="data")
        next(cache.glob(f"{name}-*")).rename(cache / name)


@pytest.fixture(scope="module")
def bundled() -> Path:
    """Return a program that runs cases through the extension's code."""
    if shutil.which("npm") is None:
        pytest.skip("needs node and npm")
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "plan-validator-tests"
    cache = home / "-".join(("vscode", *PINNED.values()))
    try:
        if not cache.exists():
            part = home / f"part-{os.getpid()}"
            part.mkdir(parents=True)
            _sources(part)
            npm = ("npm", "install", "--prefix", str(part), *PACKAGES)
            subprocess.run(npm, check=True, capture_output=True, timeout=120)
            part.rename(cache)
    except (URLError, OSError, tarfile.TarError, subprocess.SubprocessError) as error:
        shutil.rmtree(home / f"part-{os.getpid()}", ignore_errors=True)
        pytest.skip(f"the extension's sources cannot be had here: {error}")
    program = cache / f"driver-{os.getpid()}.cjs"
    subprocess.run(["node", HERE / "build.cjs", cache, program], check=True, timeout=60)
    return program


Run = Callable[..., list[Any]]


@pytest.fixture(scope="module")
def run(bundled: Path) -> Iterator[Run]:
    def run(*cases: dict[str, Any]) -> list[Any]:
        found = subprocess.run(
            ["node", bundled], input=json.dumps(cases), capture_output=True, text=True, check=True, timeout=120
        )
        return list(json.loads(found.stdout))

    yield run
    bundled.unlink()


@pytest.fixture(scope="module")
def address(bundled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("service")) as where:
        yield where


def _lines(found: dict[str, Any]) -> list[tuple[int, str]]:
    return [(one["range"]["start"]["line"], one["message"]) for one in found["diagnostics"]]


def test_a_plan_is_validated_by_the_service(run: Run, address: str) -> None:
    case = {"kind": "plan-service", "path": f"{address}/validate", **PDDL}
    good, bad = run({**case, "plan": PLANS["good"]}, {**case, "plan": PLANS["broken-order"]})
    assert good == {"error": None, "diagnostics": []}
    faulty = PLANS["broken-order"].splitlines()
    at, message = _lines(bad)[0]
    assert faulty[at].strip("()") in message and bad["error"] is None


def test_the_editors_epsilon_decides(run: Run, address: str) -> None:
    case = {"kind": "plan-service", "path": f"{address}/validate", **OVER_TIME}
    found = run(*({**case, "epsilon": epsilon} for epsilon in (0.001, 0.01, 0.1, 1e-7)))
    assert [bool(one["diagnostics"]) for one in found] == [False, False, True, False]


def test_a_domain_and_its_problems_are_parsed_by_the_service(run: Run, address: str) -> None:
    broken = PROBLEM.replace("(clear", "(clean", 1)
    line = next(number for number, text in enumerate(broken.splitlines()) if "clean" in text)
    case = {"kind": "parser-service", "path": f"{address}/parse", "domain": DOMAIN}
    good, bad = run({**case, "problems": [PROBLEM]}, {**case, "problems": [PROBLEM, broken]})
    assert all(found == [] for found in good.values()) and len(good) == 2
    domain, first, second = bad.values()
    assert domain == first == []
    assert second[0]["range"]["start"]["line"] == line and "did you mean" in second[0]["message"]


@pytest.mark.planner
def test_a_plan_is_found_in_both_shapes(run: Run, address: str) -> None:
    steps = [line.strip("()") for line in PLANS["good"].splitlines() if line.startswith("(")]
    paths = {"solve": f"{address}/solve", "package": f"{address}/package/plan-validator/solve"}
    for found in run(*({"kind": kind, "path": path, **PDDL} for kind, path in paths.items())):
        assert [len(plan) for plan in found["plans"]] == [len(steps)]
    impossible = PROBLEM.replace("(on a b) (on b c)", "(on a b) (on b a)")
    unread = DOMAIN.replace(":effect", ":affect", 1)
    for more, said in (({"problem": impossible}, "no plan exists"), ({"domain": unread}, "affect")):
        for found in run(*({"kind": kind, "path": path, **PDDL, **more} for kind, path in paths.items())):
            assert found["plans"] == [] and said in found["said"]


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Return a folder with links of the names of VAL's programs."""
    return linked(tmp_path)


def test_the_program_in_vals_manner_is_enough(run: Run, programs: Path) -> None:
    plans = {"kind": "plan-executable", "path": str(programs / "validate"), **PDDL}
    good, bad, late = run(
        {**plans, "plan": PLANS["good"]},
        {**plans, "plan": PLANS["broken-too-short"]},
        {**plans, **OVER_TIME, "plan": "0: (x) [1]\n0.5: (y) [1]\n"},
    )
    assert good == {"error": None, "diagnostics": []}
    assert any("(Set (on a b) to true)" in message for _, message in _lines(bad))
    assert {line for line, _ in _lines(late)} == {1}, "the step that fails is marked"


def test_the_parser_in_vals_manner_is_enough(run: Run, programs: Path) -> None:
    broken = PROBLEM.replace("(clear", "(clean", 1)
    line = next(number for number, text in enumerate(broken.splitlines()) if "clean" in text)
    case = {"kind": "parser-executable", "domain": DOMAIN, "syntax": "$(domain) $(problem)"}
    case["path"] = str(programs / "Parser")
    other = {**case, "path": str(programs / "plan-validator"), "syntax": "val-compat --parser $(domain) $(problem)"}
    for found in run({**case, "problem": broken}, {**other, "problem": broken}):
        domain, problem = sorted(found.values(), key=len)
        assert domain == [] and problem[0]["range"]["start"]["line"] == line
