"""Polynomials with exact coefficients, and where they are zero: rational roots as fractions, others between two.

Sturm's theorem (Sturm 1829) and halving distinguish roots, so that nothing is rounded. A value at an irrational
root is the polynomial itself, and is compared by its sign there.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import total_ordering
from itertools import pairwise, zip_longest
from math import lcm
from typing import TypeAlias

Polynomial: TypeAlias = tuple[Fraction, ...]
"""the coefficients from the constant on, the last one not zero; empty for zero"""

_ZERO = Fraction(0)
ONE: Polynomial = (Fraction(1),)
_DIGITS = Fraction(1, 10**9)


def _trimmed(coefficients: Iterable[Fraction]) -> Polynomial:
    found = list(coefficients)
    while found and not found[-1]:
        found.pop()
    return tuple(found)


def plus(one: Polynomial, other: Polynomial, factor: Fraction = Fraction(1)) -> Polynomial:
    """Return ``one + factor * other``."""
    return _trimmed(a + factor * b for a, b in zip_longest(one, other, fillvalue=_ZERO))


def times(one: Polynomial, other: Polynomial) -> Polynomial:
    if not one or not other:
        return ()
    found = [_ZERO] * (len(one) + len(other) - 1)
    for place, a in enumerate(one):
        for further, b in enumerate(other):
            found[place + further] += a * b
    return _trimmed(found)


def integral(of: Polynomial, constant: Fraction) -> Polynomial:
    """Return the polynomial that has this derivative, and the constant at 0."""
    return _trimmed((constant, *(value / power for power, value in enumerate(of, 1))))


def _derivative(of: Polynomial) -> Polynomial:
    return _trimmed(power * value for power, value in enumerate(of) if power)


def _at(of: Polynomial, x: Fraction) -> Fraction:
    value = _ZERO
    for coefficient in reversed(of):
        value = value * x + coefficient
    return value


def _divided(one: Polynomial, by: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Return quotient and remainder."""
    quotient, rest = [_ZERO] * max(0, len(one) - len(by) + 1), list(one)
    while len(rest) >= len(by):
        factor, shift = rest[-1] / by[-1], len(rest) - len(by)
        quotient[shift] = factor
        rest = list(_trimmed(a - factor * b for a, b in zip(rest, (*[_ZERO] * shift, *by), strict=True)))
    return _trimmed(quotient), tuple(rest)


def _common(one: Polynomial, other: Polynomial) -> Polynomial:
    """Return the greatest common divisor, its first coefficient 1."""
    while other:
        one, other = other, _divided(one, other)[1]
    return tuple(value / one[-1] for value in one)


def _simple(of: Polynomial) -> Polynomial:
    """Return a polynomial with the same roots, each once."""
    return _divided(of, _common(of, _derivative(of)))[0] if len(of) > 2 else of


# --- roots ---------------------------------------------------------------------------------------


def _chain(of: Polynomial) -> list[Polynomial]:
    """Return Sturm's chain of a polynomial."""
    chain = [of, _derivative(of)]
    while chain[-1]:
        chain.append(tuple(-value for value in _divided(chain[-2], chain[-1])[1]))
    return chain[:-1]


def _between(chain: list[Polynomial], low: Fraction, high: Fraction) -> int:
    """Return how many roots the first polynomial of a chain has above ``low`` and up to ``high``."""
    return _changes(chain, low) - _changes(chain, high)


def _changes(chain: list[Polynomial], x: Fraction) -> int:
    signs = [value > 0 for part in chain if (value := _at(part, x))]
    return sum(one is not other for one, other in pairwise(signs))


@total_ordering
class Root:
    """The only root of a polynomial above ``low`` and below ``high``; it is irrational.

    Points that were compared, and are not the same, have intervals apart from each other.
    """

    __slots__ = ("high", "low", "of")

    def __init__(self, of: Polynomial, low: Fraction, high: Fraction) -> None:
        self.of = of
        self.low = low
        self.high = high

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Root):
            return False
        shared = _common(self.of, other.of)
        low, high = max(self.low, other.low), min(self.high, other.high)
        return len(shared) > 1 and low < high and _between(_chain(_simple(shared)), low, high) > 0

    def __lt__(self, other: Point) -> bool:
        if self == other:
            return False
        while True:
            low, high = (other.low, other.high) if isinstance(other, Root) else (other, other)
            if self.high < low or high < self.low:
                return self.high < low
            self.refine()
            if isinstance(other, Root):
                other.refine()

    __hash__ = None  # type: ignore[assignment]

    def refine(self) -> None:
        """Halve the interval."""
        middle = (self.low + self.high) / 2
        if (_at(self.of, middle) > 0) is (_at(self.of, self.low) > 0):
            self.low = middle
        else:
            self.high = middle

    def sign(self, of: Polynomial) -> int:
        """Return the sign that a polynomial has at the root."""
        of = _divided(of, self.of)[1]
        shared = _common(of, self.of) if of else self.of
        if len(shared) > 1 and _between(_chain(shared), self.low, self.high):
            return 0
        chain = _chain(_simple(of))
        while _between(chain, self.low, self.high) or not _at(of, self.low):
            self.refine()
        return 1 if _at(of, self.high) > 0 else -1


Point: TypeAlias = Fraction | Root


