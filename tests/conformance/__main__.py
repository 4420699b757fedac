"""``list`` the cases, ``run`` a validator on them, write the ``table`` of validators or the ``support`` table."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from . import tables
from .cases import cases
from .runner import Judged, Outcome, run
from .validators import VALIDATORS, MissingError, PlanValidator, find

_GIB = 2**30


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 all is well, 1 an answer is wrong, 2 a validator is missing."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.do(options))
    except MissingError as error:
        print(error, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m {__package__}", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, do, about in (
        ("list", _list, "the cases, their verdicts, and why"),
        ("run", _run, "what one validator answers"),
        ("table", _table, "who answers what, as Markdown, of all validators that run here"),
        ("support", _support, "what plan-validator reads, executes, repairs and proves, as Markdown"),
    ):
        command = commands.add_parser(name, help=about, description=about)
        command.set_defaults(do=do)
        command.add_argument("--only", default="*", metavar="PATTERN", help="MODEL, or a pattern of MODEL/PLAN")
        if name == "list":
            continue
        command.add_argument("--seconds", type=float, default=120.0, help="for one process; default: 120")
        command.add_argument("--memory", type=int, default=4, metavar="GIB", help="for one process; default: 4")
        command.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at the same time")
        if name == "run":
            command.add_argument("--json", action="store_true", help="one line of JSON for each case")
        else:
            command.add_argument("--write", type=Path, metavar="PAGE", help="replace the table in this page")
        if name != "support":
            several = {"required": True} if name == "run" else {"action": "append"}
            known = ", ".join(VALIDATORS)
            command.add_argument("--validator", metavar="NAME[=PROGRAM]", help=f"{known}", **several)
        else:
            command.add_argument("--validator", default="plan-validator", metavar="plan-validator[=PROGRAM]")
    return parser


def _list(options: argparse.Namespace) -> int:
    for case in cases(options.only):
        print(f"{case!s:50} {case.verdict:12} {case.reason}")
    return 0


def _judged(options: argparse.Namespace, validator: object) -> list[Judged]:
    limits = {"seconds": options.seconds, "memory": options.memory * _GIB, "jobs": options.jobs}
    return list(run(validator, cases(options.only), **limits))  # type: ignore[arg-type]


def _run(options: argparse.Namespace) -> int:
    judged = _judged(options, find(options.validator))
    for one in judged:
        print(_json(one) if options.json else _line(one))
    if not options.json:
        print()
        print(tables.summary({options.validator.partition("=")[0]: judged}))
    return 0 if all(one.is_right for one in judged) else 1


def _line(one: Judged) -> str:
    told = "; ".join(filter(None, (one.answer.text, *one.differences)))
    right = "" if one.outcome is Outcome.AGREES else f" expected {one.case.verdict}: {one.case.reason}"
    return f"{one.outcome.value:10} {one.case!s:50} {one.answer.verdict:8} {told}{right}"


def _json(one: Judged) -> str:
    shown = {"case": str(one.case), "expected": one.case.verdict, "reason": one.case.reason}
    answer = {"answer": one.answer.verdict, "text": one.answer.text, "outcome": one.outcome.value}
    return json.dumps(shown | answer | {"differences": one.differences, "is_right": one.is_right})


def _table(options: argparse.Namespace) -> int:
    answers = {}
    for name in options.validator or VALIDATORS:
        try:
            validator = find(name)
        except MissingError as error:
            print(error, file=sys.stderr)
            continue
        answers[name.partition("=")[0]] = _judged(options, validator)
    return _put(options, "table", tables.who_answers(answers))


def _support(options: argparse.Namespace) -> int:
    found = find(options.validator)
    validator = PlanValidator(program=found.program, options=("--quality", "valid"))
    return _put(options, "support", tables.support_table(_judged(options, validator)))


def _put(options: argparse.Namespace, name: str, text: str) -> int:
    if options.write is None:
        print(text)
    else:
        page = options.write.read_text(encoding="utf-8")
        options.write.write_text(tables.replaced(page, name, text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
