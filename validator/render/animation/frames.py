"""The pictures of a plan, step by step, and beside them those of the nearest plan; the first fault is marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

from validator.execution.simulator import Simulator
from validator.records import dataclass, replace
from validator.render.animation.profile import Constant, Profile, read_profile
from validator.render.animation.scene import Line, Scene, Slots, Sprite, scene
from validator.render.html.elements import Element, Node, code, element, folded, scrolled
from validator.render.states import execution_value

_MOST_SHAPES = 20_000
"""shapes of all pictures together: a page of more is slow"""
_MOST_OPEN = 20
"""rows up to which they are shown at once"""
_PLAIN = "lightsteelblue"
_COLOUR = re.compile(r"#[0-9a-f]{6}|[a-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """A state of a plan: what led to it, and whether that is a fault."""

    label: str
    scene: Scene
    fault: str = ""


def animation_tree(given: str | Path, simulator: Simulator, report: Any) -> list[Node]:
    """Return the pictures of a report, as a profile has them. Raises InputError for one that cannot be drawn."""
    profile, slots = read_profile(given), Slots()
    objects = list(simulator.model.problem.objects)

    @cache
    def stage(state: frozenset[str]) -> Scene:
        return scene(profile, objects, [tuple(atom.strip("()").split()) for atom in state], slots)

    old = _frames(simulator, report, stage)
    if not old:
        return [element("p", "There are no states to be drawn.")]
    new: list[_Frame] = []
    if report.repaired_plan is not None and report.plan_diff_obj:
        repaired = replace(report, reference=report.repaired_plan, failures=(), reading=None)
        new = _frames(simulator, repaired, stage)
    signs = [line.diff_type or "" for line in report.plan_diff_obj]
    rows = list(_aligned(signs, old, new)) if new else [(frame, None) for frame in old]
    drawn = rows[: max(1, _MOST_SHAPES // (len(rows[0]) * max(1, len(old[0].scene.sprites) + len(old[0].scene.lines))))]
    scenes = {id(frame.scene): frame.scene for row in drawn for frame in row if frame is not None}
    picture = _Picture(profile, scenes.values())
    heads = ("The plan", "The nearest plan") if new else ("The plan",)
    head = element("tr", (element("th", name, scope="col") for name in heads))
    body = (element("tr", (_cell(picture, frame) for frame in row[: len(heads)])) for row in drawn)
    table = element("table", element("thead", head), element("tbody", list(body)), kind="frames")
    notes = [f"The first {len(drawn)} of {len(rows)} rows are drawn."] if len(drawn) < len(rows) else []
    if missing := sorted(set(old[0].scene.sprites) - picture.placed):
        notes.append(f"The profile gives no place to {', '.join(missing[:10])}{' and others' * (len(missing) > 10)}.")
    shown = (scrolled(table), (element("p", note, kind="why") for note in notes))
    return [picture.definitions(), folded(f"{len(drawn)} states", *shown, is_open=len(drawn) <= _MOST_OPEN)]


def _frames(simulator: Simulator, report: Any, stage: Callable[[frozenset[str]], Scene]) -> list[_Frame]:
    value = execution_value(simulator, report, with_links=False)
    if not value:
        return []
    state = frozenset(value["init"])
    faults = {failure.step for failure in report.failures}
    first = min((step for step in faults if step is not None), default=None)

    def frame(label: str, fault: str = "") -> _Frame:
        return _Frame(label=label, scene=stage(state), fault=fault)

    found = [frame("Initially")]
    for step in value["states"]:
        state = state.difference(step["deleted"]).union(step["added"])
        place = step["place"]
        told = "" if place not in faults else "the first fault" if place == first else "cannot be executed"
        found.append(frame(f"{place + 1} {step['step']}", told))
    if None in faults:
        found[-1] = replace(found[-1], fault=found[-1].fault or "the goal does not hold")
    return found


def _aligned(
    signs: Sequence[str], old: Sequence[_Frame], new: Sequence[_Frame]
) -> Iterator[tuple[_Frame | None, _Frame | None]]:
    """Yield the states side by side, as the lines of the diff are; by their numbers where these are others."""
    if (sum(sign != "+" for sign in signs), sum(sign != "-" for sign in signs)) != (len(old) - 1, len(new) - 1):
        yield from zip_longest(old, new)
        return
    left, right = iter(old), iter(new)
    yield next(left), next(right)
    for sign in signs:
        yield next(left) if sign != "+" else None, next(right) if sign != "-" else None


def _cell(picture: _Picture, frame: _Frame | None) -> Element:
    if frame is None:
        return element("td")
    sign = (element("b", "✗", aria_hidden="true"), " ") if frame.fault else ()
    told = (": ", element("b", frame.fault)) if frame.fault else ()
    caption = element("figcaption", sign, code(frame.label), told)
    drawn = picture.drawn(frame.scene, ": ".join(filter(None, (frame.label, frame.fault))))
    return element("td", element("figure", caption, drawn), kind="no" if frame.fault else None)


def _area(sprite: Sprite) -> tuple[float, float, float, float] | None:
    """Return place and size of a sprite; None where both coordinates or a size are not known."""
    x, y, width, height = (sprite.get(key) for key in ("x", "y", "width", "height"))
    width = 0.0 if width == "panel_size" else width
    if (x is None) is not (y is None):
        x, y = x or 0.0, y or 0.0
    if not all(isinstance(one, float) for one in (x, y, width, height)):
        return None
    return x, y, width, height  # type: ignore[return-value]


class _Picture:
    """Draws scenes of one profile, all to the same scale."""

    def __init__(self, profile: Profile, scenes: Iterable[Scene]) -> None:
        self._images, self._numbers = profile.images, {name: number for number, name in enumerate(profile.images)}
        self._used, self._tints = set[str](), set[str]()
        self._drawn: dict[tuple[Any, ...], Element | None] = {}
        sprites = [named for one in scenes for named in one.sprites.items()]
        found = [(name, area) for name, sprite in sprites if (area := _area(sprite)) is not None]
        self.placed = {name for name, _ in found}
        areas = [area for _, area in found] or [(0.0, 0.0, 100.0, 100.0)]
        self._left, self._right = min(x for x, *_ in areas), max(x + width for x, _, width, _ in areas)
        self._low, self._high = min(y for _, y, _, _ in areas), max(y + height for _, y, _, height in areas)
        self._margin = 0.03 * max(self._right - self._left, self._high - self._low, 1.0)

    def drawn(self, one: Scene, label: str) -> Element:
        margin = self._margin
        width, height = self._right - self._left + 2 * margin, self._high - self._low + 2 * margin
        box = f"{self._left - margin:g} {-self._high - margin:g} {width:g} {height:g}"
        lines = (self._line(line) for line in one.lines)
        deep = sorted(one.sprites.items(), key=lambda named: _depth(named[1]))
        shapes = (self._shared(name, sprite) for name, sprite in deep)
        return element("svg", lines, shapes, viewBox=box, role="img", aria_label=label, kind="frame")

    def _line(self, line: Line) -> Element:
        (x1, y1), (x2, y2) = line
        return element("line", x1=x1, y1=-y1, x2=x2, y2=-y2, stroke="currentColor", stroke_width=5)

    def _shared(self, name: str, sprite: Sprite) -> Element | None:
        """Return what shows a sprite that is drawn once; most stand in the next state as they did before."""
        key = (name, *sprite.items())
        if key not in self._drawn:
            self._drawn[key] = self._sprite(name, sprite, f"sprite-{len(self._drawn)}")
        drawn = self._drawn[key]
        return None if drawn is None else element("use", href=f"#{drawn[1]['id']}")

    def _sprite(self, name: str, sprite: Sprite, id_: str) -> Element | None:
        area = _area(sprite)
        if area is None:
            return None
        x, y, width, height = area
        if sprite["width"] == "panel_size":
            width = self._right - self._left
        place = {"x": x, "y": -y - height, "width": width, "height": height}
        texts = []
        if sprite.get("showname") is True:
            texts.append(self._text(name, x + width / 2, -y - height / 2, width))
        if sprite.get("showlabel") is True:
            texts.append(self._text(_label(sprite.get("label")), x + width / 2, -y - height * 0.8, width))
        return element("g", element("title", name), self._shape(sprite, place), texts, id=id_)

    def _shape(self, sprite: Sprite, place: Mapping[str, float]) -> Element:
        image, colour = str(sprite.get("prefabimage")), _colour(sprite.get("color"))
        if image not in self._images:
            return element("rect", **place, fill=colour, stroke="#333", stroke_width=self._margin / 20)
        self._used.add(image)
        shape = {**place, "href": f"#image-{self._numbers[image]}"}
        if colour in ("white", "#ffffff"):
            return element("use", **shape)
        self._tints.add(colour)
        return element("use", **shape, filter=f"url(#{_tint(colour)})")

    def _text(self, text: str, x: float, y: float, width: float) -> Element:
        size = min(self._margin * 1.6, 1.6 * max(width, 1.0) / max(1, len(text)))
        place = {"x": x, "y": y, "font_size": size, "text_anchor": "middle", "dominant_baseline": "central"}
        return element("text", text, **place, fill="#111", stroke="#fff", stroke_width=size / 6, paint_order="stroke")

    def definitions(self) -> Element:
        """Return what the pictures share: sprites, images, tints; a tint multiplies the colours of an image."""
        whole = {"preserveAspectRatio": "none"}
        images = []
        for name in sorted(self._used):
            image = element("image", href=self._images[name], width=1, height=1, **whole)
            images.append(element("symbol", image, id=f"image-{self._numbers[name]}", viewBox="0 0 1 1", **whole))
        tints = []
        for colour in sorted(self._tints):
            mixed = element("feBlend", in_="SourceGraphic", mode="multiply")
            cut = element("feComposite", in2="SourceGraphic", operator="in")
            flood = element("feFlood", flood_color=colour)
            tints.append(element("filter", flood, mixed, cut, id=_tint(colour), color_interpolation_filters="sRGB"))
        shared = element("defs", images, tints, self._drawn.values())
        return element("svg", shared, width=0, height=0, kind="hidden", aria_hidden="true")


def _depth(sprite: Sprite) -> float:
    depth = sprite.get("depth")
    return depth if isinstance(depth, float) else 0.0


def _colour(value: Constant | None) -> str:
    """Return a colour as CSS has it; what is none is plain."""
    return value if isinstance(value, str) and _COLOUR.fullmatch(value) else _PLAIN


def _tint(colour: str) -> str:
    return f"tint-{colour.removeprefix('#')}"


def _label(value: Constant | None) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value or "")
