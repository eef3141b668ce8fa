"""Requests to a simtape server: JSON, files by ranges, and repeated attempts."""

from __future__ import annotations

import email.utils
import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, BinaryIO, Callable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from .errors import ConnectionProblem, ServerProblem, UsageError, problem_of

Word = Union[str, int, float, bool]
Query = Mapping[str, Union[Word, Sequence[Word], None]]

#: A refused request may be sent again: the server has not carried it out.
_REFUSED = (429, 503)
#: Answers of a proxy that may have sent the request on: only a request that changes nothing is sent again.
_UNSURE = (502, 504)
_PIECE = 1 << 18
_BROKEN = (http.client.HTTPException, ConnectionError, TimeoutError, urllib.error.URLError)


class _Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    stream: Any


class Connection:
    """Sends requests to one server.

    A request that the server refuses with 429 or 503 is sent again after the time of ``Retry-After``, at most
    ``attempts`` times and after ``longest_wait`` seconds of waiting. So is a GET whose connection broke. Other refusals
    raise :class:`ServerProblem`.
    """

    def __init__(
        self,
        url: str,
        token: Optional[str] = None,
        *,
        timeout: float = 60,
        attempts: int = 5,
        longest_wait: float = 60,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise UsageError(f"an address begins with http:// or https://, not {url!r}")
        if parts.query or parts.fragment:
            raise UsageError("the address of a server has no ? and no #")
        if token is not None and not all("!" <= sign <= "~" for sign in token):
            raise UsageError("the token has a character that no token has")
        if attempts < 1:
            raise UsageError(f"attempts is 1 or more, not {attempts}")
        self.url = url.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._attempts = attempts
        self._longest_wait = longest_wait
        self._sleep = sleep

    def json(self, method: str, path: str, query: Optional[Query] = None, body: Any = None) -> Any:
        """The JSON of the answer; None for an empty one."""
        content = None if body is None else json.dumps(body).encode()

        def read(answer: _Answer) -> bytes:
            return bytes(answer.stream.read())

        found = self._again(method, lambda: self._send(method, path, query, content, {}), read)
        return json.loads(found) if found else None

    def content(self, path: str) -> bytes:
        """The bytes of a file."""
        return b"".join(self.pieces(path))

    def pieces(self, path: str) -> Iterator[bytes]:
        """The bytes of a file in pieces. A broken download continues at the same byte, if the file is still the same."""
        done, etag = 0, None
        for left in range(self._attempts - 1, -1, -1):
            headers: Mapping[str, str] = {} if etag is None else {"Range": f"bytes={done}-", "If-Range": etag}
            answer = self._again("GET", lambda: self._send("GET", path, None, None, headers), lambda given: given)
            with answer.stream as stream:
                if done > 0 and answer.status != 206:
                    raise ConnectionProblem(f"the file changed on the server while it was read: {path}")
                etag = answer.headers.get("ETag")
                length = answer.headers.get("Content-Length")
                end = None if length is None else done + int(length)
                try:
                    while True:
                        piece = stream.read(_PIECE)
                        if not piece:
                            break
                        done += len(piece)
                        yield piece
                except _BROKEN as error:
                    if left == 0 or etag is None:
                        raise ConnectionProblem(f"the connection broke after {done} bytes: {error}") from error
                    continue
            if end is None or done == end:
                return
            if left == 0 or etag is None:
                raise ConnectionProblem(f"the connection ended after {done} of {end} bytes")

    def download(self, path: str, to: "Union[str, os.PathLike[str]]") -> int:
        """Writes the file ``to``, which appears when it is complete. Gives its length in bytes."""
        target = os.fspath(to)
        beside = f"{target}.{os.getpid()}.part"
        length = 0
        try:
            with open(beside, "xb") as file:
                for piece in self.pieces(path):
                    length += _write(file, piece)
            os.replace(beside, target)
        finally:
            if os.path.exists(beside):
                os.remove(beside)
        return length

    def _again(self, method: str, send: Callable[[], _Answer], use: Callable[[_Answer], Any]) -> Any:
        waited = 0.0
        for attempt in range(1, self._attempts + 1):
            try:
                return use(send())
            except ServerProblem as problem:
                may = problem.status in _REFUSED or (method == "GET" and problem.status in _UNSURE)
                pause = problem.retry_after if problem.retry_after is not None else 0.5 * 2 ** (attempt - 1)
                if not may or attempt == self._attempts or waited + pause > self._longest_wait:
                    raise
            except _BROKEN as error:
                reason = getattr(error, "reason", None) or error
                pause = 0.25 * 2 ** (attempt - 1)
                if method != "GET" or attempt == self._attempts or waited + pause > self._longest_wait:
                    raise ConnectionProblem(f"{self.url} cannot be reached: {reason}") from error
            self._sleep(pause)
            waited += pause
        raise AssertionError("every attempt returns or raises")

    def _send(
        self, method: str, path: str, query: Optional[Query], body: Optional[bytes], headers: Mapping[str, str]
    ) -> _Answer:
        request = urllib.request.Request(self.url + path + searched(query), data=body, method=method)
        request.add_header("User-Agent", "simtape-python")
        for name, value in headers.items():
            request.add_header(name, value)
        if body is not None:
            request.add_header("Content-Type", "application/json")
        if self._token is not None:
            # a redirection does not send the token to another server
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            answer = urllib.request.urlopen(request, timeout=self._timeout)
            return _Answer(answer.status, answer.headers, answer)
        except urllib.error.HTTPError as error:
            with error:
                raise problem_of(error.code, error.reason, error.read(1 << 20), _pause(error.headers)) from None


def searched(query: Optional[Query]) -> str:
    """The query of a URL: None is left out, a list repeats its name."""
    words = []
    for name, value in (query or {}).items():
        if value is None:
            continue
        for one in [value] if isinstance(value, (str, int, float)) else value:
            words.append((name, ("true" if one else "false") if isinstance(one, bool) else str(one)))
    return f"?{urllib.parse.urlencode(words)}" if words else ""


def segment(text: str) -> str:
    """A text as one part of a path."""
    return urllib.parse.quote(text, safe="")


def _pause(headers: Any) -> Optional[float]:
    """``Retry-After`` in seconds: a number, or a date (RFC 9110 §10.2.3)."""
    text = headers.get("Retry-After")
    if text is None:
        return None
    if text.strip().isdigit():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _write(file: BinaryIO, piece: bytes) -> int:
    file.write(piece)
    return len(piece)
