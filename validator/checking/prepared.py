"""Models read once for many checks."""

from __future__ import annotations

import os
from _thread import allocate_lock  # as ``threading`` does, whose import takes longer than a small plan
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from validator.errors import InputError, ModelError, PlannerError, UndeclaredObjectError
from validator.execution.simulator import Simulator
from validator.grounding.limits import Limits, Status
from validator.model.pddl import read_domain, read_domain_with, read_problem
from validator.model.pddl.frame import is_text
from validator.model.values import Domain, Model, Problem
from validator.reading.plan import Plan, Step
from validator.reading.tokens import Vocabulary
from validator.records import dataclass, field, replace
from validator.texts import shortened

if TYPE_CHECKING:
    from threading import Lock

    from unified_planning.model import Problem as UpProblem

    from validator.grounding.task import Task
    from validator.reading.lexicon import Lexicon, Templates, TemplateSource
    from validator.repair.cheapest import Optimum
    from validator.repair.literals import GroundModel


_LARGE = 30_000
"""ground steps, of which some seconds are needed to ground them"""

_SMALL = 400
"""ground steps that are made in this process before the planner would have read them"""

_LONGER = 1.5
"""times the CPU seconds in which grounding met its limit, before it is tried again: a busy machine is no large model"""


SOURCES = (str, Path)
"""what a text or a file is given as: a tuple, since a union is made anew wherever it is written"""
_MADE_AGAIN = frozenset(("_lock", "simulator", "small", "vocabulary"))
"""what is not pickled of a model"""


@dataclass(kw_only=True, eq=False)
class Prepared:
    """A model read once, with what is computed from it once: compiled actions, grounding, the cheapest cost."""

    model: Model
    simulator: Simulator
    vocabulary: Vocabulary
    sources: tuple[str | Path, str | Path] | None = None
    """the domain and the problem that it was read from, where they are texts or files"""
    _task: Task | None = None
    _refused: str = ""
    """why the costs cannot be given to the planner; then the task is without them"""
    _optimum: Optimum | None = None
    _in_vain: dict[Status, float] = field(default_factory=dict)
    """the most CPU seconds, and the most memory, in which the model could not be grounded"""
    _size: float | None = None
    _lock: Lock = field(default_factory=allocate_lock)

    def __getstate__(self) -> dict[str, object]:
        """Return what is pickled: the model, its words, and what was proven of it; the rest is made again."""
        kept = {key: value for key, value in self.__dict__.items() if key not in _MADE_AGAIN}
        return {**kept, "templates": self.vocabulary.templates}

    def __setstate__(self, state: dict[str, Any]) -> None:
        templates = state.pop("templates")
        self.__dict__.update(state)
        self.simulator = Simulator(self.model)
        self.vocabulary = Vocabulary.of(self.model, templates)
        self._lock = allocate_lock()

    @property
    def lexicon(self) -> Lexicon:
        """Return how the model's actions and objects are said, by rule and by the templates that were given."""
        found = self.vocabulary.lexicon
        if found is None:
            found = Vocabulary.of(self.model).lexicon
            assert found is not None
        return found

    def worded(self, templates: Templates | None) -> Prepared:
        """Return the model with its words from templates, beside all that is computed of it by now.

        Raises InputError for templates that do not fit it.
        """
        return self if templates is None else replace(self, vocabulary=Vocabulary.of(self.model, templates))

    def task(self, limits: Limits, *, costs_matter: bool = True) -> Task | Status:
        """Return the grounded task, or the limit that was met. Errors as in ``validator.grounding.ground.ground``.

        It is kept. Where costs do not matter, a model whose costs cannot be given to the planner is grounded without
        them. What met its limit is not begun again where there is no more time than was computed in vain.
        """
        if not self._lock.acquire(timeout=limits.seconds):
            return Status.TIME_LIMIT
        try:
            if self._refused and costs_matter:
                raise ValueError(self._refused)
            if self._task is not None:
                return self._task
            try:
                grounded = self._ground(limits, with_costs=not self._refused)
            except ValueError as error:
                self._refused = str(error)
                if costs_matter:
                    raise
                grounded = self._ground(limits, with_costs=False)
            if not isinstance(grounded, Status):
                self._task = grounded
            return grounded
        finally:
            self._lock.release()

    @cached_property
    def small(self) -> GroundModel | None:
        """Return the ground steps of a small model, among which the nearest plan is found without a planner."""
        from validator.repair.literals import GroundModel

        return GroundModel.of(self.simulator)

    @property
    def is_small(self) -> bool:
        """Return whether the model seems to have so few ground steps that a search in this process comes first."""
        return self._steps <= _SMALL

    @property
    def is_grounded(self) -> bool:
        return self._task is not None

    @property
    def is_large(self) -> bool:
        """Return whether the model seems to have so many ground steps that grounding it takes long."""
        return self._steps > _LARGE

    @property
    def _steps(self) -> float:
        """Return about how many ground steps the model has."""
        if self._size is None:
            from validator.repair.projection.instantiation import Parts

            self._size = Parts(self.model).size()
        return self._size

    def _ground(self, limits: Limits, *, with_costs: bool) -> Task | Status:
        from validator.grounding.ground import ground  # a plan that is only executed never needs it

        known = self._in_vain
        if limits.memory <= known.get(Status.MEMORY_LIMIT, 0):
            return Status.MEMORY_LIMIT
        if limits.seconds < _LONGER * known.get(Status.TIME_LIMIT, 0.0):
            return Status.TIME_LIMIT
        before = sum(os.times()[:4])
        found = ground(self.simulator, limits, with_costs=with_costs)
        spent = sum(os.times()[:4]) - before  # of this process and of the translator's
        for status, given in ((Status.TIME_LIMIT, spent), (Status.MEMORY_LIMIT, limits.memory)):
            if found is status:
                known[status] = max(given, known.get(status, 0.0))
        return found

    def optimum(
        self,
        task: Task,
        known: Sequence[Step] | None,
        limits: Limits,
        *,
        only_compare: bool = False,
    ) -> Optimum:
        """Return what is known of the cheapest cost, given a valid plan or none.

        What is proven is kept. With ``only_compare`` a plan cheaper than the given one is enough. Raises PlannerError
        when a plan of the planner's is not valid.
        """
        from validator.repair.cheapest import Optimum, find_optimum, plan_cost

        if not self._lock.acquire(timeout=limits.seconds):
            return Optimum(status=Status.TIME_LIMIT, lower=0)
        try:
            if self._optimum is None or not self._optimum.is_proven:
                enough = None if known is None or not only_compare else plan_cost(task, known) - 1
                self._optimum = find_optimum(task, known, limits, enough=enough)
                plan = self._optimum.plan
                if plan is not None and not self.simulator.run(Plan(parts=plan)).is_valid:
                    raise PlannerError("the planner's cheapest plan does not execute")
            return self._optimum
        finally:
            self._lock.release()


