"""Simulation recordings in Python, without Node in your program.

A recording is read from a simtape server over HTTP, or from a file by the command ``simtape``:

>>> import simtape
>>> client = simtape.Client("https://tapes.example.org", token="simtape_...")  # doctest: +SKIP
>>> for recording in client.find("pushback", format="flightgear"):             # doctest: +SKIP
...     print(recording.name, recording.seconds)

>>> recording = simtape.read("town.log")                                       # doctest: +SKIP
>>> frame = recording.table("vehicles", columns=["position"]).to_pandas()      # doctest: +SKIP

Both give a :class:`Recording` with the same methods: ``info``, ``state``, ``paths``, ``series``, ``events``, ``table``
and ``data``. The package needs only Python's standard library. With numpy and pandas, ``to_numpy`` and ``to_pandas``
work as well.
"""

from .client import Client, RemoteRecording
from .errors import (
    CommandError,
    CommandNotFound,
    ConnectionProblem,
    Conflict,
    Forbidden,
    NoSuchFile,
    NotFound,
    ServerProblem,
    SimtapeError,
    SimtapeWarning,
    TableError,
    TooManyRequests,
    Unauthorized,
    Unavailable,
    UsageError,
    Undecodable,
)
from .events import Event, Events, Participant
from .local import LocalRecording, read
from .recording import Info, PathInfo, Recording
from .series import Series, SeriesList
from .sql import Answer, sql
from .state import EntitySet, State
from .table import Column, Table

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Client",
    "Column",
    "CommandError",
    "CommandNotFound",
    "Conflict",
    "ConnectionProblem",
    "EntitySet",
    "Event",
    "Events",
    "Forbidden",
    "Info",
    "LocalRecording",
    "NoSuchFile",
    "NotFound",
    "Participant",
    "PathInfo",
    "Recording",
    "RemoteRecording",
    "Series",
    "SeriesList",
    "ServerProblem",
    "SimtapeError",
    "SimtapeWarning",
    "State",
    "Table",
    "TableError",
    "TooManyRequests",
    "Unauthorized",
    "Unavailable",
    "Undecodable",
    "UsageError",
    "read",
    "sql",
]
