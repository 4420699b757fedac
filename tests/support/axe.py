"""A page in Chromium, and axe, which finds what keeps people from using it: contrast, names, what no key reaches."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

PATIENCE = 180_000
"""milliseconds, far above need: a busy machine loads Python in many seconds"""

_PACKAGE = "axe-core@4.14.1"
_WIDTHS = (390, 768, 1280)
_RUN = """async () => (await axe.run(document)).violations.flatMap(({ id, nodes }) =>
  nodes.map((one) => `${id}: ${one.target} ${one.failureSummary.split("\\n").slice(1, 2)}`))"""


@contextmanager
def chromium(*options: str) -> Iterator[Any]:
    """Yield the browser of the machine, started with options of its command line."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("needs Chromium")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", *options])
        yield browser
        browser.close()


@contextmanager
def browsing() -> Iterator[Any]:
    """Yield an empty page of a browser."""
    with chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        yield page


def answered(page: Any, act: Callable[[], object]) -> str:
    """Do on the workbench what asks a question, wait for its answer, and return the verdict."""
    page.wait_for_selector("#pages a")
    page.evaluate("document.getElementById('result').dataset.verdict = 'old'")
    act()
    page.wait_for_selector("#result[data-verdict]:not([data-verdict=old]) > *")
    return str(page.get_attribute("#result", "data-verdict"))


@cache
def _source() -> str:
    if shutil.which("npm") is None:
        pytest.skip("needs npm")
    with TemporaryDirectory() as folder:
        try:
            subprocess.run(["npm", "pack", "--silent", _PACKAGE], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no registry answers: {error}")
        shutil.unpack_archive(next(Path(folder).glob("*.tgz")), folder)
        return Path(folder, "package", "axe.min.js").read_text(encoding="utf-8")


def faults(page: Any) -> list[str]:
    """Return what axe finds in a page, light and dark, on a phone, a tablet and a desk, all of it unfolded."""
    page.evaluate("() => { for (const one of document.querySelectorAll('details')) one.open = true; }")
    page.evaluate(_source())
    found = list[str]()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in _WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            found += (f"{scheme}, {width}: {fault}" for fault in page.evaluate(_RUN))
            if page.evaluate("document.documentElement.scrollWidth") > width:
                found.append(f"{scheme}, {width}: wider than the screen")
    return found
