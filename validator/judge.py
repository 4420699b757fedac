from __future__ import annotations


class Opinion:
    def to_json(self) -> dict[str, object]:
        return {}