def prepare(
    domain: str | Path | Domain | Model | Prepared | UpProblem,
    problem: str | Path | Problem | None = None,
    *,
    templates: TemplateSource | None = None,
    strict_pddl: bool = False,
) -> Prepared:
    """Return a model ready for many checks.

    Takes a domain and a problem (paths, texts or values read before), or in place of both a ``Model`` or a
    unified-planning ``Problem``. ``templates`` are how plans say it in words: a path, a YAML text or its value. With
    ``strict_pddl``, what published models have against the grammar of PDDL is an error and no warning. Models
    from texts and files are kept and come back prepared. Raises ModelError, InputError for templates, OSError for a
    file.
    """
    if templates is not None:
        words = words_of(templates)
        if isinstance(domain, str | Path) and isinstance(problem, str | Path):
            return _read_in_words(_key(domain), _key(problem), words, strict_pddl)
        return prepare(domain, problem, strict_pddl=strict_pddl).worded(words)
    if problem is not None and isinstance(domain, Prepared | Model):
        raise ModelError("a model that was read has its problem: the problem beside it must be None")
    if isinstance(domain, Prepared):
        return domain
    if isinstance(domain, SOURCES) and isinstance(problem, SOURCES):
        return _read(_key(domain), _key(problem), strict_pddl)
    if not isinstance(domain, str | Path | Domain | Model):
        from validator.up.problems import model_from_up

        domain = model_from_up(domain)
    return _of_model(domain if isinstance(domain, Model) else _model(domain, problem, strict_pddl))


def words_of(source: TemplateSource, *, is_text: bool = False) -> Templates:
    """Read templates; what ``is_text`` is never a path. Raises InputError also for those that say nothing."""
    from validator.reading.lexicon import read_templates, templates_of_text

    try:
        words = templates_of_text(str(source), "<templates>") if is_text else read_templates(source)
    except RecursionError:
        named = "<templates>" if is_text or not isinstance(source, str | Path) else str(source)
        raise InputError("the templates are nested too deeply", source=shortened(named, 80)) from None
    if not (words.actions or words.predicates or words.objects) and words.text != "{}":
        why = "the templates say nothing: 'actions', 'predicates' or 'objects' was expected at the top"
        raise InputError(why, source=words.source)
    return words


def _model(domain: str | Path | Domain, problem: str | Path | Problem | None, strict: bool) -> Model:
    if problem is None:
        raise ModelError("a problem is needed beside the domain")
    if isinstance(problem, Problem):
        read = domain if isinstance(domain, Domain) else read_domain(domain, strict=strict)
        return Model(domain=read, problem=problem)
    if not isinstance(domain, Domain):
        domain = read_domain_with(domain, problem, strict=strict)
    return Model(domain=domain, problem=read_problem(problem, domain, strict=strict))


def _of_model(model: Model) -> Prepared:
    return Prepared(model=model, simulator=Simulator(model), vocabulary=Vocabulary.of(model))


_Key: TypeAlias = tuple[str, tuple[int, int] | None]
"""A text and None, or a path with what tells a changed file from the same one: a tuple, whose hash costs least."""


def _given(key: _Key) -> str | Path:
    return key[0] if key[1] is None else Path(key[0])


def _key(source: str | Path) -> _Key:
    if is_text(source):
        return str(source), None
    state = Path(source).stat()
    return str(source), (state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=16)
def _read(domain: _Key, problem: _Key, strict: bool) -> Prepared:
    try:
        read: Domain | str | Path = _read_domain(domain, strict)
    except UndeclaredObjectError:
        read = _given(domain)  # it may name objects of this problem
    found = _of_model(_model(read, _given(problem), strict))
    found.sources = _given(domain), _given(problem)
    return found


@lru_cache(maxsize=16)
def _read_domain(domain: _Key, strict: bool) -> Domain:
    """Return a domain, which many problems have in common."""
    return read_domain(_given(domain), strict=strict)


@lru_cache(maxsize=16)
def _read_in_words(domain: _Key, problem: _Key, templates: Templates, strict: bool) -> Prepared:
    return _read(domain, problem, strict).worded(templates)
