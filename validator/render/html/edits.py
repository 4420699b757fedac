"""The repair of a domain as a page: the edits in words, the diff, the other repairs that are as small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from validator.render.html.page import changes, folded, listed, page, said, section
from validator.render.html.style import REPORT_STYLE

__all__ = ["edits_page"]

_HEADINGS = {
    "repaired": "The domain can be repaired",
    "nothing to do": "The domain does with every plan what it must",
    "impossible": "No repair",
}


def edits_page(value: Mapping[str, Any]) -> str:
    """Return the page of a repair, of the values that ``validator.model_repair.present`` makes of it."""
    title = _HEADINGS.get(value["status"], "The question is open")
    return page(title, REPORT_STYLE, f"<h1>{title}</h1>\n{''.join(_sections(value))}")


def _sections(value: Mapping[str, Any]) -> list[str]:
    found = []
    if value["mends"]:
        found.append(section("Faults of the text", listed(f"<li>{said(mend)}</li>" for mend in value["mends"])))
    if value["status"] == "repaired":
        found.append(section(_count(value), _words(value), _diffs(value)))
        others = [_other(number, other) for number, other in enumerate(value["alternatives"], 2)]
        if others:
            found.append(section("Others that are as small", *others))
    elif value["reason"]:
        found.append(f"<p>{said(value['reason'])}</p>")
    return found


def _count(value: Mapping[str, Any]) -> str:
    number = len(value["edits"])
    proof = "no fewer will do (proven)" if value["proven"] else f"at least {value['lower_bound']:g}"
    return f"{number} edit{'s' * (number != 1)}: {proof}"


def _words(value: Mapping[str, Any]) -> str:
    reasons = "".join(f"<li>{said(reason)}</li>" for reason in value["reasons"])
    return listed(f"<li>{said(word)}</li>" for word in value["words"]) + (f"<ul>{reasons}</ul>" if reasons else "")


def _diffs(value: Mapping[str, Any]) -> str:
    return changes("".join((value["domain_diff"], *value["problem_diffs"])))


def _other(number: int, other: Mapping[str, Any]) -> str:
    words = said("; ".join(other["words"]))
    return folded(
        f"{number}. {words}",
        _words({**other, "words": []}) + _diffs(other),
        is_open=False,
    )
