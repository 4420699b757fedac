"""One question to an endpoint that speaks OpenAI's chat completions: attempts, waits between them, one time limit.

The key goes into one header and appears in no result, log or error; redirects are not followed, so that it reaches no
other host.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from validator.errors import InputError
from validator.records import dataclass, field

if TYPE_CHECKING:
    from email.message import Message
    from http.client import HTTPResponse
    from urllib.request import HTTPRedirectHandler

__all__ = ["KEYS", "Judge", "Talk"]

KEYS = ("PLAN_VALIDATOR_JUDGE_KEY", "OPENAI_API_KEY")
"""Environment variables that may hold the key; the first one that does counts."""

_ATTEMPTS = 4
_MOST_ANSWER = 4 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """An endpoint and a model. ``time_limit`` is in seconds, for all attempts together; ``backoff`` before the second.

    Raises InputError for what is no http or https URL, and for a key that no header can hold.
    """

    url: str = field(repr=False)
    model: str
    key: str | None = field(default=None, repr=False)
    time_limit: float = 60.0
    backoff: float = 0.5

    def __post_init__(self) -> None:
        if not re.match(r"https?://[^/?#]", self.place):
            raise InputError(f"the judge's endpoint is no http or https URL: {self.place}")
        if self.key is not None and not (self.key.isascii() and self.key.isprintable()):
            raise InputError("the judge's key has characters that no header can hold")

    @classmethod
    def from_environment(cls, url: str, model: str, *, time_limit: float = 60.0) -> Judge:
        """Return a judge with the key of the environment, or without one, as a local server needs none."""
        key = next((value for name in KEYS if (value := os.environ.get(name, "").strip())), None)
        return cls(url=url, model=model, key=key, time_limit=time_limit)

    @property
    def place(self) -> str:
        """Return the URL without what may be secret in it: user, password, query."""
        try:
            parts = urlsplit(self.url)
            host = f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"
        except ValueError:
            return "an unreadable URL"
        return f"{parts.scheme}://{host}{parts.path}"

    @property
    def endpoint(self) -> str:
        parts = urlsplit(self.url)
        path = parts.path.rstrip("/")
        return parts._replace(path=path if path.endswith("/completions") else f"{path}/chat/completions").geturl()


class _AgainError(Exception):
    """An attempt that failed and may be made again, after ``wait`` seconds where the server says how many."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class _RefusedError(Exception):
    """An answer that will not be another one next time."""


