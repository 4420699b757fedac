"""Reports as HTML, looked at by axe; the workbench is in ``tests/service/test_service_page.py``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")

from tests.support.axe import browsing, faults
from validator.cli import main
from validator.model.bundled import bundle
from validator.service.http.examples import examples, over_time_example

pytestmark = [pytest.mark.deep, pytest.mark.planner]


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    with browsing() as found:
        yield found


def _model(name: str) -> list[str]:
    return [str(bundle(name).domain), str(bundle(name).problem)]


def _file(folder: Path, name: str, value: Any) -> str:
    (folder / name).write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return str(folder / name)


def _check(folder: Path) -> list[str]:
    folder = bundle("blocks").domain.parent
    return ["check", *_model("blocks"), str(folder / "broken-order.plan"), "--animation", str(folder / "animation.ap")]


def _check_over_time(folder: Path) -> list[str]:
    asked = over_time_example()
    files = [_file(folder, name, asked[name]) for name in ("domain", "problem", "plan")]
    return ["check", *files, "--timeline"]


def _check_unread(folder: Path) -> list[str]:
    return ["check", *_model("blocks"), _file(folder, "plan", "First lift b, then\nfrobnicate it, then (place b c)\n")]


def _read(folder: Path) -> list[str]:
    return ["read", *_model("blocks"), _file(folder, "plan", "Lift b. Then frobnicate it.\n1. (place b c)\n")]


def _adhere(folder: Path) -> list[str]:
    asked = examples()["adherence"]
    return [
        "adhere",
        _file(folder, "plan", "".join(f"({one})\n" for one in asked["plan"])),
        _file(folder, "t.json", asked["trace"]),
    ]


def _conform(folder: Path) -> list[str]:
    calls = [{"name": name, "arguments": {}} for name in ("pay", "verify")]
    policy = _file(folder, "shop.policy", "verify before pay\nat most 1 pay\n")
    return ["conform", policy, _file(folder, "run.json", calls)]


@pytest.mark.parametrize("command", [_check, _check_over_time, _check_unread, _read, _adhere, _conform])
def test_reports_as_html(page: Any, command: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = command(tmp_path)
    capsys.readouterr()
    assert main([*asked, "--format", "html"]) in (0, 1, 3)
    page.goto(f"file://{_file(tmp_path, 'page.html', capsys.readouterr().out)}")
    assert faults(page) == []
