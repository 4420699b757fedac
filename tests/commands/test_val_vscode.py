"""The PDDL extension of VS Code: its own code, in node, calls links with the names of VAL's programs.

Its sources are never copied: they are taken from ``PLAN_VALIDATOR_PEERS``, a folder with the checkout ``vscode-pddl``,
or fetched once into the user's cache; where neither is possible, this is skipped.
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

from tests.support.serving import linked
from validator.model.bundled import bundle

pytestmark = pytest.mark.deep  # npm and the network may be slow

HERE = Path(__file__).parent / "vscode"
NAME, COMMIT = "vscode-pddl", "04647d1"  # under the MIT licence
PACKAGES = ("esbuild@0.28.2", "pddl-workspace@11.3.0", "ai-planning-val@2.10.0")

MODEL = bundle("blocks")
DOMAIN, PROBLEM = (path.read_text(encoding="utf-8") for path in (MODEL.domain, MODEL.problem))
PLANS = {path.stem: path.read_text(encoding="utf-8") for path in MODEL.plans}
OVER_TIME = {
    "domain": """(define (domain d) (:requirements :durative-actions) (:predicates (p) (q))
 (:durative-action x :parameters () :duration (= ?duration 1) :condition (and) :effect (at end (p)))
 (:durative-action y :parameters () :duration (= ?duration 1) :condition (at start (p)) :effect (at end (q))))""",
    "problem": "(define (problem e) (:domain d) (:init) (:goal (q)))",
}
"""The second act needs what the first makes true at its end."""


def _fetch(cache: Path) -> None:
    """Put the sources into the cache, from where they are or from where they are published."""
    given = os.environ.get("PLAN_VALIDATOR_PEERS")
    if given:
        (cache / NAME).symlink_to(Path(given) / NAME)
        return
    with urlopen(f"https://codeload.github.com/jan-dolejsi/{NAME}/tar.gz/{COMMIT}", timeout=20) as answer:
        data = io.BytesIO(answer.read())
    with tarfile.open(fileobj=data) as archive:
        archive.extractall(cache, filter="data")
    next(cache.glob(f"{NAME}-*")).rename(cache / NAME)


@pytest.fixture(scope="module")
def program() -> Iterator[Path]:
    """Yield a program that runs cases through the extension's code."""
    if shutil.which("npm") is None:
        pytest.skip("needs node and npm")
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "plan-validator-tests"
    cache, part = home / f"vscode-{COMMIT}", home / f"part-{os.getpid()}"
    try:
        if not cache.exists():
            part.mkdir(parents=True)
            _fetch(part)
            npm = ("npm", "install", "--prefix", str(part), *PACKAGES)
            subprocess.run(npm, check=True, capture_output=True, timeout=120)
            part.rename(cache)
    except (URLError, OSError, tarfile.TarError, subprocess.SubprocessError) as error:
        shutil.rmtree(part, ignore_errors=True)
        pytest.skip(f"the extension's sources cannot be had here: {error}")
    bundled = cache / f"driver-{os.getpid()}.cjs"
    subprocess.run(["node", HERE / "build.cjs", cache, bundled], check=True, timeout=60)
    yield bundled
    bundled.unlink()


Run = Callable[..., list[Any]]


@pytest.fixture
def run(program: Path) -> Run:
    def run(*cases: dict[str, Any]) -> list[Any]:
        asked = json.dumps(cases)
        found = subprocess.run(["node", program], input=asked, capture_output=True, text=True, check=True, timeout=120)
        return list(json.loads(found.stdout))

    return run


def _lines(found: dict[str, Any]) -> list[tuple[int, str]]:
    return [(one["range"]["start"]["line"], one["message"]) for one in found["diagnostics"]]


def test_the_program_in_vals_manner_is_enough(run: Run, tmp_path: Path) -> None:
    case = {"path": str(linked(tmp_path) / "validate"), "domain": DOMAIN, "problem": PROBLEM, "epsilon": 0.001}
    good, bad, late = run(
        {**case, "plan": PLANS["good"]},
        {**case, "plan": PLANS["broken-too-short"]},
        {**case, **OVER_TIME, "plan": "0: (x) [1]\n0.5: (y) [1]\n"},
    )
    assert good == {"error": None, "diagnostics": []}
    assert any("(Set (on a b) to true)" in message for _, message in _lines(bad))
    assert {line for line, _ in _lines(late)} == {1}, "the step that fails is marked"


def test_the_parser_in_vals_manner_is_enough(run: Run, tmp_path: Path) -> None:
    programs = linked(tmp_path)
    broken = PROBLEM.replace("(clear", "(clean", 1)
    line = next(number for number, text in enumerate(broken.splitlines()) if "clean" in text)
    case = {"domain": DOMAIN, "problem": broken}
    for name, syntax in (
        ("Parser", "$(domain) $(problem)"),
        ("plan-validator", "val-compat --parser $(domain) $(problem)"),
    ):
        (found,) = run({**case, "path": str(programs / name), "syntax": syntax})
        domain, problem = sorted(found.values(), key=len)
        assert domain == [] and problem[0]["range"]["start"]["line"] == line
