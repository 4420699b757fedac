"""PlanBench's answers, in its files of a task and in tables (JSONL), each with the PDDL that it is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from validator.checking.prepared import prepare
from validator.errors import InputError
from validator.grading.planbench.prompts import asked, last_statement
from validator.model.pddl.syntax import end_of_group
from validator.reading.lexicon import read_templates
from validator.reading.tokens import read
from validator.records import dataclass
from validator.texts import json_lines, read_json, read_text

# --- where the PDDL of an instance is -------------------------------------------------------------


_BASIC = {
    "blocksworld": "blocksworld/generated_basic",
    "blocksworld_3": "blocksworld/generated_basic_3",
    "blocksworld_hard": "blocksworld_hard/generated",
    "mystery_blocksworld": "blocksworld/mystery/generated_basic",
    "mystery_blocksworld_3": "blocksworld/mystery/generated_basic_3",
}
_DOMAINS = {
    "blocksworld_3": "blocksworld/generated_domain.pddl",
    "mystery_blocksworld": "blocksworld/mystery/generated_domain.pddl",
    "mystery_blocksworld_3": "blocksworld/mystery/generated_domain.pddl",
}
_KEY = re.compile(r"^(\w+):[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """``instances`` is PlanBench's folder of that name, ``configs`` that of its YAML files; each may be unknown.

    ``templates`` is a file that says how a domain is put into words, or a folder of such files, ``DOMAIN.yaml``;
    without it the files of ``configs`` say so too.
    """

    instances: Path | None = None
    configs: Path | None = None
    templates: Path | None = None

    def templates_of(self, domain: str) -> str:
        """Return the path of the file with a domain's templates; empty where there is none."""
        given = self.templates or self.configs
        path = given if given is None or given.is_file() else given / f"{domain}.yaml"
        return str(path.absolute()) if path is not None and path.is_file() else ""

    def model(self, domain: str, instance: object, task: str) -> tuple[str, str]:
        """Return the paths of the PDDL domain and problem. Raises InputError when they are not there."""
        if self.instances is None:
            raise InputError("the PDDL is not in the answer file: give PlanBench's folder of instances")
        config = self._config(domain)
        folder = config.get("instance_dir", _BASIC.get(domain, f"{domain}/generated_basic"))
        if "plan_generalization" in task:
            folder = config.get("generalized_instance_dir", folder.replace("generated_basic", "generated"))
        name = config.get("instances_template", "instance-{}.pddl").replace("{}", str(instance))
        found = (
            self.instances / config.get("domain_file", _DOMAINS.get(domain, f"{domain}/generated_domain.pddl")),
            self.instances / folder / name,
        )
        for path in found:
            if not path.is_file():
                raise InputError(f"no such file, for instance {instance} of {domain}", source=str(path))
        return str(found[0].absolute()), str(found[1].absolute())

    def _config(self, domain: str) -> Mapping[str, str]:
        """Return the plain values at the top of a domain's YAML file; empty where there is none."""
        path = None if self.configs is None else self.configs / f"{domain}.yaml"
        if path is None or not path.is_file():
            return {}
        return {key: value.strip("'\"") for key, value in _KEY.findall(read_text(path))}


def model_of_prompt(prompt: str) -> tuple[str, str] | None:
    """Return the domain and the problem that a prompt shows as PDDL; None for a prompt in words."""
    _, found, rest = prompt.partition("[DOMAIN]")
    _, asked, query = rest.rpartition("[QUERY PROBLEM]")
    domain, problem = _definition(rest), _definition(query)
    return (domain, problem) if found and asked and domain and problem else None


def _definition(text: str) -> str:
    """Return the first ``(define ...)`` of a text up to its own parenthesis: prompts have some more after it."""
    start = text.find("(define")
    end = None if start < 0 else end_of_group(text, start)
    return "" if end is None else text[start:end]


# --- answers --------------------------------------------------------------------------------------


class Question(StrEnum):
    """What a task asks for."""

    PLAN = "plan"
    CHEAPEST = "cheapest plan"
    NO_PLAN = "whether there is a plan"
    """the instance has none, and the right answer says so"""
    VERDICT = "whether a plan is valid"
    STATE = "the state after a plan"


