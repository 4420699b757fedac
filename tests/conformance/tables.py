"""The tables of the pages: who answers what, and what a validator reads, executes, repairs and proves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from .cases import SOURCES, Case
from .constructs import CONSTRUCTS, RARE, REQUIREMENTS, used
from .runner import Judged, Outcome

__all__ = ["replaced", "summary", "support_table", "who_answers"]


def who_answers(answers: Mapping[str, Sequence[Judged]]) -> str:
    """Return the tables of some validators: sums, then a row for each model where not all agree, and the sources."""
    sources = "\n".join(f"- [{key}] {title}" for key, title in SOURCES.items())
    return f"{summary(answers)}\n\n{_models(answers)}\n\n{sources}"


def summary(answers: Mapping[str, Sequence[Judged]]) -> str:
    """Return a row for each validator. What PDDL leaves open is not counted."""
    rows = []
    for name, judged in answers.items():
        counted = Counter(_cell(one) for one in judged if one.case.verdict != "ambiguous")
        rows.append([name, *(str(counted[word]) for word in _WORDS)])
    return _table(["validator", *_WORDS], rows)


_WORDS = ("agrees", "may refuse", "refuses", "disagrees", "crashes")


def _cell(one: Judged) -> str:
    return "may refuse" if one.outcome is Outcome.REFUSES and one.case.may_refuse else one.outcome.value


def _models(answers: Mapping[str, Sequence[Judged]]) -> str:
    found: dict[str, dict[str, list[Judged]]] = defaultdict(lambda: defaultdict(list))
    for name, judged in answers.items():
        for one in judged:
            if one.case.verdict != "ambiguous":
                found[one.case.folder.name][name].append(one)
    rows = [
        [f"`{model}`", _rule(next(iter(row.values()))[0].case), *(_counts(row[name]) for name in answers)]
        for model, row in sorted(found.items())
        if any(one.outcome is not Outcome.AGREES for column in row.values() for one in column)
    ]
    return _table(["model", "what decides", *answers], rows)


def _rule(case: Case) -> str:
    return f"{case.model['rule']} [{case.model['source']}]".replace("|", "\\|")


def _counts(judged: Sequence[Judged]) -> str:
    counted = Counter(_cell(one) for one in judged)
    if counted["agrees"] == len(judged):
        return "agrees"
    return ", ".join(f"{counted[word]} {word}" for word in _WORDS if counted[word])


def support_table(judged: Iterable[Judged]) -> str:
    """Return what each requirement and construct comes to, of checks with repair by this project's program.

    Read: the model is. Executed: the verdict is right. Repaired: a nearest valid plan is given for a wrong one, or it
    is said that there is none. Proven: that nothing is nearer.
    """
    by_name: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        if one.case.verdict not in ("model_error", "ambiguous"):
            for name in used(*one.case.files[:2]):
                by_name[name].append(one)
    parts = []
    for title, names in (("requirement", REQUIREMENTS), ("construct", CONSTRUCTS | RARE)):
        rows = [[f"`{name}`" if name.startswith(":") else name, *_support(by_name[name])] for name in names]
        parts.append(_table([title, "cases", "read", "executed", "repaired", "proven"], rows))
    return "\n\n".join(parts)


def _support(judged: Sequence[Judged]) -> list[str]:
    reports = [(one, (one.answer.said or {}).get("report", {})) for one in judged]
    broken = [report for _, report in reports if report and report["determination"] is False]
    ended = [
        report for report in broken if report["repaired_plan"] is not None or report["planner_response"]["no_solution"]
    ]
    return [
        str(len(judged)),
        _share(sum(bool(report) for _, report in reports), len(judged)),
        _share(sum(one.outcome is Outcome.AGREES for one in judged), len(judged)),
        _share(len(ended), len(broken)),
        _share(sum(report["proven"] for report in ended), len(broken)),
    ]


def _share(some: int, of: int) -> str:
    if not of:
        return "-"
    return "yes" if some == of else "no" if not some else f"{some} of {of}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def replaced(page: str, name: str, text: str) -> str:
    """Return a page with the text between ``<!-- conformance: NAME -->`` and ``<!-- end -->`` replaced."""
    head, mark, rest = page.partition(f"<!-- conformance: {name} -->\n")
    _, end, tail = rest.partition("<!-- end -->")
    if not mark or not end:
        raise ValueError(f"the page has no place for '{name}'")
    return f"{head}{mark}{text}\n{end}{tail}"
