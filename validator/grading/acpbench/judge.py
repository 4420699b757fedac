"""One answer to one open question, decided on the model: applicability, progression, reachability and so on.

An answer is right where it is proven so. Where no proof is found, the key of the data decides, and says that it did.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare
from validator.execution.faults import sentences
from validator.grading.acpbench.operators import Operator
from validator.grading.acpbench.prover import Proof, Prover, without
from validator.grading.acpbench.questions import Question, Task
from validator.grading.acpbench.space import Space
from validator.model.values import GroundAtom
from validator.reading.lexicon import templates_of_text
from validator.reading.plan import Plan, Step
from validator.records import dataclass

# --- answers in words -----------------------------------------------------------------------------
# Yes or no, a letter, a number, lists of steps and facts; the last that is said counts. What is found in none of
# these forms is not understood: None, which is not the same as wrong.


_FINAL = re.compile(
    r"(?:final\s+answer|(?:the\s+|my\s+)?answer)\s*(?:\*+)?\s*(?:is|:)\s*\**\s*:?\s*|\\boxed\{|simplified plan\s*:\s*",
    re.IGNORECASE,
)
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_GROUP = re.compile(r"\(([^()]+)\)")
_NONE = re.compile(r"\bnone\b", re.IGNORECASE)


def final(text: str) -> str:
    """Return what stands behind the last mark of an answer, or all of the text without thoughts."""
    visible = _THOUGHTS.sub(" ", text)
    found = list(_FINAL.finditer(visible))
    return visible[found[-1].end() :] if found and visible[found[-1].end() :].strip() else visible


def _is_marked(text: str) -> bool:
    return _FINAL.search(_THOUGHTS.sub(" ", text)) is not None


def yes_no(text: str) -> bool | None:
    """Return a yes or a no: the first behind the mark of the answer, or the only one that is said."""
    words = re.findall(r"\b(yes|no)\b", final(text), re.IGNORECASE)
    said = {word.lower() for word in words}
    if not said:
        return None
    starts = re.match(r"\W*(yes|no)\b", final(text), re.IGNORECASE)
    if len(said) > 1 and not (_is_marked(text) or starts):
        return None
    return str(words[0]).lower() == "yes"


def letter(text: str, choices: Sequence[str]) -> int | None:
    """Return the place of the choice that is said, by its letter or, alone, by its words."""
    said, last = final(text), chr(ord("A") + len(choices) - 1)
    bare = re.match(rf"\W*([A-{last}])\b(?!\s+[a-z])", said) or re.match(rf"\W*([A-{last}])\W*$", said, re.IGNORECASE)
    marked = {found.upper() for found in re.findall(rf"(?:^|[\s(\[*])([A-{last}])(?:[.)\]*]|$)", said, re.MULTILINE)}
    if bare is not None and (len(marked) <= 1 or _is_marked(text)):
        return ord(bare[1].upper()) - ord("A")
    if len(marked) == 1:
        return ord(marked.pop()) - ord("A")
    folded = " ".join(said.lower().split())
    told = [place for place, choice in enumerate(choices) if " ".join(choice.lower().split()).rstrip(".") in folded]
    return told[0] if len(told) == 1 and not marked else None


def index(text: str) -> int | None:
    """Return a number; -1 for none. None where none or several are said."""
    said = final(text)
    numbers = set(map(int, re.findall(r"(?<![\w.-])\d+(?![\w-]|\.\d)", said)))
    if len(numbers) == 1:
        return numbers.pop()
    starts = re.match(r"\W*(\d+)\b", said)
    if starts is not None:
        return int(starts[1])
    return -1 if not numbers and is_none(said) else None


def is_none(text: str) -> bool:
    """Return whether an answer is that there is none."""
    return _NONE.search(final(text)) is not None and not groups(text)


def groups(text: str) -> tuple[tuple[str, ...], ...]:
    """Return what stands in parentheses, each as words in lower case: ``(board c2 l0)``."""
    return tuple(words for found in _GROUP.findall(final(text)) if (words := tuple(found.lower().split())))


def effects(text: str) -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]] | None:
    """Return the positive and the negative effects of ``[...] [...]``, or of two headed lists."""
    said = final(text)
    lists = re.findall(r"\[([^\[\]]*)\]", said)
    if len(lists) == 2:
        return frozenset(groups(lists[0])), frozenset(groups(lists[1]))
    headed = re.split(r"(?:positive|negative)\s+effects?[^\w(]*", said, flags=re.IGNORECASE)
    if len(headed) == 3 and re.search(r"positive.*negative", said, re.IGNORECASE | re.DOTALL):
        return frozenset(groups(headed[1])), frozenset(groups(headed[2]))
    return None


# --- one answer judged ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """``right`` is None for an answer that was not understood, or not decided; ``why`` says how it is known."""

    right: bool | None
    why: str
    is_understood: bool = True


_UNREAD = Judgement(right=None, why="no answer of the form that was asked for was found", is_understood=False)


def judge(question: Question, answer: str, prover: Prover) -> Judgement:
    """Decide an answer to an open question on its model."""
    return JUDGES[question.task](question, answer, prover)


@lru_cache(maxsize=8)
def prover_of(domain: str, problem: str, most: int, seconds: float) -> Prover:
    """Return the prover of a model, kept for the questions that are about the same one. Raises as ``Space``."""
    return Prover(Space(_lower(domain, problem)), most, seconds)


def _lower(domain: str, problem: str) -> Prepared:
    """Read a model in lower case: ACPBench compares answers so."""
    return prepare(domain.lower(), problem.lower())


def _applicable(question: Question, answer: str, prover: Prover) -> Judgement:
    said, space = set(groups(answer)), prover.space
    if not said and not is_none(answer):
        return _UNREAD
    known = {_words(operator.step) for operator in space.operators if operator.is_applicable(space.init)}
    return _sets(said, known, "applicable")


def _progression(question: Question, answer: str, prover: Prover) -> Judgement:
    said = effects(answer)
    if said is None:
        return _UNREAD
    adds, deletes = question.key["pos"], question.key["neg"]
    known = ({_fact(text) for text in adds}, {_fact(text) for text in deletes})
    wrong = [_sets(mine, right, name) for mine, right, name in zip(said, known, ("true", "false"), strict=True)]
    return next((found for found in wrong if not found.right), wrong[0])


def _sets(said: Iterable[tuple[str, ...]], known: Iterable[tuple[str, ...]], name: str) -> Judgement:
    more, less = sorted(set(said) - set(known)), sorted(set(known) - set(said))
    if more:
        return Judgement(right=False, why=f"not {name}: ({' '.join(more[0])})")
    if less:
        return Judgement(right=False, why=f"left out, {name} too: ({' '.join(less[0])})")
    return Judgement(right=True, why=f"exactly what is {name}")


def _unreachable_fact(question: Question, answer: str, prover: Prover) -> Judgement:
    said, space = groups(answer), prover.space
    if is_none(answer):
        key = None if question.key is None else tuple(question.key)
        return _none(key, (prover.fact(atom) for atom in space.propositions()))
    if not said:
        return _UNREAD
    known = set(space.propositions())
    if said[0] not in known and said[0] not in space.model.model.problem.init:
        return Judgement(right=False, why=f"({' '.join(said[0])}) is no proposition of the model that can change")
    return _never(prover.fact(said[0]), question, said[0])


def _unreachable_step(question: Question, answer: str, prover: Prover) -> Judgement:
    said, space = groups(answer), prover.space
    if is_none(answer):
        key = None if question.key is None else tuple(question.key)
        return _none(key, (prover.applicable(operator) for operator in space.operators))
    if not said:
        return _UNREAD
    operator = _operator(said[0], space)
    if operator is None:
        return Judgement(right=False, why=f"({' '.join(said[0])}) is no action of the model")
    if operator.step not in {each.step for each in space.operators}:
        return Judgement(right=True, why="a condition that never changes is false")
    return _never(prover.applicable(operator), question, said[0])


def _never(proof: Proof, question: Question, said: tuple[str, ...]) -> Judgement:
    if proof.holds is None and question.key is not None:
        right = said in {_fact(text) for text in question.key}
        return Judgement(right=True if right else None, why="by the key of the data" if right else proof.how)
    return Judgement(right=None if proof.holds is None else not proof.holds, why=proof.how)


def _none(key: tuple[object, ...] | None, proofs: Iterable[Proof]) -> Judgement:
    """Decide the answer that there is none: by the key, or by a proof for each that can be named."""
    if key is not None:
        return Judgement(
            right=not key, why="the key of the data has none" if not key else "the key of the data has some"
        )
    for proof in proofs:
        if proof.holds is not True:
            return Judgement(right=None if proof.holds is None else False, why=proof.how)
    return Judgement(right=True, why="all can be reached")


def _validation(question: Question, answer: str, prover: Prover) -> Judgement:
    said = index(answer)
    if said is None:
        return _UNREAD
    trace = prover.space.model.simulator.run(_quoted(question))
    first = next((failure.step for failure in trace.failures if failure.step is not None), -1)
    where = "every action can be executed" if first == -1 else f"the first that cannot be executed is {first}"
    return Judgement(right=said == first, why=where)


def _justification(question: Question, answer: str, prover: Prover) -> Judgement:
    said = groups(answer)
    if not said:
        return _UNREAD
    plan, mine = _quoted(question), Plan(parts=tuple(_step(words) for words in said))
    gone = len(plan.steps) - len(mine.steps)
    cut = next((cut for cut in _cuts(plan, gone) if _same(without(plan, cut), mine)), None) if gone in (1, 2) else None
    if cut is None:
        return Judgement(right=False, why="not the plan without one step or two that follow each other")
    right = prover.is_valid(mine)
    return Judgement(right=right, why="a valid plan still" if right else "no valid plan any more")


def _cuts(plan: Plan, gone: int) -> Iterable[tuple[int, ...]]:
    return (tuple(range(place, place + gone)) for place in range(len(plan.steps) - gone + 1))


def _same(one: Plan, other: Plan) -> bool:
    return [_words(step) for step in one.steps] == [_words(step) for step in other.steps]


def _landmark(question: Question, answer: str, prover: Prover) -> Judgement:
    said, space = groups(answer), prover.space
    if is_none(answer):
        key = None if question.key is None else tuple(question.key["yes"])
        if key is None:
            return Judgement(right=None, why="whether there is none is not decided without a key")
        return _none(key, ())
    if not said:
        return _UNREAD
    atom = said[0]
    if atom not in set(space.propositions()):
        return Judgement(right=False, why=f"({' '.join(atom)}) is no proposition of the model that can change")
    if (space.init | space.goal) & space.bits_of((atom,)):
        return Judgement(right=False, why="it holds at the start, or the goal asks for it")
    proof = prover.landmark(atom)
    if proof.holds is None and question.key is not None:
        known = {True: {_fact(text) for text in question.key["yes"]}, False: {_fact(t) for t in question.key["no"]}}
        right = next((value for value, facts in known.items() if atom in facts), None)
        return Judgement(right=right, why="by the key of the data" if right is not None else proof.how)
    return Judgement(right=proof.holds, why=proof.how)


def _next_action(question: Question, answer: str, prover: Prover) -> Judgement:
    said = groups(answer)
    if not said:
        return _UNREAD
    proof = prover.nearer(_step(said[0]))
    key = question.key or {}
    if proof.holds is None and said[0] in {_fact(text) for text in (*key.get("yes", ()), *key.get("no", ()))}:
        return Judgement(right=said[0] in {_fact(text) for text in key["yes"]}, why="by the key of the data")
    return Judgement(right=proof.holds, why=proof.how)


def _plan(question: Question, answer: str, prover: Prover) -> Judgement:
    words = question.extra.get("templates")
    model = prover.space.model.worded(templates_of_text(str(words))) if words else prover.space.model
    report = check(model, None, answer, repair=False)
    if not report.is_understood:
        why = report.reason.removeprefix("not understood: ")
        return Judgement(right=None, why=why or "the plan was not understood", is_understood=False)
    faults = "; ".join(sentences(report.failures, report.reference))
    return Judgement(right=report.determination, why=report.reason or faults)


JUDGES: dict[Task, Callable[[Question, str, Prover], Judgement]] = {
    Task.APPLICABILITY: _applicable,
    Task.PROGRESSION: _progression,
    Task.REACHABILITY: _unreachable_fact,
    Task.ACTION_REACHABILITY: _unreachable_step,
    Task.VALIDATION: _validation,
    Task.JUSTIFICATION: _justification,
    Task.LANDMARKS: _landmark,
    Task.NEXT_ACTION: _next_action,
    Task.PLAN: _plan,
}


def _words(step: Step) -> tuple[str, ...]:
    return (step.name.lower(), *map(str.lower, step.args))


def _step(words: tuple[str, ...]) -> Step:
    return Step(name=words[0], args=words[1:])


def _fact(text: str) -> GroundAtom:
    return tuple(text.lower().strip("() ").split())


def _quoted(question: Question) -> Plan:
    """Return the steps that a question shows between quotation marks."""
    return Plan(parts=tuple(_step(words) for words in groups(question.question.split('"')[1])))


def _operator(words: tuple[str, ...], space: Space) -> Operator | None:
    step = _step(words)
    if step.name not in space.model.simulator.ways or space.model.simulator.malformed(0, step):
        return None
    return space.operator(step, space.model.simulator.ways[step.name][0])
