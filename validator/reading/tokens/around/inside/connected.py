"""Words of other languages before steps in the model's names: "Paso 1 - (a b)", "Dann (a b)", "然后(a b)".

They are known before a step only; what they say is no more than its place in the order.
"""

from __future__ import annotations

import re

from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["unconnected"]

_COUNTED = re.compile(
    r"^(?P<before>[^\S\n]*+(?:[-*•][^\S\n]++)?+(?:\*\*|__)?+)"
    r"(?P<word>paso|schritt|[ée]tape|passo|stap|steg|trin|krok|шаг|adım|bước|langkah|lépés|aktion|acción|accion|azione|ação)"
    r"[^\S\n]*+(?:nr\.?|n[°ºo]\.?)?+[^\S\n]*+(?P<number>\d{1,4})(?P<behind>(?:\*\*|__)?+[^\S\n]*+[-–—.)](?:\*\*|__)?+(?=[^\S\n]))",
    re.MULTILINE | re.IGNORECASE,
)
_CONNECTIVES = (
    *("als erstes", "zuerst", "zunächst", "und dann", "dann", "danach", "anschließend", "anschliessend", "daraufhin"),
    *("als nächstes", "nun", "jetzt", "schließlich", "schliesslich", "zuletzt", "abschließend", "zum schluss"),
    *("primero", "y luego", "luego", "después", "despues", "entonces", "ahora", "a continuación", "finalmente"),
    *("por último", "tout d'abord", "d'abord", "premièrement", "ensuite", "et puis", "puis", "après", "maintenant"),
    *(
        "enfin",
        "finalement",
        "prima",
        "poi",
        "quindi",
        "dopo",
        "ora",
        "infine",
        "successivamente",
        "primeiro",
        "depois",
    ),
    *("então", "em seguida", "agora", "por fim", "сначала", "затем", "потом", "далее", "наконец"),
    *("首先", "先", "其次", "然后", "然後", "接着", "接下来", "之后", "随后", "再", "最后", "最後", "まず", "次に"),
    *("その後", "それから", "最後に", "먼저", "그다음", "그런 다음", "마지막으로"),
)
_ANY = "|".join(sorted(map(re.escape, _CONNECTIVES), key=len, reverse=True))
_BEFORE_STEP = re.compile(
    r"(?P<before>(?:^|[,;。])[^\S\n]*+(?:\d{1,4}[.)][^\S\n]++|[-*•][^\S\n]++)?+)"
    rf"(?P<words>(?:{_ANY})(?P<end>[^\S\n]*+[,:]?+)[^\S\n]*+)"
    r"(?=(?P<step>\(|`?[A-Za-z][^\n,;。]{0,80}))",
    re.MULTILINE | re.IGNORECASE,
)
_WORD = re.compile(r"[\w-]+")
_FIRST = re.compile(r"(?:^|[,;])[\s>*\d.)(-]{0,12}+([a-z]++)", re.MULTILINE)
_WORDS = frozenset(word.split()[0].split("'")[0] for word in _CONNECTIVES) | {
    *("paso", "schritt", "etape", "passo", "stap", "steg", "trin", "krok", "langkah", "aktion", "accion", "azione")
}
"""the first words of what is looked for, of which a text in English has none, told faster"""


def unconnected(text: str, known: Vocabulary) -> str:
    """Return a text of the same length with numbers and blanks for words of other languages before steps."""
    if text.isascii() and _WORDS.isdisjoint(_FIRST.findall(text.lower())):
        return text
    text = _COUNTED.sub(_number, text)

    def blank(match: re.Match[str]) -> str:
        said = match["words"].strip(" \t,:").lower()
        if said in known.actions or said in known.objects or not _begins(match["step"], known):
            return match[0]
        is_apart = match["words"][-1:].isspace() or match["end"] or match["step"] == "(" or not said.isascii()
        return match["before"] + " " * len(match["words"]) if is_apart else match[0]

    return _BEFORE_STEP.sub(blank, text)


def _number(match: re.Match[str]) -> str:
    number = f"{match['before']}{match['number']}."
    return number.ljust(len(match[0]))


def _begins(step: str, known: Vocabulary) -> bool:
    """Return whether a text begins with a parenthesis or an action of the model."""
    if step == "(":
        return True
    words = _WORD.findall(step.lower())
    return bool(words) and (known.written(words[0]) is not None or known.spoken_action(words) is not None)
