"""The little English that steps are written in: small closed classes of words, and the forms of a verb."""

from __future__ import annotations

from functools import lru_cache

__all__ = [
    "ADVERBS",
    "ARTICLES",
    "BEFORE",
    "DENIALS",
    "INDEFINITE",
    "LABELS",
    "MODIFIERS",
    "NOUNS",
    "PARTICLES",
    "PLACES",
    "PREPOSITIONS",
    "PRONOUNS",
    "SAYS_NOTHING",
    "SIGNS",
    "STATES",
    "STOPS",
    "SUBORDINATE",
    "forms",
    "is_typo",
    "relation",
    "singular",
]

SIGNS = frozenset("()[],;:!?=&.") | {"->", "=>", "→", "⇒", "—", "–", "-"}

ARTICLES = frozenset(("a", "an", "the", "this", "that", "these", "those", "your", "my", "its", "our", "each", "both"))
INDEFINITE = frozenset(("a", "an", "another", "any", "some", "one"))
"""with a noun and no name, they speak of no object in particular: the words of a rule, not of a step"""

PREPOSITIONS = {
    **dict.fromkeys(("in", "into", "inside", "within"), "in"),
    **dict.fromkeys(("on", "onto", "upon", "over", "atop", "above"), "on"),
    **dict.fromkeys(("to", "toward", "towards", "until"), "to"),
    **dict.fromkeys(("from", "off", "out"), "from"),
    **dict.fromkeys(("at", "near", "by", "beside", "next"), "at"),
    **dict.fromkeys(("with", "using", "via", "through", "along"), "with"),
    **dict.fromkeys(("under", "beneath", "below", "underneath"), "under"),
    **dict.fromkeys(("of", "top", "for", "between", "against", "around", "across", "behind"), ""),
}
"""Each preposition and what it says of what stands behind it; nothing for those that only go with others."""

PARTICLES = frozenset(("up", "down", "off", "out", "away", "back", "in", "on", "over", "open", "apart", "together"))
SAYS_NOTHING = {"pick": "up", "lift": "up", "fill": "up", "load": "up", "lower": "down", "drop": "off"}
"""verb -> the particle that leaves it what it is: to pick up is to pick, where no action is called pick-up"""
PRONOUNS = frozenset(("it", "them", "itself"))
NOUNS = frozenset(("object", "obj", "item", "thing", "block", "package", "one"))
"""what objects are called in any domain"""
PLACES = frozenset(("table", "hand", "ground", "floor", "surface", "position", "place", "side", "order", "plan"))
"""what is no object of a model and may stand behind a preposition all the same: "on the table", "with your hand\""""

ADVERBS = frozenset(
    (
        *("again", "back", "carefully", "currently", "directly", "gently", "here", "immediately", "instead", "just"),
        *("next", "now", "once", "only", "safely", "simply", "still", "successfully", "then", "there", "too", "also"),
    )
)
MODIFIERS = ADVERBS | frozenset(("already", "available", "first", "free", "held", "last", "only", "other", "same"))
"""what may stand between an article and a name and changes nothing: "the now clear red block\""""

BEFORE = frozenset(
    (
        *(
            "after",
            "afterwards",
            "agent",
            "also",
            "and",
            "begin",
            "by",
            "continue",
            "do",
            "execute",
            "finally",
            "first",
        ),
        *("firstly", "following", "i", "immediately", "lastly", "let", "lets", "must", "need", "next", "now", "ok"),
        *(
            "okay",
            "once",
            "perform",
            "please",
            "run",
            "s",
            "second",
            "secondly",
            "should",
            "simply",
            "so",
            "start",
            "by",
        ),
        *("starting", "step", "subsequently", "that", "the", "then", "therefore", "third", "thirdly", "thus", "to"),
        *("away", "promptly", "right", "straight", "thereafter"),  # as in "right away"
        *("us", "use", "apply", "using", "we", "will", "with", "you", "your", "ll", "ve", "fourth", "fifth", "again"),
        *("action", "operation", "performing", "executing", "applying", "take", "robot", "he", "she", "they", "have"),
        *("go", "goes", "going", "move", "moves", "moving", "make", "get", "ask", "tell", "try", "proceed", "it"),
    )
)
"""what may stand before a step at the beginning of a sentence"""

LABELS = frozenset(("action", "step", "act", "move", "operation", "plan", "command", "task"))
"""what may stand before the number or the colon in front of a step"""

SUBORDINATE = frozenset(
    (
        *(
            "after",
            "because",
            "before",
            "by",
            "if",
            "since",
            "so",
            "that",
            "to",
            "when",
            "whenever",
            "where",
            "whether",
        ),
        *(
            "while",
            "which",
            "who",
            "once",
            "upon",
            "until",
            "unless",
            "though",
            "although",
            "as",
            "having",
            "of",
            "for",
        ),
        *("can", "could", "may", "might", "would", "cannot", "was", "were", "is", "are", "be", "been", "being", "had"),
    )
)
"""an action behind one of these is spoken of, not done"""

