"""Sends what a simulator does to `simtape record`, as lines of JSON (docs/line-protocol.md of simtape).

One file, standard library only, Python 3.9 and later: copy it beside your script. MIT licence, see LICENSE of simtape.

    with Sender("tcp://127.0.0.1:9100", server="drone 1.0", rate=50, sets={"drones": {"columns": {"position": "m"}}}) as out:
        for tick in range(200):
            out.tick(tick)
            out.put("drones", "one", position=[0, 0, tick / 50])

No call but `Sender(...)` and `close` waits for anything: one thread writes. While the recorder is away or behind, ticks
wait in a buffer. Beyond its limit they are merged into a later tick (values, things) or dropped (events); both are
counted. Each new connection gets the state again, and each gap is an event of the recording.
"""

from __future__ import annotations

import base64
import collections
import json
import math
import os
import re
import select
import signal
import socket
import stat
import sys
import threading
import time as clock
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

__all__ = ["KINDS", "Sender", "Status"]

# kinds: made by `npm run schemas` of the lines that a recorder takes
KINDS = (
    "simtape",
    "tick",
    "time",
    "spawn",
    "join",
    "leave",
    "remove",
    "move",
    "teleport",
    "velocity",
    "exact",
    "mount",
    "state",
    "equipment",
    "heldSlot",
    "itemUse",
    "swing",
    "hurt",
    "metadata",
    "effect",
    "vitals",
    "view",
    "block",
    "clearBlocks",
    "dimension",
    "world",
    "chat",
    "sound",
    "particles",
    "mark",
    "subject",
    "set",
    "entities",
    "sets",
    "event",
    "commit",
    "snapshot",
    "session",
    "versions",
    "reset",
    "report",
    "end",
)
# end of kinds

#: Channel of the events that say what a recording lacks.
GAP = "sender:gap"
#: A line has at most 1 MiB; a set of things is cut into lines of about this length.
LINE_LENGTH = 1 << 18
LONGEST_LINE = (1 << 20) - 64
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 10.0
#: Edits of blocks that are sent again after a gap.
MOST_BLOCKS = 10000

#: What holds until it changes, by kind: the fields that name it. Every other kind is an event of its moment.
_HELD = {
    "move": ("id",),
    "teleport": ("id",),
    "velocity": ("id",),
    "exact": ("id",),
    "mount": ("id",),
    "state": ("id",),
    "equipment": ("id",),
    "heldSlot": ("id",),
    "itemUse": ("id",),
    "metadata": ("id",),
    "effect": ("id", "name"),
    "vitals": ("id",),
    "view": ("id",),
    "block": ("at",),
    "world": (),
    "subject": ("id",),
}
#: What is known of a thing beside that: how it came, where it is; and that it is gone.
_COME, _PLACE, _GO = ("come",), ("place",), ("go",)
#: Fields that have members of their own, which are merged.
_MEMBERS = ("items", "entries")
#: A recorder refuses a place or an angle that is no number.
_PLACES = ("at", "look", "head", "velocity", "yaw", "spread", "volume", "pitch", "health")

#: What JSON can say. Numbers and arrays of other libraries are taken, too.
Json = Any
#: Ids of things are texts or whole numbers; None is the world itself.
Id = Union[str, int]
Place = Sequence[float]
#: What of a thing is held, such as `("place",)` or `("effect", "speed")`: its kind and its fields.
_What = Tuple[str, ...]
_Held = Tuple[str, Any]
_Owner = Optional[Id]
#: A line of the present tick: an event, or what holds of a thing.
_Line = Tuple[Optional[Tuple[_Owner, _What, str, Optional[_Held]]], str]


class Status(NamedTuple):
    """What was done up to now."""

    connected: bool
    connections: int
    #: Lines.
    sent: int
    #: Ticks whose changes are part of a later tick, because there was no room.
    merged: int
    #: Events that had no room.
    dropped: int
    #: Lines that waited and can no longer be sent.
    lost: int
    #: Lines with numbers or texts that no recorder takes.
    refused: int
    #: Bytes.
    waiting: int