ABOUT_A_PLAN = (Question.VERDICT, Question.STATE)
"""what is asked about a plan that the prompt shows; the answer is no plan"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer of a language model, and what PlanBench made of it.

    ``raw`` is what the model said, ``extracted`` the plan that PlanBench took from it; None where it is not in the
    file. ``theirs`` is ``llm_correct``, in older files ``correct``, None where it was not judged; ``said`` is what its
    validator said besides.
    ``domain`` and ``problem`` are paths or texts; ``unread`` says why there are none. ``templates`` is a file that says
    how the domain is put into words, empty for none. ``prompt`` is kept where the question is in it and not in the
    model.
    """

    id: str
    question: Question
    domain: str = ""
    problem: str = ""
    raw: str | None = None
    extracted: str | None = None
    theirs: bool | None = None
    said: str = ""
    benchmark: str = ""
    model: str = ""
    task: str = ""
    instance: str = ""
    unread: str = ""
    templates: str = ""
    prompt: str = ""

    @property
    def is_in_words(self) -> bool:
        """Return whether it was asked for in English, and so with other names than the model's."""
        return "pddl" not in self.task


def read_answers(paths: Iterable[Path], layout: Layout) -> Iterator[Answer]:
    """Yield the answers in files and below folders. Raises InputError for a file of another form, OSError."""
    for path in paths:
        files = sorted([*path.rglob("*.json"), *path.rglob("*.jsonl")]) if path.is_dir() else [path]
        if not files:
            raise InputError("no .json or .jsonl file is below this folder", source=str(path))
        for file in files:
            yield from _rows(file, layout) if file.suffix == ".jsonl" else _task(file, layout)


def _task(path: Path, layout: Layout) -> Iterator[Answer]:
    """Yield the answers of a file of one task, domain and model, as PlanBench writes it."""
    value = read_json(path)
    instances = value.get("instances") if isinstance(value, dict) else None
    if not isinstance(instances, list) or not isinstance(value.get("task"), str):
        raise InputError("no file of a PlanBench task: 'task' and 'instances' were expected", source=str(path))
    task, domain = _task_and_domain(path, value["task"], str(value.get("domain", path.parent.parent.name)))
    model = str(value.get("engine", path.parent.name))
    for place, item in enumerate(instances):
        if not isinstance(item, dict) or "instance_id" not in item:
            raise InputError(f"instance {place} has no 'instance_id'", source=str(path))
        if item.get("llm_raw_response"):
            yield _instance(item, task, domain, model, layout)


_NUMBERED = re.compile(r"t\d+")


def _task_and_domain(path: Path, task: str, domain: str) -> tuple[str, str]:
    """Return a file's task and domain; older files call all prompts of a task ``t1``, and name folders and variants.

    Where they lie, ``DOMAIN/ENGINE/TASK.json``, says more: a second run of a task is ``TASK_run1.json``.
    """
    is_old = _NUMBERED.fullmatch(task) is not None
    if not path.stem.startswith("task_") or not (is_old or path.stem.startswith(task)):
        return task, domain
    is_variant = is_old and ("/" in domain or "zero_shot" in domain)
    return path.stem, path.absolute().parent.parent.name if is_variant else domain


def _instance(item: Mapping[str, Any], task: str, domain: str, model: str, layout: Layout) -> Answer:
    instance, question = item["instance_id"], _question(domain, task)
    extracted = _text(item.get("extracted_llm_plan")) if question not in ABOUT_A_PLAN else None
    judged = item.get("llm_correct_binary" if question is Question.VERDICT else "llm_correct", item.get("correct"))
    templates = _templates(layout, domain, task)
    pddl, problem, unread = "", "", ""
    try:
        pddl, problem = _model(item, task, domain, layout)
    except InputError as error:
        unread = str(error)
    return Answer(
        id=f"{domain}/{model}/{task}/{instance}",
        question=question,
        domain=pddl,
        problem=problem,
        raw=_said(str(item["llm_raw_response"]), pddl, problem, templates),
        extracted=None if extracted is None else _in_pddl(extracted, templates),
        theirs=judged if isinstance(judged, bool) else None,
        benchmark=domain,
        model=model,
        task=task,
        instance=str(instance),
        unread=unread,
        templates=templates,
        prompt=str(item.get("query", "")) if question in ABOUT_A_PLAN else "",
    )


_NOTHING = re.compile(
    r"\bno\s+(?:further\s+|more\s+|additional\s+|other\s+)?(?:actions?|steps?|moves?)\s+(?:are|is)\s+"
    r"(?:needed|required|necessary)\b",
    re.IGNORECASE,
)


