"""Servers on standard input and output: a client that hangs up is no failure."""

from __future__ import annotations

import os

import pytest

from validator.commands.pipes import interruptible


def test_an_answer_that_nobody_reads_is_the_end_and_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that was killed while its call was answered left a traceback of groups of errors behind."""
    put: list[int] = []
    monkeypatch.setattr(os, "dup2", lambda what, where: put.append(where))
    with interruptible():
        raise ExceptionGroup("tasks", [ExceptionGroup("of these", [BrokenPipeError(32, "Broken pipe")])])
    assert len(put) == 1
    with pytest.raises(ExceptionGroup) as failed, interruptible():
        raise ExceptionGroup("tasks", [BrokenPipeError(), ValueError("a failure")])
    assert [str(error) for error in failed.value.exceptions] == ["a failure"]
