"""The playground, built and opened in Chromium: bundled models are checked as CPython checks them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.playground import built, serving
from tests.conformance.cases import Case, cases
from tests.support.axe import PATIENCE, answered, browsing, faults
from validator import ModelError, check
from validator.model.bundled import Bundle, bundles
from validator.texts import no_path

pytestmark = pytest.mark.deep

NEED_PLANNER = {"behavior", "virtualhome"}
"""models with too many ground steps of more than literals"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if shutil.which("npm") is None:
        pytest.skip("needs npm")
    out, asked = tmp_path_factory.mktemp("playground"), list[str]()
    try:
        built(out)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no registry answers: {error}")
    with serving(out) as address, browsing() as found:
        found.on("request", lambda request: asked.append(request.url))
        found.goto(f"{address}index.html?patience={PATIENCE}")
        yield found
    assert all(url.startswith((address, "data:", "blob:")) for url in asked)


def shown(page: Any, model: Bundle, plan: Path) -> dict[str, str]:
    """Return what the page says of a plan."""
    page.wait_for_selector("#result[data-verdict]")
    page.evaluate("document.getElementById('model').open = true")
    for name, path in (("domain", model.domain), ("problem", model.problem), ("plan", plan)):
        page.fill(f"#field-{name}", path.read_text(encoding="utf-8"))
    answered(page, lambda: page.click("#ask"))
    return dict(page.evaluate("({...document.getElementById('result').dataset})"))


def test_bundled_models_are_checked_as_elsewhere(page: Any) -> None:
    without = set[str]()
    for model in bundles():
        plan = next(each for each in model.plans if each.name != "good.plan")
        found, report = shown(page, model, plan), check(model.domain, model.problem, plan, time_limit=120)
        assert found["verdict"] == {True: "yes", False: "no", None: "unknown"}[report.determination], model.name
        if page.locator("#result", has_text="pip install plan-validator").count():
            without.add(model.name)
        else:
            assert found["diff"] == report.plan_diff_str, model.name
    assert without == NEED_PLANNER


_ASK = """async ([domain, problem, plan]) => {
  const { ask } = await import(new URL("backend.js", location.href));
  return ask("check", { domain, problem, plan, repair: "no" }, null)
    .then((answer) => answer.verdict, (problem) => problem.title);
}"""


def verdict(case: Case) -> str:
    """Return what is said here of a case, as the page has it."""
    texts = (path.read_text(encoding="utf-8") for path in case.files)
    try:
        found = check(*(no_path(text) for text in texts), repair=False, time_limit=120)
    except ModelError:
        return "The model cannot be read"
    return {True: "yes", False: "no", None: "unknown"}[found.determination]


def test_conformance_cases_are_decided_as_elsewhere(page: Any) -> None:
    page.wait_for_selector("#result[data-verdict]")
    every = list(cases())
    shown = [page.evaluate(_ASK, [path.read_text(encoding="utf-8") for path in case.files]) for case in every]
    other = {
        str(case): (found, here) for case, found in zip(every, shown, strict=True) if found != (here := verdict(case))
    }
    assert len(every) > 200 and len(other) <= len(every) / 100, other


def test_a_link_holds_the_case(page: Any) -> None:
    model = bundles()[0]
    shown(page, model, model.plans[0])
    page.click("#share")
    page.wait_for_selector('#status:has-text("The link is in")')
    page.reload()
    page.wait_for_selector("#result[data-verdict=yes]")
    assert json.dumps(page.input_value("#field-plan")) == json.dumps(model.plans[0].read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["check", "read", "follow"])
def test_axe_finds_nothing(page: Any, name: str) -> None:
    page.evaluate("name => { location.hash = name; }", name)
    page.wait_for_selector(f'#pages a[aria-current][href="#{name}"]')
    answered(page, lambda: page.click("#ask"))
    assert faults(page) == []
