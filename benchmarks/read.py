"""Reading plan texts of a megabyte that a reader could choke on; ``python -m benchmarks.read NAME`` measures one.

Each is measured in a process of its own, which the system ends when it takes more CPU seconds than the limit.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from itertools import count, takewhile

from benchmarks.measure import cost_of, run_process
from benchmarks.models import DOMAIN, ring
from benchmarks.options import ROOT, Options
from benchmarks.table import Cell, Table
from validator.checking.check import check
from validator.checking.prepared import prepare
from validator.errors import PlanError
from validator.model.pddl import read_model
from validator.reading.tokens import tokenize

__all__ = ["run"]

SLOW = 2.0
"""CPU seconds from which a hostile text is listed as slow"""


def run(options: Options) -> list[Table]:
    """Measure each hostile plan text in a process of its own."""
    return [_hostile()]


def _hostile() -> Table:
    rows: list[tuple[Cell, ...]] = []
    slow, wrong = [], []
    for name in TEXTS:
        done = run_process([sys.executable, "-m", "benchmarks.read", name], directory=ROOT)
        lines = done.output.splitlines()
        if done.code == 0 and lines:
            found = json.loads(lines[-1])
            rows.append((name, found["tokenize"], found["check"], found["tokens"], found["answer"]))
            if found["check"] >= SLOW:
                slow.append(f"slow: {name}, {found['check']:.1f} s")
            if found["answer"] == "valid":
                wrong.append(f"{name}: {found['answer']}")
        else:
            why = f"over {CPU_LIMIT} s" if done.code < 0 else f"exit code {done.code}: {lines[-1] if lines else ''}"
            rows.append((name, None, None, None, why))
            wrong.append(f"{name}: {why}")
    return Table(
        title="read: hostile plan texts",
        about=f"CPU seconds for plan texts of {SIZE / 1e6:.0f} MB; check: tokens, execution, report, no repair",
        columns=("text", "tokenize s", "check s", "tokens", "answer"),
        rows=tuple(rows),
        notes=tuple(slow),
        wrong=tuple(wrong),
    )


SIZE = 1_000_000
CPU_LIMIT = 60


def _again(piece: str) -> Callable[[], str]:
    return lambda: piece * (SIZE // len(piece))


def _numbered(line: str) -> Callable[[], str]:
    """Return a text of different lines: ``{}`` in the line is its number."""
    length = len(line) + 3
    return lambda: "".join(line.format(number) for number in takewhile(lambda number: number * length < SIZE, count()))


def _nested(opening: str, closing: str, inside: str = "") -> Callable[[], str]:
    depth = SIZE // (len(opening) + len(closing))
    return lambda: opening * depth + inside + closing * depth


_SENTENCE = "First the robot should go to room1, then it can load parcel1 and carry it to the next room. "

TEXTS: dict[str, Callable[[], str]] = {
    "( ( ( ...": _again("("),
    ") ) ) ...": _again(")"),
    "() () ...": _again("()"),
    "a( a( ...": _again("a("),
    "a(); a(); ...": _again("a();"),
    "(a (a ...": _again("(a "),
    "a) a) ...": _again("a) "),
    "((a) ...": _again("((a)"),
    "nested ((()))": _nested("(", ")"),
    "nested (a (a b))": _nested("(a ", ")", "b"),
    "nested a(a(b))": _nested("a(", ")", "b"),
    "one line of prose": _again(_SENTENCE),
    "lines of prose": _again(_SENTENCE + "\n"),
    "one long word": _again("a"),
    "blanks": _again(" "),
    "empty lines": _again("\n"),
    "comments ;": _again(";\n"),
    "semicolons in a line": _again(";"),
    "numbers 1.": _again("1. "),
    "stamps 0:": _again("0: "),
    "stamp of many digits": lambda: "1" * (SIZE - 30) + ": (move bot room0 room1)\n",
    "duration of many digits": lambda: "(move bot room0 room1) [" + "1" * (SIZE - 30) + "]\n",
    "digits": _again("1"),
    "bullets -": _again("- "),
    "brackets [": _again("["),
    "nested []": _nested("[", "]"),
    "braces {": _again("{"),
    'nested {"a":': _nested('{"a":', "}", "1"),
    "JSON list": lambda: "[" + _again('{"action": "LEFT_GRASP", "object": "candle_0"},')() + "{}]",
    "JSON strings": lambda: '["' + _again('\\"')() + '"]',
    "sets {a,": _again("{a, "),
    "names a, a,": _again("a, "),
    "quotes": _again('"'),
    "backticks": _again("`"),
    "stars": _again("*"),
    "equals": _again("= "),
    "outputs y =": _again("y = "),
    "assert": _again("assert "),
    "assert lines": _again("assert not $a > 10\n"),
    "scripts [WALK] <": _again("[WALK] <"),
    "no plan exists": _again("there is no plan "),
    "labels a:": _again("a: "),
    "fences": _again("```\n"),
    "unclosed lines": _again("(move bot room0\n"),
    "steps in a line": _again("(move bot room0 room1) "),
    "commas (a, b)": _again("(a, b)\n"),
    "calls with a blank": lambda: _again("move (bot, room0) ")()[:440_000],
    "unclosed plans (a": lambda: _again("(a\n")()[:140_000],
    "unknown actions": _numbered("(mvoe{} bot room0 room1)\n"),
    "unknown objects": _numbered("(move bot rom{} room1)\n"),
    "steps not applicable": _again("(move bot room5 room6)\n"),
    "steps in words": _numbered("move bot room{} room1\n"),
    "mentions": _again("then do (move bot room0 room1) and "),
    "one step of 1 MB": lambda: "(move " + _again("room0 ")() + ")",
    "equal stamps": _again("0.0: (move bot room0 room1)\n"),
    "carriage returns": _again("(move bot room0 room1)\r"),
    "NUL": _again("\0"),
    "wide blanks": _again("\u3000"),
}


def main(name: str) -> None:
    """Print the CPU seconds of tokenizing and of a whole check as one line of JSON."""
    text = TEXTS[name]()
    prepared = prepare(read_model(DOMAIN, ring(100, 20, 10).problem))
    check(prepared, None, "(move bot room0 room1)\n", repair=False)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT))

    def tokens() -> int | None:
        try:
            return len(tokenize(text, prepared.vocabulary).tokens)
        except PlanError:
            return None

    def answer() -> str:
        try:
            report = check(prepared, None, text, repair=False)
        except PlanError:
            return "refused"
        return {True: "valid", False: "not valid", None: "not known"}[report.determination]

    tokenizing, number = cost_of(tokens)
    checking, said = cost_of(answer)
    print(json.dumps({"tokenize": tokenizing.cpu, "check": checking.cpu, "tokens": number, "answer": said}))


if __name__ == "__main__":
    main(sys.argv[1])
