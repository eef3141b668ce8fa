"""Events: moments with a name, such as a collision, a spawn, a line of chat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator, List, Mapping, Optional, Tuple, Union

from .optional import needed


@dataclass(frozen=True)
class Participant:
    """The thing or person that an event is about. ``set`` is None for one that is in no set of the state."""

    set: Optional[str]
    id: Union[int, float, str]
    label: str


@dataclass(frozen=True)
class Event:
    """A moment with a name.

    ``time``: nanoseconds since the start. ``text``: one line for people. ``channel``, ``sequence``: the message, or None
    when the file lists the event beside its messages. ``value``: the data of the event, or None.
    """

    time: int
    kind: str
    text: str
    who: Tuple[Participant, ...]
    channel: Optional[str]
    sequence: Optional[int]
    value: Any

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return self.time / 1e9

    @staticmethod
    def of(plain: Mapping[str, Any]) -> "Event":
        """From JSON, as ``simtape events --json`` and the server write it."""
        who = tuple(Participant(one["set"], one["id"], one["label"]) for one in plain["who"])
        rest = (plain["channel"], plain["sequence"], plain["value"])
        return Event(plain["time"], plain["kind"], plain["text"], who, *rest)


class Events:
    """Events in order of time. They are read while you iterate; each iteration reads them again.

    >>> for event in recording.events(kinds=["collision"]):        # doctest: +SKIP
    ...     print(event.seconds, event.text)
    >>> recording.events().to_pandas()["kind"].value_counts()      # doctest: +SKIP
    """

    def __init__(self, begin: Callable[[], Iterator[Event]]) -> None:
        self._begin = begin

    def __iter__(self) -> Iterator[Event]:
        return self._begin()

    def to_list(self) -> List[Event]:
        """All of them."""
        return list(self)

    def to_pandas(self) -> Any:
        """A data frame with a row for each event: time (s), kind, text, who (labels), ids, channel, sequence, value."""
        pandas = needed("pandas")
        events = list(self)
        return pandas.DataFrame(
            {
                "time": pandas.Series([event.seconds for event in events], dtype="float64"),
                "kind": [event.kind for event in events],
                "text": [event.text for event in events],
                "who": ["; ".join(one.label or str(one.id) for one in event.who) for event in events],
                "ids": ["; ".join(_place(one) for one in event.who) for event in events],
                "channel": [event.channel for event in events],
                "sequence": pandas.array([event.sequence for event in events], dtype="Int64"),
                "value": [event.value for event in events],
            }
        )


def _place(one: Participant) -> str:
    return str(one.id) if one.set is None else f"{one.set}/{one.id}"
