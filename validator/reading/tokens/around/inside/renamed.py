"""Steps under the names that programs make of the model's, written as the model does, at the same places.

Julia prints ``var"put-down"(c)`` for names that are none of its own; planners that compile disjunctions and outcomes
away give each action its number, ``stack__DISJUNCT-0(b,c)``, ``move_DETDUP_1`` and ``move|instance_1[a,b]``; Python
prints a step that is a list as ``action: ['stack', 'b', 'c']``. What planners of task networks do to test the
preconditions of a method, ``SHOP_methodm_get_0_precondition(a)``, is no step of the model, and PANDA makes parameters of
the constants that an action mentions.
"""

from __future__ import annotations

import re

from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["renamed"]

_QUOTED = re.compile(r'\bvar"([^\W\d][\w.-]*+)"(?=\()')
_COMPILED = re.compile(
    r"(?<![\w-])([^\W\d][\w-]*?)(?:(?:_{2,4}(?:DISJUNCT|ANTECEDENT|CONSEQUENT|CONJUNCT)(?:-\d+)?)++|_DETDUP_\d+|\|instance_\d+)(?![\w-])",
    re.IGNORECASE,
)
_SOLUTION = "SOLUTION SEQUENCE"
_OF_PANDA = re.compile(r"^(?P<begin>\d+: (?P<name>[^\W\d][\w-]*+)\()(?P<args>[^()\n]*+)\)", re.MULTILINE)
_TESTED = re.compile(
    r"^[^\S\n]*+(?:\d+[:.)]?[^\S\n]++)?(?:SHOP_method[\w-]*?_precondition|__method_precondition_[\w|-]++)"
    r"(?:\([^()\n]*+\)|\[[^\[\]\n]*+\])[^\S\n]*+$",
    re.MULTILINE | re.IGNORECASE,
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
    if "_precondition" in text:
        text = _TESTED.sub(lambda line: " " * len(line[0]), text)
    if "__" in text or "_DETDUP_" in text or "|instance_" in text:
        text = _COMPILED.sub(lambda name: _as_compiled(name, vocabulary), text)
    if _SOLUTION in text:
        text = _OF_PANDA.sub(lambda step: _without_constants(step, vocabulary), text)
    if ": [" in text:
        text = _LISTED.sub(lambda step: _as_call(step, vocabulary), text)
    return text


def _as_compiled(name: re.Match[str], vocabulary: Vocabulary) -> str:
    is_own = vocabulary.written(name[0]) is not None or vocabulary.written(name[1]) is None
    return name[0] if is_own else name[1].rjust(len(name[0]))


def _without_constants(step: re.Match[str], vocabulary: Vocabulary) -> str:
    """Return a step of PANDA without the constants of the domain that stand behind the arguments of its action."""
    args = step["args"].split(",")
    wanted = vocabulary.actions.get(vocabulary.written(step["name"]) or "", len(args))
    constants = set() if vocabulary.model is None else set(map(str.lower, vocabulary.model.domain.constants))
    if len(args) <= wanted or not constants.issuperset(arg.strip().lower() for arg in args[wanted:]):
        return step[0]
    return f"{step['begin']}{','.join(args[:wanted])})".ljust(len(step[0]))


def _as_call(step: re.Match[str], vocabulary: Vocabulary) -> str:
    """Return a list that begins with an action of the model as a call, and another one as it is."""
    name, *args = (each.strip(" '\"\t") for each in step["list"].split(","))
    if vocabulary.written(name) is None:
        return step[0]
    return step["label"] + f"{name}({', '.join(args)})".rjust(len(step[0]) - len(step["label"]))
