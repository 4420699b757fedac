"""Words of the version before are taken by every way in, as the words of today, and shown by none."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.places import ROOT
from validator.cli import main
from validator.questions.check import Check
from validator.service.operations.requests import read_request, reader

BLOCKS = [str(ROOT / "domains" / "blocks" / name) for name in ("domain.pddl", "problem.pddl")]
PLAN = str(ROOT / "domains" / "blocks" / "broken-order.plan")
GOOD = str(ROOT / "domains" / "blocks" / "good.plan")


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.json").write_text('[{"name": "take", "arguments": {"x": "b", "y": "d"}}]')
    Path("rules").write_text("at most 1 take\n")
    Path("tools.json").write_text('[{"name": "find", "output_parameters": [{"name": "hotel"}]}]')
    Path("calls.json").write_text('[{"name": "find", "arguments": {}}]')
    Path("stay.json").write_text(
        '{"flow": "s", "operators": [{"name": "find", "outputs": ["h"]}], "goals": [{"known": "h"}]}'
    )
    Path("done.plan").write_text("h = find()\n")


@pytest.mark.usefixtures("trace")
@pytest.mark.parametrize(
    ("former", "now"),
    [
        (["check", *BLOCKS, PLAN, "--policy", "keep"], ["check", *BLOCKS, PLAN, "--nearest", "keep"]),
        (["check", *BLOCKS, GOOD, "--trace"], ["check", *BLOCKS, GOOD, "--timeline"]),
        (["adhere", GOOD, "run.json", "--model", *BLOCKS], ["adhere", *BLOCKS, GOOD, "run.json"]),
        (["adhere", "-", "run.json", "--model", *BLOCKS], ["adhere", *BLOCKS, "run.json"]),
        (["conform", "rules", "run.json", "--model", *BLOCKS], ["conform", *BLOCKS, "rules", "run.json"]),
        (
            ["compare", PLAN, GOOD, "--domain", BLOCKS[0], "--problem", BLOCKS[1], "--metrics", "lcs,same-effect"],
            ["compare", *BLOCKS, PLAN, GOOD, "--metrics", "lcs", "--metrics", "same-effect"],
        ),
        (["repair-loop", *BLOCKS, "--command", f"cat {GOOD}"], ["repair-loop", *BLOCKS, "--llm", f"cat {GOOD}"]),
        (
            ["calls", "tools.json", "calls.json", "--goal", "find"],
            ["calls", "tools.json", "calls.json", "--goals", "find"],
        ),
        (["plan", "stay.json", "--observed-prefix", "done.plan"], ["plan", "stay.json", "--prefix", "done.plan"]),
    ],
)
def test_a_command_takes_them(capsys: pytest.CaptureFixture[str], former: list[str], now: list[str]) -> None:
    codes, shown = [], []
    for words in (former, now):
        codes.append(main(words))
        printed = capsys.readouterr()
        shown.append((re.sub(r"\(\d+\.\d s\)", "", printed.out), printed.err))
    assert codes[0] == codes[1] != 2, shown
    assert shown[0] == shown[1] and shown[0][0]


def test_a_request_takes_them() -> None:
    asked = read_request(Check, json.dumps({"plan": "", "policy": "keep", "trace": True}))
    assert asked == read_request(Check, json.dumps({"plan": "", "nearest": "keep", "timeline": True}))
    assert not {"policy", "trace"} & reader(Check).json_schema()["properties"].keys()
