"""The posterior over time, as a picture and as a page that holds it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from validator.recognize.present import nearest_words, ranking_rows, recognition_text, sentence
from validator.recognize.problem import Candidate, Recognition, Verdict
from validator.render.html.elements import (
    Element,
    Node,
    changes,
    code,
    element,
    folded,
    html,
    page,
    scrolled,
    section,
    table,
    told,
)

__all__ = ["posterior_page", "posterior_picture", "posterior_tree"]

_WIDTH, _HEIGHT = 720, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 50, 20, 16, 46
_MOST = 6
_COLORS = ("#2a7fc0", "#c8553d", "#3f8f4c", "#9a5fb8", "#b8860b", "#6c8ba0")
"""Six that people who see few colours distinguish, on white and on black; each line has its own dashes besides."""
_DASHES = ("", "8 4", "2 3", "10 3 2 3", "5 5", "1 5")
_MOST_LABELS = 12
_LONGEST = 60  # characters of a goal's name


def posterior_page(answers: Sequence[Recognition]) -> str:
    """Return a page with the picture, the observations with the best goals after each, and the last ranking."""
    return page(sentence(answers[-1]), element("h1", "Goal recognition"), posterior_tree(answers))


def posterior_picture(answers: Sequence[Recognition]) -> str:
    """Return an SVG of the probability of each goal before the first observation and after each one.

    The six goals that are ever most probable have a colour and a name; the others are thin and grey. Where there is
    no probability, as before a limit was met, a line is interrupted.
    """
    return html(_picture(answers))


def _picture(answers: Sequence[Recognition]) -> Element:
    number = len(answers[0].candidates) if answers else 0
    series = [[answer.candidates[goal].probability for answer in answers] for goal in range(number)]
    greatest = [max((value for value in one if value is not None), default=0.0) for one in series]
    last = [next((value for value in reversed(one) if value is not None), 0.0) for one in series]
    order = sorted(range(number), key=lambda goal: (-last[goal], -greatest[goal], goal))
    named = order[:_MOST]
    drawn = [*_axes(len(answers))]
    for goal in order[_MOST:]:
        drawn += _line(series[goal], stroke="#999", stroke_width=0.7)
    for place, goal in reversed(list(enumerate(named))):
        drawn += _line(series[goal], **_stroke(place))
    for place, goal in enumerate(named):
        y = _HEIGHT + 20 * place
        name = f"{_shown(answers[0].candidates[goal].hypothesis.text)} ({last[goal]:.3f})"
        drawn.append(element("line", x1=_LEFT, x2=_LEFT + 30, y1=y, y2=y, **_stroke(place)))
        drawn.append(element("text", name, x=_LEFT + 38, y=y + 4))
    title = "Probability of each goal after each observation"
    box = {"viewBox": f"0 0 {_WIDTH} {_HEIGHT + 20 * len(named)}", "xmlns": "http://www.w3.org/2000/svg"}
    about = {"kind": "posterior", "role": "img", "aria_label": title, "fill": "currentColor", "font_size": 12}
    return element("svg", element("title", title), drawn, **box, **about)


def _stroke(place: int) -> dict[str, Any]:
    return {"stroke": _COLORS[place], "stroke_width": 2.2, "stroke_dasharray": _DASHES[place] or None}


def _axes(answers: int) -> Iterator[Element]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share)
        yield element("line", x1=_LEFT, x2=right, y1=y, y2=y, stroke="currentColor", stroke_opacity=0.2)
        yield element("text", f"{share:g}", x=_LEFT - 8, y=y + 4, text_anchor="end")
    for place in range(0, answers, max(1, -(-answers // _MOST_LABELS))):
        yield element("text", place, x=_x(place, answers), y=bottom + 18, text_anchor="middle")
    yield element("text", "observations", x=(_LEFT + right) / 2, y=bottom + 34, text_anchor="middle")


def _x(place: int, answers: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (place / (answers - 1) if answers > 1 else 0.5)


def _y(share: float) -> float:
    return _TOP + (_HEIGHT - _BOTTOM - _TOP) * (1 - share)


def _line(values: Sequence[float | None], **stroke: Any) -> Iterator[Element]:
    """Yield a line for each stretch of known values, and a dot for one that stands alone."""
    for is_known, stretch in groupby(enumerate(values), key=lambda one: one[1] is not None):
        points = [(_x(place, len(values)), _y(value)) for place, value in stretch if value is not None]
        if is_known and len(points) == 1:
            yield element("circle", cx=points[0][0], cy=points[0][1], r=2.5, fill="none", **stroke)
        elif is_known:
            yield element("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), fill="none", **stroke)


def _shown(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def posterior_tree(answers: Sequence[Recognition]) -> Iterator[Node]:
    """Yield what stands below the heading of the page."""
    final = answers[-1]
    yield element("p", sentence(final))
    yield scrolled(_picture(answers))
    rows = (_row(place, answer) for place, answer in enumerate(answers))
    yield section("After each observation", table(("#", "observation", "best goals"), rows, "lines"))
    yield section("In the end", _ending(final))


def _ending(final: Recognition) -> Iterator[Node]:
    """Yield the last ranking, a bar for each goal, and how a plan for the first one goes on from the observations."""
    head, *rows = ranking_rows(final)
    found = [final.candidates[index] for index in final.ranking()]
    cells = (element("tr", _share(one), _numbers(row)) for one, row in zip(found, rows, strict=True))
    yield table(("share", head[-1], *head[1:-1]), cells, "ranking")
    words, diff = nearest_words(final)
    if words:
        yield element("p", words)
        yield changes(diff)
    yield folded("As text", told(recognition_text(final)))


def _share(one: Candidate) -> Element:
    drawn = element("rect", width=100 * (one.probability or 0.0), height=10)
    box = {"viewBox": "0 0 100 10", "preserveAspectRatio": "none", "aria_hidden": "true"}
    return element("td", element("svg", drawn, kind="share", **box))


def _numbers(row: Sequence[str]) -> Iterable[Element]:
    return (element("td", row[-1]), *(element("td", cell, kind="number") for cell in row[1:-1]))


def _row(place: int, answer: Recognition) -> Element:
    seen = str(answer.observations[-1]) if place and answer.observations else ""
    best = [sentence(answer)]
    if answer.verdict is Verdict.RANKED:
        best = [_named(answer.candidates[index]) for index in answer.best]
    return element("tr", element("td", place), element("td", code(seen)), element("td", "; ".join(best)))


def _named(one: Candidate) -> str:
    return f"{_shown(one.hypothesis.text)}{'' if one.probability is None else f' ({one.probability:.3f})'}"