def near(point: Point) -> Fraction:
    """Return a time itself, or for an irrational one a decimal near it, for people to read."""
    if isinstance(point, Fraction):
        return point
    while point.high - point.low > _DIGITS:
        point.refine()
    return round((point.low + point.high) / 2, 6)


def real_roots(polynomials: Iterable[Polynomial], span: Fraction) -> list[Point]:
    """Return where one of the polynomials is zero in (0, span], in order and each once."""
    found: set[Fraction] = set()
    whole = ONE
    for of in polynomials:
        if len(of) == 2:
            found.add(-of[0] / of[1])
        elif len(of) > 2:
            part = _simple(of)
            whole = times(whole, _divided(part, _common(part, whole))[0])
    roots: list[Point] = [root for root in found if 0 < root <= span]
    roots += (root for root in _isolated(whole, span) if isinstance(root, Root) or root not in found)
    return sorted(roots)


def _isolated(of: Polynomial, span: Fraction) -> list[Point]:
    """Return the roots in (0, span] of a polynomial that has each once."""
    chain, found = _chain(of), list[Point]()
    waiting = [(_ZERO, span)] if len(of) > 1 else []
    while waiting:
        low, high = waiting.pop()
        number = _between(chain, low, high)
        if number > 1:
            middle = (low + high) / 2
            waiting += [(low, middle), (middle, high)]
        elif number:
            found.append(_root(of, chain, low, high))
    return found


def _root(of: Polynomial, chain: list[Polynomial], low: Fraction, high: Fraction) -> Point:
    """Return the one root above ``low`` and up to ``high``: a fraction if it is one, which its denominator tells."""
    if not _at(of, high):
        return high
    most = _greatest_denominator(of)
    while high - low >= Fraction(1, 2 * most * most) or not _at(of, low):
        middle = (low + high) / 2
        if not _at(of, middle):
            return middle
        low, high = (low, middle) if _between(chain, low, middle) else (middle, high)
    candidate = ((low + high) / 2).limit_denominator(most)
    return candidate if low < candidate < high and not _at(of, candidate) else Root(of, low, high)


def _greatest_denominator(of: Polynomial) -> int:
    """Return a number that every denominator of a rational root divides: the first coefficient over the integers."""
    return abs(int(of[-1] * lcm(*(value.denominator for value in of))))


# --- values at a time ----------------------------------------------------------------------------


def at(of: Polynomial, point: Point) -> Fraction | Algebraic:
    """Return the value at a time."""
    if isinstance(point, Fraction):
        return _at(of, point)
    return Algebraic(of, point) if len(of) > 1 else (of[0] if of else _ZERO)


_NEAREST = 10**6
"""the greatest denominator of a fraction that a value at an irrational time is compared with"""


def rational(value: Fraction | Algebraic) -> Fraction | None:
    """Return a value as the fraction that it is; None where it is none, or none that is simple."""
    if not isinstance(value, Algebraic):
        return value
    rest = _divided(value.of, value.root.of)[1]
    if len(rest) < 2:
        return rest[0] if rest else _ZERO
    near(value.root)
    candidate = _at(rest, (value.root.low + value.root.high) / 2).limit_denominator(_NEAREST)
    return candidate if value == candidate else None


@total_ordering
class Algebraic:
    """The value of a polynomial at an irrational root: as exact as a fraction, and computed with in the same way."""

    __slots__ = ("of", "root")

    def __init__(self, of: Polynomial, root: Root) -> None:
        self.of = of
        self.root = root

    def _other(self, other: object) -> Polynomial:
        if isinstance(other, Algebraic):
            return other.of
        assert isinstance(other, int | Fraction)
        return _trimmed((Fraction(other),))

    def __add__(self, other: object) -> Algebraic:
        return Algebraic(plus(self.of, self._other(other)), self.root)

    __radd__ = __add__

    def __sub__(self, other: object) -> Algebraic:
        return Algebraic(plus(self.of, self._other(other), Fraction(-1)), self.root)

    def __rsub__(self, other: object) -> Algebraic:
        return Algebraic(plus(self._other(other), self.of, Fraction(-1)), self.root)

    def __mul__(self, other: object) -> Algebraic:
        return Algebraic(times(self.of, self._other(other)), self.root)

    __rmul__ = __mul__

    def __neg__(self) -> Algebraic:
        return self * -1

    def __truediv__(self, other: Fraction) -> Algebraic:
        return self * (1 / other)

    def __bool__(self) -> bool:
        return self.root.sign(self.of) != 0

    def __eq__(self, other: object) -> bool:
        return self.root.sign(plus(self.of, self._other(other), Fraction(-1))) == 0

    def __lt__(self, other: object) -> bool:
        return self.root.sign(plus(self.of, self._other(other), Fraction(-1))) < 0

    __hash__ = None  # type: ignore[assignment]

    def as_integer_ratio(self) -> tuple[int, int]:
        """Return a fraction near it, for people to read."""
        near(self.root)
        return round(_at(self.of, (self.root.low + self.root.high) / 2), 6).as_integer_ratio()

    @property
    def numerator(self) -> int:
        return self.as_integer_ratio()[0]

    @property
    def denominator(self) -> int:
        return self.as_integer_ratio()[1]
