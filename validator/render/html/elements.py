"""Pages as values: an element is a list of its tag, its attributes and what is in it, as JSON has them.

The service and the playground hand these lists to a script that makes nodes of them; ``html`` writes them as text.
Nothing else escapes, and nothing else writes a tag.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from validator.render.terminal import safe

Element: TypeAlias = list[Any]
"""[tag, {attribute: text}, node, ...]"""
Node: TypeAlias = str | Element
_Item = TypeVar("_Item")

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def element(tag: str, *children: Any, **attributes: Any) -> Element:
    """Return an element. Children are texts, elements, what has several of them, or None.

    ``kind`` is its class; ``text_anchor`` is ``text-anchor``; True gives an attribute no value, None leaves it out.
    """
    kept = {_named(name): _attribute(value) for name, value in attributes.items() if value is not None}
    found: Element = [tag, kept]
    _fill(found, children)
    return found


@cache
def _named(name: str) -> str:
    return "class" if name == "kind" else name.rstrip("_").replace("_", "-")


def _attribute(value: Any) -> str:
    return "" if value is True else f"{round(value, 1):g}" if isinstance(value, float) else _shown(str(value))


def _fill(found: Element, children: Iterable[Any]) -> None:
    for child in children:
        if isinstance(child, str):
            found.append(_shown(child))
        elif isinstance(child, list) and len(child) > 1 and isinstance(child[1], dict):
            found.append(child)
        elif isinstance(child, Iterable):
            _fill(found, child)
        elif child is not None:
            found.append(str(child))


def _shown(text: str) -> str:
    """Return a text in which what could turn the direction, or is no character, shows itself as such."""
    return safe(text, "\n\t")


# --- as text -------------------------------------------------------------------------------------


def html(node: Node) -> str:
    """Return a node as HTML; of SVG it is the part of a page that XML would have too."""
    if isinstance(node, str):
        return escape(node, quote=False)
    tag, attributes, *children = node
    written = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    return f"<{tag}{written}>{''.join(map(html, children))}</{tag}>"


@cache
def style() -> str:
    """Return the style of all pages, for light and dark, wide and narrow."""
    return (Path(__file__).parent / "style.css").read_text(encoding="utf-8")


def page(title: str, *nodes: Any, link: str = "") -> str:
    """Return a document that needs nothing else, or ``link`` for its style."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
    styled = f'<link rel="stylesheet" href="{link}">' if link else f"{policy}<style>{style()}</style>"
    body = html(element("body", element("main", nodes)))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n{html(element("title", title))}\n{styled}\n</head>\n'
        f"{body}\n</html>\n"
    )


def fragment(nodes: Sequence[Node]) -> str:
    """Return nodes for a place in another page; their style stays inside."""
    own = style().replace(":root", ":scope")
    scope = ":scope { color: var(--text); background: var(--back); }"
    body = "".join(map(html, nodes))
    return f'<div class="plan-report"><style>@scope {{{own}{scope}}}</style>{body}</div>'


# --- parts ---------------------------------------------------------------------------------------


def section(title: str, *nodes: Any) -> Element:
    return element("section", element("h2", title), nodes)


def folded(title: Any, *nodes: Any, is_open: bool = False, **attributes: Any) -> Element:
    """Return a part of a page that can be opened and closed."""
    return element("details", element("summary", title), nodes, open=is_open or None, **attributes)


def listed(items: Iterable[Element], kind: str | None = None) -> Element:
    return element("ul", items, kind=kind)


MOST_SHOWN = 1_000
"""items of a list, and rows of a table, that a page has; a browser takes long for more, and nobody reads them"""


def begun(items: Sequence[_Item], what: str) -> tuple[Sequence[_Item], Node | None]:
    """Return the items that a page has, and how many more there are, if any."""
    more = len(items) - MOST_SHOWN
    return items[:MOST_SHOWN], element("p", f"and {more:,} more {what}") if more > 0 else None


def code(text: object) -> Element:
    return element("code", str(text))


def scrolled(*nodes: Any) -> Element:
    """Return what may be wider than a page, in a part that scrolls, by the keyboard too."""
    return element("div", nodes, kind="scroll", tabindex=0)


def table(heads: Iterable[str], rows: Iterable[Element], kind: str | None = None) -> Element:
    """Return a table of ``tr`` elements that scrolls where it is wider than the page."""
    head = element("thead", element("tr", (element("th", name, scope="col") for name in heads)))
    return scrolled(element("table", head, element("tbody", rows), kind=kind))


def text_and_diff(text: str) -> Iterator[Element]:
    """Yield a text as a terminal shows it, and a diff at its end in colours."""
    words, found, diff = f"\n{text}".partition("\n--- ")
    if words.strip():
        yield element("pre", words.strip("\n"), tabindex=0)
    if found:
        yield changes(f"--- {diff}")


_HEADS = ("@@", "--- ", "+++ ")


def changes(diff: str) -> Element:
    """Return a unified diff with the colours of its lines; its signs say the same."""
    lines = (element("span", f"{line}\n", kind=_kind(line)) for line in diff.splitlines())
    return element("pre", lines, kind="changes", tabindex=0)


def _kind(line: str) -> str:
    return "at" if line.startswith(_HEADS) else {"+": "add", "-": "del"}.get(line[:1], "same")
