"""A NanoVer client made from the specification of the protocol alone: Debian's python3-websockets and python3-msgpack.

usage: client.py URL   prints what it got as one JSON object
"""

import asyncio
import json
import sys

import msgpack
import websockets


async def main(url):
    frame, state, frames, answers = {}, {}, 0, {}
    async with websockets.connect(url, max_size=128 << 20) as socket:

        def take(message):
            nonlocal frames
            part = message.get("frame")
            if part is not None:
                frames += 1
                if part["frame.index"] == 0:
                    frame.clear()
                frame.update(part)
            part = message.get("state")
            if part is not None:
                state.update(part["updates"])
                for key in part["removals"]:
                    state.pop(key, None)
            part = message.get("command")
            if part is not None:
                answers[part["request"]["id"]] = part.get("response", part.get("exception"))

        async def ask(number, name, arguments):
            request = {"id": number, "name": name, "arguments": arguments}
            await socket.send(msgpack.packb({"command": {"request": request}}))
            while number not in answers:
                take(msgpack.unpackb(await socket.recv()))
            return answers[number]

        listed = await ask(1, "playback/list", {})
        unknown = await ask(2, "nope", {})
        await socket.send(msgpack.packb({"state": {"updates": {"avatar.py": {"name": "py"}, "update.index.py": 7}, "removals": []}}))
        while state.get("update.index.py") != 7:
            take(msgpack.unpackb(await socket.recv()))
        await ask(3, "playback/play", {})
        before = frames
        while frames < before + 20 or "particle.positions" not in frame:
            take(msgpack.unpackb(await socket.recv()))
        types = {key: type(value).__name__ for key, value in frame.items()}
        count = int(frame["particle.count"])
        print(
            json.dumps(
                {
                    "simulations": listed["simulations"],
                    "unknown": unknown,
                    "types": types,
                    "count": count,
                    "bytes": len(frame["particle.positions"]),
                    "scene": [type(number).__name__ for number in state.get("scene", [])],
                }
            )
        )


asyncio.run(asyncio.wait_for(main(sys.argv[1]), 30))
