"""Times as arguments: seconds since the start, or any form that the commands take."""

from __future__ import annotations

import math
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Union

from .errors import UsageError

Time = Union[int, float, str, timedelta, datetime]
"""Seconds as a number; a text such as ``"12.5s"``, ``"1m30s"``, ``"50%"``, ``"t1200"``; a timedelta since the start; or a
datetime with a zone, if the recording knows when it began."""


def time_text(time: Time) -> str:
    """A time as commands and the server take it.

    >>> time_text(12.5), time_text("50%"), time_text(timedelta(minutes=1))
    ('12.5s', '50%', '60s')
    """
    if isinstance(time, str):
        return time
    if isinstance(time, datetime):
        if time.tzinfo is None:
            raise UsageError("a datetime needs a zone: datetime(..., tzinfo=timezone.utc)")
        return time.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(time, timedelta):
        return _plain(Decimal((time.days * 86400 + time.seconds) * 10**6 + time.microseconds) / 10**6) + "s"
    if isinstance(time, bool) or not math.isfinite(time):
        raise UsageError(f"no time: {time!r}")
    return _plain(Decimal(repr(float(time))) if not isinstance(time, int) else Decimal(time)) + "s"


def _plain(number: Decimal) -> str:
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
