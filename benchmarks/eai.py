"""The Embodied Agent Interface: our grades beside the recorded ones, and CPU seconds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.measure import cost_of
from benchmarks.options import Options
from benchmarks.table import Goal, Table, absent
from validator.grading.eai.answers import Answer, answer_files, read_answers
from validator.grading.eai.interpretation import grade_virtualhome_goals, virtualhome_summary
from validator.grading.eai.sequencing import Grade
from validator.grading.eai.tasks.household import PRESETS, Defect, grade
from validator.grading.eai.tasks.virtualhome import Household, annotated, load

__all__ = ["differences", "run"]

ONE_BY_ONE = frozenset((Defect.PARSING, Defect.VOCABULARY))
"""What the recorded corrected grades still have."""


def run(options: Options) -> list[Table]:
    """Grade all recorded answers. The data are read where they are."""
    data = options.data / "eai"
    if missing := absent("eai", data):
        return missing
    home = data / "virtualhome"
    loading, tasks = cost_of(lambda: load(home))
    grading, grades = cost_of(lambda: _graded(tasks, home, PRESETS["seed0"]))
    corrected = _graded(tasks, home, ONE_BY_ONE)
    return [
        _agreement(home, loading.cpu + grading.cpu, grades, corrected, _graded(tasks, home, frozenset())),
        _interpretation(home),
    ]


_Grades = dict[str, list[tuple[Answer, Grade]]]


def _graded(tasks: Mapping[str, Household], home: Path, defects: frozenset[Defect]) -> _Grades:
    """Grade all answers to a task together, as ``eval`` does."""
    files = answer_files(home / "answers" / "action_sequencing")
    answers = [(model, answer) for model, path in files.items() for answer in read_answers(path)]
    found: _Grades = {model: [] for model in files}
    for model, answer in sorted(answers, key=lambda each: each[1].identifier):
        found[model].append((answer, grade(tasks[answer.identifier], answer.text, defects)))
    return found


def differences(found: Grade, recorded: Mapping[str, Any]) -> list[str]:
    """Return in what a grade differs from a recorded one: the verdict, the failing action, the matched goals."""
    if found.verdict.value != recorded["verdict"]:
        return ["verdict"]
    if found.execution is None or "matched" not in recorded:
        return []
    failed = found.execution.failed
    matched = {name: getattr(found.matched, name) for name in ("state", "relation", "action")}
    return [
        *(["action"] if (failed.label if failed else None) != recorded.get("error_action") else []),
        *(["goals"] if matched != recorded["matched"] else []),
    ]


def _agreement(home: Path, seconds: float, compat: _Grades, corrected: _Grades, default: _Grades) -> Table:
    rows = []
    counts = {}
    for name, grades, file in (
        ("--compat", compat, "action_sequencing"),
        ("--compat parsing,vocabulary", corrected, "action_sequencing_corrected"),
        ("default", default, "action_sequencing_corrected"),
    ):
        recorded = json.loads((home / "grades" / f"{file}.json").read_text(encoding="utf-8"))["models"]
        same = total = affected = 0
        for model, found in grades.items():
            for answer, each in found:
                differs = bool(differences(each, recorded[model]["tasks"][each.identifier]))
                total += 1
                same += not differs
                affected += differs and _is_affected(answer.text)
        counts[name] = same
        rows.append((name, file, total, same, affected))
    return Table(
        title="eai grades",
        about="verdict, failing action and matched goals of the recorded answers",
        columns=("switches", "recorded grades", "answers", "equal", "differ by parsing or vocabulary"),
        rows=tuple(rows),
        goals=(
            Goal(what="equal, --compat", measured=counts["--compat"], limit=1360, unit="answers", at_least=True),
            Goal(
                what="equal to the corrected",
                measured=counts["--compat parsing,vocabulary"],
                limit=1360,
                unit="answers",
                at_least=True,
            ),
            Goal(what="load and grade 1,368 answers", measured=seconds, limit=30.0, unit="CPU s"),
        ),
    )


def _is_affected(text: str) -> bool:
    """Return whether an answer has actions without arguments, or those that the benchmark does not know."""
    bare = "".join(text.split())
    return any(mark in bare for mark in ("[]", '[""]', "PLUGIN", "PLUGOUT", "RELEASE"))


def _interpretation(home: Path) -> Table:
    tasks = annotated(home)
    recorded = json.loads((home / "grades" / "goal_interpretation.json").read_text(encoding="utf-8"))
    rows = []
    worst = 0.0
    for model, path in answer_files(home / "answers" / "goal_interpretation").items():
        answers = read_answers(path)
        by_benchmark, ours = (
            [grade_virtualhome_goals(a.identifier, *tasks[a.identifier], a.text, compat=compat) for a in answers]
            for compat in (True, False)
        )
        found = virtualhome_summary(by_benchmark)
        worst = max(worst, *(abs(found[key] - value) for key, value in recorded[model].items() if key.endswith("f1")))
        figures = (recorded[model]["all_f1"], found["all_f1"], virtualhome_summary(ours)["all_f1"])
        unread = (sum(grade.fault is not None for grade in grades) for grades in (by_benchmark, ours))
        rows.append((model, *figures, *unread))
    return Table(
        title="eai goal interpretation",
        about="F1 in percent over all goals, and how many answers cannot be read",
        columns=("model", "recorded", "--compat", "default", "unread, --compat", "unread, default"),
        rows=tuple(rows),
        goals=(Goal(what="largest difference of an F1", measured=worst, limit=0.1, unit="points"),),
    )
