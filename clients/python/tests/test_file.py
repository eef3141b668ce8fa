import os
import tempfile
import unittest
from unittest import mock

import simtape

from .asked import Asked
from .world import FOLDER, path_of, printed


@unittest.skipIf(FOLDER == "", "SIMTAPE_TEST_FOLDER names no recordings")
class OfFiles(Asked):
    # each question starts the command
    states = 1
    names = ["race.hcrp", "town.log"]

    def recording(self, name):
        return simtape.read(path_of(name))

    def test_all_values_of_a_series(self):
        series = self.recording("town.log").series("frame", start=1, end=2)[0]
        self.assertTrue(all(1e9 <= time < 2e9 for time in series.time))
        frames = [int(frame) for frame in series.value]
        self.assertEqual(frames, list(range(frames[0], frames[0] + len(frames))))
        self.assertGreater(len(frames), 10)

    def test_a_table_without_an_npz(self):
        """A command that cannot export gives the same table as CSV."""
        from simtape import command

        run = command.run

        def without(words):
            if words[0] == "export":
                raise simtape.errors.CommandUsageError("unknown command 'export'", "usage")
            return run(words)

        usual = self.recording("town.log").table("vehicles")
        with mock.patch.object(command, "run", without):
            table = self.recording("town.log").table("vehicles")
        self.assertEqual(table.names, usual.names)
        self.assertEqual(table.units, usual.units)
        self.assertEqual(table.axes, usual.axes)
        for mine, other in zip(table.columns, usual.columns):
            self.assertEqual((mine.name, mine.kind, mine.to_list()), (other.name, other.kind, other.to_list()))

    def test_a_set_that_does_not_exist(self):
        with self.assertRaisesRegex(simtape.UsageError, "there are: vehicles"):
            self.recording("town.log").table("nope")

    @unittest.skipIf(os.environ.get("SIMTAPE_TEST_SQL") != "1", "DuckDB is not installed")
    def test_sql(self):
        own = simtape.sql(path_of("town.log"), "select min(id) as id from vehicles")["id"][0]
        answer = simtape.sql(path_of("town.log"), f"select id, time, position_x, null as none from vehicles where id = {own}")
        table = self.recording("town.log").table("vehicles", columns="position", ids=int(own))
        self.assertEqual(answer["position_x"].to_list(), table["position.x"].to_list())
        self.assertEqual([round(time * 1e9) for time in answer["time"]], table["time"].to_list())
        self.assertEqual((answer.units["position_x"], answer["none"][0]), ("cm", None))
        both = simtape.sql([path_of("town.log"), path_of("race.hcrp")], "select format from recordings order by 1")
        self.assertEqual(both["format"].to_list(), ["carla", "hcrp"])
        with self.assertRaisesRegex(simtape.CommandError, "the nearest is vehicles"):
            simtape.sql(path_of("town.log"), "select 1 from vehiclez")

    @unittest.skipIf(os.environ.get("SIMTAPE_TEST_SQL") != "1", "DuckDB is not installed")
    def test_sql_counts_recordings_that_cannot_be_read(self):
        with tempfile.TemporaryDirectory() as folder:
            cut = os.path.join(folder, "cut.hcrp")
            with open(path_of("race.hcrp"), "rb") as whole, open(cut, "wb") as file:
                file.write(whole.read(40))
            with self.assertWarns(simtape.SimtapeWarning):
                answer = simtape.sql([path_of("town.log"), cut], "select recording from recordings")
            self.assertEqual((answer["recording"].to_list(), answer.unread), (["town.log"], 1))

    def test_no_file(self):
        for kind in (simtape.NoSuchFile, FileNotFoundError, simtape.SimtapeError):
            with self.assertRaisesRegex(kind, "nothing.log"):
                simtape.read(path_of("nothing.log"))

    def test_a_file_that_is_no_recording(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "-x.log")
            with open(path, "wb") as file:
                file.write(b"nothing that any simulator writes")
            with self.assertRaises(simtape.CommandError) as caught:
                simtape.read(path).info()
            self.assertNotIsInstance(caught.exception, simtape.UsageError)
            self.assertIsNotNone(caught.exception.code)

    def test_a_name_that_begins_with_a_dash(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(path_of("town.log"), os.path.join(folder, "-o"))
            before = os.getcwd()
            os.chdir(folder)
            try:
                self.assertEqual(simtape.read("-o").info().format, "carla")
            finally:
                os.chdir(before)

    def test_a_damaged_recording_is_read_around_the_damage(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cut.log")
            with open(path_of("town.log"), "rb") as whole, open(path, "wb") as cut:
                cut.write(whole.read()[:-5000])
            recording = simtape.read(path)
            (first, *_) = printed("steps", "town.log").values()
            with self.assertWarnsRegex(simtape.SimtapeWarning, "is cut off"):
                state = recording.state(first["time"] / 1e9)
            self.assertEqual(state.raw["sets"], first["sets"])
            with self.assertWarns(simtape.SimtapeWarning):
                self.assertTrue(any(one["code"] == "truncated" for one in recording.info().findings))
            with self.assertWarns(simtape.SimtapeWarning):
                table = recording.table("vehicles")
            self.assertGreater(len(table), 0)

    def test_an_iteration_may_end_early(self):
        for event in self.recording("race.hcrp").events():
            break
        self.assertIsNotNone(event)

    def test_the_command_is_found(self):
        with mock.patch.dict(os.environ, {"SIMTAPE": "", "PATH": "/nonexistent"}):
            with self.assertRaisesRegex(simtape.CommandNotFound, "not on the PATH"):
                simtape.read(path_of("town.log"))
        with mock.patch.dict(os.environ, {"SIMTAPE": "no-such-program x"}):
            with self.assertRaisesRegex(simtape.CommandNotFound, "no-such-program"):
                simtape.read(path_of("town.log"))


del Asked

if __name__ == "__main__":
    unittest.main()
