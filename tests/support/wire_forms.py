"""Calls as models write them and frameworks print them: forms by name, each of a name, its arguments and a number."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

Form = Callable[[str, Mapping[str, str], int], str]


def _element(tag: str, inner: str, attributes: str = "") -> str:
    return f"<{tag}{attributes}>{inner}</{tag.partition('=')[0]}>"


def _object(name: str, given: Mapping[str, str], keys: tuple[str, str] = ("name", "arguments")) -> str:
    return json.dumps(dict(zip(keys, (name, dict(given)), strict=True)))


def _invoke(prefix: str = "") -> Form:
    def form(name: str, given: Mapping[str, str], number: int) -> str:
        inner = "".join(_element(f"{prefix}parameter", said, f' name="{key}"') + "\n" for key, said in given.items())
        invoked = _element(f"{prefix}invoke", f"\n{inner}", f' name="{name}"')
        return _element(f"{prefix}function_calls", f"\n{invoked}\n") + "\n"

    return form


def _qwen_coder(name: str, given: Mapping[str, str], number: int) -> str:
    inner = "".join(_element(f"parameter={key}", f"\n{said}\n") + "\n" for key, said in given.items())
    return _element("tool_call", "\n" + _element(f"function={name}", f"\n{inner}") + "\n") + "\n"


def _glm(name: str, given: Mapping[str, str], number: int) -> str:
    pairs = (_element("arg_key", key) + "\n" + _element("arg_value", said) + "\n" for key, said in given.items())
    return _element("tool_call", f"{name}\n" + "".join(pairs)) + "\n"


def _answered(name: str, given: Mapping[str, str], number: int) -> str:
    said = json.dumps({"name": name, "content": {"ok": True}})
    return FORMS["Hermes"](name, given, number) + _element("tool_response", f"\n{said}\n") + "\n"


FORMS: Mapping[str, Form] = {
    "Hermes": lambda name, given, number: _element("tool_call", "\n" + _object(name, given) + "\n") + "\n",
    "Hermes, answered": _answered,
    "Qwen Coder": _qwen_coder,
    "GLM": _glm,
    "Llama": lambda name, given, number: _element(f"function={name}", json.dumps(given)) + "\n",
    "Llama, Python": lambda name, given, number: (
        f"<|python_tag|>{_object(name, given, ('name', 'parameters'))}<|eom_id|>\n"
    ),
    "Mistral": lambda name, given, number: f"[TOOL_CALLS][{_object(name, given)}]\n",
    "Mistral, later": lambda name, given, number: f"[TOOL_CALLS]{name}[ARGS]{json.dumps(given)}\n",
    "DeepSeek": lambda name, given, number: (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{json.dumps(given)}\n```"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>\n"
    ),
    "DeepSeek, later": lambda name, given, number: (
        f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{json.dumps(given)}<｜tool▁call▁end｜>\n"
    ),
    "Kimi": lambda name, given, number: (
        f"<|tool_call_begin|>functions.{name}:{number}<|tool_call_argument_begin|>{json.dumps(given)}<|tool_call_end|>\n"
    ),
    "Harmony": lambda name, given, number: (
        f"<|start|>assistant<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>"
        f"{json.dumps(given)}<|call|>\n"
    ),
    "Granite": lambda name, given, number: f"<|tool_call|>[{_object(name, given)}]\n",
    "Anthropic": _invoke(),
    "Anthropic, with a prefix": _invoke("x:"),
    "LangChain": lambda name, given, number: f"\nInvoking: `{name}` with `{dict(given)}`\n\n\nok",
    "LlamaIndex": lambda name, given, number: (
        f"=== Calling Function ===\nCalling function: {name} with args: {json.dumps(given)}\nGot output: ok\n======\n\n"
    ),
    "smolagents": lambda name, given, number: (
        f"╭──────╮\n│ Calling tool: '{name}' with arguments: {dict(given)}     │\n╰──────╯\nObservations: ok\n"
    ),
    "MCP": lambda name, given, number: f"[Calling tool {name} with args {dict(given)}]\n",
}
"""Forms by the names of those who write them."""

TYPELESS = frozenset(("Qwen Coder", "GLM", "Anthropic", "Anthropic, with a prefix"))
"""forms that do not tell texts from other values"""


def written(form: str, calls: list[tuple[str, Mapping[str, str]]]) -> str:
    """Return calls in a form, one behind another."""
    return "".join(FORMS[form](name, given, number) for number, (name, given) in enumerate(calls))
