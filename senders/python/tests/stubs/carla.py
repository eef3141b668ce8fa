"""As much of CARLA's Python package as `carla_sender.py` uses, with the shapes of its documentation, and one scene behind
it instead of a server. It is no simulator: each actor follows a formula, so that a test knows what a recording must hold.

The scene: 120 frames of 50 ms. `CARLA_STUB_PACE` is the seconds of the wall clock that a frame takes, `CARLA_STUB_RELOAD`
the frame at which the server loads another map.
"""

import enum
import math
import os
import struct
import threading
import time

FRAMES = 120
STEP = 0.05
FIRST = 1000


def _float(number):
    """As the server sends it: 32 bits."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


class Vector3D:
    def __init__(self, x=0.0, y=0.0, z=0.0):
        self.x, self.y, self.z = _float(x), _float(y), _float(z)


class Location(Vector3D):
    pass


class Rotation:
    def __init__(self, pitch=0.0, yaw=0.0, roll=0.0):
        self.pitch, self.yaw, self.roll = _float(pitch), _float(yaw), _float(roll)


class Transform:
    def __init__(self, location=None, rotation=None):
        self.location = location or Location()
        self.rotation = rotation or Rotation()


class BoundingBox:
    def __init__(self, location, extent):
        self.location, self.extent = location, extent


class GeoLocation:
    def __init__(self, latitude=0.0, longitude=0.0, altitude=0.0):
        self.latitude, self.longitude, self.altitude = latitude, longitude, altitude


class VehicleControl:
    def __init__(
        self, throttle=0.0, steer=0.0, brake=0.0, hand_brake=False, reverse=False, manual_gear_shift=False, gear=0
    ):
        self.throttle, self.steer, self.brake = _float(throttle), _float(steer), _float(brake)
        self.hand_brake, self.reverse = hand_brake, reverse
        self.manual_gear_shift, self.gear = manual_gear_shift, gear


class WalkerControl:
    def __init__(self, direction=None, speed=0.0, jump=False):
        self.direction, self.speed, self.jump = direction or Vector3D(1.0), _float(speed), jump


class VehicleLightState(enum.IntFlag):
    NONE = 0
    Position = 1
    LowBeam = 2
    HighBeam = 4
    Brake = 8
    RightBlinker = 16
    LeftBlinker = 32
    Reverse = 64
    Fog = 128
    Interior = 256
    Special1 = 512
    Special2 = 1024


class TrafficLightState(enum.IntEnum):
    Red = 0
    Yellow = 1
    Green = 2
    Off = 3
    Unknown = 4


class WeatherParameters:
    def __init__(self, **members):
        self.cloudiness = 10.0
        self.precipitation = 0.0
        self.precipitation_deposits = 0.0
        self.wind_intensity = 5.0
        self.sun_azimuth_angle = 90.0
        self.sun_altitude_angle = 45.0
        self.fog_density = 0.0
        self.fog_distance = 0.0
        self.fog_falloff = 0.0
        self.wetness = 0.0
        self.scattering_intensity = 1.0
        self.mie_scattering_scale = 0.0
        self.rayleigh_scattering_scale = 0.0
        self.dust_storm = 0.0
        self.__dict__.update(members)


class Timestamp:
    def __init__(self, frame, elapsed_seconds, delta_seconds, platform_timestamp):
        self.frame, self.frame_count = frame, frame
        self.elapsed_seconds, self.delta_seconds = elapsed_seconds, delta_seconds
        self.platform_timestamp = platform_timestamp


class ActorSnapshot:
    def __init__(self, id, transform, velocity, angular_velocity):
        self.id = id
        self._transform, self._velocity, self._angular = transform, velocity, angular_velocity

    def get_transform(self):
        return self._transform

    def get_velocity(self):
        return self._velocity

    def get_angular_velocity(self):
        return self._angular

    def get_acceleration(self):
        return Vector3D()


class WorldSnapshot:
    def __init__(self, id, timestamp, actors):
        self.id, self.frame, self.timestamp = id, timestamp.frame, timestamp
        self._actors = actors

    def __iter__(self):
        return iter(self._actors.values())

    def __len__(self):
        return len(self._actors)

    def has_actor(self, id):
        return id in self._actors

    def find(self, id):
        return self._actors.get(id)


class Actor:
    def __init__(self, world, id, type_id, attributes=None, parent=None, frames=(0, FRAMES)):
        self._world = world
        self.id, self.type_id, self.parent = id, type_id, parent
        self.attributes = attributes or {}
        self.semantic_tags = []
        self._frames = frames
        self._is_gone = False

    @property
    def is_alive(self):
        return not self._is_gone

    def is_in(self, step):
        return self._frames[0] <= step < self._frames[1] and not self._is_gone

    def _step(self):
        """The client's own copy of the world; it throws for what was destroyed, as CARLA's does."""
        if not self.is_in(self._world.step):
            raise RuntimeError("trying to operate on a destroyed actor; an actor's function was called, but the actor is already destroyed.")
        return self._world.step

    def place(self, step):
        return Transform(Location(1.0, 2.0, 3.0)), Vector3D(), Vector3D()

    def destroy(self):
        self._is_gone = True
        return True


class Vehicle(Actor):
    def __init__(self, world, id, type_id, attributes, lane, frames=(0, FRAMES)):
        super().__init__(world, id, type_id, attributes, None, frames)
        self.bounding_box = BoundingBox(Location(0.0, 0.0, 0.75), Vector3D(2.4, 1.05, 0.75))
        self._lane = lane

    def place(self, step):
        transform = Transform(Location(step * 0.5, self._lane + step * 0.01, 0.25), Rotation(1.5, (step * 3) % 360 - 180, -0.5))
        return transform, Vector3D(10.0, 0.2, 0.0), Vector3D(0.0, 0.0, 60.0)

    def get_control(self):
        step = self._step()
        return VehicleControl(
            throttle=step / 240, steer=math.sin(step / 10) / 2, brake=0.75 if step % 30 > 20 else 0.0,
            hand_brake=step % 50 == 0, reverse=step > 100, gear=step // 30 + 1 if step <= 100 else 1,
        )

    def get_light_state(self):
        return light_state(self.id, self._step())


def light_state(id, step):
    return VehicleLightState((VehicleLightState.Brake if step % 30 > 20 else 0) | VehicleLightState.LowBeam | (id % 2 and 32))


class Walker(Actor):
    def __init__(self, world, id, type_id, attributes):
        super().__init__(world, id, type_id, attributes)
        self.bounding_box = BoundingBox(Location(), Vector3D(0.19, 0.19, 0.93))

    def place(self, step):
        return Transform(Location(-5.0, step * 0.07, 0.93), Rotation(0.0, 90.0, 0.0)), Vector3D(0.0, 1.4, 0.0), Vector3D()

    def get_control(self):
        return WalkerControl(speed=1.0 + self._step() / 100)


class TrafficSign(Actor):
    def __init__(self, world, id, type_id):
        super().__init__(world, id, type_id)
        self.trigger_volume = BoundingBox(Location(-2.0, 0.5, 1.0), Vector3D(1.0, 3.0, 1.5))
        self.bounding_box = BoundingBox(Location(), Vector3D(0.3, 0.3, 2.0))


class TrafficLight(TrafficSign):
    def get_state(self):
        return TrafficLightState((self._step() // 40) % 3)

    def get_elapsed_time(self):
        return _float(self._step() % 40 * STEP)

    def is_frozen(self):
        return self._step() >= 100

    def get_green_time(self):
        return 10.0

    def get_yellow_time(self):
        return 3.0

    def get_red_time(self):
        return 2.0


class CollisionEvent:
    def __init__(self, frame, timestamp, actor, other_actor, normal_impulse):
        self.frame, self.timestamp, self.transform = frame, timestamp, Transform()
        self.actor, self.other_actor, self.normal_impulse = actor, other_actor, normal_impulse


class Sensor(Actor):
    def __init__(self, world, id, type_id, parent):
        super().__init__(world, id, type_id, {"role_name": "front"}, parent)
        self.callback = None

    def listen(self, callback):
        self.callback = callback

    def stop(self):
        self.callback = None


class ActorBlueprint:
    def __init__(self, id):
        self.id = id


class BlueprintLibrary:
    def find(self, id):
        return ActorBlueprint(id)


class Map:
    def __init__(self, name):
        self.name = name

    def transform_to_geolocation(self, location):
        return GeoLocation(42.0 + location.y / 111000, 2.0 + location.x / 83000, location.z)


class ActorList(list):
    def filter(self, pattern):
        return ActorList(actor for actor in self if actor.type_id.startswith(pattern.rstrip("*")))


class World:
    def __init__(self, id, map_name, first_frame):
        self.id = id
        self.step = 0
        self._map = Map(map_name)
        self._first = first_frame
        self._callbacks = {}
        self._next_callback = 0
        self._next_actor = 200
        self._lock = threading.Lock()
        car = {"role_name": "hero", "color": "17,37,103", "number_of_wheels": "4"}
        bike = {"role_name": "autopilot", "color": "255,0,0", "number_of_wheels": "2"}
        self.hero = Vehicle(self, 10, "vehicle.tesla.model3", car, 0.0)
        self.other = Vehicle(self, 11, "vehicle.yamaha.yzf", bike, 4.0, (20, 80))
        self.wall = Actor(self, 0, "static.wall")
        self.actors = {
            actor.id: actor
            for actor in (
                Actor(self, 1, "spectator"),
                self.hero,
                self.other,
                Walker(self, 30, "walker.pedestrian.0012", {"role_name": 'a "quoted" name\n', "speed": "1.4"}),
                TrafficLight(self, 40, "traffic.traffic_light"),
                TrafficSign(self, 41, "traffic.stop"),
                Actor(self, 50, "static.prop.streetbarrier"),
                Sensor(self, 60, "sensor.camera.rgb", self.hero),
            )
        }

    def get_map(self):
        return self._map

    def get_blueprint_library(self):
        return BlueprintLibrary()

    def get_weather(self):
        return WeatherParameters(cloudiness=10.0 + self.step // 60)

    def get_actors(self, ids=None):
        with self._lock:
            there = [id for id in (ids or self.actors) if id in self.actors]
            return ActorList(self.actors[id] for id in there if self.actors[id].is_in(self.step))

    def get_actor(self, id):
        return self.actors.get(id)

    def spawn_actor(self, blueprint, transform, attach_to=None):
        with self._lock:
            sensor = Sensor(self, self._next_actor, blueprint.id, attach_to)
            self._next_actor += 1
            self.actors[sensor.id] = sensor
        return sensor

    def get_vehicles_light_states(self):
        return {
            actor.id: light_state(actor.id, self.step)
            for actor in self.actors.values()
            if isinstance(actor, Vehicle) and actor.is_in(self.step)
        }

    def on_tick(self, callback):
        self._next_callback += 1
        self._callbacks[self._next_callback] = callback
        return self._next_callback

    def remove_on_tick(self, id):
        self._callbacks.pop(id, None)

    def has_listeners(self):
        return bool(self._callbacks)

    def tick_to(self, step):
        self.step = step
        with self._lock:
            there = {actor.id: ActorSnapshot(actor.id, *actor.place(step)) for actor in self.actors.values() if actor.is_in(step)}
        stamp = Timestamp(self._first + step, 1.0 + step * STEP, STEP, 5000.0 + step * STEP)
        snapshot = WorldSnapshot(self.id, stamp, there)
        for callback in list(self._callbacks.values()):
            callback(snapshot)
        if step == 60:
            self._collide(stamp, self.hero, self.other)
            self._collide(stamp, self.other, self.hero)
        if step == 90:
            self._collide(stamp, self.hero, self.wall)

    def _collide(self, stamp, actor, other):
        for sensor in list(self.actors.values()):
            if isinstance(sensor, Sensor) and sensor.parent is actor and sensor.callback is not None:
                sensor.callback(CollisionEvent(stamp.frame, stamp.elapsed_seconds, actor, other, Vector3D(1500.0, -20.0, 0.5)))


class Client:
    def __init__(self, host="127.0.0.1", port=2000, worker_threads=0):
        self._world = World(1, "Carla/Maps/Town10HD", FIRST)
        threading.Thread(target=self._run, daemon=True).start()

    def set_timeout(self, seconds):
        pass

    def get_server_version(self):
        return "0.9.15"

    def get_client_version(self):
        return "0.9.15"

    def get_world(self):
        return self._world

    def _run(self):
        """One scene after the other; each begins when it is watched."""
        pace = float(os.environ.get("CARLA_STUB_PACE", "0.01"))
        reload = int(os.environ.get("CARLA_STUB_RELOAD", FRAMES))
        self._play(reload, pace)
        if reload < FRAMES:
            self._world = World(2, "Carla/Maps/Town01", 0)
            self._play(FRAMES, pace)

    def _play(self, frames, pace):
        world = self._world
        while not world.has_listeners():
            time.sleep(0.001)
        for step in range(frames):
            world.tick_to(step)
            time.sleep(pace)
