"""What every recording can do, from a server or from a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

from .events import Events
from .series import SeriesList
from .state import Id, State
from .table import Table
from .times import Time

Texts = Union[str, Sequence[str], None]


class PathInfo(NamedTuple):
    """A number or text of a recording that has a series."""

    path: str
    unit: Optional[str]
    kind: Optional[str]


class Info(NamedTuple):
    """Facts about a recording.

    ``seconds``: length. ``began``: date and time of its start, or None if it has none. ``channels``: number of
    messages by name. ``findings``: what is wrong in it. ``raw``: the whole JSON document.
    """

    name: str
    format: Optional[str]
    bytes: int
    seconds: Optional[float]
    began: Optional[datetime]
    metadata: Mapping[str, Any]
    channels: Mapping[str, int]
    findings: Sequence[Mapping[str, Any]]
    raw: Mapping[str, Any]


class Recording(ABC):
    """A recording. ``simtape.read(file)`` and ``Client.get(id)`` make one.

    Times are seconds since the start, or texts as commands take them (``"1m30s"``, ``"50%"``, ``"t1200"``), timedeltas,
    or datetimes with a zone. ``start`` is inclusive, ``end`` exclusive. A question that does not fit the recording raises
    :class:`UsageError`, whose message names what fits.
    """

    name: str

    @abstractmethod
    def info(self) -> Info:
        """Facts about the recording.

        >>> recording.info().seconds           # doctest: +SKIP
        6.8
        """

    @abstractmethod
    def state(self, at: Time, paths: Texts = None) -> State:
        """The state at a time. ``paths``: globs, such as ``vehicles/*/position.x``; None: everything.

        >>> recording.state(12.5).sets["vehicles"].cell(24, "position")      # doctest: +SKIP
        >>> recording.state("50%", "/position/*").values                     # doctest: +SKIP
        """

    @abstractmethod
    def paths(self) -> List[PathInfo]:
        """The numbers that have a series. Reads the whole recording if it is a file.

        >>> [path for path, unit, kind in recording.paths() if unit == "ft"]      # doctest: +SKIP
        """

    @abstractmethod
    def series(
        self,
        paths: Union[str, Sequence[str]],
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        points: Optional[int] = None,
        mode: str = "minmax",
    ) -> SeriesList:
        """Values of paths over time, one :class:`Series` for each path.

        ``points``: number of steps of equal length in the range. ``mode``: ``"minmax"`` gives the first, least, greatest
        and last value of each step; ``"sample"`` the value at its start. Without ``points`` a file gives every recorded
        value, and a server uses 1,000 steps.

        >>> x, y = recording.series(["vehicles/24/position.x", "vehicles/24/position.y"])      # doctest: +SKIP
        >>> recording.series("/position/altitude-ft", points=500).to_pandas().plot()           # doctest: +SKIP
        """

    @abstractmethod
    def events(
        self,
        kinds: Texts = None,
        who: Optional[str] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        limit: Optional[int] = None,
    ) -> Events:
        """Events in order of time. ``kinds``: only these; ``who``: only of a participant with this text in its name.

        >>> for event in recording.events("collision", start=10, end="1m"):      # doctest: +SKIP
        ...     print(event.seconds, event.text)
        """

    @abstractmethod
    def table(
        self,
        of: Optional[str] = None,
        *,
        channel: Optional[str] = None,
        columns: Texts = None,
        ids: Union[Id, Sequence[Id], None] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        every: Union[float, str, timedelta, None] = None,
        axes: Optional[str] = None,
    ) -> Table:
        """Rows and columns.

        ``of``: a set, a row for each thing at each recorded moment; or ``channel``: a row for each message. Without both:
        the set that the recording is about. ``columns``: only these; ``position`` means its x, y and z. ``ids``: only
        these things. ``every``: a row for each thing at this interval in seconds. ``axes``: ``"standard"`` turns to
        right-handed axes with z up, in metres; also ``"right-y"``, ``"left-z"``, ``"left-y"``.

        A number that was recorded as NaN is None, as a missing one is, where the table comes as npz: see :class:`Column`.

        >>> frame = recording.table("vehicles", columns=["position"], every=0.1).to_pandas()      # doctest: +SKIP
        >>> recording.table(channel="signals").units                                              # doctest: +SKIP
        """

    @abstractmethod
    def data(self) -> bytes:
        """The bytes of the main file. ``download`` of a recording on a server writes them to a file instead."""


def many(given: Any) -> List[Any]:
    """None, one or several as a list."""
    if given is None:
        return []
    return [given] if isinstance(given, (str, int, float)) else list(given)


def epoch_of(nanoseconds: Optional[str]) -> Optional[datetime]:
    """Unix nanoseconds as a date; None if there are none, or if ``datetime`` does not have the year."""
    if nanoseconds is None:
        return None
    try:
        return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=int(nanoseconds) // 1000)
    except OverflowError:
        return None


def date_of(text: Optional[str]) -> Optional[datetime]:
    """An ISO date of the server, which ends with Z."""
    return None if text is None else datetime.fromisoformat(text.replace("Z", "+00:00"))


def counts(channels: Sequence[Mapping[str, Any]], of: str) -> Dict[str, int]:
    """Number of messages by the name of the channel."""
    return {channel["name"]: channel[of] for channel in channels}
