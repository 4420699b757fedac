"""A command and what it prints as a picture of a terminal: ``python -m benchmarks.terminal`` draws README's anew.

The picture takes the colours of light or dark from who looks at it, and loads nothing.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Sequence
from html import escape
from textwrap import wrap

from benchmarks.options import ROOT
from benchmarks.process import PROGRAM

__all__ = ["COMMAND", "PICTURE", "drawn", "printed"]

COMMAND = "plan-validator check domains/blocks/domain.pddl domains/blocks/problem.pddl domains/blocks/broken-order.plan"
PICTURE = ROOT / "docs" / "images" / "check.svg"

_SIZE, _LINE, _WIDTH, _PAD = 14, 20, 8.43, 20
"""of a character and a line, in pixels; and the margin"""
_COLUMNS = 64
_STYLE = """\
svg { color-scheme: light dark }
rect { fill: #f6f8fa; stroke: #d0d7de }
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; white-space: pre }
.add { fill: #1a7f37 } .del { fill: #cf222e } .hunk { fill: #6639ba } .no { fill: #cf222e; font-weight: 700 }
.prompt { fill: #59636e } .proven { font-weight: 700 }
@media (prefers-color-scheme: dark) {
  rect { fill: #151b23; stroke: #3d444d } text { fill: #f0f6fc }
  .add { fill: #3fb950 } .del, .no { fill: #ff7b72 } .hunk { fill: #d2a8ff } .prompt { fill: #9198a1 }
}"""
_CLASSES = [
    (re.compile(r"\$ "), "prompt"),
    (re.compile(r"NOT (SOUND|VALID|OPTIMAL)"), "no"),
    (re.compile(r"\+"), "add"),
    (re.compile(r"-"), "del"),
    (re.compile(r"@@"), "hunk"),
    (re.compile(r"The nearest"), "proven"),
]


def printed(command: str) -> list[str]:
    """Return the lines that a command prints in the checkout."""
    program, *arguments = shlex.split(command)
    assert program == "plan-validator"
    return subprocess.run(
        [*PROGRAM, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()


def drawn(command: str, lines: Sequence[str]) -> str:
    """Return the picture of a command and of what it prints."""
    shown = [*_wrapped(f"$ {command}"), *lines]
    width = round(_COLUMNS * _WIDTH + 2 * _PAD)
    height = len(shown) * _LINE + 2 * _PAD
    rows = "\n".join(_row(line, _PAD + _SIZE + number * _LINE) for number, line in enumerate(shown))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(command)}: {escape(lines[0])}">\n<style>\n{_STYLE}\n</style>\n'
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>\n{rows}\n</svg>\n'
    )


def _wrapped(line: str) -> list[str]:
    """Break a command before the word that does not fit, as a shell takes it."""
    *others, last = wrap(line, _COLUMNS - 2, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return [*(f"{other} \\" for other in others), last]


def _row(line: str, y: int) -> str:
    kind = next((name for pattern, name in _CLASSES if pattern.match(line)), "")
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{_PAD}" y="{y}" xml:space="preserve">{escape(line)}</text>'


if __name__ == "__main__":
    PICTURE.write_text(drawn(COMMAND, printed(COMMAND)), encoding="utf-8")
