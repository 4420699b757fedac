"""Reading flows from JSON and YAML: the project's own format (``flow.schema.json``), or NL2Flow's.

flow: trip
operators:
  - {name: find flight, inputs: [date, {item: city, type: place}], outputs: [flight], needs: ["$date > today"]}
goals:
  - {operator: find flight}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields as fields_of
from pathlib import Path
from typing import Any

from validator.errors import ModelError, did_you_mean
from validator.flow.definition.entries import (
    choice,
    flag,
    listed,
    named,
    one,
    optional_text,
    record,
    share,
    signature,
    text,
    whole,
)
from validator.flow.definition.integrity import check_names
from validator.flow.definition.nl2flow import flow_from_nl2flow, is_nl2flow
from validator.flow.model import (
    ROOT_TYPE,
    Claim,
    Flow,
    FlowOptions,
    Goal,
    GoalGroup,
    GoalKind,
    GoalLogic,
    ItemState,
    LifeCycle,
    Manifest,
    Map,
    MemoryItem,
    Operator,
    Order,
    Slot,
)
from validator.reading.fields import Fields, choose, entries, text_at
from validator.reading.plan import Step
from validator.texts import parse_json, read_text

_DEEPEST = 100
_MOST_CHARACTERS = 20_000_000
_PDDL = re.compile(r"(?:\s|;[^\n]*\n)*+(?=\(\s*define\b)", re.IGNORECASE)


def read_flow(path: Flow | str | Path) -> Flow:
    """Read a flow from a JSON or YAML file, in the project's own format or in NL2Flow's; a flow is returned as it is.

    NL2Flow's ``FlowDefinition`` may stand alone, or under ``flow`` beside its ``options``. Raises ModelError with the
    place of what cannot be read, OSError for the file.
    """
    if isinstance(path, Flow):
        return path
    document = load_document(Path(path))
    try:
        flow = flow_from_document(document)
        check_names(flow)
    except ModelError as error:
        raise error if error.source else ModelError(error.message, source=str(path)) from None
    return flow


def load_document(path: Path) -> Any:
    """Return what a JSON or YAML file holds. Raises ModelError for what is neither, OSError for the file."""
    return document_of(read_text(path, ModelError), str(path), may_be_yaml=path.suffix.lower() in (".yaml", ".yml"))


def document_of(text: str, source: str = "", *, may_be_yaml: bool = True) -> Any:
    """Return what a JSON or YAML text holds; ``may_be_yaml`` is for one that begins as JSON does. Raises ModelError."""
    if len(text) > _MOST_CHARACTERS:
        raise ModelError(f"a flow has at most {_MOST_CHARACTERS:,} characters, not {len(text):,}", source=source)
    if model := _PDDL.match(text):
        raise ModelError("JSON or YAML was expected, and this is PDDL", source=source, text=text, offset=model.end())
    if not text.lstrip().startswith(("{", "[")):
        return _yaml(text, source)
    try:
        return parse_json(text, source, ModelError)
    except ModelError as error:
        if not may_be_yaml:
            raise
        not_json = error
    try:
        return _yaml(text, source)
    except ModelError as error:
        raise (error if source else not_json) from None


def _yaml(text: str, source: str) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    depth = 0
    try:
        for event in yaml.parse(text, Loader=loader):  # what makes values of them ends the process where it is too deep
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                mark = event.start_mark.index
                raise ModelError("not YAML: nested too deeply", source=source, text=text, offset=mark)
        return yaml.load(text, Loader=loader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        offset = None if mark is None else mark.index
        said = getattr(error, "problem", None)
        if said is None or "nesting depth" in said:  # libyaml has a limit of its own, and may meet it before an event
            said = "nested too deeply"
        raise ModelError(f"not YAML: {said}", source=source, text=text, offset=offset) from None


def flow_from_document(document: object) -> Flow:
    """Return the flow of a JSON document, in the project's own format or in NL2Flow's. Raises ModelError."""
    if isinstance(document, Mapping) and isinstance(document.get("flow"), Mapping):
        return flow_from_nl2flow(document["flow"], document.get("options"))
    if isinstance(document, Mapping) and is_nl2flow(document):
        rest = {key: value for key, value in document.items() if key != "options"}
        return flow_from_nl2flow(rest, document.get("options"))
    if isinstance(document, Mapping) and ("sketch_name" in document or "components" in document):
        raise ModelError("this is a sketch of NL2Flow's, which is not supported; give a flow with its operators")
    return _read(document, "")


def _groups(value: object, path: str) -> tuple[GoalGroup, ...]:
    """Return the groups of goals that a flow's ``goals`` hold; a single one needs no list. Raises ModelError."""
    return tuple(_group(member, where) for where, member in entries(value, path))


