"""Steps under the names that programs make of the model's, written as the model does, at the same places.

Julia prints ``var"put-down"(c)`` for names that are none of its own; planners that compile disjunctions and outcomes
away give each action its number, ``stack__DISJUNCT-0(b,c)`` and ``move_DETDUP_1``; Python prints a step that is a list
as ``action: ['stack', 'b', 'c']``.
"""

from __future__ import annotations

import re

from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["renamed"]

_QUOTED = re.compile(r'\bvar"([^\W\d][\w.-]*+)"(?=\()')
_COMPILED = re.compile(
    r"(?<![\w-])([^\W\d][\w-]*?)(?:(?:__(?:DISJUNCT|ANTECEDENT|CONJUNCT)(?:-\d+)?)++|_DETDUP_\d+)(?![\w-])",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"""^(?P<label>[^\S\n]*+[\w .()#-]{1,40}+:[^\S\n]*+)"""
    r"""\[(?P<list>(?:"[^"'\n]++"|'[^"'\n]++')(?:,[^\S\n]*+(?:"[^"'\n]++"|'[^"'\n]++'))*+)\](?=[^\S\n]*+$)""",
    re.MULTILINE,
)


def renamed(text: str, vocabulary: Vocabulary) -> str:
    """Return a text of the same length with the model's names for those that programs made of them."""
    if 'var"' in text:
        text = _QUOTED.sub(lambda name: name[1].rjust(len(name[0])), text)
    if "__" in text or "_DETDUP_" in text:
        text = _COMPILED.sub(lambda name: _as_compiled(name, vocabulary), text)
    if ": [" in text:
        text = _LISTED.sub(lambda step: _as_call(step, vocabulary), text)
    return text


def _as_compiled(name: re.Match[str], vocabulary: Vocabulary) -> str:
    is_own = vocabulary.written(name[0]) is not None or vocabulary.written(name[1]) is None
    return name[0] if is_own else name[1].rjust(len(name[0]))


def _as_call(step: re.Match[str], vocabulary: Vocabulary) -> str:
    """Return a list that begins with an action of the model as a call, and another one as it is."""
    name, *args = (each.strip(" '\"\t") for each in step["list"].split(","))
    if vocabulary.written(name) is None:
        return step[0]
    return step["label"] + f"{name}({', '.join(args)})".rjust(len(step[0]) - len(step["label"]))