DENIALS = frozenset(("not", "cannot", "never", "without", "instead", "no", "avoid", "unable", "rather", "neither"))

STOPS = frozenset(
    (
        *("as", "because", "but", "due", "hence", "if", "leaving", "making", "since", "so"),
        *("therefore", "thus", "unless", "until", "when", "whereas", "while", "after", "before", "allowing", "once"),
        *("ensuring", "freeing", "clearing", "creating", "resulting", "giving", "achieving", "where", "during", "or"),
    )
)
"""where the step ends and what is said about it begins"""

STATES = frozenset(
    (
        *("is", "are", "was", "were", "isn", "aren", "wasn", "be", "will", "would", "can", "cannot", "could", "should"),
        *("has", "have", "had", "requires", "require", "required", "needs", "becomes", "remains", "does", "do", "did"),
        *("adds", "removes", "deletes", "achieves", "makes", "fails", "results", "satisfies", "creates", "uses"),
    )
)
"""a verb behind a step: the step is what the sentence is about, and not done by it"""

_IRREGULAR = {
    "bring": ("brought",), "build": ("built",), "buy": ("bought",), "catch": ("caught",), "cut": ("cut", "cutting"),
    "do": ("did", "done"), "draw": ("drew", "drawn"), "drive": ("drove", "driven"), "feed": ("fed",),
    "find": ("found",), "fly": ("flew", "flown"), "get": ("got", "gotten", "getting"), "give": ("gave", "given"),
    "go": ("went", "gone"), "hold": ("held",), "leave": ("left",), "lift": (), "lie": ("lay", "lying"),
    "make": ("made",), "put": ("put", "putting"), "read": ("read",), "ride": ("rode", "ridden"), "run": ("ran",),
    "see": ("saw", "seen"), "sell": ("sold",), "send": ("sent",), "set": ("set", "setting"), "shut": ("shut",),
    "sit": ("sat",), "sleep": ("slept",), "spin": ("spun",), "stand": ("stood",), "swim": ("swam",),
    "take": ("took", "taken"), "throw": ("threw", "thrown"), "wake": ("woke",), "wear": ("wore", "worn"),
    "write": ("wrote", "written"),
}  # fmt: skip
_VOWELS = "aeiou"


@lru_cache(maxsize=4096)
def forms(verb: str) -> frozenset[str]:
    """Return a verb with what it becomes in a sentence: picks, picked, picking; carries; stopped; flew."""
    if len(verb) < 2 or not verb.isalpha():
        return frozenset((verb,))
    stem = verb[:-1]
    if verb[-1] == "e":
        found = {f"{verb}s", f"{verb}d", f"{stem}ing"}
    elif verb[-1] == "y" and verb[-2] not in _VOWELS:
        found = {f"{stem}ies", f"{stem}ied", f"{verb}ing"}
    else:
        third = f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{verb}s"
        found = {third, f"{verb}ed", f"{verb}ing"}
        if verb[-1] not in "aeiouwxy" and verb[-2] in _VOWELS and (len(verb) < 3 or verb[-3] not in _VOWELS):
            found |= {f"{verb}{verb[-1]}ed", f"{verb}{verb[-1]}ing"}
    return frozenset((verb, *found, *_IRREGULAR.get(verb, ())))


def singular(noun: str) -> str:
    """Return a noun without the s of its plural."""
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") and len(noun) > 3 else noun


def relation(prepositions: tuple[str, ...]) -> str:
    """Return what a row of prepositions says: "from on top of" is from, "on top of" is on, "from under" is under."""
    said = [PREPOSITIONS[word] for word in prepositions if word in PREPOSITIONS]
    return next((word for word in ("under", "from") if word in said), next((word for word in said if word), ""))


def is_typo(said: str, known: str) -> bool:
    """Return whether a word is another one but for a slip: one letter in five, two in nine, never a digit."""
    shorter = min(len(said), len(known))
    most = 2 if shorter >= 9 else 1 if shorter >= 4 and max(len(said), len(known)) >= 5 else 0
    if not most or not said.isalpha() or not known.isalpha() or abs(len(said) - len(known)) > most:
        return False
    return singular(said) != known and _distance(said, known) <= most


def _distance(one: str, other: str) -> int:
    """Return how many letters must be put in, left out, changed or swapped with the next (Damerau 1964)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i] + [0] * len(other)
        for j, wanted in enumerate(other, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                row[j] = min(row[j], earlier[j - 2] + 1)
    return row[-1]
