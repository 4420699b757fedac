"""``ground``: a model prepared for execution in, its grounded task out.

What the translator made of a model may be kept on disk: by the content that it was given, and its version.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from validator.execution.measure import Measure
from validator.execution.simulator import Simulator
from validator.grounding.compile_away import compile_away
from validator.grounding.encoding.encode import Encoding, encode
from validator.grounding.limits import Limits, Status
from validator.grounding.processes.translation import translate
from validator.grounding.task import Task, parse
from validator.resources import read_sealed, source_of, write_sealed

__all__ = ["ground"]

_LEVEL = 1
"""of compression: a tenth of the size, in a hundredth of the time that translating takes"""


def ground(
    simulator: Simulator,
    limits: Limits,
    *,
    with_costs: bool = True,
    cache: Path | None = None,
    stop: Callable[[], bool] | None = None,
) -> Task | Status:
    """Ground a model, or return the limit that was met first; without costs, every operator costs 1.

    Axioms and conditional effects are compiled away where they are few. ``cache`` is a directory in which is kept what
    the translator makes of a model. ``stop`` says when it is not wanted any more.

    Raises PlannerError when the translator fails, ValueError for costs that it cannot be given.
    """
    costly = with_costs and simulator.measure is Measure.TOTAL_COST
    encoding = encode(simulator, with_costs=costly)
    text = None if cache is None else _load(cache, encoding)
    if text is None:
        domain, problem = encoding.domain, encoding.problem
        text = translate(domain, problem, limits, stop)
        if cache is not None and not isinstance(text, Status):
            _store(cache, encoding, text)
    return text if isinstance(text, Status) else compile_away(parse(text, encoding, unit=not costly))


# --- on disk ---------------------------------------------------------------------------------------


def _load(directory: Path, encoding: Encoding) -> str | None:
    """Return the finite-domain task of a model; None when it is not there or its file cannot be read."""
    try:
        return zlib.decompress(read_sealed(_path(directory, encoding))).decode()
    except (OSError, ValueError):
        return None


def _store(directory: Path, encoding: Encoding, text: str) -> None:
    """Write a finite-domain task, where a file can be written."""
    with suppress(OSError):  # what cannot be kept is made again
        write_sealed(_path(directory, encoding), zlib.compress(text.encode(), _LEVEL))


def _path(directory: Path, encoding: Encoding) -> Path:
    from hashlib import sha256
    from importlib.metadata import version

    own = source_of("grounding")
    content = "\0".join((encoding.domain, encoding.problem, version("fast-downward.translate"), own))
    return directory / f"grounded-{sha256(content.encode()).hexdigest()}.z"
