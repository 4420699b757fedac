"""What is read of every shared plan text: verdict, number of steps and a digest of the steps, an input a line.

Whoever changes a line argues it. ``python -m tests.reading.test_golden`` writes the file anew;
``python -m tests.reading.test_golden --steps FILE`` writes each input with its steps, to compare two commits.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.places import SHARED
from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare
from validator.errors import InputError
from validator.texts import read_plan_text

GOLDEN = Path(__file__).with_name("golden.tsv")
_DATA, _CASES = SHARED / "data", SHARED / "findings" / "cases"
_SLOW = frozenset(("slow", "dense_forall"))
"""folders of inputs whose verdict a busy machine may not reach in time"""
_PARTS = 12
"""of the inputs, each a test, so that several processes share them"""
_VERDICTS = {True: "valid", False: "invalid", None: "unknown"}


class Asked(NamedTuple):
    """A text and its model: paths, or texts."""

    name: str
    domain: str
    problem: str
    text: str | Path
    templates: str | None = None


def inputs() -> Iterator[Asked]:
    """Yield every plan text of the shared data."""
    answers = _DATA / "answers"
    for row in _rows(answers / "answers.jsonl"):
        model = (_paths(answers, row), row["raw_response"] or "")
        words = answers / "templates" / f"{row['benchmark_domain']}.yaml"
        yield Asked(f"answers/{row['id']}", *model[0], model[1])
        if words.exists():
            yield Asked(f"answers+templates/{row['id']}", *model[0], model[1], str(words))
    for row in _rows(_DATA / "planbench" / "plans.jsonl"):
        paths = _paths(_DATA / "planbench", row)
        yield Asked(f"planbench/{row['id']}", *paths, row["raw_response"] or row["plan_text"] or "")
    for name, path in (
        ("free_texts", _DATA / "free_texts" / "texts.jsonl"),
        ("hard", _CASES / "t3_reading" / "hard.jsonl"),
    ):
        for number, row in enumerate(_rows(path)):
            yield Asked(f"{name}/{number}", row["domain"], row["problem"], row["text"])
    found = [*(_DATA / "published").glob("*/*/domain.pddl"), *_CASES.glob("t3_*/**/domain.pddl")]
    for domain in sorted(domain for domain in found if _SLOW.isdisjoint(domain.parts)):
        problem = domain.with_name("problem.pddl")
        for path in sorted(domain.parent.iterdir()) if problem.exists() else ():
            if path.name in ("plan", "stdout.txt") or path.suffix in (".plan", ".md", ".txt"):
                yield Asked(str(path.relative_to(SHARED)), str(domain), str(problem), path)


def _rows(path: Path) -> Iterator[Any]:
    if path.exists():
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _paths(folder: Path, row: Any) -> tuple[str, str]:
    return str(folder / row["domain_file"]), str(folder / row["problem_file"])


@lru_cache(maxsize=64)
def _model(domain: str, problem: str, templates: str | None) -> Prepared:
    return prepare(
        Path(domain) if domain.endswith(".pddl") else domain,
        Path(problem) if problem.endswith(".pddl") else problem,
        templates=None if templates is None else Path(templates),
    )


def read(asked: Asked) -> tuple[str, tuple[str, ...]]:
    """Return the verdict on a text, and the steps that it is read as."""
    try:
        model = _model(asked.domain, asked.problem, asked.templates)
        text = asked.text if isinstance(asked.text, str) else read_plan_text(asked.text)
        report = check(model, None, text, repair=False, time_limit=30)
    except InputError as error:
        return f"refused: {type(error).__name__}", ()
    return _VERDICTS[report.determination], tuple(map(str, report.reference))


def _line(asked: Asked) -> str:
    verdict, steps = read(asked)
    digest = hashlib.sha256("\n".join(steps).encode()).hexdigest()[:8] if steps else "-"
    return f"{asked.name}\t{verdict}\t{len(steps)}\t{digest}"


@pytest.mark.deep
@pytest.mark.skipif(not _DATA.exists(), reason="the shared data are not here")
@pytest.mark.parametrize("part", range(_PARTS))
def test_shared_texts_are_read_as_they_were(part: int) -> None:
    old = dict(line.split("\t", 1) for line in GOLDEN.read_text(encoding="utf-8").splitlines())
    found = list(inputs())
    assert {asked.name for asked in found} == old.keys()
    size = -(-len(found) // _PARTS)
    new = dict(_line(asked).split("\t", 1) for asked in found[part * size : (part + 1) * size])
    changed = [f"{name}: {old[name]} -> {line}" for name, line in new.items() if old[name] != line]
    assert not changed, "\n".join(changed)


if __name__ == "__main__":
    if "--steps" in sys.argv:
        with Path(sys.argv[-1]).open("w", encoding="utf-8") as file:
            for each in inputs():
                found, named = read(each)
                print(json.dumps({"name": each.name, "verdict": found, "steps": named}), file=file)
    else:
        GOLDEN.write_text("".join(f"{_line(each)}\n" for each in inputs()), encoding="utf-8")
