"""Words of other languages before steps."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.reading.test_candidates import MODEL, RIGHT
from tests.reading.test_printed_forms import call, group
from validator import check

STEPS = [step[1:-1].split() for step in RIGHT]


@pytest.mark.parametrize(
    "form",
    [
        "Schritt {n}: {s}",
        "Paso {n} - {s}",
        "Paso {n}. {s}",
        "Étape {n} : {s}",
        "Etape {n}. {s}",
        "第{n}步：{s}",
        "Passo {n} – {s}",
        "{n}. {de} {s}",
        "{es} {s}",
        "- {fr} {s}",
        "{zh}{s}",
        "{n}. {zh}{s}",
        "**Schritt {n}.** {s}",
    ],
)
@pytest.mark.parametrize("written", [group, call, " ".join])
def test_words_of_other_languages_before_steps_are_never_called_wrong(
    form: str, written: Callable[[list[str]], str]
) -> None:
    words = {"de": ("Zuerst", "Dann"), "es": ("Primero,", "Luego"), "fr": ("D'abord,", "puis"), "zh": ("首先", "然后")}
    text = "\n".join(
        form.format(n=n, s=written(step), **{key: both[n - 1] for key, both in words.items()})
        for n, step in enumerate(STEPS, 1)
    )
    assert check(MODEL, plan=f"{text}\n", repair=False).determination is not False
