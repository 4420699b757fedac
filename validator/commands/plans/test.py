"""``plan-validator test``: run regression files, and say which verdicts are not as expected."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from validator.commands.options import HAS, HAS_NOT, NO_ANSWER, UNREADABLE, add_example, add_strict
from validator.commands.told import FOR_TOOLS
from validator.errors import PlannerError, ValidatorError
from validator.records import replace

if TYPE_CHECKING:
    from validator.grading.plan_tests import Result
    from validator.render.tools.findings import Finding
    from validator.render.tools.junit import Case as JunitCase

__all__ = ["add_arguments"]

_EXAMPLE = """\
echo '{domain: domains/blocks/domain.pddl, problem: domains/blocks/problem.pddl, cases: [{plan: domains/blocks/good.plan, verdict: optimal}]}' > blocks.plan-test.yaml
plan-validator test blocks.plan-test.yaml
"""  # noqa: E501


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Exit code: 0 all verdicts are as expected, 1 some are not, 2 something cannot be read or run."
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="folder that is searched for *.plan-test.yaml, or such a file",
    )
    add_strict(parser)
    parser.add_argument("--format", choices=("text", "json", *FOR_TOOLS), default="text", help="default: text")
    add_example(parser, _EXAMPLE)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from validator.grading.plan_tests import find, read_cases, run_case

    results: list[Result] = []
    unreadable: list[tuple[Path, Exception]] = []
    is_whole = False
    with suppress(KeyboardInterrupt):
        for file in find(options.paths):
            try:
                cases = read_cases(file)
            except (ValidatorError, OSError) as error:
                unreadable.append((file, error))
                continue
            for case in cases:
                # One by one: what is there is told where the next one is interrupted.
                results.append(run_case(replace(case, strict=True) if options.strict else case))  # noqa: PERF401
        is_whole = True
    sys.stdout.write(_PRINTERS[options.format](results, unreadable))
    if not is_whole:
        print(f"plan-validator: interrupted after {len(results)} cases", file=sys.stderr)
        return NO_ANSWER
    if unreadable or any(result.error is not None for result in results):
        return UNREADABLE
    return HAS if all(result.is_as_expected for result in results) else HAS_NOT


Results = Sequence["Result"]
Unreadable = Sequence[tuple[Path, Exception]]


def _text(results: Results, unreadable: Unreadable) -> str:
    return "".join(f"{line}\n" for line in _lines(results, unreadable))


def _lines(results: Results, unreadable: Unreadable) -> Iterator[str]:
    for file, error in unreadable:
        yield f"ERROR {file}"
        yield from (f"      {line}" for line in _said(error).splitlines())
    for result in results:
        word = "ERROR" if result.error is not None else "ok   " if result.is_as_expected else "FAIL "
        yield f"{word} {result.case.file}: {result.case.name}"
        yield from (f"      {line}" for line in _reasons(result))
    right = sum(result.is_as_expected for result in results)
    wrong = sum(bool(result.differs) for result in results)
    yield f"{right} as expected, {wrong} not, errors: {len(results) + len(unreadable) - right - wrong}"


def _reasons(result: Result) -> list[str]:
    return list(result.differs) if result.error is None else _said(result.error).splitlines()


def _said(error: Exception | None) -> str:
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _json(results: Results, unreadable: Unreadable) -> str:
    rows: list[dict[str, object]] = [{"file": str(file), "error": _said(error)} for file, error in unreadable]
    for result in results:
        row = {
            "file": str(result.case.file),
            "name": result.case.name,
            "expected": result.case.verdict,
            "as_expected": result.is_as_expected,
            "differences": list(result.differs),
            "seconds": round(result.seconds, 6),
        }
        rows.append(row if result.error is None else {**row, "error": _said(result.error)})
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


# --- for other programs --------------------------------------------------------------------------


def _sarif(results: Results, unreadable: Unreadable) -> str:
    from validator.render.tools.sarif import sarif

    return sarif(_findings(results, unreadable))


def _github(results: Results, unreadable: Unreadable) -> str:
    from validator.render.tools.github import github

    return github(_findings(results, unreadable))


def _findings(results: Results, unreadable: Unreadable) -> Iterator[Finding]:
    """Yield what is not as expected, at the fault in the plan where there is one."""
    from validator.render.tools.findings import Finding, Level, Place, Source, error_finding, findings

    for file, error in unreadable:
        yield error_finding(error, str(file))
    for result in results:
        name = str(result.case.file)
        if result.error is not None:
            yield error_finding(result.error, name, rule=_rule(result.error))
        if result.differs:
            plan = result.case.plan
            place = Place(source=name)
            related: tuple[tuple[str, Place], ...] = ()
            if isinstance(plan, Path) and result.report is not None:
                source = Source(name=str(plan), text=result.text)
                faults = findings(result.report, source)
                place, related = (faults[0].place, faults[0].related) if faults else (source.whole, ())
            message = f"{result.case.name}: {'; '.join(result.differs)}"
            yield Finding(rule="unexpected", level=Level.ERROR, message=message, place=place, related=related)


def _rule(error: Exception | None) -> str:
    return "no_answer" if isinstance(error, PlannerError) else "unreadable"


def _junit(results: Results, unreadable: Unreadable) -> str:
    from validator.render.tools.junit import Case, Outcome, junit

    cases = [
        Case(
            group=str(file),
            name="the file can be read",
            file=str(file),
            seconds=0.0,
            outcome=Outcome.ERROR,
            kind="unreadable",
            message=_said(error),
            details=_said(error),
        )
        for file, error in unreadable
    ]
    for result in results:
        case = Case(
            group=str(result.case.file),
            name=result.case.name,
            file=str(result.case.plan if isinstance(result.case.plan, Path) else result.case.file),
            seconds=result.seconds,
            outcome=Outcome.PASSED,
        )
        cases.append(case if result.is_as_expected else _unexpected(case, result))
    return junit("plan-validator test", cases)


def _unexpected(case: JunitCase, result: Result) -> JunitCase:
    from validator.render.text import report_text
    from validator.render.tools.junit import Outcome

    if result.error is not None:
        said = _said(result.error)
        return replace(case, outcome=Outcome.ERROR, kind=_rule(result.error), message=said, details=said)
    differs = "; ".join(result.differs)
    details = result.details if result.report is None else report_text(result.report)
    return replace(case, outcome=Outcome.FAILURE, kind="unexpected", message=differs, details=details)


_PRINTERS: dict[str, Callable[[Results, Unreadable], str]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "junit": _junit,
    "github": _github,
}