class Sender:
    """One recording. All methods may be called by any thread."""

    def __init__(
        self,
        to: str,
        server: Optional[str] = None,
        rate: Optional[float] = None,
        sets: Optional[Dict[str, Json]] = None,
        metadata: Optional[Dict[str, Json]] = None,
        header: Optional[Dict[str, Json]] = None,
        token: Optional[str] = None,
        limit: int = 4 << 20,
        wait: float = 2.0,
        log: Optional[Callable[[str], None]] = None,
        answers: Optional[Callable[[str], None]] = None,
    ) -> None:
        """
        `to`: `tcp://host:port` or `unix:path`, where `simtape record --input` listens; `-` for standard output; or the
        path of a file or pipe. `header`: other fields of the first line. `limit`: bytes that may wait. `wait`: seconds
        to wait here for the first connection; later ones are made in the background. `log` gets sentences, `answers`
        each line that the recorder sends back; both are called by threads of the sender.
        """
        fields: Dict[str, Json] = {"simtape": 1}
        fields.update(header or {})
        for key, value in (("server", server), ("rate", rate), ("sets", sets), ("metadata", metadata)):
            if value is not None:
                fields[key] = value
        first = [] if token is None else [_text({"token": token})]
        self._lock = threading.RLock()
        self._log = log or (lambda sentence: print("simtape: " + sentence, file=sys.stderr))
        self._link = _Link(to, first + [_text(fields)], self._log, answers or (lambda line: None))
        self._limit = limit
        self._epoch = -1
        self._closed = False
        self._moment: Optional[Tuple[str, float]] = None
        self._last: float = -math.inf
        self._is_behind = False
        self._gap: Optional[Dict[str, Json]] = None
        self._merged = self._dropped = self._refused = 0
        # the state of any simulator: what it is, and what of it is not sent yet
        self._values: Dict[str, Json] = {}
        self._new_values: Dict[str, Json] = {}
        self._sets: Dict[str, Dict[str, Dict[str, Json]]] = {}
        self._new_cells: Dict[str, Dict[str, Dict[str, Json]]] = {}
        self._old_things: Dict[str, Dict[str, None]] = {}
        self._declared: List[str] = []
        # a world: what holds of each thing, and what of it is owed to the recorder
        self._things: Dict[_Owner, Dict[_What, _Held]] = {}
        self._owed: Dict[Tuple[_Owner, _What], None] = {}
        self._gone: Dict[_Owner, Tuple[str, _Held]] = {}
        self._has_blocks = False
        # whether the recorder may be another one, which does not have the things that are gone
        self._is_unsure = False
        self._has_sent = False
        # the last moment that was sent
        self._after: Optional[float] = None
        # lines of the present tick
        self._lines: List[_Line] = []
        self._size = 0
        self._link.start(wait)

    def __enter__(self) -> Sender:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close("completed" if kind is None else "crashed")

    # -- time --------------------------------------------------------------

    def tick(self, number: int) -> None:
        """What follows happens in this tick; the one before is sent. Ticks never go backwards: a lower one is the same."""
        self._begin("tick", number)

    def time(self, seconds: float) -> None:
        """The same in seconds."""
        self._begin("time", seconds)

    def flush(self) -> None:
        """Sends what there is of the present tick."""
        with self._lock:
            self._hand_over()

    # -- the state of any simulator -----------------------------------------

    def set(self, path: str, value: Json) -> None:
        """A value by its path; None takes it away. A NaN is None, as JSON has none."""
        value = _kept(value)
        with self._lock:
            if not _is_name(path):
                self._refused += 1
                return
            if path in self._values and _same(self._values[path], value):
                return
            if value is None:
                if path not in self._values:
                    return
                del self._values[path]
            else:
                self._values[path] = value
            self._new_values[path] = value

    def put(self, set_name: str, thing: Id, cells: Optional[Dict[str, Json]] = None, **columns: Json) -> None:
        """Cells of a thing by column; a thing that is new appears. None makes a cell unknown. `cells` takes any name."""
        thing = str(thing)
        if cells:
            columns.update(cells)
        with self._lock:
            if not (_is_name(set_name) and _is_name(thing) and all(map(_is_name, columns))):
                self._refused += 1
                return
            things = self._sets.setdefault(set_name, {})
            row = things.get(thing)
            fresh = self._new_cells.setdefault(set_name, {})
            if row is None:
                row = things[thing] = {}
                fresh[thing] = {}
            for column, value in columns.items():
                value = _kept(value)
                if column in row and _same(row[column], value):
                    continue
                row[column] = value
                cells_of = fresh.get(thing)
                if cells_of is None:
                    cells_of = fresh[thing] = {}
                cells_of[column] = value

    def take_away(self, set_name: str, thing: Id) -> None:
        """The thing disappears."""
        thing = str(thing)
        with self._lock:
            if self._sets.get(set_name, {}).pop(thing, None) is not None:
                self._new_cells.get(set_name, {}).pop(thing, None)
                self._old_things.setdefault(set_name, {})[thing] = None

    def things(self, set_name: str) -> List[str]:
        """Names of the things that a set has now."""
        with self._lock:
            return list(self._sets.get(set_name, ()))

    def declare(self, sets: Dict[str, Json]) -> None:
        """Axes and columns of sets, as in the header; before their first use."""
        line = _text({"sets": sets})
        with self._lock:
            self._declared.append(line)
            self._add(line)

    # -- a world ------------------------------------------------------------

    def spawn(self, id: Id, type: str, at: Place, **fields: Json) -> None:
        """A thing appears: `look`, `head`, `onGround`, `uuid`, `name`."""
        self.tell("spawn", id=id, type=type, at=at, **fields)

    def join(self, id: Id, uuid: str, name: str, at: Place, **fields: Json) -> None:
        """A player joins: `look`, `head`, `onGround`, `properties`."""
        self.tell("join", id=id, uuid=uuid, name=name, at=at, **fields)

    def leave(self, id: Id) -> None:
        self.tell("leave", id=id)

    def remove(self, id: Id) -> None:
        self.tell("remove", id=id)

    def move(self, id: Id, **fields: Json) -> None:
        """`at`, `look`, `head`, `onGround`; only what differs is sent."""
        self.tell("move", id=id, **fields)

    def teleport(self, id: Id, at: Place, **fields: Json) -> None:
        self.tell("teleport", id=id, at=at, **fields)

    def state(self, id: Id, **fields: Json) -> None:
        """`pose`, `flags`."""
        self.tell("state", id=id, **fields)

    def equipment(self, id: Id, items: Dict[str, Optional[str]]) -> None:
        self.tell("equipment", id=id, items=items)

    def vitals(self, id: Id, health: float, food: int, xp: int) -> None:
        self.tell("vitals", id=id, health=health, food=food, xp=xp)

    def mount(self, id: Id, passengers: Sequence[Id]) -> None:
        self.tell("mount", id=id, passengers=passengers)

    def block(self, at: Sequence[int], state: str) -> None:
        self.tell("block", at=at, state=state)

    def clear_blocks(self) -> None:
        """All edits of blocks are undone."""
        with self._lock:
            for what in [what for what in self._things.get(None, ()) if what[0] == "block"]:
                del self._things[None][what]
                self._owed.pop((None, what), None)
            self._add('{"clearBlocks":true}')

    def dimension(self, name: str) -> None:
        """As `minecraft:the_nether`."""
        with self._lock:
            held = self._things.setdefault(None, {})
            if held.get(("dimension",)) != ("dimension", name):
                held[("dimension",)] = ("dimension", name)
                self._line(None, ("dimension",), "dimension", name)

    def world(self, **fields: Json) -> None:
        """`time`, `weather`."""
        self.tell("world", **fields)

    def chat(self, text: str, **fields: Json) -> None:
        """`sender` is the line's `from`, a name of Python's own."""
        if "sender" in fields:
            fields["from"] = fields.pop("sender")
        self.tell("chat", text=text, **fields)

    def mark(self, label: str, **fields: Json) -> None:
        """A moment worth finding again: `kind`, `id`, `severity`."""
        self._happen("mark", dict(fields, label=label))

    def tell(self, kind: str, /, **fields: Json) -> None:
        """Any line of a world (docs/line-protocol.md), as its kind and its fields. Fields that are None are left out."""
        fields = {key: _kept(value) for key, value in fields.items() if value is not None}
        if any(_is_off(fields[key]) for key in _PLACES if key in fields):
            with self._lock:
                self._refused += 1
            return
        if kind in ("spawn", "join"):
            self._come(kind, fields)
        elif kind in ("leave", "remove"):
            self._go(kind, fields)
        elif kind in _HELD:
            self._hold(kind, fields)
        else:
            self._happen(kind, fields)

    # -- both ---------------------------------------------------------------

    def event(
        self, channel: str, value: Json = None, data: Optional[bytes] = None, version: Optional[int] = None
    ) -> None:
        """A message of a channel, whose name has a namespace: `value` as JSON, or `data` as bytes."""
        line: Dict[str, Json] = {"event": channel}
        if data is not None:
            line["base64"] = base64.b64encode(data).decode("ascii")
        else:
            line["value"] = _kept(value)
        if version is not None:
            line["version"] = version
        with self._lock:
            if _CHANNEL.match(channel) and len(channel) <= 256:
                self._add(_text(line))
            else:
                self._refused += 1

    def commit(self) -> None:
        self._happen("commit", True)

    def snapshot(self) -> None:
        self._happen("snapshot", True)

    def session(self, reason: str) -> None:
        """Why the wall clock does not run evenly: `pause`, `resume`."""
        self._happen("session", reason)

    def versions(self, **fields: Json) -> None:
        """`dataVersion`, `protocol`, `server` from the next tick on."""
        self._happen("versions", fields)

    @property
    def status(self) -> Status:
        with self._lock:
            return self._status()

    @property
    def report(self) -> Optional[Dict[str, Json]]:
        """What the recorder has answered to the end; None: nothing yet."""
        return self._link.report

    def close(self, outcome: str = "completed", seconds: float = 3.0) -> Status:
        """Ends the recording, and waits as long at most for the recorder to take everything. Gives the status."""
        with self._lock:
            if self._closed:
                return self._status()
            self._hand_over(is_last=True)
            self._closed = True
            self._link.offer(_text({"end": outcome}) + "\n", 1, VALUES, 0)
        self._link.close(seconds)
        status = self.status
        sentence = "%d lines sent" % status.sent
        if status.merged or status.dropped or status.lost or status.refused:
            sentence += (
                "; %d ticks are part of later ones, %d events were dropped, %d lines were lost with a connection, "
                "%d lines had numbers or texts that no recorder takes"
            ) % (status.merged, status.dropped, status.lost, status.refused)
        self._log(sentence)
        return status

    # -- within: all of it under the lock --------------------------------------

    def _status(self) -> Status:
        link = self._link
        return Status(
            link.is_connected,
            link.connections,
            link.sent,
            self._merged,
            self._dropped,
            link.lost,
            self._refused,
            link.waiting,
        )

    def _begin(self, kind: str, number: float) -> None:
        number = _kept(number)
        with self._lock:
            if self._moment is not None or self._lines:
                self._hand_over()
            if not isinstance(number, (int, float)) or not math.isfinite(number):
                self._refused += 1
                return
            self._last = max(self._last, number)
            self._moment = (kind, self._last)

    def _add(self, line: str) -> None:
        """An event of the present tick."""
        if len(line) > LONGEST_LINE:
            self._refused += 1
        elif self._size > self._limit:
            self._dropped += 1
        else:
            self._put_line(None, line)

    def _put_line(self, held: Optional[Tuple[_Owner, _What, str, Optional[_Held]]], line: str) -> None:
        self._lines.append((held, line))
        self._size += len(line)
        if self._size > 4 * LINE_LENGTH:
            self._hand_over()

    def _happen(self, kind: str, fields: Json) -> None:
        line = _text({kind: _kept(fields)})
        with self._lock:
            self._add(line)

    def _hold(self, kind: str, fields: Dict[str, Json]) -> None:
        names = _HELD[kind]
        owner = fields.get("id") if "id" in names else None
        what = (_PLACE if kind in ("move", "teleport") else (kind,)) + tuple(
            str(fields.get(name)) for name in names if name != "id"
        )
        with self._lock:
            if owner is None:
                self._things.setdefault(None, {})
            held = self._things.get(owner)
            if held is None:
                self._refused += 1
                return
            before = held.get(what, (kind, {}))[1]
            changed: Dict[str, Json] = {}
            merged = dict(before)
            for key, value in fields.items():
                if key in names:
                    changed[key] = merged[key] = value
                elif key in _MEMBERS:
                    members = dict(before.get(key, {}))
                    fresh = {name: of for name, of in value.items() if name not in members or members[name] != of}
                    members.update(value)
                    merged[key] = members
                    if fresh:
                        changed[key] = fresh
                elif key not in before or not _same(before[key], value):
                    changed[key] = merged[key] = value
            if len(changed) <= len(names):
                return
            if kind == "teleport":
                changed["at"] = fields["at"]
            held[what] = (kind, merged)
            self._has_blocks |= kind == "block"
            if owner is None and kind == "block" and len(held) > MOST_BLOCKS:
                held.pop(next(key for key in held if key[0] == "block"))
            self._line(owner, what, kind, changed)

    def _come(self, kind: str, fields: Dict[str, Json]) -> None:
        owner = fields["id"]
        place = {key: fields[key] for key in ("id", "at", "look", "head", "onGround") if key in fields}
        with self._lock:
            if owner in self._things:
                fields["still"] = True
            self._things[owner] = {_COME: (kind, fields), _PLACE: ("move", place)}
            self._line(owner, _COME, kind, fields)

    def _go(self, kind: str, fields: Dict[str, Json]) -> None:
        owner = fields["id"]
        with self._lock:
            held = self._things.pop(owner, None)
            if held is None:
                self._refused += 1
            else:
                self._line(owner, _GO, kind, {"id": owner}, held[_COME])

    def _line(self, owner: _Owner, what: _What, kind: str, fields: Json, came: Optional[_Held] = None) -> None:
        self._put_line((owner, what, kind, came), _text({kind: fields}))

    def _lines_of_state(self) -> List[str]:
        lines = []
        if self._new_values:
            lines += self._cut("set", self._new_values)
            self._new_values = {}
        # removals first: a thing of the same name may be there again
        for changes in (self._old_things, {name: things for name, things in self._new_cells.items() if things}):
            if changes:
                lines += self._cut("entities", changes)
        self._old_things = {}
        self._new_cells = {}
        return lines

    def _cut(self, kind: str, members: Dict[str, Json]) -> List[str]:
        """Lines of a dictionary, none of them too long."""
        line = _text({kind: members})
        if len(line) <= LINE_LENGTH:
            return [line]
        if len(members) > 1:
            names = list(members)
            half = len(names) // 2
            first = {name: members[name] for name in names[:half]}
            rest = {name: members[name] for name in names[half:]}
            return self._cut(kind, first) + self._cut(kind, rest)
        (name, things), = members.items()
        if kind == "entities" and len(things) > 1:
            ids = list(things)
            half = len(ids) // 2
            first = {id: things[id] for id in ids[:half]}
            rest = {id: things[id] for id in ids[half:]}
            return self._cut(kind, {name: first}) + self._cut(kind, {name: rest})
        if len(line) <= LONGEST_LINE:
            return [line]
        self._refused += 1
        return []

    def _has_room(self) -> bool:
        waiting = self._link.waiting
        if not self._is_behind and waiting > self._limit:
            self._is_behind = True
            is_slow = self._link.is_connected
            why = "the recorder does not keep up" if is_slow else "there is no connection, and no more room"
            self._log(why + "; ticks are merged")
        elif self._is_behind and waiting < self._limit // 2:
            self._is_behind = False
            self._log("there is room again; %d ticks were merged" % (self._gap or {"ticks": 0})["ticks"])
        return not self._is_behind

    def _hand_over(self, is_last: bool = False) -> None:
        if self._closed:
            return
        is_new = self._meet()
        if self._moment is None and not (self._lines or self._new_values or self._new_cells or self._old_things):
            return
        if not is_last and not self._has_room():
            self._keep()
            return
        lines = []
        if self._moment is not None:
            lines.append(_text({self._moment[0]: self._moment[1]}))
        if is_new:
            lines += self._declared
            if self._values or self._sets:
                lines.append('{"reset":true}')
        if self._gap is not None:
            lines.append(_text({"event": GAP, "value": _gap_value(self._gap)}))
            self._gap = None
        removed, removals = self._removals()
        lines += removed
        lines += self._lines_owed()
        lines += [line for _, line in self._lines]
        lines += removals
        lines += self._lines_of_state()
        # a set that is declared in a line must not be used before it
        is_free = not self._things and not self._declared
        needs = NOTHING if is_new else VALUES if is_free else BASE
        self._link.offer("\n".join(lines) + "\n", len(lines), needs, self._epoch)
        self._lines = []
        self._size = 0
        self._has_sent = True
        self._after = self._after if self._moment is None else self._moment[1]

    def _keep(self) -> None:
        """There is no room: what holds is owed, what happened is dropped. All of it is counted."""
        self._merged += 1
        if self._gap is None:
            why = "the recorder did not keep up" if self._link.is_connected else "no connection"
            self._gap = {"why": why, "since": clock.monotonic(), "ticks": 0, "events": 0}
            if self._after is not None:
                self._gap["after"] = self._after
        self._gap["ticks"] += 1
        events = len(self._fold())
        self._dropped += events
        self._gap["events"] += events

    def _fold(self) -> List[_Line]:
        """What lines of this tick say of things and values is owed now. Gives the others."""
        events: List[_Line] = []
        lines, self._lines, self._size = self._lines, [], 0
        for held, line in lines:
            if held is None:
                events.append((None, line))
            else:
                owner, what, kind, came = held
                if came is not None:
                    # a thing of which the recorder knows nothing need not be removed
                    if (owner, _COME) not in self._owed:
                        self._gone[owner] = (kind, came)
                    self._owed = {key: None for key in self._owed if key[0] != owner}
                else:
                    self._owed[(owner, what)] = None
        return events

    def _removals(self) -> Tuple[List[str], List[str]]:
        """Lines that remove things: of those that are there again first, of others behind the events."""
        first: List[str] = []
        last: List[str] = []
        if self._is_unsure and self._has_blocks:
            first.append('{"clearBlocks":true}')
        for owner, (kind, (come, fields)) in self._gone.items():
            if self._is_unsure:
                # another recorder may not have the thing: with this line it has
                first.append(_text({come: dict(fields, still=True)}))
            (first if owner in self._things else last).append(_text({kind: {"id": owner}}))
        self._gone = {}
        self._is_unsure = False
        return first, last

    def _lines_owed(self) -> List[str]:
        lines = []
        owed, self._owed = self._owed, {}
        for owner, what in sorted(owed, key=lambda key: key[1] != _COME):
            held = self._things.get(owner, {}).get(what)
            if held is None:
                continue
            kind, fields = held
            if what == _COME:
                fields = dict(fields, **self._things[owner][_PLACE][1])
                fields["still"] = True
            lines.append(_text({kind: fields}))
        return lines

    def _meet(self) -> bool:
        """Whether the next connection may be to a recorder that has nothing: everything is owed to it."""
        now = self._link.epoch
        if now == self._epoch:
            return False
        self._epoch = now
        self._lines = self._fold()
        if self._has_sent:
            if self._gap is None:
                self._gap = {"since": self._link.broken, "ticks": 0, "events": 0, "after": self._after}
            self._gap["why"] = "no connection"
            self._gap["since"] = min(self._gap["since"], self._link.broken)
            self._gap["lines"] = self._link.take_lost()
            self._is_unsure = True
        else:
            self._gone = {}
        self._new_values = dict(self._values)
        self._old_things = {}
        self._new_cells = {name: {thing: dict(row) for thing, row in of.items()} for name, of in self._sets.items()}
        self._owed = {(owner, what): None for owner, held in self._things.items() for what in held}
        return True


