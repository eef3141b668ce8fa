"""A simtape server: its library, and the recordings in it."""

from __future__ import annotations

import os
import tempfile
import time
from datetime import datetime, timedelta
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from .errors import BadQuestion, SimtapeError, UsageError
from .events import Event, Events
from .http import Connection, Query, segment
from .npz import read_npz
from .recording import Info, PathInfo, Recording, Texts, counts, date_of, many
from .series import Series, SeriesList
from .sql import Answer, columns_of
from .state import Id, State
from .table import Table
from .table_file import best_format, read_table
from .times import Time, time_text

_PAGE = 100
_EVENTS = 1000


class Client:
    """A simtape server.

    ``url``: its address. ``token``: from the page ``/admin``; by default the variable ``SIMTAPE_SERVER_TOKEN``.
    ``timeout``: seconds without a byte after which an attempt ends. ``attempts``, ``longest_wait``: how often a request is
    sent that the server refuses for now (429, 503), and how many seconds of waiting that may take.

    >>> client = simtape.Client("http://127.0.0.1:8000")                  # doctest: +SKIP
    >>> for recording in client.list(format="carla", sort="name"):        # doctest: +SKIP
    ...     print(recording.name, recording.seconds, recording.summary)
    """

    def __init__(
        self,
        url: str,
        token: Optional[str] = None,
        *,
        timeout: float = 60,
        attempts: int = 5,
        longest_wait: float = 60,
    ) -> None:
        given = token if token is not None else os.environ.get("SIMTAPE_SERVER_TOKEN") or None
        self._connection = Connection(url, given, timeout=timeout, attempts=attempts, longest_wait=longest_wait)

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        return self._connection.url

    def __repr__(self) -> str:
        return f"<Client of {self.url}>"

    def ask(self, method: str, path: str, query: Optional[Query] = None, body: Any = None) -> Any:
        """Any operation of ``/openapi.json``: gives the JSON of the answer, or None.

        >>> client.ask("GET", "/api/facets")      # doctest: +SKIP
        """
        return self._connection.json(method, path, query, body)

    def list(self, limit: Optional[int] = None, **filters: Any) -> Iterator["RemoteRecording"]:
        """The recordings that meet all filters, page by page while you iterate.

        Filters are those of ``GET /api/recordings``: ``format``, ``state``, ``event``, ``with_``, ``tag``, ``collection``,
        ``longer``, ``shorter`` (seconds), ``path`` with ``above`` or ``below`` (``"3000 ft"``), ``from_`` and ``until``
        (dates), ``meta``, ``findings``, ``duplicates``; ``sort`` is added, started, seconds, name or bytes, and ``order``
        asc or desc. A list means any of its values.

        >>> client.list(format=["carla", "mira"], longer=60, event="collision")      # doctest: +SKIP
        """
        if limit is not None and limit < 0:
            raise UsageError(f"limit is 0 or more, not {limit}")
        # checked when it is called, not when the first recording is asked for
        return self._pages({_filter(name): _word(value) for name, value in filters.items()}, limit)

    def _pages(self, filters: Query, limit: Optional[int]) -> Iterator["RemoteRecording"]:
        left = limit
        cursor = None
        while left is None or left > 0:
            size = _PAGE if left is None else min(left, _PAGE)
            page = self.ask("GET", "/api/recordings", {**filters, "limit": size, "cursor": cursor})
            for item in page["recordings"]:
                yield RemoteRecording(self, item)
            left = None if left is None else left - len(page["recordings"])
            cursor = page["cursor"]
            if cursor is None:
                return

    def find(self, words: str = "", limit: Optional[int] = None, **filters: Any) -> Iterator["RemoteRecording"]:
        """The recordings that match words, as in the search of the page; ``filters`` as for :meth:`list`.

        >>> client.find("pushback altitude above 3,000 ft", format="flightgear")      # doctest: +SKIP
        """
        return self.list(limit, **({"q": words} if words else {}), **filters)

    def get(self, recording: "Union[str, RemoteRecording]") -> "RemoteRecording":
        """The recording of this id. Raises :class:`NotFound`."""
        return RemoteRecording(self, self.ask("GET", f"/api/recordings/{segment(id_of(recording))}"))

    def info(self, recording: "Union[str, RemoteRecording]") -> Info:
        """See :meth:`Recording.info`."""
        return self._of(recording).info()

    def state(self, recording: "Union[str, RemoteRecording]", at: Time, paths: Texts = None) -> State:
        """See :meth:`Recording.state`."""
        return self._of(recording).state(at, paths)

    def series(
        self, recording: "Union[str, RemoteRecording]", paths: Union[str, Sequence[str]], **options: Any
    ) -> SeriesList:
        """See :meth:`Recording.series`."""
        return self._of(recording).series(paths, **options)

    def events(self, recording: "Union[str, RemoteRecording]", **options: Any) -> Events:
        """See :meth:`Recording.events`."""
        return self._of(recording).events(**options)

    def table(self, recording: "Union[str, RemoteRecording]", of: Optional[str] = None, **options: Any) -> Table:
        """See :meth:`Recording.table`."""
        return self._of(recording).table(of, **options)

    def data(self, recording: "Union[str, RemoteRecording]") -> bytes:
        """See :meth:`Recording.data`."""
        return self._of(recording).data()

    def sql(
        self,
        statement: str,
        recordings: "Union[Mapping[str, Any], Sequence[Union[str, RemoteRecording]], None]" = None,
        limit: Optional[int] = None,
    ) -> Answer:
        """Answers one SELECT about recordings of the library; needs the role staff. See docs/sql.md for the tables.

        ``recordings``: a list of recordings or ids, or filters as of ``GET /api/recordings`` and a ``folder``; by default
        all. ``limit``: most rows. Raises :class:`BadQuestion` for a wrong statement: ``details`` has its ``code``, and
        ``line`` and ``column`` where it is wrong.

        >>> client.sql("select kind, count(*) as n from events group by all", {"format": "carla"})      # doctest: +SKIP
        """
        body: Dict[str, Any] = {"sql": statement}
        if recordings is not None:
            is_filter = isinstance(recordings, Mapping)
            body["recordings"] = dict(recordings) if is_filter else [id_of(one) for one in recordings]  # type: ignore[arg-type, call-overload]
        if limit is not None:
            body["limit"] = limit
        found = self.ask("POST", "/api/sql", body=body)
        columns = columns_of(found["columns"], found["rows"])
        return Answer(columns, found["truncated"], found["problems"], found["unread"])

    def _of(self, recording: "Union[str, RemoteRecording]") -> "RemoteRecording":
        """No request is needed to ask about an id."""
        return recording if isinstance(recording, RemoteRecording) else RemoteRecording(self, {"id": recording})


