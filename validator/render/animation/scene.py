"""Where the objects of a state stand: rules of a profile are applied until no more of them can be.

A rule waits until the properties that it reads are known, as in Planimation. Objects keep their slots from one state
to the next, so that what does not change does not move.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TypeAlias

from validator.errors import InputError
from validator.records import dataclass
from validator.render.animation.profile import FUNCTIONS, Call, Constant, Profile, Reference, Rule, Sum, Value

Sprite: TypeAlias = dict[str, Constant]
Slots: TypeAlias = dict[str, dict[str, list[str]]]
"""by function and parent, the objects in the order of their slots"""
Line: TypeAlias = tuple[tuple[float, float], tuple[float, float]]
"""between two points"""

_KEPT = ("distributex", "distribute_within_objects_vertical", "distribute_within_objects_horizontal_v2")
"""functions whose slots are the same in all states"""
_COLOURS = ("#8ecae6", "#90be6d", "#f9c74f", "#f4978e", "#cdb4db", "#80cfa9", "#ffb703", "#b5c99a")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Scene:
    """The sprites of a state, by the names of their objects, and lines."""

    sprites: Mapping[str, Sprite]
    lines: Sequence[Line]


def scene(profile: Profile, objects: Collection[str], atoms: Iterable[Sequence[str]], slots: Slots) -> Scene:
    """Place objects in a state; ``slots`` are those of states before, and are added to. Raises InputError."""
    sprites = _sprites(profile, objects)
    for function in set(slots).difference(_KEPT):
        del slots[function]
    stage = _Stage(sprites, slots)
    applied = [(profile.rules[name], args) for name, *args in sorted(map(tuple, atoms)) if name in profile.rules]
    waiting = [(rule, _bound(rule, args)) for rule, args in sorted(applied, key=lambda one: one[0].priority)]
    while waiting:
        left = [one for one in waiting if not stage.apply(*one)]
        if len(left) == len(waiting):
            break
        waiting = left
    return Scene(sprites, list(stage.lines.values()))


def _sprites(profile: Profile, objects: Collection[str]) -> dict[str, Sprite]:
    default = next((one for one in profile.visuals if one.kind == "default"), None)
    colours = count()

    def sprite(properties: Mapping[str, Constant]) -> Sprite:
        found = {"x": None, "y": None, **properties}
        if found.get("color") == "randomcolor":
            found["color"] = _COLOURS[next(colours) % len(_COLOURS)]
        return found

    found = dict[str, Sprite]()
    for name in objects:
        named = (one for one in profile.visuals if one.kind == "predefine" and _is_named(name, one.objects))
        look = next(named, default)
        found[name] = sprite({} if look is None else look.properties)
    for look in profile.visuals:
        if look.kind == "custom":
            found.update((name, sprite(look.properties)) for name in look.objects)
    return found


def _is_named(name: str, patterns: Sequence[str]) -> bool:
    return any(name.startswith(one[1:]) if one.startswith("%") else name == one for one in patterns)


def _bound(rule: Rule, args: Sequence[str]) -> Mapping[str, str]:
    """Return the objects by the terms of a rule; a parameter that the predicate has not is an object of the picture."""
    return dict(zip(rule.terms, (*args, *rule.custom), strict=False))


class _Stage:
    """Applies rules to the sprites of one state."""

    def __init__(self, sprites: dict[str, Sprite], slots: Slots) -> None:
        self._sprites, self._slots = sprites, slots
        self.lines: dict[frozenset[str], Line] = {}

    def apply(self, rule: Rule, binding: Mapping[str, str]) -> bool:
        """Apply a rule; return False where something that it reads is not known by now."""
        reads = (each for effect in rule.effects for each in _reads(effect.value))
        if any(self._get(binding.get(one.term, one.term), one.name) is None for one in reads):
            return False
        for effect in rule.effects:
            value = self._value(effect.value, binding)
            if not effect.term:
                continue
            sprite = self._sprite(binding.get(effect.term, effect.term))
            given = value if isinstance(value, dict) else dict.fromkeys(effect.names, value)
            if missing := [name for name in effect.names if name not in given]:
                raise InputError(f"the animation sets '{missing[0]}' by a function that gives {', '.join(given)}")
            sprite.update((name, given[name]) for name in effect.names)
        return True

    def _sprite(self, name: str) -> Sprite:
        if name not in self._sprites:
            raise InputError(f"the animation names '{name}', which is neither a parameter nor an object")
        return self._sprites[name]

    def _get(self, name: str, key: str) -> Constant:
        return self._sprite(name).get(key)

    def _value(self, value: Value, binding: Mapping[str, str]) -> Constant | Sprite:
        match value:
            case Reference(term, name):
                return self._get(binding.get(term, term), name)
            case Sum(parts):
                return sum(_number(self._value(part, binding)) for part in parts)
            case Call(function, terms, settings):
                return self._called(function, [binding.get(term, term) for term in terms], settings)
        return value

    def _called(self, function: str, names: Sequence[str], settings: Mapping[str, Constant]) -> Sprite:
        """Return the properties that a function gives its first object; the defaults are Planimation's."""
        name, parent = names[0], names[-1]
        one, other = self._sprite(name), self._sprite(parent)

        def of(key: str, default: float) -> float:
            return _number(settings.get(key, default))

        match function:
            case "distributex":
                return {"x": self._slot(function, "", name) * (_number(one["width"]) + of("spacebtw", 20))}
            case "distributey":
                row = _in_name(name, 0) - of("initial", 0)
                return {"y": row * (_number(one["height"]) + of("spacebtw", 20))}
            case "distribute_grid_around_point":
                column, row = _in_name(name, int(of("rowindex", 0))), _in_name(name, int(of("colindex", 1)))
                return {"x": column * of("margin", 100), "y": row * of("margin", 100)}
            case "distribute_within_objects_vertical":
                column, row = divmod(self._slot(function, parent, name), max(1, int(of("row_count", 4))))
                return {
                    "x": _number(other["x"]) + column * _number(one["width"]) + of("padding", 5),
                    "y": _number(other["y"]) + row * _number(one["height"]) + of("padding", 5),
                }
            case "distribute_within_objects_horizontal" | "distribute_within_objects_horizontal_v2":
                slot = self._slot(function, parent, name)
                return {"x": _number(other["x"]) + slot * (_number(one["width"]) + of("padding", 40))}
            case "distribute_next_objects":
                way = (self._slot(function, parent, name) + 1) * (_number(one["height"]) + of("padding", 5))
                sign = -1 if settings.get("placement", "below") == "below" else 1
                return {"x": other["x"], "y": _number(other["y"]) + sign * way}
            case "align_middle":
                return {"x": _number(other["x"]) + (_number(other["width"]) - _number(one["width"])) / 2}
            case "apply_smaller":
                is_alike = name != parent and _DIGITS.sub("", name) == _DIGITS.sub("", parent)
                return {"width": _number(one["width"]) + is_alike * of("increase_width", 10)}
            case "calculate_label":
                return {"label": float(self._slot(function, parent, name) + 1)}
        self.lines[frozenset(names)] = _middle(one), _middle(other)
        return {}

    def _slot(self, function: str, parent: str, name: str) -> int:
        held = self._slots.setdefault(function, {}).setdefault(parent, [])
        if name not in held:
            held.append(name)
        return held.index(name)


def _reads(value: Value) -> Iterator[Reference]:
    match value:
        case Reference():
            yield value
        case Sum(parts):
            yield from (part for part in parts if isinstance(part, Reference))
        case Call(function, terms, _):
            for term, keys in zip(terms, FUNCTIONS[function], strict=True):
                yield from (Reference(term, key) for key in keys)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, float | int):
        raise InputError(f"the animation calculates with {value!r}, which is not a number")
    return float(value)


def _in_name(name: str, place: int) -> float:
    found = _DIGITS.findall(name)
    if place >= len(found):
        raise InputError(f"the animation places '{name}' by number {place + 1} in its name, which has {len(found)}")
    return float(found[place])


def _middle(sprite: Sprite) -> tuple[float, float]:
    x, y, width, height = (_number(sprite[key]) for key in ("x", "y", "width", "height"))
    return x + width / 2, y + height / 2
