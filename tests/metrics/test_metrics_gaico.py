"""GAICO's planning metrics: as recorded of its code, and as its documentation has them."""

from __future__ import annotations

import json
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from tests.support.places import ORACLES
from validator.metrics import PlanningJaccard, PlanningLCS

ORACLE = json.loads((ORACLES / "gaico.json").read_text(encoding="utf-8"))
CASES = [
    case
    for case in ORACLE["single"] + ORACLE["api"]
    if all(find_spec(name) for name in ("numpy", "pandas") if f'"{name}.' in json.dumps(case))
]
METRICS = {"PlanningLCS": PlanningLCS, "PlanningJaccard": PlanningJaccard}


def decoded(value: Any) -> Any:
    """Return the Python value that the record stands for."""
    kind = value.get("__type__") if isinstance(value, dict) else None
    if kind is None:
        return value
    if kind in ("tuple", "set", "dict"):
        return {"tuple": tuple, "set": set, "dict": dict}[kind](value["value"])
    if kind == "nan":
        return float("nan")
    if kind == "numpy.ndarray":
        return import_module("numpy").array(value["value"], dtype=value["dtype"])
    pandas = import_module("pandas")
    if kind == "pandas.Series":
        return pandas.Series([decoded(item) for item in value["value"]], index=value["index"])
    return pandas.DataFrame(value["value"], columns=value["columns"])


def encoded(value: Any) -> Any:
    kind = type(value).__name__
    if kind == "ndarray":
        return {"__type__": "numpy.ndarray", "dtype": str(value.dtype), "value": value.tolist()}
    if kind == "Series":
        shown = {"dtype": str(value.dtype), "index": value.index.tolist(), "value": value.tolist()}
        return {"__type__": "pandas.Series", **shown}
    return value


@pytest.mark.parametrize("name", METRICS)
def test_compat_is_equal_to_what_gaico_gave(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for case in CASES:
        found: dict[str, Any] = {}
        try:
            result = METRICS[name](compat="gaico").calculate(decoded(case["generated"]), decoded(case["reference"]))
            found = {"result": encoded(result), "result_type": type(result).__name__}
        except Exception as error:
            found = {"error": type(error).__name__, "message": str(error)}
        printed = capsys.readouterr().out.strip()
        assert found | ({"stdout": printed} if printed else {}) == case[name], case["id"]
