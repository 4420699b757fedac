"""The judge, against a small server that answers well, late, malformed, with 429, with 500, or not at all."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from tests.support.scripted_endpoint import ScriptedServer, scripted_server
from validator.adherence import adhere, read_trace
from validator.adherence.text import adherence_text
from validator.cli import main
from validator.errors import InputError
from validator.judge import Judge, Opinion, ask

KEY = "sk-secret-0123456789"
CALLS = [{"name": "search"}, {"name": "book"}, {"name": "pay"}]
GOOD = {"task": "book", "plan": ["search", "book"], "score": 0.9, "reason": "almost"}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted_server() as running:
        yield running


def _ask(server: ScriptedServer, plan: object = ("search", "book", "pay"), **changes: object) -> Opinion:
    judge = Judge(**{"url": server.url, "model": "m", "key": KEY, "time_limit": 5.0, "backoff": 0.01, **changes})  # type: ignore[arg-type]
    recording = read_trace(CALLS)
    return ask(judge, adhere(list(plan) if plan is not None else None, recording), recording)  # type: ignore[call-overload]


# --- answers -------------------------------------------------------------------------------------


def test_a_good_answer_is_an_opinion(server: ScriptedServer) -> None:
    server.say(GOOD)
    opinion = _ask(server)
    assert opinion == Opinion(model="m", score=0.9, task="book", plan=("search", "book"), reason="almost", attempts=1)


def test_the_request_has_the_record_the_schema_and_the_key(server: ScriptedServer) -> None:
    server.say(GOOD)
    _ask(server)
    ((path, headers, body),) = server.requests
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body["model"] == "m"
    assert body["response_format"]["json_schema"]["name"] == "adherence"  # type: ignore[index]
    record = json.loads(body["messages"][1]["content"])  # type: ignore[index]
    assert record["given_plan"] == ["(search)", "(book)", "(pay)"]
    assert [call["tool"] for call in record["calls"]] == ["search", "book", "pay"]


@pytest.mark.parametrize("wrapped", ["```json\n{}\n```", "Here you are: {}"])
def test_an_answer_in_prose_or_a_fence_is_read(server: ScriptedServer, wrapped: str) -> None:
    server.say(wrapped.replace("{}", json.dumps(GOOD)))
    assert _ask(server).score == 0.9


@pytest.mark.parametrize(
    "bad",
    [
        "I think it is fine",
        "{",
        {**GOOD, "score": 7},
        {**GOOD, "score": "high"},
        {**GOOD, "score": True},
        {**GOOD, "score": None},
        {**GOOD, "plan": "search"},
        {"score": 1.0},
    ],
)
def test_a_malformed_answer_is_asked_for_again(server: ScriptedServer, bad: object) -> None:
    server.say(bad)
    server.say(GOOD)
    opinion = _ask(server)
    assert (opinion.score, opinion.attempts, opinion.error) == (0.9, 2, "")


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'{"choices": []}', b'{"choices": [{"message": {}}]}', b"[1]"])
def test_what_is_no_completion_is_asked_for_again(server: ScriptedServer, body: bytes) -> None:
    server.raw(body)
    server.say(GOOD)
    assert _ask(server).attempts == 2


def test_answers_that_stay_malformed_are_no_opinion(server: ScriptedServer) -> None:
    for _ in range(4):
        server.say("no")
    opinion = _ask(server)
    assert (opinion.score, opinion.error, opinion.attempts) == (None, "the answer is not JSON (4 attempts)", 4)


def test_a_plan_that_the_judge_does_not_see_is_no_score(server: ScriptedServer) -> None:
    server.say({**GOOD, "plan": [], "score": 1.0})
    assert _ask(server).score is None


# --- trouble -------------------------------------------------------------------------------------


def test_an_overload_waits_as_long_as_it_is_told(server: ScriptedServer) -> None:
    server.raw(b"slow down", 429, Retry_After="0.3")
    server.say(GOOD)
    start = time.monotonic()
    assert _ask(server).attempts == 2
    assert time.monotonic() - start >= 0.3


def test_a_date_says_how_long_as_well(server: ScriptedServer) -> None:
    server.raw(b"", 429, Retry_After=format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True))
    assert _ask(server).error == "the endpoint answered 429:; the time limit of 5 s leaves no other attempt"


def test_a_server_error_is_tried_again(server: ScriptedServer) -> None:
    server.raw(b"oops", 500)
    server.raw(b"oops", 503)
    server.say(GOOD)
    assert _ask(server).attempts == 3


def test_a_late_answer_ends_at_the_time_limit(server: ScriptedServer) -> None:
    server.say(GOOD, wait=0.6)
    opinion = _ask(server, time_limit=0.2)
    assert (opinion.score, opinion.attempts) == (None, 1)
    assert opinion.error.startswith("the endpoint did not answer in time")


def test_a_refusal_is_final(server: ScriptedServer) -> None:
    server.raw(b"no such model", 404)
    opinion = _ask(server)
    assert (opinion.error, opinion.attempts) == ("the endpoint answered 404: no such model", 1)


def test_an_endpoint_that_knows_no_schema_is_asked_without(server: ScriptedServer) -> None:
    server.raw(b"unknown field response_format", 400)
    server.say(GOOD)
    assert _ask(server).score == 0.9
    assert ["response_format" in body for _, _, body in server.requests] == [True, False]


def test_nobody_there_is_no_opinion() -> None:
    with ScriptedServer() as closed:
        url = closed.url
    opinion = ask(Judge(url=url, model="m", backoff=0.01), adhere(["search"], CALLS), read_trace(CALLS))
    assert "no connection" in opinion.error


# --- the key -------------------------------------------------------------------------------------


def test_a_redirect_is_not_followed_with_the_key(server: ScriptedServer) -> None:
    server.raw(b"", 307, Location="http://example.org/steal")
    assert _ask(server).error == "the endpoint answered 307:"
    assert len(server.requests) == 1


def test_the_key_is_in_no_error_no_log_and_no_result(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    server.raw(f"Incorrect API key: {KEY}, or sk-secr*******6789".encode(), 401)
    opinion = _ask(server)
    judge = Judge(url=server.url, model="m", key=KEY)
    shown = "".join((repr(opinion), repr(judge), caplog.text, *capsys.readouterr()))
    assert opinion.error == "the endpoint answered 401: Incorrect API key: ***, or ***"
    assert "secr" not in shown


@pytest.mark.parametrize("url", ["ftp://host/v1", "host/v1", "http://", "http://[", "file:///etc/passwd", ""])
def test_what_is_no_address_of_the_web_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="no http or https URL"):
        Judge(url=url, model="m")


def test_secrets_in_an_address_are_not_repeated() -> None:
    with pytest.raises(InputError) as caught:
        Judge(url="ftp://user:secret@host/v1?key=secret", model="m")
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(Judge(url="http://user:secret@host/v1", model="m"))


def test_a_key_that_no_header_can_hold_is_refused_without_showing_it() -> None:
    with pytest.raises(InputError) as caught:
        Judge(url="http://host", model="m", key="sk-1\nHost: evil")
    assert "sk-1" not in str(caught.value)


def test_the_key_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLAN_VALIDATOR_JUDGE_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    assert Judge.from_environment("http://host", "m").key == "theirs"
    monkeypatch.setenv("PLAN_VALIDATOR_JUDGE_KEY", " ours\n")
    assert Judge.from_environment("http://host", "m").key == "ours"


# --- two scores ----------------------------------------------------------------------------------


def test_a_large_disagreement_is_explained(server: ScriptedServer) -> None:
    server.say(GOOD)
    opinion = _ask(server, plan=("search", "pay", "ship"))
    assert opinion.explanation == ""
    server.say({**GOOD, "score": 1})
    opinion = _ask(server, plan=("search", "pay", "ship"))
    assert opinion.explanation == (
        "The scores differ by 0.33. The symbolic one counts: Accomplished 0.5, adherence 0.667: 2 of 3 planned "
        "steps executed as "
        "planned, 1 missing, 1 extra. Call 2 (book) is not in the plan. Step 3 (ship) was not executed. The judge "
        "read 2 steps, the plan has 3."
    )


def test_the_judge_never_decides(
    server: ScriptedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAN_VALIDATOR_JUDGE_KEY", KEY)
    (tmp_path / "trace.json").write_text(json.dumps(CALLS))
    (tmp_path / "a.plan").write_text("search()\npay()\nship()\n")
    server.say({**GOOD, "score": 1})
    arguments = ["adhere", str(tmp_path / "a.plan"), str(tmp_path / "trace.json"), "--judge", server.url]
    assert main([*arguments, "--judge-model", "m", "--format", "json"]) == 1
    value = json.loads(capsys.readouterr().out)
    assert (value["score"], value["judge"]["score"]) == (pytest.approx(2 / 3), 1.0)
    server.raw(b"", 404)
    assert main([*arguments, "--judge-model", "m"]) == 1
    assert "judge m: no answer (the endpoint answered 404:)" in capsys.readouterr().out
    assert main(arguments) == 2
    assert "--judge and --judge-model go together" in capsys.readouterr().err


def test_what_the_judge_says_without_a_plan_of_ours(server: ScriptedServer) -> None:
    server.say(GOOD)
    opinion = _ask(server, plan=None)
    assert opinion.explanation == (
        "The symbolic score is not applicable: no plan is stated in the trace; the judge read 2 steps."
    )
    assert "judge m: 0.9 - almost" in "\n".join(opinion.lines())
    assert adherence_text(adhere(None, CALLS)).startswith("Adherence is not applicable")
