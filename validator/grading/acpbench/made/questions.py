"""Questions about one problem: what is asked is drawn by chance, what is right is proven, or else it is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from validator.grading.acpbench.made import plans, steps
from validator.grading.acpbench.made.asking import Asking, Draft, Drafts
from validator.grading.acpbench.made.words import describe, situation
from validator.grading.acpbench.questions import Form, Question, Task

__all__ = ["FORMS", "MAKERS", "make_questions"]


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
    Task.APPLICABILITY: steps.applicability,
    Task.PROGRESSION: steps.progression,
    Task.REACHABILITY: steps.reachability,
    Task.ACTION_REACHABILITY: steps.action_reachability,
    Task.VALIDATION: plans.validation,
    Task.JUSTIFICATION: plans.justification,
    Task.LANDMARKS: plans.landmarks,
    Task.NEXT_ACTION: plans.next_action,
    Task.PLAN: plans.plan,
}
