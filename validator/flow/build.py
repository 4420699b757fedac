"""Flows in few words: a name is an item, ``name: type`` one with a type, and a ``?`` after the name makes it optional.

flow = Flow(
    name="trip",
    operators=(operator("find", "date, to: city", "flight, price"), operator("pay", "flight, voucher?", "ticket")),
    goals=((known("ticket"),),),
)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from validator.errors import ModelError
from validator.flow.model import Claim, Goal, GoalKind, Input, Operator, Output

__all__ = ["decided", "known", "operator", "ran", "used"]


def operator(
    name: str,
    inputs: str | Iterable[str] = (),
    outputs: str | Iterable[str] = (),
    *,
    needs: Iterable[str | Claim] = (),
    ensures: Iterable[str | Claim] = (),
    cost: int = 10,
    max_try: int = 1,
) -> Operator:
    """Return an operator; items are a list, or one text with commas, constraints are a list.

    Raises ModelError for an empty name, and for a constraint alone.
    """
    return Operator(
        name=name,
        inputs=tuple(
            Input(item=item.removesuffix("?").rstrip(), type=kind, required=not item.endswith("?"))
            for item, kind in _items(inputs)
        ),
        outputs=tuple(Output(item=item, type=kind) for item, kind in _items(outputs)),
        needs=_claims("needs", needs),
        ensures=_claims("ensures", ensures),
        cost=cost,
        max_try=max_try,
    )


def _items(texts: str | Iterable[str]) -> Iterator[tuple[str, str | None]]:
    for text in texts.split(",") if isinstance(texts, str) and texts.strip() else texts or ():
        item, _, kind = (part.strip() for part in text.partition(":"))
        if not item.removesuffix("?").strip():
            raise ModelError(f"an item needs a name: {texts!r}")
        yield item, kind or None


def _claims(key: str, claims: Iterable[str | Claim]) -> tuple[Claim, ...]:
    # A constraint may hold commas, so that one text is not taken apart as one of items is.
    if isinstance(claims, str | Claim):
        text = claims if isinstance(claims, str) else claims.text
        raise ModelError(f"{key}: a list of constraints was expected, such as [{text!r}], not one alone")
    return tuple(claim if isinstance(claim, Claim) else Claim(text=claim) for claim in claims)


def ran(name: str, *arguments: str) -> Goal:
    """Return the goal that an operator has run, on the given items where there are any."""
    return Goal(kind=GoalKind.OPERATOR, subject=name, arguments=arguments or None)


def known(item: str) -> Goal:
    """Return the goal that an item, or every item of a type, is known."""
    return Goal(kind=GoalKind.KNOWN, subject=item)


def used(item: str) -> Goal:
    """Return the goal that an operator has run on an item, or on every item of a type."""
    return Goal(kind=GoalKind.USED, subject=item)


def decided(text: str, *, holds: bool = True) -> Goal:
    """Return the goal that a constraint has been decided so."""
    return Goal(kind=GoalKind.CONSTRAINT, claim=Claim(text=text, holds=holds))
