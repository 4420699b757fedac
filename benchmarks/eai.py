"""The Embodied Agent Interface: our grades beside the recorded ones, what each of its defects does, and CPU seconds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.measure import cost_of
from benchmarks.options import Options
from benchmarks.table import Goal, Table, skipped
from validator.errors import ModelError
from validator.grading.eai.answers import Answer, answer_files, read_answers
from validator.grading.eai.defects import PRESETS, Defect
from validator.grading.eai.goals.interpretation import grade_virtualhome_goals, virtualhome_summary
from validator.grading.eai.output import sequencing_summary
from validator.grading.eai.sequencing import Grade, Verdict, grade_task
from validator.grading.eai.tasks.behavior import load_behavior
from validator.grading.eai.tasks.household import grade
from validator.grading.eai.tasks.virtualhome import Household, annotated, load

__all__ = ["behavior_plan", "differences", "run"]

ONE_BY_ONE = frozenset((Defect.PARSING, Defect.VOCABULARY))
"""What the recorded corrected grades still have."""


def run(options: Options) -> list[Table]:
    """Grade all recorded answers. The data are read where they are."""
    data = options.data / "eai"
    if not data.is_dir():
        return [skipped("eai", f"no data in {data} (see --data)")]
    home = data / "virtualhome"
    cost, (tasks, grades) = cost_of(lambda: _all(home, PRESETS["seed0"]))
    corrected = _graded(tasks, home, ONE_BY_ONE)
    return [
        _agreement(home, cost.cpu, grades, corrected, _graded(tasks, home, frozenset())),
        _ranking(tasks, home),
        _interpretation(home),
        _behavior(data / "behavior"),
    ]


_Grades = dict[str, list[tuple[Answer, Grade]]]


def _all(home: Path, defects: frozenset[Defect]) -> tuple[dict[str, Household], _Grades]:
    tasks = load(home)
    return tasks, _graded(tasks, home, defects)


def _graded(tasks: Mapping[str, Household], home: Path, defects: frozenset[Defect]) -> _Grades:
    return {
        model: [(answer, grade(tasks[answer.identifier], answer.text, defects)) for answer in read_answers(path)]
        for model, path in answer_files(home / "answers" / "action_sequencing").items()
    }


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


def _ranking(tasks: Mapping[str, Household], home: Path) -> Table:
    """Show what the figures become when one defect is taken out, and when all are."""
    every = PRESETS["seed0"]
    settings = {"all defects": every, **{f"without {each.value}": every - {each} for each in Defect if each in every}}
    settings["none"] = frozenset()
    rows: list[tuple[str, ...]] = []
    models: list[str] = []
    for name, defects in settings.items():
        cells = []
        graded = _graded(tasks, home, defects)
        models = sorted(graded)
        rates = {m: sequencing_summary(g for _, g in graded[m])["goal_evaluation"]["task_success_rate"] for m in models}
        order = sorted(models, key=lambda model: -rates[model])
        cells = [f"{rates[model]:.2f} ({order.index(model) + 1})" for model in models]
        rows.append((name, *cells))
    return Table(
        title="eai ranking",
        about="task success in percent, and the place among these models",
        columns=("defects", *(model.split("-")[0] for model in models)),
        rows=tuple(rows),
    )


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


def behavior_plan(steps: list[str], openable: Callable[[str], bool]) -> str:
    """Return a plan of the benchmark's planning domain in the actions of its evaluator, all with the right hand.

    The planning domain puts things only into what is open, and opens sinks and shelves for that; such steps are left
    out. It soaks what is held over a sink, which the evaluator wants inside it.
    """
    words = [step.split() for step in steps]
    calls = [
        call for name, *args in words for call in _behavior_calls(name, *args) if name != "open" or openable(args[0])
    ]
    return json.dumps([{"action": name, "object": ", ".join(objects)} for name, *objects in calls])


def _behavior_calls(name: str, *args: str) -> list[tuple[str, ...]]:
    if name == "navigate_to":
        return []
    if name.startswith("clean_stained_dishwasher"):
        washer, thing = args[:2]
        return [("RIGHT_PLACE_INSIDE", washer), ("TOGGLE_ON", washer), ("RIGHT_GRASP", thing)]
    if name.startswith("clean"):
        return [("CLEAN", args[1])]
    if name in ("soak", "soak_teapot"):
        water = args[2] if name == "soak_teapot" else args[1]
        return [("RIGHT_PLACE_INSIDE", water), ("SOAK", args[0]), ("RIGHT_GRASP", args[0])]
    if name == "place_nextto_ontop" and args[0] == args[1]:
        return [("RIGHT_PLACE_ONTOP", args[2])]
    if name.startswith("place"):
        return [(f"RIGHT_{name.upper()}", *args[1:-1])]
    if name in ("grasp", "release"):
        return [(f"RIGHT_{name.upper()}", args[0])]
    return [(name.partition("-")[0].upper(), args[0])]


def _behavior(place: Path) -> Table:
    plans: dict[str, list[str]] = json.loads((place / "resources" / "gold_pddl_plan.json").read_text(encoding="utf-8"))
    verdicts: Counter[str] = Counter()
    for name, plan in plans.items():
        try:
            task = load_behavior(place, [name])[name]
        except ModelError as error:
            verdicts[f"unreadable: {error.message}"] += 1
            continue
        text = behavior_plan(plan, lambda thing, task=task: ("can-open", thing) in task.state)  # type: ignore[misc]
        verdicts[grade_task(task, text).verdict.value] += 1
    return Table(
        title="eai behavior",
        about="plans of the planning domain, rewritten for the bundled domain behavior",
        columns=("verdict", "plans"),
        rows=tuple(verdicts.most_common()),
        notes=(f"{verdicts[Verdict.SUCCESS.value]} of {len(plans)} reach the goal",),
    )
