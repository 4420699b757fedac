"""What an agent can ask: each tool is a question with what of it is shown, and how its answer is told.

Calls with plain values come in, plain values go out: ``feedback`` is the answer in words for a language model, the
others are those of the library. All tools together are short, since an agent reads them before each conversation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from validator.errors import ValidatorError, did_you_mean
from validator.mcp.results import CHECK, report_fields
from validator.questions import adherence, comparison, model_repair, planning, recognition, tool_calls, why_not
from validator.questions.check import Check, check
from validator.questions.job import Job, plan_text
from validator.questions.question import Face, Question, Use, formerly, option, options_of, question
from validator.questions.reading import Reading, annotation_of, traces_of
from validator.records import MISSING, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A question that an agent can ask, of what its ``uses`` need.

    ``needed`` are fields that must be given, ``hidden`` fields that are not shown; ``extra`` is the package without
    which there is no answer.
    """

    about: str
    kind: type[Question]
    answer: Callable[[Any, Job], Mapping[str, Any]]
    uses: frozenset[Use] = frozenset(Use)
    needed: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    extra: str = ""

    @property
    def fields(self) -> Iterator[tuple[str, Any]]:
        """Yield the fields that are shown, what is needed first."""
        options = options_of(self.kind, Face.AGENT)
        shown = [(name, one) for name, one in options if name not in self.hidden and self.uses & one.uses]
        yield from sorted(shown, key=lambda each: (not self.is_needed(*each), each[0] == "time_limit"))

    def is_needed(self, name: str, one: Any) -> bool:
        return name in self.needed or one.default is MISSING


# --- what a tool takes ---------------------------------------------------------------------------


def definition(tool: Tool) -> dict[str, Any]:
    """Return the JSON schema of what a tool takes, as short as it can be."""
    from validator.service.operations.requests import reader

    whole = reader(tool.kind).json_schema()
    properties = {}
    for name, one in tool.fields:
        short = _short(whole["properties"][name], whole.get("$defs", {}))
        if one.default not in (MISSING, None, False, (), ""):
            short["default"] = one.default
        properties[name] = {**short, "description": one.words}
    needed = [name for name, one in tool.fields if tool.is_needed(name, one)]
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": needed} if needed else schema


