#!/usr/bin/env python3
"""Records a running CARLA server: `simtape record out --input tcp://127.0.0.1:9100`, and beside it

    python3 carla_sender.py --host 127.0.0.1 --port 2000 --to tcp://127.0.0.1:9100 --duration 60

A client script: it watches every tick and changes nothing, but for a collision sensor on each vehicle (`--collisions`).
`simtape convert` makes a log of CARLA from the recording, with poses, controls, lights and collisions.

Needs `simtape_sender.py` beside it and CARLA's own Python package. It was tested with a stand-in for that package, made
after CARLA's documentation of 0.9.10 to 0.9.15; it has not been run against the real server. MIT licence, see LICENSE of
simtape.
"""

import argparse
import collections
import math
import queue
import signal
import sys
import threading
import time as clock

import carla

from simtape_sender import Sender

#: Centimetres have four decimals at most: a float of CARLA's is coarser from 16 metres on.
CENTIMETRES = 100
#: A collision with what is no actor.
NO_ACTOR = 0xFFFFFFFF
#: Ticks a second of a recording: what happens between two is recorded at the later one.
RATE = 20
#: Frames that may wait here; with more, the oldest is left out and counted.
MOST_FRAMES = 64
#: Seconds after which a frame is sent although the next has not come.
HOLD = 0.2
#: Seconds without a frame after which the world is looked for again: another map has another world.
SILENCE = 2.0

AXES = {
    "handed": "left",
    "up": "z",
    "kind": "local",
    "angles": {"order": "yaw-pitch-roll", "roll": "right", "pitch": "up", "yaw": "right", "zero": "x"},
    "velocities": "set",
}


def _number(kind, unit=None, interpolation=None, width=1):
    column = {"kind": kind, "width": width}
    if unit is not None:
        column["unit"] = unit
    if interpolation is not None:
        column["interpolation"] = interpolation
    return column


_PLACE = {
    "position": _number("f64", "cm", "linear", 3),
    "rotation": _number("f64", "deg", "angle-deg", 3),
    "kind": {"kind": "string"},
    "label": {"kind": "string"},
    "parent": _number("f64"),
}
_MOTION = {
    "velocity": _number("f64", "m/s", None, 3),
    "angular-velocity": _number("f64", "deg/s", None, 3),
    "box-center": _number("f64", "cm", None, 3),
    "box-extent": _number("f64", "cm", None, 3),
}
_RATIO = _number("f32", None, "linear")
_TRIGGER = {"trigger-center": _number("f64", "cm", None, 3), "trigger-extent": _number("f64", "cm", None, 3)}
#: The columns that a log of CARLA has for each kind of actor, as simtape reads them.
COLUMNS = {
    "vehicles": {
        **_PLACE,
        **_MOTION,
        "steering": _RATIO,
        "throttle": _RATIO,
        "brake": _RATIO,
        "handbrake": _number("u8"),
        "gear": _number("i32"),
        "lights": _number("u32"),
    },
    "walkers": {**_PLACE, **_MOTION, "speed": _number("f32", "cm/s", "linear")},
    "traffic-lights": {
        **_PLACE,
        **_TRIGGER,
        "state": _number("u8"),
        "frozen": _number("u8"),
        "state-time": _number("f32", "s"),
        "green-time": _number("f32", "s"),
        "yellow-time": _number("f32", "s"),
        "red-time": _number("f32", "s"),
    },
    "traffic-signs": {**_PLACE, **_TRIGGER},
    "sensors": _PLACE,
    "other": _PLACE,
}
SETS = {name: {"axes": AXES, "columns": columns} for name, columns in COLUMNS.items()}

#: Members of carla.WeatherParameters, by the value that they become.
WEATHER = {
    "weather/cloudiness": "cloudiness",
    "weather/precipitation": "precipitation",
    "weather/precipitation-deposits": "precipitation_deposits",
    "weather/wind-intensity": "wind_intensity",
    "weather/sun-azimuth-angle": "sun_azimuth_angle",
    "weather/sun-altitude-angle": "sun_altitude_angle",
    "weather/fog-density": "fog_density",
    "weather/fog-distance": "fog_distance",
    "weather/fog-falloff": "fog_falloff",
    "weather/wetness": "wetness",
    "weather/scattering-intensity": "scattering_intensity",
    "weather/mie-scattering-scale": "mie_scattering_scale",
    "weather/rayleigh-scattering-scale": "rayleigh_scattering_scale",
    "weather/dust-storm": "dust_storm",
}


def set_of(type_id):
    """The set of an actor, by its blueprint."""
    if type_id.startswith("vehicle."):
        return "vehicles"
    if type_id.startswith("walker."):
        return "walkers"
    if type_id.startswith("traffic.traffic_light"):
        return "traffic-lights"
    if type_id.startswith("traffic."):
        return "traffic-signs"
    if type_id.startswith("sensor."):
        return "sensors"
    return "other"


