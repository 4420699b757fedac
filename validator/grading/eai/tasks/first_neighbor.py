"""The benchmark's own grabbing: of a thing's surfaces, containers or neighbours the first of a Python set counts.

The bundled domain lets the character stay near all of them. Numbers hash to themselves, so that the set's order can be
told, but for collisions, where the order counts in which the numbers came; here the smaller came first. The character
itself is among the neighbours, and is often the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from validator.grading.eai.tasks.scene_graphs import AGENT, AGENT_NUMBER
from validator.grading.eai.world.state import State
from validator.grading.eai.world.world import World
from validator.model.values import Action, GroundAtom

__all__ = ["FirstNeighbor"]

_ORIGINS = {"on-top": "from-top", "in": "from-inside", "near": "from-beside"}


class FirstNeighbor(World):
    """A household in which a grabbed thing has one neighbour."""

    def __init__(self, world: World) -> None:
        self.__dict__.update(world.__dict__)  # what one has compiled serves the other

    def effects(self, action: Action, args: Sequence[str], state: State) -> tuple[set[GroundAtom], set[GroundAtom]]:
        added, deleted = super().effects(action, args, state)
        if action.name != "grab":
            return added, deleted
        thing = args[0]
        first = self._first(thing, state)
        added = {atom for atom in added if not self._is_of_neighbor(atom, thing)}
        if first is not None:
            origin, name = first
            added |= {(origin, thing, name), ("taken", thing)}
            added |= {("near", AGENT, name), ("near", name, AGENT)} if name != AGENT else set()
        return added, deleted

    def _is_of_neighbor(self, atom: GroundAtom, thing: str) -> bool:
        return atom[0] in (*_ORIGINS.values(), "taken") or (atom[0] == "near" and thing not in atom)

    def _first(self, thing: str, state: State) -> tuple[str, str] | None:
        for relation, origin in _ORIGINS.items():
            names = {_number(atom[2]): atom[2] for atom in state.row((relation, 0, thing))}
            found = next((each for each in _as_in_a_set(names) if ("room", names[each]) not in state), None)
            if found is not None:
                return origin, names[found]
        return None


def _as_in_a_set(numbers: Iterable[int]) -> list[int]:
    found: set[int] = set()
    for number in sorted(numbers):
        found.add(number)
    return list(found)


def _number(name: str) -> int:
    return AGENT_NUMBER if name == AGENT else int(name.rpartition("_")[2])
