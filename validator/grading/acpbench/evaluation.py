"""One answer to one open question, decided on the model: applicability, progression, reachability and so on.

Execution decides what can be executed now, and plans; what can be reached, what every plan needs and how far the goal
is are questions to the planner about a changed problem. An answer is right where it is proven so. Where no proof is
found, the key of the data decides, and says that it did.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias

from validator.checking.prepared import Prepared, prepare
from validator.checking.solve import Solution, solve
from validator.grading.acpbench.questions import Question, Task
from validator.model.conditions import bindings_of_true, conjuncts, holds, substituted
from validator.model.formulas import changed_predicates
from validator.model.temporal import Trajectory
from validator.model.values import Atom, Formula, GroundAtom, Not
from validator.reading.plan import Plan, Step
from validator.records import cached_property, dataclass, field, replace

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
    """Return what stands after the last mark of an answer, or all of the text without thoughts."""
    visible = _THOUGHTS.sub(" ", text)
    found = list(_FINAL.finditer(visible))
    return visible[found[-1].end() :] if found and visible[found[-1].end() :].strip() else visible


def _is_marked(text: str) -> bool:
    return _FINAL.search(_THOUGHTS.sub(" ", text)) is not None


def yes_no(text: str) -> bool | None:
    """Return a yes or a no: the first after the mark of the answer, or the only one that is said."""
    words = re.findall(r"\b(yes|no)\b", final(text), re.IGNORECASE)
    said = {word.lower() for word in words}
    if not said:
        return None
    starts = re.match(r"\W*(yes\b|no\b(?! \w))", final(text), re.IGNORECASE)
    if len(said) > 1 and not (_is_marked(text) or starts):
        return None
    return str(words[0]).lower() == "yes"


def letter(text: str, choices: Sequence[str]) -> int | None:
    """Return the place of the choice that is said, by its letter or, alone, by its words."""
    said, last = final(text), chr(ord("A") + len(choices) - 1)
    bare = re.match(rf"\W*([A-{last}])\b(?!\s+[a-z])", said) or re.match(rf"\W*([A-{last}])\W*$", said, re.IGNORECASE)
    sign = r"[.)\]*]|$|\s*/|\s+or\b"
    marked = {found.upper() for found in re.findall(rf"(?:^|[\s(\[*/])([A-{last}])(?:{sign})", said, re.MULTILINE)}
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
    numbers = set(map(int, re.findall(r"(?<![\w.-])(?:-1|\d+)(?![\w-]|\.\d)", said)))
    if len(numbers) == 1:
        return numbers.pop()
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


# --- what is proven of a model --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """``right`` is None for an answer that was not understood, or not decided; ``why`` says how it is known."""

    right: bool | None
    why: str
    is_understood: bool = True


_UNREAD = Judgement(right=None, why="no answer of the form that was asked for was found", is_understood=False)
_OPEN = Judgement(right=None, why="no proof was found within the limits")


@dataclass(eq=False, kw_only=True)
class Prover:
    """Judges claims about one model, each by a call of the planner of at most so many ``seconds``."""

    model: Prepared
    seconds: float
    _known: dict[object, Solution] = field(default_factory=dict)

    @cached_property
    def applicable(self) -> frozenset[GroundAtom]:
        """Return the steps that can be executed in the initial state, each as words."""
        whole, state = self.model.model, self.model.simulator.view(self.model.model.problem.init)
        return frozenset(
            (action.step or name, *(binding[parameter.name] for parameter in action.parameters))
            for name, action in whole.domain.actions.items()
            for binding in bindings_of_true(whole, action.parameters, conjuncts(action.precondition), {}, state)
            if holds(whole, action.precondition, binding, state)
        )

    def unreachable(self, condition: Formula) -> Judgement:
        """Judge the claim that no state can be reached in which a condition holds."""
        return _no_plan(self._solved(goal=condition), "reaches")

    def landmark(self, fact: GroundAtom) -> Judgement:
        """Judge the claim that a fact holds at some time in every plan for the goal; open where no plan is known."""
        if self._solved().plan is None:
            return _OPEN
        found = self._solved(constraints=(Trajectory(operator="always", parts=(Not(Atom(fact[0], fact[1:])),)),))
        return _no_plan(found, "does without")

    def first_of_shortest(self, step: Step) -> Judgement:
        """Judge the claim that a step is the first of a shortest plan."""
        trace = self.model.simulator.run([step])
        if not trace.is_sound:
            return Judgement(right=False, why="it cannot be executed")
        *_, state = trace.states()
        derived = {axiom.predicate for axiom in self.model.model.domain.axioms}
        before, after = self._solved(), self._solved(init=frozenset(atom for atom in state if atom[0] not in derived))
        if not (before.proven and after.proven) or not before.cost:
            return _OPEN
        steps = "no plan" if after.cost is None else after.cost
        why = f"{before.cost} steps to the goal before it, {steps} after it"
        return Judgement(right=after.cost == before.cost - 1, why=why)

    def _solved(self, **changes: Any) -> Solution:
        """Search a plan with the fewest steps of the problem with some changes, each asked about once."""
        key = tuple(changes.items())
        if key not in self._known:
            model, features = self.model.model, {"constraints": ""} if "constraints" in changes else {}
            problem = replace(model.problem, metric=None, features=features, **changes)
            self._known[key] = solve(replace(model, problem=problem), time_limit=self.seconds)
        return self._known[key]


def _no_plan(found: Solution, does: str) -> Judgement:
    """Judge the claim that no plan does something with a fact or a step."""
    if found.plan is not None:
        return Judgement(right=False, why=f"a plan {does} it")
    return Judgement(right=True, why=f"it is proven that no plan {does} it") if found.proven else _OPEN


@lru_cache(maxsize=64)
def prover_of(domain: str, problem: str, seconds: float) -> Prover:
    """Return the prover of a model, read in lower case: ACPBench compares answers so. Raises as ``prepare``."""
    return Prover(model=prepare(domain.lower(), problem.lower()), seconds=seconds)


# --- one answer judged ----------------------------------------------------------------------------


def judge(question: Question, answer: str, prover: Prover) -> Judgement:
    """Decide an answer to an open question on its model, or where nothing is proven by the key."""
    return _JUDGES[question.task](question, answer, prover)


def _applicable(question: Question, answer: str, prover: Prover) -> Judgement:
    said = set(groups(answer))
    if not said and not is_none(answer):
        return _UNREAD
    return _sets(said, prover.applicable, "applicable")


def _progression(question: Question, answer: str, prover: Prover) -> Judgement:
    said = effects(answer)
    if said is None:
        return _UNREAD
    known = [{_fact(text) for text in question.key[name]} for name in ("pos", "neg")]
    wrong = [_sets(mine, right, name) for mine, right, name in zip(said, known, ("true", "false"), strict=True)]
    return next((found for found in wrong if not found.right), wrong[0])


def _sets(said: Iterable[tuple[str, ...]], known: Iterable[tuple[str, ...]], name: str) -> Judgement:
    more, less = sorted(set(said) - set(known)), sorted(set(known) - set(said))
    if more:
        return Judgement(right=False, why=f"not {name}: ({' '.join(more[0])})")
    if less:
        return Judgement(right=False, why=f"left out, {name} too: ({' '.join(less[0])})")
    return Judgement(right=True, why=f"exactly what is {name}")


def _validation(question: Question, answer: str, prover: Prover) -> Judgement:
    said = index(answer)
    if said is None:
        return _UNREAD
    trace = prover.model.simulator.run(_quoted(question))
    first = next((failure.step for failure in trace.failures if failure.step is not None), -1)
    where = "every action can be executed" if first == -1 else f"the first that cannot be executed is {first}"
    return Judgement(right=said == first, why=where)


def _justification(question: Question, answer: str, prover: Prover) -> Judgement:
    said = groups(answer)
    if not said:
        return _UNREAD
    plan = [(step.name, *step.args) for step in _quoted(question).steps]  # which are in lower case
    gone = len(plan) - len(said)
    places = range(len(plan) - gone + 1) if gone in (1, 2) else ()
    if not any(plan[:place] + plan[place + gone :] == list(said) for place in places):
        return Judgement(right=False, why="not the plan without one step or two that follow each other")
    right = prover.model.simulator.run(Plan(parts=tuple(map(_step, said)))).is_valid
    return Judgement(right=right, why="a valid plan still" if right else "no valid plan any more")


# --- what is said of one fact or step -------------------------------------------------------------


def _unreachable_fact(fact: GroundAtom, prover: Prover) -> Judgement:
    if not _is_proposition(fact, prover.model):
        return _no_proposition(fact)
    return prover.unreachable(Atom(fact[0], fact[1:]))


def _unreachable_step(words: GroundAtom, prover: Prover) -> Judgement:
    step, simulator = _step(words), prover.model.simulator
    if step.name not in simulator.ways or simulator.malformed(0, step):
        return Judgement(right=False, why=f"({' '.join(words)}) is not an action of the model")
    schema = simulator.schema(simulator.ways[step.name][0])
    return prover.unreachable(substituted(schema.action.precondition, schema.binding(step.args)))


def _landmark(fact: GroundAtom, prover: Prover) -> Judgement:
    problem = prover.model.model.problem
    if not _is_proposition(fact, prover.model):
        return _no_proposition(fact)
    if fact in problem.init or Atom(fact[0], fact[1:]) in conjuncts(problem.goal):
        return Judgement(right=False, why="it holds at the start, or the goal asks for it")
    return prover.landmark(fact)


def _first_of_shortest(words: GroundAtom, prover: Prover) -> Judgement:
    return prover.first_of_shortest(_step(words))


def _one_or_none(claim: _Claim, question: Question, answer: str, prover: Prover) -> Judgement:
    """Judge the claim about one fact or step, or that there is none."""
    return _none(_keys(question)[0]) if is_none(answer) else _one(claim, question, answer, prover)


def _one(claim: _Claim, question: Question, answer: str, prover: Prover) -> Judgement:
    said = groups(answer)
    if not said:
        return _UNREAD
    found = claim(said[0], prover)
    if found.right is None and (by_key := _key(said[0], *_keys(question))) is not None:
        return Judgement(right=by_key, why="by the key of the data")
    return found


def _keys(question: Question) -> tuple[Any, Any]:
    """Return the right and the wrong answers that the data list; None for none."""
    key = question.key
    return (key.get("yes"), key.get("no")) if isinstance(key, Mapping) else (key, None)


def _key(said: GroundAtom, right: Iterable[str] | None, wrong: Iterable[str] | None) -> bool | None:
    """Return whether the key lists an answer among the right ones, or the wrong ones."""
    if right is not None and said in map(_fact, right):
        return True
    return False if wrong is not None and said in map(_fact, wrong) else None


def _none(key: Sequence[object] | None) -> Judgement:
    """Decide the answer that there is none, by the key alone: it would take a proof for each that can be named."""
    if key is None:
        return Judgement(right=None, why="whether there is none is not decided without a key")
    return Judgement(right=not key, why=f"the key of the data has {'some' if key else 'none'}")


def _is_proposition(fact: GroundAtom, model: Prepared) -> bool:
    """Return whether a fact is a well-typed one of a predicate that actions change."""
    domain = model.model.domain
    changing = changed_predicates(*(action.effects for action in domain.actions.values()))
    parameters = domain.predicates.get(fact[0], ())
    return (
        fact[0] in changing
        and len(parameters) == len(fact) - 1
        and all(name in model.model.objects_of(each.types) for name, each in zip(fact[1:], parameters, strict=True))
    )


def _no_proposition(fact: GroundAtom) -> Judgement:
    return Judgement(right=False, why=f"({' '.join(fact)}) is not a proposition of the model that can change")


def _step(words: tuple[str, ...]) -> Step:
    return Step(name=words[0], args=words[1:])


_Claim: TypeAlias = Callable[[GroundAtom, Prover], Judgement]
_JUDGES: Mapping[Task, Callable[[Question, str, Prover], Judgement]] = {
    Task.APPLICABILITY: _applicable,
    Task.PROGRESSION: _progression,
    Task.VALIDATION: _validation,
    Task.JUSTIFICATION: _justification,
    Task.REACHABILITY: partial(_one_or_none, _unreachable_fact),
    Task.ACTION_REACHABILITY: partial(_one_or_none, _unreachable_step),
    Task.LANDMARKS: partial(_one_or_none, _landmark),
    Task.NEXT_ACTION: partial(_one, _first_of_shortest),
}


def _fact(text: str) -> GroundAtom:
    return tuple(text.lower().strip("() ").split())


def _quoted(question: Question) -> Plan:
    """Return the steps that a question shows between quotation marks."""
    return Plan(parts=tuple(_step(words) for words in groups(question.question.split('"')[1])))
