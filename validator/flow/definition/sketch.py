"""Sketches: what a flow is to do, in a few lines, over a catalog of operators (NL2Flow's sketch format, YAML).

A *catalog* lists agents with inputs and outputs, items or constraints. A *sketch* lists components (items and agents to
reach, with values for their parameters; conditions with what is to happen in either case; disjunctions; orders), slots,
mappings and the options CAREFUL (confirm what was used or mapped), INORDER (agents in the order of the sketch) and
NO_TYPING (no mapping by type).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from validator.errors import ModelError, did_you_mean
from validator.flow.definition.entries import listed, record, share, text
from validator.flow.definition.integrity import check_names
from validator.flow.definition.reader import load_document
from validator.flow.model import (
    Claim,
    Flow,
    FlowOptions,
    Goal,
    GoalKind,
    GoalLogic,
    Input,
    ItemState,
    LifeCycle,
    Manifest,
    Map,
    MemoryItem,
    Operator,
    Order,
    Output,
    Slot,
)
from validator.reading.fields import Fields
from validator.records import dataclass, field, replace

__all__ = ["flow_from_sketch", "read_sketch"]

_OPTIONS = ("CAREFUL", "INORDER", "NO_TYPING")
_SLOT = record(Slot, item=text("name"), desirability=share("goodness", 1.0))
_MAP = record(Map, source=text("source"), target=text("target"), probability=share("goodness", 1.0))


def read_sketch(sketch: str | Path, catalog: str | Path) -> Flow:
    """Return the flow of a sketch file over a catalog file. Raises ModelError, OSError for the files."""
    try:
        flow = flow_from_sketch(load_document(Path(sketch)), load_document(Path(catalog)))
        check_names(flow)
    except ModelError as error:
        raise error if error.source else ModelError(error.message, source=str(sketch)) from None
    return flow


def flow_from_sketch(sketch: object, catalog: object) -> Flow:
    """Return the flow of a sketch over a catalog, both as JSON values. Raises ModelError."""
    listed = Fields(catalog, "catalog")
    listed.raw("catalog_name")
    agents = {}
    for path, value in listed.entries("agents"):
        agent = _agent(Fields(value, f"catalog.{path}" if not path.startswith("catalog") else path))
        agents[agent.name] = agent
    listed.end()
    return _Sketch(agents).read(Fields(sketch, "sketch"))


def _agent(fields: Fields) -> Operator:
    inputs, needs = _signature(fields, "inputs")
    outputs, ensures = _signature(fields, "outputs")
    found = Operator(
        name=fields.text("id"),
        inputs=tuple(Input(item=item, type=kind) for item, kind in inputs),
        outputs=tuple(Output(item=item, type=kind) for item, kind in outputs),
        needs=tuple(needs),
        ensures=tuple(ensures),
    )
    fields.end()
    return found


def _signature(fields: Fields, key: str) -> tuple[list[tuple[str, str | None]], list[Claim]]:
    items: list[tuple[str, str | None]] = []
    claims: list[Claim] = []
    for path, value in fields.entries(key):
        entry = Fields({"name": value} if isinstance(value, str) else value, path)
        if "constraint" in entry:
            claims.append(Claim(text=entry.text("constraint"), holds=entry.flag("truth_value", True)))
        else:
            items.append((entry.text("name"), entry.optional_text("type")))
        entry.end()
    return items, claims


@dataclass
class _Sketch:
    """Collects what the components of a sketch say."""

    agents: dict[str, Operator]
    goals: list[tuple[Goal, ...]] = field(default_factory=list)
    memory: list[MemoryItem] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    maps: list[Map] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    manifests: list[Manifest] = field(default_factory=list)
    in_order: list[str] = field(default_factory=list)

    def read(self, fields: Fields) -> Flow:
        name = fields.text("sketch_name")
        for path, value in fields.entries("components"):
            self._component(Fields(value, path))
        self.slots += listed("slots", _SLOT)(fields)
        self.maps += listed("mappings", _MAP)(fields)
        chosen = set(fields.texts("options"))
        for option in sorted(chosen - set(_OPTIONS)):
            raise ModelError(f"{fields.path('options')}: one of {', '.join(_OPTIONS)} was expected, not {option!r}")
        fields.end(("utterances", "descriptions"))
        if "INORDER" in chosen:
            pairs = zip(self.in_order, self.in_order[1:], strict=False)
            self.orders += (Order(first=first, then=then) for first, then in pairs)
        careful = frozenset((LifeCycle.UNCERTAIN_ON_USE, LifeCycle.CONFIRM_ON_MAPPING))
        parts = ("goals", "memory", "slots", "maps", "orders", "manifests")
        found: dict[str, Any] = {part: tuple(getattr(self, part)) for part in parts}
        options = FlowOptions(
            ask_ordered=True,
            map_transitive=True,
            map_types="NO_TYPING" not in chosen,
            life_cycle=careful if "CAREFUL" in chosen else frozenset(),
            goal_logic=GoalLogic.AND_OR,
        )
        return Flow(name=name, operators=tuple(self.agents.values()), options=options, **found)

    # --- components ----------------------------------------------------------------------------

    def _component(self, fields: Fields) -> None:
        if "item" in fields:
            self._goal(fields)
        elif "order" in fields:
            self._order(fields)
        elif "condition" in fields:
            self._condition(fields)
        elif "OR" in fields:
            self.goals.append(tuple(self._alternative(path, value) for path, value in fields.entries("OR")))
            fields.end()
        else:
            raise ModelError(f"{fields.where}: a component has one of the keys item, condition, OR, order")

    def _goal(self, fields: Fields) -> None:
        item = fields.text("item")
        parameters = [Fields(value, path) for path, value in fields.entries("parameters")]
        fields.end()
        if item not in self.agents:
            if parameters:
                raise ModelError(f"{fields.where}: only an agent has parameters{did_you_mean(item, self.agents)}")
            self.goals.append((Goal(kind=GoalKind.KNOWN, subject=item),))
            return
        self.in_order.append(item)
        arguments = self._arguments(item, parameters) if parameters else None
        self.goals.append((Goal(kind=GoalKind.OPERATOR, subject=item, arguments=arguments),))

    def _arguments(self, name: str, parameters: list[Fields]) -> tuple[str, ...]:
        """Return the items on which an agent is to run: a value is a new, known item, a target an item of the flow."""
        inputs = {entry.item: entry for entry in self.agents[name].inputs}
        given: dict[str, str] = {}
        for fields in parameters:
            item = fields.text("name")
            if item not in inputs:
                near = did_you_mean(item, inputs)
                raise ModelError(f"{fields.path('name')}: agent '{name}' has no input '{item}'{near}")
            value, target = fields.raw("value"), fields.optional_text("target")
            fields.end()
            if (value is None) is (target is None):
                raise ModelError(f"{fields.where}: a parameter has either a value or a target")
            source = target if target is not None else str(value)
            if value is not None:
                self.memory.append(MemoryItem(item=source, type=inputs[item].type, state=ItemState.KNOWN))
                self.slots.append(Slot(item=source, desirability=0.0))
            self.maps.append(Map(source=source, target=item))
            given[item] = source
        return tuple(given.get(item, item) for item in inputs)

    def _order(self, fields: Fields) -> None:
        text = fields.text("order")
        fields.end()
        for sign in "><":
            names = [name.strip() for name in text.split(sign)]
            if len(names) == 2 and all(names):
                first, then = names if sign == ">" else reversed(names)
                self.orders.append(Order(first=first, then=then))
                return
        raise ModelError(f"{fields.path('order')}: FIRST > THEN or THEN < FIRST was expected, not {text!r}")

    def _condition(self, fields: Fields) -> None:
        text = fields.text("condition")
        for key, holds in (("if_outcomes", True), ("else_outcomes", False)):
            for path, value in fields.entries(key):
                self._outcome(Fields(value, path), Claim(text=text, holds=holds))
        fields.end()

    def _outcome(self, fields: Fields, case: Claim) -> None:
        """Ask for an outcome in one case of a condition: the outcome, or that it is the other case."""
        other = Goal(kind=GoalKind.CONSTRAINT, claim=replace(case, holds=not case.holds))
        if "condition" in fields:
            consequence = Claim(text=_assigned(fields))
            self.manifests.append(Manifest(condition=case, consequence=consequence))
            self.goals.append((Goal(kind=GoalKind.CONSTRAINT, claim=consequence), other))
            return
        item = fields.text("item")
        fields.end(("parameters",))
        names = [item] if item in self.agents else list(self._yielding(item))
        if not names:
            near = did_you_mean(item, self.agents)
            raise ModelError(f"{fields.path('item')}: no agent is or yields '{item}'{near}")
        for name in names:
            self.agents[name] = replace(self.agents[name], needs=(*self.agents[name].needs, case))
        self.goals.append((*(Goal(kind=GoalKind.OPERATOR, subject=name) for name in names), other))

    def _yielding(self, item: str) -> Iterator[str]:
        for name, agent in self.agents.items():
            if item in agent.output_items:
                yield name

    def _alternative(self, path: str, value: Any) -> Goal:
        fields = Fields(value, path)
        if "condition" in fields:
            return Goal(kind=GoalKind.CONSTRAINT, claim=Claim(text=_assigned(fields)))
        item = fields.text("item")
        fields.end(("parameters",))
        return Goal(kind=GoalKind.OPERATOR if item in self.agents else GoalKind.KNOWN, subject=item)


def _assigned(fields: Fields) -> str:
    """Return the text of a condition that is an outcome, and so has none of its own."""
    text = fields.text("condition")
    for key in ("if_outcomes", "else_outcomes"):
        if list(fields.entries(key)):
            raise ModelError(f"{fields.path(key)}: an outcome that is a condition has no outcomes of its own")
    fields.end()
    return text