def _said(text: str, domain: str, problem: str, templates: str) -> str:
    """Return an answer; the empty plan for one that says that nothing is to be done, and has no step."""
    if not problem or _NOTHING.search(text) is None:
        return text
    model = prepare(domain, problem, templates=templates or None)
    return text if read(text, model.vocabulary).plan.steps else ""


def _in_pddl(extracted: str, templates: str) -> str:
    """Return an extraction with the names of the PDDL: older ones have ``red`` where the templates say "red block"."""
    if not templates:
        return extracted
    said = [(name, texts[0].split()[0]) for name, texts in read_templates(Path(templates)).objects.items()]
    firsts = Counter(word for _, word in said)
    names = {word: name for name, word in said if firsts[word] == 1 and "{" not in word}
    return _ARGUMENT.sub(lambda found: names.get(found[0], found[0]), extracted)


_ARGUMENT = re.compile(r"(?<= )[\w-]+(?=[ )])")

_CHANGED = ("plan_reuse", "replanning", "goal_shuffling", "full_to_partial", "partial_to_full")
"""tasks whose prompt asks for another goal, or from another state, than the instance has"""


def _model(item: Mapping[str, Any], task: str, domain: str, layout: Layout) -> tuple[str, str]:
    """Return the model that is asked about: as the prompt says, else that of the instance."""
    prompt = str(item.get("query", ""))
    if any(name in task for name in _CHANGED) and layout.instances is not None and last_statement(prompt):
        path, problem = layout.model(domain, item["instance_id"], task)
        return path, asked(prompt, prepare(path, problem, templates=_templates(layout, domain, task) or None)).problem
    if "replanning" in task:
        raise InputError("where a plan begins anew is in a prompt in words only, which is read with --instances")
    return model_of_prompt(prompt) or layout.model(domain, item["instance_id"], task)


def _templates(layout: Layout, domain: str, task: str) -> str:
    """Return the file with the words of a prompt; one in PDDL has none, and may have other names."""
    return "" if "pddl" in task else layout.templates_of(domain)


_QUESTIONS = {
    "optimal": Question.CHEAPEST,
    "verification": Question.VERDICT,
    "plan_execution": Question.STATE,
}
"""a part of a task's name -> what it asks for; the others ask for a plan"""


def _question(domain: str, task: str) -> Question:
    if "unsolvable" in domain:
        return Question.NO_PLAN
    found = (question for name, question in _QUESTIONS.items() if name in task)
    return next(found, Question.PLAN)


# --- rows ----------------------------------------------------------------------------------------

_TEXTS = ("domain_file", "problem_file")
_EXTRACTED = ("plan_text", "extracted_plan", "extracted_llm_plan")


def _rows(path: Path, layout: Layout) -> Iterator[Answer]:
    """Yield the answers of a table that names the PDDL files of each."""
    for number, row in json_lines(read_text(path), str(path)):
        if not isinstance(row, dict) or any(not isinstance(row.get(key), str) for key in _TEXTS):
            raise InputError(f"line {number} has no '{_TEXTS[0]}' and '{_TEXTS[1]}'", source=str(path))
        yield _row(row, path.absolute().parent, number, layout)


def _row(row: Mapping[str, Any], folder: Path, number: int, layout: Layout) -> Answer:
    task, domain = str(row.get("prompt_type", "")), str(row.get("benchmark_domain", ""))
    judged = row.get("benchmark_own_verdict", row.get("llm_correct"))
    return Answer(
        id=str(row.get("id", number)),
        question=_question(domain, task),
        domain=str(folder / row["domain_file"]),
        problem=str(folder / row["problem_file"]),
        raw=_text(row.get("raw_response", row.get("llm_raw_response"))),
        extracted=next((text for key in _EXTRACTED if (text := _text(row.get(key))) is not None), None),
        theirs=judged if isinstance(judged, bool) else None,
        said=_text(row.get("val_verdict")) or "",
        benchmark=domain,
        model=str(row.get("model", "")),
        task=task,
        instance=str(row.get("instance_id", "")),
        templates=_templates(layout, domain, task),
    )


def _text(value: object) -> str | None:
    """Return a text, or a list of steps as one."""
    if isinstance(value, list) and all(isinstance(step, str) for step in value):
        return "\n".join(value)
    return value if isinstance(value, str) else None
