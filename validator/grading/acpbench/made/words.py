"""A model and its problem in words, by the templates of the lexicon, or by rule from the names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from validator.checking.prepared import Prepared
from validator.model.conditions import conjuncts
from validator.model.values import Action, Atom, Equal, Formula, GroundAtom, Literal, Not
from validator.reading.lexicon.say import filled

__all__ = ["describe", "facts_in_words", "situation"]


def describe(model: Prepared) -> str:
    """Return what can be done: each action in words and as PDDL, what it needs and what it changes."""
    lexicon = model.lexicon
    lines = ["These are the actions, each in words, as PDDL, with what must hold before it and what it changes."]
    for action in model.model.domain.actions.values():
        names = [parameter.name for parameter in action.parameters]
        lines.append(f"- {filled(next(lexicon.sayings.wording(action)), names)}: ({' '.join((action.name, *names))})")
        lines += (f"    {text}" for text in _about(action, model))
    lines.append("These are the facts, each in words and as PDDL.")
    for name, parameters in model.model.domain.predicates.items():
        atom = (name, *(parameter.name for parameter in parameters))
        lines.append(f"- {lexicon.say_fact(atom)}: ({' '.join(atom)})")
    return "\n".join(lines)


def _about(action: Action, model: Prepared) -> Iterator[str]:
    kinds = [
        f"{parameter.name} is a {' or '.join(sorted(parameter.types))}"
        for parameter in action.parameters
        if parameter.types != {"object"}
    ]
    needs = [_said(part, model) for part in conjuncts(action.precondition)]
    changes = [effect for effect in action.effects if isinstance(effect, Literal)]
    adds = [_literal(effect, model) for effect in changes if effect.positive]
    deletes = [_literal(effect, model) for effect in changes if not effect.positive]
    for head, said in (("where", kinds), ("before", needs), ("then true", adds), ("then false", deletes)):
        if said:
            yield f"{head}: {'; '.join(said)}"


def _said(part: Formula, model: Prepared) -> str:
    if isinstance(part, Not):
        return f"not: {_said(part.part, model)}"
    if isinstance(part, Equal):
        return f"{part.left} is {part.right}"
    assert isinstance(part, Atom)
    return model.lexicon.say_fact((part.predicate, *part.terms))


def _literal(effect: Literal, model: Prepared) -> str:
    return model.lexicon.say_fact((effect.atom.predicate, *effect.atom.terms))


def situation(model: Prepared, *, with_goal: bool) -> str:
    """Return the objects, the facts that hold now and, where it is asked for, the goal."""
    kinds: dict[str, list[str]] = {}
    for name, types in model.model.problem.objects.items():
        kinds.setdefault(" or ".join(sorted(types)), []).append(name)
    listed = (f"{kind}: {', '.join(names)}" for kind, names in kinds.items())
    lines = [f"Objects: {'; '.join(listed)}."]
    lines.append(f"Now these facts hold, and no others: {facts_in_words(model.model.problem.init, model)}.")
    if with_goal:
        said = (_said(part, model) for part in conjuncts(model.model.problem.goal))
        lines.append(f"The goal is that these hold: {', '.join(said)}.")
    return "\n".join(lines)


def facts_in_words(atoms: Iterable[GroundAtom], model: Prepared) -> str:
    """Return facts in words, in order of name."""
    return ", ".join(map(model.lexicon.say_fact, sorted(atoms)))
