"""Questions that a file and a server must answer alike, and as the command prints."""

import math
import unittest
from bisect import bisect_right

import simtape
from simtape.optional import found

from .world import NAMES, SETS, path_of, printed


class Asked(unittest.TestCase):
    """Subclasses say where the recordings are."""

    #: States of each recording that are compared.
    states = 50
    #: Recordings that all tests ask. Tests of facts and tables ask every recording.
    names = NAMES

    def recording(self, name: str) -> simtape.Recording:
        raise unittest.SkipTest("there is no recording to ask")

    def test_facts(self):
        for name in NAMES:
            info, expected = self.recording(name).info(), printed("info", name)
            line = expected["timeline"]
            self.assertEqual((info.name, info.format, info.bytes), (name, expected["format"], expected["bytes"]))
            self.assertAlmostEqual(info.seconds, (line["end"] - line["start"]) / 1e9, places=3)
            # a server lists no channels without messages
            used = {channel: count for channel, count in info.channels.items() if count > 0}
            messages = {one["name"]: one["messages"] for one in expected["channels"]}
            self.assertEqual(used, {channel: count for channel, count in messages.items() if count > 0})
            if line["epoch"] is None:
                self.assertIsNone(info.began)
            else:
                self.assertAlmostEqual(info.began.timestamp(), int(line["epoch"]) / 1e9, places=2)

    def test_states(self):
        for name in self.names:
            recording = self.recording(name)
            for time, expected in list(printed("states", name).items())[: self.states]:
                state = recording.state(int(time) / 1e9)
                self.assertEqual(state.raw, expected)
                self.assertEqual(list(state.sets), list(expected["sets"]))
                for things, plain in expected["sets"].items():
                    mine = state.sets[things]
                    self.assertEqual(mine.ids, plain["ids"])
                    for column, cells in plain["columns"].items():
                        self.assertEqual(len(mine.columns[column]), len(cells["data"]))
                        for a, b in zip(mine.columns[column], cells["data"]):
                            self.assertTrue(a == b or math.isnan(a) and b == "NaN")

    def test_a_part_of_a_state(self):
        state = self.recording("town.log").state("50%", ["vehicles/*/position.x", "frame"])
        self.assertEqual(list(state.values), ["frame"])
        self.assertEqual(list(state.sets), ["vehicles"])
        self.assertEqual(list(state.sets["vehicles"].columns), ["position.x"])

    def test_events(self):
        for name in self.names:
            expected = printed("events", name)
            events = self.recording(name).events().to_list()
            plain = [(one.time, one.kind, one.text, one.channel, one.sequence, one.value) for one in events]
            names = ("time", "kind", "text", "channel", "sequence", "value")
            self.assertEqual(plain, [tuple(one[name] for name in names) for one in expected])
            who = [[vars(who) for who in one.who] for one in events]
            self.assertEqual(who, [one["who"] for one in expected])
            self.assertEqual(len(list(self.recording(name).events(limit=1))), min(1, len(expected)))
            if not expected:
                continue
            kind = expected[-1]["kind"]
            some = self.recording(name).events(kind, start="50%").to_list()
            start = printed("info", name)["timeline"]
            middle = (start["start"] + start["end"]) / 2
            self.assertEqual(
                [one.text for one in some],
                [one["text"] for one in expected if one["kind"] == kind and one["time"] >= middle],
            )

    def test_tables_have_what_the_state_has_at_fifty_times(self):
        for name in NAMES:
            of, column = SETS[name]
            things = [state["sets"].get(of) for state in printed("states", name).values()]
            first = next(one["ids"][0] for one in things if one is not None and one["ids"])
            table = self.recording(name).table(of, columns=column, ids=first)
            self.assertEqual(set(table["id"].to_list()), {first})
            moments = table["time"].to_list()
            compared = 0
            for time, state in printed("states", name).items():
                things = state["sets"].get(of)
                # a row is at a moment with motion, and its values hold until the next
                row = bisect_right(moments, int(time)) - 1
                if things is None or first not in things["ids"] or row < 0:
                    continue
                cells = things["columns"][column]
                begin = things["ids"].index(first) * cells["width"]
                for item, part in enumerate("xyz"):
                    mine = table[f"{column}.{part}"][row]
                    wanted = float(cells["data"][begin + item])
                    self.assertTrue(mine == wanted or mine is None and math.isnan(wanted), (name, time, mine, wanted))
                    self.assertEqual(table[f"{column}.{part}"].unit, cells["unit"])
                compared += 1
            self.assertGreater(compared, 25, name)

    def test_a_table_at_an_interval_and_in_other_axes(self):
        options = {"columns": ["position", "label"], "start": 1, "end": 2, "every": 0.25}
        table = self.recording("town.log").table("vehicles", **options)
        self.assertEqual(sorted(set(table["time"].to_list())), [1e9, 1.25e9, 1.5e9, 1.75e9])
        turned = self.recording("town.log").table("vehicles", axes="standard", **options)
        self.assertEqual(turned.axes["handed"], "right")
        self.assertEqual(turned["label"].to_list(), table["label"].to_list())
        for a, b in zip(table["position.y"], turned["position.y"]):
            self.assertAlmostEqual(-a / 100, b)

    def test_a_table_of_a_channel(self):
        table = self.recording("town.log").table(channel="frame-start")
        (channel,) = [c for c in printed("info", "town.log")["channels"] if c["name"] == "frame-start"]
        self.assertEqual(len(table), channel["messages"])
        self.assertIn("sequence", table)

    def test_series_have_what_the_state_has(self):
        for name in self.names:
            of, column = SETS[name]
            steps = printed("steps", name)
            first = next(state["sets"][of]["ids"][0] for state in steps.values() if of in state["sets"])
            path = f"{of}/{first}/{column}.x"
            (series,) = self.recording(name).series(path, points=20, mode="sample")
            self.assertEqual((series.path, len(series)), (path, 20))
            for time, value, state in zip(series.time, series.value, steps.values()):
                self.assertAlmostEqual(time, state["time"], delta=1)
                things = state["sets"].get(of)
                if things is None or first not in things["ids"]:
                    self.assertIsNone(value)
                    continue
                cells = things["columns"][column]
                wanted = float(cells["data"][things["ids"].index(first) * cells["width"]])
                self.assertTrue(value == wanted or value is None and math.isnan(wanted), (name, value, wanted))
                self.assertEqual(series.unit, cells["unit"])

    def test_a_text_over_time(self):
        vehicle = next(iter(printed("steps", "town.log").values()))["sets"]["vehicles"]["ids"][0]
        (kinds,) = self.recording("town.log").series(f"vehicles/{vehicle}/kind", points=5, mode="sample")
        self.assertEqual(kinds.kind, "text")
        self.assertTrue(kinds.value[-1].startswith("vehicle."))

    def test_paths(self):
        for name in self.names:
            paths = self.recording(name).paths()
            self.assertGreater(len(paths), 3, name)
            self.assertEqual(len({one.path for one in paths}), len(paths))
            # each has a series
            self.recording(name).series([paths[0].path, paths[-1].path], points=2)
        self.assertTrue(any(one.unit is not None for one in self.recording("town.log").paths()))

    def test_bytes(self):
        for name in self.names:
            with open(path_of(name), "rb") as file:
                self.assertEqual(self.recording(name).data(), file.read())

    def test_what_does_not_fit_is_one_clear_error(self):
        town = self.recording("town.log")
        for ask, words in (
            (lambda: town.state("1000s"), "is not in the recording"),
            (lambda: town.state("soon"), "soon"),
            (lambda: town.series("vehicles/1/nope"), "there are"),
            (lambda: list(town.events("nope")), "there are"),
        ):
            with self.assertRaisesRegex(simtape.UsageError, words):
                ask()

    @unittest.skipIf(found("pandas") is None, "pandas is not installed")
    def test_frames(self):
        town = self.recording("town.log")
        table = town.table("vehicles", columns=["position", "gear"])
        frame = table.to_pandas()
        self.assertEqual(frame["position.x"].tolist(), table["position.x"].to_list())
        self.assertEqual(frame["time"].tolist(), [time / 1e9 for time in table["time"]])
        self.assertEqual(frame.attrs["units"]["position.x"], "cm")
        vehicle = frame["id"].iloc[0]
        both = town.series([f"vehicles/{vehicle}/position.x", f"vehicles/{vehicle}/gear"], points=10).to_pandas()
        self.assertEqual(list(both.columns), [f"vehicles/{vehicle}/position.x", f"vehicles/{vehicle}/gear"])
        self.assertTrue(both.index.is_monotonic_increasing)
        events = town.events().to_pandas()
        self.assertEqual(len(events), len(printed("events", "town.log")))
        self.assertEqual(str(events["sequence"].dtype), "Int64")


