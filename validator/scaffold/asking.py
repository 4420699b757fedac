"""Asking for a plan: what is said, and an endpoint that answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from validator.judge.endpoint import Judge, Talk
from validator.records import dataclass

__all__ = ["Answered", "Ask", "Message", "endpoint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """``role`` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer to a conversation; ``error`` says why there is none."""

    text: str = ""
    error: str = ""
    attempts: int = 1


Ask: TypeAlias = Callable[[Sequence[Message]], Answered]
"""Continues a conversation. What goes wrong is told in the answer."""


def endpoint(judge: Judge) -> Ask:
    """Return what asks an endpoint that speaks OpenAI's chat completions, as ``validator.judge`` does."""

    def ask(messages: Sequence[Message]) -> Answered:
        said = [{"role": message.role, "content": message.content} for message in messages]
        plain: dict[str, object] = {"model": judge.model, "messages": said}
        talk = Talk(judge, {**plain, "temperature": 0}, plain, lambda content: {"text": content})
        answer = talk.run()
        if isinstance(answer, str):
            return Answered(error=answer, attempts=talk.attempts)
        text = str(answer["text"])
        return Answered(text=text.replace(judge.key, "***") if judge.key else text, attempts=talk.attempts)

    return ask
