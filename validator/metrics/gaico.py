"""GAICO's planning metrics under their own names: as they are documented, and exactly as they are computed.

``compat="gaico"`` gives what the code of GAICO 0.2 to 0.4 gives, bit by bit, with its errors and what it prints: there,
a plan is the text of a value cut at every comma outside of braces, so that ``stack(a,b)`` is two steps. Without it, a
comma inside parentheses belongs to its step, as in GAICO's documentation, and plans may have any form that
``validator.metrics.read`` takes. Lists, arrays and Series are taken as GAICO takes them, in both. numpy and pandas are
never imported here: a value can be of their types only once somebody else has imported them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from validator.metrics.distances import common_share, jaccard, lcs, shared_part
from validator.records import dataclass

_Item: TypeAlias = str | frozenset[str]
_Measure: TypeAlias = Callable[[Any, Any], float]

_MISSING = "Reference is missing or effectively empty. Using the first element of `generated` as reference."
_NO_REFERENCE = "`reference` is missing and cannot be derived from `generated`."
_NO_GENERATED = "`generated` must be provided and cannot be None."


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningLCS:
    """The longest common subsequence over the length of the longer plan; 1 for two empty plans.

    A set of steps at one time is one element. Hyyrö 2004 for the computation.
    """

    compat: Literal["gaico"] | None = None

    def calculate(self, generated: Any, reference: Any = None) -> Any:
        """Return the score of two plans, or the scores of many plans in a list, an array or a Series."""
        return _calculate(self.compat, _lcs, lcs, generated, reference)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningJaccard:
    """The steps of both plans over the steps of either, order and number left out; 1 for two empty plans.

    Jaccard 1912, The distribution of the flora in the alpine zone. Sets of steps at one time come apart.
    """

    compat: Literal["gaico"] | None = None

    def calculate(self, generated: Any, reference: Any = None) -> Any:
        """Return the score of two plans, or the scores of many plans in a list, an array or a Series."""
        return _calculate(self.compat, _jaccard, jaccard, generated, reference)


class ActionSequenceDiff(PlanningLCS):
    """The metric of this name in GAICO's documentation: the formula of ``PlanningLCS``, which took its place."""

    __slots__ = ()


def gaico_items(text: str) -> list[_Item]:
    """Return a text cut as GAICO's code cuts it: at commas where as many braces were opened as closed."""
    if "{" not in text and "}" not in text:
        return [piece for piece in map(str.strip, text.split(",")) if piece]
    pieces, depth, start = [], 0, 0
    for place, character in enumerate(text):
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
        elif character == "," and depth == 0:
            pieces.append(text[start:place])
            start = place + 1
    pieces.append(text[start:])
    return [_item(piece) for piece in map(str.strip, pieces) if piece]


def _item(piece: str) -> _Item:
    if piece.startswith("{") and piece.endswith("}"):
        return frozenset(name for name in map(str.strip, piece[1:-1].split(",")) if name)
    return piece


def _lcs(generated: Any, reference: Any) -> float:
    return common_share(gaico_items(str(generated)), gaico_items(str(reference)))


def _jaccard(generated: Any, reference: Any) -> float:
    return shared_part(_flat(gaico_items(str(generated))), _flat(gaico_items(str(reference))))


def _flat(items: Sequence[_Item]) -> set[str]:
    return {name for item in items for name in (item if isinstance(item, frozenset) else (item,))}


# --- how GAICO's code takes its arguments ----------------------------------------------------------


def _calculate(compat: object, exact: _Measure, documented: _Measure, generated: Any, reference: Any) -> Any:
    """Do what ``calculate`` of GAICO 0.4 does; without ``compat`` a blank reference is the empty plan."""
    if compat not in (None, "gaico"):
        raise ValueError(f"compat is None or 'gaico', not {compat!r}")
    measure = documented if compat is None else exact
    if generated is None:
        raise ValueError(_NO_GENERATED)
    if reference is None or (compat and _is_missing(reference)):
        reference = _first(generated)
    ones, others = _iterable(generated), _iterable(reference)
    if _is_single(generated, ones) and _is_single(reference, others):
        return measure(ones[0], others[0])
    if len(ones) == 1 and len(others) > 1:
        ones = [ones[0]] * len(others)
    elif len(others) == 1 and len(ones) > 1:
        others = [others[0]] * len(ones)
    if len(ones) != len(others):
        sizes = f"generated (len {len(ones)}) and reference (len {len(others)})"
        raise ValueError(f"Batch inputs: {sizes} must have the same length.")
    return _wrapped([measure(one, other) for one, other in zip(ones, others, strict=True)], ones)


def _first(generated: Any) -> Any:
    """Return the first generated item, printing GAICO's warning. Raises KeyError for a Series without the label 0."""
    try:
        items = _iterable(generated)
        first = items[0] if len(items) else None
        missing = _is_missing(first)
    except (TypeError, ValueError):
        missing = True
    if missing:
        raise ValueError(_NO_REFERENCE)
    print(f"Warning: {_MISSING}")
    return first


def _is_single(value: Any, items: Any) -> bool:
    return len(items) == 1 and not isinstance(value, list | tuple) and not _is_of(value, "pandas", "Series")


def _iterable(value: Any) -> Any:
    if _is_of(value, "numpy", "ndarray") or _is_of(value, "pandas", "Series"):
        return value
    if _is_of(value, "pandas", "DataFrame"):
        return value.values
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, str):
        return [value]
    try:
        return list(iter(value))
    except TypeError:
        return [value]


def _is_of(value: object, module: str, name: str) -> bool:
    """Return whether a value is of a type of a package that may not be installed."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(value, kind)


def _is_missing(value: Any) -> bool:
    """Return whether a value says nothing: None, blank text, a container without items."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    return hasattr(value, "__len__") and len(value) == 0


def _wrapped(results: list[Any], like: Any) -> Any:
    """Return results in the kind of container that ``like`` is: an array, a Series with its index, or a list."""
    numbers = float if all(isinstance(result, float) for result in results) else None
    if _is_of(like, "pandas", "Series") and len(like) == len(results):
        return sys.modules["pandas"].Series(results, index=like.index, dtype=numbers or object)
    if _is_of(like, "numpy", "ndarray") and len(like) == len(results):
        return sys.modules["numpy"].array(results, dtype=numbers)
    return results
