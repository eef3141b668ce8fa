"""Searches the library of a server, and reads numbers of what it finds: python3 server.py URL [WORDS]

A token (page /admin) is in the variable SIMTAPE_SERVER_TOKEN. Needs numpy and pandas.
"""

import os
import sys

import simtape

client = simtape.Client(sys.argv[1], token=os.environ.get("SIMTAPE_SERVER_TOKEN"))
for recording in client.find(" ".join(sys.argv[2:]), sort="name", order="asc"):
    print(f"{recording.name}: {recording.summary}")

    # the three numbers with the largest extent, as columns of one data frame
    extents = [one for one in recording.info().raw["extents"] if "*" not in one["path"]]
    widest = sorted(extents, key=lambda one: one["least"] - one["most"])[:3]
    frame = recording.series([one["path"] for one in widest], points=100).to_pandas()
    print(frame.describe().loc[["min", "mean", "max"]].to_string())

    # the first collision, and where everything was then
    try:
        collision = next(iter(recording.events("collision", limit=1)), None)
    except simtape.UsageError:
        continue  # recordings of this format have no collisions
    if collision is not None:
        state = recording.state(collision.seconds)
        print(f"{collision.seconds:.2f} s: {collision.text}; then there were", state)
