"""Sends what a simulator does to `simtape record`, as lines of JSON (docs/line-protocol.md of simtape).

One file, standard library only, Python 3.8 and later: copy it beside your script. MIT licence, see LICENSE of simtape.

    with Sender("tcp://127.0.0.1:9100", server="drone 1.0", rate=50, sets={"drones": {"columns": {"position": "m"}}}) as out:
        for tick in range(200):
            out.tick(tick)
            out.put("drones", "one", position=[0, 0, tick / 50])

No call but `Sender(...)` and `close` waits for anything: one thread writes. What the recorder does not take in time is
merged into a later tick (values, things) or dropped (events); both are counted. After a gap the present state is sent
again, and the gap is an event of the recording.
"""

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

Status = collections.namedtuple("Status", "connected connections sent merged dropped lost refused waiting")
Status.__doc__ = """What was done up to now.

`sent` lines; `merged` ticks whose changes are part of a later tick, because the recorder was away or behind; `dropped`
events that had no room or no connection; `lost` lines that waited when a connection broke; `refused` lines with numbers
or texts that no recorder takes; `waiting` bytes."""


class Sender:
    """One recording. All methods may be called by any thread."""

    def __init__(
        self,
        to,
        server=None,
        rate=None,
        sets=None,
        metadata=None,
        header=None,
        token=None,
        limit=4 << 20,
        wait=2.0,
        log=None,
        answers=None,
    ):
        """
        `to`: `tcp://host:port` or `unix:path`, where `simtape record --input` listens; `-` for standard output; or the
        path of a file or pipe. `header`: other fields of the first line. `limit`: bytes that may wait. `wait`: seconds
        to wait here for the first connection; later ones are made in the background. `log` gets sentences, `answers`
        each line that the recorder sends back; both are called by threads of the sender.
        """
        fields = {"simtape": 1}
        fields.update(header or {})
        for key, value in (("server", server), ("rate", rate), ("sets", sets), ("metadata", metadata)):
            if value is not None:
                fields[key] = value
        first = [] if token is None else [_text({"token": token})]
        self._lock = threading.RLock()
        self._log = log or (lambda sentence: print("simtape: " + sentence, file=sys.stderr))
        self._link = _Link(to, first + [_text(fields)], self._log, answers or (lambda line: None))
        self._limit = limit
        self._present = None
        self._closed = False
        self._moment = None
        self._last = -math.inf
        self._is_behind = False
        self._gap = None
        self._merged = self._dropped = self._refused = 0
        # the state of any simulator: what it is, and what of it is not sent yet
        self._values = {}
        self._new_values = {}
        self._sets = {}
        self._new_cells = {}
        self._old_things = {}
        self._declared = []
        # a world: what holds of each thing, and what of it is owed to the recorder
        self._things = {}
        self._owed = {}
        self._gone = {}
        self._has_blocks = False
        # whether the recorder may be another one, which does not have the things that are gone
        self._is_unsure = False
        self._has_sent = False
        # the last moment that was sent
        self._after = None
        # lines of the present tick
        self._lines = []
        self._size = 0
        self._link.start(wait)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close("completed" if kind is None else "crashed")

    # -- time --------------------------------------------------------------

    def tick(self, number):
        """What follows happens in this tick; the one before is sent. Ticks never go backwards: a lower one is the same."""
        self._begin("tick", number)

    def time(self, seconds):
        """The same in seconds."""
        self._begin("time", seconds)

    def flush(self):
        """Sends what there is of the present tick."""
        with self._lock:
            self._hand_over()

    # -- the state of any simulator -----------------------------------------

    def set(self, path, value):
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

    def put(self, set_name, thing, cells=None, **columns):
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

    def take_away(self, set_name, thing):
        """The thing disappears."""
        thing = str(thing)
        with self._lock:
            if self._sets.get(set_name, {}).pop(thing, None) is not None:
                self._new_cells.get(set_name, {}).pop(thing, None)
                self._old_things.setdefault(set_name, {})[thing] = None

    def things(self, set_name):
        """Names of the things that a set has now."""
        with self._lock:
            return list(self._sets.get(set_name, ()))

    def declare(self, sets):
        """Axes and columns of sets, as in the header; before their first use."""
        line = _text({"sets": sets})
        with self._lock:
            self._declared.append(line)
            self._add(line)

    # -- a world ------------------------------------------------------------

    def spawn(self, id, type, at, **fields):
        """A thing appears: `look`, `head`, `onGround`, `uuid`, `name`."""
        self.tell("spawn", id=id, type=type, at=at, **fields)

    def join(self, id, uuid, name, at, **fields):
        """A player joins: `look`, `head`, `onGround`, `properties`."""
        self.tell("join", id=id, uuid=uuid, name=name, at=at, **fields)

    def leave(self, id):
        self.tell("leave", id=id)

    def remove(self, id):
        self.tell("remove", id=id)

    def move(self, id, **fields):
        """`at`, `look`, `head`, `onGround`; only what differs is sent."""
        self.tell("move", id=id, **fields)

    def teleport(self, id, at, **fields):
        self.tell("teleport", id=id, at=at, **fields)

    def state(self, id, **fields):
        """`pose`, `flags`."""
        self.tell("state", id=id, **fields)

    def equipment(self, id, items):
        self.tell("equipment", id=id, items=items)

    def vitals(self, id, health, food, xp):
        self.tell("vitals", id=id, health=health, food=food, xp=xp)

    def mount(self, id, passengers):
        self.tell("mount", id=id, passengers=passengers)

    def block(self, at, state):
        self.tell("block", at=at, state=state)

    def clear_blocks(self):
        """All edits of blocks are undone."""
        with self._lock:
            for what in [what for what in self._things.get(None, ()) if what[0] == "block"]:
                del self._things[None][what]
                self._owed.pop((None, what), None)
            self._add('{"clearBlocks":true}')

    def dimension(self, name):
        """As `minecraft:the_nether`."""
        with self._lock:
            held = self._things.setdefault(None, {})
            if held.get(("dimension",)) != ("dimension", name):
                held[("dimension",)] = ("dimension", name)
                self._line(None, ("dimension",), "dimension", name)

    def world(self, **fields):
        """`time`, `weather`."""
        self.tell("world", **fields)

    def chat(self, text, **fields):
        """`sender` is the line's `from`, a name of Python's own."""
        if "sender" in fields:
            fields["from"] = fields.pop("sender")
        self.tell("chat", text=text, **fields)

    def mark(self, label, **fields):
        """A moment worth finding again: `kind`, `id`, `severity`."""
        self._happen("mark", dict(fields, label=label))

    def tell(self, kind, /, **fields):
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

    def event(self, channel, value=None, data=None, version=None):
        """A message of a channel, whose name has a namespace: `value` as JSON, or `data` as bytes."""
        line = {"event": channel}
        if data is not None:
            import base64

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

    def commit(self):
        self._happen("commit", True)

    def snapshot(self):
        self._happen("snapshot", True)

    def session(self, reason):
        """Why the wall clock does not run evenly: `pause`, `resume`."""
        self._happen("session", reason)

    def versions(self, **fields):
        """`dataVersion`, `protocol`, `server` from the next tick on."""
        self._happen("versions", fields)

    @property
    def status(self):
        with self._lock:
            return self._status()

    @property
    def report(self):
        """What the recorder has answered to the end; None: nothing yet."""
        return self._link.report

    def close(self, outcome="completed", seconds=3.0):
        """Ends the recording, and waits as long at most for the recorder to take everything. Gives the status."""
        with self._lock:
            if self._closed:
                return self._status()
            self._hand_over(is_last=True)
            self._closed = True
            if self._present is not None:
                self._present.offer(_text({"end": outcome}) + "\n", 1)
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

    def _status(self):
        link = self._link
        connection = link.current
        return Status(
            connection is not None,
            link.connections,
            link.sent,
            self._merged,
            self._dropped,
            link.lost,
            self._refused,
            0 if connection is None else connection.waiting,
        )

    def _begin(self, kind, number):
        number = _kept(number)
        with self._lock:
            if self._moment is not None or self._lines:
                self._hand_over()
            if not isinstance(number, (int, float)) or not math.isfinite(number):
                self._refused += 1
                return
            self._last = max(self._last, number)
            self._moment = (kind, self._last)

    def _add(self, line):
        """An event of the present tick."""
        if len(line) > LONGEST_LINE:
            self._refused += 1
        elif self._size > self._limit:
            self._dropped += 1
        else:
            self._put_line(None, line)

    def _put_line(self, held, line):
        self._lines.append((held, line))
        self._size += len(line)
        if self._size > 4 * LINE_LENGTH:
            self._hand_over()

    def _happen(self, kind, fields):
        line = _text({kind: _kept(fields)})
        with self._lock:
            self._add(line)

    def _hold(self, kind, fields):
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
            changed = {}
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

    def _come(self, kind, fields):
        owner = fields["id"]
        place = {key: fields[key] for key in ("id", "at", "look", "head", "onGround") if key in fields}
        with self._lock:
            if owner in self._things:
                fields["still"] = True
            self._things[owner] = {_COME: (kind, fields), _PLACE: ("move", place)}
            self._line(owner, _COME, kind, fields)

    def _go(self, kind, fields):
        owner = fields["id"]
        with self._lock:
            held = self._things.pop(owner, None)
            if held is None:
                self._refused += 1
            else:
                self._line(owner, _GO, kind, {"id": owner}, held[_COME])

    def _line(self, owner, what, kind, fields, came=None):
        self._put_line((owner, what, kind, came), _text({kind: fields}))

    def _lines_of_state(self):
        lines = []
        if self._new_values:
            lines += self._cut("set", self._new_values)
            self._new_values = {}
        # what is gone, first: a thing of the same name may be there again
        for changes in (self._old_things, {name: things for name, things in self._new_cells.items() if things}):
            if changes:
                lines += self._cut("entities", changes)
        self._old_things = {}
        self._new_cells = {}
        return lines

    def _cut(self, kind, members):
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

    def _has_room(self):
        waiting = self._present.waiting
        if not self._is_behind and waiting > self._limit:
            self._is_behind = True
            self._log("the recorder does not keep up; ticks are merged")
        elif self._is_behind and waiting < self._limit // 2:
            self._is_behind = False
            self._log("the recorder keeps up again; %d ticks were merged" % (self._gap or {"ticks": 0})["ticks"])
        return not self._is_behind

    def _hand_over(self, is_last=False):
        if self._closed:
            return
        is_new = self._meet()
        if self._moment is None and not (self._lines or self._new_values or self._new_cells or self._old_things):
            return
        if self._present is None or not (is_last or self._has_room()):
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
            lines.append(_text({"event": GAP, "value": self._gap_value()}))
            self._gap = None
        removed, removals = self._removals()
        lines += removed
        lines += self._lines_owed()
        lines += [line for _, line in self._lines]
        lines += removals
        lines += self._lines_of_state()
        self._present.offer("\n".join(lines) + "\n", len(lines))
        self._lines = []
        self._size = 0
        self._has_sent = True
        self._after = self._after if self._moment is None else self._moment[1]

    def _gap_value(self):
        gap = dict(self._gap)
        gap["seconds"] = round(clock.monotonic() - gap.pop("since"), 3)
        return gap

    def _keep(self):
        """There is no room: what holds is owed, what happened is dropped. All of it is counted."""
        self._merged += 1
        if self._gap is None:
            why = "no connection" if self._present is None else "the recorder did not keep up"
            self._gap = {"why": why, "since": clock.monotonic(), "ticks": 0, "events": 0}
            if self._after is not None:
                self._gap["after"] = self._after
        self._gap["ticks"] += 1
        events = len(self._fold())
        self._dropped += events
        self._gap["events"] += events

    def _fold(self):
        """What lines of this tick say of things and values is owed now. Gives the others."""
        events = []
        lines, self._lines, self._size = self._lines, [], 0
        for held, line in lines:
            if held is None:
                events.append((None, line))
            else:
                owner, what, kind, came = held
                if what == _GO:
                    # a thing of which the recorder knows nothing need not be removed
                    if (owner, _COME) not in self._owed:
                        self._gone[owner] = (kind, came)
                    self._owed = {key: None for key in self._owed if key[0] != owner}
                else:
                    self._owed[(owner, what)] = None
        return events

    def _removals(self):
        """Lines that remove what is gone: of things that are there again first, of others behind the events."""
        first, last = [], []
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

    def _lines_owed(self):
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

    def _meet(self):
        """Whether the connection is another than before: everything is owed to it."""
        now = self._link.current
        if now is self._present:
            return False
        self._present = now
        if now is None:
            self._is_behind = False
            return False
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
        self._is_behind = False
        self._new_values = dict(self._values)
        self._old_things = {}
        self._new_cells = {name: {thing: dict(row) for thing, row in of.items()} for name, of in self._sets.items()}
        self._owed = {(owner, what): None for owner, held in self._things.items() for what in held}
        return True


