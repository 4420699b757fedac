"""The environments of docs/examples, each run by the evaluation of its own framework with a scripted model.

Frameworks pin what others need in other versions, so they are looked for in the interpreters that VERIFIERS_PYTHON and
OPENENV_PYTHON name, and else in this one; where they are missing, the tests are skipped and say so.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.support.places import ROOT
from validator.reward import score

EXAMPLES = ROOT / "docs" / "examples"


@pytest.fixture(scope="module")
def generator() -> Iterator[dict[str, object]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLES))
        import plan_problems  # type: ignore[import-not-found]

        yield vars(plan_problems)
        sys.modules.pop("plan_problems")


@pytest.mark.parametrize("domain", ["blocks", "delivery", "lights"])
@pytest.mark.parametrize("difficulty", [2, 3, 7])
def test_generated_plans_are_valid(generator: dict[str, object], domain: str, difficulty: int) -> None:
    problems, broken = generator["problems"], generator["broken"]
    assert callable(problems) and callable(broken)
    for one in problems(domain, difficulty, range(5)):
        plans = [one.plan, broken(one.plan, 2, 0)]
        found = score((one.domain, one.problem), plans, steps=False, time_limit=60)
        assert found[0].valid and 0 <= found[1].value <= 1
        assert found[1].distance is not None and found[1].distance <= 4


def interpreter(variable: str, module: str) -> str:
    found = os.environ.get(variable, sys.executable)
    if subprocess.run([found, "-c", f"import {module}"], capture_output=True, check=False).returncode:
        pytest.skip(f"{module} is not installed in {found}; {variable} may name an interpreter that has it")
    return found


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(EXAMPLES))), "NO_KEY": "none"}


class Scripted(BaseHTTPRequestHandler):
    """A model that answers the first problem with a plan, and others with the plan of that one."""

    plan = ""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert re.search(r"\(define \(problem", asked["messages"][-1]["content"])
        message = {"role": "assistant", "content": self.plan}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        found = {"id": "1", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice]}
        content = json.dumps({**found, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.mark.deep
def test_verifiers_evaluates_the_environment_with_a_scripted_model(
    generator: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = interpreter("VERIFIERS_PYTHON", "verifiers.v1")
    problems = generator["problems"]
    assert callable(problems)
    first, second = next(problems("blocks", 6, [0])), next(problems("delivery", 6, [0]))
    monkeypatch.setattr(Scripted, "plan", first.plan)
    command = [str(Path(python).with_name("vf-eval")), "planning_env", "--model", "scripted", "--no-push"]
    command += ["--env.agent.runtime.type", "subprocess", "--env.taskset.count", "2", "--no-rich"]
    with ThreadingHTTPServer(("127.0.0.1", 0), Scripted) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        command += ["--client.base-url", f"http://127.0.0.1:{server.server_port}/v1", "--client.api-key-var", "NO_KEY"]
        command += ["--output-dir", str(tmp_path)]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
        server.shutdown()
    assert not done.returncode, done.stderr
    (path,) = tmp_path.glob("*/traces.jsonl")
    traces = [each for line in path.read_text().splitlines() for each in json.loads(line)["traces"]]
    values = {each["task"]["data"]["name"]: each["rewards"]["plan_reward"]["score"] for each in traces}
    (wrong,) = score((second.domain, second.problem), [first.plan], steps=False, time_limit=60)
    assert values == {first.name: 1.0, second.name: wrong.value}


@pytest.mark.deep
def test_openenv_serves_the_environment(generator: dict[str, object]) -> None:
    python = interpreter("OPENENV_PYTHON", "openenv.core")
    problems = generator["problems"]
    assert callable(problems)
    plan = next(problems("blocks", 6, [3])).plan
    script = (
        "import json, sys\nfrom fastapi.testclient import TestClient\n"
        "from planning_openenv import PlanAction, PlanningEnvironment, app\n"
        "one = PlanningEnvironment()\nseen = one.reset(seed=3)\n"
        "steps = [one.step(PlanAction(plan=plan)).reward for plan in json.load(sys.stdin)]\n"
        "with TestClient(app) as client:\n    reset = client.post('/reset', json={'seed': 3}).json()\n"
        "print(json.dumps([steps, one.state.step_count, reset['observation']['problem'] == seen.problem]))\n"
    )
    done = subprocess.run(
        [python, "-c", script],
        input=json.dumps([plan, ""]),
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [[1.0, 0.0], 2, True]
