"""A language model as a second opinion on adherence: asked beside the symbolic score, never instead of it."""

from validator.adherence.values import Opinion
from validator.judge.endpoint import KEYS, Judge
from validator.judge.opinion import DISAGREEMENT, ask

__all__ = ["DISAGREEMENT", "KEYS", "Judge", "Opinion", "ask"]
