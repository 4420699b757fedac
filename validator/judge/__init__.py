"""A language model as a second opinion on adherence: asked beside the symbolic score, never instead of it.

An ``Adherence`` and its recording come in, an ``Opinion`` goes out, with the reason why the two differ where they
do. Open ``opinion`` first; ``prompt`` says what is asked, ``endpoint`` asks it.
"""

from validator.adherence.values import Opinion
from validator.judge.endpoint import KEYS, Judge
from validator.judge.opinion import DISAGREEMENT, ask

__all__ = ["DISAGREEMENT", "KEYS", "Judge", "Opinion", "ask"]