def _group(value: object, path: str) -> GoalGroup:
    """Return the goals of a group, which is a goal or a list of goals."""
    return tuple(_goal(Fields(member, where)) for where, member in entries(value, path))


def _goal(fields: Fields) -> Goal:
    if "constraint" in fields:
        claim = Claim(text=fields.text("constraint"), holds=fields.flag("holds", True))
        fields.end()
        return Goal(kind=GoalKind.CONSTRAINT, claim=claim)
    kinds = [kind for kind in (GoalKind.OPERATOR, GoalKind.KNOWN, GoalKind.USED) if kind.value in fields]
    if len(kinds) != 1:
        known = ("operator", "known", "used", "constraint")
        hint = "".join(did_you_mean(key, known) for key in fields if key not in known)
        raise ModelError(f"{fields.where}: a goal has one of the keys {', '.join(known)}{hint}")
    arguments = fields.texts("arguments") if kinds[0] is GoalKind.OPERATOR and "arguments" in fields else None
    found = Goal(kind=kinds[0], subject=fields.text(kinds[0].value), arguments=arguments)
    fields.end()
    return found


def _types(fields: Fields) -> Iterator[tuple[str, str]]:
    types = fields.raw("types")
    if types is None:
        return
    if isinstance(types, list):
        yield from ((text_at(name, f"types[{number}]"), ROOT_TYPE) for number, name in enumerate(types))
        return
    if not isinstance(types, Mapping):
        raise ModelError("types: an object of each type with the type above it was expected")
    for name, parent in types.items():
        yield text_at(name, "types"), ROOT_TYPE if parent is None else text_at(parent, f"types.{name}")


_CLAIM = named(lambda name: Claim(text=name), record(Claim, text=text("constraint"), holds=flag("holds", default=True)))
"""Reads a constraint: its text, or ``{constraint: TEXT, holds: false}``."""

_MEMORY = named(
    lambda name: MemoryItem(item=name, state=ItemState.KNOWN),
    record(
        MemoryItem,
        item=text("item"),
        type=optional_text("type"),
        state=choice("state", {state.value: state for state in ItemState}, ItemState.KNOWN),
        label=optional_text("label"),
    ),
)
"""Reads what is known of an item; a name alone is a known one."""

_STEP = record(Step, name=text("operator"), args=listed("arguments", text_at))
"""Reads a call of the history."""

_INPUT, _OUTPUT = signature("item", "type")
_OPERATOR = record(
    Operator,
    name=text("name"),
    inputs=listed("inputs", _INPUT),
    outputs=listed("outputs", _OUTPUT),
    needs=listed("needs", _CLAIM),
    ensures=listed("ensures", _CLAIM),
    cost=whole("cost", 10, 0, 10**6),
    max_try=whole("max_try", 1, 0, 5),
)
_SLOT = record(
    Slot,
    item=text("item"),
    desirability=share("desirability", 0.5),
    propagate=flag("propagate", default=False),
    last_resort=flag("last_resort", default=True),
)
_OPTIONS = record(
    FlowOptions,
    **{each.name: flag(each.name, bool(each.default)) for each in fields_of(FlowOptions) if each.type == "bool"},
    life_cycle=lambda fields: frozenset(
        choose(value, {cycle.value: cycle for cycle in LifeCycle}, path) for path, value in fields.entries("life_cycle")
    ),
    lookahead=whole("lookahead", 1, 0, 100),
    goal_logic=choice("goal_logic", {logic.value: logic for logic in GoalLogic}, GoalLogic.AND_AND),
)
_read = record(
    Flow,
    name=text("flow"),
    operators=listed("operators", _OPERATOR),
    goals=one("goals", _groups),
    types=lambda fields: dict(_types(fields)),
    memory=listed("memory", _MEMORY),
    slots=listed("slots", _SLOT),
    maps=listed(
        "maps", record(Map, source=text("source"), target=text("target"), probability=share("probability", 1.0))
    ),
    orders=listed("orders", record(Order, first=text("first"), then=text("then"))),
    manifests=listed(
        "manifests",
        record(Manifest, condition=one("condition", _CLAIM), consequence=one("consequence", _CLAIM)),
    ),
    history=listed("history", _STEP),
    claims=listed("claims", _CLAIM),
    starts_with=optional_text("starts_with"),
    ends_with=optional_text("ends_with"),
    options=lambda fields: _OPTIONS(fields.raw("options") or {}, "options"),
)
