"""Who made what true for whom: the causal links of a plan as a picture, and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from validator.render.html.page import said, scrolled

__all__ = ["links_html"]

_ROW, _TOP, _LABEL, _RIGHT, _MARGIN = 24, 18, 300, 330, 12
_LONGEST = 38
_MOST_DRAWN = 60
"""steps up to which a picture can be read"""

_Pair: TypeAlias = tuple[int, int]
"""(row of the producer, row of the consumer): 0 is the initial state, the last one the goal"""


def links_html(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parts of a section from ``states`` and ``links`` of an execution's values."""
    labels = _labels(value)
    arcs: dict[_Pair, list[str]] = {}
    for link in value["links"]:
        producer = 0 if link["producer"] is None else link["producer"] + 1
        consumer = len(labels) - 1 if link["consumer"] is None else link["consumer"] + 1
        arcs.setdefault((producer, consumer), []).append(link["condition"])
    if len(labels) <= _MOST_DRAWN + 2:
        faulty = {failure["step"] + 1 for failure in value["failures"] if failure["step"] is not None}
        yield scrolled(_picture(labels, arcs, faulty))
    told = ((labels[one], ", ".join(conditions), labels[other]) for (one, other), conditions in sorted(arcs.items()))
    rows = "".join(f"<tr>{''.join(f'<td>{said(cell)}</td>' for cell in row)}</tr>" for row in told)
    head = "<thead><tr><th scope=col>Made true by</th><th scope=col>Condition</th><th scope=col>For</th></tr></thead>"
    yield f"<details><summary>As a table</summary><table class=causes>{head}<tbody>{rows}</tbody></table></details>"


def _labels(value: Mapping[str, Any]) -> list[str]:
    steps = [f"{state['place'] + 1} {state['step']}" for state in value["states"] if not state["unread"]]
    return ["the initial state", *steps, "the goal"]


def _picture(labels: Sequence[str], arcs: Mapping[_Pair, Sequence[str]], faulty: set[int]) -> str:
    """Return an arc diagram (Wattenberg 2002): a row for each step, an arc to the right from producer to consumer.

    Every arc has a title, for a tool tip and for those who do not see it.
    """
    height = _TOP + len(labels) * _ROW
    longest = max((consumer - producer for producer, consumer in arcs), default=1)
    body = [_arc(pair, conditions, longest) for pair, conditions in sorted(arcs.items())]
    body += [_row(row, label, row in faulty) for row, label in enumerate(labels)]
    title = f"{len(arcs)} causal links between {len(labels) - 2} steps, the initial state and the goal"
    return (
        f'<svg class="links" viewBox="0 0 {_LABEL + _RIGHT} {height}" role="img" aria-label="{title}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(body)}</svg>'
    )


def _row(row: int, label: str, is_faulty: bool) -> str:
    shown = label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
    mark = "\N{BALLOT X} " if is_faulty else ""
    kind = ' class="no"' if is_faulty else ""
    y = _at(row)
    text = f'<text x="{_LABEL - _MARGIN}" y="{y + 4}" text-anchor="end">{mark}{said(shown)}</text>'
    return f'<g{kind}><title>{said(label)}</title>{text}<circle cx="{_LABEL}" cy="{y}" r="3"/></g>'


def _arc(pair: _Pair, conditions: Sequence[str], longest: int) -> str:
    producer, consumer = pair
    top, bottom = _at(producer), _at(consumer)
    reach = 24 + (_RIGHT - 60) * (consumer - producer) / longest
    kind = "start" if producer == 0 else "made"
    path = f"M {_LABEL} {top} C {_LABEL + reach:.0f} {top}, {_LABEL + reach:.0f} {bottom}, {_LABEL} {bottom}"
    return f'<path class="{kind}" d="{path}"><title>{said(", ".join(conditions))}</title></path>'


def _at(row: int) -> int:
    return _TOP + row * _ROW
