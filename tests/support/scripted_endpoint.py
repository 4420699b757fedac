"""A small server that answers as a language model's endpoint does, with what a test told it to say."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer


class ScriptedServer(HTTPServer):
    """Answers each request with the next of ``answers``: (status, headers, body, seconds to wait)."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[tuple[int, dict[str, str], bytes, float]] = []
        self.requests: list[tuple[str, dict[str, str], dict[str, object]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def say(self, content: object, status: int = 200, wait: float = 0.0, **headers: str) -> None:
        text = content if isinstance(content, str) else json.dumps(content)
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()
        self.raw(body, status, wait, **headers)

    def raw(self, body: bytes, status: int = 200, wait: float = 0.0, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers.append((status, named, body, wait))

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has gone before the answer is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    server: ScriptedServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append((self.path, dict(self.headers), json.loads(body)))
        status, headers, answer, wait = self.server.answers.pop(0)
        time.sleep(wait)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def scripted_server() -> Iterator[ScriptedServer]:
    """Run a server until the end of the block."""
    with ScriptedServer() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield running
        finally:
            running.shutdown()
            thread.join()
