"""Recordings in files, read by the command ``simtape``."""

from __future__ import annotations

import os
import tempfile
from datetime import datetime, timedelta
from typing import Any, Iterator, List, Optional, Sequence, Union

from . import command
from .errors import CommandUsageError, NoSuchFile, UsageError
from .events import Event, Events
from .npz import read_npz
from .recording import Info, PathInfo, Recording, Texts, counts, epoch_of, many
from .series import Series, SeriesList
from .state import Id, State
from .table import Table
from .table_file import best_format, read_table
from .times import Time, time_text


def read(file: "Union[str, os.PathLike[str]]") -> "LocalRecording":
    """A recording in a file or folder, or at a URL. The command ``simtape`` reads it; the variable ``SIMTAPE`` names one
    that is not on the PATH.

    Raises FileNotFoundError if there is no such file, and :class:`CommandNotFound` without the command. Damage shows in
    ``info().findings``.

    >>> recording = simtape.read("town.log")                          # doctest: +SKIP
    >>> recording.state(1).sets["vehicles"].cell(24, "position")      # doctest: +SKIP
    """
    return LocalRecording(file)


class LocalRecording(Recording):
    """A recording that the command ``simtape`` reads. Each question starts the command once."""

    def __init__(self, file: "Union[str, os.PathLike[str]]") -> None:
        path = os.fspath(file)
        if not _is_url(path):
            if not os.path.exists(path):
                raise NoSuchFile(2, "no such file", path)
            # else the command would take a name that begins with - for an option
            path = path if os.path.isabs(path) else os.path.join(".", path)
        command.command()
        self.file = path
        self.name = os.path.basename(path.rstrip("/"))

    def __repr__(self) -> str:
        return f"<LocalRecording {self.file}>"

    def info(self) -> Info:
        raw = command.run(["info", self.file, "--json"])
        line = raw["timeline"]
        seconds = (line["end"] - line["start"]) / 1e9
        channels = counts(raw["channels"], "messages")
        rest = (epoch_of(line["epoch"]), raw["metadata"], channels, raw["findings"], raw)
        return Info(self.name, raw["format"], raw["bytes"], seconds, *rest)

    def state(self, at: Time, paths: Texts = None) -> State:
        globs = _each("path", many(paths))
        return State(command.run(["state", self.file, f"--at={time_text(at)}", *globs, "--json"]))

    def paths(self) -> List[PathInfo]:
        found = command.run(["series", self.file, "--json"])["paths"]
        return [PathInfo(one["path"], one["unit"], one["kind"]) for one in found]

    def series(
        self,
        paths: Union[str, Sequence[str]],
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        points: Optional[int] = None,
        mode: str = "minmax",
    ) -> SeriesList:
        wanted = _each("path", many(paths))
        if not wanted:
            raise UsageError("name at least one path")
        steps = [] if points is None else [f"--points={points}", f"--mode={mode}"]
        found = command.run(["series", self.file, *wanted, *_range(start, end), *steps, "--json"])
        return SeriesList([Series(one) for one in found["series"]], found["findings"])

    def events(
        self,
        kinds: Texts = None,
        who: Optional[str] = None,
        start: Optional[Time] = None,
        end: Optional[Time] = None,
        limit: Optional[int] = None,
    ) -> Events:
        words = ["events", self.file, *_each("kind", many(kinds)), *_range(start, end)]
        words += [] if who is None else [f"--who={who}"]
        words += [] if limit is None else [f"--limit={limit}"]

        def begin() -> Iterator[Event]:
            return (Event.of(plain) for plain in command.lines([*words, "--json"]))

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
        options = {"set": of, "channel": channel, "axes": axes, "every": None if every is None else time_text(every)}
        words = [*_range(start, end), *_each("columns", many(columns)), *_each("id", many(ids))]
        words += [f"--{name}={value}" for name, value in options.items() if value is not None]
        with tempfile.TemporaryDirectory(prefix="simtape-") as folder:
            try:
                path = os.path.join(folder, "table.npz")
                report = command.run(["export", self.file, *words, "--to=npz", "--time=ns", "-o", path, "--json"])
                return read_npz(path, report["findings"], self._began)
            except CommandUsageError:
                # a command without `export`, or texts that are too long for npz; any other error `table` raises again
                path = os.path.join(folder, f"table.{best_format()}")
                report = command.run(["table", self.file, *words, "-o", path, "--json"])
                return read_table(path, report, self._began)

    def _began(self) -> Optional[datetime]:
        return self.info().began

    def data(self) -> bytes:
        """The bytes of the file. Raises :class:`UsageError` for a folder or a URL."""
        if _is_url(self.file) or os.path.isdir(self.file):
            raise UsageError(f"data() reads only a file on this machine, not {self.file}")
        with open(self.file, "rb") as file:
            return file.read()


def _is_url(text: str) -> bool:
    return text.startswith(("http://", "https://", "s3://"))


def _each(name: str, values: Sequence[Any]) -> List[str]:
    """An option that is given once for each value."""
    return [f"--{name}={value}" for value in values]


def _range(start: Optional[Time], end: Optional[Time]) -> List[str]:
    words = [] if start is None else [f"--from={time_text(start)}"]
    return words + ([] if end is None else [f"--until={time_text(end)}"])
