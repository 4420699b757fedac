"""What every page has in common: a document without script and without net, and the parts that it is made of."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

__all__ = ["changes", "folded", "listed", "page", "parts", "preformatted", "said", "scrolled", "section"]

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def page(title: str, style: str, body: str) -> str:
    """Return a document of its own; title and body are HTML, with what users wrote escaped."""
    return _PAGE.format(title=title, style=style, body=body)


def parts(document: str) -> tuple[str, str, str]:
    """Return the title, the style and the body of a document that ``page`` made, for a place in another page.

    Raises ValueError for any other document, of which nothing would be shown.
    """
    inner = []
    for before, after in (("<title>", "</title>"), ("<style>", "</style>"), ("<main>\n", "\n</main>\n</body>")):
        _, found, document = document.partition(before)
        part, ended, document = document.partition(after)
        if not (found and ended):
            raise ValueError(f"no part {before.strip()} in the document: it is not one of these pages")
        inner.append(part)
    title, style, body = inner
    return title, style, body


def preformatted(text: str) -> str:
    """Return a text as a notebook shows it, line by line."""
    return f"<pre style='text-align: left; white-space: pre-wrap'>{said(text)}</pre>"


def section(title: str, *parts: str) -> str:
    return f"<section><h2>{title}</h2>\n{''.join(parts)}</section>"


def folded(title: str, body: str, *, is_open: bool) -> str:
    """Return a part of a page that can be opened and closed."""
    return f"<details{' open' if is_open else ''}><summary>{title}</summary>{body}</details>"


def listed(items: Iterable[str], kind: str = "") -> str:
    """Return a list of ``<li>`` items; ``kind`` is its class."""
    return f'<ul class="{kind}">{"".join(items)}</ul>' if kind else f"<ul>{''.join(items)}</ul>"


def scrolled(body: str, kind: str = "picture") -> str:
    """Return what may be wider than a page, in a part that scrolls, by the keyboard too."""
    return f'<div class="{kind}" tabindex=0>{body}</div>'


_HEADS = ("@@", "--- ", "+++ ")


def changes(diff: str) -> str:
    """Return a unified diff with the colours of its lines; its signs say the same."""
    lines = (f'<span class="{_kind(line)}">{said(line)}\n</span>' for line in diff.splitlines())
    return f"<pre class=changes tabindex=0>{''.join(lines)}</pre>"


def _kind(line: str) -> str:
    return "at" if line.startswith(_HEADS) else {"+": "add", "-": "del"}.get(line[:1], "same")


def said(text: object) -> str:
    """Return a user's text for HTML; what could turn the direction or is no character shows itself as such."""
    shown = "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in str(text))
    return escape(shown)