class _Connection:
    """One connection: a queue that the simulator fills, and the writer empties."""

    def __init__(self, out):
        self.out = out
        self.waiting = 0
        self.is_over = False
        self.queue = collections.deque()
        self.ready = threading.Condition()

    def offer(self, text, lines):
        data = text.encode("ascii")
        with self.ready:
            self.queue.append((data, lines))
            self.waiting += len(data)
            self.ready.notify()

    def end(self):
        with self.ready:
            self.is_over = True
            self.ready.notify()


class _Link:
    """Connects, and connects again, until it is closed."""

    def __init__(self, to, first, log, answers):
        self.to = to
        self.first = ("\n".join(first) + "\n").encode("ascii")
        self.log = log
        self.answers = answers
        self.current = None
        self.connections = 0
        self.sent = 0
        self.lost = 0
        self.broken = clock.monotonic()
        self.report = None
        self._lost_before = 0
        self._first = threading.Event()
        self._closing = threading.Event()
        self._deadline = None
        self._is_socket = to.startswith(("tcp://", "unix:"))
        if "://" in to and not to.startswith("tcp://"):
            raise ValueError("expected tcp://host:port, unix:path, - or the path of a file, found " + to)
        self._address = _address(to) if self._is_socket else None
        self._thread = threading.Thread(target=self._run, name="simtape writer", daemon=True)

    def start(self, wait):
        self._thread.start()
        self._first.wait(wait)

    def take_lost(self):
        lost = self.lost - self._lost_before
        self._lost_before = self.lost
        return lost

    def close(self, seconds):
        self._deadline = clock.monotonic() + seconds
        self._closing.set()
        connection = self.current
        if connection is not None:
            with connection.ready:
                connection.ready.notify()
        self._thread.join(seconds + 1)

    def _run(self):
        if hasattr(signal, "pthread_sigmask") and hasattr(signal, "SIGPIPE"):
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
        pause = FIRST_PAUSE
        said = False
        while not self._closing.is_set():
            began = clock.monotonic()
            why = "the recorder has closed it"
            connection = None
            try:
                connection = _Connection(self._open())
                self._write(connection, self.first)
                self.connections += 1
                self.current = connection
                self._first.set()
                if self._is_socket:
                    self.log("connected to " + self.to)
                    threading.Thread(target=self._read, args=(connection,), name="simtape answers", daemon=True).start()
                said = False
                self._pump(connection)
            except (OSError, ValueError) as error:
                why = str(error)
            self.current = None
            self.broken = clock.monotonic()
            if connection is not None:
                self.lost += sum(lines for _, lines in connection.queue)
                self._shut(connection)
            if self._closing.is_set():
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
            self._closing.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _open(self):
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

    def _shut(self, connection):
        connection.end()
        try:
            os.close(connection.out) if isinstance(connection.out, int) else connection.out.close()
        except OSError:
            pass

    def _is_late(self):
        return self._deadline is not None and clock.monotonic() > self._deadline

    def _write(self, connection, data):
        view = memoryview(data)
        while view:
            if connection.is_over:
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

    def _pump(self, connection):
        while not connection.is_over and not self._is_late():
            with connection.ready:
                if not connection.queue:
                    if self._closing.is_set():
                        break
                    connection.ready.wait(0.5)
                    continue
                data, lines = connection.queue[0]
            self._write(connection, data)
            with connection.ready:
                connection.queue.popleft()
                connection.waiting -= len(data)
            self.sent += lines
        if self._closing.is_set() and self._is_socket and not connection.is_over and not connection.queue:
            connection.out.shutdown(socket.SHUT_WR)
            while not connection.is_over and not self._is_late():
                with connection.ready:
                    connection.ready.wait(0.05)

    def _read(self, connection):
        rest = b""
        try:
            while not connection.is_over:
                try:
                    data = connection.out.recv(65536)
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
        connection.end()

    def _answer(self, line):
        self.answers(line)
        try:
            answer = json.loads(line)
        except ValueError:
            return
        if isinstance(answer, dict) and "error" in answer:
            self.log("the recorder answers: %s" % answer["error"])
        elif isinstance(answer, dict) and "outcome" in answer:
            self.report = answer


