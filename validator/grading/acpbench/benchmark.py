"""A benchmark of one's own: fresh problems of a domain, or given ones, and the questions about them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from validator.checking.prepared import Prepared, prepare
from validator.grading.acpbench import drafts
from validator.grading.acpbench.drafts import Asking, Draft, Drafts
from validator.grading.acpbench.fresh import Fresh, make_fresh
from validator.grading.acpbench.prover import Prover
from validator.grading.acpbench.questions import Form, Question, Task
from validator.grading.acpbench.space import Space
from validator.model.conditions import conjuncts
from validator.model.pddl.write import formula_text
from validator.model.values import Action, Atom, Conditional, Equal, Formula, GroundAtom, Literal, Not
from validator.reading.lexicon import templates_of_text
from validator.reading.lexicon.say import filled
from validator.records import dataclass, field, replace

# --- a model and its problem in words -------------------------------------------------------------


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
    for axiom in model.model.domain.axioms:
        head = (axiom.predicate, *(parameter.name for parameter in axiom.parameters))
        lines.append(f"- {lexicon.say_fact(head)} follows from: {_said(axiom.condition, model)}")
    return "\n".join(lines)


def _about(action: Action, model: Prepared) -> Iterator[str]:
    kinds = [
        f"{parameter.name} is a {' or '.join(sorted(parameter.types))}"
        for parameter in action.parameters
        if parameter.types != {"object"}
    ]
    needs = [_said(part, model) for part in conjuncts(action.precondition)]
    changes = [effect for effect in action.effects if isinstance(effect, Literal)]
    others = [_conditional(effect, model) for effect in action.effects if isinstance(effect, Conditional)]
    adds = [_literal(effect, model) for effect in changes if effect.positive]
    deletes = [_literal(effect, model) for effect in changes if not effect.positive]
    for head, said in (
        ("where", kinds),
        ("before", needs),
        ("then true", adds),
        ("then false", deletes),
        ("then", others),
    ):
        if said:
            yield f"{head}: {'; '.join(said)}"


def _said(part: Formula, model: Prepared) -> str:
    """Return a condition in words; one that is more than a literal as PDDL."""
    if isinstance(part, Not) and isinstance(part.part, Atom | Equal):
        return f"not: {_said(part.part, model)}"
    if isinstance(part, Equal):
        return f"{part.left} is {part.right}"
    if not isinstance(part, Atom):
        return formula_text(part, {})
    return model.lexicon.say_fact((part.predicate, *part.terms))


def _conditional(effect: Conditional, model: Prepared) -> str:
    every = f"for every {', '.join(parameter.name for parameter in effect.parameters)}: " if effect.parameters else ""
    condition = ", ".join(_said(part, model) for part in conjuncts(effect.condition))
    changes = ", ".join(
        _conditional(each, model)
        if isinstance(each, Conditional)
        else f"{'' if each.positive else 'not: '}{_literal(each, model)}"
        for each in effect.effects
        if isinstance(each, Conditional | Literal)
    )
    return f"{every}{changes}{f', if {condition}' if condition else ''}"


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


# --- questions about one problem ------------------------------------------------------------------


def make_questions(asking: Asking, tasks: Sequence[Task]) -> list[Question]:
    """Return one question of each task and form for which a key was proven, in the order of the tasks."""
    made: list[Question] = []
    for task in tasks:
        drafts = {draft.form: draft for draft in MAKERS[task](asking)}
        for form in FORMS[task]:
            if form in drafts:
                made.append(_question(asking, task, drafts[form]))
            else:
                asking.left_out[task, form] += 1
    return made


FORMS = {task: tuple(Form) if task not in (Task.PLAN, Task.NEXT_ACTION) else (Form.OPEN,) for task in Task}
_WITH_GOAL = (Task.VALIDATION, Task.JUSTIFICATION, Task.LANDMARKS, Task.NEXT_ACTION, Task.PLAN)


def _question(asking: Asking, task: Task, draft: Draft) -> Question:
    model = asking.prover.space.model
    text, key, choices = draft.text, draft.key, draft.choices
    if draft.form is Form.CHOICE:
        order = asking.shuffled(range(len(choices)))
        key, choices = chr(ord("A") + order.index(key)), tuple(choices[place] for place in order)
        listed = (f"{chr(ord('A') + place)}. {choice}" for place, choice in enumerate(choices))
        text = f"{text} {' '.join(listed)}"
    return Question(
        id=f"{asking.name}-{task.value}-{draft.form.value}",
        task=task,
        form=draft.form,
        context=f"{describe(model)}\n{situation(model, with_goal=task in _WITH_GOAL)}",
        question=f"{text} {_HOW[draft.form, task]}",
        key=key,
        choices=choices,
        domain=asking.domain,
        problem=asking.problem,
        proof=draft.proof,
        extra={"templates": asking.templates} if asking.templates else {},
    )


class _How(dict[tuple[Form, Task], str]):
    """What a prompt says of the form of the answer."""

    def __missing__(self, key: tuple[Form, Task]) -> str:
        return {
            Form.BOOL: 'Answer with "The answer is yes" or "The answer is no".',
            Form.CHOICE: 'Answer with "The answer is" and a letter.',
            Form.OPEN: 'Answer with "The answer is:" and one of them as PDDL, or None.',
        }[key[0]]


_HOW = _How(
    {
        (Form.OPEN, Task.APPLICABILITY): 'Answer with "The answer is:" and all of them as PDDL.',
        (Form.OPEN, Task.PROGRESSION): 'Answer with "The answer is:" and two lists of facts as PDDL: [...] [...].',
        (Form.OPEN, Task.VALIDATION): 'Count from 0. Answer with "The answer is" and the number, or None.',
        (Form.OPEN, Task.JUSTIFICATION): 'Answer with "The answer is:" and the steps as PDDL.',
        (Form.OPEN, Task.NEXT_ACTION): 'Answer with "The answer is:" and the step as PDDL.',
        (Form.OPEN, Task.PLAN): "Answer with the steps, one a line.",
    }
)


MAKERS: dict[Task, Callable[[Asking], Drafts]] = {
    Task.APPLICABILITY: drafts.applicability,
    Task.PROGRESSION: drafts.progression,
    Task.REACHABILITY: drafts.reachability,
    Task.ACTION_REACHABILITY: drafts.action_reachability,
    Task.VALIDATION: drafts.validation,
    Task.JUSTIFICATION: drafts.justification,
    Task.LANDMARKS: drafts.landmarks,
    Task.NEXT_ACTION: drafts.next_action,
    Task.PLAN: drafts.plan,
}


# --- a benchmark of one domain --------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class Benchmark:
    """``not_kept`` counts problems that were tried, by the reason; ``left_out`` the questions without a proven key."""

    problems: list[Fresh] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    not_kept: Counter[str] = field(default_factory=Counter)
    left_out: Counter[tuple[Task, Form]] = field(default_factory=Counter)


def make_benchmark(
    domain: str,
    problem: str,
    *,
    number: int = 0,
    steps: range = range(2, 9),
    tasks: Sequence[Task] = tuple(Task),
    seed: int = 0,
    templates: str = "",
    most: int = 10_000,
) -> Benchmark:
    """Make questions about fresh problems of a domain; with ``number`` 0 about the given one itself.

    All arguments are texts, not paths; ``most`` states are explored for each problem. Raises ModelError, InputError
    for templates, and as ``Space``.
    """
    model, made = prepare(domain, problem), Benchmark()
    if number:
        fresh = make_fresh(model, number, steps, seed, most)
        made.problems, made.not_kept = fresh.problems, fresh.left_out
    else:
        made.problems = [Fresh(name=model.model.problem.name or "problem", text=problem, steps=None)]
    for place, each in enumerate(made.problems):
        asking = _asking(each, domain, templates, seed, most)
        made.problems[place] = _measured(each, asking.prover)
        made.questions += make_questions(asking, tasks)
        made.left_out += asking.left_out
    return made


def _measured(problem: Fresh, prover: Prover) -> Fresh:
    """Return a problem with the length of its shortest plan, or of one that is known."""
    if problem.steps is not None:
        return problem
    if prover.distance is not None:
        return replace(problem, steps=prover.distance)
    return replace(problem, steps=len(prover.plan.steps) if prover.plan is not None else None, proven=False)


def _asking(problem: Fresh, domain: str, templates: str, seed: int, most: int) -> Asking:
    model: Prepared = prepare(domain, problem.text)
    worded = model.worded(templates_of_text(templates)) if templates else model
    return Asking(
        name=problem.name,
        prover=Prover(Space(worded), most),
        domain=domain,
        problem=problem.text,
        chance=random.Random(f"{seed} {problem.name}"),
        templates=templates,
    )
