"""Numbers in questions: 3, three, third, 3rd, twice, three times."""

from __future__ import annotations

import re

from validator.errors import InputError

__all__ = ["number_said"]

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_SAID = {
    **{word: number for number, word in enumerate(_WORDS)},
    **{word: number for number, word in enumerate(_ORDINALS) if word},
    "once": 1,
    "twice": 2,
    "thrice": 3,
}
_DIGITS = re.compile(r"(\d{1,6})(?:st|nd|rd|th)?")


def number_said(text: str) -> int:
    """Return a whole number in digits or in words. Raises InputError for what is none."""
    word = text.strip().lower().removesuffix(" times").removesuffix(" time")
    digits = _DIGITS.fullmatch(word)
    number = int(digits[1]) if digits is not None else _SAID.get(word)
    if number is None:
        raise InputError(f"'{text}' is no number", source="question")
    return number