#: What a batch of lines needs of the ones before it: the things that they have made; values, which it may lack for some
#: ticks; or nothing, since it has all of the state.
BASE, VALUES, NOTHING = range(3)


class _Batch:
    """Lines of a tick."""

    __slots__ = ("data", "lines", "needs")

    def __init__(self, data: bytes, lines: int, needs: int) -> None:
        self.data, self.lines, self.needs = data, lines, needs


class _Connection:
    """One connection, which may be over."""

    def __init__(self, out: Union[int, socket.socket]) -> None:
        self.out = out
        self.has_ended = False


class _Link:
    """Connects, and connects again, until it is closed. What waits is kept when a connection breaks."""

    def __init__(
        self, to: str, first: List[str], log: Callable[[str], None], answers: Callable[[str], None]
    ) -> None:
        self.to = to
        self.first = ("\n".join(first) + "\n").encode("ascii")
        self.log = log
        self.answers = answers
        self.is_connected = False
        self.connections = 0
        self.sent = 0
        self.lost = 0
        self.waiting = 0
        #: How often all of the state was needed again: a batch that builds on another one fits its own epoch alone.
        self.epoch = 0
        self.broken = clock.monotonic()
        self.report: Optional[Dict[str, Json]] = None
        self._queue: collections.deque[_Batch] = collections.deque()
        self._changed = threading.Condition()
        self._lost_before = 0
        self._first = threading.Event()
        self._closing = threading.Event()
        self._deadline: Optional[float] = None
        self._is_socket = to.startswith(("tcp://", "unix:"))
        if "://" in to and not to.startswith("tcp://"):
            raise ValueError("expected tcp://host:port, unix:path, - or the path of a file, found " + to)
        self._address: Tuple[str, Any] = _address(to) if self._is_socket else ("", None)
        self._thread = threading.Thread(target=self._run, name="simtape writer", daemon=True)

    def start(self, wait: float) -> None:
        self._thread.start()
        self._first.wait(wait)

    def offer(self, text: str, lines: int, needs: int, epoch: int) -> None:
        data = text.encode("ascii")
        with self._changed:
            if needs == BASE and epoch != self.epoch:
                self.lost += lines
                return
            self._queue.append(_Batch(data, lines, needs))
            self.waiting += len(data)
            self._changed.notify_all()

    def take_lost(self) -> int:
        lost = self.lost - self._lost_before
        self._lost_before = self.lost
        return lost

    def close(self, seconds: float) -> None:
        self._deadline = clock.monotonic() + seconds
        self._closing.set()
        with self._changed:
            self._changed.notify_all()
        self._thread.join(seconds + 1)
        with self._changed:
            self.lost += sum(batch.lines for batch in self._queue)
            self._queue.clear()
            self.waiting = 0

    def _is_done(self) -> bool:
        """Whether there is nothing more to do: it is closed, and everything is sent or too late."""
        return self._closing.is_set() and (not self._queue or self._is_late())

    def _run(self) -> None:
        if hasattr(signal, "pthread_sigmask") and hasattr(signal, "SIGPIPE"):
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
        pause = FIRST_PAUSE
        said = False
        while not self._is_done():
            began = clock.monotonic()
            why = "the recorder has closed it"
            connection = None
            try:
                out = self._open()
                connection = _Connection(out)
                self.connections += 1
                self.is_connected = True
                self._first.set()
                if isinstance(out, socket.socket):
                    self.log("connected to " + self.to)
                    threading.Thread(target=self._read, args=(connection, out), name="simtape answers", daemon=True).start()
                said = False
                self._write(connection, self.first)
                self._pump(connection)
            except (OSError, ValueError) as error:
                why = str(error)
            if connection is not None:
                self._end(connection)
            if self._is_done():
                return
            if not self._is_socket:
                self.log("cannot write to %s: %s; the rest is not recorded" % (self.to, why))
                self._first.set()
                return
            if not said:
                self.log("no connection to %s: %s; trying again" % (self.to, why))
            said = True
            if clock.monotonic() - began > LONGEST_PAUSE:
                pause = FIRST_PAUSE
            if self._closing.is_set():
                clock.sleep(0.05)
            else:
                self._closing.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _end(self, connection: _Connection) -> None:
        """What was not sent as a whole is sent again, to a recorder that may be another: what builds on lines that it may
        not have is lost."""
        with self._changed:
            self.is_connected = False
            self.broken = clock.monotonic()
            kept: collections.deque[_Batch] = collections.deque()
            has_base = False
            for batch in self._queue:
                has_base = has_base or batch.needs == NOTHING
                if has_base or batch.needs == VALUES:
                    kept.append(batch)
                else:
                    self.lost += batch.lines
                    self.waiting -= len(batch.data)
            self._queue = kept
            if not has_base:
                self.epoch += 1
        self._shut(connection)

    def _open(self) -> Union[int, socket.socket]:
        if self.to == "-":
            return os.dup(sys.stdout.fileno())
        if not self._is_socket:
            return os.open(self.to, os.O_WRONLY | os.O_CREAT | (0 if _is_pipe(self.to) else os.O_TRUNC), 0o600)
        family, address = self._address
        if family == "unix":
            out = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            out.settimeout(5)
            out.connect(address)
        else:
            out = socket.create_connection(address, 5)
            out.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        out.settimeout(0.1)
        return out

    def _shut(self, connection: _Connection) -> None:
        self._over(connection)
        try:
            if isinstance(connection.out, int):
                os.close(connection.out)
            else:
                connection.out.close()
        except OSError:
            pass

    def _over(self, connection: _Connection) -> None:
        with self._changed:
            connection.has_ended = True
            self._changed.notify_all()

    def _is_late(self) -> bool:
        return self._deadline is not None and clock.monotonic() > self._deadline

    def _write(self, connection: _Connection, data: bytes) -> None:
        view = memoryview(data)
        while view:
            if connection.has_ended:
                raise OSError("the recorder has closed it")
            if self._is_late():
                raise OSError("the time to end it has passed")
            if isinstance(connection.out, int):
                if select.select([], [connection.out], [], 0.1)[1]:
                    view = view[os.write(connection.out, view[: select.PIPE_BUF]) :]
            else:
                try:
                    view = view[connection.out.send(view) :]
                except socket.timeout:
                    pass

    def _pump(self, connection: _Connection) -> None:
        while not connection.has_ended and not self._is_late():
            with self._changed:
                if not self._queue:
                    if self._closing.is_set():
                        break
                    self._changed.wait(0.5)
                    continue
                batch = self._queue[0]
            self._write(connection, batch.data)
            with self._changed:
                self._queue.popleft()
                self.waiting -= len(batch.data)
                self.sent += batch.lines
        out = connection.out
        if self._closing.is_set() and isinstance(out, socket.socket) and not connection.has_ended and not self._queue:
            out.shutdown(socket.SHUT_WR)
            with self._changed:
                while not connection.has_ended and not self._is_late():
                    self._changed.wait(0.05)

    def _read(self, connection: _Connection, out: socket.socket) -> None:
        rest = b""
        try:
            while not connection.has_ended:
                try:
                    data = out.recv(65536)
                except socket.timeout:
                    continue
                if not data:
                    break
                rest = (rest + data)[-(1 << 20) :]
                *lines, rest = rest.split(b"\n")
                for line in lines:
                    self._answer(line.decode("utf-8", "replace"))
        except (OSError, ValueError):
            pass
        self._over(connection)

    def _answer(self, line: str) -> None:
        self.answers(line)
        try:
            answer = json.loads(line)
        except ValueError:
            return
        if isinstance(answer, dict) and "error" in answer:
            self.log("the recorder answers: %s" % answer["error"])
        elif isinstance(answer, dict) and "outcome" in answer:
            self.report = answer


