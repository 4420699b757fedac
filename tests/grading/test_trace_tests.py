"""Regression files with traces: followed or not, kept or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from validator.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    run = [{"name": name, "arguments": {}, "result": 1} for name in ("pay", "verify")]
    (tmp_path / "run.json").write_text(json.dumps(run))
    (tmp_path / "shop.policy").write_text("verify before pay\n")
    (tmp_path / "good.plan").write_text("pay()\nverify()\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _test(cases: str, *options: str) -> int:
    Path("x.plan-test.yaml").write_text(f"cases:\n{cases}")
    return main(["test", "x.plan-test.yaml", *options])


def test_verdicts_on_traces(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _test(
        "- {trace: run.json, policy: shop.policy, verdict: not kept, call: 1}\n"
        "- {trace: run.json, plan: good.plan, verdict: followed}\n"
    ) == 0  # fmt: skip
    assert "ok    x.plan-test.yaml: run.json not kept by shop.policy" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["text", "json", "junit", "sarif", "github"])
def test_what_is_not_as_expected(folder: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    assert _test("- {trace: run.json, policy: shop.policy, verdict: kept}\n", "--format", form) == 1
    assert "expected kept, got not kept" in capsys.readouterr().out


@pytest.mark.parametrize(
    "case",
    [
        "{trace: run.json, policy: shop.policy, verdict: followed}",
        "{trace: run.json, policy: shop.policy, plan: good.plan, verdict: kept}",
        "{trace: run.json, plan: good.plan, verdict: valid}",
        "{trace: none.json, plan: good.plan, verdict: followed}",
    ],
)
def test_what_cannot_be_read(folder: Path, case: str) -> None:
    assert _test(f"- {case}\n") == 2
