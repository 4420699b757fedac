"""What a prompt in words asks about: the instance, with the goal, the plan and the event that the prompt states."""

from __future__ import annotations

import re
from collections.abc import Iterable

from validator.checking.prepared import Prepared, prepare
from validator.errors import InputError
from validator.grading.planbench.facts import read_facts
from validator.model.pddl.write import atom_text, type_text
from validator.model.values import And, Atom, GroundAtom, Problem
from validator.reading.plan import Completeness, Plan
from validator.reading.tokens import read
from validator.records import dataclass, replace

# --- the last statement of a prompt ---------------------------------------------------------------


_INIT = re.compile(r"As initial conditions I have that,?(.*?)(?=\n\s*My goal|\n\s*I have executed|\Z)", re.DOTALL)
_GOAL = re.compile(r"My goal is to have that(.*?)(?=\n|I want to minimize|\Z)", re.DOTALL)
_PLAN = re.compile(r"\[(PLAN|ACTION SEQUENCE)\](.*?)\[\1 END\]", re.DOTALL)
_EVENT = re.compile(
    r"After executing the action \"(?P<action>[^\"\n]+)\"(?: at step (?P<step>\d+))? in the plan, "
    r"the following facts unexpectedly became (?P<first>true|false):(?P<facts>[^\n]*)"
    r"(?:\n\s*the following facts became unexpectedly (?P<second>true|false):(?P<others>[^\n]*))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What happened after a step of the plan; ``step`` counts from 1, None where only the action is named."""

    action: str
    step: int | None
    true: str
    false: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Texts of a statement; ``plan`` is None where it shows none before the place of the answer."""

    init: str
    goal: str
    plan: str | None
    event: Event | None


def last_statement(prompt: str) -> Statement | None:
    """Return the statement that a prompt asks about, after its examples; None for a prompt of another form."""
    _, found, text = prompt.rpartition("[STATEMENT]")
    init = _INIT.search(text)
    if not found or init is None:
        return None
    goal, plan, event = _GOAL.search(text), _PLAN.search(text), _EVENT.search(text)
    return Statement(
        init=init[1].strip(),
        goal="" if goal is None else goal[1].strip(),
        plan=None if plan is None else plan[2].strip(),
        event=None if event is None else _event(event),
    )


def _event(found: re.Match[str]) -> Event:
    said = {found["first"].lower(): found["facts"]}
    if found["second"]:
        said[found["second"].lower()] = found["others"]
    step = None if found["step"] is None else int(found["step"])
    return Event(action=found["action"], step=step, true=said.get("true", ""), false=said.get("false", ""))


# --- what a prompt asks ---------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The model that a prompt is about, its ``plan`` if it states one, and the problem as PDDL.

    ``model`` starts after the event and has the goal of the prompt, where it states these.
    """

    model: Prepared
    plan: Plan | None
    problem: str


def asked(prompt: str, model: Prepared) -> Asked:
    """Read what a prompt asks about an instance. Raises InputError where it is not understood, or not of it."""
    statement = last_statement(prompt)
    if statement is None:
        raise InputError("the prompt has no statement of PlanBench's form")
    _check_init(statement, model)
    plan = None if statement.plan is None else _plan(statement.plan, model)
    goal = _facts(statement.goal, model) if statement.goal else None
    init = model.model.problem.init
    if statement.event is not None:
        init = _behind(statement.event, plan, model)
    problem = replace(model.model.problem, init=init)
    if goal is not None:
        problem = replace(problem, goal=And(tuple(Atom(atom[0], atom[1:]) for atom in sorted(goal))))
    changed = replace(prepare(replace(model.model, problem=problem)), vocabulary=model.vocabulary)
    return Asked(model=changed, plan=plan, problem=_problem_text(model.model.domain.name, problem, goal))


def sayable(model: Prepared, atoms: Iterable[GroundAtom]) -> frozenset[GroundAtom]:
    """Return the facts that the templates have words for: PlanBench says nothing of what is a truck or a city."""
    templates = model.lexicon.templates
    if templates is None or not templates.predicates:
        return frozenset(atoms)
    said = {name.lower() for name in templates.predicates}
    return frozenset(atom for atom in atoms if atom[0].lower() in said)


def _check_init(statement: Statement, model: Prepared) -> None:
    said, known = _facts(statement.init, model), sayable(model, model.model.problem.init)
    if said != known:
        shown = " ".join(map(atom_text, sorted(said ^ known)[:3]))
        raise InputError(f"the prompt's initial state is not that of the instance: {shown}")


def _facts(text: str, model: Prepared) -> frozenset[GroundAtom]:
    found = read_facts(text, model.lexicon)
    if found.unread or not all(fact.positive for fact in found.facts):
        raise InputError(f"not understood in the prompt: {(found.unread or ('a negated fact',))[0]!r}")
    return found.atoms


def _plan(text: str, model: Prepared) -> Plan:
    if not text:
        return Plan(parts=())
    reading = read(text, model.vocabulary)
    if reading.completeness is not Completeness.COMPLETE or len(reading.candidates) > 1:
        missed = reading.missed[0].said if reading.missed else "it can mean several plans"
        raise InputError(f"the prompt's plan was not understood: {missed}")
    return reading.plan


def _behind(event: Event, plan: Plan | None, model: Prepared) -> frozenset[GroundAtom]:
    """Return the state after the event of a prompt."""
    steps = plan.steps if plan is not None else ()
    named = [(step.name, step.args) for step in read(event.action, model.vocabulary).plan.steps[:1]]
    places = [place for place, step in enumerate(steps, 1) if (step.name, step.args) in named]
    if event.step is not None and event.step in places:
        places = [event.step]
    if len(places) != 1:
        raise InputError(f"it is not clear after which step the event happens: {event.action!r}")
    trace = model.simulator.run(Plan(parts=tuple(steps[: places[0]])))
    if any(failure.step is not None for failure in trace.failures):
        raise InputError("the prompt's plan cannot be executed up to the event")
    *_, state = trace.states()
    return (state - _facts(event.false, model)) | _facts(event.true, model)


# --- problems as PDDL ----------------------------------------------------------------------------


def _problem_text(domain: str, problem: Problem, goal: Iterable[GroundAtom] | None) -> str:
    """Return a problem of facts as PDDL; an empty text where its own goal stands, which need not be facts."""
    if goal is None:
        return ""
    typed = sorted(problem.objects.items(), key=lambda item: item[1] == {"object"})
    objects = " ".join(name if types == {"object"} else f"{name} - {type_text(types)}" for name, types in typed)
    facts = (" ".join(map(atom_text, sorted(atoms))) for atoms in (problem.init, goal))
    frame = "(define (problem asked) (:domain {}) (:objects {}) (:init {}) (:goal (and {})))"
    return frame.format(domain, objects, *facts)
