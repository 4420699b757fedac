"""Read a policy: a file, a text, or the values of a JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from validator.errors import InputError, ModelError
from validator.policies.language.document import policy_of
from validator.policies.language.text import read_text_policy
from validator.policies.policy import Policy
from validator.texts import is_path, parse_json, read_text

__all__ = ["read_policy"]

_DOCUMENTS = (".json", ".yaml", ".yml")


def read_policy(policy: Policy | str | Path | Mapping[str, object]) -> Policy:
    """Return a policy from a path, a text, or JSON values; one that was read before is returned as it is.

    A file that ends in ``.json``, ``.yaml`` or ``.yml`` is a document, any other one a text; so is what names no file,
    unless it begins with ``{``.

    Raises InputError with the place of what cannot be read, OSError for a file.
    """
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, Mapping):
        return policy_of(policy)
    if isinstance(policy, Path) or is_path(policy):
        return _from_file(Path(policy))
    if _is_name(policy):
        raise InputError(f"no such file, and no policy: {policy}")
    return _from_text(policy, "")


def _is_name(text: str) -> bool:
    """Return whether a text is one word with an ending, as a file's name is."""
    return len(text.split()) == 1 and Path(text.strip()).suffix in (*_DOCUMENTS, ".policy", ".txt")


def _from_file(path: Path) -> Policy:
    if path.suffix.lower() in _DOCUMENTS:
        from validator.flow.definition.reader import load_document

        return policy_of(load_document(path), str(path))
    return _from_text(read_text(path), str(path))


@lru_cache(maxsize=64)
def _from_text(text: str, source: str) -> Policy:
    if text.lstrip().startswith("{"):
        return policy_of(parse_json(text, source, ModelError), source)
    return read_text_policy(text, source)
