import os
import tempfile
import unittest

import simtape

from simtape.optional import found

from .asked import Asked
from .world import NAMES, TOKEN, URL, path_of, printed


@unittest.skipIf(URL == "", "SIMTAPE_TEST_URL names no server")
class OfServers(Asked):
    @classmethod
    def setUpClass(cls):
        cls.client = simtape.Client(URL + "/", token=TOKEN)
        cls.ids = {one.name: one.id for one in cls.client.list()}

    def recording(self, name):
        return self.client.get(self.ids[name])

    def test_the_library(self):
        self.assertEqual([one.name for one in self.client.list(sort="name", order="asc")], NAMES)
        self.assertEqual([one.name for one in self.client.list(limit=2, sort="name", order="asc")], NAMES[:2])
        names = [one.name for one in self.client.list(format=["carla", "mira"], sort="name", order="asc")]
        self.assertEqual(names, ["robot.tape", "town.log"])
        (town,) = self.client.find("format:carla")
        self.assertEqual((town.name, town.format, town.status), ("town.log", "carla", "indexed"))
        self.assertEqual(list(self.client.find("zebra")), [])
        self.assertEqual(town.page, f"{URL}/r/{town.id}")
        self.assertEqual(self.client.ask("GET", "/api/facets")["formats"] != [], True)

    def test_questions_by_id(self):
        id = self.ids["town.log"]
        (first, *_) = printed("steps", "town.log").values()
        self.assertEqual(self.client.state(id, first["time"] / 1e9).raw, first)
        self.assertEqual(self.client.info(id).format, "carla")
        self.assertEqual(len(self.client.series(id, "frame", points=3, mode="sample")[0]), 3)
        self.assertEqual(next(iter(self.client.events(id, limit=1))).time, printed("events", "town.log")[0]["time"])
        self.assertEqual(self.client.table(id, "vehicles", columns="gear").names, ["time", "id", "gear"])
        with open(path_of("town.log"), "rb") as file:
            self.assertEqual(self.client.data(id), file.read())

    def test_the_nearest_paths_are_in_the_error(self):
        with self.assertRaises(simtape.UsageError) as caught:
            self.recording("town.log").series("vehicles/nope")
        self.assertIsInstance(caught.exception, simtape.ServerProblem)
        self.assertNotEqual(caught.exception.details["existing"], [])

    def test_a_table_of_a_set_that_does_not_exist(self):
        with self.assertRaisesRegex(simtape.client.JobFailed, "there are: vehicles"):
            self.recording("town.log").table("nope")

    def test_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.recording("town.log").download(folder)
            self.assertEqual(path, os.path.join(folder, "town.log"))
            with open(path, "rb") as mine, open(path_of("town.log"), "rb") as file:
                self.assertEqual(mine.read(), file.read())

    @unittest.skipIf(os.environ.get("SIMTAPE_TEST_SQL") != "1", "DuckDB is not installed")
    def test_sql(self):
        answer = self.client.sql("select id, time, position_x, label, 1 < 2 as yes from vehicles order by id, time")
        self.assertEqual([one.kind for one in answer.columns], ["i64", "f64", "f64", "string", "bool"])
        self.assertEqual(answer.units, {"time": "s", "position_x": "cm"})
        table = self.recording("town.log").table("vehicles", columns=["position"])
        self.assertEqual(len(answer), len(table))
        mine = {(id, round(time * 1e9)): x for id, time, x, *_ in answer.rows()}
        other = {(id, time): x for time, id, x, *_ in table.rows()}
        self.assertEqual(mine, other)
        self.assertEqual((answer.truncated, answer.problems), (False, []))
        few = self.client.sql("select recording, format from recordings order by 1", limit=2)
        self.assertEqual((few.truncated, few["recording"].to_list()), (True, NAMES[:2]))
        one = self.client.sql("select count(*) as n from recordings", [self.ids["town.log"]])
        self.assertEqual(one["n"].to_list(), [1])
        some = self.client.sql("select recording from recordings", {"format": "mira"})
        self.assertEqual(some["recording"].to_list(), ["robot.tape"])
        if found("pandas"):
            frame = answer.to_pandas()
            self.assertEqual(list(frame.columns), answer.names)
            self.assertEqual(frame.attrs["units"], answer.units)
            self.assertEqual(str(frame["id"].dtype), "int64")
        with self.assertRaises(simtape.UsageError) as caught:
            self.client.sql("select nothing from vehicles")
        self.assertEqual({key: caught.exception.details[key] for key in ("code", "line", "column")}, {"code": "no-column", "line": 1, "column": 8})

    def test_rights(self):
        with self.assertRaises(simtape.NotFound):
            self.client.get("nothing")
        with self.assertRaises(simtape.Unauthorized):
            list(simtape.Client(URL, token="").list())
        with self.assertRaises(simtape.Unauthorized):
            list(simtape.Client(URL, token="simtape_no").list())


del Asked

if __name__ == "__main__":
    unittest.main()
