"""The simulations of the tests: `play.py SCENE TO [WORD…]`. Log and answers go to standard output, a line each."""

import json
import math
import os
import resource
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from simtape_sender import Sender

PLAYERS = 24


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def place(player, tick):
    return [player * 4 + tick * 0.125, 64 + tick % 8 / 16, 4 - player / 4]


def look(tick):
    return [tick % 64 * 5.625, 0]


def world(out):
    """24 players for three seconds, one of whom leaves."""
    for tick in range(60):
        out.tick(tick)
        for player in range(PLAYERS):
            id = "p%d" % player
            if tick == 0:
                uuid = "00000000-0000-4000-8000-%012d" % player
                out.join(id, uuid, "Player%d" % player, place(player, 0), look=look(0))
            elif tick < 50 or player + 1 < PLAYERS:
                out.move(id, at=place(player, tick), look=look(tick))
        if tick == 0:
            out.equipment("p1", {"0": "minecraft:stone"})
        if tick == 20:
            out.chat('half "way"\n', sender="p0")
        if tick == 30:
            out.mark("checkpoint", kind="checkpoint", id="p2")
        if tick == 40:
            out.block([1, 64, -3], "minecraft:oak_stairs[facing=north]")
        if tick == 41:
            out.world(weather=1)
        # no recorder takes such a place, or a thing that does not exist
        if tick == 42:
            out.move("p0", at=[math.nan, 64, 0])
        if tick == 43:
            out.move("ghost", at=place(0, 0))
        if tick == 49:
            out.leave("p23")


def state(out):
    """Drones at 50 ticks a second: exact numbers, values that are no numbers, and things that come and go."""
    for tick in range(100):
        out.tick(tick)
        y = math.nan if tick == 50 else 1.0
        z = math.inf if tick == 60 else -tick / 7
        out.put("drones", "one", position=[tick / 3, y, z], armed=tick >= 10)
        if 20 <= tick < 80:
            out.put("drones", "two", position=[0.1, 0.2, 1e-300], label='d"2"\n')
        if tick == 80:
            out.take_away("drones", "two")
        if tick == 90:
            out.take_away("drones", "one")
            out.put("drones", "one", position=[1, 2, 3])
        out.set("wind/speed", tick * 0.1)
        if tick == 70:
            out.set("wind/speed", None)
        if tick == 30:
            out.set("scenario", {"name": "crossing", "seeds": [1, math.nan, "three"]})
        if tick == 40:
            out.event("drones:gust", {"speed": 12.5}, version=2)
        if tick == 41:
            out.event("drones:image", data=b"\0\x01\xff\x7f")
        if tick == 42:
            out.event("no channel", 1)
        if tick == 43:
            out.put("drones", "", position=[1, 2, 3])


def flood(out):
    """One change of a value for each tick, far faster than any recorder, until a line is read."""
    most = slowest = 0
    for tick in range(60000):
        before = time.perf_counter()
        out.tick(tick)
        for id in range(4):
            out.put("drones", id, position=[tick, id, 0.5])
        if tick % 10 == 0:
            out.event("drones:note", tick)
        slowest = max(slowest, time.perf_counter() - before)
        if tick % 100 == 0:
            most = max(most, out.status.waiting)
    say("flooded %d %d %f" % (most, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, slowest))
    sys.stdin.readline()
    # the last tick has room when the recorder has taken half of what waited
    while out.status.waiting > 1 << 18:
        time.sleep(0.005)
    out.tick(60000)
    out.set("last", True)


def unbroken(out, is_world):
    """20 ticks a second until a line is read."""
    enough = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), enough.set()), daemon=True).start()
    tick = 0
    while not enough.is_set():
        out.tick(tick)
        if is_world:
            if tick == 0:
                out.spawn("cow", "minecraft:cow", place(0, 0))
                out.spawn("gone", "minecraft:pig", place(1, 0))
            else:
                out.move("cow", at=place(0, tick))
            if tick == 100:
                out.remove("gone")
        else:
            out.put("drones", "one", position=place(0, tick))
            if tick == 0:
                out.set("name", "unbroken")
            if tick == 5:
                out.put("drones", "still", position=place(1, 0))
            out.event("drones:tick", tick)
        time.sleep(0.02)
        tick += 1


def bench(out, lines):
    """Lines of 100 things, as many as asked for, as fast as it goes."""
    began = time.perf_counter()
    ticks = lines // 100
    for tick in range(ticks):
        out.tick(tick)
        for id in range(100):
            x = tick * 0.37 + id
            out.put("cars", id, position=[x, id * 3.1, 0.5], rotation=[0, 0, x], speed=x / 3)
    out.flush()
    seconds = time.perf_counter() - began
    say("bench %.0f things a second, %.1f us a tick of 100" % (ticks * 100 / seconds, seconds / ticks * 1e6))


def texts(out, words):
    out.tick(0)
    for i, word in enumerate(words):
        text = bytes.fromhex(word).decode("utf-8", "replace")
        out.put("things", i, label=text)
        out.put("things", bytes.fromhex(word)[:100].decode("utf-8", "replace"), label="key")
        out.event("play:text", text)


def main():
    scene, to, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    limit = {"flood": 1 << 20, "overflow": 4096, "bench": 1 << 30}.get(scene, 4 << 20)
    sets = {"drones": {"columns": {"position": "m", "armed": {"kind": "u8"}}}}
    header = {} if scene in ("world", "unbroken-world") else {"sets": sets}
    rate = 50 if scene == "state" else None
    token = os.environ.get("SIMTAPE_TOKEN")
    out = Sender(to, server='play "1"', rate=rate, header=header, token=token, limit=limit, log=say, answers=say)
    if scene == "world":
        world(out)
    elif scene == "state":
        state(out)
    elif scene == "flood":
        flood(out)
    elif scene == "overflow" or scene.startswith("unbroken"):
        unbroken(out, scene == "unbroken-world")
    elif scene == "bench":
        bench(out, int(words[0]))
    else:
        texts(out, words)
    status = out.close("completed", 8)
    fields = ("sent", "merged", "dropped", "lost", "refused", "connections", "waiting")
    say("status " + json.dumps({field: getattr(status, field) for field in fields}))


main()
