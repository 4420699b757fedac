"""The single changes that could make a wrong part of an operator right enough for a plan."""

from __future__ import annotations

from collections.abc import Iterator

from validator.grading.eai.world.formulas import conjuncts
from validator.model.pddl.write import formula_text
from validator.model.values import TRUE, Action, And, Conditional, Effect, Literal
from validator.records import replace

__all__ = ["effect_changes", "precondition_changes"]


def precondition_changes(action: Action) -> Iterator[tuple[str, Action]]:
    """Yield the action without each conjunct of its precondition, and what was taken away."""
    parts = conjuncts(action.precondition)
    for place, part in enumerate(parts):
        rest = (*parts[:place], *parts[place + 1 :])
        yield f"saved without {_plain(formula_text(part, {}))}", replace(action, precondition=And(rest))


def effect_changes(action: Action, gold: Action) -> Iterator[tuple[str, Action]]:
    """Yield the action without each effect that is not gold, and with each gold effect that it lacks."""
    effects = action.effects
    for place, effect in enumerate(effects):
        if effect not in gold.effects:
            rest = (*effects[:place], *effects[place + 1 :])
            yield f"saved without {_plain(_effect_text(effect))}", replace(action, effects=rest)
    for effect in gold.effects:
        if effect not in effects:
            yield f"saved with {_plain(_effect_text(effect))}", replace(action, effects=(*effects, effect))


def _plain(text: str) -> str:
    """Return a text with the gold names of the parameters that the compared actions have in common."""
    return text.replace(" common", "")


def _effect_text(effect: Effect) -> str:
    match effect:
        case Literal(atom, positive):
            text = formula_text(atom, {})
            return text if positive else f"(not {text})"
        case Conditional(parameters, condition, effects):
            text = " ".join(map(_effect_text, effects))
            text = text if len(effects) == 1 else f"(and {text})"
            text = text if condition == TRUE else f"(when {formula_text(condition, {})} {text})"
            names = " ".join(parameter.name for parameter in parameters)
            return f"(forall ({names}) {text})" if names else text
        case _:
            return ""
