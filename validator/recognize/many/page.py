"""A page of tables, and of plots of accuracy, precision and spread by observability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from validator.recognize.many.run import Result
from validator.recognize.many.summary import Row, by_group, by_level, cells_of
from validator.render.html.page import page, section
from validator.render.html.style import REPORT_STYLE

__all__ = ["plot", "results_page"]

_WIDTH, _HEIGHT, _MARGIN = 420, 220, 40
_COLORS = ("#2a7fc0", "#c8553d", "#3f8f4c", "#9a5fb8", "#b8860b", "#6c8ba0")
_DASHES = ("", "8 4", "2 3", "10 3 2 3", "5 5", "1 5")
_HEADS = ("problems", "accuracy", "spread", "precision", "converged", "unproven", "CPU s", "median", "most")
_STYLE = "svg { max-width: 100%; height: auto; } td { text-align: right; }\n"


def results_page(results: Sequence[Result]) -> str:
    """Return a page of its own."""
    groups = sorted({one.group for one in results})
    rows = {group or "all": by_level([one for one in results if one.group == group]) for group in groups}
    plots = "".join(
        plot(name, {group: _points(own, name) for group, own in rows.items()}, top)
        for name, top in (("accuracy", 1.0), ("precision", 1.0), ("spread", None))
    )
    tables = section("By group", _table("group", by_group(results)))
    if levels := by_level(results):
        tables += section("By observability", _table("observed", levels), plots)
    failed = "".join(f"<li>{escape(one.name)}: {escape(one.error)}</li>" for one in results if one.error)
    tables += section("Without an answer", f"<ul>{failed}</ul>") if failed else ""
    return page("Goal recognition", f"{REPORT_STYLE}{_STYLE}", f"<h1>Goal recognition</h1>\n{tables}")


def _points(rows: Sequence[Row], name: str) -> list[tuple[int, float]]:
    found = ((int(row.name.removesuffix(" %")), getattr(row, name)) for row in rows)
    return [(level, value) for level, value in found if value is not None]


def _table(head: str, rows: Sequence[Row]) -> str:
    heads = "".join(f"<th scope=col>{escape(one)}</th>" for one in (head, *_HEADS))
    body = "".join(f"<tr>{''.join(f'<td>{escape(one)}</td>' for one in cells_of(row))}</tr>" for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead>{body}</table>"


def plot(title: str, series: Mapping[str, Sequence[tuple[int, float]]], top: float | None = None) -> str:
    """Return an SVG of lines over the observability in per cent; the first six have a colour and a name."""
    high = top or max((value for points in series.values() for _, value in points), default=1.0) or 1.0
    height = _HEIGHT + 18 * min(len(series), len(_COLORS))
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}"'
            f' height="{height}" role="img" aria-label="{title} by observability" fill="currentColor"'
            f' font-family="sans-serif" font-size="12"><title>{title} by observability</title>',
            *_axes(title, high),
            *(text for place, one in enumerate(series.items()) for text in _line(place, *one, high)),
            "</svg>",
        )
    )


def _axes(title: str, high: float) -> Iterator[str]:
    for share in (0.0, 0.5, 1.0):
        y = _y(share * high, high)
        yield f'<line x1="{_MARGIN}" x2="{_WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="#999" stroke-opacity="0.4"/>'
        yield f'<text x="{_MARGIN - 6}" y="{y + 4:.1f}" text-anchor="end">{share * high:.3g}</text>'
    for level in (0, 25, 50, 75, 100):
        yield f'<text x="{_x(level):.1f}" y="{_HEIGHT - 14}" text-anchor="middle">{level} %</text>'
    yield f'<text x="{_MARGIN}" y="12">{title}</text>'


def _line(place: int, name: str, points: Sequence[tuple[int, float]], high: float) -> Iterator[str]:
    color = _COLORS[place] if place < len(_COLORS) else "#999"
    dashes = _DASHES[place] if place < len(_DASHES) else ""
    style = f'stroke="{color}" stroke-width="2"' + (f' stroke-dasharray="{dashes}"' if dashes else "")
    path = " ".join(f"{_x(level):.1f},{_y(value, high):.1f}" for level, value in points)
    yield f'<polyline points="{path}" fill="none" {style}/>'
    yield from (
        f'<circle cx="{_x(level):.1f}" cy="{_y(value, high):.1f}" r="2.5" fill="{color}"/>' for level, value in points
    )
    if place < len(_COLORS):
        y = _HEIGHT + 18 * place
        yield f'<line x1="{_MARGIN}" x2="{_MARGIN + 30}" y1="{y}" y2="{y}" {style}/>'
        yield f'<text x="{_MARGIN + 38}" y="{y + 4}">{escape(name)}</text>'


def _x(level: float) -> float:
    return _MARGIN + (_WIDTH - _MARGIN - 20) * level / 100


def _y(value: float, high: float) -> float:
    return 20 + (_HEIGHT - 50) * (1 - value / high)
