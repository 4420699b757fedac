"""A translator of plan texts that a program or an endpoint is: what it is told, and how its answer is taken."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from validator.errors import InputError
from validator.reading.translated import Translator
from validator.scaffold.asking import Ask, Message

__all__ = ["translator"]

_TOLD = """\
Translate the plan in "text" into steps of the actions in "actions" on the objects in "objects", in the order of their
execution. Translate what the author gives as the plan in the end, with its mistakes: correct, add and leave out
nothing. Answer with JSON alone, {"steps": [{"step": "(action object ...)", "text": "..."}, ...]}, in which each
"text" is copied from the plan, character by character: the words that this step stands for.
"""


def translator(ask: Ask) -> Translator:
    """Return a translator that asks a program or an endpoint; it raises InputError where that has no JSON to say."""

    def translate(question: Mapping[str, Any]) -> object:
        said = json.dumps(question, ensure_ascii=False, indent=1)
        answered = ask([Message(role="system", content=_TOLD), Message(role="user", content=said)])
        if answered.error:
            raise InputError(f"the translator did not answer: {answered.error}")
        content = answered.text[answered.text.find("{") : answered.text.rfind("}") + 1]
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise InputError(f"the translator's answer is not JSON: {answered.text!r:.120}") from None

    return translate