class RemoteRecording(Recording):
    """A recording in the library of a server. ``item``: its row in the list, as JSON."""

    def __init__(self, client: Client, item: Mapping[str, Any]) -> None:
        self.client = client
        self.item = item
        self.id: str = item["id"]
        self.name: str = item.get("name", self.id)
        self.format: Optional[str] = item.get("format")
        self.seconds: Optional[float] = item.get("seconds")
        self.began: Optional[datetime] = date_of(item.get("started"))
        self.summary: str = item.get("summary", "")
        self.tags: List[str] = list(item.get("tags", []))
        # "indexed" once all facts are known; "new", "live", "failed" or "gone"
        self.status: Optional[str] = item.get("state")

    def __repr__(self) -> str:
        return f"<RemoteRecording {self.name} ({self.id})>"

    @property
    def page(self) -> str:
        """Address of the page in which it plays."""
        return self.client.url + str(self.item.get("page", f"/r/{segment(self.id)}"))

    def info(self) -> Info:
        raw = self._ask("")
        channels = counts(raw["channels"], "count")
        rest = (raw["metadata"], channels, raw["findingList"], raw)
        return Info(raw["name"], raw["format"], raw["bytes"], raw["seconds"], date_of(raw["started"]), *rest)

    def state(self, at: Time, paths: Texts = None) -> State:
        return State(self._ask("/state", {"at": time_text(at), "path": many(paths)}))

    def paths(self) -> List[PathInfo]:
        """The numbers of which the catalog has the extent: at most 2,500."""
        # `vehicles/*/position.x` is the extent over a set, which has no series
        extents = [one for one in self._ask("")["extents"] if "/*/" not in one["path"]]
        return [PathInfo(one["path"], one["unit"], None) for one in extents]

    def series(
        self,
        paths: Union[str, Sequence[str]],
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        points: Optional[int] = None,
        mode: str = "minmax",
    ) -> SeriesList:
        query: Dict[str, Any] = {"path": many(paths), **_range(start, end), "points": points, "mode": mode}
        found = self._ask("/series", query)
        return SeriesList([Series(one) for one in found["series"]], found["findings"])

    def events(
        self,
        kinds: Texts = None,
        who: Optional[str] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        limit: Optional[int] = None,
    ) -> Events:
        query = {"kind": many(kinds), "who": who, **_range(start, end)}

        def begin() -> Iterator[Event]:
            left = limit
            cursor = None
            while left is None or left > 0:
                size = _EVENTS if left is None else min(left, _EVENTS)
                page = self._ask("/events", {**query, "limit": size, "cursor": cursor})
                yield from (Event.of(one) for one in page["events"])
                left = None if left is None else left - len(page["events"])
                cursor = page["cursor"]
                if cursor is None:
                    return

        return Events(begin)

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
        """As of a file. The server makes it in a job, which needs a token with the scope ``write``; this waits for the job."""
        options: Dict[str, Any] = {"set": of, "channel": channel, "axes": axes, **_range(start, end)}
        options["columns"] = many(columns) or None
        options["ids"] = [str(one) for one in many(ids)] or None
        options["every"] = None if every is None else time_text(every)
        asked = {name: value for name, value in options.items() if value is not None}
        with tempfile.TemporaryDirectory(prefix="simtape-") as folder:
            try:
                path = os.path.join(folder, "table.npz")
                report = self._export({"to": "npz", "time": "ns", **asked}, path)
                return read_npz(path, report["findings"], self._began)
            except (JobFailed, BadQuestion):
                # an older server, or texts that are too long for npz; any other error `table` raises again
                path = os.path.join(folder, f"table.{best_format()}")
                report = self._export({"table": best_format(), **asked}, path)
                return read_table(path, report, self._began)

    def _export(self, asked: Mapping[str, Any], to: str) -> Mapping[str, Any]:
        """Writes the file of an export, and gives the report of the command that made it."""
        job = self.client.ask("POST", f"{self._path}/exports", body=asked)
        result = self._wait(job["id"])
        (file,) = result["files"]
        self._connection.download(f"/api/jobs/{job['id']}/files/{segment(file['name'])}", to)
        report: Mapping[str, Any] = result["report"]
        return report

    def _began(self) -> Optional[datetime]:
        return self.info().began

    def data(self) -> bytes:
        return self._connection.content(f"{self._path}/data")

    def download(self, to: "Union[str, os.PathLike[str]]") -> str:
        """Writes the main file to ``to``, a file or a folder, and gives the path. The file appears when it is complete.

        >>> simtape.read(recording.download("."))      # doctest: +SKIP
        """
        target = os.fspath(to)
        if os.path.isdir(target):
            name = os.path.basename((self.item.get("name") or self.info().name).replace("\\", "/"))
            if name in ("", ".", ".."):
                raise UsageError(f"the name of the recording cannot be the name of a file: {name!r}")
            target = os.path.join(target, name)
        self._connection.download(f"{self._path}/data", target)
        return target

    @property
    def _connection(self) -> Connection:
        return self.client._connection

    @property
    def _path(self) -> str:
        return f"/api/recordings/{segment(self.id)}"

    def _ask(self, rest: str, query: Optional[Query] = None) -> Any:
        return self.client.ask("GET", self._path + rest, query)

    def _wait(self, job: int) -> Mapping[str, Any]:
        """The result of a job."""
        pause = 0.05
        while True:
            found = self.client.ask("GET", f"/api/jobs/{job}")
            if found["state"] == "done":
                result: Mapping[str, Any] = found["result"]
                return result
            if found["state"] in ("failed", "cancelled"):
                raise JobFailed(found["error"] or f"the job {job} was cancelled")
            time.sleep(pause)
            pause = min(1.0, pause * 1.5)


class JobFailed(SimtapeError):
    """The server could not make a table; the message says why."""


def id_of(recording: Union[str, RemoteRecording]) -> str:
    """The id of a recording."""
    return recording.id if isinstance(recording, RemoteRecording) else recording


def _range(start: Optional[Time], end: Optional[Time]) -> Dict[str, Optional[str]]:
    return {
        "from": None if start is None else time_text(start),
        "until": None if end is None else time_text(end),
    }


def _filter(name: str) -> str:
    """``from_`` and ``with_`` are words of Python."""
    return name[:-1] if name.endswith("_") else name


def _word(value: Any) -> Any:
    if isinstance(value, datetime):
        return time_text(value)
    return value if isinstance(value, (str, int, float)) or value is None else list(value)
