"""Reading the actions of a PDDL domain, and its durative actions, processes and events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from validator.model.conditions import may_assign_twice
from validator.model.pddl.formulas.conditions import formula
from validator.model.pddl.formulas.effects import effects
from validator.model.pddl.scope import Scope, Variables
from validator.model.pddl.syntax import Group, Node, Word
from validator.model.values import TRUE, Action, And, Conditional, Formula, Parameter
from validator.records import dataclass, field, replace

if TYPE_CHECKING:
    from validator.model.temporal import DurativeAction, Preference, Process


BEYOND = {":durative-action": "durative-actions", ":process": "processes", ":event": "events"}
"""section -> the feature that it is, of what is an action beyond classical planning"""

_ACTION_KEYS = (":parameters", ":precondition", ":effect", ":observe", ":vars")
_DURATIVE_KEYS = (":parameters", ":duration", ":condition", ":precondition", ":effect")


def read_action(scope: Scope, section: Group) -> Action:
    """Read one action. Raises ModelError for what is none."""
    body = Actions()
    body.add(scope, ":action", section)
    (action,) = body.actions.values()
    return action


@dataclass
class Actions:
    """The actions of a domain, as they are read; ``add`` takes one more."""

    names: set[str] = field(default_factory=set)
    actions: dict[str, Action] = field(default_factory=dict)
    durative: dict[str, DurativeAction] = field(default_factory=dict)
    processes: list[Process] = field(default_factory=list)
    events: list[Action] = field(default_factory=list)

    def add(self, scope: Scope, kind: str, section: Group) -> None:
        """Read an action, durative action, process or event."""
        keys = _ACTION_KEYS if kind == ":action" else _DURATIVE_KEYS
        nodes = scope.keys_apart(section.nodes, keys)
        word = scope.word(nodes[1], "the name of an action") if len(nodes) > 1 else Word("", section.offset)
        name = word.text
        if not name or name in keys:
            scope.source.fail("an action needs a name", word.offset)
        refusal = f"duplicate action '{name}'"
        known = (self.actions.get(name), self.durative.get(name))
        if name in self.names and known == (None, None):
            scope.source.fail(refusal, section.offset)
        is_again = name in self.names
        self.names.add(name)
        scope.within = name if kind in (":action", ":durative-action") else ""
        agent, described = _agent(scope, nodes[2:])
        parts = scope.keyed(described, keys, f"action '{name}'")
        if ":vars" in parts:
            scope.source.fail("':vars' (PDDL 1.2) is not supported; make them :parameters", parts[":vars"].offset)
        if kind in BEYOND:
            scope.feature(BEYOND[kind], section.offset)
        elif ":parameters" not in parts and not agent:
            scope.warn(f"action '{name}' has no :parameters; it takes none", word.offset)
        listed = parts.get(":parameters")
        others = () if listed is None else scope.group(listed, "a list of variables").nodes
        parameters, variables = scope.bound((*agent, *others), {})
        if kind == ":durative-action":
            from validator.model.pddl.formulas.timed import durative_action
            from validator.model.temporal import When

            self.durative[name] = durative = durative_action(scope, name, parameters, parts, variables)
            for when in (When.START, When.END):
                timed = (each for each in durative.effects if each.when is when)
                if may_assign_twice(Conditional(each.parameters, TRUE, each.effects) for each in timed):
                    scope.feature("object-fluents-assigned-twice", section.offset)
            self.actions[name] = Action(name=name, parameters=parameters, precondition=TRUE, effects=())
        elif kind == ":process":
            from validator.model.pddl.formulas.timed import process

            self.processes.append(process(scope, name, parameters, parts, variables))
        elif kind == ":event":
            self.events.append(_action(scope, name, parameters, parts, variables))
        else:
            scope.values_needed = []
            action = _action(scope, name, parameters, parts, variables)
            needed, scope.values_needed = scope.values_needed, None
            if needed:
                action = replace(action, precondition=And((action.precondition, *needed)))
            self.actions[name] = action
        if is_again:
            if kind in (":process", ":event") or (self.actions.get(name), self.durative.get(name)) != known:
                scope.source.fail(refusal, section.offset)
            scope.tolerate("declared-again", f"action '{name}' stands here again", section.offset, refusal)
        scope.within = ""


def _agent(scope: Scope, nodes: tuple[Node, ...]) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """Return the agent of an action (``:agent ?a - robot`` in multi-agent PDDL), and what else is said of it."""
    keys = {node.text: place for place, node in enumerate(nodes) if isinstance(node, Word) and node.text[0] == ":"}
    place = keys.get(":agent")
    if place is None:
        return (), nodes
    end = min((later for later in keys.values() if later > place), default=len(nodes))
    refusal = "':agent' is not single-agent PDDL"
    scope.tolerate("agent", f"{refusal}; it is taken as the first parameter", nodes[place].offset, refusal)
    return nodes[place + 1 : end], (*nodes[:place], *nodes[end:])


def _action(
    scope: Scope,
    name: str,
    parameters: tuple[Parameter, ...],
    parts: Mapping[str, Node],
    variables: Variables,
) -> Action:
    condition = parts.get(":precondition", parts.get(":condition"))
    hard, preferences = (TRUE, ()) if condition is None else hard_and_soft(scope, condition, variables)
    effect, seen = parts.get(":effect"), parts.get(":observe")
    scope.choices = []
    found = () if effect is None else effects(scope, effect, variables)
    if seen is not None:
        scope.feature("sensing-actions", seen.offset)
    if effect is not None and scope.object_functions and may_assign_twice(found):
        scope.feature("object-fluents-assigned-twice", effect.offset)
    return Action(
        name=name,
        parameters=parameters,
        precondition=hard,
        effects=found,
        preferences=preferences,
        choices=tuple(scope.choices),
        observed=() if seen is None else (formula(scope, seen, variables),),
    )


def hard_and_soft(scope: Scope, node: Node, variables: Variables) -> tuple[Formula, tuple[Preference, ...]]:
    """Read a goal or precondition as its hard part and its preferences (PDDL 3)."""
    if not scope.has_preferences:
        return formula(scope, node, variables), ()
    from validator.model.pddl.formulas.soft import soft_formula

    return soft_formula(scope, node, variables)
