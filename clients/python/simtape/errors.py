"""Errors of the package. Each is a :class:`SimtapeError`."""

from __future__ import annotations

import json
from typing import Any, Mapping, Optional


class SimtapeError(Exception):
    """Any error of this package."""


class UsageError(SimtapeError, ValueError):
    """The question does not fit the recording: no such path, set or time. The message names what fits."""


class NoSuchFile(SimtapeError, FileNotFoundError):
    """The file is missing. ``filename`` has its path."""


class TableError(SimtapeError, ValueError):
    """The file of a table is damaged, or is no table of simtape."""


class SimtapeWarning(UserWarning):
    """There is a result, but a part of the recording is damaged or did not decode."""


class ConnectionProblem(SimtapeError, ConnectionError):
    """The server could not be reached, or the connection broke, also after repeated attempts."""


class ServerProblem(SimtapeError):
    """The server refused a request, or failed (RFC 9457).

    ``status``: status of HTTP. ``detail``: what is wrong and what to do. ``details``: further members, such as
    ``existing``, the nearest paths to one that does not exist. ``request``: id of the request in the server's log.
    ``retry_after``: seconds after which the server asks for another attempt, or None.
    """

    def __init__(
        self, status: int, detail: str, details: Mapping[str, Any], retry_after: Optional[float] = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.details = dict(details)
        self.request: Optional[str] = self.details.get("request")
        self.retry_after = retry_after


class BadQuestion(ServerProblem, UsageError):
    """400: the question does not fit the recording. ``details["existing"]`` may name what exists."""


class Unauthorized(ServerProblem):
    """401: the server needs a token, or the token is not valid."""


class Forbidden(ServerProblem):
    """403: the token has no right to do this."""


class NotFound(ServerProblem, LookupError):
    """404 or 410: the thing does not exist, or you may not see it."""


class Conflict(ServerProblem):
    """409: the recording has changed, or the thing is in a state that does not allow this."""


class Undecodable(ServerProblem):
    """422: the recording cannot be read. ``details["code"]`` says why."""


class TooManyRequests(ServerProblem):
    """429: there were too many requests; ``retry_after`` says when to try again."""


class Unavailable(ServerProblem):
    """502, 503 or 504: the server cannot answer now; try again."""


_BY_STATUS = {
    400: BadQuestion,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: NotFound,
    422: Undecodable,
    429: TooManyRequests,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}


def problem_of(status: int, reason: str, body: bytes, retry_after: Optional[float] = None) -> ServerProblem:
    """The error for an answer that is no success. Some proxies send an error without a problem document."""
    detail = f"the server answered {status} {reason}".strip()
    details: Mapping[str, Any] = {}
    try:
        document = json.loads(body)
        if isinstance(document, dict) and isinstance(document.get("detail"), str):
            details = {key: value for key, value in document.items() if key != "detail"}
            detail = document["detail"]
    except ValueError:
        pass
    return _BY_STATUS.get(status, ServerProblem)(status, detail, details, retry_after)


class CommandNotFound(SimtapeError):
    """The command ``simtape`` is neither on the PATH nor named by the variable ``SIMTAPE``."""


class CommandError(SimtapeError):
    """The command failed. ``code`` names the kind of error, ``offset`` is a position in the file, or None."""

    def __init__(self, message: str, code: Optional[str] = None, offset: Optional[int] = None) -> None:
        super().__init__(message)
        self.code = code
        self.offset = offset


class CommandUsageError(CommandError, UsageError):
    """Exit code 2: the question does not fit the recording."""
