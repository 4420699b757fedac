"""The prompts that the benchmark ships for its tasks."""

from __future__ import annotations

from pathlib import Path

from validator.errors import InputError
from validator.texts import read_json

_KEYS = {"identifier", "llm_prompt"}


def shipped_prompts(place: Path, dataset: str, module: str) -> dict[str, str]:
    """Return the prompts for a module, by task, from a checkout of the benchmark, its package, or the data set in it.

    They are in ``DATASET_eval/evaluation/MODULE/``, in a file ``helm_prompts.json`` of ``identifier`` and
    ``llm_prompt``. Raises InputError where there is none, or one of another shape.
    """
    name = f"{dataset}_eval"
    part = f"evaluation/{module.replace('-', '_')}"
    homes = (place / name, place / "src" / name, place)
    for path in (path for home in homes for path in sorted(home.glob(f"{part}/**/*prompts.json"))):
        content = read_json(path)
        if isinstance(content, list) and all(isinstance(each, dict) and each.keys() >= _KEYS for each in content):
            return {str(each["identifier"]): str(each["llm_prompt"]) for each in content}
    place.stat()
    expected = f"no prompts of the benchmark here: {name}/{part}/**/helm_prompts.json was expected"
    raise InputError(expected, source=str(place))