def centimetres(vector):
    return [round(vector.x * CENTIMETRES, 4), round(vector.y * CENTIMETRES, 4), round(vector.z * CENTIMETRES, 4)]


def box_cells(box, center, extent):
    return {} if box is None else {center: centimetres(box.location), extent: centimetres(box.extent)}


def origin_of(map_):
    """Where the map's zero lies on the earth: degrees, metres. None: the map does not say."""
    try:
        place = map_.transform_to_geolocation(carla.Location(0.0, 0.0, 0.0))
    except (AttributeError, RuntimeError):
        return None
    return {"latitude": place.latitude, "longitude": place.longitude, "altitude": place.altitude}


class Frame:
    """A snapshot, and what its actors were doing then."""

    __slots__ = ("snapshot", "controls", "lights")

    def __init__(self, snapshot, controls):
        self.snapshot = snapshot
        self.controls = controls
        self.lights = {}


class CarlaRecorder:
    """Watches one server, and sends what it does."""

    def __init__(self, client, out, collisions="vehicles", lights=0.0, weather=1.0, log=None):
        self._client = client
        self._out = out
        self._collisions = collisions
        self._every = {"lights": lights, "weather": weather}
        self._due = {"lights": -math.inf, "weather": -math.inf}
        self._log = log or (lambda sentence: print("carla_sender: " + sentence, file=sys.stderr))
        self._frames = queue.Queue()
        self._missed = 0
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        # by actor id
        self._actors = {}
        self._sets = {}
        self._shown = set()
        self._sensors = {}
        self._own = set()
        # (frame, fields) of collisions that wait for their frame
        self._hits = collections.deque()
        self._slot = None
        self._in_slot = []
        self._count = 0
        self._shift = 0.0
        self._last = None
        self.frames = 0
        self._world = None
        self._watch = None

    def run(self, duration=math.inf):
        """Until `stop`, or for so many seconds of the simulation."""
        self._begin()
        held = None
        first = None
        heard = clock.monotonic()
        try:
            while not self._stopped.is_set():
                try:
                    frame = self._frames.get(timeout=HOLD)
                    heard = clock.monotonic()
                except queue.Empty:
                    frame = None
                # new actors are known to the callback of the next tick already
                if frame is not None:
                    self._register(frame.snapshot)
                    frame.lights = self._look_at_lights(frame.snapshot.timestamp.elapsed_seconds)
                # a frame is held until the next has come: its collisions arrive on a way of their own
                if held is not None:
                    at = self._write(held)
                    first = at if first is None else first
                    if at - first >= duration:
                        return
                held = frame
                if frame is None and clock.monotonic() - heard > SILENCE:
                    heard = clock.monotonic()
                    self._begin_again()
            if held is not None:
                self._write(held)
        finally:
            self._end()

    def stop(self):
        self._stopped.set()

    # -- the world ---------------------------------------------------------

    def _begin(self):
        self._watch_world(self._client.get_world())

    def _watch_world(self, world):
        self._world = world
        for actor in world.get_actors():
            self._add(actor)
        self._watch = world.on_tick(self._on_tick)

    def _begin_again(self):
        """The server is silent: it may be paused, or have another world, or be gone."""
        try:
            world = self._client.get_world()
        except RuntimeError as error:
            self._log("the server does not answer: %s" % error)
            return
        if world.id == self._world.id:
            return
        self._log("the server has another world")
        for id in list(self._actors):
            self._remove(id)
        self._sensors.clear()
        self._own.clear()
        self._out.event("carla:world", {"map": world.get_map().name})
        self._due = dict.fromkeys(self._due, -math.inf)
        self._watch_world(world)

    def _end(self):
        try:
            self._world.remove_on_tick(self._watch)
        except RuntimeError:
            pass
        for id in list(self._sensors):
            self._unhook(id)
        if self._missed > 0:
            self._out.event("carla:missed", {"frames": self._missed})
            self._log("%d frames were left out, because there was no time for them" % self._missed)

    def _on_tick(self, snapshot):
        """Called by a thread of CARLA's client. What is read here is in the client already: no request is made."""
        controls = {}
        with self._lock:
            actors = list(self._actors.items())
        for id, actor in actors:
            control = self._control(id, actor)
            if control is not None:
                controls[id] = control
        if self._frames.qsize() >= MOST_FRAMES:
            try:
                self._frames.get_nowait()
                self._missed += 1
            except queue.Empty:
                pass
        self._frames.put(Frame(snapshot, controls))

    def _control(self, id, actor):
        """Cells of what an actor does, of which snapshots say nothing."""
        name = self._sets.get(id)
        try:
            if name == "vehicles":
                control = actor.get_control()
                gear = -1 if control.reverse and control.gear >= 0 else control.gear
                return {
                    "steering": control.steer,
                    "throttle": control.throttle,
                    "brake": control.brake,
                    "handbrake": bool(control.hand_brake),
                    "gear": gear,
                }
            if name == "walkers":
                return {"speed": actor.get_control().speed * CENTIMETRES}
            if name == "traffic-lights":
                return {
                    "state": int(actor.get_state()),
                    "frozen": bool(actor.is_frozen()),
                    "state-time": actor.get_elapsed_time(),
                    "green-time": actor.get_green_time(),
                    "yellow-time": actor.get_yellow_time(),
                    "red-time": actor.get_red_time(),
                }
        except RuntimeError:
            # it was destroyed meanwhile
            pass
        return None

    # -- frames ------------------------------------------------------------

    def _write(self, frame):
        """Sends a frame; gives its time in seconds."""
        out, snapshot = self._out, frame.snapshot
        stamp = snapshot.timestamp
        at = stamp.elapsed_seconds + self._shift
        if self._last is not None and at < self._last:
            # another episode counts from 0 again
            self._shift += self._last - at
            at = self._last
        self._last = at
        out.time(at)
        self._update_actors(snapshot)
        for actor in snapshot:
            if actor.id in self._own or actor.id not in self._sets:
                continue
            self._put(actor, frame)
        out.set("frame", snapshot.frame)
        out.set("frame-duration", stamp.delta_seconds)
        out.set("platform-time", stamp.platform_timestamp)
        self._put_collisions(snapshot.frame, at)
        self._look_at_weather(at)
        self.frames += 1
        return at

    def _put(self, snapshot, frame):
        id = snapshot.id
        name = self._sets[id]
        transform = snapshot.get_transform()
        turned = transform.rotation
        cells = {
            "position": centimetres(transform.location),
            "rotation": [turned.roll, turned.pitch, turned.yaw],
        }
        if name in ("vehicles", "walkers"):
            speed, turn = snapshot.get_velocity(), snapshot.get_angular_velocity()
            cells["velocity"] = [speed.x, speed.y, speed.z]
            cells["angular-velocity"] = [turn.x, turn.y, turn.z]
        if name in ("vehicles", "walkers", "traffic-lights"):
            # an actor that is new was not watched in its first tick: what it did then is unknown
            cells.update(frame.controls.get(id, {}))
        if name == "vehicles" and id in frame.lights:
            cells["lights"] = frame.lights[id]
        self._out.put(name, id, cells)

    def _register(self, snapshot):
        """Looks up actors that are new, before their frame is sent."""
        present = {actor.id for actor in snapshot}
        for id in [id for id in self._sets if id not in present and id not in self._shown]:
            self._remove(id)
        new = sorted(present.difference(self._sets, self._own))
        if new:
            for actor in self._world.get_actors(new):
                self._add(actor)

    def _update_actors(self, snapshot):
        present = {actor.id for actor in snapshot}
        for id in [id for id in self._shown if id not in present]:
            self._remove(id)
        for id in present:
            if id in self._sets and id not in self._shown:
                self._show(id)

    def _add(self, actor):
        id, name = actor.id, set_of(actor.type_id)
        with self._lock:
            self._actors[id] = actor
            self._sets[id] = name
        is_hit = self._collisions == "all" and name in ("vehicles", "walkers")
        if is_hit or (self._collisions == "vehicles" and name == "vehicles"):
            self._hook(actor)

    def _show(self, id):
        """What an actor is, with its first frame."""
        actor, name = self._actors[id], self._sets[id]
        attributes = dict(actor.attributes)
        cells = {"kind": actor.type_id, "label": attributes.get("role_name", "")}
        parent = actor.parent
        if parent is not None:
            cells["parent"] = parent.id
        if name in ("vehicles", "walkers"):
            cells.update(box_cells(getattr(actor, "bounding_box", None), "box-center", "box-extent"))
        if name in ("traffic-lights", "traffic-signs"):
            cells.update(box_cells(getattr(actor, "trigger_volume", None), "trigger-center", "trigger-extent"))
        self._out.put(name, id, cells)
        if attributes:
            self._out.set("attributes/%d" % id, attributes)
        self._shown.add(id)

    def _remove(self, id):
        with self._lock:
            self._actors.pop(id, None)
            name = self._sets.pop(id)
        if id in self._shown:
            self._shown.discard(id)
            self._out.take_away(name, id)
            self._out.set("attributes/%d" % id, None)
        if id in self._sensors:
            self._unhook(id)

    def _look_at_lights(self, at):
        """By id, as they are now; one request for all vehicles."""
        if not self._is_due("lights", at) or "vehicles" not in self._sets.values():
            return {}
        try:
            states = self._world.get_vehicles_light_states()
        except (AttributeError, RuntimeError) as error:
            self._log("no lights of vehicles: %s" % error)
            self._every["lights"] = None
            return {}
        pairs = states.items() if hasattr(states, "items") else states
        return {id: int(state) for id, state in pairs}

    def _look_at_weather(self, at):
        if not self._is_due("weather", at):
            return
        weather = self._world.get_weather()
        for path, member in WEATHER.items():
            if hasattr(weather, member):
                self._out.set(path, getattr(weather, member))

    def _is_due(self, what, at):
        every = self._every[what]
        if every is None or at < self._due[what]:
            return False
        self._due[what] = at + every
        return True

    # -- collisions --------------------------------------------------------

    def _hook(self, actor):
        blueprint = self._world.get_blueprint_library().find("sensor.other.collision")
        try:
            sensor = self._world.spawn_actor(blueprint, carla.Transform(), attach_to=actor)
        except RuntimeError as error:
            self._log("no collision sensor on %d: %s" % (actor.id, error))
            return
        self._own.add(sensor.id)
        self._sensors[actor.id] = sensor
        sensor.listen(self._on_collision)

    def _unhook(self, id):
        sensor = self._sensors.pop(id)
        try:
            sensor.stop()
            sensor.destroy()
        except RuntimeError:
            # it went with its vehicle
            pass

    def _on_collision(self, event):
        """Called by a thread of CARLA's client."""
        other = event.other_actor
        impulse = event.normal_impulse
        self._hits.append(
            (
                event.frame,
                {
                    "actor": event.actor.id,
                    "other": other.id if other is not None and other.id != 0 else None,
                    "kind": "" if other is None else other.type_id,
                    "impulse": [impulse.x, impulse.y, impulse.z],
                    "time": event.timestamp,
                },
            )
        )

    def _put_collisions(self, frame, at):
        slot = math.ceil(at * RATE - 1e-4)
        if slot != self._slot:
            self._slot = slot
            self._in_slot = []
        pairs = {}
        while self._hits and self._hits[0][0] <= frame:
            when, hit = self._hits.popleft()
            # each of two vehicles has a sensor: the second of them says the same again
            pair = (when, frozenset((hit["actor"], hit["other"])))
            if pairs.setdefault(pair, hit["actor"]) != hit["actor"]:
                continue
            self._count += 1
            other = NO_ACTOR if hit["other"] is None else hit["other"]
            first, second = self._is_hero(hit["actor"]), self._is_hero(other)
            collision = {"collision": self._count, "id1": hit["actor"], "id2": other}
            self._in_slot = self._in_slot + [dict(collision, isHero1=first, isHero2=second)]
            self._out.event("carla:collision", dict(hit, frame=when))
        self._out.set("collisions", self._in_slot)

    def _is_hero(self, id):
        actor = self._actors.get(id)
        return actor is not None and actor.attributes.get("role_name") == "hero"


