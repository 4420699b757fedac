"""What a plan is asked for: how it is told to a language model, and how an answer is checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from validator.checking.check import check
from validator.checking.explanations.wording import in_words
from validator.checking.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT
from validator.checking.prepared import Prepared, prepare
from validator.checking.report import Quality, Report
from validator.flow.check import check_flow
from validator.flow.definition.reader import read_flow
from validator.model.pddl.frame import read_text
from validator.reading.lexicon import TemplateSource
from validator.reading.plan import Plan
from validator.reading.tokens import tokenize
from validator.records import dataclass
from validator.repair.policy import Policy

__all__ = ["Subject", "flow_subject", "pddl_subject"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """``told`` is the task in words; ``check`` decides about an answer, with or without a repair."""

    told: str
    check: Callable[[str, bool], Report]


_WANTED = {
    Quality.SOUND: "whose steps can all be executed in order",
    Quality.VALID: "that can be executed and reaches the goal",
    Quality.OPTIMAL: "that can be executed, reaches the goal, and is as cheap as possible",
}


def pddl_subject(
    domain: str | Path,
    problem: str | Path,
    *,
    quality: Quality | str = Quality.VALID,
    policy: Policy | str | None = None,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    strict: bool = False,
    templates: TemplateSource | None = None,
    words: bool = False,
) -> Subject:
    """Return the task of a PDDL problem; ``strict`` takes answers literally.

    With ``words``, steps and faults are in words, by templates if given. Raises ModelError, InputError for
    templates, OSError for a file.
    """
    prepared, quality = prepare(domain, problem, templates=templates), Quality(quality)
    texts = [read_text(source, kind)[0] for source, kind in ((domain, "domain"), (problem, "problem"))]

    def checked(answer: str, repair: bool) -> Report:
        report = check(
            prepared,
            None,
            _plan(prepared, answer, strict),
            quality=quality,
            policy=policy,
            repair=repair,
            time_limit=time_limit,
            memory_limit=memory_limit,
        )
        return in_words(report, prepared.lexicon) if words else report

    form = "each as (action argument ...), with the names of the domain and the problem"
    if words:
        sentences = "\n".join(prepared.lexicon.say_actions())
        form = (
            f"each in the words of one of these sentences, with objects in the place of their variables:\n{sentences}\n"
        )
    told = (
        f"Find a plan for this PDDL problem {_WANTED[quality]}. Answer with the plan only: one step a line, in order, "
        f"{form}. No numbers, no explanation."
    )
    return Subject(told="\n\n".join((told, *texts)), check=checked)


def _plan(prepared: Prepared, answer: str, strict: bool) -> Plan:
    return tokenize(answer, prepared.vocabulary, strict=strict)


def flow_subject(
    flow: str | Path,
    *,
    quality: Quality | str = Quality.VALID,
    policy: Policy | str | None = None,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
) -> Subject:
    """Return the task of a flow, from its file. Raises ModelError, or OSError for the file."""
    read, quality = read_flow(flow), Quality(quality)

    def checked(answer: str, repair: bool) -> Report:
        return check_flow(
            read,
            answer,
            quality=quality,
            policy=policy,
            repair=repair,
            time_limit=time_limit,
            memory_limit=memory_limit,
        )

    told = (
        f"Find a plan for this flow of tool calls {_WANTED[quality]}. Answer with the plan only, one step a line: "
        "ask(item), map(item, item), confirm(item), assert CONDITION, assert not CONDITION, or a call such as "
        "output = operator(input). No numbers, no explanation."
    )
    text = Path(flow).read_text(encoding="utf-8")
    return Subject(told=f"{told}\n\n{text}", check=checked)
