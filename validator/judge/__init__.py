"""A language model as a second opinion on adherence: asked beside the symbolic score, never instead of it."""

from validator.judge.endpoint import KEYS, Judge
from validator.judge.opinion import DISAGREEMENT, Opinion, ask

__all__ = ["DISAGREEMENT", "KEYS", "Judge", "Opinion", "ask"]
