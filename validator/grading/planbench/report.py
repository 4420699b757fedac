"""The corrected table, and grades and tables as text, CSV and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from validator.grading.planbench.answers import Question
from validator.grading.planbench.grades import Difference, Grade
from validator.grading.planbench.verification import Reason
from validator.grading.summary import Cell, Table, records_csv, records_json, tables_text

# --- the corrected table --------------------------------------------------------------------------


BY = {"task": "task", "domain": "benchmark", "model": "model"}
"""What a table may be by -> the field of a grade."""

OUTCOMES = ("right", "wrong", "no plan", "not understood", "no answer")
"""What an answer counts as, one of these each. ``no plan`` has none where a plan was asked for."""


def outcome(grade: Grade) -> str:
    """Return what an answer counts as."""
    if grade.ours:
        return "right"
    if grade.verdict == "no_plan" and grade.question != Question.NO_PLAN:
        return "no plan"
    if grade.verdict == "not_understood":
        return "not understood"
    return "no answer" if grade.ours is None else "wrong"


def corrected(grades: Iterable[Grade], by: Sequence[str] = tuple(BY)) -> Table:
    """Return the counts by keys of ``BY``, in their order, with the sum of all where there are several groups.

    ``extraction right`` are the plans that PlanBench took from the answers, judged here; ``PlanBench right`` of
    ``judged`` is its own verdict, where the file has it; ``gained`` are right here and wrong there, ``lost`` wrong here
    and right there, by PlanBench's verdict or else by the extraction.
    """
    groups: dict[tuple[str, ...], list[Grade]] = {}
    for grade in grades:
        groups.setdefault(tuple(getattr(grade, BY[key]) for key in by), []).append(grade)
    rows = [(*group, *_counts(found)) for group, found in sorted(groups.items())]
    if len(rows) > 1:
        others = ("",) * (len(by) - 1)
        rows.append(("total", *others, *_counts([grade for found in groups.values() for grade in found])))
    counted = ("extraction right", "PlanBench right", "judged", "gained", "lost")
    columns = (*by, "answers", *OUTCOMES, *counted)
    return Table(title="Answers", columns=columns, rows=tuple(rows), keys=len(by))


def _counts(grades: Sequence[Grade]) -> tuple[Cell, ...]:
    outcomes = Counter(map(outcome, grades))
    return (
        len(grades),
        *(outcomes[name] for name in OUTCOMES),
        sum(grade.extraction_ours is True for grade in grades),
        sum(grade.theirs is True for grade in grades),
        sum(grade.theirs is not None for grade in grades),
        sum(is_gained(grade) for grade in grades),
        sum(is_lost(grade) for grade in grades),
    )


def is_gained(grade: Grade) -> bool:
    return bool(grade.difference) and grade.ours is True


def is_lost(grade: Grade) -> bool:
    return bool(grade.difference) and grade.ours is False


def differences(grades: Iterable[Grade]) -> Table:
    """Return how many differences are of which kind: right but marked wrong, wrong but marked right, open here."""
    gained, lost, left = Counter[str](), Counter[str](), Counter[str]()
    for grade in grades:
        if grade.difference:
            counter = gained if grade.ours else left if grade.ours is None else lost
            counter[grade.difference] += 1
    rows = [
        (kind.value, gained[kind], lost[kind], left[kind])
        for kind in Difference
        if gained[kind] or lost[kind] or left[kind]
    ]
    columns = ("what it is", "right, marked wrong", "wrong, marked right", "open here")
    return Table(title="Differences", columns=columns, rows=tuple(rows), keys=1)


def reasons(grades: Iterable[Grade], by: Sequence[str] = tuple(BY)) -> Table:
    """Return what the reasons of rightly rejected plans are worth, beside PlanBench's verdict on them.

    ``of these right`` are among those that PlanBench counts as right, which needs one of the unmet facts only.
    """
    groups: dict[tuple[str, ...], list[Grade]] = {}
    for grade in grades:
        if grade.reason and grade.ours and grade.verdict == "invalid":
            groups.setdefault(tuple(getattr(grade, BY[key]) for key in by), []).append(grade)
    rows = [(*group, *_of_reasons(found)) for group, found in sorted(groups.items())]
    if len(rows) > 1:
        whole = [grade for found in groups.values() for grade in found]
        rows.append(("total", *[""] * (len(by) - 1), *_of_reasons(whole)))
    columns = (*by, "rejected rightly", *(reason.value for reason in Reason), "PlanBench right", "of these right")
    return Table(title="Reasons", columns=columns, rows=tuple(rows), keys=len(by))


def _of_reasons(grades: Sequence[Grade]) -> tuple[Cell, ...]:
    worth = Counter(grade.reason for grade in grades)
    theirs = [grade for grade in grades if grade.theirs_reason]
    both = sum(grade.reason == Reason.RIGHT for grade in theirs)
    return (len(grades), *(worth[reason.value] for reason in Reason), len(theirs), both)


# --- text, CSV and JSON ---------------------------------------------------------------------------


_Render = Callable[[Sequence[Grade], Sequence[str]], str]
"""grades and what tables are by -> text"""


def _text(grades: Sequence[Grade], by: Sequence[str]) -> str:
    """Return the tables, then every difference with its reason."""
    return "".join((table_text(grades, by), "\n", *map(_difference, grades)))


def _difference(grade: Grade) -> str:
    if not grade.difference:
        return ""
    other = "PlanBench" if grade.theirs is not None else "its extraction"
    missed = "not understood" if grade.difference is Difference.NOT_UNDERSTOOD else "no answer"
    said = {True: "right", False: "wrong", None: missed}
    lines = "".join(f"    {line}\n" for line in grade.why.splitlines())
    return (
        f"  {grade.id} ({grade.read}): {other} {said[grade.judged]}, here {said[grade.ours]}: "
        f"{grade.difference}\n{lines}"
    )


def table_text(grades: Sequence[Grade], by: Sequence[str]) -> str:
    tables = [table for table in _tables(grades, by) if table.rows]
    return f"{tables_text(tables)}\n{_sum(grades)}"


def _tables(grades: Sequence[Grade], by: Sequence[str]) -> tuple[Table, ...]:
    return corrected(grades, by), differences(grades), reasons(grades, by)


def _sum(grades: Sequence[Grade]) -> str:
    """Return in a sentence with what our verdicts were compared, and how many differ."""
    judged = sum(grade.theirs is not None for grade in grades)
    compared = sum(grade.judged is not None for grade in grades) - judged
    differ = [grade for grade in grades if grade.difference]
    gained, lost = sum(map(is_gained, differ)), sum(map(is_lost, differ))
    missed = sum(grade.difference is Difference.NOT_UNDERSTOOD for grade in differ)
    others = {"not understood": missed, "without an answer": len(differ) - gained - lost - missed}
    more = "".join(f", {count:,} {name}" for name, count in others.items() if count)
    both = [f"{judged:,} answers that PlanBench judged"] if judged or not compared else []
    both += [f"{compared:,} without its verdict, beside ours on what it extracted"] if compared else []
    return (
        f"{' and '.join(both)}, {len(differ):,} otherwise than we do: "
        f"{gained:,} right ones marked wrong, {lost:,} wrong ones marked right{more}\n"
    )


RENDER: Mapping[str, _Render] = {
    "text": _text,
    "csv": lambda grades, _: records_csv(grades, Grade),
    "json": lambda grades, _: records_json(grades),
}
"""Format -> the function that makes it, of every answer."""
