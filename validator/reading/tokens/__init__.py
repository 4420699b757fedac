"""Plan texts: a text and the names of a model in, a ``Reading`` out, with the plans that the text may mean.

Open ``read`` first, then ``text``: the one way through, of which ``plain`` is a short cut. ``rows`` and ``segments``
tell which lines of a text may be the plan, ``notations`` how its steps are written, ``unread`` which are not read;
``candidates`` are the plans that the lines of a text may mean, ``layout`` cuts a text into pieces, ``vocabulary`` holds
the names.
Every character of the text is in exactly one part of a plan; nothing is dropped in silence.
"""

from __future__ import annotations

from validator.reading.tokens.read import read, tokenize
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["Vocabulary", "read", "tokenize"]