def _short(schema: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a schema the types and values; null is what is left out."""
    if "$ref" in schema:
        return _short(known[schema["$ref"].rpartition("/")[2]], known)
    if "anyOf" in schema:
        parts = [_short(part, known) for part in schema["anyOf"] if part.get("type") != "null"]
        kinds = [part["type"] for part in parts]
        merged = {key: value for part in parts for key, value in part.items()}
        return {**merged, "type": kinds if len(kinds) > 1 else kinds[0]}
    found = {key: schema[key] for key in ("type", "enum") if key in schema}
    inner = schema.get("items")
    return {**found, "items": _short(inner, known)} if inner and set(inner) == {"type"} else found


# --- what is asked, and what is answered -------------------------------------------------------------------------


def read_call(tool: Tool, arguments: Mapping[str, Any]) -> Any:
    """Return the question of a call. Raises ValueError that says which argument is wrong."""
    from validator.service.operations.requests import read_request
    from validator.service.problems import ProblemError

    known = [name for name, _ in tool.fields]
    for given in arguments:
        if given not in known and given not in formerly(tool.kind):
            raise ValueError(
                f"there is no argument '{given}'{did_you_mean(given, known)}; there are {', '.join(known)}"
            )
    for needed, one in tool.fields:
        if tool.is_needed(needed, one) and needed not in arguments:
            raise ValueError(f"'{needed}' is missing: {one.words}")
    try:
        return read_request(tool.kind, json.dumps(arguments))
    except ProblemError as error:
        raise ValueError(error.problem.detail or error.problem.title) from None


def select_tools(names: Sequence[str]) -> Mapping[str, Tool]:
    """Return tools by their names; without names all that can answer. Raises ValidatorError for an unknown name."""
    for name in names:
        if name not in TOOLS:
            raise ValidatorError(f"there is no tool '{name}'{did_you_mean(name, TOOLS)}; there are {', '.join(TOOLS)}")
    found = {name: TOOLS[name] for name in names or TOOLS}
    return {name: tool for name, tool in found.items() if not tool.extra or find_spec(tool.extra) is not None}


def _check(asked: Check, job: Job) -> Mapping[str, Any]:
    return report_fields(check(asked, job), (*CHECK, *(("certificate", "no_certificate") if asked.certify else ())))


def _follow(asked: Check, job: Job) -> Mapping[str, Any]:
    from validator.service.operations.checks import judge_rest

    return judge_rest(asked, job)


def _check_calls(asked: tool_calls.ToolCalls, job: Job) -> Mapping[str, Any]:
    return report_fields(tool_calls.checked_calls(asked, job), (*CHECK, "repaired_calls"))


def _adhere(asked: adherence.Adherence, job: Job) -> Mapping[str, Any]:
    from validator.adherence.text import adherence_text

    found, verdict = adherence.adhered(asked, job)
    lacking = f"{verdict.said}\n" if verdict.said else ""
    value = {**found.to_json(), "required": verdict.to_json()}
    return {"feedback": adherence_text(found) + lacking, "adherence": value}


def _read(asked: Reading, job: Job) -> Mapping[str, Any]:
    from validator.render.annotated import annotated_text, annotated_value
    from validator.render.traces import traces_text, traces_value

    if traces := traces_of(asked, job):
        return {"feedback": traces_text(traces), **traces_value(plan_text(asked.text), traces)}
    found = annotation_of(asked, job)
    return {"feedback": annotated_text(found), **annotated_value(found), "traces": []}


def _solve(asked: planning.Plans, job: Job) -> Mapping[str, Any]:
    found = planning.solve(asked, job)
    best: Mapping[str, Any] = found["plans"][0] if found["plans"] else {"cost": None, "steps": None}
    shown = {name: found[name] for name in ("status", "proven", "lower_bound")}
    return {"feedback": _solution_text(found, best), **shown, "cost": best["cost"], "plan": best["steps"]}


def _solution_text(found: Mapping[str, Any], best: Mapping[str, Any]) -> str:
    if best["steps"] is None:
        return "There is no plan (proven).\n" if found["proven"] else f"No plan was found: {found['reason']}.\n"
    least = found["reason"] if found["lower_bound"] is None else f"at least {found['lower_bound']}"
    proof = "proven cheapest" if found["proven"] else f"not proven cheapest: {least}"
    return "\n".join((f"A plan of cost {best['cost']} ({proof}):", *best["steps"])) + "\n"


def _compare(asked: comparison.Metrics, job: Job) -> Mapping[str, Any]:
    found = comparison.compared(asked)
    return {"feedback": found.text, **found.to_json()}


@question
class Models(Question):
    """The models that come with the server."""

    name: str | None = option("return the domain, problem and plans of this one", default=None)


def _models(asked: Models, job: Job) -> Mapping[str, Any]:
    from validator.model.bundled import bundle, bundles

    if asked.name is None:
        models = [{"name": model.name, "about": model.about} for model in bundles()]
        return {"feedback": "".join(f"{model['name']}: {model['about']}\n" for model in models), "models": models}
    found = bundle(asked.name)
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (found.domain, found.problem)}
    plans = {path.name: path.read_text(encoding="utf-8") for path in found.plans}
    feedback = "\n".join((*texts.values(), *(f"{plan}:\n{text}" for plan, text in plans.items())))
    return {"feedback": feedback, "models": [{"name": found.name, "about": found.about, **texts, "plans": plans}]}


# --- the tools -----------------------------------------------------------------------------------


_PDDL = ("domain", "problem")
TOOLS: Mapping[str, Tool] = {
    "check_plan": Tool(
        about="Say whether a plan of a PDDL model, or of a flow (operators {name, inputs, outputs}, goals), is sound, "
        "valid or optimal; every fault with its reason; the nearest plan that has the quality, as a diff.",
        kind=Check,
        answer=_check,
        uses=frozenset((Use.PDDL, Use.FLOW)),
        hidden=("executed", "state", "changes", "state_complete"),
    ),
    "repair_domain": Tool(
        about="Find the fewest edits of a PDDL domain that make some plans valid and others invalid, also as a diff.",
        kind=model_repair.ModelRepair,
        answer=model_repair.repair_model,
        needed=(*_PDDL, "plans"),
        extra="pysat",
    ),
    "read": Tool(
        about="Show a text beside the steps read from it, with what was not understood; of a trace, its calls.",
        kind=Reading,
        answer=_read,
    ),
    "solve": Tool(
        about="Find a cheapest plan of a model, or prove that there is none.", kind=planning.Plans, answer=_solve
    ),
    "recognize_goal": Tool(
        about="Say which of several goals observations point to; with one goal, complete them to a plan.",
        kind=recognition.Recognition,
        answer=recognition.recognize,
    ),
    "why_not": Tool(
        about="Say why a plan is not another one: the cheapest plan that does what is asked, or why there is none.",
        kind=why_not.WhyNot,
        answer=why_not.why_not,
        needed=(*_PDDL, "questions"),
    ),
    "follow_plan": Tool(
        about="Judge what is left of a plan under way: whether a surprise matters, and the nearest rest.",
        kind=Check,
        answer=_follow,
        uses=frozenset((Use.REST,)),
        needed=_PDDL,
        hidden=("flow",),
    ),
    "compare_plans": Tool(
        about="Say how similar plans are; with a PDDL model, also whether they do the same.",
        kind=comparison.Metrics,
        answer=_compare,
    ),
    "check_tool_calls": Tool(
        about="Say whether tool calls would run one after the other, before any is made, and the nearest that would.",
        kind=tool_calls.ToolCalls,
        answer=_check_calls,
    ),
    "check_adherence": Tool(
        about="Say how closely the calls of an agent follow its plan; with a PDDL model, what each deviation did.",
        kind=adherence.Adherence,
        answer=_adhere,
    ),
    "list_models": Tool(
        about="List bundled planning models to try the other tools on.",
        kind=Models,
        answer=_models,
        hidden=("time_limit",),
    ),
}
"""Every tool by its name."""
