"""What a step needs and does in its state, and which step made each fact true; what can be typed next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.checking.prepared import Prepared
from validator.execution.trace import Trace
from validator.model.conditions import conjuncts, ground, holds
from validator.model.pddl.write import atom_text, formula_text
from validator.model.values import Action, Atom, Domain, Formula, GroundAtom, Not, Parameter
from validator.reading.plan import Plan, Step, Token
from validator.records import dataclass

__all__ = ["Proposal", "about_action", "about_predicate", "about_step", "proposals"]


def about_step(model: Prepared, plan: Plan, index: int) -> str:
    """Return, in Markdown, what the step of a token needs and does; beyond classical models, what its action does."""
    step = plan.tokens[index]
    action = model.model.domain.actions.get(step.name) if isinstance(step, Step) else None
    if action is None or not isinstance(step, Step) or len(action.parameters) != len(step.args):
        return ""
    if model.model.features:
        return about_action(model.model.domain, action)
    return "\n".join(_Course(model, plan, model.simulator.run(plan)).told(index, step, action))


class _Course:
    """The state before each token, and who made each atom true or false last."""

    def __init__(self, model: Prepared, plan: Plan, trace: Trace) -> None:
        self._model = model
        self._plan = plan
        self._trace = trace
        self._state = set(trace.init)
        self._added: dict[GroundAtom, int] = {}
        self._deleted: dict[GroundAtom, int] = {}

    def told(self, index: int, step: Step, action: Action) -> Iterator[str]:
        for before in range(index):
            self._pass(before)
        binding = {parameter.name: arg for parameter, arg in zip(action.parameters, step.args, strict=True)}
        yield f"**{step}** is step {self._number(index)}\n"
        if needs := list(conjuncts(action.precondition)):
            yield "needs"
            yield from (self._need(part, binding) for part in needs)
            yield ""
        change = self._trace.changes[index]
        yield "does" if change.added or change.deleted else "changes nothing here"
        yield from (f"- `+` `{atom_text(atom)}`" for atom in sorted(change.added))
        yield from (f"- `-` `{atom_text(atom)}`" for atom in sorted(change.deleted))

    def _pass(self, index: int) -> None:
        change = self._trace.changes[index]
        self._state = (self._state - change.deleted) | change.added
        self._added.update(dict.fromkeys(change.added, index))
        self._deleted.update(dict.fromkeys(change.deleted, index))

    def _need(self, part: Formula, binding: dict[str, str]) -> str:
        simulator = self._model.simulator
        is_true = holds(simulator.model, part, binding, simulator.view(self._state))
        sign = "✓" if is_true else "✗"
        return f"- {sign} `{formula_text(part, binding)}`{self._why(part, binding, is_true=is_true)}"

    def _why(self, part: Formula, binding: dict[str, str], *, is_true: bool) -> str:
        inner = part.part if isinstance(part, Not) else part
        if not isinstance(inner, Atom) or self._model.simulator.is_derived(inner.predicate):
            return ""
        atom, in_state = ground(inner, binding), is_true == (inner is part)
        by = (self._added if in_state else self._deleted).get(atom)
        if by is not None:
            return f": step {self._number(by)} made it {'true' if is_true else 'false'}"
        if in_state:
            return ": from the beginning"
        return "" if is_true else ": nothing made it true"

    def _number(self, index: int) -> int:
        return self._plan.places[index] + 1


def about_action(domain: Domain, action: Action) -> str:
    """Return, in Markdown, what an action takes and needs."""
    lines = [f"**{_signature(action.name, action.parameters)}**"]
    needs = [formula_text(part, {}) for part in conjuncts(action.precondition)]
    if needs and action.name not in domain.durative:
        lines += ["", "needs", *(f"- `{part}`" for part in needs)]
    return "\n".join(lines)


def about_predicate(domain: Domain, name: str) -> str:
    """Return, in Markdown, what a predicate takes, and which actions change it."""
    from validator.model.values import Literal

    lines = [f"**{_signature(name, domain.predicates[name])}**"]
    changed: dict[bool, list[str]] = {True: [], False: []}
    for action in domain.actions.values():
        for effect in action.effects:
            for literal in _literals(effect):
                if isinstance(literal, Literal) and literal.atom.predicate == name:
                    changed[literal.positive].append(action.name)
    for sign, said in ((True, "made true by"), (False, "made false by")):
        if changed[sign]:
            lines.append(f"- {said} {', '.join(f'`{each}`' for each in dict.fromkeys(changed[sign]))}")
    return "\n".join(lines)


def _literals(effect: object) -> Iterator[object]:
    yield effect
    for inner in getattr(effect, "effects", ()):
        yield from _literals(inner)


def _signature(name: str, parameters: Sequence[Parameter]) -> str:
    shown = (f" {parameter.name} - {'|'.join(sorted(parameter.types))}" for parameter in parameters)
    return f"({name}{''.join(shown)})"


# --- what can be typed ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A word that fits; ``can_run`` says that a step of it can be executed in the state before it."""

    text: str
    about: str
    can_run: bool = False


def proposals(model: Prepared, before: Sequence[Token], words: Sequence[str]) -> list[Proposal]:
    """Return what can stand after the words of a step that is typed, after the steps before it: actions, objects."""
    domain = model.model.domain
    if not words:
        return [Proposal(text=name, about=_signature(name, one.parameters)) for name, one in domain.actions.items()]
    action = domain.actions.get(words[0].lower())
    if action is None or len(words) > len(action.parameters):
        return []
    parameter = action.parameters[len(words) - 1]
    objects = model.model.objects_of(parameter.types)
    is_last = len(words) == len(action.parameters) and not model.model.features
    runs = _running(model, before, action, words[1:], objects) if is_last else frozenset()
    return [Proposal(text=name, about=_type_of(model, name), can_run=name in runs) for name in objects]


def _type_of(model: Prepared, name: str) -> str:
    return " or ".join(sorted(model.model.problem.objects[name]))


def _running(
    model: Prepared, before: Sequence[Token], action: Action, given: Sequence[str], objects: Sequence[str]
) -> frozenset[str]:
    """Return the objects with which a step can be executed."""
    trace = model.simulator.run(Plan(parts=tuple(before)))
    state = set(trace.init)
    for change in trace.changes:
        state = (state - change.deleted) | change.added
    names = [parameter.name for parameter in action.parameters]
    args = [word.lower() for word in given]
    view = model.simulator.view(state)
    return frozenset(
        name
        for name in objects
        if holds(model.model, action.precondition, dict(zip(names, (*args, name), strict=True)), view)
    )
