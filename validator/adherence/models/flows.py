"""A flow as the model of an execution: a tool is the operator of the same name, an argument the input of the same name.

A value stands for the item whose value the trace records as the same. Questions, mappings, confirmations and assertions
leave no call in most traces; see ``validator.flow.silent_steps``.
"""

from __future__ import annotations

from collections.abc import Mapping

from validator.adherence.models.binding import Binder, Bound, name_of
from validator.adherence.models.followed import Followed
from validator.adherence.models.interpreted import Entry, Interpreted, Interpreter, Translate, sides, unknown
from validator.adherence.result import Adherence
from validator.flow.definition.integrity import check_names
from validator.flow.model import Flow
from validator.flow.plans.checked import Checked
from validator.flow.plans.shape import Expanded, expand_groups
from validator.flow.plans.tokens import BASIC, FlowTokenizer, read_lines
from validator.flow.plans.tokens import Call as FlowCall
from validator.flow.silent_steps import KINDS, Unrecorded, arrange, kind_of
from validator.reading.calls import Argument, Call, Planned
from validator.reading.plan import Constraint, Step, Token, Unparsed
from validator.reading.traces.recording import Recording, folded
from validator.records import replace

__all__ = ["FlowInterpreter"]

_OPEN = "…"
"""a value that the plan of a flow leaves open: it names items only"""


