"""What a step under the cursor needs and does in its state, and which step made each fact true or false."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from validator.checking.prepared import Prepared
from validator.execution.trace import Trace
from validator.lsp.documents import Kind
from validator.lsp.editor import Editor
from validator.model.conditions import bound, conjuncts, ground, holds
from validator.model.pddl.write import atom_text, formula_text
from validator.model.values import Action, Atom, Formula, GroundAtom, Not
from validator.reading.plan import Plan, Step
from validator.reading.tokens import tokenize
from validator.texts import no_path


def hover(editor: Editor, asked: types.HoverParams) -> types.Hover | None:
    """Answer with the step of a plan of a classical model; None anywhere else."""
    document = editor.document(asked.text_document.uri)
    model = None if document is None or document.kind is not Kind.PLAN else editor.prepared(document)
    if document is None or model is None or model.model.features:
        return None
    offset = editor.offset(document, asked.position)
    plan = tokenize(no_path(document.text), model.vocabulary)
    for index, token in enumerate(plan.tokens):
        action = model.model.domain.actions.get(token.name) if isinstance(token, Step) else None
        here = token.span[0] <= offset <= token.span[1]
        if here and isinstance(token, Step) and action is not None and len(action.parameters) == len(token.args):
            lines = _Course(model, plan, model.simulator.run(plan)).lines(index, token, action)
            return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n".join(lines)))
    return None


class _Course:
    """The state before a token, and which step made each atom true or false last."""

    def __init__(self, model: Prepared, plan: Plan, trace: Trace) -> None:
        self._model = model
        self._plan = plan
        self._trace = trace
        self._state = set(trace.init)
        self._added: dict[GroundAtom, int] = {}
        self._deleted: dict[GroundAtom, int] = {}

    def lines(self, index: int, step: Step, action: Action) -> Iterator[str]:
        for before, change in enumerate(self._trace.changes[:index]):
            self._state = (self._state - change.deleted) | change.added
            self._added.update(dict.fromkeys(change.added, before))
            self._deleted.update(dict.fromkeys(change.deleted, before))
        binding = bound(action.parameters, step.args)
        yield f"**{step}** is step {self._number(index)}\n"
        if needs := list(conjuncts(action.precondition)):
            yield "needs"
            yield from (self._need(part, binding) for part in needs)
            yield ""
        change = self._trace.changes[index]
        yield "does" if change.added or change.deleted else "changes nothing here"
        yield from (f"- `+` `{atom_text(atom)}`" for atom in sorted(change.added))
        yield from (f"- `-` `{atom_text(atom)}`" for atom in sorted(change.deleted))

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
