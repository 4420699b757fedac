"""What a terminal shows: colours, and texts without characters that could drive it."""

from __future__ import annotations

GREEN, RED, CYAN, BOLD, FAINT = "\033[32m", "\033[31m", "\033[36m", "\033[1m", "\033[2m"
_PLAIN = "\033[0m"


def painted(text: str, tint: str) -> str:
    """Return a text in a colour; an empty one leaves it as it is."""
    return f"{tint}{text}{_PLAIN}" if tint else text


def safe(text: str, kept: str = "") -> str:
    """Return a text in which what is no visible character shows itself as such, but for those that are ``kept``."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or each in kept else "\N{REPLACEMENT CHARACTER}" for each in text)