class Talk:
    """The attempts at one question: waits between them, and ends at the time limit."""

    def __init__(
        self,
        judge: Judge,
        body: Mapping[str, object],
        plain: Mapping[str, object],
        accept: Callable[[str], Mapping[str, object]] | None = None,
    ) -> None:
        """``accept`` makes of an answer's text what ``run`` returns; None: the judge's fields, looked at."""
        self.judge = judge
        self.accept = accept or _checked
        self.body, self.plain = body, plain
        self.attempts = 0
        self.deadline = time.monotonic() + judge.time_limit

    def run(self) -> Mapping[str, object] | str:
        """Return a well-formed answer, or why there is none."""
        reason = "the time limit was met"
        while self.attempts < _ATTEMPTS:
            self.attempts += 1
            try:
                return self.accept(self._content(self._post()))
            except _RefusedError as refused:
                return self._clean(str(refused))
            except _AgainError as retry:
                reason = self._clean(str(retry))
                wait = retry.wait if retry.wait is not None else self.judge.backoff * 2 ** (self.attempts - 1)
            if self.attempts < _ATTEMPTS and wait >= self._left():
                return f"{reason}; the time limit of {self.judge.time_limit:g} s leaves no other attempt"
            if self.attempts < _ATTEMPTS:
                time.sleep(wait)
        return f"{reason} ({self.attempts} attempts)"

    def _left(self) -> float:
        return self.deadline - time.monotonic()

    def _clean(self, text: str) -> str:
        """Return a text without the key, should the endpoint have repeated it, as one line."""
        hidden = text.replace(self.judge.key, "***") if self.judge.key else text
        hidden = re.sub(r"\b(?:sk|pk|key)-[\w*-]{4,}", "***", hidden)
        return " ".join(hidden.split())[:300]

    def _post(self) -> bytes:
        from urllib import request
        from urllib.error import HTTPError, URLError

        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.judge.key:
            headers["Authorization"] = f"Bearer {self.judge.key}"
        data = json.dumps(self.body).encode()
        opener = request.build_opener(_no_redirects())
        asked = request.Request(self.judge.endpoint, data=data, headers=headers, method="POST")
        try:
            with opener.open(asked, timeout=max(self._left(), 0.01)) as response:
                return self._read(response)
        except HTTPError as error:
            with error:
                raise self._failed(error.code, error.headers, error.read(2000)) from None
        except TimeoutError:
            raise _AgainError("the endpoint did not answer in time") from None
        except URLError as error:
            late = isinstance(error.reason, TimeoutError)
            raise _AgainError(
                "the endpoint did not answer in time" if late else f"no connection: {error.reason}"
            ) from None
        except (OSError, ValueError) as error:
            raise _AgainError(f"the connection failed: {type(error).__name__}") from None
        except Exception as error:  # http.client raises its own family for a broken protocol
            if type(error).__module__ != "http.client":
                raise
            raise _AgainError(f"the answer is no HTTP: {type(error).__name__}") from None

    def _read(self, response: HTTPResponse) -> bytes:
        """Read an answer, however slowly it comes, up to the deadline."""
        found = b""
        while chunk := response.read1(65536):
            found += chunk
            if len(found) > _MOST_ANSWER:
                raise _RefusedError(f"the answer is longer than {_MOST_ANSWER} bytes")
            if self._left() <= 0:
                raise _AgainError("the endpoint did not answer in time")
        return found

    def _failed(self, code: int, headers: Message, body: bytes) -> Exception:
        said = f"the endpoint answered {code}: {body.decode('utf-8', 'replace')}"
        if code in (400, 422) and self.body is not self.plain:
            self.body = self.plain  # an endpoint that does not know schemas; the prompt asks for the same
            return _AgainError(said, wait=0.0)
        if code == 429 or code >= 500 or code == 408:
            return _AgainError(said, wait=_seconds_of(headers.get("Retry-After")))
        return _RefusedError(said)

    def _content(self, data: bytes) -> str:
        """Return the text of the first choice."""
        try:
            content = json.loads(data)["choices"][0]["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            raise _AgainError("the answer is no chat completion") from None
        if isinstance(content, list):
            content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
        if not isinstance(content, str):
            raise _AgainError("the answer has no text")
        return content


def _no_redirects() -> HTTPRedirectHandler:
    from urllib.request import HTTPRedirectHandler

    class _Stay(HTTPRedirectHandler):
        def redirect_request(self, *args: object) -> None:
            return None

    return _Stay()


def _seconds_of(value: str | None) -> float | None:
    """Return the seconds of a Retry-After header: a number, or a date."""
    if value is None:
        return None
    if re.fullmatch(r"\s*\d+(\.\d+)?\s*", value):
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def _checked(content: str) -> Mapping[str, object]:
    """Return the object of an answer after a look at every field; raises _AgainError for another shape."""
    text = content[content.find("{") : content.rfind("}") + 1]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise _AgainError("the answer is not JSON") from None
    score = value.get("score")
    if not isinstance(value.get("task"), str) or not isinstance(value.get("reason"), str):
        raise _AgainError("the answer lacks task or reason")
    plan = value.get("plan")
    if not isinstance(plan, list) or not all(isinstance(step, str) for step in plan):
        raise _AgainError("the answer's plan is no list of texts")
    if score is not None and (isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1):
        raise _AgainError("the answer's score is no number from 0 to 1")
    if score is None and plan:
        raise _AgainError("the answer has a plan and no score")
    return {"task": value["task"], "plan": plan, "score": score, "reason": value["reason"]}
