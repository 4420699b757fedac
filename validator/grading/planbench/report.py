"""The corrected table, and grades and tables as text, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from validator.grading.planbench.answers import Question
from validator.grading.planbench.grades import Difference, Grade
from validator.grading.summary import Table, records_as, tables_text, tallied

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
    groups = tallied(grades, by, lambda grade, key: str(getattr(grade, BY[key])), _labels)
    columns = ("answers", *OUTCOMES, "extraction right", "PlanBench right", "judged", "gained", "lost")
    rows = tuple((*group, *(counts[name] for name in columns)) for group, counts in groups)
    return Table(title="Answers", columns=(*by, *columns), rows=rows, keys=len(by))


def _labels(grade: Grade) -> Iterator[str]:
    yield from ("answers", outcome(grade))
    facts = {
        "extraction right": grade.extraction_ours,
        "PlanBench right": grade.theirs,
        "judged": grade.theirs is not None,
        "gained": is_gained(grade),
        "lost": is_lost(grade),
    }
    yield from (name for name, holds in facts.items() if holds)


def is_gained(grade: Grade) -> bool:
    return bool(grade.difference) and grade.ours is True


def is_lost(grade: Grade) -> bool:
    return bool(grade.difference) and grade.ours is False


def differences(grades: Iterable[Grade]) -> Table:
    """Return how many differences are of which kind: right but marked wrong, wrong but marked right, open here."""
    names = {True: "right, marked wrong", False: "wrong, marked right", None: "open here"}
    differing = [grade for grade in grades if grade.difference]
    found = dict(tallied(differing, ["difference"], getattr, lambda grade: (names[grade.ours],)))
    rows = [
        (kind.value, *(found[kind,][name] for name in names.values()))  # the text of a kind is equal to it
        for kind in Difference
        if (kind,) in found
    ]
    return Table(title="Differences", columns=("what it is", *names.values()), rows=tuple(rows), keys=1)


# --- text, CSV and JSON ---------------------------------------------------------------------------


def render(form: str, grades: Sequence[Grade], by: Sequence[str]) -> str:
    """Return every answer as CSV or JSON; as text the tables, then every difference with its reason."""
    if form != "text":
        return records_as(form, grades, Grade)
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
    tables = [table for table in (corrected(grades, by), differences(grades)) if table.rows]
    return f"{tables_text(tables)}\n{_sum(grades)}"


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
