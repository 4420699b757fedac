"""The playground in headless Chromium: how long its first and its next checks take, by the clock."""

from __future__ import annotations

import importlib.util
import runpy
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.options import ROOT, Options
from benchmarks.table import Goal, Table, skipped

__all__ = ["built", "run", "serving"]

COLD, NEXT = 8.0, 0.05
"""seconds, at most"""
RUNS, CHECKS = 3, 9
_PATIENCE = 180_000
"""milliseconds"""


def run(options: Options) -> list[Table]:
    """Open the page anew, each time in a browser that has kept nothing, and ask again."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or shutil.which("npm") is None or importlib.util.find_spec("playwright") is None:
        return [skipped("playground", "it needs Chromium, npm and the package playwright (see --data)")]
    with TemporaryDirectory() as folder:
        built(Path(folder))
        with serving(Path(folder)) as address:
            found = [_opened(chromium, address) for _ in range(options.runs or RUNS)]
    first, later = median(cold for cold, _ in found), median(each for _, after in found for each in after)
    return [
        Table(
            title="playground",
            about="the playground in headless Chromium, wall seconds",
            columns=("first result", "next check", "opened", "checks each"),
            rows=((first, later, len(found), CHECKS),),
            goals=(
                Goal(what="first result", measured=first, limit=COLD, unit="s"),
                Goal(what="next check", measured=later, limit=NEXT, unit="s"),
            ),
        )
    ]


def built(folder: Path) -> None:
    """Build the site in a folder. Raises CalledProcessError where npm or pip cannot be reached."""
    runpy.run_path(str(ROOT / "docs" / "playground" / "build.py"))["build"](folder)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of this machine; give its address."""
    command = [sys.executable, "-u", "-m", "http.server", "-d", str(folder), "0", "--bind", "127.0.0.1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{server.stdout.readline().split('port ')[1].split()[0]}/"
        finally:
            server.terminate()


def _opened(chromium: str, address: str) -> tuple[float, list[float]]:
    """Return the seconds to the first result, and those of each check after it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        begun = time.monotonic()
        page.goto(f"{address}index.html?patience={_PATIENCE}")
        page.wait_for_selector("#result[data-verdict]", timeout=_PATIENCE)
        cold = time.monotonic() - begun
        later = [_asked(page) for _ in range(CHECKS)]
        browser.close()
    return cold, later


def _asked(page: Any) -> float:
    """Return the seconds from a click to the result, as the page itself sees them."""
    return float(page.evaluate(_ASK)) / 1000


_ASK = """() => new Promise(done => {
  const result = document.getElementById("result");
  result.dataset.verdict = "old";
  const begun = performance.now();
  new MutationObserver((changes, observer) => {
    if (result.dataset.verdict && result.dataset.verdict !== "old") {
      observer.disconnect();
      done(performance.now() - begun);
    }
  }).observe(result, {attributes: true});
  document.getElementById("ask").click();
})"""
