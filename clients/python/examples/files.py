"""Facts, events and a chart's numbers of every recording in a folder: python3 files.py FOLDER

Needs the command `simtape` on the PATH, or named by the variable SIMTAPE; numpy and pandas.
"""

import sys
from pathlib import Path

import simtape

ENDINGS = (".log", ".fgtape", ".tape", ".hcrp", ".zip")

for path in sorted(Path(sys.argv[1]).iterdir()):
    # region files of Minecraft show the world of a recording
    if path.suffix not in ENDINGS or path.name.endswith(".region.zip"):
        continue
    recording = simtape.read(path)
    info = recording.info()
    print(f"{info.name}: {info.format}, {info.seconds:.1f} s, {sum(info.channels.values())} messages")

    # what happened
    kinds = recording.events().to_pandas()["kind"].value_counts()
    print("  events:", kinds.to_dict())

    # the set that the recording is about, ten times a second
    table = recording.table(columns="position", every=0.1)
    frame = table.to_pandas()
    unit = table.units["position.x"]
    extent = frame.groupby("id")["position.x"].agg(["min", "max"]).head(3)
    for thing, row in extent.iterrows():
        print(f"  {table.of} {thing}: x from {row['min']:.2f} to {row['max']:.2f} {unit}")
