"""Observations that arrive one by one: the answer after each."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from validator.checking.limits import left_until, with_patience
from validator.recognize.problem import Observation, Recognition, RecognitionProblem, Settings
from validator.recognize.recognizer import Progress, Recognizer
from validator.records import replace

__all__ = ["follow", "over_time"]


def follow(
    problem: RecognitionProblem,
    observations: Iterable[Observation | str],
    settings: Settings | None = None,
    progress: Progress | None = None,
    *,
    answers_interrupted: bool = True,
) -> Iterator[Recognition]:
    """Yield the answer before the first observation, and after each, within the time limit each.

    Ctrl-C ends the searches of one answer, which is what they know by then, or all where no ``answers_interrupted``
    are wanted.

    A text among them is a piece that was not understood: it is left out, and any observations may be in it.

    The observations of the problem are taken as seen before. What is known of the goals is used again: the model is
    grounded once, a cost without observations is proven once, a lower bound holds for more observations too, and a
    plan that explains the next observation as well needs no search.
    """
    recognizer = Recognizer(problem, settings or Settings(), progress, answers_interrupted=answers_interrupted)
    seen = list(problem.observations)
    yield recognizer.recognize(seen)
    for observation in observations:
        if isinstance(observation, str):
            recognizer.problem = replace(recognizer.problem, missed=(*recognizer.problem.missed, observation))
            continue
        seen.append(observation)
        yield recognizer.recognize(seen)


def over_time(problem: RecognitionProblem, settings: Settings) -> Iterator[Recognition]:
    """Yield the answer before the first observation of a problem, and after each, all within the time limit together.

    Each has an equal share of what is left. Where that is no longer enough, only the last one is looked for, and those
    before it say that the limit was met.
    """
    latest = time.monotonic() + settings.time_limit
    answers = len(problem.observations) + 1
    least = with_patience(settings.time_limit / answers)
    recognizer = Recognizer(replace(problem, observations=()), settings)
    late = recognizer.passed_over(())
    for seen in range(answers):
        left = left_until(latest)
        if seen + 1 < answers and left < least:
            yield replace(late, observations=problem.observations[:seen])
            continue
        recognizer.settings = replace(recognizer.settings, time_limit=left / (answers - seen))
        yield recognizer.recognize(problem.observations[:seen])
