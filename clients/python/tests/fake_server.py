"""A server whose answers a test chooses."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, List, Mapping, NamedTuple, Optional


class Request(NamedTuple):
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Answer(NamedTuple):
    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = {}
    # bytes of the body that are sent before the connection breaks; None: all
    cut: Optional[int] = None


class FakeServer:
    """Answers with what ``answer(request)`` gives; ``requests`` has all requests so far."""

    def __init__(self, answer: Callable[[Request], Answer]) -> None:
        self.requests: List[Request] = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                request = Request(self.command, self.path, dict(self.headers), self.rfile.read(length))
                fake.requests.append(request)
                found = answer(request)
                self.send_response(found.status)
                for name, value in {"Content-Length": str(len(found.body)), **found.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(found.body if found.cut is None else found.body[: found.cut])
                self.close_connection = True

            do_GET = do_POST = do

            def log_message(self, *words: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> "FakeServer":
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()


def in_turn(*answers: Answer) -> Callable[[Request], Answer]:
    """One answer after the other; the last one again."""
    left = list(answers)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]
