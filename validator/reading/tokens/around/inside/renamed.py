"""Steps under the names that programs make of the model's, written as the model does, at the same places.

Julia prints ``var"put-down"(c)`` for names that are none of its own; planners that compile disjunctions and outcomes
away give each action its number, ``stack__DISJUNCT-0(b,c)``, ``move_DETDUP_1`` and ``move|instance_1[a,b]``; Python
prints a step that is a list as ``action: ['stack', 'b', 'c']`` and a record as ``Action(name='stack', ...)``. What
planners of task networks do to test the preconditions of a method, ``SHOP_methodm_get_0_precondition(a)``, is no step
of the model, and PANDA makes parameters of the constants that an action mentions.
"""

from __future__ import annotations

import re

from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["renamed"]

_QUOTED = re.compile(r'\bvar"([^\W\d][\w.-]*+)"(?=\()')
_COMPILED = re.compile(
    r"(?<![\w-])([^\W\d][\w-]*?)"
    r"(?:(?:_{2,4}(?:DISJUNCT|ANTECEDENT|CONSEQUENT|CONJUNCT)(?:-\d+)?)++|_DETDUP_\d+|\|instance_\d+)(?![\w-])",
    re.IGNORECASE,
)
_BESIDE = r"(?:id|idx|index|number|no|step|order|step_number|step_id)\s*+=\s*+['\"]?\d{1,6}['\"]?\s*+,\s*+"
_RECORD = re.compile(
    rf"(?<![\w.-])[A-Z]\w*+\(\s*+(?:{_BESIDE})?+(?:(?:name|action|action_name)\s*+=\s*+)?+"
    r"(?P<quote>['\"])(?P<name>[\w.-]++)(?P=quote)\s*+,\s*+"
    r"(?:(?:args|arguments|parameters|params|objects)\s*+=\s*+)?+[\[(](?P<args>[^\[\](){}=]*+)[\])]\s*+,?\s*+\)"
)
"""``Action(name='stack', args=('a', 'b'))`` and ``Operator('stack', ['a', 'b'])``, as Python prints a record"""
_PLASP = re.compile(r'\baction\(\(\s*+"([\w.-]++)"((?:\s*+,\s*+constant\(\s*+"?[\w.-]++"?\s*+\))++)\s*+\)\)')
_CONSTANT = re.compile(r'constant\(\s*+"?([\w.-]++)"?\s*+\)')
"""``action(("stack",constant("a"),constant("b")))``: a step in the answer sets of plasp"""
_SERVED = re.compile(
    r"^(?P<sign>[^\S\n]*+(?:[^\w\s][^\S\n]*+)?+)[\w.-]++[ ]-[ ](?P<name>[\w.-]++)[ ]\(MCP\)(?=\()", re.MULTILINE
)
"""``⏺ barn - pile (MCP)(x: "a", y: "b")``: a call of a server's tool, as Claude Code shows it"""
_TYPED = re.compile(r"(?<![\w.-])([\w.-]++)(\s*+:\s*+([^\W\d][\w-]*+))(?=\s*+[,)])")
"""``a:block`` among arguments, as PDDLGym and its like print objects"""
_KEYWORD = re.compile(r"\(:([^\W\d][\w-]*+)")
"""``(:LOAD-TRUCK p t)``: an action that is written as the keywords of PDDL are"""
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
    return _unprinted(text, vocabulary)


def _unprinted(text: str, vocabulary: Vocabulary) -> str:
    """Return a text of the same length with calls for records, and names without what is printed beside them."""
    if "=" in text or "'," in text or '",' in text:
        text = _RECORD.sub(lambda record: _call_of(record, vocabulary), text)
    if "(MCP)(" in text:
        text = _SERVED.sub(lambda call: call["sign"] + call["name"].rjust(len(call[0]) - len(call["sign"])), text)
    if "constant(" in text:
        text = _PLASP.sub(_of_plasp, text)
    if "(:" in text:
        text = _KEYWORD.sub(
            lambda name: name[0] if vocabulary.written(name[1]) is None else name[0].replace(":", " "), text
        )
    if ":" in text and "(" in text:
        text = _TYPED.sub(lambda typed: _untyped(typed, vocabulary), text)
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


def _call_of(record: re.Match[str], vocabulary: Vocabulary) -> str:
    """Return the call that a record stands for, behind as many blanks as it is shorter."""
    if vocabulary.action_of(record["name"]) is None:
        return record[0]
    call = f"{record['name']}({record['args'].strip().removesuffix(',')})"
    return call.rjust(len(record[0])) if "\n" not in record[0] else record[0]


def _of_plasp(match: re.Match[str]) -> str:
    """Return the call that a step of plasp is, behind as many blanks as it is shorter."""
    return f"{match[1]}({','.join(_CONSTANT.findall(match[2]))})".rjust(len(match[0]))


def _untyped(typed: re.Match[str], vocabulary: Vocabulary) -> str:
    """Return an object of the model without the type behind it, and anything else as it is."""
    name, kind = typed[1].lower(), typed[3].lower()
    is_typed = name in vocabulary.objects and (kind in vocabulary.types or kind in ("object", "default"))
    return typed[1] + " " * len(typed[2]) if is_typed else typed[0]
