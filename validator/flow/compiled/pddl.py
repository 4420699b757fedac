"""The PDDL of a flow, printed by tarski.

What tarski prints in the order of a set is sorted, so that the same flow gives the same text.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Any, TypeAlias

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import tarski
    import tarski.fstrips as fs
    from tarski.io import FstripsWriter
    from tarski.io import fstrips as iofs
    from tarski.syntax import land, lor, neg, top
    from tarski.theories import Theory

from validator.flow.compiled.language import PRICES, Action, Effect, Task
from validator.model.values import And, Atom, Equal, Formula, Not, Or

_Term: TypeAlias = Any
"""a constant, variable, atom or formula of tarski, which has no type annotations"""
_Terms: TypeAlias = Mapping[str, _Term]
"""constants and variables by their names"""

_REQUIREMENTS = "(:requirements :adl :action-costs)"


def printed(task: Task) -> tuple[str, str]:
    """Return a planning problem as the PDDL of a domain and of a problem."""
    writer = _Problem(task)
    for action in task.actions:
        writer.action(action)
    return writer.texts(task)


class _Problem:
    """A problem of tarski."""

    def __init__(self, task: Task) -> None:
        self._lang = lang = fs.language(task.name, theories=[Theory.EQUALITY, Theory.ARITHMETIC])
        self._problem = fs.create_fstrips_problem(
            domain_name=f"{task.name}-domain", problem_name=f"{task.name}-problem", language=lang
        )
        self._sorts: dict[str, _Term] = {"object": lang.Object}
        for sort, parent in task.sorts.items():
            self._sorts[sort] = lang.sort(sort, self._sorts[parent])
        self._constants = {each: lang.constant(each, self._sorts[sort]) for each, sort in task.constants.items()}
        self._predicates = {
            each: lang.predicate(each, *(self._sorts[sort] for sort in terms))
            for each, terms in task.predicates.items()
        }
        self._cost = lang.function("total-cost", lang.Integer)
        self._functions = {each: lang.function(each, self._sorts["item"], lang.Integer) for each in PRICES}
        self._problem.metric(self._cost(), fs.OptimizationType.MINIMIZE)

    def action(self, action: Action) -> None:
        variables = {name: self._lang.variable(name, self._sorts[sort]) for name, sort in action.parameters.items()}
        terms = {**self._constants, **variables}
        if isinstance(action.cost, int):
            cost = self._lang.constant(action.cost, self._lang.Integer)
        else:
            cost = self._functions[action.cost.function](*(terms[term] for term in action.cost.terms))
        self._problem.action(
            action.name,
            parameters=list(variables.values()),
            precondition=self._formula(action.precondition, terms),
            effects=[self._effect(effect, terms) for effect in action.effects],
            cost=iofs.AdditiveActionCost(cost),
        )

    def _effect(self, effect: Effect, terms: _Terms) -> _Term:
        each = {effect.each: self._lang.variable(effect.each, self._sorts["item"])} if effect.each else {}
        terms = {**terms, **each}
        kind = fs.AddEffect if effect.adds else fs.DelEffect
        found = kind(self._formula(effect.atom, terms), self._formula(effect.when, terms))
        return fs.UniversalEffect(list(each.values()), [found]) if each else found

    def _formula(self, formula: Formula, terms: _Terms) -> _Term:
        """Return a formula of tarski's."""
        match formula:
            case Atom():
                return self._predicates[formula.predicate](*(terms[term] for term in formula.terms))
            case Equal():
                return terms[formula.left] == terms[formula.right]
            case Not():
                return neg(self._formula(formula.part, terms))
            case And() | Or():
                parts = [self._formula(part, terms) for part in formula.parts]
                joined = land if isinstance(formula, And) else lor
                return joined(*parts, flat=True) if len(parts) > 1 else parts[0] if parts else top
        raise TypeError(f"no formula of a flow: {type(formula).__name__}")

    def texts(self, task: Task) -> tuple[str, str]:
        init = tarski.model.create(self._lang)
        init.set(self._cost(), 0)
        for fact in task.facts:
            init.add(self._formula(fact, self._constants))
        for (function, term), value in task.values.items():
            init.set(self._functions[function](self._constants[term]), value)
        self._problem.init, self._problem.goal = init, self._formula(task.goal, self._constants)
        writer, constants = FstripsWriter(self._problem), list(self._constants.values())
        domain: str = writer.print_domain(constant_objects=constants)
        problem: str = writer.print_instance(constant_objects=constants)
        domain = re.sub(r"\(:requirements [^)]*\)", _REQUIREMENTS, domain).replace(" - int\n", " - number\n")
        return _tidy(domain), _tidy(_sorted_init(problem))


def _sorted_init(problem: str) -> str:
    """Sort the lines between ``(:init`` and its end, which tarski prints in the order of a set."""
    before, _, rest = problem.partition("(:init\n")
    inside, _, behind = rest.partition("\n    )")
    return before + "(:init\n" + "\n".join(sorted(inside.splitlines())) + "\n    )" + behind


def _tidy(text: str) -> str:
    """Leave out tarski's header and blank lines."""
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(";;;")) + "\n"
