"""A metric over many plans: lists, arrays, Series, DataFrames, as GAICO's ``calculate`` takes them.

numpy and pandas are never imported here: a value can be of their types only once somebody else has imported them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from validator.metrics.reading import PlanLike, Reading
from validator.reading.plan import Plan, Token

__all__ = ["MISSING", "Measure", "batch", "is_missing", "is_of", "wrapped"]

Measure: TypeAlias = Callable[[PlanLike, PlanLike], Any]

MISSING = "Reference is missing or effectively empty. Using the first element of `generated` as reference."
NO_REFERENCE = "`reference` is missing and cannot be derived from `generated`."
NO_GENERATED = "`generated` must be provided and cannot be None."


def batch(measure: Measure, generated: Any, reference: Any) -> Any:
    """Return ``measure(generated, reference)`` for two plans, or the results for many.

    One plan is a text, a ``Plan``, or a list of ``Step`` values; any other list is one of plans. A list (also of one)
    on either side gives a list, an array an array, a Series a Series with its index, a DataFrame a DataFrame; a side of
    length one stands for every item of the other. Where the reference is None the first generated plan is it, with a
    warning; a blank text is the empty plan.
    Raises ValueError for None, for a missing item and for lengths that do not fit.
    """
    if isinstance(generated, str) and isinstance(reference, str):
        return measure(generated, reference)
    if generated is None:
        raise ValueError(NO_GENERATED)
    if is_of(generated, "pandas", "DataFrame"):
        return _frame(measure, generated, reference)
    items, many = _items(generated)
    if reference is None:
        if not items or is_missing(items[0]):
            raise ValueError(NO_REFERENCE)
        warnings.warn(MISSING, stacklevel=2)
        reference = items[0]
    references, many_references = _items(reference)
    if not many and not many_references:
        return measure(generated, reference)
    size = max(len(items), len(references)) if 1 in (len(items), len(references)) else len(items)
    items, references = (side * size if len(side) == 1 else side for side in (items, references))
    if len(items) != len(references):
        raise ValueError(mismatch(len(items), len(references)))
    for side, plans in (("generated", items), ("reference", references)):
        _check(side, plans)
    return wrapped([measure(one, other) for one, other in zip(items, references, strict=True)], generated)


def mismatch(generated: int, reference: int) -> str:
    return f"Batch inputs: generated (len {generated}) and reference (len {reference}) must have the same length."


def is_of(value: object, module: str, name: str) -> bool:
    """Return whether a value is of a type of a package that may not be installed."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(value, kind)


def is_missing(value: Any) -> bool:
    """Return whether a value says nothing: None, blank text, a container without items."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    return hasattr(value, "__len__") and len(value) == 0


def wrapped(results: list[Any], like: Any) -> Any:
    """Return results in the kind of container that ``like`` is: an array, a Series with its index, or a list."""
    numbers = float if all(isinstance(result, float) for result in results) else None
    if is_of(like, "pandas", "Series") and len(like) == len(results):
        return sys.modules["pandas"].Series(results, index=like.index, dtype=numbers or object)
    if is_of(like, "numpy", "ndarray") and len(like) == len(results):
        return sys.modules["numpy"].array(results, dtype=numbers)
    return results


def _items(value: Any) -> tuple[list[Any], bool]:
    """Return the plans that a value holds, and whether it is a container of plans at all."""
    if isinstance(value, str | Plan | Reading) or _is_steps(value):
        return [value], False
    if is_of(value, "pandas", "DataFrame"):
        if len(value.columns) != 1:
            raise ValueError(f"a reference DataFrame needs one column, or those of `generated`; got {_names(value)}")
        return list(value.iloc[:, 0]), True
    if isinstance(value, dict):
        return list(value.values()), True
    if isinstance(value, Iterable) and not isinstance(value, bytes | bytearray):
        return list(value), True
    raise ValueError(f"a plan or a list of plans was expected, not {type(value).__name__}: {value!r:.80}")


def _is_steps(value: object) -> bool:
    return (
        isinstance(value, Sequence)
        and len(value) > 0
        and all(isinstance(item, Token | frozenset) for item in value)
        and any(isinstance(item, Token) or item for item in value)
    )


def _check(side: str, plans: Sequence[Any]) -> None:
    for index, plan in enumerate(plans):
        if isinstance(plan, str | Plan | Reading) or (isinstance(plan, Iterable) and not isinstance(plan, bytes)):
            continue
        raise ValueError(f"item {index} of `{side}`: a plan was expected, not {plan!r:.80}")


def _frame(measure: Measure, generated: Any, reference: Any) -> Any:
    """Return the results of a DataFrame column by column."""
    columns = {}
    for name in generated.columns:
        fits = is_of(reference, "pandas", "DataFrame") and len(reference.columns) != 1
        if fits and list(reference.columns) != list(generated.columns):
            raise ValueError(f"the columns differ: generated has {_names(generated)}, reference {_names(reference)}")
        columns[name] = batch(measure, generated[name], reference[name] if fits else reference)
    return sys.modules["pandas"].DataFrame(columns, index=generated.index)


def _names(frame: Any) -> str:
    return ", ".join(map(str, frame.columns))
