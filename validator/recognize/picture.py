"""The posterior over time, as a picture and as a page that holds it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from validator.recognize.present import nearest_words, ranking_rows, recognition_text, sentence
from validator.recognize.problem import Candidate, Recognition, Verdict
from validator.render.html.page import changes, folded, page, said, scrolled, section
from validator.render.html.style import REPORT_STYLE

__all__ = ["posterior_page", "posterior_picture"]

_WIDTH, _HEIGHT = 720, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 50, 20, 16, 46
_MOST = 6
_COLORS = ("#2a7fc0", "#c8553d", "#3f8f4c", "#9a5fb8", "#b8860b", "#6c8ba0")
"""Six that people who see few colours distinguish, on white and on black; each line has its own dashes besides."""
_DASHES = ("", "8 4", "2 3", "10 3 2 3", "5 5", "1 5")
_MOST_LABELS = 12
_LONGEST = 60  # characters of a goal's name


def posterior_picture(answers: Sequence[Recognition]) -> str:
    """Return an SVG of the probability of each goal before the first observation and after each one.

    The six goals that are ever most probable have a colour and a name; the others are thin and grey. Where there is
    no probability, as before a limit was met, a line is interrupted.
    """
    number = len(answers[0].candidates) if answers else 0
    series = [[answer.candidates[goal].probability for answer in answers] for goal in range(number)]
    greatest = [max((value for value in one if value is not None), default=0.0) for one in series]
    last = [next((value for value in reversed(one) if value is not None), 0.0) for one in series]
    order = sorted(range(number), key=lambda goal: (-last[goal], -greatest[goal], goal))
    named = order[:_MOST]
    height = _HEIGHT + 20 * len(named)
    title = "Probability of each goal after each observation"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
        f' role="img" aria-label="{title}" fill="currentColor" font-family="sans-serif" font-size="12">',
        f"<title>{title}</title>",
        *_axes(len(answers)),
    ]
    for goal in order[_MOST:]:
        parts += _line(series[goal], 'stroke="#999" stroke-width="0.7"')
    for place, goal in reversed(list(enumerate(named))):
        dashes = f' stroke-dasharray="{_DASHES[place]}"' if _DASHES[place] else ""
        parts += _line(series[goal], f'stroke="{_COLORS[place]}" stroke-width="2.2"{dashes}')
    for place, goal in enumerate(named):
        dashes = f' stroke-dasharray="{_DASHES[place]}"' if _DASHES[place] else ""
        y = _HEIGHT + 20 * place
        parts.append(
            f'<line x1="{_LEFT}" x2="{_LEFT + 30}" y1="{y}" y2="{y}" stroke="{_COLORS[place]}"'
            f' stroke-width="2.2"{dashes}/>'
            f'<text x="{_LEFT + 38}" y="{y + 4}">{_shown(answers[0].candidates[goal].hypothesis.text)}'
            f" ({last[goal]:.3f})</text>"
        )
    return "\n".join((*parts, "</svg>"))


def _axes(answers: int) -> Iterator[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share)
        yield f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" stroke-opacity="0.15"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{share:g}</text>'
    step = max(1, -(-answers // _MOST_LABELS))
    for place in range(0, answers, step):
        yield f'<text x="{_x(place, answers):.1f}" y="{bottom + 18}" text-anchor="middle">{place}</text>'
    yield f'<text x="{(_LEFT + right) / 2}" y="{bottom + 34}" text-anchor="middle">observations</text>'


def _x(place: int, answers: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (place / (answers - 1) if answers > 1 else 0.5)


def _y(share: float) -> float:
    return _TOP + (_HEIGHT - _BOTTOM - _TOP) * (1 - share)


def _line(values: Sequence[float | None], style: str) -> Iterator[str]:
    """Yield a line for each stretch of known values, and a dot for one that stands alone."""
    stretch: list[str] = []
    for place, value in enumerate((*values, None)):
        if value is not None:
            stretch.append(f"{_x(place, len(values)):.1f},{_y(value):.1f}")
            continue
        if len(stretch) == 1:
            x, y = stretch[0].split(",")
            yield f'<circle cx="{x}" cy="{y}" r="2.5" fill="none" {style}/>'
        elif stretch:
            yield f'<polyline points="{" ".join(stretch)}" fill="none" {style}/>'
        stretch = []


def _shown(text: str) -> str:
    return escape(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def posterior_page(answers: Sequence[Recognition]) -> str:
    """Return a page with the picture, the observations with the best goals after each, and the last ranking."""
    final = answers[-1]
    rows = "".join(_row(place, answer) for place, answer in enumerate(answers))
    head = "<thead><tr><th scope=col>#</th><th scope=col>observation</th><th scope=col>best goals</th></tr></thead>"
    body = (
        f"<h1>Goal recognition</h1>\n<p>{escape(sentence(final))}</p>",
        scrolled(posterior_picture(answers), "scroll"),
        section("After each observation", f"<table>{head}{rows}</table>"),
        section("In the end", *_ending(final)),
    )
    return page("Goal recognition", f"{REPORT_STYLE}{_STYLE}", "\n".join(body))


def _ending(final: Recognition) -> Iterator[str]:
    """Yield the last ranking, a bar for each goal, and how a plan for the first one goes on from the observations."""
    head, *rows = ranking_rows(final)
    names = "".join(f"<th scope=col>{name}</th>" for name in ("share", head[-1], *head[1:-1]))
    found = [final.candidates[index] for index in final.ranking()]
    body = "".join(f"<tr>{_bar(one)}{_numbers(row)}</tr>" for one, row in zip(found, rows, strict=True))
    yield scrolled(f"<table class=ranking><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>", "scroll")
    words, diff = nearest_words(final)
    if words:
        yield f"<p>{said(words)}</p>{changes(diff)}"
    yield folded("As text", f"<pre tabindex=0>{said(recognition_text(final))}</pre>", is_open=False)


def _bar(one: Candidate) -> str:
    width = 100 * (one.probability or 0.0)
    drawn = f'<rect width="{width:.1f}" height="10"/>'
    return f'<td><svg class=bar viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{drawn}</svg></td>'


def _numbers(row: Sequence[str]) -> str:
    cells = "".join(f"<td class=number>{said(cell)}</td>" for cell in row[1:-1])
    return f"<td>{said(row[-1])}</td>{cells}"


_STYLE = (
    ".scroll > svg { min-width: 36rem; max-width: 100%; height: auto; } pre { white-space: pre; overflow: auto; }\n"
    "@media (max-width: 30rem) { .scroll > svg { min-width: 28rem; } .bar { width: 2.5rem; } }\n"
)


def _row(place: int, answer: Recognition) -> str:
    seen = escape(str(answer.observations[-1])) if place and answer.observations else ""
    if answer.verdict is not Verdict.RANKED:
        best = escape(sentence(answer))
    else:
        best = "<br>".join(_named(answer, index) for index in answer.best)
    return f"<tr><td>{place}</td><td><code>{seen}</code></td><td>{best}</td></tr>"


def _named(answer: Recognition, index: int) -> str:
    one = answer.candidates[index]
    shown = "" if one.probability is None else f" ({one.probability:.3f})"
    return f"{_shown(one.hypothesis.text)}{shown}"
