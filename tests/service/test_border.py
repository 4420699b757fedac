"""Who is let in: the host that a request names, the site that it comes from, the type of its body."""

from __future__ import annotations

import argparse
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.testclient import TestClient

from validator.cli import main
from validator.commands.access_options import access_of, add_access
from validator.service import application, server
from validator.service.http.access import Border, listen_at
from validator.service.http.middleware import Receive, Scope, Send
from validator.service.jobs.store import Store
from validator.service.settings import Settings

OWN = "http://127.0.0.1:8000"
BORDER = Border(host="10.0.0.5", hosts=frozenset(("plans.example",)))


def status(method: str = "GET", path: str = "/v1/plans", *, has_body: bool = False, **headers: str) -> int:
    given = {
        name.replace("_", "-").encode(): value.encode() for name, value in {"host": "localhost", **headers}.items()
    }
    problem = BORDER.problem(method, path, given, has_body=has_body)
    return 200 if problem is None else problem.status


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        *(
            (name, 200)
            for name in ("localhost", "LOCALHOST:8000", "127.0.0.1", "127.0.0.2:80", "[::1]:8000", "a.localhost")
        ),
        *((name, 200) for name in ("10.0.0.5:8000", "plans.example", "plans.example.:8000")),
        *(
            (name, 421)
            for name in ("", "evil.example", "127.0.0.1.evil.example", "evil-localhost", "10.0.0.6", "[::2]", ":80")
        ),
    ],
)
def test_a_request_names_a_host_that_is_here(host: str, answer: int) -> None:
    assert status(host=host) == answer
    assert status(path="/health", host=host) == 200


@pytest.mark.parametrize(
    ("origin", "answer"),
    [
        ("http://localhost", 200),
        ("https://localhost", 200),
        ("null", 403),
        ("http://localhost:1", 403),
        ("http://friend.example", 403),
        ("http://evil.example", 403),
        ("", 403),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_request_comes_from_the_services_own_pages(method: str, origin: str, answer: int) -> None:
    assert status(method, origin=origin) == answer


def test_what_a_browser_says_of_the_site_counts_where_no_origin_is_named() -> None:
    for site, answer in (("none", 200), ("same-origin", 200), ("same-site", 403), ("cross-site", 403)):
        assert status("POST", sec_fetch_site=site) == answer
        assert status("GET", sec_fetch_site=site) == 200  # a link on another page


@pytest.mark.parametrize(
    ("kind", "path", "answer"),
    [
        ("application/json", "/v1/plans", 200),
        ("application/json; charset=utf-8", "/v1/plans", 200),
        ("application/merge-patch+json", "/v1/plans", 200),
        ("application/x-ndjson", "/v1/batches", 200),
        ("text/plain", "/v1/plans", 415),
        ("", "/v1/plans", 415),
        ("application/x-www-form-urlencoded", "/v1/plans", 415),
        ("multipart/form-data; boundary=x", "/v1/plans", 415),
    ],
)
def test_a_body_has_a_type_that_no_other_site_can_send_unasked(kind: str, path: str, answer: int) -> None:
    assert status("POST", path, has_body=True, content_type=kind) == answer


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(application(Settings(workers=1)), base_url=OWN) as found:
        yield found


def test_others_are_refused_before_anything_is_done(client: TestClient) -> None:
    for method in ("OPTIONS", "GET", "POST"):
        assert client.request(method, "/v1/validations", headers={"Origin": "http://evil.example"}).status_code == 403
    for path in ("/", "/metrics", "/v1/domains", "/ask/check"):
        assert client.get(path, headers={"Host": "evil.example"}).status_code == 421
    answer = client.post("/v1/validations", content=b"{}", headers={"Content-Type": "text/plain"})
    assert (answer.status_code, answer.json()["type"]) == (415, "urn:plan-validator:problem:media-type")


def test_the_options_are_names(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_access(parser)
    assert access_of(parser.parse_args(["--allowed-host", "Plans.example"]), "::1").hosts == {"plans.example"}
    with pytest.raises(SystemExit):
        parser.parse_args(["--allowed-host", "http://a"])
    assert "was expected" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["serve --host 0.0.0.0", "mcp --http 0.0.0.0:8000"])
@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        (None, "--token-file is needed for 0.0.0.0"),
        ("# nothing\n", "there is no token in it"),
        ("a b c\n", "line 1: 'NAME TOKEN' was expected"),
        ("0123456789abcdef", "line 1: 'NAME TOKEN' was expected"),
        ("ann 0123456789abcdef\nbob 0123456789abcde\n", "line 2: a token has at least 16 visible ASCII characters"),
    ],
)
def test_a_command_demands_tokens_where_others_reach_it(
    command: str, tokens: str | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = command.split()
    if tokens is not None:
        (tmp_path / "tokens").write_text(tokens)
        words += ["--token-file", str(tmp_path / "tokens")]
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_tokens_are_for_http(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--token-file", "x"]) == 2
    assert "--token-file and --allowed-host are for --http" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["serve", "--port"], ["mcp", "--http"]])
def test_a_port_that_is_taken_is_named(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with listen_at("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        assert main([*command, f"127.0.0.1:{port}" if command[0] == "mcp" else str(port)]) == 2
    assert f"127.0.0.1, port {port}: another program listens there; choose another" in capsys.readouterr().err


def test_no_answer_waits_for_the_client_to_acknowledge_its_head() -> None:
    with listen_at("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_only_its_owner_reads_the_store(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    for _ in range(2):
        Store(path, 60.0).close()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.chmod(0o644)  # as an earlier version left it


@pytest.mark.parametrize(("trusted", "client"), [("", "127.0.0.1"), ("127.0.0.1", "203.0.113.7")])
def test_an_address_in_a_header_is_believed_only_of_a_proxy_that_is_named(
    trusted: str, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever could choose its address would have as many turns, and as much of the queue, as it likes."""
    started: list[uvicorn.Config] = []
    monkeypatch.setattr(server.gc, "freeze", lambda: None)
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", trusted)
    monkeypatch.setattr(uvicorn.Server, "run", lambda server, sockets: started.append(server.config))
    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["client"][0])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    with listen_at("127.0.0.1", 0) as listening:
        server.listen(app, Settings(), listening)  # type: ignore[arg-type]
    started[0].load()
    TestClient(started[0].loaded_app, client=("127.0.0.1", 1)).get("/", headers={"X-Forwarded-For": "203.0.113.7"})
    assert seen == [client]
