"""Drives NanoVer's own Python programs, one in each call. Needs their package: pip install nanover-server

usage: nanover-programs.py serve RECORDING...      NanoVer's server: prints its port, ends with its standard input
       nanover-programs.py client ADDRESS          NanoVer's client: answers lines [METHOD, ARGUMENT...] in JSON
       nanover-programs.py crowd ADDRESS N STUCK   N of its clients, STUCK of which take nothing: answers each line
                                                   with what each client has received
       nanover-programs.py discover                NanoVer's discovery: prints its port, then the first server found
       nanover-programs.py messages RECORDING      NanoVer's reader: a line for each message, with digests of the values
"""

import hashlib
import json
import sys
import threading
import time

import msgpack
from websockets.sync.client import connect

from nanover.app import NanoverImdApplication, OmniRunner
from nanover.essd import DiscoveryClient
from nanover.recording import NanoverRecordingReader, PlaybackSimulation
from nanover.utilities.packing import fallback_encoder
from nanover.websocket import NanoverImdClient
from nanover.websocket.client.base_client import MAX_MESSAGE_SIZE


def say(value):
    print(json.dumps(value), flush=True)


def lines():
    return (json.loads(line) for line in sys.stdin)


def digest(value):
    return hashlib.sha1(msgpack.packb(value, default=fallback_encoder)).hexdigest()[:16]


def digests(values):
    return {key: digest(values[key]) for key in sorted(values)}


def serve(*paths):
    # without discovery: it would announce the server to the network
    app = NanoverImdApplication(name="beside simtape")
    app.serve_websocket(port=0)
    with OmniRunner(app) as runner:
        for path in paths:
            runner.add_simulation(PlaybackSimulation.from_path(path=path))
        say(app.service_hub.services["ws"])
        sys.stdin.read()


class Counting(NanoverImdClient):
    """NanoVer's client, which counts the messages that it takes."""

    def __init__(self, *args, **kwargs):
        self.frames_taken = 0
        self.updates_taken = 0
        self.last_taken = time.monotonic()
        self.longest = 0.0
        super().__init__(*args, **kwargs)

    def recv_frame(self, message):
        super().recv_frame(message)
        now = time.monotonic()
        self.longest = max(self.longest, now - self.last_taken)
        self.last_taken = now
        self.frames_taken += 1

    def recv_state(self, message):
        super().recv_state(message)
        self.updates_taken += 1

    @property
    def shown(self):
        return {
            "frames": self.frames_taken,
            "updates": self.updates_taken,
            "longest": self.longest,
            "frame": digests(self.current_frame.pack_to_dict()),
            "state": digests(self.copy_state()),
        }


class Stuck(Counting):
    """Takes nothing until it is released: its connection fills up."""

    released = threading.Event()

    def recv_message(self, message):
        self.released.wait()
        super().recv_message(message)


def stuck_at(address):
    # without keepalive: with it, the client itself would close the connection after forty seconds
    return Stuck(connect(address, max_size=MAX_MESSAGE_SIZE, ping_interval=None))


def client(address):
    with Counting.from_url(address) as one:
        for method, *given in lines():
            try:
                if method == "shown":
                    say(one.shown)
                elif method == "steps":
                    say(stepped(one, *given))
                elif method == "share":
                    one.set_shared_value(*given)
                    say(None)
                elif method == "commands":
                    say(sorted(one.commands))
                elif method == "ask":
                    say(one.run_command_blocking(given[0], **given[1]))
                else:
                    say(getattr(one, method)(*given))
            except Exception as error:
                say({"error": f"{type(error).__name__}: {error}"})


def stepped(one, count, seconds):
    """Steps one message at a time; each has arrived before the next."""
    late = 0
    for _ in range(count):
        before = one.frames_taken + one.updates_taken
        began = time.monotonic()
        one.run_step()
        while one.frames_taken + one.updates_taken == before:
            if time.monotonic() > began + 2:
                late += 1
                break
            time.sleep(0.001)
        time.sleep(max(0, began + seconds - time.monotonic()))
    return late


def crowd(address, count, stuck):
    clients = [stuck_at(address) if i < int(stuck) else Counting.from_url(address) for i in range(int(count))]
    say(len(clients))
    for (word,) in lines():
        if word == "free":
            Stuck.released.set()
        for one in clients if word == "reset" else []:
            one.longest, one.last_taken, one.frames_taken = 0.0, time.monotonic(), 0
        say([one.shown for one in clients])
    Stuck.released.set()
    for one in clients:
        one.close()


def discover():
    with DiscoveryClient("127.0.0.1", 0) as listener:
        say(listener.port)
        for hub in listener.search_for_services(search_time=30.0):
            say([hub.name, hub.id, *hub.get_service_address("ws")])
            return


def messages(path):
    reader = NanoverRecordingReader.from_path(path)
    for event in reader.iter_message_events():
        frame, state = event.message.get("frame"), event.message.get("state")
        said = {"time": event.timestamp}
        if frame is not None:
            said["frame"] = digests(frame)
            said["index"] = frame.get("frame.index")
            said["stamp"] = frame.get("server.timestamp")
        if state is not None:
            said["updates"] = digests(state.get("updates") or {})
            said["removals"] = sorted(state.get("removals") or [])
        say(said)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