def main(words=None):
    parser = argparse.ArgumentParser(description="Sends what a CARLA server does to simtape record.")
    parser.add_argument("--host", default="127.0.0.1", help="of the CARLA server (127.0.0.1)")
    parser.add_argument("-p", "--port", type=int, default=2000, help="of the CARLA server (2000)")
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds to wait for an answer of CARLA (10)")
    parser.add_argument(
        "--to", default="tcp://127.0.0.1:9100", help="tcp://host:port, unix:path, - or a file (tcp://127.0.0.1:9100)"
    )
    parser.add_argument("--token", help="the token of simtape record --token")
    parser.add_argument("--duration", type=float, default=math.inf, help="seconds of the simulation (until Ctrl-C)")
    parser.add_argument(
        "--collisions",
        choices=("none", "vehicles", "all"),
        default="vehicles",
        help="which actors get a collision sensor: none, vehicles, or all with walkers (vehicles)",
    )
    parser.add_argument("--lights", type=float, default=0.0, help="seconds between two looks at the lights (each tick)")
    parser.add_argument("--weather", type=float, default=1.0, help="seconds between two looks at the weather (1)")
    options = parser.parse_args(words)

    client = carla.Client(options.host, options.port)
    client.set_timeout(options.timeout)
    map_ = client.get_world().get_map()
    about = {"map": map_.name.rpartition("/")[2], "path": map_.name, "version": client.get_server_version()}
    origin = origin_of(map_)
    if origin is not None:
        about["origin"] = origin
    server = "CARLA %s" % about["version"]
    with Sender(options.to, server=server, sets=SETS, metadata={"carla": about}, token=options.token) as out:
        recorder = CarlaRecorder(client, out, options.collisions, options.lights, options.weather)
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, lambda *_: recorder.stop())
        recorder.run(options.duration)
    print("%d frames, %d lines" % (recorder.frames, out.status.sent), file=sys.stderr)
    return 0 if out.status.dropped == out.status.lost == 0 else 3


if __name__ == "__main__":
    sys.exit(main())
