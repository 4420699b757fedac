"""The sentences of questions in English: an expression with gaps, and what is asked where it fits."""

from __future__ import annotations

from collections.abc import Callable

from validator.foils.language.asked import Asked
from validator.foils.language.english import meanings
from validator.foils.language.english.meanings import Said
from validator.foils.language.english.words import (
    ALL_OF_IT,
    AT,
    CAN,
    CLOSED,
    DO,
    FIRST,
    GONE,
    IF,
    IN_PLAN,
    LEAVE,
    LEAVING,
    MADE,
    NEVER,
    OFTEN,
    OTHERWISE,
    OUT,
    RATHER,
    REACHED,
    TIMES,
    USE,
    USED,
    USING,
    WANT,
    WHO,
)
from validator.foils.questions import Question

__all__ = ["SENTENCES"]

_F = r"(?P<f>.+?)"
_A, _B, _X, _C = r"(?P<a>.+?)", r"(?P<b>.+?)", r"(?P<x>\S+(?: \S+)?)", r"(?P<c>.+?)"

_WHY = rf"why(?: {DO})?(?: {WHO})?"
_SUPPOSE = rf"(?:{IF}{WHO}(?: {MADE})?|{CAN} {WHO})"

SENTENCES: tuple[tuple[str, Callable[[Asked, Said], Question]], ...] = (
    # why not
    (rf"{_WHY} not {WANT}{_A}(?: instead)?{IN_PLAN}", meanings.must),
    (rf"why {WHO} {DO} not {WANT}{_A}(?: instead)?{IN_PLAN}", meanings.must),
    (rf"why {DO} {_X} not {WANT}{_A}(?: instead)?", meanings.must_by),
    (rf"why {DO} {_A} {NEVER} {USED}", meanings.must),
    (rf"why {DO} not {_A} {USED}", meanings.must),
    (rf"why {_A} {DO} {NEVER} {USED}", meanings.must),
    (rf"why {DO} {_X} never {WANT}{_A}(?: instead)?", meanings.must_by),
    (rf"why {DO} {WHO} never {WANT}{_A}(?: instead)?{IN_PLAN}", meanings.must),
    (rf"why (?:{DO} )?{_A} (?:{DO} )?{OUT}", meanings.must),
    (rf"why {_A} to {OUT}", meanings.must),
    (rf"why not {_A} {USED}", meanings.must),
    (rf"{_WHY}(?: {DO})? not {WANT}(?:{USE}|{USING}) {_A}{IN_PLAN}", meanings.must_do),
    (rf"{_WHY} {WANT}{LEAVE} (?:{USING} )?{_A}{IN_PLAN}", meanings.must),
    (rf"why (?:{LEAVING}|not {USING}|against {USING}) {_A}{IN_PLAN}", meanings.must),
    (rf"why (?:no|not any) {_A}", meanings.must),
    (rf"{CAN} {WHO} (?:not )?{WANT}{_A}(?: instead)?", meanings.must),
    (rf"{CAN} {WHO} not {WANT}{_A}", meanings.must_not),
    (rf"{CAN} {_X} {WANT}{_A}(?: instead)?", meanings.must_by),
    (rf"(?:is|would|was) it (?:not )?(?:be )?possible to {_A}(?: instead)?", meanings.must),
    (rf"{IF}{WHO} (?:{MADE} )?{WANT}{_A}(?: instead)?", meanings.must),
    (rf"{IF}{_A} (?:is|was|were|has to be|had to be|must be) {USED}", meanings.must),
    (
        rf"i (?:want|would like|would prefer|prefer|wish|expected|thought) (?:{WHO} )?(?:would |to )?{WANT}{_A}",
        meanings.must,
    ),
    # why
    (rf"{_WHY} {WANT}{_A}{IN_PLAN}", meanings.why),
    (rf"why {WHO}(?: {DO})? {WANT}{_A}{IN_PLAN}", meanings.why),
    (rf"why {DO} {_X} {WANT}{_A}", meanings.why_by),
    (rf"why {DO} {_A} {USED}", meanings.why),
    (rf"why {_A} {DO} {USED}", meanings.why),
    (rf"why {_A} (?:being )?{USED}", meanings.why),
    (rf"why {USING} {_A}{IN_PLAN}", meanings.why_do),
    (rf"(?:why )?{DO} {WHO} (?:really |actually |even )?(?:need|require) {_A}", meanings.why),
    (rf"why {DO} {WHO} not (?:need|require) {_A}", meanings.must),
    (rf"why (?:{DO} )?{WHO} {WANT}(?:{USE}|{USING}) {_A}{IN_PLAN}", meanings.why_do),
    (
        rf"why is it (?:really |so |even )?(?:necessary|needed|required|important|useful|good|better) to {_A}",
        meanings.why,
    ),
    (rf"what (?:is|was) {_A} (?:good |needed |used )?for", meanings.why),
    (rf"what (?:is|was) the (?:point|use|role|need) (?:of|for) {_A}", meanings.why),
    (rf"(?:is|was) {_A} (?:really |actually |even )?(?:necessary|needed|required)", meanings.why),
    (rf"(?:do|does|did) {WHO} (?:really |actually |even )?(?:have|need) to {_A}", meanings.why),
    # what if not
    (rf"{IF}{WHO} (?:{MADE} )?{NEVER} {WANT}{_A}", meanings.must_not),
    (rf"{IF}(?P<x>\S+(?: \S+)??) (?:{MADE} )?{NEVER} {WANT}{_A}", meanings.must_not_by),
    (rf"{IF}{WHO} (?:{MADE} )?(?:avoid|avoided|skip|skipped|omit|omitted|leave out|left out) {_A}", meanings.must_not),
    (
        rf"{IF}{_A} (?:is|was|were|could|can|must|may|would) {NEVER} (?:be )?(?:{USED}|possible|allowed|permitted)",
        meanings.must_not,
    ),
    (rf"{IF}{_A} (?:is|was|were|becomes|became) (?:impossible|forbidden|prohibited|not possible)", meanings.must_not),
    (
        rf"{CAN} {WHO} (?:avoid|skip|omit|leave out|do without|get by without|manage without|go without) {_A}",
        meanings.must_not,
    ),
    (rf"{CAN} {WHO} {ALL_OF_IT} without (?:{USING} )?{_A}", meanings.must_not),
    (rf"(?:is|would) it (?:be )?possible to {ALL_OF_IT} without (?:{USING} )?{_A}", meanings.must_not),
    (rf"(?:is|would) it (?:be )?possible (?:{NEVER} to|without|to avoid) {_A}", meanings.must_not),
    (rf"(?:{WHO} (?:should|must|may|can) {NEVER}|do not|never|avoid) {_A}", meanings.must_not),
    # rather
    (
        rf"{_WHY} {WANT}(?:(?:{USE}|{USING}) )?{_A}(?: {USED})?{RATHER} {_B}(?: {AT})?{IN_PLAN}",
        meanings.rather,
    ),
    (rf"why {_A} {DO} {USED}(?:{RATHER}| to) {_B}{IN_PLAN}", meanings.rather),
    (rf"why {DO} {_A} {USED} (?:to|than) {_B}{IN_PLAN}", meanings.rather),
    (rf"{_WHY} prefer {_A} (?:to|over) {_B}{IN_PLAN}", meanings.rather),
    (
        rf"why {_A} (?:a )?(?:better|more suitable|preferable)(?: choice| option)? (?:than|to) {_B}{IN_PLAN}",
        meanings.rather,
    ),
    (
        rf"(?:{IF}{WHO}(?: {MADE})?|{CAN} {WHO}(?: not)?|{_WHY} not) {WANT}{_B}{RATHER} {_A}(?: {AT})?",
        meanings.rather,
    ),
    # order
    (rf"{_WHY} {WANT}{_A}(?: {USED})? before {_B}{OTHERWISE}", meanings.after),
    (rf"{_WHY} {WANT}{_A}(?: {USED})? after {_B}{OTHERWISE}", meanings.before),
    (rf"{_WHY} not {WANT}{_A} before {_B}", meanings.before),
    (rf"{_WHY} not {WANT}{_A} after {_B}", meanings.after),
    (rf"why {DO} {_A} not (?:{USED} )?before {_B}", meanings.before),
    (rf"why {DO} {_A} not (?:{USED} )?after {_B}", meanings.after),
    (rf"{_SUPPOSE} {WANT}{_A} before {_B}", meanings.before),
    (rf"(?:{IF}|{CAN} ){_A} before {_B}", meanings.before),
    (rf"{_SUPPOSE} {WANT}{_A} after {_B}", meanings.after),
    (rf"{_WHY} not {WANT}{_A} (?:directly|immediately|right) after {_B}", meanings.directly),
    (rf"{_SUPPOSE} {WANT}{_A} (?:directly|immediately|right) after {_B}", meanings.directly),
    # a place in the plan
    (rf"{_WHY} not {WANT}{_A} {FIRST}", meanings.at),
    (rf"{_WHY} not first {WANT}{_A}", meanings.at),
    (rf"{_WHY} not {WANT}(?:start|begin) (?:with|by) {_A}", meanings.at),
    (rf"{_WHY} not {WANT}{_A} {AT}", meanings.at),
    (rf"{_SUPPOSE} {WANT}{_A} {FIRST}", meanings.at),
    (rf"{_SUPPOSE} {WANT}(?:start|begin|started|began) (?:with|by) {_A}", meanings.at),
    (rf"{_SUPPOSE} {WANT}{_A} {AT}", meanings.at),
    (rf"{_WHY} {WANT}{_A} {FIRST}", meanings.not_at),
    (rf"{_WHY} {WANT}(?:start|begin) (?:with|by) {_A}", meanings.not_at),
    (rf"{_WHY} {WANT}{_A}(?: {USED})? {AT}(?: of (?:the|this) plan)?", meanings.not_at),
    # how often
    (rf"{_WHY} {WANT}{_A} (?:{TIMES}|{OFTEN})", meanings.fewer),
    (rf"{_WHY} {WANT}(?:only )?{_A} only {TIMES}", meanings.more),
    (rf"{_WHY} not {WANT}{_A} (?:again|once more|more often)", meanings.more),
    (rf"{_SUPPOSE} {WANT}{_A} (?:again|once more|more often|one more time)", meanings.more),
    (rf"{_SUPPOSE} {WANT}{_A} (?:only|at most|no more than) {TIMES}", meanings.at_most),
    (rf"{_SUPPOSE} {WANT}{_A} at least {TIMES}", meanings.at_least),
    # another model
    (rf"{IF}there (?:is|was|were|are|would be) (?:no|not any) (?:such )?{_X}", meanings.without),
    (rf"{IF}{WHO} (?:(?:had|have|has) no|(?:did|do|does) not have) {_X}", meanings.without),
    (rf"{IF}{_X} {GONE}", meanings.without),
    (
        rf"{IF}{_C} (?:is|was|were|would be) (?:not|no longer) (?:a goal|required|needed|asked for)",
        meanings.without_goal,
    ),
    (
        rf"{IF}{_C} (?:is|was|were|would be) (?:also |another )(?:a )?(?:goal|required|needed)",
        meanings.with_goal,
    ),
    (rf"why {DO} {_C} not {REACHED}", meanings.at_end),
    (
        rf"why {DO} {WHO} not (?:achieve|reach|satisfy|fulfil|fulfill|accomplish|make true) {_C}",
        meanings.at_end,
    ),
    (rf"{IF}(?:there (?:is|was|were) no|(?:{WHO} )?had no) {_F}", meanings.without_fact),
    (rf"{IF}{_F} (?:is|was|were|would be) {CLOSED}", meanings.without_fact),
    (rf"{IF}there (?:is|was|were|would be) (?:also )?(?:a|an|another) {_F}", meanings.with_fact),
    (rf"{IF}{_F} (?:is|was|were|would be|had been|could be) (?P<n>\d+(?:\.\d+)?)", meanings.with_value),
    # the whole plan
    (r"why (?:is|was) there no (?:valid )?(?:plan|solution)", meanings.solvable),
    (
        r"why (?:is|was) (?:the|this) (?:problem|task|goal) (?:unsolvable|impossible|not solvable|unreachable)",
        meanings.solvable,
    ),
    (r"why can (?:the|this) (?:problem|task|goal) not be (?:solved|reached|achieved)", meanings.solvable),
    (
        r"(?:is|are) there (?:any|an?) (?:cheaper|better|less costly|less expensive) (?:plans?|solutions?|ways?)",
        meanings.solvable,
    ),
    (
        r"(?:is|was) (?:the|this|your) plan (?:really )?"
        r"(?:optimal|the (?:best|cheapest)(?: one| plan)?|as cheap as possible)",
        meanings.solvable,
    ),
    (r"why is there no (?:cheaper|better) (?:plan|solution)", meanings.solvable),
    (
        rf"(?:{CAN} (?:{WHO}|the (?:goal|task)) (?:do it|be (?:done|reached|achieved)|cost)"
        rf"|{IF}(?:{WHO} (?:had|have)|the plan (?:may|could|can|must) cost))"
        r" (?:only |at most |no more than |within |for |with |a |the |cost |costs |budget |of )*(?P<n>\d+(?:\.\d+)?)",
        meanings.within,
    ),
    (
        r"(?:is|are) there (?:any|an?) (?:plans?|solutions?|ways?) (?:that costs?|which costs?|costing|for|within|with)"
        r" (?:only |at most |no more than |within |a |the |cost |costs |budget |of )*(?P<n>\d+(?:\.\d+)?)",
        meanings.within,
    ),
)
"""Each sentence and what it asks. Flags: case does not matter, and a whole text must fit."""
