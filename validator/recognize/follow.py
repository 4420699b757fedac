"""Observations that arrive one by one: the answer after each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from validator.recognize.problem import Observation, Recognition, RecognitionProblem, Settings
from validator.recognize.recognizer import Recognizer
from validator.records import replace

__all__ = ["follow"]


def follow(
    problem: RecognitionProblem,
    observations: Iterable[Observation | str],
    settings: Settings | None = None,
) -> Iterator[Recognition]:
    """Yield the answer before the first observation, and after each, within the time limit each.

    Ctrl-C ends the searches of one answer, which is what they know by then.

    A text among them is a piece that was not understood: it is left out, and any observations may be in it.

    The observations of the problem are taken as seen before. What is known of the goals is used again: the model is
    grounded once, a cost without observations is proven once, a lower bound holds for more observations too, and a
    plan that explains the next observation as well needs no search.
    """
    recognizer = Recognizer(problem, settings or Settings())
    seen = list(problem.observations)
    yield recognizer.recognize(seen)
    for observation in observations:
        if isinstance(observation, str):
            recognizer.problem = replace(recognizer.problem, missed=(*recognizer.problem.missed, observation))
            continue
        seen.append(observation)
        yield recognizer.recognize(seen)
