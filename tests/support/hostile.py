"""Hostile spellings of a tool's name, of an argument's name, and values that a server may read otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_CYRILLIC = str.maketrans("aceopxyisj", "асеорхуіѕј")
_GREEK = str.maketrans("aiopuvy", "αιορυνγ")
_INVISIBLE = ("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u180e", "\u202e", "\u2066", "\u034f")
_HOSTS = (
    "mcp__shop__{}",
    "functions.{}",
    "shop.{}",
    "shop__{}",
    "shop/{}",
    "shop:{}",
    "mcp.shop.{}",
    "a.b.{}",
    "tools.{}",
)


def names(name: str) -> Iterator[str]:
    """Yield other spellings of a name of two or more words, joined by ``_``."""
    words = name.split("_")
    camel = words[0] + "".join(word.title() for word in words[1:])
    plain = [name.upper(), name.title(), camel, camel[0].upper() + camel[1:], "-".join(words), " ".join(words)]
    plain += ["".join(words), "__".join(words), f" {name} ", f"{name}\t", f"{name}\n", f"_{name}", f"{name}_"]
    yield from plain
    for host in _HOSTS:
        yield from (host.format(each) for each in (name, camel, name.upper()))
    for sign in _INVISIBLE:
        yield from (name + sign, sign + name, name[:2] + sign + name[2:], f"shop.{name[:3]}{sign}{name[3:]}")
    looks = [name.translate(_CYRILLIC), name.translate(_GREEK), name.replace("l", "1"), name.replace("o", "0")]
    looks += [name.replace(letter, letter.translate(_CYRILLIC), 1) for letter in name if letter.isalpha()]
    looks += ["".join(chr(ord(each) + 0xFEE0) if each.isalpha() else each for each in name)]
    looks += ["".join(chr(base + ord(each) - 97) if each.isalpha() else each for each in name) for base in _FONTS]
    looks += [name[0] + mark + name[1:] for mark in "\u0301\u0323\u0336"]
    for each in looks:
        yield from (each, f"mcp__shop__{each}") if each != name else ()
    yield from (
        form.format(name) for form in ("{}()", "{};", '"{}"', "`{}`", "{}.", "{}!", "<{}>", "{}:", "/{}", "({})")
    )
    yield from (form.format(name) for form in _AROUND)
    for first in _SYMBOLS:
        yield "".join(chr(first + ord(each) - 97) if each.isalpha() else each for each in name)
    for own in _LETTERS:
        yield "".join(own[ord(each) - 97] if each.isalpha() else each for each in name)
    yield ".".join(name)
    yield f"%{ord(name[0]):02x}{name[1:]}"
    for place in range(len(name)):
        yield name[:place] + name[place + 1 :]
        yield name[: place + 1] + name[place:]
    yield name + "x" * 300


_FONTS = (0x1D41A, 0x1D44E + 0x34, 0x1D5BA, 0x1D5EE, 0x1D68A)
"""bold, bold italic, sans-serif, sans-serif bold, monospace"""


_AROUND = ("{}%00", "{}?x=1", "{}#x", "{}[0]", "{}@1", "shop@{}", "shop->{}", "shop\\{}", "shop|{}", "shop {}")
_AROUND += ("verify,{}", "verify\n{}", "\x1b[0m{}", "functions.{}<|channel|>json", "shop\u2044{}", "&#32;{}")
_SYMBOLS = (0x1F150, 0x1F170, 0x1F1E6, 0x24D0, 0x249C)
"""letters in circles and squares, regional indicators, letters in brackets"""
_LETTERS = ("ᴀʙᴄᴅᴇғɢʜɪᴊᴋʟᴍɴᴏᴘqʀꜱᴛᴜᴠᴡxʏᴢ", "ⱥƀȼđɇꞙǥħɨɉꝁłmnøᵽꝗɍsŧʉvwxɏƶ", "aɓƈɗeƒɠɦiʝƙlɱɲoƥʠɽʂƭuʋⱳxƴȥ")
"""small capitals, letters with strokes, with hooks"""


def calls(name: str, other: str, given: dict[str, Any], harmless: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield objects of which one host reads a call of ``name`` as ``given``, and another one something else."""
    yield {"name": name, "arguments": given, "tool_name": other}
    yield {"tool": name, "name": other, "arguments": given}
    yield {"name": name, "function": {"name": other, "arguments": harmless}}
    yield {"name": other, "arguments": harmless, "name ": name}
    for key in ("input", "args", "parameters", "tool_input"):
        yield {"name": name, "arguments": harmless, key: given}
    yield {"name": name, "tool_call": {"name": name, "arguments": harmless}, "arguments": given}
    for pair in ((given, harmless), (harmless, given)):
        yield {"name": name, "arguments": "{" + ", ".join(json.dumps(each)[1:-1] for each in pair) + "}"}


def arguments(name: str, value: object) -> Iterator[dict[str, Any]]:
    """Yield arguments that give a value to something that looks like an argument."""
    for each in (name.upper(), name.title(), f"{name} ", f"_{name}", name.translate(_CYRILLIC), f"{name}\u200b"):
        yield {each: value}
        yield {name: 1, each: value}
    yield {name: 1} | {f"{name}{sign}": value for sign in _INVISIBLE}
    yield {f"{name[:1]}\u200b{name[1:]}" + "\u200b" * 300: value}


def values() -> Iterator[object]:
    """Yield values that are above 500, or that nobody can be sure are not."""
    yield from (501, 500.0001, 10**30, 1e300, float("inf"), float("nan"), "501", " 501 ", "5.01e2", "+501", "0501")
    yield from ("501 EUR", "0x1F5", "５０１", "٥٠١", "501,00", "5_01", "1e999", "NaN", "inf", "five hundred and one")
    yield from ([501], {"value": 501}, [[501]], True, "501\u200b", "\u202e105", "501\n", "<amount>", "$amount", "?")
