"""Plan text to tokens, and back: steps, constraints, what could not be read, what was passed over.

Every character of the text is in exactly one part of the plan; nothing is dropped without a trace.
"""

from __future__ import annotations

from validator.reading.tokens.read import read, tokenize
from validator.reading.tokens.render import render
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["Vocabulary", "read", "render", "tokenize"]