def _gap_value(gap: Dict[str, Json]) -> Dict[str, Json]:
    seconds = round(clock.monotonic() - gap["since"], 3)
    return dict({key: value for key, value in gap.items() if key != "since"}, seconds=seconds)


def _is_pipe(path: str) -> bool:
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def _address(to: str) -> Tuple[str, Any]:
    if to.startswith("unix:"):
        return "unix", to[5:]
    host, _, port = to[6:].rpartition(":")
    if not port.isdigit():
        raise ValueError("expected tcp://host:port, found " + to)
    return "tcp", (host.strip("[]") or "127.0.0.1", int(port))


def _kept(value: Any) -> Json:
    """The value as it is now: lists are copied, and numbers of other libraries are Python's own."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [_kept(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _kept(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "item"):
        return value.item()
    raise TypeError("JSON has no %s: give text, numbers, lists or dictionaries" % type(value).__name__)


def _same(a: Json, b: Json) -> bool:
    return (a == b and type(a) is type(b)) or (a != a and b != b)


def _is_name(name: str) -> bool:
    """Whether a recorder takes it for the name of a set, thing, column or value."""
    return 0 < len(name) <= 256


#: What a recorder takes for the name of a channel.
_CHANNEL = re.compile(r"(?!simtape:)[^:\s]+:\S+\Z")


def _is_off(value: Json) -> bool:
    """Whether there is a number in it that is infinite or no number."""
    if isinstance(value, list):
        return any(_is_off(item) for item in value)
    return isinstance(value, float) and not math.isfinite(value)


_INFINITE = "\ue000infinite"


def _text(value: Json) -> str:
    """A line: ASCII only, so any text arrives as it is. NaN is null, infinite is 1e999, which JSON readers take for it."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), separators=(",", ":"), allow_nan=False)
        plus, minus = json.dumps("+" + _INFINITE), json.dumps("-" + _INFINITE)
        return text.replace(plus, "1e999").replace(minus, "-1e999")


def _finite(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("+" if value > 0 else "-") + _INFINITE
    return value
