"""What the service can do, each as a function of a request; open ``operations`` first, the table of all of them.

A ``requests.Request`` and a ``Job`` (who asks, until when, whom to tell of progress) go in, plain JSON values come out.
Nothing here knows HTTP: ``operate(NAME, REQUEST)`` runs one without a service.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from validator.service.operations.operations import operate

__all__ = ["operate"]


def __getattr__(name: str) -> object:
    """Import ``operate`` when it is first used."""
    if name != "operate":
        raise AttributeError(f"module 'validator.service.operations' has no attribute {name!r}")
    from validator.service.operations.operations import operate

    return operate
