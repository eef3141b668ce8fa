"""Variables of the environment for the tests with a real server and a real command.

``SIMTAPE``: the command. ``SIMTAPE_TEST_FOLDER``: a recording of each format, and what the command prints of them. ``SIMTAPE_TEST_URL``,
``SIMTAPE_TEST_TOKEN``: a server of that folder.
"""

import json
import os
from typing import Any

FOLDER = os.environ.get("SIMTAPE_TEST_FOLDER", "")
URL = os.environ.get("SIMTAPE_TEST_URL", "")
TOKEN = os.environ.get("SIMTAPE_TEST_TOKEN", "")
NAMES = ["flight.fgtape", "molecule.nanover.zip", "race.hcrp", "robot.tape", "town.log"]
#: What a table of each is about, and columns of it that are numbers.
SETS = {
    "flight.fgtape": ("aircraft", "position"),
    "molecule.nanover.zip": ("particles", "position"),
    "race.hcrp": ("players", "position"),
    "robot.tape": ("poses", "position"),
    "town.log": ("vehicles", "position"),
}
def path_of(name: str) -> str:
    return os.path.join(FOLDER, name)


def printed(command: str, name: str) -> Any:
    """What ``simtape info``, ``events`` or ``state`` prints of a recording with ``--json``: the oracle of the tests.

    ``info``: a document. ``events``: a list. ``states``: the state at fifty random times, by the time in nanoseconds;
    ``steps``: at the start of each of twenty steps.
    """
    with open(os.path.join(FOLDER, ".printed", f"{name}.json"), encoding="utf-8") as file:
        return json.load(file)[command]


def number(cell: Any) -> float:
    """A number of JSON, in which NaN is text."""
    return float(cell)