def _is_pipe(path):
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def _address(to):
    if to.startswith("unix:"):
        return "unix", to[5:]
    host, _, port = to[6:].rpartition(":")
    if not port.isdigit():
        raise ValueError("expected tcp://host:port, found " + to)
    return "tcp", (host.strip("[]") or "127.0.0.1", int(port))


def _kept(value):
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


def _same(a, b):
    return (a == b and type(a) is type(b)) or (a != a and b != b)


def _is_name(name):
    """Whether a recorder takes it for the name of a set, thing, column or value."""
    return 0 < len(name) <= 256


#: What a recorder takes for the name of a channel.
_CHANNEL = re.compile(r"(?!simtape:)[^:\s]+:\S+\Z")


def _is_off(value):
    """Whether there is a number in it that is infinite or no number."""
    if isinstance(value, list):
        return any(_is_off(item) for item in value)
    return isinstance(value, float) and not math.isfinite(value)


_INFINITE = "\ue000infinite"


def _text(value):
    """A line: ASCII only, so any text arrives as it is. NaN is null, infinite is 1e999, which JSON readers take for it."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), separators=(",", ":"), allow_nan=False)
        plus, minus = json.dumps("+" + _INFINITE), json.dumps("-" + _INFINITE)
        return text.replace(plus, "1e999").replace(minus, "-1e999")


def _finite(value):
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("+" if value > 0 else "-") + _INFINITE
    return value
