"""Reports as HTML, looked at by axe; the workbench is in ``tests/service/test_service_page.py``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")

from tests.support.axe import browsing, faults
from tests.support.places import ROOT
from validator.cli import main
from validator.service.http.examples import examples, over_time_example

pytestmark = [pytest.mark.deep, pytest.mark.planner]


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    with browsing() as found:
        yield found


BLOCKS = "domains/blocks/domain.pddl domains/blocks/problem.pddl"
FILES = {
    **{f"oven.{part}": over_time_example()[part] for part in ("domain", "problem", "plan")},
    "unread.plan": "First lift b, then\nfrobnicate it, then (place b c)\n",
    "words.txt": "Lift b. Then frobnicate it.\n1. (place b c)\n",
    "followed.plan": "".join(f"({step})\n" for step in examples()["adherence"]["plan"]),
    "trace.json": json.dumps(examples()["adherence"]["trace"]),
    "shop.policy": "verify before pay\nat most 1 pay\n",
    "run.json": json.dumps([{"name": name, "arguments": {}} for name in ("pay", "verify")]),
}


@pytest.mark.parametrize(
    "command",
    [
        f"check {BLOCKS} domains/blocks/broken-order.plan --animation domains/blocks/animation.ap",
        "check oven.domain oven.problem oven.plan --timeline",
        f"check {BLOCKS} unread.plan",
        f"read {BLOCKS} words.txt",
        "adhere followed.plan trace.json",
        "conform shop.policy run.json",
    ],
)
def test_reports_as_html(
    page: Any, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "domains").symlink_to(ROOT / "domains")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main([*command.split(), "--format", "html"]) in (0, 1, 3)
    (tmp_path / "page.html").write_text(capsys.readouterr().out, encoding="utf-8")
    page.goto(f"file://{tmp_path}/page.html")
    assert faults(page) == []