class FlowInterpreter(Interpreter):
    """Reads plans, and the calls of a trace, as steps of a flow. Raises ModelError for one that contradicts itself.

    ``unrecorded`` are the kinds of steps of which the trace neither has a call nor declares a tool.
    """

    def __init__(self, flow: Flow, recording: Recording, translate: Translate | None = None) -> None:
        check_names(flow)
        parameters = {operator.name: operator.input_items for operator in flow.operators}
        super().__init__(parameters, dict.fromkeys(parameters, False))  # to have run an operator may be a goal
        self._flow = flow
        self._translate = translate
        self._tokenizer = FlowTokenizer(flow)
        self._binder = Binder(flow, self._tokenizer)
        self._spelling = _spelling(recording)
        names = (*(call.name for call in recording.calls), *recording.tools)
        self.unrecorded = KINDS.difference(map(folded, names))
        self.written = self

    # --- plans ---------------------------------------------------------------------------------

    def lines(self, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return read_lines(text)

    def steps(self, line: str) -> tuple[Planned, ...]:
        tokens = expand_groups((self._tokenizer(line),), self._flow.options).tokens
        return tuple(map(self._planned, tokens)) if all(map(self._is_own, tokens)) else ()

    def _is_own(self, token: Token) -> bool:
        if isinstance(token, Constraint):
            return True
        if isinstance(token, Unparsed) or token.name not in (*self._flow.by_name, *BASIC):
            return False
        return all(arg in self._binder.analysis.types for arg in token.args)

    def _planned(self, token: Token) -> Planned:
        return Planned(index=0, name=name_of(token), arguments=self._arguments(token), token=token, is_own=True)

    def _arguments(self, token: Token) -> tuple[Argument, ...]:
        if not isinstance(token, Step):
            return (Argument(None, str(token).removeprefix("assert ")),)
        if token.name in BASIC:
            return tuple(Argument(None, arg) for arg in token.args)
        inputs = self._flow.by_name[token.name].input_items
        places = dict(enumerate(inputs))
        names = (arg if arg in inputs else places.get(place, arg) for place, arg in enumerate(token.args))
        tool = folded(token.name)
        return tuple(Argument(self._spelling.get((tool, folded(name)), name), _OPEN) for name in names)

    # --- steps ---------------------------------------------------------------------------------

    def interpreted(self, adherence: Adherence) -> Interpreted:
        executable = dict(sides(adherence))
        found = {entry: self._bind(side) for entry, side in executable.items()}
        bound = {entry: each for entry, each in found.items() if isinstance(each, Bound)}
        checked = self._checked(bound, executable)
        steps = dict(zip(bound, checked.plan.tokens, strict=True))
        prepared = checked.compiled.prepared
        shown = _Shown(checked)
        silent = Unrecorded(checked.compiled, prepared.simulator, self._binder.analysis, self.unrecorded)
        return Interpreted(
            prepared=prepared,
            steps={
                entry: replace(step, concurrent=executable[entry].batch) if isinstance(step, Step) else step
                for entry, step in steps.items()
            },
            unknown=tuple(unknown(executable[entry], each) for entry, each in found.items() if isinstance(each, str)),
            faults={entry: checked.faults[place] for place, entry in enumerate(bound) if place in checked.faults},
            shown=shown,
            told=checked.words.failure,
            seen=lambda state, plan: checked.seen(prepared.simulator, plan, state),
            is_whole=self._is_whole(adherence, bound),
            supply=lambda entries: Followed(self._binder, checked.compiled, silent, bound, steps, executable, entries),
            is_possible=lambda entry, behind: silent.is_possible(steps[entry], [steps[each] for each in behind]),
            arrange=lambda calls, limits: arrange(
                prepared, calls, lambda step: kind_of(shown(step)) in self.unrecorded, limits
            ),
            missing="the flow has no operator",
        )

    def _is_whole(self, adherence: Adherence, bound: Mapping[Entry, Bound]) -> bool:
        """Return whether a plan has steps that leave no call, and its mappings among them."""
        is_collapsed = any(each.items for (_, is_call), each in bound.items() if not is_call)
        return not is_collapsed and any(folded(step.name) in KINDS for step in adherence.plan or ())

    def _bind(self, side: Planned | Call) -> Bound | str:
        if self._translate is None:
            return self._binder.bind(side)
        step = self._translate(side)
        return step if isinstance(step, str) else Bound(token=FlowCall(name=step.name, args=step.args))

    def _checked(self, bound: Mapping[Entry, Bound], executable: Mapping[Entry, Planned | Call]) -> Checked:
        """Return all steps beside the compiled flow; outputs are compared where the plan tells any."""
        written = {entry for entry, side in executable.items() if isinstance(side, Planned) and side.is_own}
        if not any(getattr(bound[entry].token, "outputs", ()) for entry in written):
            written = set()
        tokens = [each.token if entry in written else self._with_outputs(each.token) for entry, each in bound.items()]
        faults = {place: each.faults for place, each in enumerate(bound.values()) if each.faults}
        expanded = Expanded(tuple(tokens), tuple(range(len(tokens))))
        return Checked(self._flow, expanded, compare_outputs=True, faults=faults)

    def _with_outputs(self, token: Token) -> Token:
        operator = self._flow.by_name.get(name_of(token))
        if operator is None or not isinstance(token, FlowCall):
            return token
        return replace(token, outputs=tuple(output.item for output in operator.outputs))


def _spelling(recording: Recording) -> dict[tuple[str, str], str]:
    """Return how the trace spells the arguments of each tool; a plan's ``start date`` may be its ``start_date``."""
    named = ((call.name, argument.name) for call in recording.calls for argument in call.arguments or ())
    declared = ((tool, name) for tool, names in recording.tools.items() for name in names)
    return {(folded(tool), folded(name)): name for tool, name in (*declared, *named) if name is not None}


class _Shown:
    """Shows steps of the model as people write them."""

    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        self._written = dict(zip(checked.plan.tokens, checked.expanded.tokens, strict=True))

    def __call__(self, token: Token) -> Token:
        bare = replace(token, concurrent=None) if isinstance(token, Step) else token
        if bare in self._written or not isinstance(bare, Step):
            return self._written.get(bare, bare)
        shown = self._checked.compiled.outer(bare)
        return shown if isinstance(shown, Constraint) else FlowCall(name=shown.name, args=shown.args)
